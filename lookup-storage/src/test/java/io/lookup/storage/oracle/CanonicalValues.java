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
package io.lookup.storage.oracle;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import static java.util.stream.Collectors.joining;

/**
 * One text for one value, whoever read it. Two engines agree on a table when they print the same canonical rows.
 * <p>
 * Neutral values and their canonical text, by column type:
 * <pre>
 * any type, null                          null                      null
 * BOOLEAN                                 Boolean                   true, false
 * TINYINT, SMALLINT, INT                  Integer                   -7
 * BIGINT                                  Long                      -7          (same text as an Integer)
 * FLOAT                                   Float                     Float.toString: 1.5, -0.0, NaN, -Infinity
 * DOUBLE                                  Double                    Double.toString
 * DECIMAL(p, s)                           BigDecimal of scale s     toPlainString: -0.10
 * CHAR, VARCHAR, STRING                   String                    'it''s'     (a quote is doubled, nothing else is escaped)
 * BINARY, VARBINARY, BYTES                byte[]                    X'00FF'     (upper case)
 * DATE                                    LocalDate                 LocalDate.toString: 1969-12-31
 * TIME(p)                                 LocalTime, whole millis   23:59:59.999                        (three digits)
 * TIMESTAMP(p)                            LocalDateTime             1969-12-31T23:59:59.999999999       (nine digits)
 * TIMESTAMP(p) WITH LOCAL TIME ZONE       Instant                   1969-12-31T23:59:59.999999999Z      (UTC, nine digits)
 * ARRAY                                   List                      [1, null]
 * ROW                                     List, in field order      [1, 'a']
 * MAP                                     Map                       {'a'=1, 'b'=null}   (entries sorted by the text of the key)
 * MULTISET                                Map to Integer counts     {'a'=2}
 * </pre>
 * A CHAR value is printed as given; whoever pads must strip trailing blanks before. A date outside the years 0 to 9999 is printed as
 * {@link LocalDate#toString()} does, with a sign.
 */
public final class CanonicalValues
{
    private static final DateTimeFormatter MILLIS_TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");
    private static final DateTimeFormatter NANOS_TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSSSSS");

    private CanonicalValues() {}

    public static String canonicalText(Object value)
    {
        return switch (value) {
            case null -> "null";
            case BigDecimal decimal -> decimal.toPlainString();
            case Boolean _, Number _ -> value.toString();
            case String text -> "'" + text.replace("'", "''") + "'";
            case byte[] bytes -> "X'" + HexFormat.of().withUpperCase().formatHex(bytes) + "'";
            case LocalDate date -> date.toString();
            case LocalTime time -> MILLIS_TIME.format(time);
            case LocalDateTime dateTime -> dateTime.toLocalDate() + "T" + NANOS_TIME.format(dateTime.toLocalTime());
            case Instant instant -> canonicalText(LocalDateTime.ofInstant(instant, ZoneOffset.UTC)) + "Z";
            case List<?> list -> list.stream()
                    .map(CanonicalValues::canonicalText)
                    .collect(joining(", ", "[", "]"));
            case Map<?, ?> map -> map.entrySet().stream()
                    .map(entry -> new TextEntry(canonicalText(entry.getKey()), canonicalText(entry.getValue())))
                    .sorted()
                    .map(entry -> entry.key() + "=" + entry.value())
                    .collect(joining(", ", "{", "}"));
            default -> throw new IllegalArgumentException("Not a neutral value: " + value.getClass().getName());
        };
    }

    /**
     * The text of a whole row or key: {@code (1, 'a')}.
     */
    public static String canonicalRow(List<?> values)
    {
        return values.stream()
                .map(CanonicalValues::canonicalText)
                .collect(joining(", ", "(", ")"));
    }

    private record TextEntry(String key, String value)
            implements Comparable<TextEntry>
    {
        @Override
        public int compareTo(TextEntry other)
        {
            return key.compareTo(other.key);
        }
    }
}
