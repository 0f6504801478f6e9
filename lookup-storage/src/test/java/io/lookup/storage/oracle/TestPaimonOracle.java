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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Temporary exploration. */
final class TestPaimonOracle
{
    @TempDir
    private Path directory;
    private PaimonOracle oracle;

    @BeforeEach
    void setUp()
    {
        oracle = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"));
    }

    @AfterEach
    void tearDown()
            throws Exception
    {
        oracle.close();
    }

    private OracleTable lab(String name, String valueType, Map<String, String> options)
            throws Exception
    {
        return oracle.createTable("default", name, new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT"), new Column("v", valueType)),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder().put("bucket", "1").putAll(options).buildOrThrow()));
    }

    private void show(OracleTable table, String what)
            throws Exception
    {
        System.out.println("== " + table.name() + " after " + what);
        for (SnapshotSummary snapshot : oracle.snapshots(table)) {
            System.out.println("  " + snapshot + " log " + oracle.readChangelog(table, snapshot.id()) + " " + oracle.changelogFiles(table, snapshot.id()).stream().map(f -> "L" + f.level() + ":" + f.fileSize()).toList());
        }
        oracle.files(table).forEach(file -> System.out.println("  " + file));
        System.out.println("  " + oracle.readTable(table));
    }

    @Test
    void testExplore()
            throws Exception
    {
        List<Change> first = List.of(Change.insert(1, "a"), Change.insert(2, "b"), Change.insert(3, "c"));
        List<Change> second = List.of(Change.insert(1, "A"), Change.insert(2, "b"));
        List<Change> third = List.of(Change.delete(3, "c"));
        List<Change> fourth = List.of(Change.insert(1, "A"));
        for (OracleTable table : List.of(
                lab("cl_none", "STRING", Map.of()),
                lab("cl_lookup", "STRING", Map.of("changelog-producer", "lookup")),
                lab("cl_dedup", "STRING", Map.of("changelog-producer", "lookup", "changelog-producer.row-deduplicate", "true")))) {
            long start = System.nanoTime();
            oracle.write(table, first);
            show(table, "1");
            oracle.write(table, second);
            show(table, "2");
            oracle.write(table, third);
            show(table, "3");
            oracle.write(table, fourth);
            show(table, "4");
            oracle.write(table, fourth);
            show(table, "5");
            oracle.compact(table, true);
            show(table, "full");
            System.out.println((System.nanoTime() - start) / 1000000);
        }
        OracleTable agg = lab("cl_agg", "INT", Map.of("changelog-producer", "lookup", "merge-engine", "aggregation", "fields.v.aggregate-function", "sum"));
        oracle.write(agg, List.of(Change.insert(1, 10), Change.insert(2, 20)));
        show(agg, "1");
        oracle.write(agg, List.of(Change.insert(1, 5)));
        show(agg, "2");
        System.out.println(oracle.readAuditLog(agg, 2, 4, "changelog"));
    }
}
