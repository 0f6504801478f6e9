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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.AggregateFunction;
import org.apache.paimon.utils.HllSketchUtil;
import org.apache.paimon.utils.ThetaSketch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64Bitmap;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static io.lookup.storage.merge.AggregatedColumn.column;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What each function makes of a few values, above all where Paimon is no judge.
 */
final class TestAggregateFunctions
{
    private static final String ROW = "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"t\",\"type\":\"STRING\"}]}";
    private static final String ROWS = "{\"type\":\"ARRAY\",\"element\":" + ROW + "}";

    @Test
    void testProductOfZero()
    {
        for (String type : ImmutableList.of("TINYINT", "SMALLINT", "INT")) {
            assertThat(column("product", type).add(6).add(0).retract(0).result()).isNull();
            assertThat(column("product", type).add(6).add(0).retract(0).add(5).result()).isEqualTo(5);
        }
        assertThat(column("product", "BIGINT").add(6L).retract(0L).result()).isNull();
        assertThat(column("product", "DECIMAL(4, 2)").add(new BigDecimal("6.00")).retract(new BigDecimal("0.00")).result()).isNull();
        assertThat(column("product", "DECIMAL(30, 2)").add(new BigDecimal("6.00")).retract(new BigDecimal("0.00")).result()).isNull();
        assertThat(column("product", "DOUBLE").add(-6.0).retract(0.0).result()).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(column("product", "FLOAT").add(0f).retract(0f).result()).isEqualTo(Float.NaN);
    }

    @Test
    void testProductOfDecimalsIsRounded()
    {
        for (String type : ImmutableList.of("DECIMAL(18, 2)", "DECIMAL(38, 2)")) {
            assertThat(column("product", type).add(new BigDecimal("1.00")).retract(new BigDecimal("3.00")).result()).isEqualTo(new BigDecimal("0.33"));
            assertThat(column("product", type).add(new BigDecimal("-2.00")).retract(new BigDecimal("3.00")).result()).isEqualTo(new BigDecimal("-0.67"));
            assertThat(column("product", type).add(new BigDecimal("0.05")).add(new BigDecimal("0.10")).result()).isEqualTo(new BigDecimal("0.01"));
            assertThat(column("product", type).add(new BigDecimal("-0.05")).add(new BigDecimal("0.10")).result()).isEqualTo(new BigDecimal("-0.01"));
            assertThat(column("product", type).add(new BigDecimal("-0.04")).add(new BigDecimal("0.10")).result()).isEqualTo(new BigDecimal("0.00"));
        }
        assertThat(column("product", "DECIMAL(18, 0)").add(new BigDecimal("999999999999999999")).add(new BigDecimal("2")).result()).isNull();
        assertThat(column("product", "DECIMAL(18, 0)").add(new BigDecimal("999999999999999999")).add(new BigDecimal("999999999999999999")).add(BigDecimal.ONE).result()).isEqualTo(BigDecimal.ONE);
        assertThat(column("product", "DECIMAL(38, 0)").add(BigDecimal.TEN.pow(37)).add(BigDecimal.TEN.pow(37)).result()).isNull();
    }

    @Test
    void testIntegersWrapAround()
    {
        assertThat(column("product", "TINYINT").add(100).add(3).result()).isEqualTo(44);
        // divides what the column can hold, not what it could have been
        assertThat(column("product", "TINYINT").add(100).add(3).retract(3).result()).isEqualTo(14);
        assertThat(column("product", "TINYINT").add(-128).retract(-1).result()).isEqualTo(-128);
        assertThat(column("product", "BIGINT").add(Long.MIN_VALUE).retract(-1L).result()).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void testNullThatArrivesLate()
    {
        // as in Paimon: a null that arrives late is the value, and a value that arrives late does not count as one that was seen
        assertThat(column("first_non_null_value", "INT").add(5).late(null).result()).isNull();
        assertThat(column("first_non_null_value", "INT").add(null).late(3).add(4).result()).isEqualTo(4);
        assertThat(column("first_value", "INT").add(5).late(null).result()).isNull();
        assertThat(column("last_value", "INT").add(null).late(3).result()).isNull();
        assertThat(column("last_non_null_value", "INT").add(null).late(3).late(2).result()).isEqualTo(3);
    }

    @Test
    void testBytesAreComparedByContent()
    {
        AggregatedColumn collect = column("collect", "{\"type\":\"ARRAY\",\"element\":\"BYTES\"}", "distinct", "true");
        assertThat(texts(collect.add(list(bytes("x"), bytes("y"))).add(list(bytes("y"), null, null, bytes("x"))).result())).containsExactly("x", "y", "null");
        assertThat(texts(collect.retract(list(bytes("x"))).result())).containsExactly("y", "null");
        assertThat(column("merge_map", "{\"type\":\"MAP\",\"key\":\"BYTES\",\"value\":\"INT\"}").add(Map.of(bytes("x"), 1)).add(Map.of(bytes("x"), 2)).result().toString()).endsWith("=2}");
    }

    @Test
    void testNestedValuesEqualThemselves()
    {
        String type = "{\"type\":\"ARRAY\",\"element\":{\"type\":\"ARRAY\",\"element\":\"DOUBLE\"}}";
        assertThat(column("collect", type, "distinct", "true")
                .add(list(list(Double.NaN), list(0.0), list((Object) null)))
                .add(list(list(-0.0), list(Double.NaN), list((Object) null)))
                .result())
                .isEqualTo(list(list(Double.NaN), list(0.0), list((Object) null), list(-0.0)));

        String maps = "{\"type\":\"ARRAY\",\"element\":{\"type\":\"MAP\",\"key\":\"STRING\",\"value\":\"INT\"}}";
        Map<String, Integer> oneOrder = ordered("a", 1, "b", null);
        Map<String, Integer> otherOrder = ordered("b", null, "a", 1);
        assertThat(column("collect", maps, "distinct", "true").add(list(oneOrder)).add(list(otherOrder, Map.of("a", 1))).result())
                .isEqualTo(list(oneOrder, Map.of("a", 1)));
        assertThat(column("collect", maps).add(list(oneOrder, otherOrder, oneOrder)).retract(list(otherOrder, otherOrder)).result()).isEqualTo(list(oneOrder));
    }

    @Test
    void testManyElements()
    {
        List<Object> numbers = new ArrayList<>();
        for (int number = 0; number < 5_000; number++) {
            numbers.add(number);
        }
        AggregatedColumn distinct = column("collect", "{\"type\":\"ARRAY\",\"element\":\"INT\"}", "distinct", "true");
        assertThat(distinct.add(numbers).add(numbers).add(list(-1, 7)).result()).isEqualTo(ImmutableList.builder().addAll(numbers).add(-1).build());
        assertThat(distinct.retract(numbers).result()).isEqualTo(list(-1));
        distinct.reset();
        assertThat(distinct.add(list(3, 3)).result()).isEqualTo(list(3));
    }

    @Test
    void testNestedTables()
    {
        assertThat(column("nested_update", ROWS).add(list(list(1, "a"), null)).add(list(null, list(1, "a"))).result()).isEqualTo(list(list(1, "a"), list(1, "a")));
        assertThat(column("nested_update", ROWS, "nested-key", "a").add(list(list(1, "a"), list(2, "b"))).add(list(list(1, "c"))).result()).isEqualTo(list(list(1, "c"), list(2, "b")));
        assertThat(column("nested_update", ROWS, "count-limit", "2").add(list(list(1, "a"))).add(list(list(2, "b"), list(3, "c"))).add(list(list(4, "d"))).result())
                .isEqualTo(list(list(1, "a"), list(2, "b")));
        assertThat(column("nested_update", ROWS, "nested-key", "a").add(list(list(1, "a"), list(null, "b"))).retract(list(list(null, "x"))).result()).isEqualTo(list(list(1, "a")));
        assertThat(column("nested_partial_update", ROWS, "nested-key", "a").add(list(list(1, "a"), list(1, null))).add(list(list(2, null), list(1, null))).add(list(list(2, "b"))).result())
                .isEqualTo(list(list(1, "a"), list(2, "b")));
    }

    @Test
    void testMapWithTimes()
    {
        String type = "{\"type\":\"MAP\",\"key\":\"STRING\",\"value\":" + ROW + "}";
        AggregatedColumn map = column("merge_map_with_keytime", type);
        map.add(ordered("a", list(1, "2024-05"), "b", list(2, "2024-05"), "c", null)).add(ordered("a", list(3, "2024-04"), "b", list(4, "2024-06"), "c", list(5, "1")));
        assertThat(map.result()).isEqualTo(ordered("a", list(1, "2024-05"), "b", list(4, "2024-06"), "c", list(5, "1")));
        assertThat(map.add(ordered("a", null, "b", list(6, null), "d", null)).result()).isEqualTo(ordered("b", list(4, "2024-06"), "c", list(5, "1")));
        // of equal times the older entry stays
        assertThat(map.add(ordered("c", list(7, "1"))).result()).isEqualTo(ordered("b", list(4, "2024-06"), "c", list(5, "1")));
    }

    @ParameterizedTest
    @EnumSource
    void testRetractionIsRefusedOrIgnored(AggregateFunction function)
    {
        String type = switch (function) {
            case SUM, PRODUCT, MIN, MAX, FIRST_VALUE, FIRST_NON_NULL_VALUE, LAST_VALUE, LAST_NON_NULL_VALUE, PRIMARY_KEY -> "INT";
            case LISTAGG -> "STRING";
            case BOOL_AND, BOOL_OR -> "BOOLEAN";
            case COLLECT, NESTED_UPDATE, NESTED_PARTIAL_UPDATE -> ROWS;
            case MERGE_MAP, MERGE_MAP_WITH_KEYTIME -> "{\"type\":\"MAP\",\"key\":\"STRING\",\"value\":" + ROW + "}";
            case RBM32, RBM64, HLL_SKETCH, THETA_SKETCH -> "BYTES";
        };
        AggregatedColumn column = column(function.functionName(), type, "nested-key", "a");
        AggregateRetractRules rules = AggregateRetractRules.of(column.schema(), column.options());
        if (function.isRetracting()) {
            assertThatCode(() -> column.retract(null)).doesNotThrowAnyException();
            assertThatCode(() -> rules.check(new byte[] {RowKind.DELETE.value()})).doesNotThrowAnyException();
        }
        else {
            assertRefused(() -> column.retract(null), function);
            assertRefused(() -> rules.check(new byte[] {RowKind.INSERT.value(), RowKind.DELETE.value()}), function);
            assertRefused(() -> rules.check(new byte[] {RowKind.UPDATE_BEFORE.value()}), function);
        }
        assertThatCode(() -> rules.check(new byte[] {RowKind.INSERT.value(), RowKind.UPDATE_AFTER.value()})).doesNotThrowAnyException();

        AggregatedColumn ignoring = column(function.functionName(), type, "nested-key", "a", "ignore-retract", "true");
        assertThat(ignoring.retract(null).result()).isNull();
        assertThatCode(() -> AggregateRetractRules.of(ignoring.schema(), ignoring.options()).check(new byte[] {RowKind.DELETE.value()})).doesNotThrowAnyException();
    }

    @Test
    void testRemovedRecordsNeedNoRetraction()
    {
        AggregatedColumn column = new AggregatedColumn("v", "max", "INT", ImmutableMap.of("aggregation.remove-record-on-delete", "true"));
        AggregateRetractRules rules = AggregateRetractRules.of(column.schema(), column.options());
        assertThatCode(() -> rules.check(new byte[] {RowKind.DELETE.value()})).doesNotThrowAnyException();
        assertRefused(() -> rules.check(new byte[] {RowKind.UPDATE_BEFORE.value()}), AggregateFunction.MAX);
    }

    @Test
    void testLoneBytesStayAsTheyAre()
    {
        for (String function : ImmutableList.of("rbm32", "rbm64", "hll_sketch", "theta_sketch")) {
            assertThat((byte[]) column(function, "BYTES").add(null).add(bytes("whatever")).add(null).result()).isEqualTo(bytes("whatever"));
        }
    }

    @Test
    void testBytesThatAreNoSet()
            throws IOException
    {
        Random random = new Random(42);
        Map<String, byte[]> valid = ImmutableMap.of(
                "rbm32", bitmap32(random.ints(500, 0, 100_000).toArray()),
                "rbm64", bitmap64(random.longs(50).toArray()),
                "hll_sketch", HllSketchUtil.sketchOf(random.ints(5_000).toArray()),
                "theta_sketch", ThetaSketch.sketchOf(random.ints(5_000).toArray()));
        valid.forEach((function, bytes) -> {
            assertNoSet(function, bytes, new byte[0]);
            assertNoSet(function, bytes, bytes("no set"));
            assertNoSet(function, bytes, Arrays.copyOf(bytes, bytes.length / 2));
            assertNoSet(function, Arrays.copyOf(bytes, 7), bytes);
        });
        // single bytes that are wrong are an error or another set, and never more than that
        List<byte[]> images = ImmutableList.of(HllSketchUtil.sketchOf(1, 2), HllSketchUtil.sketchOf(random.ints(100).toArray()), ThetaSketch.sketchOf(), ThetaSketch.sketchOf(1), ThetaSketch.sketchOf(1, 2));
        for (int attempt = 0; attempt < 20_000; attempt++) {
            String function = ImmutableList.copyOf(valid.keySet()).get(random.nextInt(4));
            byte[] bytes = valid.get(function);
            if (random.nextInt(3) == 0 && function.endsWith("sketch")) {
                bytes = images.get(function.startsWith("hll") ? random.nextInt(2) : random.nextInt(2, 5));
            }
            bytes = bytes.clone();
            for (int change = random.nextInt(1, 3); change > 0; change--) {
                bytes[random.nextInt(Math.min(bytes.length, random.nextBoolean() ? 48 : bytes.length))] = (byte) random.nextInt();
            }
            try {
                column(function, "BYTES").add(bytes).add(valid.get(function)).result();
            }
            catch (StorageException e) {
                assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW);
            }
        }
    }

    private static void assertNoSet(String function, byte[] first, byte[] second)
    {
        assertThatThrownBy(() -> column(function, "BYTES").add(first).add(second).result())
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                .hasMessageContaining("'v'")
                .hasMessageContaining("'" + function + "'");
    }

    private static void assertRefused(Runnable action, AggregateFunction function)
    {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                .hasMessageContaining("'" + function.functionName() + "' of column 'v'")
                .hasMessageContaining("'fields.v.ignore-retract' = 'true'");
    }

    private static byte[] bitmap32(int... values)
            throws IOException
    {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        RoaringBitmap.bitmapOf(values).serialize(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static byte[] bitmap64(long... values)
            throws IOException
    {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Roaring64Bitmap.bitmapOf(values).serialize(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static byte[] bytes(String text)
    {
        return text.getBytes(UTF_8);
    }

    private static List<Object> list(Object... values)
    {
        return Collections.unmodifiableList(Arrays.asList(values));
    }

    private static List<String> texts(Object array)
    {
        return ((List<?>) array).stream().map(value -> value == null ? "null" : new String((byte[]) value, UTF_8)).toList();
    }

    private static <V> Map<String, V> ordered(Object... keysAndValues)
    {
        Map<String, V> map = new LinkedHashMap<>();
        for (int index = 0; index < keysAndValues.length; index += 2) {
            @SuppressWarnings("unchecked")
            V value = (V) keysAndValues[index + 1];
            map.put((String) keysAndValues[index], value);
        }
        return map;
    }
}
