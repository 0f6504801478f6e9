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

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import static com.google.common.base.Preconditions.checkArgument;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;
import static java.util.stream.Collectors.joining;

/**
 * Values of binary rows as text: in partition directories and in system tables. There are two forms of a
 * value, which differ for dates, times and timestamps; both are the format's own, so that names agree with
 * those that other programs have given. Thread-safe.
 */
public final class BinaryRowText
{
    private static final long PICOSECONDS_PER_MILLISECOND = 1_000_000_000;
    private static final long MICROSECONDS_PER_SECOND = 1_000_000;

    private final List<DataType> types;
    private final BinaryRowDecoder decoder;
    private final ZoneId zone;

    /**
     * @param types scalar types only
     */
    public BinaryRowText(List<DataType> types)
    {
        this(types, ZoneId.systemDefault());
    }

    /**
     * @param zone where the cast form of instants is read, by rule the zone of the process
     */
    BinaryRowText(List<DataType> types, ZoneId zone)
    {
        this.types = ImmutableList.copyOf(types);
        this.decoder = BinaryRowDecoder.keepingBlanks(types);
        this.zone = zone;
        for (DataType type : types) {
            if (!(type instanceof ScalarType)) {
                throw new StorageException(StorageErrorCode.UNSUPPORTED_TYPE, "Values of type " + type.root() + " have no text form");
            }
        }
    }

    /**
     * The value as the format keeps it: days for DATE, milliseconds for TIME, ISO local date and time for
     * timestamps (in UTC for instants), hexadecimal digits for binary values.
     *
     * @return null if the field is null
     */
    public String plain(BinaryRow row, int field)
    {
        Object value = decoder.value(row, field);
        if (value == null) {
            return null;
        }
        ScalarType type = (ScalarType) types.get(field);
        return text(row, field, () -> plain(value, type));
    }

    private static String plain(Object value, ScalarType type)
    {
        return switch (type.root()) {
            case DATE -> value.toString();
            case TIME -> Long.toString((long) value / PICOSECONDS_PER_MILLISECOND);
            case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> utcDateTime(value, type).toString();
            case BINARY, VARBINARY -> HexFormat.of().formatHex(((Slice) value).getBytes());
            default -> common(value, type);
        };
    }

    /**
     * The value cast to a string as in SQL.
     *
     * @return null if the field is null
     */
    public String cast(BinaryRow row, int field)
    {
        Object value = decoder.value(row, field);
        if (value == null) {
            return null;
        }
        ScalarType type = (ScalarType) types.get(field);
        return text(row, field, () -> cast(value, type));
    }

    private String cast(Object value, ScalarType type)
    {
        return switch (type.root()) {
            case DATE -> date(LocalDate.ofEpochDay((long) value));
            case TIME -> time((long) value / PICOSECONDS_PER_MILLISECOND, type.precision());
            case TIMESTAMP -> dateTime(utcDateTime(value, type), type.precision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> dateTime(
                    LocalDateTime.ofInstant(utcDateTime(value, type).toInstant(ZoneOffset.UTC), zone),
                    type.precision());
            case BINARY, VARBINARY -> ((Slice) value).toStringUtf8();
            default -> common(value, type);
        };
    }

    /**
     * A day or a moment that no calendar has comes from a damaged row.
     */
    private String text(BinaryRow row, int field, Supplier<String> text)
    {
        try {
            return text.get();
        }
        catch (DateTimeException | ArithmeticException e) {
            throw new StorageException(
                    StorageErrorCode.CORRUPT_FILE,
                    "A stored row of %s bytes is damaged: its field %s is no %s: %s".formatted(row.bytes().length(), field, types.get(field).root(), e.getMessage()),
                    e);
        }
    }

    /**
     * {@code {v1, v2}} in the cast form: partitions in system tables.
     */
    public String braces(BinaryRow row)
    {
        StringBuilder text = new StringBuilder("{");
        for (int field = 0; field < types.size(); field++) {
            text.append(field == 0 ? "" : ", ").append(cast(row, field));
        }
        return text.append('}').toString();
    }

    /**
     * {@code [v1, v2]} in the plain form: keys in system tables.
     */
    public String brackets(BinaryRow row)
    {
        StringBuilder text = new StringBuilder("[");
        for (int field = 0; field < types.size(); field++) {
            text.append(field == 0 ? "" : ", ").append(plain(row, field));
        }
        return text.append(']').toString();
    }

    /**
     * {@code {a=v1, b=v2}} in the plain form, by name: statistics in system tables.
     */
    public String named(BinaryRow row, List<String> names)
    {
        checkArgument(names.size() == types.size(), "Expected %s names, got %s", types.size(), names.size());
        Map<String, String> values = new TreeMap<>();
        for (int field = 0; field < names.size(); field++) {
            values.put(names.get(field), plain(row, field));
        }
        return values.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(joining(", ", "{", "}"));
    }

    private static String common(Object value, ScalarType type)
    {
        return switch (type.root()) {
            case CHAR, VARCHAR -> ((Slice) value).toStringUtf8();
            case FLOAT -> Float.toString(Float.intBitsToFloat((int) (long) value));
            case DECIMAL -> {
                BigInteger unscaled = value instanceof Int128 large ? large.toBigInteger() : BigInteger.valueOf((long) value);
                yield new BigDecimal(unscaled, type.scale()).toPlainString();
            }
            default -> value.toString();
        };
    }

    private static LocalDateTime utcDateTime(Object value, ScalarType type)
    {
        if (type.root() == TypeRoot.TIMESTAMP) {
            if (value instanceof LongTimestamp timestamp) {
                return ofMicros(timestamp.getEpochMicros(), timestamp.getPicosOfMicro() / 1000);
            }
            return ofMicros((long) value, 0);
        }
        if (value instanceof LongTimestampWithTimeZone instant) {
            return ofMillis(instant.getEpochMillis(), instant.getPicosOfMilli() / 1000);
        }
        return ofMillis(unpackMillisUtc((long) value), 0);
    }

    private static LocalDateTime ofMicros(long micros, int nanosOfMicro)
    {
        return LocalDateTime.ofEpochSecond(floorDiv(micros, MICROSECONDS_PER_SECOND), (int) floorMod(micros, MICROSECONDS_PER_SECOND) * 1000 + nanosOfMicro, ZoneOffset.UTC);
    }

    private static LocalDateTime ofMillis(long millis, int nanosOfMilli)
    {
        return LocalDateTime.ofEpochSecond(floorDiv(millis, 1000), floorMod(millis, 1000) * 1_000_000 + nanosOfMilli, ZoneOffset.UTC);
    }

    private static String date(LocalDate date)
    {
        return String.format(Locale.ROOT, "%04d-%02d-%02d", date.getYear(), date.getMonthValue(), date.getDayOfMonth());
    }

    /**
     * Fraction digits beyond the precision appear where they are not zero.
     */
    private static String dateTime(LocalDateTime value, int precision)
    {
        String fraction = String.format(Locale.ROOT, "%09d", value.getNano());
        int length = fraction.length();
        while (length > precision && fraction.charAt(length - 1) == '0') {
            length--;
        }
        String text = String.format(Locale.ROOT, "%s %02d:%02d:%02d", date(value.toLocalDate()), value.getHour(), value.getMinute(), value.getSecond());
        return length == 0 ? text : text + "." + fraction.substring(0, length);
    }

    /**
     * As many fraction digits as the precision, but none behind the last that is not zero; the first always.
     */
    private static String time(long millis, int precision)
    {
        String text = String.format(Locale.ROOT, "%02d:%02d:%02d", millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60);
        if (precision == 0) {
            return text;
        }
        String fraction = String.format(Locale.ROOT, "%03d", millis % 1000);
        int length = fraction.length();
        while (length > 1 && fraction.charAt(length - 1) == '0') {
            length--;
        }
        return text + "." + fraction.substring(0, Math.min(length, precision));
    }
}
