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

import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.TestingLookups;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.RandomHistory;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

import static com.google.common.io.MoreFiles.deleteRecursively;
import static com.google.common.io.RecursiveDeleteOption.ALLOW_INSECURE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories, run by this engine on one table and by Paimon on another. Rows and changelog agree four ways: each
 * table read by each engine.
 */
final class TestHistoriesAgainstPaimon
{
    // empty for all
    private static final String MERGE_ENGINE = System.getProperty("lookup.merge-engine", "");

    private static final TestingLookups LOOKUPS = TestingLookups.configured();

    @TempDir
    private Path directory;

    private int comparedPicks;
    private int coincidingPicks;

    @Test
    void testRandomHistories()
            throws Exception
    {
        HistoryRuns runs = new HistoryRuns("random", 50, 300);
        assertThat(runs.run(seed -> {
            RandomHistory history = RandomHistory.generate(seed);
            return new HistoryRuns.History(history.table().options(), () -> run(history, LOOKUPS));
        })).isEmpty();
        // counts are compared where the levels coincide, so they must do so often enough to mean something: over the engines together,
        // not for each of them, and not in a run of a few seeds, which may have no table that looks up
        if (runs.isRepresentative() && MERGE_ENGINE.isEmpty()) {
            assertThat(coincidingPicks).isGreaterThan(comparedPicks / 3);
        }
    }

    /**
     * Servers that make lookup files in the background, that take each other's, that have hardly room for any, and whose disks fail. What they
     * look up is the same.
     */
    @Test
    void testLookupFilesInTrouble()
            throws Exception
    {
        for (TestingLookups lookups : List.of(TestingLookups.BACKGROUND, TestingLookups.REMOTE, TestingLookups.TINY, TestingLookups.FAILING)) {
            assertThat(new HistoryRuns(lookups.name().toLowerCase(Locale.ENGLISH), 3, 30).run(seed -> {
                RandomHistory history = RandomHistory.generate(seed);
                return new HistoryRuns.History(history.table().options(), () -> run(history, lookups));
            })).isEmpty();
            assertThat(lookups.statistics().getLocalHits().getTotalCount()).as("hits, %s", lookups).isPositive();
        }
        assertThat(TestingLookups.BACKGROUND.statistics().getCopiesFailed().getTotalCount()).isZero();
        assertThat(TestingLookups.REMOTE.statistics().getFilesDownloaded().getTotalCount()).isPositive();
        LookupStatistics tiny = TestingLookups.TINY.statistics();
        assertThat(tiny.getFilesEvicted().getTotalCount() + tiny.getFilesRefused().getTotalCount()).isPositive();
        LookupStatistics failing = TestingLookups.FAILING.statistics();
        assertThat(failing.getFilesFailed().getTotalCount() + failing.getFilesCorrupt().getTotalCount() + failing.getTransfersFailed().getTotalCount()).isPositive();
    }

    private void run(RandomHistory history, TestingLookups lookups)
            throws Exception
    {
        Path warehouse = directory.resolve("warehouse-" + history.seed());
        try (PaimonOracle paimon = new PaimonOracle(warehouse, directory.resolve("scratch"));
                HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            OracleTable ours = paimon.createTable("default", "ours", history.table().withOptions(lookups.tableOptions()));
            OracleTable theirs = paimon.createTable("default", "theirs", history.table());
            EngineTable engineOnOurs = new EngineTable(fileIo, paimon.location(ours), directory.resolve("spill"), lookups);
            EngineTable engineOnTheirs = new EngineTable(fileIo, paimon.location(theirs), directory.resolve("spill"));
            boolean lookup = "lookup".equals(history.table().options().get("changelog-producer"));
            boolean deletionVectors = history.table().options().containsKey("deletion-vectors.enabled");

            List<List<Snapshot>> ourCommits = new ArrayList<>();
            List<List<Snapshot>> theirCommits = new ArrayList<>();
            for (List<Change> commit : history.commits()) {
                engineOnOurs.write(commit);
                paimon.write(theirs, commit);
                ourCommits.add(newSnapshots(engineOnOurs, ourCommits));
                theirCommits.add(newSnapshots(engineOnTheirs, theirCommits));
            }

            int middle = (int) (history.seed() % ourCommits.size());
            for (int commit = 0; commit < ourCommits.size(); commit++) {
                Snapshot ourLast = ourCommits.get(commit).getLast();
                Snapshot theirLast = theirCommits.get(commit).getLast();
                String step = "commit %s of %s".formatted(commit + 1, ourCommits.size());
                // reads take most of the time: of the last state, and of some on the way, of which Paimon judges one
                boolean judged = commit == middle || commit == ourCommits.size() - 1;
                if (judged || commit % 3 == 0) {
                    List<String> rows = texts(history, engineOnTheirs.readChanges(theirLast));
                    assertThat(texts(history, engineOnOurs.readChanges(ourLast))).as("our table, read by us, %s", step).isEqualTo(rows);
                    if (judged) {
                        assertThat(texts(history, paimon.readTable(theirs, theirLast.id()))).as("Paimon's table, read by Paimon, %s", step).isEqualTo(rows);
                        assertThat(texts(history, paimon.readTable(ours, ourLast.id()))).as("our table, read by Paimon, %s", step).isEqualTo(rows);
                        // whole states are equal by now
                        RandomSelections.check(engineOnOurs.open(), ourLast, history.seed() + commit, "our table, " + step);
                        RandomSelections.check(engineOnTheirs.open(), theirLast, history.seed() + commit, "Paimon's table, " + step);
                    }
                }
                if (deletionVectors) {
                    assertThat(ourCommits.get(commit)).extracting(Snapshot::commitKind).containsExactly(CommitKind.APPEND, CommitKind.COMPACT);
                }
                if (deletionVectors && judged) {
                    assertThat(engineOnOurs.isMergeFree(ourLast)).as("our table needs no merging, %s", step).isTrue();
                    assertThat(engineOnTheirs.isMergeFree(theirLast)).as("Paimon's table needs no merging, %s", step).isTrue();
                }
                if (lookup) {
                    assertThat(ourCommits.get(commit)).extracting(Snapshot::commitKind).containsExactly(CommitKind.APPEND, CommitKind.COMPACT);
                    assertThat(engineLog(history, engineOnOurs, ourCommits.get(commit))).as("log, %s", step).isEqualTo(engineLog(history, engineOnTheirs, theirCommits.get(commit)));
                    assertThat(ourLast.changelogRecordCount()).as("changelog count, %s", step).isEqualTo(theirLast.changelogRecordCount());
                    if (levels(engineOnOurs, ourCommits, commit).equals(levels(engineOnTheirs, theirCommits, commit))) {
                        assertThat(ourLast.totalRecordCount()).as("total count, %s", step).isEqualTo(theirLast.totalRecordCount());
                        coincidingPicks++;
                    }
                    comparedPicks++;
                }
            }
            if (lookup) {
                assertThat(paimonLog(history, paimon, ours, ourCommits)).as("our log, read by Paimon").isEqualTo(engineLog(history, engineOnOurs, flatten(ourCommits)));
                assertThat(paimonLog(history, paimon, theirs, theirCommits)).as("Paimon's log, read by us").isEqualTo(engineLog(history, engineOnTheirs, flatten(theirCommits)));
            }
        }
        finally {
            deleteRecursively(warehouse, ALLOW_INSECURE);
        }
    }

    /**
     * Both engines write to one table, in turns that the seed says. Its rows are those of a table that Paimon alone has written.
     */
    @Test
    void testWritersInTurns()
            throws Exception
    {
        assertThat(new HistoryRuns("turns", 20, 150).run(seed -> {
            RandomHistory history = RandomHistory.generate(seed);
            return new HistoryRuns.History(history.table().options(), () -> writeInTurns(history));
        })).isEmpty();
    }

    private void writeInTurns(RandomHistory history)
            throws Exception
    {
        Path warehouse = directory.resolve("turns-" + history.seed());
        try (PaimonOracle paimon = new PaimonOracle(warehouse, directory.resolve("scratch"));
                HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            OracleTable shared = paimon.createTable("default", "shared", history.table().withOptions(LOOKUPS.tableOptions()));
            OracleTable theirs = paimon.createTable("default", "theirs", history.table());
            EngineTable engine = new EngineTable(fileIo, paimon.location(shared), directory.resolve("spill"));
            EngineTable engineOnTheirs = new EngineTable(fileIo, paimon.location(theirs), directory.resolve("spill"));
            boolean lookup = "lookup".equals(history.table().options().get("changelog-producer"));
            Random turns = new Random(history.seed());
            for (List<Change> commit : history.commits()) {
                long before = engine.open().snapshots().latestId().orElse(0);
                long theirsBefore = engineOnTheirs.open().snapshots().latestId().orElse(0);
                boolean ours = turns.nextBoolean();
                if (ours) {
                    engine.write(commit);
                }
                else {
                    paimon.write(shared, commit);
                }
                paimon.write(theirs, commit);
                assertThat(rows(history, engine)).as("rows, written by %s", ours ? "us" : "Paimon").isEqualTo(rows(history, engineOnTheirs));
                if (lookup) {
                    assertThat(engineLog(history, engine, engine.snapshots().stream().filter(snapshot -> snapshot.id() > before).toList()))
                            .as("log, written by %s", ours ? "us" : "Paimon")
                            .isEqualTo(engineLog(history, engineOnTheirs, engineOnTheirs.snapshots().stream().filter(snapshot -> snapshot.id() > theirsBefore).toList()));
                }
            }
            assertThat(texts(history, paimon.readTable(shared))).isEqualTo(rows(history, engine));
            // what is compacted fully has the same rows, and no vector
            if (turns.nextBoolean()) {
                paimon.compact(shared, true);
                assertThat(rows(history, engine)).as("rows, compacted by Paimon").isEqualTo(rows(history, engineOnTheirs));
                engine.compact();
            }
            else {
                engine.compact();
                assertThat(rows(history, engine)).as("rows, compacted by us").isEqualTo(rows(history, engineOnTheirs));
                assertThat(engine.deletedRows()).isZero();
                paimon.compact(shared, true);
            }
            assertThat(rows(history, engine)).as("rows, compacted twice").isEqualTo(rows(history, engineOnTheirs));
            assertThat(texts(history, paimon.readTable(shared))).as("rows, compacted twice, read by Paimon").isEqualTo(rows(history, engine));
        }
        finally {
            deleteRecursively(warehouse, ALLOW_INSECURE);
        }
    }

    private static List<Snapshot> newSnapshots(EngineTable table, List<List<Snapshot>> known)
    {
        return table.snapshotsAfter(known.isEmpty() ? 0 : known.getLast().getLast().id());
    }

    /**
     * Levels of all live files at the commit and the one before: equal where both engines picked alike.
     */
    private static List<List<String>> levels(EngineTable table, List<List<Snapshot>> commits, int commit)
    {
        List<List<String>> levels = new ArrayList<>();
        for (int index = Math.max(0, commit - 1); index <= commit; index++) {
            levels.add(table.fileLevels(commits.get(index).getLast()));
        }
        return levels;
    }

    private static <T> List<T> flatten(List<List<T>> lists)
    {
        return lists.stream().flatMap(List::stream).toList();
    }

    private static List<String> rows(RandomHistory history, EngineTable table)
    {
        return texts(history, table.readChanges(table.snapshots().getLast()));
    }

    private static List<String> texts(RandomHistory history, List<Change> rows)
    {
        return rows.stream().map(history::comparable).map(Change::rowText).sorted().toList();
    }

    private static List<String> engineLog(RandomHistory history, EngineTable table, List<Snapshot> snapshots)
    {
        return snapshots.stream().flatMap(snapshot -> table.readLog(snapshot).stream()).map(history::comparable).map(Change::toString).sorted().toList();
    }

    private static List<String> paimonLog(RandomHistory history, PaimonOracle paimon, OracleTable table, List<List<Snapshot>> commits)
            throws Exception
    {
        return paimon.readChangelog(table, flatten(commits).stream().map(Snapshot::id).toList()).stream()
                .map(history::comparable)
                .map(Change::toString)
                .sorted()
                .toList();
    }
}
