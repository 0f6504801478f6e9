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
package io.lookup.storage.lookup.local;

import io.airlift.slice.Slice;
import io.airlift.slice.SliceInput;
import io.airlift.slice.SliceOutput;
import io.airlift.slice.Slices;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Ascending key bytes, made to be searched without an allocation. If any key is longer than eight bytes, what all of them begin with is kept once. The
 * eight bytes behind that are kept as numbers: a search guesses the place from the first and the last of them, gallops away from it, and
 * ends with a binary search. Only keys that are alike in their numbers are compared in full; where all rests have the same length of at
 * most eight bytes, the numbers are all there is. Immutable.
 */
class SortedKeys
{
    private static final int VARIABLE_LENGTH = -1;
    private static final int MAX_STEP = 1 << 28;

    private final Slice common;
    private final int commonLength;
    private final long[] prefixes;
    private final int restLength;
    // where the rests of variable length are; null if the prefixes say it all
    private final int[] offsets;
    private final Slice rests;

    private final long firstPrefix;
    private final long lastPrefix;
    // of halved numbers, since a difference can have all 64 bits
    private final double indexesPerHalf;

    SortedKeys(SortedKeys other)
    {
        this(other.common, other.prefixes, other.restLength, other.offsets, other.rests);
    }

    private SortedKeys(Slice common, long[] prefixes, int restLength, int[] offsets, Slice rests)
    {
        this.common = requireNonNull(common, "common is null");
        this.commonLength = common.length();
        this.prefixes = requireNonNull(prefixes, "prefixes is null");
        this.restLength = restLength;
        this.offsets = offsets;
        this.rests = requireNonNull(rests, "rests is null");
        this.firstPrefix = prefixes[0];
        this.lastPrefix = prefixes[prefixes.length - 1];
        long half = (lastPrefix - firstPrefix) >>> 1;
        this.indexesPerHalf = half == 0 ? 0 : (prefixes.length - 1) / (double) half;
    }

    final int count()
    {
        return prefixes.length;
    }

    /**
     * @param from index that no key equal to this one is before
     * @return the index of the key; if there is none, -1 minus the index of the first key above it, never below {@code from}
     */
    final int find(Slice key, int from)
    {
        if (commonLength > 0) {
            int order = compareToCommon(key);
            if (order != 0) {
                return order < 0 ? -1 - from : -1 - prefixes.length;
            }
        }
        long prefix = prefix(key, commonLength, key.length() - commonLength);
        if (Long.compareUnsigned(prefix, firstPrefix) < 0) {
            return -1 - from;
        }
        if (Long.compareUnsigned(prefix, lastPrefix) > 0) {
            return -1 - prefixes.length;
        }
        int low = from;
        int high = prefixes.length - 1;
        int middle = Math.clamp((int) (((prefix - firstPrefix) >>> 1) * indexesPerHalf), Math.min(low, high), high);
        int step = 1;
        while (low <= high) {
            int order = compare(middle, prefix, key);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
                middle = Math.min(middle + step, (low + high) >>> 1);
            }
            else {
                high = middle - 1;
                middle = Math.max(middle - step, (low + high) >>> 1);
            }
            step = Math.min(step * 2, MAX_STEP);
        }
        return -1 - low;
    }

    private int compare(int index, long prefix, Slice key)
    {
        int order = Long.compareUnsigned(prefixes[index], prefix);
        return order == 0 ? compareRest(index, key) : order;
    }

    /**
     * @return 0 if the key begins with what all have in common
     */
    private int compareToCommon(Slice key)
    {
        int length = commonLength;
        if (key.length() >= length) {
            return key.compareTo(0, length, common, 0, length);
        }
        int order = key.compareTo(0, key.length(), common, 0, key.length());
        return order == 0 ? -1 : order;
    }

    private int compareRest(int index, Slice key)
    {
        int keyRest = key.length() - commonLength;
        if (offsets == null) {
            return Integer.compare(restLength, keyRest);
        }
        return rests.compareTo(offsets[index], offsets[index + 1] - offsets[index], key, commonLength, keyRest);
    }

    /**
     * The first eight bytes as a number that is to be compared as unsigned, with zeros for those that are missing.
     */
    private static long prefix(Slice bytes, int offset, int length)
    {
        if (length >= Long.BYTES) {
            return Long.reverseBytes(bytes.getLong(offset));
        }
        long prefix = 0;
        for (int index = 0; index < length; index++) {
            prefix |= (bytes.getByte(offset + index) & 0xFFL) << (Long.SIZE - (index + 1) * Byte.SIZE);
        }
        return prefix;
    }

    final long keyBytes()
    {
        return 96L + common.length() + (long) prefixes.length * Long.BYTES + (offsets == null ? 0 : (long) offsets.length * Integer.BYTES + rests.length());
    }

    /**
     * @param bytes ascending keys, one behind another
     * @param offsets where each begins, and where the last one ends
     */
    static void write(Slice bytes, int[] offsets, int count, SliceOutput output)
    {
        checkArgument(count > 0, "no keys");
        int commonLength = commonLength(bytes, offsets, count);
        int restLength = offsets[1] - offsets[0] - commonLength;
        boolean fixed = restLength <= Long.BYTES;
        for (int index = 1; fixed && index < count; index++) {
            fixed = offsets[index + 1] - offsets[index] - commonLength == restLength;
        }
        output.writeInt(count);
        output.writeInt(commonLength);
        output.writeBytes(bytes, offsets[0], commonLength);
        output.writeInt(fixed ? restLength : VARIABLE_LENGTH);
        if (fixed) {
            for (int index = 0; index < count; index++) {
                output.writeLong(prefix(bytes, offsets[index] + commonLength, restLength));
            }
            return;
        }
        for (int index = 0; index < count; index++) {
            output.writeInt(offsets[index + 1] - offsets[index] - commonLength);
        }
        for (int index = 0; index < count; index++) {
            output.writeBytes(bytes, offsets[index] + commonLength, offsets[index + 1] - offsets[index] - commonLength);
        }
    }

    private static int commonLength(Slice bytes, int[] offsets, int count)
    {
        int longest = 0;
        for (int index = 0; index < count; index++) {
            longest = Math.max(longest, offsets[index + 1] - offsets[index]);
        }
        if (longest <= Long.BYTES) {
            // they are numbers as they are: nothing to compare before
            return 0;
        }
        if (count == 1) {
            // what is left has no more than eight bytes
            return Math.max(0, offsets[1] - offsets[0] - Long.BYTES);
        }
        int last = offsets[count - 1];
        int limit = Math.min(offsets[1] - offsets[0], offsets[count] - last);
        int length = 0;
        while (length < limit && bytes.getByte(offsets[0] + length) == bytes.getByte(last + length)) {
            length++;
        }
        return length;
    }

    static SortedKeys read(SliceInput input)
    {
        int count = input.readInt();
        Slice common = Slices.allocate(input.readInt());
        input.readBytes(common);
        int restLength = input.readInt();
        long[] prefixes = new long[count];
        if (restLength != VARIABLE_LENGTH) {
            input.readLongs(prefixes, 0, count);
            return new SortedKeys(common, prefixes, restLength, null, Slices.EMPTY_SLICE);
        }
        int[] offsets = new int[count + 1];
        for (int index = 0; index < count; index++) {
            offsets[index + 1] = offsets[index] + input.readInt();
        }
        Slice rests = Slices.allocate(offsets[count]);
        input.readBytes(rests);
        for (int index = 0; index < count; index++) {
            prefixes[index] = prefix(rests, offsets[index], offsets[index + 1] - offsets[index]);
        }
        return new SortedKeys(common, prefixes, VARIABLE_LENGTH, offsets, rests);
    }
}
