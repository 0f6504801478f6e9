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
import io.lookup.storage.StorageException;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.MergeSteps.Version;
import org.apache.paimon.KeyValue;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.mergetree.compact.MergeFunctionFactory;
import org.apache.paimon.mergetree.compact.PartialUpdateMergeFunction;
import org.apache.paimon.mergetree.compact.aggregate.AggregateMergeFunction;
import org.apache.paimon.options.Options;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random versions of one key, removals and what comes after them included, through our merge functions and Paimon's.
 */
final class TestMergesAgainstPaimon
{
    private static final int HISTORIES = Boolean.getBoolean("lookup.thorough") ? 200_000 : 20_000;
    private static final int COLUMNS = 7;
    private static final List<String> RETRACTING = ImmutableList.of("sum", "product", "last_value", "last_non_null_value", "primary-key");
    private static final List<String> OTHERS = ImmutableList.of("max", "min", "first_value", "first_non_null_value");

    @Test
    void testAggregation()
    {
        int rows = 0;
        int failures = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            Random random = new Random(seed);
            Map<String, String> options = new LinkedHashMap<>();
            options.put("merge-engine", "aggregation");
            boolean removes = random.nextBoolean();
            if (removes) {
                options.put("aggregation.remove-record-on-delete", "true");
            }
            for (int column = 1; column < COLUMNS; column++) {
                function(random, column, !removes, options);
            }
            Optional<Version> result = compare(seed, options, versions(random), AggregateMergeFunction.factory(Options.fromMap(options), rowType(), ImmutableList.of("f0")));
            rows += result.isPresent() ? 1 : 0;
            failures += result.isEmpty() ? 1 : 0;
        }
        assertThat(rows).isGreaterThan(HISTORIES / 3);
        assertThat(failures).isPositive();
    }

    @Test
    void testPartialUpdate()
    {
        int rows = 0;
        int failures = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            Random random = new Random(seed);
            Map<String, String> options = new LinkedHashMap<>();
            options.put("merge-engine", "partial-update");
            switch (random.nextInt(5)) {
                case 0 -> options.put("ignore-delete", "true");
                case 1 -> options.put("partial-update.remove-record-on-delete", "true");
                case 2 -> sequenceGroups(random, ImmutableList.of("f2"), options);
                case 3 -> sequenceGroups(random, ImmutableList.of("f2", "f5"), options);
                default -> sequenceGroups(random, ImmutableList.of(), options);
            }
            Optional<Version> result = compare(seed, options, versions(random), PartialUpdateMergeFunction.factory(Options.fromMap(options), rowType(), ImmutableList.of("f0")));
            rows += result.isPresent() ? 1 : 0;
            failures += result.isEmpty() ? 1 : 0;
        }
        assertThat(rows).isGreaterThan(HISTORIES / 3);
        assertThat(failures).isZero();
    }

    /**
     * {@code f1} follows {@code f2}; {@code f3} and {@code f4} follow {@code f5}.
     */
    private static void sequenceGroups(Random random, List<String> removing, Map<String, String> options)
    {
        options.put("fields.f2.sequence-group", "f1");
        options.put("fields.f5.sequence-group", "f3,f4");
        for (int column : new int[] {1, 3, 4}) {
            if (random.nextBoolean()) {
                function(random, column, true, options);
                options.put("fields.f" + column + ".ignore-retract", String.valueOf(random.nextBoolean() || OTHERS.contains(options.get("fields.f" + column + ".aggregate-function"))));
            }
        }
        if (!removing.isEmpty()) {
            options.put("partial-update.remove-record-on-sequence-group", String.join(",", removing));
        }
    }

    private static void function(Random random, int column, boolean canIgnore, Map<String, String> options)
    {
        boolean retracting = random.nextInt(4) != 0;
        options.put("fields.f" + column + ".aggregate-function", any(random, retracting ? RETRACTING : OTHERS));
        if (canIgnore && random.nextInt(3) == 0) {
            options.put("fields.f" + column + ".ignore-retract", "true");
        }
    }

    private static List<Version> versions(Random random)
    {
        List<Version> versions = new ArrayList<>();
        int count = random.nextInt(2, 8);
        for (int index = 0; index < count; index++) {
            Integer[] values = new Integer[COLUMNS];
            values[0] = 1;
            for (int column = 1; column < COLUMNS; column++) {
                // no zero, by which a product cannot be divided
                values[column] = random.nextInt(4) == 0 ? null : (Integer) random.nextInt(1, 5);
            }
            RowKind kind = random.nextInt(3) != 0 ? RowKind.INSERT : RowKind.fromValue((byte) random.nextInt(4));
            versions.add(new Version(kind, index, 0, Arrays.asList(values)));
        }
        return versions;
    }

    /**
     * @return empty if both fail
     */
    private static Optional<Version> compare(int seed, Map<String, String> options, List<Version> versions, MergeFunctionFactory<KeyValue> factory)
    {
        String description = "seed %s, %s, %s".formatted(seed, options, versions);
        MergeSteps steps = MergeSteps.of(COLUMNS, ImmutableMap.copyOf(options));
        versions.forEach(version -> steps.addAt(0, version.kind(), version.values().toArray(Integer[]::new)));
        Optional<Version> expected;
        try {
            expected = Optional.of(paimonResult(versions, factory.create()));
        }
        catch (UnsupportedOperationException e) {
            expected = Optional.empty();
        }
        Optional<Version> result;
        try {
            result = Optional.of(steps.result(false));
        }
        catch (StorageException e) {
            result = Optional.empty();
        }
        assertThat(result).as(description).isEqualTo(expected);
        return result;
    }

    private static Version paimonResult(List<Version> versions, org.apache.paimon.mergetree.compact.MergeFunction<KeyValue> function)
    {
        function.reset();
        for (Version version : versions) {
            function.add(new KeyValue().replace(
                    GenericRow.of(1),
                    version.sequence(),
                    org.apache.paimon.types.RowKind.fromByteValue(version.kind().value()),
                    GenericRow.of(version.values().toArray())));
        }
        KeyValue result = function.getResult();
        InternalRow row = result.value();
        List<Integer> values = new ArrayList<>();
        for (int column = 0; column < COLUMNS; column++) {
            values.add(row.isNullAt(column) ? null : (Integer) row.getInt(column));
        }
        // where nothing but ignored rows was seen there is no row that a number could be of
        boolean allIgnored = result.valueKind() == org.apache.paimon.types.RowKind.DELETE && result.sequenceNumber() == 0;
        return new Version(RowKind.fromValue(result.valueKind().toByteValue()), allIgnored ? versions.getLast().sequence() : result.sequenceNumber(), 0, values);
    }

    private static RowType rowType()
    {
        RowType.Builder type = RowType.builder();
        for (int column = 0; column < COLUMNS; column++) {
            type.field("f" + column, column == 0 ? DataTypes.INT().notNull() : DataTypes.INT());
        }
        return type.build();
    }

    private static <T> T any(Random random, List<T> values)
    {
        return values.get(random.nextInt(values.size()));
    }
}
