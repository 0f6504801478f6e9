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
package io.lookup.storage.format.keyvalue;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Order-preserving key bytes of a run of rows, made by {@link KeyEncoder}: comparing the bytes as unsigned, the
 * shorter first where one begins the other, gives the order of the keys. The first eight bytes of each key are
 * kept as a number, which decides most comparisons. Immutable.
 */
public final class EncodedKeys
{
    private static final long INSTANCE_SIZE = 40;

    private final Slice bytes;
    private final int[] offsets;
    private final long[] prefixes;
    private final int count;

    /**
     * @param bytes the keys, one behind another
     * @param offsets where each key begins; one more entry than keys, the last being the end
     * @param prefixes see {@link #prefix}
     */
    public EncodedKeys(Slice bytes, int[] offsets, long[] prefixes, int count)
    {
        this.bytes = requireNonNull(bytes, "bytes is null");
        this.offsets = requireNonNull(offsets, "offsets is null");
        this.prefixes = requireNonNull(prefixes, "prefixes is null");
        checkArgument(offsets.length > count && prefixes.length >= count, "Not enough offsets or prefixes for %s keys", count);
        this.count = count;
    }

    public int count()
    {
        return count;
    }

    /**
     * The first eight bytes, big-endian, padded with zeros; to be compared as unsigned. Where the prefixes of two
     * keys differ, they decide; where they are the same, the keys may still differ.
     */
    public long prefix(int index)
    {
        return prefixes[index];
    }

    /**
     * A view, not a copy.
     */
    public Slice key(int index)
    {
        return bytes.slice(offsets[index], length(index));
    }

    public int compare(int index, EncodedKeys other, int otherIndex)
    {
        int order = Long.compareUnsigned(prefixes[index], other.prefixes[otherIndex]);
        if (order != 0) {
            return order;
        }
        int length = length(index);
        int otherLength = other.length(otherIndex);
        if (length <= Long.BYTES && otherLength <= Long.BYTES) {
            return Integer.compare(length, otherLength);
        }
        return bytes.compareTo(offsets[index], length, other.bytes, other.offsets[otherIndex], otherLength);
    }

    public int compare(int index, Slice otherKey)
    {
        return bytes.compareTo(offsets[index], length(index), otherKey, 0, otherKey.length());
    }

    public boolean equal(int index, EncodedKeys other, int otherIndex)
    {
        int length = length(index);
        if (prefixes[index] != other.prefixes[otherIndex] || length != other.length(otherIndex)) {
            return false;
        }
        return length <= Long.BYTES || bytes.equals(offsets[index], length, other.bytes, other.offsets[otherIndex], length);
    }

    /**
     * The keys at the given indexes, in that order, as a copy.
     */
    public EncodedKeys copyPositions(int[] indexes)
    {
        int[] copiedOffsets = new int[indexes.length + 1];
        long[] copiedPrefixes = new long[indexes.length];
        int end = 0;
        for (int i = 0; i < indexes.length; i++) {
            copiedOffsets[i] = end;
            end += length(indexes[i]);
            copiedPrefixes[i] = prefixes[indexes[i]];
        }
        copiedOffsets[indexes.length] = end;
        byte[] copiedBytes = new byte[end];
        for (int i = 0; i < indexes.length; i++) {
            bytes.getBytes(offsets[indexes[i]], copiedBytes, copiedOffsets[i], copiedOffsets[i + 1] - copiedOffsets[i]);
        }
        return new EncodedKeys(Slices.wrappedBuffer(copiedBytes), copiedOffsets, copiedPrefixes, indexes.length);
    }

    public long sizeInBytes()
    {
        return INSTANCE_SIZE + bytes.getRetainedSize() + (long) offsets.length * Integer.BYTES + (long) prefixes.length * Long.BYTES;
    }

    private int length(int index)
    {
        return offsets[index + 1] - offsets[index];
    }
}
