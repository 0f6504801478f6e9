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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.lookup.TestingLookups;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.table.AbstractOracleTest;
import io.lookup.storage.table.EngineTable;
import io.lookup.storage.table.StorageTable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

import static io.lookup.storage.oracle.ChangeKind.DELETE;
import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables with lookup files beside their data files, in the hands of both engines: whoever cleans up keeps what a snapshot refers to, and
 * leaves nothing else.
 */
final class TestRemoteLookupTables
        extends AbstractOracleTest
{
    private static final String OURS = ".trino-lookup";
    private static final String PAIMONS = ".lookup";

    @Test
    void testBothEnginesKeepHouse()
            throws Exception
    {
        for (Map<String, String> options : List.of(
                ImmutableMap.of("bucket", "2", "changelog-producer", "lookup", "num-sorted-run.compaction-trigger", "3"),
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "deletion-vectors.enabled", "true"),
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "merge-engine", "first-row"))) {
            for (boolean ours : new boolean[] {true, false}) {
                checkHousekeeping(options, ours);
            }
        }
        // nodes took turns, and had each other's files
        assertThat(TestingLookups.REMOTE.statistics().getFilesDownloaded().getTotalCount()).isPositive();
        assertThat(TestingLookups.REMOTE.statistics().getTransfersFailed().getTotalCount()).isZero();
    }

    private void checkHousekeeping(Map<String, String> options, boolean ours)
            throws Exception
    {
        String name = "kept_%s_%s".formatted(Math.abs(options.hashCode()), ours ? "by_us" : "by_paimon");
        OracleTable table = create(name, options);
        EngineTable engine = engine(table, TestingLookups.REMOTE);
        boolean firstRow = "first-row".equals(options.get("merge-engine"));
        Random random = new Random(5);
        for (int commit = 0; commit < 8; commit++) {
            engine.write(changes(random, firstRow));
        }
        assertThat(copies(table, OURS)).isNotEmpty();
        checkComplete(table, engine);
        List<String> rows = engine.readRows();

        // Paimon reads, compacts and writes over them
        assertThat(texts(paimon.readTable(table))).isEqualTo(rows);
        paimon.compact(table, true);
        assertThat(engine.readRows()).isEqualTo(rows);
        paimon.write(table, changes(random, firstRow));
        engine.write(changes(random, firstRow));
        paimon.write(table, changes(random, firstRow));
        engine.write(changes(random, firstRow));
        assertThat(texts(paimon.readTable(table))).isEqualTo(engine.readRows());
        checkComplete(table, engine);

        // one that nothing refers to, as a statement leaves it that dies
        Path stray = Files.writeString(location(table).resolve("bucket-0/data-left.parquet-0123456789abcdef" + OURS), "left");
        Set<String> live = liveCopies(engine);
        rows = engine.readRows();
        if (ours) {
            engine.open().maintenance().removeOrphanFiles(Duration.ofDays(-1));
        }
        else {
            paimon.maintenance(table).removeOrphanFiles(System.currentTimeMillis() + 100_000);
        }
        assertThat(stray).doesNotExist();
        assertThat(copies(table, "lookup")).containsAll(live);
        checkComplete(table, engine);

        if (ours) {
            engine.open().maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(1));
        }
        else {
            paimon.maintenance(table).expireSnapshots(1, Duration.ZERO);
        }
        // exactly those of live data files
        assertThat(copies(table, "lookup")).isEqualTo(live);
        assertThat(paimon.orphanFiles(table)).isEmpty();
        assertThat(engine.readRows()).isEqualTo(rows);
        assertThat(texts(paimon.readTable(table))).isEqualTo(rows);

        engine.write(changes(random, firstRow));
        paimon.write(table, changes(random, firstRow));
        engine.write(changes(random, firstRow));
        assertThat(texts(paimon.readTable(table))).isEqualTo(engine.readRows());
        checkComplete(table, engine);
    }

    @Test
    void testLevelsBelowTheThresholdHaveNone()
            throws Exception
    {
        OracleTable table = create("upper", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "num-levels", "4", "lookup.remote-file.level-threshold", "3"));
        EngineTable engine = engine(table, TestingLookups.REMOTE);
        Random random = new Random(9);
        Set<Integer> levels = new HashSet<>();
        for (int commit = 0; commit < 14; commit++) {
            engine.write(changes(random, false));
            for (ManifestEntry entry : live(engine)) {
                levels.add(entry.file().level());
                assertThat(entry.file().extraFiles()).as("level %s", entry.file().level()).allSatisfy(extra -> assertThat(entry.file().level()).isEqualTo(3));
            }
        }
        assertThat(levels).contains(3).hasSizeGreaterThan(1);
        assertThat(copies(table, OURS)).isNotEmpty();
    }

    @Test
    void testNoneUnlessEnabled()
            throws Exception
    {
        OracleTable table = create("without", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "lookup.remote-file.enabled", "false"));
        EngineTable engine = engine(table, TestingLookups.REMOTE);
        Random random = new Random(9);
        for (int commit = 0; commit < 6; commit++) {
            engine.write(changes(random, false));
        }
        assertThat(copies(table, "lookup")).isEmpty();
        // it was on for a while
        paimon.setOption(table, "lookup.remote-file.enabled", "true");
        engine.write(changes(random, false));
        engine.compact(true);
        assertThat(liveCopies(engine)).isNotEmpty();
        paimon.setOption(table, "lookup.remote-file.enabled", "false");
        for (int commit = 0; commit < 6; commit++) {
            engine.write(changes(random, false));
        }
        engine.compact(true);
        assertThat(liveCopies(engine)).isEmpty();
        engine.open().maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(1));
        assertThat(copies(table, "lookup")).isEmpty();
        assertThat(texts(paimon.readTable(table))).isEqualTo(engine.readRows());
    }

    /**
     * Paimon's copies and ours in one table: neither takes the other's.
     */
    @Test
    void testCopiesOfBothEngines()
            throws Exception
    {
        OracleTable table = create("both", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"));
        EngineTable engine = engine(table, TestingLookups.REMOTE);
        Random random = new Random(2);
        Set<String> kinds = new HashSet<>();
        for (int commit = 0; commit < 10; commit++) {
            if (commit % 2 == 0) {
                paimon.write(table, changes(random, false));
            }
            else {
                engine.write(changes(random, false));
            }
            kinds.addAll(liveCopies(engine).stream().map(copy -> copy.endsWith(OURS) ? OURS : PAIMONS).collect(toSet()));
            assertThat(texts(paimon.readTable(table))).isEqualTo(engine.readRows());
        }
        assertThat(kinds).containsExactlyInAnyOrder(OURS, PAIMONS);
        engine.open().maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(1));
        assertThat(copies(table, "lookup")).isEqualTo(liveCopies(engine));
        assertThat(paimon.orphanFiles(table)).isEmpty();
    }

    private OracleTable create(String name, Map<String, String> options)
            throws Exception
    {
        return paimon.createTable("default", name, new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                TestingLookups.REMOTE.tableOptions()).withOptions(options));
    }

    private EngineTable engine(OracleTable table, TestingLookups lookups)
    {
        return new EngineTable(fileIo, location(table), directory.resolve("spill"), lookups);
    }

    private static List<Change> changes(Random random, boolean insertOnly)
    {
        List<Change> changes = new ArrayList<>();
        for (int row = 0; row < 8; row++) {
            changes.add(new Change(!insertOnly && random.nextInt(6) == 0 ? DELETE : INSERT, ImmutableList.of(random.nextInt(40), random.nextLong(1000))));
        }
        return changes;
    }

    /**
     * What a snapshot refers to is there.
     */
    private void checkComplete(OracleTable table, EngineTable engine)
            throws IOException
    {
        assertThat(copies(table, "lookup")).containsAll(liveCopies(engine));
    }

    private static List<ManifestEntry> live(EngineTable engine)
    {
        StorageTable table = engine.open();
        return table.liveFiles().liveFiles(table.snapshots().latest().orElseThrow(), _ -> true, _ -> true);
    }

    private static Set<String> liveCopies(EngineTable engine)
    {
        return live(engine).stream().flatMap(entry -> entry.file().extraFiles().stream()).collect(toSet());
    }

    private Set<String> copies(OracleTable table, String suffix)
            throws IOException
    {
        try (Stream<Path> files = Files.walk(location(table))) {
            return files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).filter(name -> name.endsWith(suffix)).collect(toSet());
        }
    }

    private static List<String> texts(List<Change> rows)
    {
        return rows.stream().map(Change::rowText).sorted().toList();
    }
}
