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

import io.lookup.storage.schema.DataType.ScalarType;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ShortArrayBlock;
import io.trino.spi.block.ValueBlock;

import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;
import static java.lang.Math.toIntExact;

/**
 * Takes the values at chosen positions of a block and turns Trino's representation into Parquet's. One loop a
 * block class, so that the loops that encode and measure run over plain arrays.
 */
final class ValueExtractors
{
    static final int INT96_BYTES = 12;

    private static final long MILLIS_PER_DAY = 86_400_000;
    private static final int NANOS_PER_MILLI = 1_000_000;
    private static final int JULIAN_DAY_OF_EPOCH = 2_440_588;

    private ValueExtractors() {}

    interface LongExtractor
    {
        void extract(ValueBlock block, int[] positions, int count, long[] target);
    }

    interface IntExtractor
    {
        void extract(ValueBlock block, int[] positions, int count, int[] target);
    }

    /**
     * Extractor of a type that Parquet keeps in INT32, FLOAT (as bits) or BOOLEAN (as 0 and 1).
     */
    static IntExtractor intExtractor(ScalarType type)
    {
        return switch (type.root()) {
            case BOOLEAN, TINYINT -> ValueExtractors::bytes;
            case SMALLINT -> ValueExtractors::shorts;
            case INTEGER, DATE, FLOAT -> ValueExtractors::ints;
            case TIME -> ValueExtractors::times;
            case DECIMAL -> ValueExtractors::longsAsInts;
            default -> throw new IllegalArgumentException("Not kept as int: " + type);
        };
    }

    /**
     * Extractor of a type that Parquet keeps in INT64 or DOUBLE (as bits).
     */
    static LongExtractor longExtractor(ScalarType type)
    {
        return switch (type.root()) {
            case BIGINT, DOUBLE, DECIMAL -> ValueExtractors::longs;
            case TIMESTAMP -> type.precision() <= 3 ? ValueExtractors::microsToMillis : ValueExtractors::longs;
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> type.precision() <= 3 ? ValueExtractors::packedToMillis : ValueExtractors::instantsToMicros;
            default -> throw new IllegalArgumentException("Not kept as long: " + type);
        };
    }

    private static void bytes(ValueBlock block, int[] positions, int count, int[] target)
    {
        ByteArrayBlock values = (ByteArrayBlock) block;
        for (int index = 0; index < count; index++) {
            target[index] = values.getByte(positions[index]);
        }
    }

    private static void shorts(ValueBlock block, int[] positions, int count, int[] target)
    {
        ShortArrayBlock values = (ShortArrayBlock) block;
        for (int index = 0; index < count; index++) {
            target[index] = values.getShort(positions[index]);
        }
    }

    private static void ints(ValueBlock block, int[] positions, int count, int[] target)
    {
        IntArrayBlock values = (IntArrayBlock) block;
        for (int index = 0; index < count; index++) {
            target[index] = values.getInt(positions[index]);
        }
    }

    private static void times(ValueBlock block, int[] positions, int count, int[] target)
    {
        LongArrayBlock values = (LongArrayBlock) block;
        for (int index = 0; index < count; index++) {
            target[index] = (int) (values.getLong(positions[index]) / PICOSECONDS_PER_MILLISECOND);
        }
    }

    private static void longsAsInts(ValueBlock block, int[] positions, int count, int[] target)
    {
        LongArrayBlock values = (LongArrayBlock) block;
        for (int index = 0; index < count; index++) {
            target[index] = toIntExact(values.getLong(positions[index]));
        }
    }

    private static void longs(ValueBlock block, int[] positions, int count, long[] target)
    {
        LongArrayBlock values = (LongArrayBlock) block;
        for (int index = 0; index < count; index++) {
            target[index] = values.getLong(positions[index]);
        }
    }

    private static void microsToMillis(ValueBlock block, int[] positions, int count, long[] target)
    {
        LongArrayBlock values = (LongArrayBlock) block;
        for (int index = 0; index < count; index++) {
            target[index] = floorDiv(values.getLong(positions[index]), MICROSECONDS_PER_MILLISECOND);
        }
    }

    private static void packedToMillis(ValueBlock block, int[] positions, int count, long[] target)
    {
        LongArrayBlock values = (LongArrayBlock) block;
        for (int index = 0; index < count; index++) {
            target[index] = unpackMillisUtc(values.getLong(positions[index]));
        }
    }

    private static void instantsToMicros(ValueBlock block, int[] positions, int count, long[] target)
    {
        Fixed12Block values = (Fixed12Block) block;
        for (int index = 0; index < count; index++) {
            int position = positions[index];
            target[index] = unpackMillisUtc(values.getFixed12First(position)) * MICROSECONDS_PER_MILLISECOND
                    + values.getFixed12Second(position) / PICOSECONDS_PER_MICROSECOND;
        }
    }

    /**
     * A timestamp of nanoseconds as INT96. Day and time are cut towards zero, so the time before 1970 is
     * negative: that is how the format's own writer does it, and equal values must have equal bytes.
     */
    static void int96(Fixed12Block block, int position, boolean withTimeZone, byte[] target)
    {
        long first = block.getFixed12First(position);
        int second = block.getFixed12Second(position);
        long millis;
        long nanosOfMilli;
        if (withTimeZone) {
            millis = unpackMillisUtc(first);
            nanosOfMilli = second / PICOSECONDS_PER_NANOSECOND;
        }
        else {
            millis = floorDiv(first, MICROSECONDS_PER_MILLISECOND);
            nanosOfMilli = floorMod(first, MICROSECONDS_PER_MILLISECOND) * 1_000L + second / PICOSECONDS_PER_NANOSECOND;
        }
        long julianDay = millis / MILLIS_PER_DAY + JULIAN_DAY_OF_EPOCH;
        long nanosOfDay = (millis % MILLIS_PER_DAY) * NANOS_PER_MILLI + nanosOfMilli;
        for (int index = 0; index < 8; index++) {
            target[index] = (byte) (nanosOfDay >>> (8 * index));
        }
        for (int index = 0; index < 4; index++) {
            target[8 + index] = (byte) (julianDay >>> (8 * index));
        }
    }

    /**
     * The low bytes of a 128-bit number, big-endian.
     */
    static void bigEndian(long high, long low, byte[] target)
    {
        int length = target.length;
        for (int index = 0; index < length; index++) {
            int shift = 8 * (length - 1 - index);
            target[index] = (byte) (shift >= 64 ? high >> (shift - 64) : low >> shift);
        }
    }
}
