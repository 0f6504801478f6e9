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
package io.lookup.storage.damage;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonMaintenance;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static java.util.Objects.requireNonNull;

/**
 * Tables that another engine wrote, which between them have every kind of file.
 */
final class DamagedTables
{
    static final int ROW_COUNT = 39;

    private static final List<Column> FLAT = ImmutableList.of(
            new Column("day", "DATE NOT NULL"),
            new Column("region", "STRING NOT NULL"),
            new Column("k", "INT NOT NULL"),
            new Column("code", "STRING NOT NULL"),
            new Column("price", "DECIMAL(25, 3)"),
            new Column("at", "TIMESTAMP(9)"),
            new Column("note", "STRING"));
    private static final List<Column> NESTED = ImmutableList.<Column>builder().addAll(FLAT)
            .add(new Column("counts", "{\"type\":\"ARRAY\",\"element\":\"INT\"}"))
            .add(new Column("prices", "{\"type\":\"MAP\",\"key\":\"STRING NOT NULL\",\"value\":\"DECIMAL(10, 2)\"}"))
            .add(new Column("parts", "{\"type\":\"ARRAY\",\"element\":{\"type\":\"ROW\",\"fields\":[{\"id\":20,\"name\":\"a\",\"type\":\"BIGINT\"},{\"id\":21,\"name\":\"b\",\"type\":{\"type\":\"ARRAY\",\"element\":\"STRING\"}}]}}"))
            .build();

    private static final Map<String, String> EXPIRY = ImmutableMap.of(
            "snapshot.num-retained.min", "1",
            "snapshot.num-retained.max", "2",
            "changelog.num-retained.min", "1",
            "changelog.num-retained.max", "100");

    private final PaimonOracle paimon;

    DamagedTables(PaimonOracle paimon)
    {
        this.paimon = requireNonNull(paimon, "paimon is null");
    }

    List<OracleTable> createAll()
            throws Exception
    {
        return ImmutableList.of(
                create("packed", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup")),
                create("plain", ImmutableMap.of("bucket", "1", "manifest.compression", "null", "file.compression", "none", "changelog-producer", "lookup")),
                create("paged", false, ImmutableMap.of("bucket", "1", "file.compression", "none", "parquet.page.row.count.limit", "5", "parquet.page.size.row.check.min", "5", "parquet.enable.dictionary", "false")),
                create("vectors", ImmutableMap.of("bucket", "1", "manifest.compression", "null", "deletion-vectors.enabled", "true")),
                create("orc", ImmutableMap.of("bucket", "1", "file.format", "orc", "changelog-producer", "lookup")),
                create("avro", ImmutableMap.of("bucket", "1", "file.format", "avro", "changelog-producer", "lookup")),
                create("growing", false, ImmutableMap.of("bucket", "-1", "dynamic-bucket.target-row-num", "7")),
                expired("decoupled"));
    }

    OracleTable create(String name, Map<String, String> options)
            throws Exception
    {
        return create(name, true, options);
    }

    OracleTable createFlat(String name, Map<String, String> options)
            throws Exception
    {
        return create(name, false, options);
    }

    /**
     * A table whose log lives longer than its snapshots.
     */
    private OracleTable expired(String name)
            throws Exception
    {
        OracleTable table = create(name, false, ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"));
        for (Map.Entry<String, String> option : EXPIRY.entrySet()) {
            paimon.setOption(table, option.getKey(), option.getValue());
        }
        PaimonMaintenance maintenance = paimon.maintenance(table);
        maintenance.deleteTag("plain");
        maintenance.deleteTag("for-a-while");
        // all of the log is read
        maintenance.consume("reader", 100);
        maintenance.expireByOptions();
        return table;
    }

    private OracleTable create(String name, boolean nested, Map<String, String> options)
            throws Exception
    {
        // which knows no smaller parts of a second
        boolean avro = "avro".equals(options.get("file.format"));
        OracleTable table = paimon.createTable("default", name, new PaimonTableDefinition(
                (nested ? NESTED : FLAT).stream().map(column -> avro && column.type().startsWith("TIMESTAMP") ? new Column(column.name(), "TIMESTAMP(6)") : column).toList(),
                ImmutableList.of("day", "region", "k", "code"),
                ImmutableList.of("day", "region"),
                options));
        paimon.write(table, rows(1, 40, "first", nested));
        paimon.write(table, rows(20, 30, "second", nested));
        paimon.compact(table, true);
        paimon.write(table, rows(5, 12, "a longer text than the others, so that it is stored behind the row", nested));
        paimon.compact(table, false);
        PaimonMaintenance maintenance = paimon.maintenance(table);
        maintenance.analyze(1, 0, 40, "k", 2, 40, 1, 40, 0);
        maintenance.createTag("plain", 2);
        maintenance.createTag("for-a-while", 1, Duration.ofDays(400));
        maintenance.consume("reader", 2);
        return table;
    }

    private static List<Change> rows(int from, int to, String note, boolean nested)
    {
        List<Change> rows = new ArrayList<>();
        for (int key = from; key < to; key++) {
            List<Object> values = new ArrayList<>();
            values.add(LocalDate.of(2024, 1, 1 + key % 2));
            values.add(key % 3 == 0 ? "north" : "a region with a name that is long");
            values.add(key);
            values.add("code of the key " + key);
            values.add(new BigDecimal(key + ".125"));
            values.add(LocalDateTime.of(2024, 2, 29, 1, 2, 3, key));
            values.add(key % 5 == 0 ? null : note);
            if (nested) {
                values.add(ImmutableList.of(key, key + 1));
                values.add(key % 4 == 0 ? null : ImmutableMap.of("a", new BigDecimal(key + ".25"), "b" + key, new BigDecimal("1.00")));
                values.add(key % 7 == 0 ? ImmutableList.of() : ImmutableList.of(ImmutableList.of((long) key, ImmutableList.of("x", "y" + key)), ImmutableList.of(2L, ImmutableList.of())));
            }
            rows.add(Change.insert(values.toArray()));
        }
        return rows;
    }
}
