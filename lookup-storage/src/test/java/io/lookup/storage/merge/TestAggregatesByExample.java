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
package io.lookup.storage.merge;

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.merge.MergeSteps.Version;
import org.apache.paimon.utils.HllSketchUtil;
import org.apache.paimon.utils.RoaringBitmap32;
import org.apache.paimon.utils.RoaringBitmap64;
import org.apache.paimon.utils.ThetaSketch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;

import static io.lookup.storage.format.row.RowKind.DELETE;
import static io.lookup.storage.format.row.RowKind.INSERT;
import static io.lookup.storage.merge.AggregatedColumn.column;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What each aggregate function makes of a few values, as its documentation says.
 */
final class TestAggregatesByExample
{
    private static final String ROW = "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"b\",\"type\":\"INT\"},{\"id\":2,\"name\":\"t\",\"type\":\"STRING\"}]}";
    private static final String MAP = "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":\"STRING\"}";

    @ParameterizedTest
    @ValueSource(strings = {"TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10, 0)", "DECIMAL(12, 3)", "DECIMAL(38, 2)"})
    void testSumAndProduct(String type)
    {
        IntFunction<Object> number = number(type);
        assertThat(column("sum", type).result()).isNull();
        assertThat(column("sum", type).add(null).result()).isNull();
        assertThat(column("sum", type).add(number.apply(10)).result()).isEqualTo(number.apply(10));
        assertThat(column("sum", type).add(number.apply(1)).add(null).add(number.apply(10)).result()).isEqualTo(number.apply(11));
        assertThat(column("sum", type).add(number.apply(10)).retract(number.apply(4)).retract(null).result()).isEqualTo(number.apply(6));
        assertThat(column("sum", type).retract(number.apply(5)).result()).isEqualTo(number.apply(-5));
        assertThat(column("sum", type).add(number.apply(5)).retract(number.apply(5)).result()).isEqualTo(number.apply(0));
        assertThat(column("sum", type).add(number.apply(5)).late(number.apply(7)).result()).isEqualTo(number.apply(12));

        assertThat(column("product", type).add(null).result()).isNull();
        assertThat(column("product", type).add(number.apply(3)).add(null).add(number.apply(4)).result()).isEqualTo(number.apply(12));
        assertThat(column("product", type).add(number.apply(10)).retract(number.apply(5)).retract(null).result()).isEqualTo(number.apply(2));
        assertThat(column("product", type).retract(number.apply(5)).result()).isNull();
        assertThat(column("product", type).add(number.apply(3)).late(number.apply(-2)).result()).isEqualTo(number.apply(-6));
    }

    @Test
    void testLargestAndSmallest()
    {
        assertThat(column("max", "INT").add(1).add(10).add(null).add(-3).result()).isEqualTo(10);
        assertThat(column("min", "INT").add(1).add(10).add(null).add(-3).result()).isEqualTo(-3);
        assertThat(column("max", "INT").add(1).late(10).result()).isEqualTo(10);
        assertThat(column("min", "STRING").add("b").add("a").add("").result()).isEqualTo("");
        assertThat(column("max", "STRING").add("b").add("\uD83D\uDE00").add("\uFFFF").result()).isEqualTo("\uD83D\uDE00");
        assertThat(column("max", "INT").add(null).result()).isNull();
    }

    @Test
    void testBooleans()
    {
        assertThat(column("bool_and", "BOOLEAN").add(false).add(true).result()).isEqualTo(false);
        assertThat(column("bool_and", "BOOLEAN").add(true).add(null).add(true).result()).isEqualTo(true);
        assertThat(column("bool_or", "BOOLEAN").add(false).add(true).add(null).result()).isEqualTo(true);
        assertThat(column("bool_or", "BOOLEAN").add(false).add(false).result()).isEqualTo(false);
        assertThat(column("bool_or", "BOOLEAN").add(null).result()).isNull();
        assertThat(column("bool_and", "BOOLEAN").add(true).late(false).result()).isEqualTo(false);
    }

    @ParameterizedTest
    @CsvSource({"last_value, null, 1", "last_non_null_value, 2, 1", "first_value, 1, null", "first_non_null_value, 1, 2"})
    void testChosenValues(String function, String oneTwoNull, String nullTwoOne)
    {
        assertThat(String.valueOf(column(function, "INT").add(1).add(2).add(null).result())).isEqualTo(oneTwoNull);
        assertThat(String.valueOf(column(function, "INT").add(null).add(2).add(1).result())).isEqualTo(nullTwoOne);
    }

    @Test
    void testRetractionOfChosenValues()
    {
        assertThat(column("last_value", "INT").add(1).retract(2).result()).isNull();
        assertThat(column("last_non_null_value", "INT").add(1).retract(2).result()).isNull();
        assertThat(column("last_non_null_value", "INT").add(1).retract(null).result()).isEqualTo(1);
        assertThat(column("primary-key", "INT").add(1).retract(2).result()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "NULL", quoteCharacter = '"', ignoreLeadingAndTrailingWhitespace = false, value = {
            ",|false|user1|user2|user1,user2",
            ",|true|user1|user2|user1,user2",
            ",|true|user1|user1|user1",
            ",|true|user1,user2|user2,user3|user1,user2,user3",
            ",|true|abc,def|ab,def|abc,def,ab",
            ";|true|abc;def;asd|ab;xy;def|abc;def;asd;ab;xy",
            "-|false|user1|user2|user1-user2",
            ",|false|NULL|user2|user2",
            ",|false|user1|NULL|user1",
            ",|true|k1=v1,k2=v2|k2=v2|k1=v1,k2=v2"})
    void testListagg(String delimiter, boolean distinct, String first, String second, String expected)
    {
        assertThat(column("listagg", "STRING", "list-agg-delimiter", delimiter, "distinct", String.valueOf(distinct)).add(first).add(second).result()).isEqualTo(expected);
    }

    @Test
    void testListaggOfEmptyTexts()
    {
        assertThat(column("listagg", "STRING", "list-agg-delimiter", ";", "distinct", "true").add("").add("").result()).isEqualTo("");
        assertThat(column("listagg", "STRING", "distinct", "true").add("").add("user2").add("user1,user3").result()).isEqualTo("user2,user1,user3");
        assertThat(column("listagg", "STRING").add("").add("user2").add("").result()).isEqualTo("user2");
        // blanks between two delimiters are no part
        assertThat(column("listagg", "STRING", "list-agg-delimiter", " ", "distinct", "true").add("k1=v1 k2=v2").add(" k1=v1  k3=v3").add(" ").result()).isEqualTo("k1=v1 k2=v2 k3=v3");
    }

    /**
     * A NOT NULL column holds a value after each retraction that is allowed.
     */
    @Test
    void testRetractionOfTheSameValue()
    {
        String type = "{\"type\":\"ARRAY\",\"element\":%s}".formatted(ROW);
        assertThat(column("sum", "INT").add(1).retract(1).result()).isEqualTo(0);
        assertThat(column("product", "INT").add(1).retract(1).result()).isEqualTo(1);
        assertThat(column("nested_update", type).add(list()).retract(list()).result()).isEqualTo(list());
        assertThat(column("collect", type).add(list()).retract(list()).result()).isEqualTo(list());
        assertThat(column("merge_map", MAP).add(Map.of()).retract(Map.of()).result()).isEqualTo(Map.of());
        assertThat(column("primary-key", "INT").add(1).retract(1).result()).isEqualTo(1);
        for (String function : List.of("first_value", "first_non_null_value", "min", "max")) {
            AggregatedColumn column = column(function, "INT").add(1);
            assertThatThrownBy(() -> column.retract(1).result()).as(function).hasMessageContaining("'" + function + "'");
        }
    }

    @Test
    void testListaggNeedsRoom()
    {
        assertThatThrownBy(() -> column("listagg", "VARCHAR(100)"))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION))
                .hasMessageContainingAll("VARCHAR(100)", "'listagg'");
    }

    @Test
    void testCollect()
    {
        for (Map.Entry<String, List<Object>> elements : ImmutableMap.<String, List<Object>>of(
                "\"INT\"", list(1, 2, 3),
                ROW, list(list(1, 1, "A"), list(1, 1, "B"), list(2, null, "A")),
                "{\"type\":\"ARRAY\",\"element\":\"INT\"}", list(list(1, 1), list(1, 2), list(2, 1)),
                MAP, list(Map.of(1, "A"), Map.of(1, "A", 2, "B"), Map.of(1, "C"))).entrySet()) {
            String type = "{\"type\":\"ARRAY\",\"element\":%s}".formatted(elements.getKey());
            Object a = elements.getValue().get(0);
            Object b = elements.getValue().get(1);
            Object c = elements.getValue().get(2);
            assertThat(column("collect", type).add(null).result()).isNull();
            assertThat(column("collect", type).add(list(a, a, b)).add(list(b, c)).result()).isEqualTo(list(a, a, b, b, c));
            assertThat(column("collect", type, "distinct", "true").add(list(a, a, b)).add(list(b, c)).add(null).result()).isEqualTo(list(a, b, c));
            // of equal elements, as many go as are taken back
            assertThat(column("collect", type).add(list(a, a, b, b, c)).retract(list(a, b, c)).result()).isEqualTo(list(a, b));
            assertThat(column("collect", type, "distinct", "true").add(list(a, b, c)).retract(list(a, c)).retract(null).result()).isEqualTo(list(b));
        }
    }

    @Test
    void testMergeMap()
    {
        assertThat(column("merge_map", MAP).add(null).result()).isNull();
        assertThat(column("merge_map", MAP).add(Map.of(1, "A")).add(Map.of(1, "A", 2, "B")).add(Map.of(1, "a", 3, "c")).add(null).result()).isEqualTo(Map.of(1, "a", 2, "B", 3, "c"));
        // only keys count
        assertThat(column("merge_map", MAP).add(Map.of(1, "A", 2, "B", 3, "C")).retract(Map.of(1, "A", 2, "A")).result()).isEqualTo(Map.of(3, "C"));
    }

    @Test
    void testNestedUpdate()
    {
        String type = "{\"type\":\"ARRAY\",\"element\":%s}".formatted(ROW);
        assertThat(column("nested_update", type, "nested-key", "a,b").add(list(list(0, 0, "A"))).add(list(list(0, 1, "B"))).add(list(list(0, 1, "b"))).result())
                .isEqualTo(list(list(0, 0, "A"), list(0, 1, "b")));
        assertThat(column("nested_update", type, "nested-key", "a,b").add(list(list(0, 0, "A"), list(0, 1, "b"))).retract(list(list(0, 1, "other"))).result())
                .isEqualTo(list(list(0, 0, "A")));
        assertThat(column("nested_update", type).add(list(list(0, 1, "B"))).add(list(list(0, 1, "b"))).retract(list(list(0, 1, "b"))).result())
                .isEqualTo(list(list(0, 1, "B")));
        assertThat(column("nested_update", type, "count-limit", "2").add(list(list(0, 1, "B"))).add(list(list(0, 1, "b"))).add(list(list(0, 1, "C"))).result())
                .isEqualTo(list(list(0, 1, "B"), list(0, 1, "b")));
        assertThat(column("nested_partial_update", type, "nested-key", "a").add(list(list(0, 0, null))).add(list(list(0, null, "A"))).result()).isEqualTo(list(list(0, 0, "A")));
        assertThat(column("nested_partial_update", type, "nested-key", "a").add(list(list(0, 0, "A"))).add(list(list(0, 1, "B"))).add(list(list(1, 2, "C"))).result())
                .isEqualTo(list(list(0, 1, "B"), list(1, 2, "C")));
    }

    @Test
    void testMapOfLatestValues()
    {
        String type = "{\"type\":\"MAP\",\"key\":\"STRING\",\"value\":{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"v\",\"type\":\"STRING\"},{\"id\":1,\"name\":\"t\",\"type\":\"STRING\"}]}}";
        AggregatedColumn map = column("merge_map_with_keytime", type);
        map.add(Map.of("k1", list("A", "100"), "k2", list("B", "100"))).add(Map.of("k1", list("A1", "200"), "k3", list("C", "200")));
        assertThat(map.result()).isEqualTo(Map.of("k1", list("A1", "200"), "k2", list("B", "100"), "k3", list("C", "200")));
        assertThat(map.add(Map.of("k2", list("B2", "050"))).result()).isEqualTo(Map.of("k1", list("A1", "200"), "k2", list("B", "100"), "k3", list("C", "200")));
    }

    @Test
    void testSetsInBytes()
            throws IOException
    {
        assertUnion("rbm32", RoaringBitmap32.bitmapOf(1).serialize(), RoaringBitmap32.bitmapOf(2, 3).serialize(), RoaringBitmap32.bitmapOf(1, 2, 3).serialize());
        assertUnion("rbm64", RoaringBitmap64.bitmapOf(1).serialize(), RoaringBitmap64.bitmapOf(2, 3).serialize(), RoaringBitmap64.bitmapOf(1, 2, 3).serialize());
        assertUnion("hll_sketch", HllSketchUtil.sketchOf(1), HllSketchUtil.sketchOf(2, 3), HllSketchUtil.sketchOf(1, 2, 3));
        assertUnion("theta_sketch", ThetaSketch.sketchOf(1), ThetaSketch.sketchOf(2, 3), ThetaSketch.sketchOf(1, 2, 3));
    }

    private static void assertUnion(String function, byte[] one, byte[] twoThree, byte[] all)
    {
        assertThat(column(function, "BYTES").add(null).result()).isNull();
        assertThat((byte[]) column(function, "BYTES").add(null).add(one).result()).isEqualTo(one);
        assertThat((byte[]) column(function, "BYTES").add(twoThree).add(null).result()).isEqualTo(twoThree);
        assertThat((byte[]) column(function, "BYTES").add(twoThree).add(one).result()).isEqualTo(all);
        assertThat((byte[]) column(function, "BYTES").add(all).add(one).result()).isEqualTo(all);
    }

    @Test
    void testDefaultFunctionOfTheTable()
    {
        MergeSteps steps = MergeSteps.of(5, ImmutableMap.of(
                "merge-engine", "aggregation",
                "fields.default-aggregate-function", "first_non_null_value",
                "fields.f2.aggregate-function", "sum"));
        steps.add(1, null, 1, 1, 1).add(1, 2, null, 2, 2).add(1, 3, 3, null, 3).add(1, 4, 4, 4, null).add(1, 5, 5, 5, 5);
        assertThat(steps.values()).isEqualTo(list(1, 2, 13, 1, 1));
    }

    /**
     * The values of a delete stay in its record, nulls where the columns may be null.
     */
    @Test
    void testRecordOfADelete()
    {
        MergeSteps steps = MergeSteps.of(4, Set.of(0, 1), ImmutableMap.of(
                "merge-engine", "aggregation",
                "fields.default-aggregate-function", "sum",
                "aggregation.remove-record-on-delete", "true"));
        steps.add(1, 0, 0, 5).add(DELETE, 1, 2, 2, null);
        assertThat(steps.result(false)).isEqualTo(new Version(DELETE, 1, 0, Arrays.asList(1, 2, 2, null)));
        // a -D that holds values is combined with what comes after it, as Paimon does
        steps.add(INSERT, 1, 3, null, 1);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 2, 0, Arrays.asList(1, 5, 2, 1)));
    }

    private static IntFunction<Object> number(String type)
    {
        return switch (type) {
            case "TINYINT", "SMALLINT", "INT" -> value -> value;
            case "BIGINT" -> value -> (long) value;
            case "FLOAT" -> value -> (float) value;
            case "DOUBLE" -> value -> (double) value;
            case "DECIMAL(10, 0)" -> BigDecimal::valueOf;
            case "DECIMAL(12, 3)" -> value -> new BigDecimal(value).setScale(3);
            case "DECIMAL(38, 2)" -> value -> new BigDecimal(value).setScale(2);
            default -> throw new IllegalArgumentException(type);
        };
    }

    private static List<Object> list(Object... values)
    {
        return Collections.unmodifiableList(Arrays.asList(values));
    }
}
