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
package io.lookup.storage.model;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.model.ModelWrite.AppendResult;
import io.lookup.storage.snapshot.CommitKind;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * A table of one bucket, (k, v) with key k, that looks up its changelog. {@link #apply} runs a statement alone; {@link
 * #begin} starts one that others may overtake.
 */
public final class ModelTable
{
    private final ModelEngine engine;
    private final ModelRules rules;
    private final int maxLevel;
    private final List<ModelSnapshot> snapshots = new ArrayList<>();
    private int nextFileId;

    // what the commits, one after another, should have made of the table
    private final TreeMap<Integer, Long> committed = new TreeMap<>();

    public ModelTable(ModelEngine engine, ModelRules rules, int maxLevel)
    {
        this.engine = engine;
        this.rules = rules;
        this.maxLevel = maxLevel;
        snapshots.add(new ModelSnapshot(0, CommitKind.APPEND, ImmutableList.of(), ImmutableList.of(), ImmutableList.of()));
    }

    /**
     * Runs a statement from its base to the lift of its level 0, with nobody in between.
     */
    public void apply(ModelStatement statement)
    {
        ModelWrite write = begin(statement, 0, 0);
        write.append();
        write.compact();
    }

    /**
     * @param deeperRuns how many runs below level 0 the statement's compaction takes along
     * @param arrivalSeed which of the orders its rows arrive in
     */
    public ModelWrite begin(ModelStatement statement, int deeperRuns, int arrivalSeed)
    {
        List<ModelChange> changes = statement.changes(rows());
        List<ModelChange> arrivals = new ArrayList<>(changes);
        if (statement.readsRows()) {
            // pages of an update or delete arrive in any order
            Collections.shuffle(arrivals, new Random(arrivalSeed));
        }
        return new ModelWrite(this, latest(), statement.readsRows(), onePerKey(arrivals, rules.insertBeatsDelete()), onePerKey(changes, true), deeperRuns);
    }

    /**
     * A compaction by itself, as {@code optimize} runs it.
     */
    public void optimize(int deeperRuns)
    {
        ModelCompaction.create(engine, latest().files(), maxLevel, deeperRuns, nextFileId++)
                .ifPresent(this::publish);
    }

    /**
     * The first half of {@link #optimize}: others may commit before the second.
     */
    Plan planOptimize(int deeperRuns)
    {
        return new Plan(latest().id(), deeperRuns, ModelCompaction.create(engine, latest().files(), maxLevel, deeperRuns, nextFileId++));
    }

    /**
     * Rows that were appended meanwhile are newer than all that the compaction has read, and stay at level 0: they do not make
     * it stale. Any other change does.
     */
    void publish(Plan plan)
    {
        boolean stale = snapshots.subList((int) plan.baseId() + 1, snapshots.size()).stream()
                .anyMatch(snapshot -> snapshot.kind() != CommitKind.APPEND);
        if (!stale || (!rules.staleCompactionsDropped() && plan.compaction().filter(this::fits).isPresent())) {
            plan.compaction().ifPresent(this::publish);
            return;
        }
        optimize(plan.deeperRuns());
    }

    /**
     * @param baseId the snapshot whose files were read
     * @param compaction empty if there was nothing to do
     */
    record Plan(long baseId, int deeperRuns, Optional<ModelCompaction> compaction) {}

    /**
     * Empties the table; what was logged as there is logged as gone.
     */
    public void truncate()
    {
        if (latest().files().isEmpty()) {
            return;
        }
        List<ModelChange> log = new ArrayList<>();
        loggedRows(latest().id()).forEach((key, value) -> log.add(new ModelChange(RowKind.DELETE, key, value)));
        committed.clear();
        snapshots.add(new ModelSnapshot(latest().id() + 1, CommitKind.OVERWRITE, ImmutableList.of(), ImmutableList.of(), log));
    }

    public SortedMap<Integer, Long> rows()
    {
        return rows(latest().id());
    }

    public SortedMap<Integer, Long> rows(long snapshotId)
    {
        return ModelCompaction.rows(engine, snapshots.get((int) snapshotId).files());
    }

    /**
     * Rows of the levels from 1 on: what replaying the log up to the snapshot must give.
     */
    public SortedMap<Integer, Long> loggedRows(long snapshotId)
    {
        return ModelCompaction.rows(engine, snapshots.get((int) snapshotId).files().stream()
                .filter(file -> file.level() > 0)
                .toList());
    }

    /**
     * Changes of the snapshots above {@code from} up to {@code to}.
     */
    public List<ModelChange> log(long from, long to)
    {
        checkArgument(from <= to && to <= latest().id(), "no such range: %s to %s", from, to);
        return snapshots.subList((int) from + 1, (int) to + 1).stream()
                .flatMap(snapshot -> snapshot.log().stream())
                .toList();
    }

    /**
     * Snapshot 0, the empty table, first.
     */
    public List<ModelSnapshot> snapshots()
    {
        return ImmutableList.copyOf(snapshots);
    }

    /**
     * What the statements make of the table when each is applied at once in commit order.
     */
    public SortedMap<Integer, Long> expectedRows()
    {
        return committed;
    }

    AppendResult append(ModelWrite write)
    {
        if (write.changes().isEmpty()) {
            return AppendResult.NOTHING_TO_DO;
        }
        boolean touched = isTouchedSinceBase(write);
        if (touched && write.readsRows()) {
            return AppendResult.CONFLICT;
        }
        boolean renumber = touched && rules.sequencesRewritten();
        long sequence = (renumber ? latest() : write.base()).maxSequence() + 1;
        TreeMap<Integer, ModelRow> rows = new TreeMap<>();
        for (ModelChange change : write.changes().values()) {
            rows.put(change.key(), new ModelRow(change.key(), change.value(), sequence, change.kind()));
            sequence++;
        }
        ModelFile file = new ModelFile(nextFileId++, 0, rows);
        List<ModelFile> files = new ArrayList<>(latest().files());
        files.add(file);
        snapshots.add(new ModelSnapshot(latest().id() + 1, CommitKind.APPEND, files, ImmutableList.of(file), ImmutableList.of()));
        write.setAppended(file, latest().id());
        write.meant().values().forEach(this::applyToExpected);
        return AppendResult.APPENDED;
    }

    void compact(ModelWrite write)
    {
        boolean stale = latest().id() != write.appendSnapshotId() || write.appendSnapshotId() != write.base().id() + 1;
        if (stale && !rules.staleCompactionsDropped()) {
            List<ModelFile> seen = new ArrayList<>(write.base().files());
            seen.add(write.appended());
            Optional<ModelCompaction> compaction = ModelCompaction.create(engine, seen, maxLevel, write.deeperRuns(), nextFileId++);
            if (compaction.isPresent() && fits(compaction.get())) {
                publish(compaction.get());
                return;
            }
        }
        // not stale, or picked, looked up and written again
        optimize(write.deeperRuns());
    }

    private SortedMap<Integer, ModelChange> onePerKey(List<ModelChange> arrivals, boolean insertBeatsDelete)
    {
        TreeMap<Integer, ModelChange> changes = new TreeMap<>();
        for (ModelChange arrival : arrivals) {
            changes.merge(arrival.key(), arrival, (earlier, later) -> {
                if (insertBeatsDelete && earlier.kind().isAdd() && !later.kind().isAdd()) {
                    return earlier;
                }
                if (engine == ModelEngine.SUM) {
                    return new ModelChange(later.kind(), later.key(), earlier.value() + later.value());
                }
                return later;
            });
        }
        return changes;
    }

    private boolean isTouchedSinceBase(ModelWrite write)
    {
        int min = write.changes().firstKey();
        int max = write.changes().lastKey();
        for (ModelSnapshot snapshot : snapshots.subList((int) write.base().id() + 1, snapshots.size())) {
            if (snapshot.kind() == CommitKind.OVERWRITE) {
                return true;
            }
            if (snapshot.added().stream().anyMatch(file -> file.minKey() <= max && min <= file.maxKey())) {
                return true;
            }
        }
        return false;
    }

    private void applyToExpected(ModelChange change)
    {
        if (!change.kind().isAdd()) {
            committed.remove(change.key());
        }
        else if (engine == ModelEngine.SUM) {
            committed.merge(change.key(), change.value(), Long::sum);
        }
        else {
            committed.put(change.key(), change.value());
        }
    }

    /**
     * The check that Paimon's committer makes: what is removed is there, and no level overlaps itself.
     */
    private boolean fits(ModelCompaction compaction)
    {
        if (!new HashSet<>(latest().files()).containsAll(compaction.inputs())) {
            return false;
        }
        return compaction.output().isEmpty() || latest().files().stream()
                .filter(file -> file.level() == compaction.outputLevel() && !compaction.inputs().contains(file))
                .noneMatch(file -> file.overlaps(compaction.output().get()));
    }

    private void publish(ModelCompaction compaction)
    {
        List<ModelFile> files = new ArrayList<>(latest().files());
        files.removeAll(compaction.inputs());
        compaction.output().ifPresent(files::add);
        snapshots.add(new ModelSnapshot(latest().id() + 1, CommitKind.COMPACT, files, ImmutableList.of(), compaction.log()));
    }

    private ModelSnapshot latest()
    {
        return snapshots.getLast();
    }
}
