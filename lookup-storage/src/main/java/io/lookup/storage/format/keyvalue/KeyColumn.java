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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ShortArrayBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.block.VariableWidthBlock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static java.lang.Math.floorDiv;
import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * One column of a {@link KeyEncoder}: takes the values out of a block in one go, then writes them each at the
 * cursor of its row.
 */
abstract class KeyColumn
{
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, BIG_ENDIAN);
    private static final int PICOSECONDS_PER_NANOSECOND = 1000;
    private static final long PICOSECONDS_PER_MICROSECOND = 1_000_000;
    private static final long PICOSECONDS_PER_MILLISECOND = 1_000_000_000;
    private static final int MAX_SHORT_DECIMAL_PRECISION = 18;

    /**
     * Inverts what it is applied to if the order is descending.
     */
    final long mask;

    private KeyColumn(boolean descending)
    {
        this.mask = descending ? -1 : 0;
    }

    /**
     * A column of a page.
     *
     * @param nulls null if there are none
     * @param block values of variable width
     * @param positions where the value of each row is in the block
     * @param high values of fixed width as signed numbers; of variable width the count of zero bytes
     * @param low what follows them where they have a second part
     */
    record Values(boolean[] nulls, VariableWidthBlock block, int[] positions, long[] high, long[] low)
    {
        boolean isNull(int row)
        {
            return nulls != null && nulls[row];
        }
    }

    abstract Values extract(Block block, boolean[] nulls, int count);

    /**
     * Adds the encoded length of each value that is not null.
     */
    abstract void addLengths(Values values, int[] lengths, int count);

    abstract void write(Values values, byte[] bytes, int[] cursors);

    static KeyColumn create(DataType type, boolean descending, boolean last)
    {
        if (!(type instanceof ScalarType scalar)) {
            throw unordered(type);
        }
        return switch (scalar.root()) {
            case CHAR, VARCHAR, BINARY, VARBINARY -> new VariableColumn(descending, last && !descending);
            case BOOLEAN, TINYINT -> new FixedColumn(descending, Byte.BYTES, 0) {
                @Override
                void fill(ValueBlock block, int[] positions, long[] high, long[] low)
                {
                    ByteArrayBlock values = (ByteArrayBlock) block;
                    for (int row = 0; row < positions.length; row++) {
                        high[row] = values.getByte(positions[row]);
                    }
                }
            };
            case SMALLINT -> new FixedColumn(descending, Short.BYTES, 0) {
                @Override
                void fill(ValueBlock block, int[] positions, long[] high, long[] low)
                {
                    ShortArrayBlock values = (ShortArrayBlock) block;
                    for (int row = 0; row < positions.length; row++) {
                        high[row] = values.getShort(positions[row]);
                    }
                }
            };
            case INTEGER, DATE -> new FixedColumn(descending, Integer.BYTES, 0) {
                @Override
                void fill(ValueBlock block, int[] positions, long[] high, long[] low)
                {
                    IntArrayBlock values = (IntArrayBlock) block;
                    for (int row = 0; row < positions.length; row++) {
                        high[row] = values.getInt(positions[row]);
                    }
                }
            };
            case FLOAT -> new FixedColumn(descending, Integer.BYTES, 0) {
                @Override
                void fill(ValueBlock block, int[] positions, long[] high, long[] low)
                {
                    IntArrayBlock values = (IntArrayBlock) block;
                    for (int row = 0; row < positions.length; row++) {
                        // adding zero makes the negative zero positive
                        int bits = Float.floatToIntBits(Float.intBitsToFloat(values.getInt(positions[row])) + 0.0f);
                        // negative numbers grow downwards
                        high[row] = bits ^ ((bits >> 31) & Integer.MAX_VALUE);
                    }
                }
            };
            case DOUBLE -> new FixedColumn(descending, Long.BYTES, 0) {
                @Override
                void fill(ValueBlock block, int[] positions, long[] high, long[] low)
                {
                    LongArrayBlock values = (LongArrayBlock) block;
                    for (int row = 0; row < positions.length; row++) {
                        long bits = Double.doubleToLongBits(Double.longBitsToDouble(values.getLong(positions[row])) + 0.0);
                        high[row] = bits ^ ((bits >> 63) & Long.MAX_VALUE);
                    }
                }
            };
            case BIGINT -> new LongColumn(descending);
            case DECIMAL -> scalar.precision() <= MAX_SHORT_DECIMAL_PRECISION ? new LongColumn(descending) : new FixedColumn(descending, Long.BYTES, Long.BYTES) {
                @Override
                void fill(ValueBlock block, int[] positions, long[] high, long[] low)
                {
                    Int128ArrayBlock values = (Int128ArrayBlock) block;
                    for (int row = 0; row < positions.length; row++) {
                        high[row] = values.getInt128High(positions[row]);
                        low[row] = values.getInt128Low(positions[row]);
                    }
                }
            };
            case TIME -> new FixedColumn(descending, Integer.BYTES, 0) {
                @Override
                void fill(ValueBlock block, int[] positions, long[] high, long[] low)
                {
                    LongArrayBlock values = (LongArrayBlock) block;
                    for (int row = 0; row < positions.length; row++) {
                        high[row] = values.getLong(positions[row]) / PICOSECONDS_PER_MILLISECOND;
                    }
                }
            };
            case TIMESTAMP -> timestampColumn(scalar.precision(), descending);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> instantColumn(scalar.precision(), descending);
            case VARIANT, ARRAY, MAP, MULTISET, ROW -> throw unordered(type);
        };
    }

    private static KeyColumn timestampColumn(int precision, boolean descending)
    {
        if (precision > 6) {
            return new FixedColumn(descending, Long.BYTES, Short.BYTES) {
                @Override
                void fill(ValueBlock block, int[] positions, long[] high, long[] low)
                {
                    Fixed12Block values = (Fixed12Block) block;
                    for (int row = 0; row < positions.length; row++) {
                        high[row] = values.getFixed12First(positions[row]);
                        low[row] = values.getFixed12Second(positions[row]) / PICOSECONDS_PER_NANOSECOND;
                    }
                }
            };
        }
        if (precision > 3) {
            return new LongColumn(descending);
        }
        return new FixedColumn(descending, Long.BYTES, 0) {
            @Override
            void fill(ValueBlock block, int[] positions, long[] high, long[] low)
            {
                LongArrayBlock values = (LongArrayBlock) block;
                for (int row = 0; row < positions.length; row++) {
                    high[row] = floorDiv(values.getLong(positions[row]), 1000);
                }
            }
        };
    }

    private static KeyColumn instantColumn(int precision, boolean descending)
    {
        if (precision <= 3) {
            return new FixedColumn(descending, Long.BYTES, 0) {
                @Override
                void fill(ValueBlock block, int[] positions, long[] high, long[] low)
                {
                    LongArrayBlock values = (LongArrayBlock) block;
                    for (int row = 0; row < positions.length; row++) {
                        high[row] = unpackMillisUtc(values.getLong(positions[row]));
                    }
                }
            };
        }
        return new FixedColumn(descending, Long.BYTES, precision > 6 ? Short.BYTES : 0) {
            @Override
            void fill(ValueBlock block, int[] positions, long[] high, long[] low)
            {
                Fixed12Block values = (Fixed12Block) block;
                for (int row = 0; row < positions.length; row++) {
                    int picosOfMilli = values.getFixed12Second(positions[row]);
                    high[row] = unpackMillisUtc(values.getFixed12First(positions[row])) * 1000 + picosOfMilli / PICOSECONDS_PER_MICROSECOND;
                    if (low != null) {
                        low[row] = picosOfMilli % PICOSECONDS_PER_MICROSECOND / PICOSECONDS_PER_NANOSECOND;
                    }
                }
            }
        };
    }

    private static StorageException unordered(DataType type)
    {
        return new StorageException(StorageErrorCode.UNSUPPORTED_TYPE, "Type " + type.root() + " has no order; it cannot be a key or a sequence field");
    }

    private static int[] positions(Block block, int count)
    {
        int[] positions = new int[count];
        if (block instanceof ValueBlock) {
            for (int row = 0; row < count; row++) {
                positions[row] = row;
            }
            return positions;
        }
        for (int row = 0; row < count; row++) {
            positions[row] = block.getUnderlyingValuePosition(row);
        }
        return positions;
    }

    /**
     * A signed number, then perhaps an unsigned one.
     */
    private abstract static class FixedColumn
            extends KeyColumn
    {
        private final int highWidth;
        private final int lowWidth;

        FixedColumn(boolean descending, int highWidth, int lowWidth)
        {
            super(descending);
            this.highWidth = highWidth;
            this.lowWidth = lowWidth;
        }

        /**
         * @param low null if there is no second part
         */
        abstract void fill(ValueBlock block, int[] positions, long[] high, long[] low);

        @Override
        final Values extract(Block block, boolean[] nulls, int count)
        {
            long[] high = new long[count];
            long[] low = lowWidth == 0 ? null : new long[count];
            // the places of nulls have some value, which is not written
            fill(block.getUnderlyingValueBlock(), positions(block, count), high, low);
            return new Values(nulls, null, null, high, low);
        }

        @Override
        final void addLengths(Values values, int[] lengths, int count)
        {
            int width = highWidth + lowWidth;
            for (int row = 0; row < count; row++) {
                if (!values.isNull(row)) {
                    lengths[row] += width;
                }
            }
        }

        @Override
        final void write(Values values, byte[] bytes, int[] cursors)
        {
            long[] high = values.high();
            for (int row = 0; row < cursors.length; row++) {
                if (values.isNull(row)) {
                    continue;
                }
                int cursor = cursors[row];
                switch (highWidth) {
                    case Long.BYTES -> LONG.set(bytes, cursor, high[row] ^ Long.MIN_VALUE ^ mask);
                    case Integer.BYTES -> INT.set(bytes, cursor, (int) (high[row] ^ Integer.MIN_VALUE ^ mask));
                    case Short.BYTES -> SHORT.set(bytes, cursor, (short) (high[row] ^ Short.MIN_VALUE ^ mask));
                    default -> bytes[cursor] = (byte) (high[row] ^ Byte.MIN_VALUE ^ mask);
                }
                cursor += highWidth;
                if (lowWidth == Long.BYTES) {
                    LONG.set(bytes, cursor, values.low()[row] ^ mask);
                }
                else if (lowWidth == Short.BYTES) {
                    SHORT.set(bytes, cursor, (short) (values.low()[row] ^ mask));
                }
                cursors[row] = cursor + lowWidth;
            }
        }
    }

    private static final class LongColumn
            extends FixedColumn
    {
        LongColumn(boolean descending)
        {
            super(descending, Long.BYTES, 0);
        }

        @Override
        void fill(ValueBlock block, int[] positions, long[] high, long[] low)
        {
            LongArrayBlock values = (LongArrayBlock) block;
            for (int row = 0; row < positions.length; row++) {
                high[row] = values.getLong(positions[row]);
            }
        }
    }

    private static final class VariableColumn
            extends KeyColumn
    {
        private static final int TERMINATOR_LENGTH = 2;
        private static final byte ESCAPED_ZERO = (byte) 0xFF;

        private final boolean raw;

        VariableColumn(boolean descending, boolean raw)
        {
            super(descending);
            this.raw = raw;
        }

        @Override
        Values extract(Block block, boolean[] nulls, int count)
        {
            VariableWidthBlock values = (VariableWidthBlock) block.getUnderlyingValueBlock();
            int[] positions = positions(block, count);
            if (raw) {
                return new Values(nulls, values, positions, null, null);
            }
            long[] zeros = new long[count];
            Slice slice = values.getRawSlice();
            byte[] bytes = slice.byteArray();
            for (int row = 0; row < count; row++) {
                int start = slice.byteArrayOffset() + values.getRawSliceOffset(positions[row]);
                int end = start + values.getSliceLength(positions[row]);
                int found = 0;
                for (int index = start; index < end; index++) {
                    found += bytes[index] == 0 ? 1 : 0;
                }
                zeros[row] = found;
            }
            return new Values(nulls, values, positions, zeros, null);
        }

        @Override
        void addLengths(Values values, int[] lengths, int count)
        {
            for (int row = 0; row < count; row++) {
                if (!values.isNull(row)) {
                    int length = values.block().getSliceLength(values.positions()[row]);
                    lengths[row] = Math.addExact(lengths[row], raw ? length : Math.addExact(length, (int) values.high()[row] + TERMINATOR_LENGTH));
                }
            }
        }

        @Override
        void write(Values values, byte[] bytes, int[] cursors)
        {
            VariableWidthBlock block = values.block();
            Slice slice = block.getRawSlice();
            byte[] source = slice.byteArray();
            for (int row = 0; row < cursors.length; row++) {
                if (values.isNull(row)) {
                    continue;
                }
                int position = values.positions()[row];
                int start = slice.byteArrayOffset() + block.getRawSliceOffset(position);
                int length = block.getSliceLength(position);
                int first = cursors[row];
                int cursor = first;
                if (raw || values.high()[row] == 0) {
                    System.arraycopy(source, start, bytes, cursor, length);
                    cursor += length;
                }
                else {
                    for (int index = start; index < start + length; index++) {
                        bytes[cursor++] = source[index];
                        if (source[index] == 0) {
                            bytes[cursor++] = ESCAPED_ZERO;
                        }
                    }
                }
                if (!raw) {
                    // the array was all zeros
                    cursor += TERMINATOR_LENGTH;
                }
                if (mask != 0) {
                    for (int index = first; index < cursor; index++) {
                        bytes[index] = (byte) ~bytes[index];
                    }
                }
                cursors[row] = cursor;
            }
        }
    }
}
