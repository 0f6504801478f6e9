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
package io.lookup.storage.format.parquet;

import io.airlift.slice.Slice;
import io.airlift.slice.XxHash64;
import io.lookup.storage.format.parquet.ValueExtractors.IntExtractor;
import io.lookup.storage.format.parquet.ValueExtractors.LongExtractor;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.block.VariableWidthBlock;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.io.api.Binary;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

import static io.lookup.storage.format.parquet.ValueExtractors.INT96_BYTES;
import static java.lang.Float.intBitsToFloat;
import static java.util.Objects.requireNonNull;

/**
 * Encodes values of one scalar type and tells the page's statistics their bounds. Not thread-safe.
 */
abstract class ValueEncoder
{
    private static final VarHandle BIG_ENDIAN_LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int MIN_SAMPLE = 500;
    private static final int MAX_SAMPLE = 1_000;
    // of a column with 100,000 values, of which a dictionary may still have room, as many come again in a sample of 1,000
    private static final int VALUES_PER_REPETITION = 200;

    /**
     * @param values the value block
     * @param positions positions of non-null values, in order
     */
    abstract void encode(ValueBlock values, int[] positions, int count, ValuesWriter writer, Statistics<?> statistics);

    /**
     * Writes equal numbers for equal values, and most likely different ones for others.
     *
     * @return false if this is not known for the type
     */
    boolean hash(ValueBlock values, int[] positions, int count, long[] hashes)
    {
        return false;
    }

    /**
     * Whether the first of these values are as different from each other as those of a column of which no dictionary is of use.
     */
    final boolean rarelyRepeats(ValueBlock values, int[] positions, int count)
    {
        if (count < MIN_SAMPLE) {
            return false;
        }
        int sample = Math.min(count, MAX_SAMPLE);
        long[] hashes = new long[sample];
        if (!hash(values, positions, sample, hashes)) {
            return false;
        }
        Arrays.sort(hashes);
        int repetitions = 0;
        for (int index = 1; index < sample; index++) {
            if (hashes[index] == hashes[index - 1]) {
                repetitions++;
            }
        }
        return repetitions * VALUES_PER_REPETITION <= sample;
    }

    static ValueEncoder create(ScalarType type)
    {
        return switch (type.root()) {
            case BOOLEAN -> new BooleanEncoder(ValueExtractors.intExtractor(type));
            case TINYINT, SMALLINT, INTEGER, DATE, TIME -> new IntEncoder(ValueExtractors.intExtractor(type));
            case BIGINT -> new LongEncoder(ValueExtractors.longExtractor(type));
            case FLOAT -> new FloatEncoder(ValueExtractors.intExtractor(type));
            case DOUBLE -> new DoubleEncoder(ValueExtractors.longExtractor(type));
            case CHAR, VARCHAR, BINARY, VARBINARY -> new BinaryEncoder();
            case DECIMAL -> {
                if (type.precision() <= 9) {
                    yield new IntEncoder(ValueExtractors.intExtractor(type));
                }
                yield type.precision() <= 18 ? new LongEncoder(ValueExtractors.longExtractor(type)) : new LongDecimalEncoder(ParquetSchemas.decimalBytes(type.precision()));
            }
            case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> type.precision() <= 6
                    ? new LongEncoder(ValueExtractors.longExtractor(type))
                    : new Int96Encoder(type.root() == TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE);
            case VARIANT, ARRAY, MAP, MULTISET, ROW -> throw new IllegalArgumentException("Not a scalar type that can be written: " + type);
        };
    }

    private static final class BooleanEncoder
            extends ValueEncoder
    {
        private final IntExtractor extractor;
        private int[] buffer = new int[0];

        private BooleanEncoder(IntExtractor extractor)
        {
            this.extractor = requireNonNull(extractor, "extractor is null");
        }

        @Override
        void encode(ValueBlock values, int[] positions, int count, ValuesWriter writer, Statistics<?> statistics)
        {
            buffer = ensureCapacity(buffer, count);
            extractor.extract(values, positions, count, buffer);
            for (int index = 0; index < count; index++) {
                boolean value = buffer[index] != 0;
                writer.writeBoolean(value);
                statistics.updateStats(value);
            }
        }
    }

    private static final class IntEncoder
            extends ValueEncoder
    {
        private final IntExtractor extractor;
        private int[] buffer = new int[0];

        private IntEncoder(IntExtractor extractor)
        {
            this.extractor = requireNonNull(extractor, "extractor is null");
        }

        @Override
        boolean hash(ValueBlock values, int[] positions, int count, long[] hashes)
        {
            buffer = ensureCapacity(buffer, count);
            extractor.extract(values, positions, count, buffer);
            for (int index = 0; index < count; index++) {
                hashes[index] = buffer[index];
            }
            return true;
        }

        @Override
        void encode(ValueBlock values, int[] positions, int count, ValuesWriter writer, Statistics<?> statistics)
        {
            buffer = ensureCapacity(buffer, count);
            extractor.extract(values, positions, count, buffer);
            int min = Integer.MAX_VALUE;
            int max = Integer.MIN_VALUE;
            for (int index = 0; index < count; index++) {
                min = Math.min(min, buffer[index]);
                max = Math.max(max, buffer[index]);
            }
            if (writer instanceof PlainValues plain) {
                plain.writeInts(buffer, count);
            }
            else {
                for (int index = 0; index < count; index++) {
                    writer.writeInteger(buffer[index]);
                }
            }
            if (count > 0) {
                statistics.updateStats(min);
                statistics.updateStats(max);
            }
        }
    }

    private static final class LongEncoder
            extends ValueEncoder
    {
        private final LongExtractor extractor;
        private long[] buffer = new long[0];

        private LongEncoder(LongExtractor extractor)
        {
            this.extractor = requireNonNull(extractor, "extractor is null");
        }

        @Override
        boolean hash(ValueBlock values, int[] positions, int count, long[] hashes)
        {
            extractor.extract(values, positions, count, hashes);
            return true;
        }

        @Override
        void encode(ValueBlock values, int[] positions, int count, ValuesWriter writer, Statistics<?> statistics)
        {
            buffer = ensureCapacity(buffer, count);
            extractor.extract(values, positions, count, buffer);
            long min = Long.MAX_VALUE;
            long max = Long.MIN_VALUE;
            for (int index = 0; index < count; index++) {
                min = Math.min(min, buffer[index]);
                max = Math.max(max, buffer[index]);
            }
            if (writer instanceof PlainValues plain) {
                plain.writeLongs(buffer, count);
            }
            else {
                for (int index = 0; index < count; index++) {
                    writer.writeLong(buffer[index]);
                }
            }
            if (count > 0) {
                statistics.updateStats(min);
                statistics.updateStats(max);
            }
        }
    }

    private static final class FloatEncoder
            extends ValueEncoder
    {
        private final IntExtractor extractor;
        private int[] buffer = new int[0];

        private FloatEncoder(IntExtractor extractor)
        {
            this.extractor = requireNonNull(extractor, "extractor is null");
        }

        @Override
        boolean hash(ValueBlock values, int[] positions, int count, long[] hashes)
        {
            buffer = ensureCapacity(buffer, count);
            extractor.extract(values, positions, count, buffer);
            for (int index = 0; index < count; index++) {
                hashes[index] = buffer[index];
            }
            return true;
        }

        @Override
        void encode(ValueBlock values, int[] positions, int count, ValuesWriter writer, Statistics<?> statistics)
        {
            buffer = ensureCapacity(buffer, count);
            extractor.extract(values, positions, count, buffer);
            for (int index = 0; index < count; index++) {
                float value = intBitsToFloat(buffer[index]);
                writer.writeFloat(value);
                // Parquet's own comparator decides on NaN and the zeros
                statistics.updateStats(value);
            }
        }
    }

    private static final class DoubleEncoder
            extends ValueEncoder
    {
        private final LongExtractor extractor;
        private long[] buffer = new long[0];

        private DoubleEncoder(LongExtractor extractor)
        {
            this.extractor = requireNonNull(extractor, "extractor is null");
        }

        @Override
        boolean hash(ValueBlock values, int[] positions, int count, long[] hashes)
        {
            extractor.extract(values, positions, count, hashes);
            return true;
        }

        @Override
        void encode(ValueBlock values, int[] positions, int count, ValuesWriter writer, Statistics<?> statistics)
        {
            buffer = ensureCapacity(buffer, count);
            extractor.extract(values, positions, count, buffer);
            if (count == 0) {
                return;
            }
            boolean isPlain = writer instanceof PlainValues;
            if (isPlain) {
                ((PlainValues) writer).writeLongs(buffer, count);
            }
            double min = Double.longBitsToDouble(buffer[0]);
            double max = min;
            for (int index = 0; index < count; index++) {
                double value = Double.longBitsToDouble(buffer[index]);
                if (!isPlain) {
                    writer.writeDouble(value);
                }
                // the order of NaN and the zeros is that of Parquet's own comparator
                if (Double.compare(value, min) < 0) {
                    min = value;
                }
                else if (Double.compare(value, max) > 0) {
                    max = value;
                }
            }
            statistics.updateStats(min);
            statistics.updateStats(max);
        }
    }

    private static final class BinaryEncoder
            extends ValueEncoder
    {
        @Override
        boolean hash(ValueBlock values, int[] positions, int count, long[] hashes)
        {
            VariableWidthBlock block = (VariableWidthBlock) values;
            for (int index = 0; index < count; index++) {
                int position = positions[index];
                hashes[index] = XxHash64.hash(block.getRawSlice(), block.getRawSliceOffset(position), block.getSliceLength(position));
            }
            return true;
        }

        @Override
        void encode(ValueBlock values, int[] positions, int count, ValuesWriter writer, Statistics<?> statistics)
        {
            if (count == 0) {
                return;
            }
            VariableWidthBlock block = (VariableWidthBlock) values;
            Slice raw = block.getRawSlice();
            byte[] bytes = raw.byteArray();
            int base = raw.byteArrayOffset();
            if (writer instanceof PlainValues plain) {
                plain.writeBytes(block, positions, count);
            }
            else {
                for (int index = 0; index < count; index++) {
                    writer.writeBytes(Binary.fromReusedByteArray(bytes, base + block.getRawSliceOffset(positions[index]), block.getSliceLength(positions[index])));
                }
            }
            int min = positions[0];
            int max = positions[0];
            long minPrefix = prefix(block, bytes, base, min);
            long maxPrefix = minPrefix;
            for (int index = 1; index < count; index++) {
                int position = positions[index];
                long prefix = prefix(block, bytes, base, position);
                if (compare(block, prefix, position, minPrefix, min) < 0) {
                    min = position;
                    minPrefix = prefix;
                }
                else if (compare(block, prefix, position, maxPrefix, max) > 0) {
                    max = position;
                    maxPrefix = prefix;
                }
            }
            // statistics outlive the block
            statistics.updateStats(Binary.fromConstantByteArray(block.getSlice(min).getBytes()));
            statistics.updateStats(Binary.fromConstantByteArray(block.getSlice(max).getBytes()));
        }

        /**
         * The first eight bytes, those behind the end as zeros. Where they differ, they decide.
         */
        private static long prefix(VariableWidthBlock block, byte[] bytes, int base, int position)
        {
            int offset = base + block.getRawSliceOffset(position);
            int length = block.getSliceLength(position);
            if (length >= Long.BYTES) {
                return (long) BIG_ENDIAN_LONG.get(bytes, offset);
            }
            long prefix = 0;
            for (int index = 0; index < length; index++) {
                prefix |= (bytes[offset + index] & 0xFFL) << (Long.BYTES - 1 - index) * Byte.SIZE;
            }
            return prefix;
        }

        private static int compare(VariableWidthBlock block, long leftPrefix, int left, long rightPrefix, int right)
        {
            if (leftPrefix != rightPrefix) {
                return Long.compareUnsigned(leftPrefix, rightPrefix);
            }
            Slice raw = block.getRawSlice();
            return raw.compareTo(block.getRawSliceOffset(left), block.getSliceLength(left), raw, block.getRawSliceOffset(right), block.getSliceLength(right));
        }
    }

    private static final class LongDecimalEncoder
            extends ValueEncoder
    {
        private final byte[] buffer;

        private LongDecimalEncoder(int length)
        {
            this.buffer = new byte[length];
        }

        @Override
        void encode(ValueBlock values, int[] positions, int count, ValuesWriter writer, Statistics<?> statistics)
        {
            Int128ArrayBlock block = (Int128ArrayBlock) values;
            for (int index = 0; index < count; index++) {
                int position = positions[index];
                ValueExtractors.bigEndian(block.getInt128High(position), block.getInt128Low(position), buffer);
                Binary binary = Binary.fromReusedByteArray(buffer);
                writer.writeBytes(binary);
                statistics.updateStats(binary);
            }
        }
    }

    private static final class Int96Encoder
            extends ValueEncoder
    {
        private final boolean withTimeZone;
        private final byte[] buffer = new byte[INT96_BYTES];

        private Int96Encoder(boolean withTimeZone)
        {
            this.withTimeZone = withTimeZone;
        }

        @Override
        void encode(ValueBlock values, int[] positions, int count, ValuesWriter writer, Statistics<?> statistics)
        {
            Fixed12Block block = (Fixed12Block) values;
            for (int index = 0; index < count; index++) {
                ValueExtractors.int96(block, positions[index], withTimeZone, buffer);
                Binary binary = Binary.fromReusedByteArray(buffer);
                writer.writeBytes(binary);
                statistics.updateStats(binary);
            }
        }
    }

    private static int[] ensureCapacity(int[] buffer, int capacity)
    {
        return buffer.length >= capacity ? buffer : new int[capacity];
    }

    private static long[] ensureCapacity(long[] buffer, int capacity)
    {
        return buffer.length >= capacity ? buffer : new long[capacity];
    }
}
