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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.lookup.TestingLookups;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Data files that go while statements look up in them, by each way: a statement does all of its work or none, and says which file it missed.
 */
final class TestRemovedDataFiles
        extends AbstractOracleTest
{
    @Test
    void testStatementDoesAllOrNothing()
            throws Exception
    {
        int failed = 0;
        int done = 0;
        for (TestingLookups lookups : List.of(TestingLookups.PAGES, TestingLookups.SCAN, TestingLookups.LOCAL, TestingLookups.TINY)) {
            OracleTable table = paimon.createTable("default", "removed_" + lookups.name().toLowerCase(Locale.ENGLISH), new PaimonTableDefinition(
                    ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("v", "BIGINT")),
                    ImmutableList.of("id"),
                    ImmutableList.of(),
                    // many small files, most of which a statement only looks up in
                    ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "num-levels", "5", "num-sorted-run.compaction-trigger", "4")).withOptions(lookups.tableOptions()));
            EngineTable engine = new EngineTable(fileIo, location(table), directory.resolve("spill-" + lookups), lookups);
            Map<Integer, Long> rows = new TreeMap<>();
            Random random = new Random(4);
            for (int commit = 0; commit < 4; commit++) {
                write(engine, changes(random), rows);
            }
            for (int round = 0; round < 6; round++) {
                Map<Path, byte[]> removed = remove(table, random);
                long before = engine.open().snapshots().latestId().orElseThrow();
                List<Change> changes = changes(random);
                try {
                    write(engine, changes, rows);
                    done++;
                }
                catch (StorageException e) {
                    assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE);
                    assertThat(removed.keySet()).anySatisfy(file -> assertThat(e).hasMessageContaining(file.getFileName().toString()));
                    assertThat(engine.open().snapshots().latestId()).hasValue(before);
                    failed++;
                }
                for (Map.Entry<Path, byte[]> file : removed.entrySet()) {
                    Files.write(file.getKey(), file.getValue());
                }
                check(table, engine, rows);
                write(engine, changes, rows);
                check(table, engine, rows);
            }
        }
        assertThat(failed).isPositive();
        assertThat(done).isPositive();
    }

    private static void write(EngineTable engine, List<Change> changes, Map<Integer, Long> rows)
    {
        engine.write(changes);
        changes.forEach(change -> rows.put((Integer) change.values().get(0), (Long) change.values().get(1)));
    }

    private static List<Change> changes(Random random)
    {
        List<Change> changes = new ArrayList<>();
        for (int row = 0; row < 6; row++) {
            changes.add(new Change(INSERT, ImmutableList.of(random.nextInt(60), random.nextLong(1000))));
        }
        return changes;
    }

    private void check(OracleTable table, EngineTable engine, Map<Integer, Long> rows)
            throws Exception
    {
        List<String> expected = rows.entrySet().stream()
                .map(row -> new Change(INSERT, ImmutableList.of(row.getKey(), row.getValue())).rowText())
                .sorted()
                .collect(toImmutableList());
        assertThat(engine.readRows()).isEqualTo(expected);
        assertThat(paimon.orphanFiles(table)).isEmpty();
        // the log says as much
        Map<Object, Object> replayed = new TreeMap<>();
        for (Snapshot snapshot : engine.snapshots()) {
            for (Change change : engine.readLog(snapshot)) {
                switch (change.kind()) {
                    case INSERT -> assertThat(replayed.put(change.values().get(0), change.values().get(1))).isNull();
                    case UPDATE_BEFORE -> assertThat(replayed.remove(change.values().get(0), change.values().get(1))).isTrue();
                    case UPDATE_AFTER -> assertThat(replayed.put(change.values().get(0), change.values().get(1))).isNull();
                    case DELETE -> throw new AssertionError(change);
                }
            }
        }
        assertThat(replayed).isEqualTo(rows);
    }

    /**
     * Some of the table's data files.
     */
    private Map<Path, byte[]> remove(OracleTable table, Random random)
            throws IOException
    {
        Map<Path, byte[]> removed = new TreeMap<>();
        try (Stream<Path> files = Files.list(location(table).resolve("bucket-0"))) {
            for (Path file : files.filter(file -> file.getFileName().toString().startsWith("data-")).sorted().toList()) {
                if (random.nextInt(3) > 0) {
                    removed.put(file, Files.readAllBytes(file));
                    Files.delete(file);
                }
            }
        }
        return removed;
    }
}
