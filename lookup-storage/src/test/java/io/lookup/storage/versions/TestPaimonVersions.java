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
package io.lookup.storage.versions;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.table.EngineTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static io.lookup.storage.versions.VersionFiles.unpack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tables that other versions of Paimon wrote, see {@link VersionTables}, are read as the version of today reads them, and written so that it goes on.
 */
final class TestPaimonVersions
{
    private static final List<String> KEYED = ImmutableList.of("keyed", "vectors", "full", "input", "dynamic");
    private static final Map<String, List<String>> ROWS = ImmutableMap.of(
            "sums", ImmutableList.of("(0, 1, null)", "(1, 34, 'round 2')", "(2, 1, null)"),
            "appended", ImmutableList.of("(2022-01-08, 'a')", "(2022-01-09, null)", "(null, 'b')"));

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"0.9.0", "1.0.1", "1.1.1", "1.2.0", "1.3.1", "2.1-5dacde5"})
    void testTables(String version)
            throws Exception
    {
        Path warehouse = directory.resolve("warehouse");
        unpack(version, warehouse.resolve("versions.db"));
        try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()));
                PaimonOracle paimon = new PaimonOracle(warehouse, directory.resolve("scratch"))) {
            for (String name : ImmutableList.<String>builder().addAll(KEYED).addAll(ROWS.keySet()).build()) {
                OracleTable table = new OracleTable("versions", name);
                EngineTable engine = new EngineTable(fileIo, paimon.location(table), directory.resolve("spill"));
                assertSame(version + " " + name, engine, paimon, table);
                List<String> rows = engine.readRows();
                if (ROWS.containsKey(name)) {
                    assertThat(rows).isEqualTo(ROWS.get(name));
                    continue;
                }
                assertThat(rows).hasSize(3).first().asString().startsWith("('north', 1, 10.000, 2023-11-14T22:13:20.000001000, [").endsWith("], 'noted')");
                assertThat(engine.readRows(engine.open().snapshots().tag("second").orElseThrow())).isNotEmpty();
                // one more row, and one in the place of another
                engine.write(ImmutableList.of(row("north", 1, "11.000", "again"), row("west", 9, "9.000", null)));
                assertThat(engine.readRows()).hasSize(4).contains("('west', 9, 9.000, 2024-01-01T00:00:00.000000000, ['x'], null)");
                assertSame(version + " " + name + ", written", engine, paimon, table);
            }
        }
    }

    /**
     * With indexes and layouts of manifests that 1.4 does not know: read alike, and not written.
     */
    @Test
    void testOptionsOfNewerVersion()
            throws Exception
    {
        Path warehouse = directory.resolve("warehouse");
        unpack("2.1-5dacde5", warehouse.resolve("versions.db"));
        try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()));
                PaimonOracle paimon = new PaimonOracle(warehouse, directory.resolve("scratch"))) {
            OracleTable table = new OracleTable("versions", "newer");
            EngineTable engine = new EngineTable(fileIo, paimon.location(table), directory.resolve("spill"));
            assertSame("options of a newer version", engine, paimon, table);
            assertThat(engine.readRows()).hasSize(3);
            assertThatThrownBy(() -> engine.write(ImmutableList.of(row("west", 9, "9.000", null))))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                    .hasMessageContaining("is unknown, so the table can only be read");
        }
    }

    private static void assertSame(String description, EngineTable engine, PaimonOracle paimon, OracleTable table)
            throws Exception
    {
        for (Snapshot snapshot : engine.snapshots()) {
            assertThat(engine.readRows(snapshot))
                    .as("%s, snapshot %s", description, snapshot.id())
                    .isEqualTo(texts(inLatestSchema(engine, paimon.readTable(table, snapshot.id()))));
            if (snapshot.changelogManifestList().isPresent() && snapshot.commitKind() != CommitKind.OVERWRITE) {
                assertThat(sorted(engine.readLog(snapshot)))
                        .as("%s, log of snapshot %s", description, snapshot.id())
                        .isEqualTo(sorted(inLatestSchema(engine, paimon.readChangelog(table, snapshot.id()))));
            }
        }
    }

    /**
     * Paimon reads a snapshot in its own schema. Columns were added at the end.
     */
    private static List<Change> inLatestSchema(EngineTable engine, List<Change> rows)
    {
        int columns = engine.open().schema().fields().size();
        return rows.stream()
                .map(row -> {
                    List<Object> values = new ArrayList<>(row.values());
                    while (values.size() < columns) {
                        values.add(null);
                    }
                    return new Change(row.kind(), values);
                })
                .toList();
    }

    private static List<String> texts(List<Change> rows)
    {
        return rows.stream().map(Change::rowText).sorted().toList();
    }

    private static List<Change> sorted(List<Change> changes)
    {
        return changes.stream().sorted().toList();
    }

    private static Change row(String region, int key, String cost, String note)
    {
        List<Object> values = new ArrayList<>();
        values.add(region);
        values.add(key);
        values.add(new BigDecimal(cost));
        values.add(LocalDateTime.of(2024, 1, 1, 0, 0));
        values.add(ImmutableList.of("x"));
        values.add(note);
        return Change.insert(values.toArray());
    }
}
