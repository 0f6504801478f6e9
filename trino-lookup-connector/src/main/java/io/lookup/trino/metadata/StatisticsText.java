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
package io.lookup.trino.metadata;

import io.trino.spi.block.Block;
import io.trino.spi.statistics.DoubleRange;
import io.trino.spi.type.DateType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.RealType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Optional;
import java.util.OptionalDouble;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.TimeType.TIME_MILLIS;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.lang.Float.intBitsToFloat;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;
import static java.lang.Math.toIntExact;
import static java.time.temporal.ChronoField.NANO_OF_SECOND;

/**
 * Smallest and largest values as statistics files have them, and as the planner wants them.
 */
final class StatisticsText
{
    private static final long PICOSECONDS_PER_MILLISECOND = 1_000_000_000L;
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");
    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder()
            .append(SECONDS)
            .appendFraction(NANO_OF_SECOND, 0, 9, true)
            .toFormatter();

    private StatisticsText() {}

    /**
     * Whether files hold the range of the type's values.
     */
    static boolean hasRange(Type type)
    {
        return type == TINYINT || type == SMALLINT || type == INTEGER || type == BIGINT || type instanceof RealType || type instanceof DoubleType ||
                type instanceof DecimalType || type instanceof DateType || type == TIME_MILLIS ||
                type instanceof TimestampType || type instanceof TimestampWithTimeZoneType;
    }

    /**
     * @return empty for NULL, and for values that other readers could not read again
     */
    static Optional<String> text(Type type, Block block)
    {
        if (block.isNull(0)) {
            return Optional.empty();
        }
        return switch (type) {
            case RealType real -> {
                float value = intBitsToFloat(toIntExact(real.getLong(block, 0)));
                yield Float.isNaN(value) ? Optional.empty() : Optional.of(Float.toString(value));
            }
            case DoubleType real -> {
                double value = real.getDouble(block, 0);
                yield Double.isNaN(value) ? Optional.empty() : Optional.of(Double.toString(value));
            }
            case DecimalType decimal -> {
                BigInteger unscaled = decimal.isShort() ? BigInteger.valueOf(decimal.getLong(block, 0)) : ((Int128) decimal.getObject(block, 0)).toBigInteger();
                yield Optional.of(new BigDecimal(unscaled, decimal.getScale()).toPlainString());
            }
            case TimestampType timestamp when timestamp.isShort() -> timestamp(timestamp.getLong(block, 0), 0, timestamp.getPrecision());
            case TimestampType timestamp -> {
                LongTimestamp value = (LongTimestamp) timestamp.getObject(block, 0);
                yield timestamp(value.getEpochMicros(), value.getPicosOfMicro() / 1000, timestamp.getPrecision());
            }
            case TimestampWithTimeZoneType timestamp when timestamp.isShort() -> timestamp(unpackMillisUtc(timestamp.getLong(block, 0)) * 1000, 0, timestamp.getPrecision());
            case TimestampWithTimeZoneType timestamp -> {
                LongTimestampWithTimeZone value = (LongTimestampWithTimeZone) timestamp.getObject(block, 0);
                int nanos = value.getPicosOfMilli() / 1000;
                yield timestamp(value.getEpochMillis() * 1000 + nanos / 1000, nanos % 1000, timestamp.getPrecision());
            }
            default -> Optional.of(Long.toString(type == TIME_MILLIS ? type.getLong(block, 0) / PICOSECONDS_PER_MILLISECOND : type.getLong(block, 0)));
        };
    }

    private static Optional<String> timestamp(long epochMicros, int nanosOfMicro, int precision)
    {
        int nanos = toIntExact(floorMod(epochMicros, 1_000_000L)) * 1000 + nanosOfMicro;
        LocalDateTime time = LocalDateTime.ofEpochSecond(floorDiv(epochMicros, 1_000_000L), nanos, ZoneOffset.UTC);
        if (time.getYear() < 1 || time.getYear() > 9999) {
            return Optional.empty();
        }
        String fraction = "%09d".formatted(nanos);
        while (fraction.length() > precision && fraction.endsWith("0")) {
            fraction = fraction.substring(0, fraction.length() - 1);
        }
        return Optional.of(SECONDS.format(time) + (fraction.isEmpty() ? "" : "." + fraction));
    }

    /**
     * The range as the planner's numbers: those of {@link io.trino.spi.statistics.StatsUtil#toStatsRepresentation}.
     *
     * @return empty if one end is unknown, is of a type that the planner has no numbers for, or is not of the type at all
     */
    static Optional<DoubleRange> range(Type type, Optional<String> min, Optional<String> max)
    {
        if (min.isEmpty() || max.isEmpty()) {
            return Optional.empty();
        }
        try {
            OptionalDouble low = number(type, min.get());
            OptionalDouble high = number(type, max.get());
            if (low.isEmpty() || high.isEmpty() || !(low.getAsDouble() <= high.getAsDouble())) {
                return Optional.empty();
            }
            return Optional.of(new DoubleRange(low.getAsDouble(), high.getAsDouble()));
        }
        catch (NumberFormatException | DateTimeException _) {
            return Optional.empty();
        }
    }

    private static OptionalDouble number(Type type, String text)
    {
        if (type == BOOLEAN) {
            return OptionalDouble.of(Boolean.parseBoolean(text) ? 1 : 0);
        }
        return switch (type) {
            case TimestampType _ -> OptionalDouble.of(epochMicros(text));
            case TimestampWithTimeZoneType _ -> OptionalDouble.of(floorDiv(epochMicros(text), 1000));
            case RealType _, DoubleType _, DecimalType _ -> OptionalDouble.of(Double.parseDouble(text));
            case DateType _ -> OptionalDouble.of(Integer.parseInt(text));
            default -> type == TINYINT || type == SMALLINT || type == INTEGER || type == BIGINT ? OptionalDouble.of(Long.parseLong(text)) : OptionalDouble.empty();
        };
    }

    private static long epochMicros(String text)
    {
        LocalDateTime time = LocalDateTime.parse(text, TIMESTAMP);
        return time.toEpochSecond(ZoneOffset.UTC) * 1_000_000 + time.getNano() / 1000;
    }
}
