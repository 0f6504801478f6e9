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
package io.lookup.storage.changelog;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TypeJson;
import io.lookup.storage.schema.TypeParser;
import io.lookup.storage.table.BlockValues;
import io.trino.spi.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

final class TestRowEquality
{
    private static final String ROW = "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"b\",\"type\":{\"type\":\"ARRAY\",\"element\":\"DOUBLE\"}}]}";

    /**
     * @param values no two of which are equal
     */
    private record Domain(String type, List<Object> values)
    {
        @Override
        public String toString()
        {
            return type;
        }
    }

    static List<Domain> domains()
    {
        return ImmutableList.of(
                new Domain("BOOLEAN", list(null, false, true)),
                new Domain("TINYINT", list(null, (byte) 0, (byte) -1)),
                new Domain("INT", list(null, 0, 1, Integer.MIN_VALUE)),
                new Domain("BIGINT", list(null, 0L, 1L << 32)),
                new Domain("FLOAT", list(null, 0.0f, Float.NaN, Float.MIN_VALUE)),
                new Domain("DOUBLE", list(null, 0.0, Double.NaN, Double.NEGATIVE_INFINITY)),
                new Domain("DECIMAL(4, 2)", list(null, new BigDecimal("0.00"), new BigDecimal("-0.01"))),
                new Domain("DECIMAL(38, 2)", list(null, new BigDecimal("0.00"), new BigDecimal("1").movePointRight(20), new BigDecimal("1").movePointRight(20).negate())),
                new Domain("STRING", list(null, "", "a", "a ", "A", "é")),
                new Domain("BYTES", list(null, bytes(""), bytes("a"), bytes("\0"))),
                new Domain("DATE", list(null, LocalDate.EPOCH, LocalDate.EPOCH.minusDays(1))),
                new Domain("TIMESTAMP(3)", list(null, LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_000_000), LocalDateTime.of(1970, 1, 1, 0, 0))),
                new Domain("TIMESTAMP(9)", list(null, LocalDateTime.of(1970, 1, 1, 0, 0), LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1))),
                new Domain("TIMESTAMP(3) WITH LOCAL TIME ZONE", list(null, Instant.EPOCH, Instant.ofEpochMilli(-1))),
                new Domain("{\"type\":\"ARRAY\",\"element\":\"INT\"}", list(null, list(), list((Object) null), list(1, null), list(null, 1), list(1), list(1, 2))),
                new Domain("{\"type\":\"ARRAY\",\"element\":\"DOUBLE\"}", list(null, list(Double.NaN), list(0.0), list(0.0, null))),
                new Domain("{\"type\":\"MAP\",\"key\":\"INT\",\"value\":\"INT\"}", list(null, map(), map(1, null), map(1, 1), map(2, null), map(1, null, 2, null))),
                new Domain(ROW, list(null, list(null, null), list(1, null), list(null, list()), list(null, list(1.0, null)), list(null, list(Double.NaN, null)))));
    }

    @ParameterizedTest
    @MethodSource("domains")
    void testValuesEqualThemselvesOnly(Domain domain)
    {
        DataField value = new DataField(1, "v", type(domain.type()));
        RowEquality equality = new RowEquality(layout(value), ImmutableList.of());
        for (int left = 0; left < domain.values().size(); left++) {
            for (int right = 0; right < domain.values().size(); right++) {
                assertThat(equality.equal(page(value, domain.values().get(left)), 0, page(value, domain.values().get(right)), 0))
                        .as("%s and %s", domain.values().get(left), domain.values().get(right))
                        .isEqualTo(left == right);
            }
        }
    }

    @Test
    void testMapsInAnotherOrder()
    {
        DataField value = new DataField(1, "v", type("{\"type\":\"MAP\",\"key\":\"STRING\",\"value\":\"INT\"}"));
        RowEquality equality = new RowEquality(layout(value), ImmutableList.of());
        assertThat(equality.equal(page(value, map("a", 1, "b", null)), 0, page(value, map("b", null, "a", 1)), 0)).isTrue();
        assertThat(equality.equal(page(value, map("a", 1, "b", null)), 0, page(value, map("b", 1, "a", null)), 0)).isFalse();
    }

    /**
     * The two zeros are one number: a change from one to the other is none. Inside of other values they are two.
     */
    @Test
    void testZeros()
    {
        assertThat(equal("FLOAT", 0.0f, -0.0f)).isTrue();
        assertThat(equal("DOUBLE", 0.0, -0.0)).isTrue();
        assertThat(equal("{\"type\":\"ARRAY\",\"element\":\"DOUBLE\"}", list(0.0), list(-0.0))).isFalse();
        assertThat(equal("{\"type\":\"ARRAY\",\"element\":\"FLOAT\"}", list(0.0f), list(-0.0f))).isFalse();
        assertThat(equal("{\"type\":\"MAP\",\"key\":\"INT\",\"value\":\"DOUBLE\"}", map(1, 0.0), map(1, -0.0))).isFalse();
        assertThat(equal("{\"type\":\"MAP\",\"key\":\"INT\",\"value\":\"DOUBLE\"}", map(1, -0.0), map(1, -0.0))).isTrue();
    }

    private static boolean equal(String type, Object left, Object right)
    {
        DataField value = new DataField(1, "v", type(type));
        return new RowEquality(layout(value), ImmutableList.of()).equal(page(value, left), 0, page(value, right), 0);
    }

    /**
     * Keys are equal where rows are compared; kinds and sequence numbers always differ.
     */
    @Test
    void testWhatDoesNotCount()
    {
        List<DataField> columns = ImmutableList.of(
                new DataField(0, "v", type("INT")),
                new DataField(1, "k", type("INT NOT NULL")),
                new DataField(2, "w", type("STRING")),
                new DataField(3, "u", type("DOUBLE")));
        KeyValueLayout layout = new KeyValueLayout(columns, ImmutableList.of(1), ImmutableList.of(), false);
        List<DataField> stored = ImmutableList.<DataField>builder().addAll(columns).add(new DataField(4, "sequence", type("BIGINT")), new DataField(5, "kind", type("TINYINT"))).build();
        Page rows = BlockValues.toPage(stored, ImmutableList.of(
                list(1, 7, "a", 1.0, 1L, (byte) 0),
                list(1, 8, "a", 1.0, 2L, (byte) 2),
                list(2, 7, "a", 1.0, 1L, (byte) 0),
                list(1, 7, "b", 1.0, 1L, (byte) 0),
                list(1, 7, "a", null, 1L, (byte) 0)));
        assertThat(equalToFirst(rows, new RowEquality(layout, ImmutableList.of()))).containsExactly(true, false, false, false);
        assertThat(equalToFirst(rows, new RowEquality(layout, ImmutableList.of("v")))).containsExactly(true, true, false, false);
        assertThat(equalToFirst(rows, new RowEquality(layout, ImmutableList.of("w", "absent")))).containsExactly(true, false, true, false);
        assertThat(equalToFirst(rows, new RowEquality(layout, ImmutableList.of("u", "w", "v")))).containsExactly(true, true, true, true);
    }

    private static List<Boolean> equalToFirst(Page rows, RowEquality equality)
    {
        ImmutableList.Builder<Boolean> result = ImmutableList.builder();
        for (int position = 1; position < rows.getPositionCount(); position++) {
            result.add(equality.equal(rows, 0, rows, position));
        }
        return result.build();
    }

    private static KeyValueLayout layout(DataField value)
    {
        return new KeyValueLayout(ImmutableList.of(new DataField(0, "k", type("INT NOT NULL")), value), ImmutableList.of(0), ImmutableList.of(), false);
    }

    private static Page page(DataField value, Object object)
    {
        return BlockValues.toPage(ImmutableList.of(new DataField(0, "k", type("INT NOT NULL")), value), ImmutableList.of(list(1, object)));
    }

    private static DataType type(String text)
    {
        try {
            return text.startsWith("{") ? TypeJson.read(new ObjectMapper().readTree(text)) : TypeParser.parse(text);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Object> list(Object... values)
    {
        return Collections.unmodifiableList(Arrays.asList(values));
    }

    private static Map<Object, Object> map(Object... keysAndValues)
    {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int index = 0; index < keysAndValues.length; index += 2) {
            map.put(keysAndValues[index], keysAndValues[index + 1]);
        }
        return map;
    }

    private static byte[] bytes(String text)
    {
        return text.getBytes(UTF_8);
    }
}
