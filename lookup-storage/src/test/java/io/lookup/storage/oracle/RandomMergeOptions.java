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
import io.lookup.storage.oracle.PaimonTableDefinition.Column;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Draws what decides over the versions of a key besides the merge engine: sequence fields, sequence groups, what a delete means.
 */
final class RandomMergeOptions
{
    // what Paimon compares as its keys are compared, and without NaN and the negative zero
    private static final List<String> SEQUENCE_TYPES = ImmutableList.of(
            "TINYINT", "INT", "INT", "BIGINT", "DECIMAL(5, 2)", "DECIMAL(38, 10)", "STRING", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(9)");

    // what leaves a lone value as it is
    private static final Set<String> GROUP_FUNCTIONS = ImmutableSet.of(
            "sum", "product", "min", "max", "first_value", "first_non_null_value", "first_not_null_value", "last_value", "last_non_null_value",
            "listagg", "bool_and", "bool_or", "collect", "merge_map", "rbm32", "rbm64", "hll_sketch", "theta_sketch");

    private final Random random;
    private final RandomTables tables;

    RandomMergeOptions(Random random, RandomTables tables)
    {
        this.random = requireNonNull(random, "random is null");
        this.tables = requireNonNull(tables, "tables is null");
    }

    /**
     * @param columns the value columns, of which some may become others
     */
    void add(String engine, boolean lookup, boolean retracts, List<Column> columns, Map<String, String> options)
    {
        if (engine.equals("aggregation")) {
            if (!retracts && !options.containsKey("aggregation.remove-record-on-delete") && random.nextInt(4) == 0) {
                sequenceFields(lookup, columns, options);
            }
            return;
        }
        if (random.nextInt(8) == 0) {
            options.put("ignore-delete", "true");
        }
        switch (engine) {
            case "first-row" -> {
                // Paimon refuses a sequence field
            }
            case "partial-update" -> partialUpdate(lookup, columns, options);
            default -> {
                if (random.nextInt(4) == 0) {
                    sequenceFields(true, columns, options);
                }
                else if (random.nextInt(10) == 0) {
                    columns.add(new Column("kind", "VARCHAR(2) NOT NULL"));
                    options.put("rowkind.field", "kind");
                }
            }
        }
    }

    private void partialUpdate(boolean lookup, List<Column> columns, Map<String, String> options)
    {
        switch (random.nextInt(6)) {
            case 0 -> {
                if (random.nextBoolean()) {
                    options.put("fields.default-aggregate-function", "last_non_null_value");
                }
            }
            case 1 -> sequenceFields(lookup, columns, options);
            case 2 -> {
                if (!options.containsKey("ignore-delete")) {
                    options.put("partial-update.remove-record-on-delete", "true");
                    mergeAtOnce(lookup, options);
                }
            }
            default -> {
                sequenceGroups(lookup, columns, options);
                mergeAtOnce(lookup, options);
            }
        }
    }

    private void sequenceFields(boolean mergesInParts, List<Column> columns, Map<String, String> options)
    {
        List<String> names = sequenceColumns("s", random.nextInt(1, 4), SEQUENCE_TYPES, columns);
        options.put("sequence.field", String.join(",", names));
        if (random.nextInt(3) == 0) {
            options.put("sequence.field.sort-order", "descending");
        }
        mergeAtOnce(mergesInParts, options);
    }

    private void sequenceGroups(boolean lookup, List<Column> columns, Map<String, String> options)
    {
        List<Column> members = new ArrayList<>(columns);
        List<String> removing = new ArrayList<>();
        boolean removeRecords = !options.containsKey("ignore-delete") && random.nextInt(3) == 0;
        int groups = random.nextInt(1, 4);
        for (int group = 0; group < groups; group++) {
            List<String> names = new ArrayList<>();
            int count = members.isEmpty() ? 0 : random.nextInt(1, members.size() + 1);
            for (int index = 0; index < count; index++) {
                Column member = members.removeLast();
                columns.set(columns.indexOf(member), member(member, lookup, options));
                names.add(member.name());
            }
            if (names.isEmpty()) {
                break;
            }
            boolean removes = removeRecords && (group == 0 || random.nextBoolean());
            List<String> sequence = sequenceColumns("g" + group, random.nextInt(1, 3), removes ? ImmutableList.of("BIGINT") : SEQUENCE_TYPES, columns);
            options.put("fields." + String.join(",", sequence) + ".sequence-group", String.join(",", names));
            if (removes) {
                removing.add(sequence.get(random.nextInt(sequence.size())));
            }
        }
        if (removeRecords) {
            options.put("partial-update.remove-record-on-sequence-group", String.join(",", removing));
        }
        else if (random.nextInt(4) == 0) {
            options.put("fields.default-aggregate-function", "last_non_null_value");
        }
    }

    private Column member(Column column, boolean lookup, Map<String, String> options)
    {
        boolean retracts = !options.containsKey("ignore-delete");
        boolean rowDeduplicate = options.containsKey("changelog-producer.row-deduplicate");
        String key = "fields." + column.name() + ".";
        Column member = column;
        if (random.nextBoolean()) {
            do {
                options.keySet().removeIf(option -> option.startsWith(key));
                member = new RandomAggregates(random, lookup, rowDeduplicate, retracts).column(column.name(), options, tables);
            }
            while (!GROUP_FUNCTIONS.contains(options.get(key + "aggregate-function")));
            // changes a lone array, which Paimon logs and does not write
            options.remove(key + "distinct");
        }
        return new Column(member.name(), member.type().replaceFirst("^([A-Z0-9(), ]+) NOT NULL$", "$1"));
    }

    private List<String> sequenceColumns(String prefix, int count, List<String> types, List<Column> columns)
    {
        List<String> names = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            names.add(prefix + "s" + index);
            columns.add(new Column(prefix + "s" + index, types.get(random.nextInt(types.size()))));
        }
        return names;
    }

    /**
     * Where merging some versions first gives another result than merging all at once, Paimon's result depends on its compactions.
     */
    private static void mergeAtOnce(boolean mergesInParts, Map<String, String> options)
    {
        if (!mergesInParts) {
            options.put("write-only", "true");
        }
    }
}
