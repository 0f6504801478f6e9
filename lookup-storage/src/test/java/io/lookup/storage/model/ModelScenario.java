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
import io.lookup.storage.model.ModelStatement.Delete;
import io.lookup.storage.model.ModelStatement.Insert;
import io.lookup.storage.model.ModelStatement.ShiftKeys;
import io.lookup.storage.model.ModelStatement.UpdateValues;
import io.lookup.storage.snapshot.CommitKind;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * A history of two writers as a list of steps. A step that has nothing to act on does nothing, so that any step can be
 * taken out.
 */
public record ModelScenario(ModelEngine engine, List<Step> steps)
{
    private static final int MAX_LEVEL = 5;

    public ModelScenario
    {
        steps = ImmutableList.copyOf(steps);
    }

    public sealed interface Step {}

    /** the writer reads its base; ignored while it has a statement under way */
    public record Begin(int writer, ModelStatement statement, int deeperRuns, int arrivalSeed)
            implements Step {}

    public record Append(int writer)
            implements Step {}

    /** ends the writer's statement: without it, level 0 stays */
    public record Compact(int writer)
            implements Step {}

    public record Optimize(int deeperRuns)
            implements Step {}

    /** a compaction by itself reads its base; ignored while one is under way */
    public record PlanOptimize(int deeperRuns)
            implements Step {}

    public record PublishOptimize()
            implements Step {}

    public record Truncate()
            implements Step {}

    /**
     * Runs the history and checks, after each step, the rows against the commits in their order, and the log against the
     * levels from 1 on.
     *
     * @return what is wrong, if anything is
     */
    public Optional<String> findViolation(ModelRules rules)
    {
        ModelTable table = new ModelTable(engine, rules, MAX_LEVEL);
        Map<Integer, ModelWrite> writes = new HashMap<>();
        ModelTable.Plan plan = null;
        Replay replay = new Replay();
        for (Step step : steps) {
            switch (step) {
                case Begin begin -> writes.computeIfAbsent(begin.writer(), _ -> table.begin(begin.statement(), begin.deeperRuns(), begin.arrivalSeed()));
                case Append append -> {
                    ModelWrite write = writes.get(append.writer());
                    if (write != null && write.appended() == null && write.append() != ModelWrite.AppendResult.APPENDED) {
                        writes.remove(append.writer());
                    }
                }
                case Compact compact -> {
                    ModelWrite write = writes.get(compact.writer());
                    if (write != null && write.appended() != null) {
                        write.compact();
                        writes.remove(compact.writer());
                    }
                }
                case Optimize optimize -> table.optimize(optimize.deeperRuns());
                case PlanOptimize optimize -> plan = plan == null ? table.planOptimize(optimize.deeperRuns()) : plan;
                case PublishOptimize _ -> {
                    if (plan != null) {
                        table.publish(plan);
                        plan = null;
                    }
                }
                case Truncate _ -> table.truncate();
            }
            if (!table.rows().equals(table.expectedRows())) {
                return Optional.of("after " + step + " the table holds " + table.rows() + ", the commits make " + table.expectedRows());
            }
            Optional<String> violation = replay.advance(table);
            if (violation.isPresent()) {
                return Optional.of("after " + step + ": " + violation.get());
            }
        }
        return Optional.empty();
    }

    public static ModelScenario random(Random random, ModelEngine engine, int stepCount)
    {
        List<Step> steps = new ArrayList<>();
        while (steps.size() < stepCount) {
            int writer = random.nextInt(2);
            switch (random.nextInt(14)) {
                case 0, 1, 2, 3 -> steps.add(new Begin(writer, randomStatement(random, engine), random.nextInt(3), random.nextInt(100)));
                case 4, 5, 6 -> steps.add(new Append(writer));
                case 7, 8, 9 -> steps.add(new Compact(writer));
                case 10 -> steps.add(new Optimize(random.nextInt(4)));
                case 11 -> steps.add(new PlanOptimize(random.nextInt(4)));
                case 12 -> steps.add(new PublishOptimize());
                default -> {
                    if (random.nextInt(6) == 0) {
                        steps.add(new Truncate());
                    }
                }
            }
        }
        return new ModelScenario(engine, steps);
    }

    /**
     * The history with as much taken out as it can lose and still be wrong.
     */
    public ModelScenario shrink(ModelRules rules)
    {
        ModelScenario smallest = this;
        boolean progress = true;
        while (progress) {
            progress = false;
            for (ModelScenario candidate : smallest.smallerOnes()) {
                if (candidate.findViolation(rules).isPresent()) {
                    smallest = candidate;
                    progress = true;
                    break;
                }
            }
        }
        return smallest;
    }

    private List<ModelScenario> smallerOnes()
    {
        List<ModelScenario> candidates = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            List<Step> fewer = new ArrayList<>(steps);
            fewer.remove(i);
            candidates.add(new ModelScenario(engine, fewer));
        }
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i) instanceof Begin begin) {
                if (begin.statement() instanceof Insert insert && insert.rows().size() > 1) {
                    for (int row = 0; row < insert.rows().size(); row++) {
                        List<ModelChange> rows = new ArrayList<>(insert.rows());
                        rows.remove(row);
                        candidates.add(with(i, new Begin(begin.writer(), new Insert(rows), begin.deeperRuns(), begin.arrivalSeed())));
                    }
                }
                if (begin.deeperRuns() > 0) {
                    candidates.add(with(i, new Begin(begin.writer(), begin.statement(), 0, begin.arrivalSeed())));
                }
            }
        }
        return candidates;
    }

    private ModelScenario with(int index, Step step)
    {
        List<Step> changed = new ArrayList<>(steps);
        changed.set(index, step);
        return new ModelScenario(engine, changed);
    }

    private static ModelStatement randomStatement(Random random, ModelEngine engine)
    {
        int from = random.nextInt(6);
        int to = from + random.nextInt(4);
        int choice = engine == ModelEngine.SUM ? 0 : random.nextInt(8);
        return switch (choice) {
            case 4 -> new UpdateValues(from, to, 100);
            case 5 -> new ShiftKeys(from, to, random.nextBoolean() ? 1 : -1);
            case 6 -> new Delete(from, to);
            default -> {
                List<ModelChange> rows = new ArrayList<>();
                int count = 1 + random.nextInt(3);
                for (int i = 0; i < count; i++) {
                    rows.add(new ModelChange(RowKind.INSERT, random.nextInt(8), random.nextInt(100)));
                }
                yield new Insert(rows);
            }
        };
    }

    /**
     * A reader of the log that keeps the table it has heard of.
     */
    private static final class Replay
    {
        private final TreeMap<Integer, Long> rows = new TreeMap<>();
        private long snapshotId;

        Optional<String> advance(ModelTable table)
        {
            for (ModelSnapshot snapshot : table.snapshots().subList((int) snapshotId + 1, table.snapshots().size())) {
                for (ModelChange change : snapshot.log()) {
                    Optional<String> violation = apply(change);
                    if (violation.isPresent()) {
                        return violation;
                    }
                }
                if (snapshot.kind() != CommitKind.APPEND && !rows.equals(table.loggedRows(snapshot.id()))) {
                    return Optional.of("the log of snapshot " + snapshot.id() + " makes " + rows + ", its levels hold " + table.loggedRows(snapshot.id()));
                }
                snapshotId = snapshot.id();
            }
            return Optional.empty();
        }

        private Optional<String> apply(ModelChange change)
        {
            Long before = switch (change.kind()) {
                case INSERT -> rows.put(change.key(), change.value());
                case UPDATE_AFTER -> rows.put(change.key(), change.value());
                case UPDATE_BEFORE, DELETE -> rows.remove(change.key());
            };
            // +U comes right behind its -U, which has taken the row away
            Long expected = change.kind().isAdd() ? null : Long.valueOf(change.value());
            if (!Objects.equals(before, expected)) {
                return Optional.of("log row " + change + " meets " + before);
            }
            return Optional.empty();
        }
    }
}
