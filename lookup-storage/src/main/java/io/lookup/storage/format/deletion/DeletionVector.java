/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lookup.storage.format.deletion;

import com.google.common.collect.ImmutableSortedMap;
import org.roaringbitmap.RoaringBitmap;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * Positions of the rows of one data file that do not count any more: 0 is the first row of the file. Immutable and
 * thread-safe.
 */
public final class DeletionVector
{
    public static final DeletionVector EMPTY = new DeletionVector(ImmutableSortedMap.of());

    // by the upper half of a position; the lower half is unsigned. None is empty, and none is ever changed
    private final NavigableMap<Integer, RoaringBitmap> bitmaps;

    DeletionVector(NavigableMap<Integer, RoaringBitmap> bitmaps)
    {
        this.bitmaps = ImmutableSortedMap.copyOfSorted(bitmaps);
    }

    public static DeletionVector of(long... positions)
    {
        Builder builder = new Builder(EMPTY);
        for (long position : positions) {
            builder.add(position);
        }
        return builder.build();
    }

    public boolean contains(long position)
    {
        RoaringBitmap bitmap = bitmaps.get(upper(position));
        return bitmap != null && bitmap.contains((int) position);
    }

    /**
     * The smallest position from this one on, -1 if there is none.
     */
    public long next(long from)
    {
        for (Map.Entry<Integer, RoaringBitmap> entry : bitmaps.tailMap(upper(from), true).entrySet()) {
            long next = entry.getValue().nextValue(entry.getKey() == upper(from) ? (int) from : 0);
            if (next >= 0) {
                return ((long) entry.getKey() << Integer.SIZE) | next;
            }
        }
        return -1;
    }

    public long cardinality()
    {
        return bitmaps.values().stream()
                .mapToLong(RoaringBitmap::getLongCardinality)
                .sum();
    }

    public boolean isEmpty()
    {
        return bitmaps.isEmpty();
    }

    /**
     * The greatest position, -1 if there is none.
     */
    public long last()
    {
        if (bitmaps.isEmpty()) {
            return -1;
        }
        return ((long) bitmaps.lastKey() << Integer.SIZE) | Integer.toUnsignedLong(bitmaps.lastEntry().getValue().last());
    }

    /**
     * An estimate, in bytes.
     */
    public long memoryUsage()
    {
        return 100 + bitmaps.values().stream()
                .mapToLong(bitmap -> 100 + bitmap.getLongSizeInBytes())
                .sum();
    }

    NavigableMap<Integer, RoaringBitmap> bitmaps()
    {
        return bitmaps;
    }

    @Override
    public boolean equals(Object other)
    {
        return this == other || (other instanceof DeletionVector vector && bitmaps.equals(vector.bitmaps));
    }

    @Override
    public int hashCode()
    {
        return bitmaps.hashCode();
    }

    @Override
    public String toString()
    {
        return "%s deleted rows".formatted(cardinality());
    }

    private static int upper(long position)
    {
        return (int) (position >> Integer.SIZE);
    }

    /**
     * Adds positions to a vector. Not thread-safe.
     */
    public static final class Builder
    {
        private final NavigableMap<Integer, RoaringBitmap> bitmaps = new TreeMap<>();

        public Builder(DeletionVector base)
        {
            base.bitmaps.forEach((upper, bitmap) -> bitmaps.put(upper, bitmap.clone()));
        }

        /**
         * @return false if it was there
         */
        public boolean add(long position)
        {
            checkArgument(position >= 0, "position is negative: %s", position);
            return bitmaps.computeIfAbsent(upper(position), _ -> new RoaringBitmap()).checkedAdd((int) position);
        }

        public DeletionVector build()
        {
            NavigableMap<Integer, RoaringBitmap> built = new TreeMap<>();
            bitmaps.forEach((upper, bitmap) -> built.put(upper, bitmap.clone()));
            return new DeletionVector(built);
        }
    }
}
