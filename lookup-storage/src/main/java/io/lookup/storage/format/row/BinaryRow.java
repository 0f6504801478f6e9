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
package io.lookup.storage.format.row;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;

import static java.util.Objects.requireNonNull;

/**
 * An immutable row in the format's canonical binary layout (little-endian, see docs/file-layout.md), compared
 * for identity by its bytes. Used for partitions, file key bounds and statistics. Values are read with
 * {@link BinaryRowDecoder} and written with {@link BinaryRowEncoder}.
 *
 * @param arity number of fields
 * @param bytes raw row bytes without the arity prefix; must not be changed
 */
public record BinaryRow(int arity, Slice bytes)
{
    static final int HEADER_BITS = 8;

    public static final BinaryRow EMPTY = new BinaryRow(0, Slices.wrappedBuffer(new byte[8]));

    public BinaryRow
    {
        requireNonNull(bytes, "bytes is null");
    }

    public boolean isNull(int field)
    {
        int bit = field + HEADER_BITS;
        return (bytes.getByte(bit >>> 3) & (1 << (bit & 7))) != 0;
    }

    /**
     * The stored form: arity as a big-endian int, then the row's bytes.
     */
    public byte[] toBytesWithArity()
    {
        byte[] result = new byte[4 + bytes.length()];
        result[0] = (byte) (arity >>> 24);
        result[1] = (byte) (arity >>> 16);
        result[2] = (byte) (arity >>> 8);
        result[3] = (byte) arity;
        bytes.getBytes(0, result, 4, bytes.length());
        return result;
    }

    public static BinaryRow fromBytesWithArity(byte[] stored)
    {
        int arity = ((stored[0] & 0xFF) << 24) | ((stored[1] & 0xFF) << 16) | ((stored[2] & 0xFF) << 8) | (stored[3] & 0xFF);
        return new BinaryRow(arity, Slices.wrappedBuffer(stored, 4, stored.length - 4));
    }

    /**
     * Bytes before the first field's slot: the row kind and one null bit a field, in whole words.
     */
    static int headerSize(int arity)
    {
        return (arity + 63 + HEADER_BITS) / 64 * Long.BYTES;
    }

    /**
     * Bytes of the part before values of variable length; no valid row has fewer.
     */
    public int fixedSize()
    {
        return headerSize(arity) + arity * Long.BYTES;
    }
}
