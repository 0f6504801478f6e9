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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Table definitions drawn from a seeded source.
 */
final class RandomTables
{
    static final List<String> KEY_TYPES = ImmutableList.of(
            "BOOLEAN", "TINYINT", "SMALLINT", "INT", "INT", "BIGINT", "BIGINT", "FLOAT", "DOUBLE",
            "DECIMAL(5, 2)", "DECIMAL(18, 4)", "DECIMAL(38, 10)",
            "CHAR(3)", "VARCHAR(20)", "STRING", "STRING",
            "BINARY(4)", "VARBINARY(20)", "BYTES",
            "DATE", "TIME(0)", "TIME(3)",
            "TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)",
            "TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP(6) WITH LOCAL TIME ZONE", "TIMESTAMP(9) WITH LOCAL TIME ZONE");

    // Paimon 1.4.2 cannot look up a key of bytes
    static final List<String> LOOKUP_KEY_TYPES = KEY_TYPES.stream()
            .filter(type -> !type.startsWith("BINARY") && !type.startsWith("VARBINARY") && !type.equals("BYTES"))
            .collect(toImmutableList());

    static final List<String> NESTED_TYPES = ImmutableList.of(
            "{\"type\":\"ARRAY\",\"element\":\"INT\"}",
            "{\"type\":\"ARRAY\",\"element\":\"STRING\"}",
            "{\"type\":\"ARRAY\",\"element\":{\"type\":\"ARRAY\",\"element\":\"TIMESTAMP(6)\"}}",
            "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":\"STRING\"}",
            "{\"type\":\"MAP\",\"key\":\"STRING\",\"value\":\"DECIMAL(20, 3)\"}",
            "{\"type\":\"MULTISET\",\"element\":\"STRING\"}",
            "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"b\",\"type\":\"STRING\"}]}",
            "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"DOUBLE\"},"
                    + "{\"id\":1,\"name\":\"b\",\"type\":{\"type\":\"ARRAY\",\"element\":\"DATE\"}}]}");

    private static final List<String> PARTITION_TYPES = ImmutableList.of("BOOLEAN", "TINYINT", "INT", "BIGINT", "CHAR(3)", "STRING", "STRING", "DATE");
    private static final List<String> ENGINES = ImmutableList.of("deduplicate", "deduplicate", "aggregation", "aggregation", "partial-update", "partial-update", "first-row");
    // draws tables of one engine only
    private static final String ENGINE = System.getProperty("lookup.merge-engine");

    // all tables have them; for runs that look for nothing else
    private static final boolean ALWAYS_DELETION_VECTORS = Boolean.getBoolean("lookup.deletion-vectors");

    private static final int WIDE_TABLE_ODDS = 30;

    private final Random random;

    RandomTables(Random random)
    {
        this.random = requireNonNull(random, "random is null");
    }

    PaimonTableDefinition next()
    {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("bucket", String.valueOf(random.nextInt(1, 5)));
        String engine = ENGINE == null ? any(ENGINES) : ENGINE;
        boolean aggregation = engine.equals("aggregation");
        if (!engine.equals("deduplicate")) {
            options.put("merge-engine", engine);
        }
        boolean lookup = random.nextInt(4) != 0;
        boolean rowDeduplicate = lookup && random.nextBoolean();
        if (lookup) {
            options.put("changelog-producer", "lookup");
            if (rowDeduplicate) {
                options.put("changelog-producer.row-deduplicate", "true");
            }
        }
        // what is left of a retraction depends on what was merged before, which is certain with a lookup only
        boolean retracts = aggregation && lookup && random.nextInt(3) == 0;
        if (aggregation && !retracts && random.nextInt(3) == 0) {
            options.put("aggregation.remove-record-on-delete", "true");
            if (!lookup) {
                // a removal that is merged with what follows it before it meets what it removes is forgotten
                options.put("write-only", "true");
            }
        }
        if (random.nextInt(3) == 0) {
            options.put("num-sorted-run.compaction-trigger", String.valueOf(random.nextInt(2, 5)));
        }

        List<Column> columns = new ArrayList<>();
        List<String> partitionKeys = addColumns(columns, "p", random.nextInt(2) * random.nextInt(1, 3), PARTITION_TYPES);
        List<String> keys = addColumns(columns, "k", random.nextInt(1, 4), lookup || engine.equals("first-row") ? LOOKUP_KEY_TYPES : KEY_TYPES);
        int valueCount = random.nextInt(WIDE_TABLE_ODDS) == 0 ? random.nextInt(30, 45) : random.nextInt(1, 7);
        RandomAggregates aggregates = new RandomAggregates(random, lookup, rowDeduplicate, retracts);
        List<Column> values = new ArrayList<>();
        for (int index = 0; index < valueCount; index++) {
            values.add(aggregation ? aggregates.column("v" + index, options, this) : new Column("v" + index, valueType()));
        }
        new RandomMergeOptions(random, this).add(engine, lookup, retracts, values, options);
        columns.addAll(values);
        Collections.shuffle(columns, random);

        List<String> primaryKey = new ArrayList<>(keys);
        primaryKey.addAll(partitionKeys);
        Collections.shuffle(primaryKey, random);
        addDeletionVectors(columns, keys, options);
        return new PaimonTableDefinition(columns, primaryKey, partitionKeys, ImmutableMap.copyOf(options));
    }

    /**
     * Deletion vectors are made by lookups, and first-row replaces nothing.
     */
    private void addDeletionVectors(List<Column> columns, List<String> keys, Map<String, String> options)
    {
        boolean wanted = random.nextInt(4) == 0 || ALWAYS_DELETION_VECTORS;
        boolean bitmap64 = random.nextBoolean();
        boolean canLookUp = columns.stream()
                .filter(column -> keys.contains(column.name()))
                .allMatch(column -> LOOKUP_KEY_TYPES.contains(column.type().replace(" NOT NULL", "")));
        // rows of such a table are visible by compaction only
        boolean compacts = !options.containsKey("write-only");
        if (wanted && canLookUp && compacts && !"first-row".equals(options.get("merge-engine"))) {
            options.put("deletion-vectors.enabled", "true");
            if (bitmap64) {
                options.put("deletion-vectors.bitmap64", "true");
            }
        }
    }

    private List<String> addColumns(List<Column> columns, String prefix, int count, List<String> types)
    {
        List<String> names = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            columns.add(new Column(prefix + index, any(types) + " NOT NULL"));
            names.add(prefix + index);
        }
        return names;
    }

    String comparableType()
    {
        String type = any(KEY_TYPES);
        // Paimon has no order for booleans outside of keys
        return type.equals("BOOLEAN") ? "INT" : type;
    }

    String nullableType()
    {
        return random.nextInt(4) == 0 ? any(NESTED_TYPES) : any(KEY_TYPES);
    }

    String valueType()
    {
        String type = nullableType();
        return !type.startsWith("{") && random.nextInt(8) == 0 ? type + " NOT NULL" : type;
    }

    private <T> T any(List<T> values)
    {
        return values.get(random.nextInt(values.size()));
    }
}
