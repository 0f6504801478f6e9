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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.PaimonValues;
import io.lookup.storage.oracle.RandomValues;
import io.lookup.storage.schema.AggregateFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeJson;
import io.lookup.storage.schema.TypeParser;
import io.lookup.storage.table.BlockValues;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;
import org.apache.paimon.mergetree.compact.aggregate.FieldAggregator;
import org.apache.paimon.mergetree.compact.aggregate.factory.FieldAggregatorFactory;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.HllSketchUtil;
import org.apache.paimon.utils.RoaringBitmap32;
import org.apache.paimon.utils.RoaringBitmap64;
import org.apache.paimon.utils.ThetaSketch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static io.lookup.storage.oracle.CanonicalValues.canonicalText;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of one column (values in order, late values, retractions, deletes that replace the state) through our
 * functions over nested and binary values, texts and booleans, and through Paimon's.
 */
final class TestFunctionsAgainstPaimon
{
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int HISTORIES = Boolean.getBoolean("lookup.thorough") ? 1_000 : 200;

    // scalars of which a value equals itself for Paimon too
    private static final List<String> ELEMENT_TYPES = ImmutableList.of(
            "INT", "BOOLEAN", "BIGINT", "DOUBLE", "DECIMAL(5, 2)", "DECIMAL(30, 2)", "STRING", "DATE", "TIMESTAMP(3)", "TIMESTAMP(9)", "TIMESTAMP(3) WITH LOCAL TIME ZONE");
    private static final String ROW = "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"b\",\"type\":\"STRING\"},{\"id\":2,\"name\":\"c\",\"type\":\"DECIMAL(30, 2)\"}]}";

    @ParameterizedTest
    @ValueSource(strings = {"first_value", "first_non_null_value", "first_not_null_value", "last_value", "last_non_null_value", "primary-key"})
    void testChosenValues(String function)
    {
        for (String type : ImmutableList.<String>builder().addAll(ELEMENT_TYPES).add("BYTES", array("INT"), map("INT", "STRING"), ROW).build()) {
            new Comparison(function, type).run();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bool_and", "bool_or"})
    void testBooleans(String function)
    {
        new Comparison(function, "BOOLEAN").run();
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "::", "aa", "", " ", "é"})
    void testListagg(String delimiter)
    {
        List<String> parts = ImmutableList.of("a", "b", "xa", "aay", "é", "😀", "", delimiter, " ", "lorem ipsum dolor");
        for (String distinct : ImmutableList.of("false", "true")) {
            new Comparison("listagg", "STRING")
                    .option("list-agg-delimiter", delimiter)
                    .option("distinct", distinct)
                    .values(random -> {
                        StringBuilder text = new StringBuilder();
                        for (int count = random.nextInt(4); count > 0; count--) {
                            text.append(parts.get(random.nextInt(parts.size()))).append(random.nextInt(4) == 0 ? "" : delimiter);
                        }
                        return text.toString();
                    })
                    .run();
        }
    }

    @Test
    void testCollect()
    {
        for (String type : ImmutableList.<String>builder().addAll(ELEMENT_TYPES).add(ROW, array("INT"), map("INT", "STRING")).build()) {
            new Comparison("collect", array(type)).nullElements(!type.startsWith("{")).run();
            // the order of Paimon's sets is that of their hashes
            new Comparison("collect", array(type)).nullElements(!type.startsWith("{")).option("distinct", "true").ignoringOrder().run();
        }
    }

    @Test
    void testMergeMap()
    {
        for (String type : ELEMENT_TYPES) {
            new Comparison("merge_map", map(type, "INT")).run();
        }
        new Comparison("merge_map", map("INT", ROW)).run();
        new Comparison("merge_map", map("STRING", array("INT"))).run();
    }

    @Test
    void testMergeMapWithKeyTime()
    {
        new Comparison("merge_map_with_keytime", map("INT", row("INT", "STRING"))).run();
        new Comparison("merge_map_with_keytime", map("STRING", row("STRING", "INT", "BIGINT"))).option("ts-field", "f0").run();
        new Comparison("merge_map_with_keytime", map("INT", row("INT", "CHAR(2)"))).run();
    }

    @Test
    void testNestedUpdate()
    {
        new Comparison("nested_update", array(ROW)).run();
        new Comparison("nested_update", array(ROW)).option("count-limit", "3").run();
        for (String key : ImmutableList.of("a", "b", "c", "b, a", "a,b,c")) {
            // the order of Paimon's rows is that of their hashes
            new Comparison("nested_update", array(ROW)).option("nested-key", key).ignoringOrder().run();
            new Comparison("nested_update", array(ROW)).option("nested-key", key).option("count-limit", "3").withoutLateValues().ignoringOrder().run();
        }
    }

    @Test
    void testNestedPartialUpdate()
    {
        for (String key : ImmutableList.of("a", "b", "c", "b, a")) {
            new Comparison("nested_partial_update", array(ROW)).option("nested-key", key).ignoringOrder().run();
        }
    }

    @Test
    void testBitmaps()
    {
        new Comparison("rbm32", "BYTES").values(random -> RoaringBitmap32.bitmapOf(integers(random)).serialize()).run();
        new Comparison("rbm64", "VARBINARY(100)")
                .values(random -> {
                    long[] values = new long[random.nextInt(6)];
                    for (int index = 0; index < values.length; index++) {
                        values[index] = random.nextBoolean() ? random.nextInt(10) : random.nextLong();
                    }
                    try {
                        return RoaringBitmap64.bitmapOf(values).serialize();
                    }
                    catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .run();
    }

    @Test
    void testLargeBitmaps()
    {
        // containers of all three kinds
        new Comparison("rbm32", "BYTES").histories(100).values(random -> RoaringBitmap32.bitmapOf(manyIntegers(random)).serialize()).run();
    }

    @Test
    void testSketches()
    {
        new Comparison("hll_sketch", "BYTES").values(random -> HllSketchUtil.sketchOf(integers(random))).run();
        new Comparison("theta_sketch", "BYTES").values(random -> ThetaSketch.sketchOf(integers(random))).run();
        // beyond what a sketch holds exactly
        new Comparison("hll_sketch", "BYTES").histories(100).values(random -> HllSketchUtil.sketchOf(manyIntegers(random))).run();
        new Comparison("theta_sketch", "BYTES").histories(100).values(random -> ThetaSketch.sketchOf(manyIntegers(random))).run();
    }

    private static int[] integers(Random random)
    {
        int[] values = new int[random.nextInt(6)];
        for (int index = 0; index < values.length; index++) {
            values[index] = random.nextBoolean() ? random.nextInt(10) : random.nextInt();
        }
        return values;
    }

    private static int[] manyIntegers(Random random)
    {
        int start = random.nextInt(3) * 40_000;
        int step = random.nextInt(1, 4);
        int[] values = new int[random.nextInt(10_000)];
        for (int index = 0; index < values.length; index++) {
            values[index] = start + index * step;
        }
        return values;
    }

    private static String array(String element)
    {
        return "{\"type\":\"ARRAY\",\"element\":" + quoted(element) + "}";
    }

    private static String map(String key, String value)
    {
        return "{\"type\":\"MAP\",\"key\":" + quoted(key) + ",\"value\":" + quoted(value) + "}";
    }

    private static String row(String... fields)
    {
        List<String> texts = new ArrayList<>();
        for (int index = 0; index < fields.length; index++) {
            texts.add("{\"id\":%s,\"name\":\"f%s\",\"type\":%s}".formatted(index, index, quoted(fields[index])));
        }
        return "{\"type\":\"ROW\",\"fields\":[" + String.join(",", texts) + "]}";
    }

    private static String quoted(String type)
    {
        return type.startsWith("{") ? type : "\"" + type + "\"";
    }

    private interface Source
    {
        Object next(Random random);
    }

    /**
     * One function of one type, under some options.
     */
    private static final class Comparison
    {
        private final String function;
        private final org.apache.paimon.types.DataType paimonType;
        private final DataField column;
        private final Map<String, String> options = new LinkedHashMap<>();
        private Source source;
        private boolean ordered = true;
        private boolean lateValues = true;
        private boolean nullElements = true;
        private int histories = HISTORIES;

        private Comparison(String function, String type)
        {
            this.function = function;
            this.paimonType = PaimonValues.parseType(type);
            this.column = new DataField(1, "v", parse(type));
            this.options.put("fields.v.aggregate-function", function);
        }

        Comparison option(String suffix, String value)
        {
            options.put("fields.v." + suffix, value);
            return this;
        }

        Comparison values(Source source)
        {
            this.source = source;
            return this;
        }

        Comparison ignoringOrder()
        {
            ordered = false;
            return this;
        }

        Comparison withoutLateValues()
        {
            lateValues = false;
            return this;
        }

        Comparison nullElements(boolean nullElements)
        {
            this.nullElements = nullElements;
            return this;
        }

        Comparison histories(int histories)
        {
            this.histories = histories;
            return this;
        }

        void run()
        {
            AggregateFunction ours = AggregateFunction.find(function).orElseThrow();
            Type type = TrinoTypes.toTrinoType(column.type());
            for (int seed = 0; seed < histories; seed++) {
                Random random = new Random(seed);
                Pool pool = new Pool(random, nullElements);
                boolean ignoreRetract = random.nextInt(4) == 0;
                Map<String, String> all = ImmutableMap.<String, String>builder().putAll(options).put("fields.v.ignore-retract", String.valueOf(ignoreRetract)).buildOrThrow();
                CoreOptions coreOptions = new CoreOptions(all);
                Aggregator aggregator = Aggregators.create(coreOptions, column, ours);
                FieldAggregator expected = FieldAggregatorFactory.create(paimonType, "v", function, new org.apache.paimon.CoreOptions(all));

                // the aggregator is used for several keys
                for (int key = 0; key < 2; key++) {
                    aggregator.reset();
                    expected.reset();
                    Object state = null;
                    List<String> steps = new ArrayList<>();
                    int count = 1 + random.nextInt(6);
                    for (int step = 0; step < count; step++) {
                        Object value = random.nextInt(6) == 0 ? null : source != null ? source.next(random) : pool.next(paimonType, false);
                        List<Object> row = new ArrayList<>();
                        row.add(value);
                        Block block = BlockValues.toPage(ImmutableList.of(column), ImmutableList.of(row)).getBlock(0);
                        Object paimonValue = PaimonValues.toInternal(paimonType, value);
                        int action = random.nextInt(12);
                        if (action < 3 && (ours.isRetracting() || ignoreRetract)) {
                            steps.add("-" + canonicalText(value));
                            aggregator.retract(block, 0);
                            state = expected.retract(state, paimonValue);
                        }
                        else if (action < 6 && step > 0 && lateValues) {
                            steps.add("late " + canonicalText(value));
                            aggregator.addReversed(block, 0);
                            state = expected.aggReversed(state, paimonValue);
                        }
                        else if (action < 7 && step > 0 && !keepsRepeated()) {
                            steps.add("=" + canonicalText(value));
                            aggregator.replace(block, 0);
                            state = paimonValue;
                        }
                        else {
                            steps.add("+" + canonicalText(value));
                            aggregator.add(block, 0);
                            state = expected.agg(state, paimonValue);
                        }
                    }
                    BlockBuilder builder = type.createBlockBuilder(null, 1);
                    aggregator.writeTo(builder);
                    Object result = BlockValues.toRow(ImmutableList.of(column), new Page(builder.build()), 0).getFirst();
                    assertThat(text(result)).as("%s of %s, seed %s: %s", options, type, seed, steps).isEqualTo(text(PaimonValues.fromInternal(paimonType, state)));
                }
            }
        }

        // Paimon takes it for granted that the elements of a state differ, which those of a deleted row need not
        private boolean keepsRepeated()
        {
            return function.equals("collect") && options.containsKey("fields.v.distinct");
        }

        private String text(Object value)
        {
            if (ordered || value == null) {
                return canonicalText(value);
            }
            return ((List<?>) value).stream().map(element -> canonicalText(element)).sorted().toList().toString();
        }

        private static DataType parse(String type)
        {
            if (!type.startsWith("{")) {
                return TypeParser.parse(type);
            }
            try {
                return TypeJson.read(MAPPER.readTree(type));
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Values made of few scalars, so that they meet again.
     */
    private static final class Pool
    {
        private final Random random;
        private final RandomValues values;
        private final boolean nullElements;
        private final Map<org.apache.paimon.types.DataType, List<Object>> scalars = new LinkedHashMap<>();

        private Pool(Random random, boolean nullElements)
        {
            this.random = random;
            this.values = new RandomValues(random, true);
            this.nullElements = nullElements;
        }

        Object next(org.apache.paimon.types.DataType type, boolean nullable)
        {
            if (nullable && random.nextInt(6) == 0) {
                return null;
            }
            return switch (type) {
                case ArrayType array -> {
                    List<Object> list = new ArrayList<>();
                    for (int count = random.nextInt(5); count > 0; count--) {
                        list.add(next(array.getElementType(), nullElements));
                    }
                    yield list;
                }
                case MapType map -> {
                    Map<Object, Object> entries = new LinkedHashMap<>();
                    for (int count = random.nextInt(4); count > 0; count--) {
                        entries.put(next(map.getKeyType(), false), next(map.getValueType(), nullElements));
                    }
                    yield entries;
                }
                case RowType row -> {
                    List<Object> fields = new ArrayList<>();
                    row.getFieldTypes().forEach(field -> fields.add(next(field, true)));
                    yield fields;
                }
                default -> {
                    List<Object> pool = scalars.computeIfAbsent(type, _ -> values.distinct(type, 3));
                    yield pool.get(random.nextInt(pool.size()));
                }
            };
        }
    }
}
