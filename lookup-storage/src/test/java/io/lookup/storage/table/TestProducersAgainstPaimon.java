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

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangelogReplay;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.ProducerHistory;
import io.lookup.storage.oracle.ProducerHistory.Step;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.io.MoreFiles.deleteRecursively;
import static com.google.common.io.RecursiveDeleteOption.ALLOW_INSECURE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories under all changelog producers and their options, run by this engine on one table and by Paimon on
 * another. States agree after every step; logs agree as long as both engines have picked the same compactions; and
 * where the log loses nothing, replaying it gives what it has told.
 */
final class TestProducersAgainstPaimon
{
    private static final boolean THOROUGH = Boolean.getBoolean("lookup.thorough");
    private static final int HISTORIES = Integer.getInteger("lookup.producer-histories", THOROUGH ? 1_000 : 40);
    private static final long FIRST_SEED = Long.getLong("lookup.first-seed", 1);

    @TempDir
    private Path directory;

    private final Map<String, Integer> comparedLogs = new HashMap<>();
    private final Map<String, Integer> replayedSteps = new HashMap<>();
    private final Map<ProducerHistory.Action, Integer> actions = new EnumMap<>(ProducerHistory.Action.class);

    @Test
    void testRandomHistories()
            throws Exception
    {
        List<String> failures = new ArrayList<>();
        int histories = 0;
        for (long seed = FIRST_SEED; histories < HISTORIES; seed++) {
            Optional<ProducerHistory> found = ProducerHistory.generate(seed);
            if (found.isEmpty()) {
                continue;
            }
            histories++;
            ProducerHistory history = found.get();
            try {
                run(history);
            }
            catch (AssertionError | Exception e) {
                failures.add("seed %s, %s: %s".formatted(seed, history.table().options(), e));
                if (failures.size() == 1) {
                    e.printStackTrace();
                }
                if (failures.size() >= 10) {
                    break;
                }
            }
        }
        assertThat(failures).isEmpty();
        // picks can differ, but often enough they must not
        assertThat(comparedLogs).as("steps with logs by producer").containsOnlyKeys("input", "lookup", "full-compaction").allSatisfy((_, count) -> assertThat(count).isGreaterThan(HISTORIES / 4));
        assertThat(replayedSteps).as("replayed steps by producer").containsOnlyKeys("lookup", "full-compaction").allSatisfy((_, count) -> assertThat(count).isGreaterThan(HISTORIES / 4));
        assertThat(actions).hasSize(ProducerHistory.Action.values().length);
    }

    private void run(ProducerHistory history)
            throws Exception
    {
        Path warehouse = directory.resolve("warehouse-" + history.seed());
        try (PaimonOracle paimon = new PaimonOracle(warehouse, directory.resolve("scratch"));
                HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            OracleTable ours = paimon.createTable("default", "ours", history.table());
            OracleTable theirs = paimon.createTable("default", "theirs", history.table());
            EngineTable ourEngine = new EngineTable(fileIo, paimon.location(ours), directory.resolve("spill"));
            EngineTable theirEngine = new EngineTable(fileIo, paimon.location(theirs), directory.resolve("spill"));
            String producer = history.table().options().get("changelog-producer");
            ChangelogReplay replay = new ChangelogReplay(history.table());
            boolean replays = isReplayable(history.table().options());

            boolean samePicks = true;
            int ourCount = 0;
            int theirCount = 0;
            int number = 0;
            for (Step step : history.steps()) {
                number++;
                String description = "step %s of %s, %s".formatted(number, history.steps().size(), step.action());
                actions.merge(step.action(), 1, Integer::sum);
                runOurs(ourEngine, step);
                runTheirs(paimon, theirs, step);
                List<Snapshot> ourSnapshots = ourEngine.snapshots();
                List<Snapshot> theirSnapshots = theirEngine.snapshots();
                List<Snapshot> ourNew = ourSnapshots.subList(ourCount, ourSnapshots.size());
                List<Snapshot> theirNew = theirSnapshots.subList(theirCount, theirSnapshots.size());
                ourCount = ourSnapshots.size();
                theirCount = theirSnapshots.size();
                if (ourSnapshots.isEmpty()) {
                    assertThat(theirSnapshots).as(description).isEmpty();
                    continue;
                }

                Snapshot ourLast = ourSnapshots.getLast();
                assertThat(ourEngine.readRows(ourLast)).as("state, %s", description).isEqualTo(theirEngine.readRows(theirSnapshots.getLast()));
                if (producer.equals("input")) {
                    // compactions have no part in it
                    assertThat(engineLog(ourEngine, ourNew)).as("log, %s", description).isEqualTo(engineLog(theirEngine, theirNew));
                    comparedLogs.merge(producer, 1, Integer::sum);
                }
                samePicks &= ourEngine.fileLevels(ourLast).equals(theirEngine.fileLevels(theirSnapshots.getLast()));
                if (samePicks) {
                    assertThat(ourNew).as("snapshots, %s", description).extracting(Snapshot::commitKind).isEqualTo(theirNew.stream().map(Snapshot::commitKind).toList());
                    assertThat(ourNew).as("changelog counts, %s", description).extracting(Snapshot::changelogRecordCount).isEqualTo(theirNew.stream().map(Snapshot::changelogRecordCount).toList());
                    if (!producer.equals("none")) {
                        assertThat(engineLog(ourEngine, ourNew)).as("log, %s", description).isEqualTo(engineLog(theirEngine, theirNew));
                        comparedLogs.merge(producer, ourNew.stream().anyMatch(snapshot -> snapshot.changelogManifestList().isPresent()) ? 1 : 0, Integer::sum);
                    }
                }
                if (replays) {
                    ourNew.forEach(snapshot -> replay.apply(ourEngine.readLog(snapshot)));
                    if (ourLast.commitKind() == CommitKind.COMPACT || producer.equals("full-compaction")) {
                        int toldLevel = producer.equals("lookup") ? 1 : highestLevel(history.table().options());
                        assertThat(replay.state()).as("replay, %s", description).isEqualTo(ourEngine.readRows(ourLast, toldLevel));
                        replayedSteps.merge(producer, 1, Integer::sum);
                    }
                }
            }

            if (ourCount > 0) {
                assertThat(texts(paimon.readTable(ours))).as("our table, read by Paimon").isEqualTo(ourEngine.readRows());
                for (Snapshot snapshot : ourEngine.snapshots()) {
                    if (snapshot.changelogManifestList().isPresent()) {
                        assertThat(sorted(paimon.readChangelog(ours, snapshot.id()))).as("our log, read by Paimon").isEqualTo(engineLog(ourEngine, List.of(snapshot)));
                    }
                }
            }
        }
        finally {
            deleteRecursively(warehouse, ALLOW_INSECURE);
        }
    }

    private static void runOurs(EngineTable table, Step step)
    {
        switch (step.action()) {
            case WRITE -> table.write(step.changes());
            case WRITE_WITHOUT_COMPACTION -> table.write(step.changes(), ImmutableMap.of("write-only", "true"));
            case COMPACT_AS_PICKED -> table.compact(false);
            case COMPACT_FULLY -> table.compact(true);
        }
    }

    private static void runTheirs(PaimonOracle paimon, OracleTable table, Step step)
            throws Exception
    {
        switch (step.action()) {
            case WRITE -> paimon.write(table, step.changes());
            case WRITE_WITHOUT_COMPACTION -> paimon.writeWithoutCompaction(table, step.changes());
            case COMPACT_AS_PICKED -> paimon.compact(table, false);
            case COMPACT_FULLY -> paimon.compact(table, true);
        }
    }

    /**
     * Whether the log shows every value that the table took on.
     */
    private static boolean isReplayable(Map<String, String> options)
    {
        String producer = options.get("changelog-producer");
        return (producer.equals("lookup") || producer.equals("full-compaction")) && !options.containsKey("changelog-producer.row-deduplicate-ignore-fields");
    }

    private static int highestLevel(Map<String, String> options)
    {
        return Integer.parseInt(options.getOrDefault("num-sorted-run.compaction-trigger", "5"));
    }

    private static List<String> texts(List<Change> rows)
    {
        return rows.stream().map(Change::rowText).sorted().toList();
    }

    private static List<String> sorted(List<Change> changes)
    {
        return changes.stream().map(Change::toString).sorted().toList();
    }

    private static List<String> engineLog(EngineTable table, List<Snapshot> snapshots)
    {
        return sorted(snapshots.stream().flatMap(snapshot -> table.readLog(snapshot).stream()).toList());
    }
}
