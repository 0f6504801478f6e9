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
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ShortArrayBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.block.VariableWidthBlock;

import static io.lookup.storage.format.row.ValueWriter.MAX_COMPACT_DECIMAL_PRECISION;
import static io.lookup.storage.format.row.ValueWriter.MAX_COMPACT_TIMESTAMP_PRECISION;
import static io.lookup.storage.format.row.ValueWriter.MAX_INLINE_LENGTH;
import static io.lookup.storage.format.row.ValueWriter.MAX_MICROS_PRECISION;
import static io.lookup.storage.format.row.ValueWriter.PICOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;

/**
 * Writers of the types that are not nested.
 */
final class ScalarValueWriters
{
    private ScalarValueWriters() {}

    static ValueWriter of(ScalarType type)
    {
        return switch (type.root()) {
            case CHAR, VARCHAR, BINARY, VARBINARY -> new BytesWriter();
            case BOOLEAN, TINYINT -> new ByteWriter();
            case SMALLINT -> new ShortWriter();
            case INTEGER, DATE -> new IntWriter();
            case FLOAT -> new FloatWriter();
            case DOUBLE -> new DoubleWriter();
            case BIGINT -> new LongWriter();
            case TIME -> new TimeWriter();
            case DECIMAL -> type.precision() <= MAX_COMPACT_DECIMAL_PRECISION ? new LongWriter() : new LongDecimalWriter();
            case TIMESTAMP -> type.precision() <= MAX_COMPACT_TIMESTAMP_PRECISION ? new MillisWriter() : new TimestampWriter(type.precision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> type.precision() <= MAX_COMPACT_TIMESTAMP_PRECISION ? new InstantMillisWriter() : new InstantWriter();
            case VARIANT, ARRAY, MAP, MULTISET, ROW -> {
                // speaks of the type that has no counterpart
                TrinoTypes.toTrinoType(type);
                throw new IllegalArgumentException("Not a scalar type: " + type.root());
            }
        };
    }

    private static final class ByteWriter
            extends ValueWriter
    {
        ByteWriter()
        {
            super(Byte.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            buffer.setByte(slot, ((ByteArrayBlock) block).getByte(position));
        }
    }

    private static final class ShortWriter
            extends ValueWriter
    {
        ShortWriter()
        {
            super(Short.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            buffer.setShort(slot, ((ShortArrayBlock) block).getShort(position));
        }
    }

    private static final class IntWriter
            extends ValueWriter
    {
        IntWriter()
        {
            super(Integer.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            buffer.setInt(slot, ((IntArrayBlock) block).getInt(position));
        }
    }

    /**
     * Every NaN is written with the same bits, as Trino does not tell them apart.
     */
    private static final class FloatWriter
            extends ValueWriter
    {
        FloatWriter()
        {
            super(Float.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            buffer.setInt(slot, Float.floatToIntBits(Float.intBitsToFloat(((IntArrayBlock) block).getInt(position))));
        }
    }

    private static final class DoubleWriter
            extends ValueWriter
    {
        DoubleWriter()
        {
            super(Double.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            buffer.setLong(slot, Double.doubleToLongBits(Double.longBitsToDouble(((LongArrayBlock) block).getLong(position))));
        }
    }

    private static final class LongWriter
            extends ValueWriter
    {
        LongWriter()
        {
            super(Long.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            buffer.setLong(slot, ((LongArrayBlock) block).getLong(position));
        }
    }

    private static final class TimeWriter
            extends ValueWriter
    {
        TimeWriter()
        {
            super(Integer.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            buffer.setInt(slot, (int) (((LongArrayBlock) block).getLong(position) / PICOSECONDS_PER_MILLISECOND));
        }
    }

    private static final class MillisWriter
            extends ValueWriter
    {
        MillisWriter()
        {
            super(Long.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            buffer.setLong(slot, floorDiv(((LongArrayBlock) block).getLong(position), 1000));
        }
    }

    private static final class InstantMillisWriter
            extends ValueWriter
    {
        InstantMillisWriter()
        {
            super(Long.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            buffer.setLong(slot, unpackMillisUtc(((LongArrayBlock) block).getLong(position)));
        }
    }

    /**
     * Milliseconds behind the fixed part; the slot has their offset and the nanoseconds.
     */
    private abstract static class LongTimestampWriter
            extends ValueWriter
    {
        LongTimestampWriter()
        {
            super(Long.BYTES);
        }

        static void write(BinaryBuffer buffer, int container, int slot, long millis, int nanosOfMilli)
        {
            int offset = buffer.allocate(Long.BYTES);
            buffer.setLong(offset, millis);
            buffer.setLong(slot, ((long) (offset - container) << 32) | nanosOfMilli);
        }

        @Override
        void writeNull(BinaryBuffer buffer, int container, int slot)
        {
            write(buffer, container, slot, 0, 0);
        }
    }

    private static final class TimestampWriter
            extends LongTimestampWriter
    {
        private final boolean micros;

        TimestampWriter(int precision)
        {
            this.micros = precision <= MAX_MICROS_PRECISION;
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            long epochMicros = micros ? ((LongArrayBlock) block).getLong(position) : ((Fixed12Block) block).getFixed12First(position);
            int picosOfMicro = micros ? 0 : ((Fixed12Block) block).getFixed12Second(position);
            write(buffer, container, slot, floorDiv(epochMicros, 1000), floorMod(epochMicros, 1000) * 1000 + picosOfMicro / 1000);
        }
    }

    private static final class InstantWriter
            extends LongTimestampWriter
    {
        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            Fixed12Block values = (Fixed12Block) block;
            write(buffer, container, slot, unpackMillisUtc(values.getFixed12First(position)), values.getFixed12Second(position) / 1000);
        }
    }

    private static final class LongDecimalWriter
            extends ValueWriter
    {
        LongDecimalWriter()
        {
            super(Long.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            long high = ((Int128ArrayBlock) block).getInt128High(position);
            long low = ((Int128ArrayBlock) block).getInt128Low(position);
            int offset = buffer.allocate(16);
            int length = minimalLength(high, low);
            for (int index = 0; index < length; index++) {
                int shift = (length - 1 - index) * 8;
                buffer.setByte(offset + index, (byte) (shift >= 64 ? high >> (shift - 64) : low >> shift));
            }
            buffer.setLong(slot, ((long) (offset - container) << 32) | length);
        }

        @Override
        void writeNull(BinaryBuffer buffer, int container, int slot)
        {
            buffer.setLong(slot, (long) (buffer.allocate(16) - container) << 32);
        }

        /**
         * Bytes of the shortest two's complement form, at least one.
         */
        private static int minimalLength(long high, long low)
        {
            int bits = high == low >> 63 ? Long.SIZE - signBits(low) : 2 * Long.SIZE - signBits(high);
            // one sign bit has to stay
            return bits / 8 + 1;
        }

        private static int signBits(long value)
        {
            return Long.numberOfLeadingZeros(value < 0 ? ~value : value);
        }
    }

    private static final class BytesWriter
            extends ValueWriter
    {
        BytesWriter()
        {
            super(Long.BYTES);
        }

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            VariableWidthBlock values = (VariableWidthBlock) block;
            Slice source = values.getRawSlice();
            int sourceOffset = values.getRawSliceOffset(position);
            int length = values.getSliceLength(position);
            if (length <= MAX_INLINE_LENGTH) {
                buffer.setBytes(slot, source, sourceOffset, length);
                buffer.setByte(slot + 7, (byte) (0x80 | length));
                return;
            }
            int offset = buffer.allocate(BinaryBuffer.roundToWord(length));
            buffer.setBytes(offset, source, sourceOffset, length);
            buffer.setLong(slot, ((long) (offset - container) << 32) | length);
        }
    }
}
