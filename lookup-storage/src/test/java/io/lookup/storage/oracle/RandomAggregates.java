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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Longs;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.utils.HllSketchUtil;
import org.apache.paimon.utils.RoaringBitmap32;
import org.apache.paimon.utils.RoaringBitmap64;
import org.apache.paimon.utils.ThetaSketch;
import org.roaringbitmap.longlong.Roaring64Bitmap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;

/**
 * Columns with aggregate functions, and values for them of which it does not show in which order, or how grouped, they
 * were merged where two engines differ in that.
 */
final class RandomAggregates
{
    private static final List<String> FUNCTIONS = ImmutableList.of(
            "sum", "product", "min", "max", "first_value", "first_non_null_value", "first_not_null_value", "last_value", "last_non_null_value", "primary-key",
            "listagg", "bool_and", "bool_or", "collect", "merge_map", "merge_map_with_keytime", "nested_update", "nested_partial_update",
            "rbm32", "rbm64", "hll_sketch", "theta_sketch");
    private static final Set<String> RETRACTING = ImmutableSet.of(
            "sum", "product", "last_value", "last_non_null_value", "primary-key", "collect", "merge_map", "nested_update");
    // order of a hash table, which Paimon's comparison of rows sees
    private static final Set<String> UNORDERED = ImmutableSet.of("merge_map", "merge_map_with_keytime", "nested_partial_update");
    private static final List<String> SUMMABLE_TYPES = ImmutableList.of(
            "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(5, 2)", "DECIMAL(18, 4)", "DECIMAL(38, 10)");
    private static final List<String> ELEMENT_TYPES = ImmutableList.of("INT", "STRING", "BIGINT", "DECIMAL(20, 3)", "DATE", "TIMESTAMP(6)");
    private static final String NESTED_ROW = "{\"type\":\"ROW NOT NULL\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"TINYINT\"},{\"id\":1,\"name\":\"b\",\"type\":\"STRING\"},{\"id\":2,\"name\":\"c\",\"type\":\"BOOLEAN\"}]}";
    private static final String TIMED_ROW = "{\"type\":\"ROW NOT NULL\",\"fields\":[{\"id\":0,\"name\":\"t\",\"type\":\"STRING\"},{\"id\":1,\"name\":\"x\",\"type\":\"INT\"}]}";

    private final Random random;
    private final boolean rowDeduplicate;
    private final boolean retracts;
    private final boolean lookup;

    /**
     * @param retracts whether every column must be able to take back values
     */
    RandomAggregates(Random random, boolean lookup, boolean rowDeduplicate, boolean retracts)
    {
        this.random = requireNonNull(random, "random is null");
        this.lookup = lookup;
        this.rowDeduplicate = rowDeduplicate;
        this.retracts = retracts;
    }

    Column column(String name, Map<String, String> options, RandomTables tables)
    {
        String function = function();
        String prefix = "fields." + name + ".";
        options.put(prefix + "aggregate-function", function);
        if (retracts && (!RETRACTING.contains(function) || random.nextInt(4) == 0)) {
            options.put(prefix + "ignore-retract", "true");
        }
        return new Column(name, switch (function) {
            case "sum", "product" -> any(SUMMABLE_TYPES);
            case "min", "max" -> tables.comparableType();
            case "bool_and", "bool_or" -> "BOOLEAN";
            case "listagg" -> {
                if (random.nextBoolean()) {
                    options.put(prefix + "list-agg-delimiter", any(ImmutableList.of("; ", "-", "~~")));
                }
                if (random.nextBoolean()) {
                    options.put(prefix + "distinct", "true");
                }
                yield "STRING";
            }
            case "collect" -> {
                if (!rowDeduplicate && random.nextBoolean()) {
                    options.put(prefix + "distinct", "true");
                }
                yield array("\"" + any(ELEMENT_TYPES) + "\"");
            }
            case "merge_map" -> "{\"type\":\"MAP\",\"key\":\"%s\",\"value\":\"%s\"}".formatted(any(ELEMENT_TYPES), any(ELEMENT_TYPES));
            case "merge_map_with_keytime" -> {
                options.put(prefix + "ts-field", "t");
                yield "{\"type\":\"MAP\",\"key\":\"%s\",\"value\":%s}".formatted(any(ELEMENT_TYPES), TIMED_ROW);
            }
            case "nested_update" -> {
                switch (random.nextInt(3)) {
                    case 0 -> options.put(prefix + "count-limit", String.valueOf(random.nextInt(1, 8)));
                    // with a key, which rows a limit lets in depends on the order of a hash table
                    case 1 -> {
                        if (!rowDeduplicate) {
                            options.put(prefix + "nested-key", any(ImmutableList.of("a", "b, a", "a,c")));
                        }
                    }
                    default -> {
                        // neither
                    }
                }
                yield array(NESTED_ROW);
            }
            case "nested_partial_update" -> {
                options.put(prefix + "nested-key", any(ImmutableList.of("a", "b,a", "c")));
                yield array(NESTED_ROW);
            }
            case "rbm32", "rbm64", "hll_sketch", "theta_sketch" -> any(ImmutableList.of("BYTES", "VARBINARY(4000)"));
            default -> retracts ? tables.nullableType() : tables.valueType();
        });
    }

    private String function()
    {
        while (true) {
            String function = any(FUNCTIONS);
            boolean hides = rowDeduplicate && UNORDERED.contains(function);
            // unions of these sketches depend on their order
            if (!hides && (lookup || !function.equals("hll_sketch"))) {
                return function;
            }
        }
    }

    /**
     * A value for a column, null if any value of its type will do.
     */
    Object value(String function, DataType type, RandomValues values)
    {
        return switch (function) {
            case "sum" -> values.summand(type);
            case "product" -> factor(type);
            case "listagg" -> text();
            case "collect", "merge_map", "merge_map_with_keytime", "nested_update", "nested_partial_update" -> random.nextInt(6) == 0 ? null : collection(type, values);
            case "rbm32", "rbm64", "hll_sketch", "theta_sketch" -> random.nextInt(6) == 0 ? null : bytes(function);
            default -> null;
        };
    }

    static boolean drawsValues(String function)
    {
        return switch (function) {
            case "sum", "product", "listagg", "collect", "merge_map", "merge_map_with_keytime", "nested_update", "nested_partial_update", "rbm32", "rbm64", "hll_sketch", "theta_sketch" -> true;
            default -> false;
        };
    }

    /**
     * Whether every column can take back values, and what is left of them is certain.
     */
    static boolean canRetract(PaimonTableDefinition table)
    {
        return "aggregation".equals(table.options().get("merge-engine"))
                && table.options().containsKey("changelog-producer")
                && table.columns().stream()
                        .filter(column -> !table.primaryKey().contains(column.name()))
                        .allMatch(column -> !column.type().endsWith(" NOT NULL")
                                && (RETRACTING.contains(function(table, column)) || table.options().containsKey("fields." + column.name() + ".ignore-retract")));
    }

    static String function(PaimonTableDefinition table, Column column)
    {
        return table.options().getOrDefault("fields." + column.name() + ".aggregate-function", "");
    }

    /**
     * The change with sorted arrays where Paimon leaves their order open, and with the numbers of a bitmap of 64 bits, in which the order shows
     * in which its parts came.
     */
    static Change withoutOrder(PaimonTableDefinition table, Change change)
    {
        List<Object> values = new ArrayList<>(change.values());
        for (int column = 0; column < values.size(); column++) {
            String prefix = "fields." + table.columns().get(column).name() + ".";
            String function = function(table, table.columns().get(column));
            boolean unordered = function.equals("collect") && table.options().containsKey(prefix + "distinct") || function.startsWith("nested_") && table.options().containsKey(prefix + "nested-key");
            if (unordered && values.get(column) instanceof List<?> list) {
                values.set(column, list.stream().sorted(comparing(CanonicalValues::canonicalText)).toList());
            }
            if (function.equals("rbm64") && values.get(column) instanceof byte[] bytes) {
                values.set(column, numbers(bytes));
            }
        }
        return new Change(change.kind(), values);
    }

    /**
     * A factor that can be divided by again, and whose products neither overflow (decimals) nor round.
     */
    private Object factor(DataType type)
    {
        if (random.nextInt(6) == 0) {
            return null;
        }
        int sign = random.nextBoolean() ? 1 : -1;
        return switch (type.getTypeRoot()) {
            case TINYINT, SMALLINT, INTEGER -> sign * random.nextInt(1, 4);
            case BIGINT -> (long) sign * random.nextInt(1, 4);
            case FLOAT -> sign * (random.nextBoolean() ? 0.5f : 2.0f);
            case DOUBLE -> sign * (random.nextBoolean() ? 0.5 : 2.0);
            case DECIMAL -> new BigDecimal(BigInteger.valueOf(sign).multiply(BigInteger.TEN.pow(((DecimalType) type).getScale())), ((DecimalType) type).getScale());
            default -> throw new IllegalArgumentException("Not a type to multiply: " + type);
        };
    }

    private String text()
    {
        if (random.nextInt(6) == 0) {
            return null;
        }
        List<String> parts = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            parts.add(any(ImmutableList.of("a", "b", "é😀", "x y", "", "long enough to lie outside")));
        }
        return String.join(any(ImmutableList.of(",", "; ", "-", "~~")), parts);
    }

    private Object collection(DataType type, RandomValues values)
    {
        if (type instanceof MapType map) {
            Map<Object, Object> entries = new LinkedHashMap<>();
            for (int count = random.nextInt(4); count > 0; count--) {
                entries.put(element(map.getKeyType(), values, false), element(map.getValueType(), values, true));
            }
            return entries;
        }
        List<Object> elements = new ArrayList<>();
        for (int count = random.nextInt(5); count > 0; count--) {
            elements.add(element(((ArrayType) type).getElementType(), values, true));
        }
        return elements;
    }

    // of small types few, so that they meet again
    private Object element(DataType type, RandomValues values, boolean nullable)
    {
        return switch (type.getTypeRoot()) {
            case INTEGER -> random.nextInt(4);
            case BIGINT -> (long) random.nextInt(4);
            case VARCHAR -> any(ImmutableList.of("a", "B", "é", "2024-01-01", "\uFF5E", "😀"));
            default -> nullable && !rowDeduplicate ? values.nullable(type) : values.nonNull(type);
        };
    }

    private byte[] bytes(String function)
    {
        int[] numbers = random.ints(random.nextInt(random.nextInt(10) == 0 ? 400 : 6), 0, 300).toArray();
        return switch (function) {
            case "rbm32" -> RoaringBitmap32.bitmapOf(numbers).serialize();
            case "rbm64" -> {
                long[] longs = new long[numbers.length];
                for (int index = 0; index < longs.length; index++) {
                    longs[index] = numbers[index] * (index % 2 == 0 ? 1L : 10_000_000_019L);
                }
                try {
                    yield RoaringBitmap64.bitmapOf(longs).serialize();
                }
                catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            case "hll_sketch" -> HllSketchUtil.sketchOf(numbers);
            default -> ThetaSketch.sketchOf(numbers);
        };
    }

    private static List<Long> numbers(byte[] bitmap)
    {
        try {
            Roaring64Bitmap numbers = new Roaring64Bitmap();
            numbers.deserialize(ByteBuffer.wrap(bitmap));
            return Longs.asList(numbers.toArray());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String array(String element)
    {
        return "{\"type\":\"ARRAY\",\"element\":" + element + "}";
    }

    private <T> T any(List<T> values)
    {
        return values.get(random.nextInt(values.size()));
    }
}
