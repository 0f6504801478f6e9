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
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangelogReplay;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.ProducerHistory;
import io.lookup.storage.oracle.ProducerHistory.Action;
import io.lookup.storage.oracle.ProducerHistory.Step;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One history, step by step, by both engines.
 */
final class ProducerRun
{
    // to find out where a history begins to differ
    private static final boolean EVERY_STEP = Boolean.getBoolean("lookup.every-step");

    private static final Set<String> LOGGED_AS_APPENDED = Set.of("none", "input");

    private final ProducerHistory history;
    private final PaimonOracle paimon;
    private final OracleTable ours;
    private final OracleTable theirs;
    private final EngineTable ourEngine;
    private final EngineTable theirEngine;
    private final Map<String, Integer> comparedLogs;
    private final Map<String, Integer> replayedSteps;
    private final Map<CompactionTrigger, Integer> triggers;

    private final Map<String, String> options;
    private final ChangelogReplay replay;
    private boolean replays;
    private boolean samePicks = true;
    // whether there may be rows that the producer before this one would have told of
    private boolean rowsWait;
    // after how many of the table's commits a bucket last lay at the highest level as a whole, of those that do not; see full-compaction.delta-commits
    private final Map<String, Integer> waitingSince = new HashMap<>();
    private int commits;

    ProducerRun(
            ProducerHistory history,
            PaimonOracle paimon,
            FileIo fileIo,
            Path spill,
            Map<String, Integer> comparedLogs,
            Map<String, Integer> replayedSteps,
            Map<CompactionTrigger, Integer> triggers)
            throws Exception
    {
        this.history = history;
        this.paimon = paimon;
        this.ours = paimon.createTable("default", "ours", history.table());
        this.theirs = paimon.createTable("default", "theirs", history.table());
        this.ourEngine = new EngineTable(fileIo, paimon.location(ours), spill);
        this.theirEngine = new EngineTable(fileIo, paimon.location(theirs), spill);
        this.comparedLogs = comparedLogs;
        this.replayedSteps = replayedSteps;
        this.triggers = triggers;
        this.options = new HashMap<>(history.table().options());
        this.replay = new ChangelogReplay(history.table());
        this.replays = isReplayable();
    }

    void run()
            throws Exception
    {
        List<Snapshot> ourSnapshots = new ArrayList<>();
        List<Snapshot> theirSnapshots = new ArrayList<>();
        boolean compacted = false;
        for (int number = 1; number <= history.steps().size(); number++) {
            Step step = history.steps().get(number - 1);
            if (step.action() == Action.CHANGE_PRODUCER) {
                changeProducer(step.producer().orElseThrow(), compacted, ourSnapshots);
                continue;
            }
            compacted = step.action() == Action.COMPACT_FULLY;
            List<Snapshot> ourNew = runOurs(step, ourSnapshots);
            List<Snapshot> theirNew = runTheirs(step, theirSnapshots, ourNew);
            String description = "step %s of %s, %s".formatted(number, history.steps().size(), step.action());
            if (step.action() == Action.WRITE && step.changes().isEmpty()) {
                assertThat(ourNew).as(description).isEmpty();
            }
            if (ourSnapshots.isEmpty()) {
                assertThat(theirSnapshots).as(description).isEmpty();
                continue;
            }
            // a read of a state costs as much as a step, and a wrong row stays
            boolean states = EVERY_STEP || number % 3 == history.seed() % 3 || number >= history.steps().size() - 1;
            check(description, ourSnapshots.getLast(), ourNew, theirSnapshots.getLast(), theirNew, states);
            if (compacted) {
                checkNothingWaits(description, ourSnapshots);
            }
        }

        if (!ourSnapshots.isEmpty()) {
            List<Snapshot> logged = ourSnapshots.stream().filter(snapshot -> snapshot.changelogManifestList().isPresent()).toList();
            assertThat(texts(paimon.readTable(ours))).as("our table, read by Paimon").isEqualTo(rows(ourEngine, ourSnapshots.getLast()));
            assertThat(sorted(paimon.readChangelog(ours, logged.stream().map(Snapshot::id).toList()))).as("our log, read by Paimon").isEqualTo(log(ourEngine, logged));
        }
    }

    /**
     * @return the new ones, which are added to the known ones
     */
    private static List<Snapshot> newSnapshots(EngineTable table, List<Snapshot> known)
    {
        List<Snapshot> created = table.snapshotsAfter(known.isEmpty() ? 0 : known.getLast().id());
        known.addAll(created);
        return created;
    }

    private void check(String description, Snapshot ourLast, List<Snapshot> ourNew, Snapshot theirLast, List<Snapshot> theirNew, boolean states)
    {
        String producer = options.get("changelog-producer");
        if (states) {
            assertThat(rows(ourEngine, ourLast)).as("state, %s", description).isEqualTo(rows(theirEngine, theirLast));
        }
        if (producer.equals("input")) {
            // compactions have no part in it, unless rows wait: this engine makes up for them, and Paimon never tells them
            List<Snapshot> ourLogged = rowsWait ? ourNew.stream().filter(snapshot -> snapshot.commitKind() == CommitKind.APPEND).toList() : ourNew;
            assertThat(log(ourEngine, ourLogged)).as("log, %s", description).isEqualTo(log(theirEngine, theirNew));
            comparedLogs.merge(producer, 1, Integer::sum);
        }
        samePicks &= ourEngine.fileLevels(ourLast).equals(theirEngine.fileLevels(theirLast));
        if (samePicks) {
            assertThat(ourNew).as("snapshots, %s", description).extracting(Snapshot::commitKind).isEqualTo(theirNew.stream().map(Snapshot::commitKind).toList());
            assertThat(ourNew).as("changelog counts, %s", description).extracting(Snapshot::changelogRecordCount).isEqualTo(theirNew.stream().map(Snapshot::changelogRecordCount).toList());
            if (producer.equals("lookup") || producer.equals("full-compaction")) {
                assertThat(log(ourEngine, ourNew)).as("log, %s", description).isEqualTo(log(theirEngine, theirNew));
                comparedLogs.merge(producer, ourNew.stream().anyMatch(snapshot -> snapshot.changelogManifestList().isPresent()) ? 1 : 0, Integer::sum);
            }
        }
        if (replays) {
            ourNew.forEach(snapshot -> replay.apply(ourEngine.readLog(snapshot).stream().map(history::comparable).toList()));
            if (states && (ourLast.commitKind() == CommitKind.COMPACT || producer.equals("full-compaction"))) {
                int toldLevel = producer.equals("lookup") ? 1 : highestLevel();
                assertThat(replay.state()).as("replay, %s", description).isEqualTo(texts(ourEngine.readChanges(ourLast, toldLevel)));
                replayedSteps.merge(producer, 1, Integer::sum);
            }
        }
    }

    /**
     * After a full compaction the log has led to the state even if rows waited as the producer changed, as far as what is written is what is there.
     */
    private void checkNothingWaits(String description, List<Snapshot> ourSnapshots)
    {
        boolean writtenRowsStay = Stream.of("sequence.field", "ignore-delete", "ignore-update-before", "changelog-producer.row-deduplicate-ignore-fields").noneMatch(options::containsKey);
        if (rowsWait && options.get("changelog-producer").equals("input") && writtenRowsStay) {
            ChangelogReplay told = new ChangelogReplay(history.table());
            ourSnapshots.forEach(snapshot -> told.applyAsWritten(ourEngine.readLog(snapshot).stream().map(history::comparable).toList()));
            assertThat(told.state()).as("what the log has told, %s", description).isEqualTo(rows(ourEngine, ourSnapshots.getLast()));
        }
        rowsWait = false;
    }

    /**
     * Where rows wait to be told as the producer changes, Paimon tells some twice and others never; see {@link TestProducerChange} for what this
     * engine does.
     *
     * @param compacted whether nothing waits
     */
    private void changeProducer(String producer, boolean compacted, List<Snapshot> snapshots)
            throws Exception
    {
        rowsWait |= !compacted && !LOGGED_AS_APPENDED.contains(options.get("changelog-producer"));
        options.put("changelog-producer", producer);
        paimon.setOption(ours, "changelog-producer", producer);
        paimon.setOption(theirs, "changelog-producer", producer);
        samePicks &= compacted;
        replays = compacted && isReplayable();
        if (replays && !snapshots.isEmpty()) {
            replay.startFrom(ourEngine.readChanges(snapshots.getLast()).stream().map(history::comparable).toList());
        }
    }

    private List<Snapshot> runOurs(Step step, List<Snapshot> known)
    {
        switch (step.action()) {
            case WRITE -> ourEngine.write(step.changes());
            case WRITE_WITHOUT_COMPACTION -> ourEngine.write(step.changes(), ImmutableMap.of("write-only", "true"));
            case COMPACT_AS_PICKED -> ourEngine.compact(false);
            case COMPACT_FULLY -> ourEngine.compact(true);
            case CHANGE_PRODUCER -> throw new AssertionError("not a step of a table");
        }
        List<Snapshot> created = newSnapshots(ourEngine, known);
        commits += step.changes().isEmpty() || created.isEmpty() ? 0 : 1;
        if (step.action() == Action.WRITE && created.size() == 2) {
            CompactionTrigger.of(ourEngine.open(), created.getFirst(), created.getLast()).forEach(trigger -> triggers.merge(trigger, 1, Integer::sum));
        }
        if (options.containsKey("full-compaction.delta-commits") && !created.isEmpty()) {
            StorageTable table = ourEngine.open();
            Set<String> written = new HashSet<>();
            if (step.action() == Action.WRITE && !options.containsKey("write-only")) {
                table.liveFiles().deltaEntries(created.getFirst(), _ -> true, _ -> true).forEach(entry -> written.add(folder(table, BucketId.of(entry))));
            }
            settleBuckets(created.getLast(), written);
        }
        return created;
    }

    /**
     * Notes which buckets lie as a whole at the highest level, and checks that the written ones do if it is their time.
     */
    private void settleBuckets(Snapshot snapshot, Set<String> written)
    {
        int deltaCommits = Integer.parseInt(options.get("full-compaction.delta-commits"));
        Set<String> waiting = waitingBuckets(ourEngine.open(), snapshot);
        for (String bucket : written) {
            if (commits - waitingSince.getOrDefault(bucket, commits - 1) >= deltaCommits) {
                assertThat(waiting).as("buckets below the highest level after %s commits", commits).doesNotContain(bucket);
            }
        }
        waitingSince.keySet().retainAll(waiting);
        waiting.forEach(bucket -> waitingSince.putIfAbsent(bucket, commits - 1));
    }

    /**
     * Buckets of which a compaction has left nothing below the highest level.
     */
    private Set<String> fullyCompacted(Snapshot compaction)
    {
        StorageTable table = ourEngine.open();
        Set<String> result = new HashSet<>();
        table.liveFiles().deltaEntries(compaction, _ -> true, _ -> true).forEach(entry -> result.add(folder(table, BucketId.of(entry))));
        result.removeAll(waitingBuckets(table, compaction));
        return result;
    }

    private Set<String> waitingBuckets(StorageTable table, Snapshot snapshot)
    {
        Set<String> result = new HashSet<>();
        table.liveFiles().liveFiles(snapshot, _ -> true, entry -> entry.file().level() < highestLevel()).forEach(entry -> result.add(folder(table, BucketId.of(entry))));
        return result;
    }

    private static String folder(StorageTable table, BucketId bucket)
    {
        return table.location().toUri().relativize(table.paths().bucketDirectory(bucket.partition(), bucket.bucket()).toUri()).getPath();
    }

    private List<Snapshot> runTheirs(Step step, List<Snapshot> known, List<Snapshot> ourNew)
            throws Exception
    {
        switch (step.action()) {
            case WRITE -> {
                if (!new CoreOptions(options).compactsOnWrite()) {
                    paimon.writeWithoutCompaction(theirs, step.changes());
                    break;
                }
                // nothing counts commits but a sink of Flink
                Set<String> full = options.containsKey("full-compaction.delta-commits") && ourNew.size() == 2 ? fullyCompacted(ourNew.getLast()) : Set.of();
                paimon.write(theirs, step.changes(), full::contains);
            }
            case WRITE_WITHOUT_COMPACTION -> paimon.writeWithoutCompaction(theirs, step.changes());
            case COMPACT_AS_PICKED -> paimon.compact(theirs, false);
            case COMPACT_FULLY -> paimon.compact(theirs, true);
            case CHANGE_PRODUCER -> throw new AssertionError("not a step of a table");
        }
        return newSnapshots(theirEngine, known);
    }

    /**
     * Whether the log shows every value that the table took on.
     */
    private boolean isReplayable()
    {
        String producer = options.get("changelog-producer");
        return (producer.equals("lookup") || producer.equals("full-compaction")) && !options.containsKey("changelog-producer.row-deduplicate-ignore-fields");
    }

    private int highestLevel()
    {
        return Integer.parseInt(options.getOrDefault("num-sorted-run.compaction-trigger", "5"));
    }

    private List<String> rows(EngineTable table, Snapshot snapshot)
    {
        return texts(table.readChanges(snapshot));
    }

    private List<String> log(EngineTable table, List<Snapshot> snapshots)
    {
        return sorted(snapshots.stream().flatMap(snapshot -> table.readLog(snapshot).stream()).toList());
    }

    private List<String> texts(List<Change> rows)
    {
        return rows.stream().map(history::comparable).map(Change::rowText).sorted().toList();
    }

    private List<String> sorted(List<Change> changes)
    {
        return changes.stream().map(history::comparable).map(Change::toString).sorted().toList();
    }
}
