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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.lang.String.format;
import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Encodes key or sequence-field columns to bytes whose unsigned order is the format's order of the rows, column
 * by column: strings and binary values by unsigned bytes with the shorter first, numbers by value. The two
 * floating point zeros are the same, as they are for other writers of the format; NaN comes last, where those leave
 * its order open.
 *
 * <ul>
 * <li>Numbers, dates, times and timestamps have a fixed width: big-endian, sign bit flipped. Timestamps are
 * milliseconds up to precision 3, microseconds up to 6, and microseconds with nanoseconds of the microsecond
 * above.
 * <li>A string or binary value has its zero bytes escaped as {@code 00 FF} and ends with {@code 00 00}, so that the
 * columns behind it do not disturb the order. The last column of an ascending encoder is written as it is, since
 * nothing follows: such keys must not be put before other bytes that are to take part in the order.
 * <li>Nullable columns begin with a marker, 0 for null and 1 for a value; nothing follows a null. Null is
 * therefore the smallest, also when descending, where all bits but those of the markers are inverted.
 * </ul>
 *
 * Two rows are equal in the order if and only if their bytes are. Thread-safe.
 */
public final class KeyEncoder
{
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, BIG_ENDIAN);

    private final List<KeyColumn> columns;
    private final List<Type> trinoTypes;
    private final BinaryRowDecoder decoder;
    private final boolean nullable;

    /**
     * @param nullable whether columns may be null and get a marker, as sequence fields do; keys do not
     * @throws StorageException UNSUPPORTED_TYPE for types that have no order in the format
     */
    public KeyEncoder(List<DataType> types, boolean nullable, boolean descending)
    {
        checkArgument(!types.isEmpty(), "no columns");
        this.nullable = nullable;
        this.columns = IntStream.range(0, types.size())
                .mapToObj(index -> KeyColumn.create(types.get(index), descending, index == types.size() - 1))
                .collect(toImmutableList());
        this.trinoTypes = types.stream().map(TrinoTypes::toTrinoType).collect(toImmutableList());
        this.decoder = new BinaryRowDecoder(types);
    }

    public static KeyEncoder forKeys(List<DataType> types)
    {
        return new KeyEncoder(types, false, false);
    }

    /**
     * @param channels the channel of each column, in column order
     * @throws StorageException INVALID_ROW if a column is null that must not be
     */
    public EncodedKeys encode(Page page, int[] channels)
    {
        checkArgument(channels.length == columns.size(), "Expected %s channels, got %s", columns.size(), channels.length);
        int count = page.getPositionCount();
        KeyColumn.Values[] values = new KeyColumn.Values[channels.length];
        int[] lengths = new int[count + 1];
        for (int column = 0; column < channels.length; column++) {
            Block block = page.getBlock(channels[column]);
            boolean[] nulls = nulls(block, column);
            values[column] = columns.get(column).extract(block, nulls, count);
            if (nullable) {
                addToAll(lengths, count, 1);
            }
            columns.get(column).addLengths(values[column], lengths, count);
        }

        int[] offsets = lengths;
        int end = 0;
        for (int position = 0; position < count; position++) {
            int length = lengths[position];
            offsets[position] = end;
            end = Math.addExact(end, length);
        }
        offsets[count] = end;

        // room behind the last key lets every prefix be read at once
        byte[] bytes = new byte[Math.addExact(end, Long.BYTES)];
        int[] cursors = Arrays.copyOf(offsets, count);
        for (int column = 0; column < channels.length; column++) {
            if (nullable) {
                writeMarkers(values[column].nulls(), bytes, cursors);
            }
            columns.get(column).write(values[column], bytes, cursors);
        }
        return new EncodedKeys(Slices.wrappedBuffer(bytes, 0, end), offsets, prefixes(bytes, offsets, count), count);
    }

    /**
     * The bytes that a row of a page with the same values would have; for the key bounds of files.
     */
    public Slice encode(BinaryRow row)
    {
        Block[] blocks = new Block[trinoTypes.size()];
        int[] channels = new int[blocks.length];
        for (int column = 0; column < blocks.length; column++) {
            BlockBuilder builder = trinoTypes.get(column).createBlockBuilder(null, 1);
            decoder.appendTo(row, column, builder);
            blocks[column] = builder.build();
            channels[column] = column;
        }
        return encode(new Page(1, blocks), channels).key(0);
    }

    /**
     * @return null if no row is null
     */
    private boolean[] nulls(Block block, int column)
    {
        if (!block.mayHaveNull()) {
            return null;
        }
        boolean[] nulls = null;
        for (int position = 0; position < block.getPositionCount(); position++) {
            if (block.isNull(position)) {
                if (!nullable) {
                    throw new StorageException(StorageErrorCode.INVALID_ROW, format("Column %s of the key is null, which a key column must not be", column + 1));
                }
                if (nulls == null) {
                    nulls = new boolean[block.getPositionCount()];
                }
                nulls[position] = true;
            }
        }
        return nulls;
    }

    private static void addToAll(int[] lengths, int count, int length)
    {
        for (int position = 0; position < count; position++) {
            lengths[position] += length;
        }
    }

    private static void writeMarkers(boolean[] nulls, byte[] bytes, int[] cursors)
    {
        for (int position = 0; position < cursors.length; position++) {
            bytes[cursors[position]++] = (byte) (nulls != null && nulls[position] ? 0 : 1);
        }
    }

    private static long[] prefixes(byte[] bytes, int[] offsets, int count)
    {
        long[] prefixes = new long[count];
        for (int position = 0; position < count; position++) {
            int length = offsets[position + 1] - offsets[position];
            long prefix = (long) LONG.get(bytes, offsets[position]);
            if (length < Long.BYTES) {
                // the bytes read too far belong to the next key
                prefix = length == 0 ? 0 : prefix & (-1L << (Long.BYTES - length) * Byte.SIZE);
            }
            prefixes[position] = prefix;
        }
        return prefixes;
    }
}
