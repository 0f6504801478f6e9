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
package io.lookup.storage.schema;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static java.util.stream.Collectors.joining;

/**
 * The text forms of option values that Paimon accepts. Every failure is INVALID_OPTION naming key, value and what is allowed.
 */
final class OptionValues
{
    private static final Splitter LIST_SPLITTER = Splitter.on(',').trimResults();
    private static final Map<String, Long> SIZE_UNITS = ImmutableMap.<String, Long>builder()
            .put("", 1L)
            .put("b", 1L)
            .put("bytes", 1L)
            .put("k", 1L << 10)
            .put("kb", 1L << 10)
            .put("kibibytes", 1L << 10)
            .put("m", 1L << 20)
            .put("mb", 1L << 20)
            .put("mebibytes", 1L << 20)
            .put("g", 1L << 30)
            .put("gb", 1L << 30)
            .put("gibibytes", 1L << 30)
            .put("t", 1L << 40)
            .put("tb", 1L << 40)
            .put("tebibytes", 1L << 40)
            .buildOrThrow();
    private static final Map<String, ChronoUnit> DURATION_UNITS = ImmutableMap.<String, ChronoUnit>builder()
            .put("", ChronoUnit.MILLIS)
            .put("d", ChronoUnit.DAYS)
            .put("day", ChronoUnit.DAYS)
            .put("days", ChronoUnit.DAYS)
            .put("h", ChronoUnit.HOURS)
            .put("hour", ChronoUnit.HOURS)
            .put("hours", ChronoUnit.HOURS)
            .put("min", ChronoUnit.MINUTES)
            .put("m", ChronoUnit.MINUTES)
            .put("minute", ChronoUnit.MINUTES)
            .put("minutes", ChronoUnit.MINUTES)
            .put("s", ChronoUnit.SECONDS)
            .put("sec", ChronoUnit.SECONDS)
            .put("secs", ChronoUnit.SECONDS)
            .put("second", ChronoUnit.SECONDS)
            .put("seconds", ChronoUnit.SECONDS)
            .put("ms", ChronoUnit.MILLIS)
            .put("milli", ChronoUnit.MILLIS)
            .put("millis", ChronoUnit.MILLIS)
            .put("millisecond", ChronoUnit.MILLIS)
            .put("milliseconds", ChronoUnit.MILLIS)
            .put("µs", ChronoUnit.MICROS)
            .put("micro", ChronoUnit.MICROS)
            .put("micros", ChronoUnit.MICROS)
            .put("microsecond", ChronoUnit.MICROS)
            .put("microseconds", ChronoUnit.MICROS)
            .put("ns", ChronoUnit.NANOS)
            .put("nano", ChronoUnit.NANOS)
            .put("nanos", ChronoUnit.NANOS)
            .put("nanosecond", ChronoUnit.NANOS)
            .put("nanoseconds", ChronoUnit.NANOS)
            .buildOrThrow();

    private OptionValues() {}

    static boolean parseBoolean(String key, String value)
    {
        if (value.equalsIgnoreCase("true")) {
            return true;
        }
        if (value.equalsIgnoreCase("false")) {
            return false;
        }
        throw invalid(key, value, "true or false");
    }

    static int parseInt(String key, String value)
    {
        try {
            return Integer.parseInt(value);
        }
        catch (NumberFormatException e) {
            throw invalid(key, value, "an integer");
        }
    }

    static long parseLong(String key, String value)
    {
        try {
            return Long.parseLong(value);
        }
        catch (NumberFormatException e) {
            throw invalid(key, value, "an integer");
        }
    }

    static double parseDouble(String key, String value)
    {
        try {
            return Double.parseDouble(value);
        }
        catch (NumberFormatException e) {
            throw invalid(key, value, "a number");
        }
    }

    /**
     * Bytes of a size like {@code 128 mb}; without a unit it is bytes, and all units are powers of 1024.
     */
    static long parseSize(String key, String value)
    {
        String text = value.trim();
        int digits = countDigits(text);
        Long unit = SIZE_UNITS.get(text.substring(digits).trim().toLowerCase(Locale.ROOT));
        if (digits == 0 || unit == null) {
            throw invalid(key, value, "a size such as '128 mb'");
        }
        try {
            return Math.multiplyExact(Long.parseLong(text.substring(0, digits)), unit);
        }
        catch (NumberFormatException | ArithmeticException e) {
            throw invalid(key, value, "a size of less than 8 exbibytes");
        }
    }

    /**
     * A time span like {@code 1 h}; without a unit it is milliseconds.
     */
    static Duration parseDuration(String key, String value)
    {
        String text = value.trim();
        int digits = countDigits(text);
        ChronoUnit unit = DURATION_UNITS.get(text.substring(digits).trim().toLowerCase(Locale.ROOT));
        if (digits == 0 || unit == null) {
            throw invalid(key, value, "a time span such as '1 h'");
        }
        try {
            return Duration.of(Long.parseLong(text.substring(0, digits)), unit);
        }
        catch (NumberFormatException | ArithmeticException e) {
            throw invalid(key, value, "a shorter time span");
        }
    }

    /**
     * The constant whose name, in lower case and with dashes, equals the value in any case.
     */
    static <E extends Enum<E>> E parseEnum(String key, String value, Class<E> type)
    {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> enumText(constant).equalsIgnoreCase(value))
                .findFirst()
                .orElseThrow(() -> invalid(key, value, Arrays.stream(type.getEnumConstants())
                        .map(OptionValues::enumText)
                        .collect(joining(", ", "one of ", ""))));
    }

    /**
     * The choice that equals the value in any case.
     */
    static String parseChoice(String key, String value, List<String> choices)
    {
        return choices.stream()
                .filter(choice -> choice.equalsIgnoreCase(value))
                .findFirst()
                .orElseThrow(() -> invalid(key, value, "one of " + String.join(", ", choices)));
    }

    static String enumText(Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Comma-separated names; blanks around them do not count.
     */
    static List<String> parseList(String value)
    {
        return value.isBlank() ? ImmutableList.of() : LIST_SPLITTER.splitToList(value);
    }

    static StorageException invalid(String key, String value, String allowed)
    {
        return new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' has the value '%s', but must be %s".formatted(key, value, allowed));
    }

    private static int countDigits(String text)
    {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        return digits;
    }
}
