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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import static io.lookup.storage.oracle.CanonicalValues.canonicalRow;
import static java.util.Objects.requireNonNull;

/**
 * A random history under any changelog producer and its options: statements that compact or do not, or have no rows, compactions by
 * themselves, and another producer on the way. Follows from its seed alone.
 * <p>
 * Tables and rows are those of {@link RandomHistory}, so that it keeps to what Paimon gets right. Some inserts of a present key become an
 * update, its old row before the new one: with the deduplicate engine, and where the old row is thrown away. Where the result depends on what is
 * merged first and nothing is looked up, all compactions are full ones.
 */
public record ProducerHistory(long seed, PaimonTableDefinition table, List<Step> steps)
{
    public ProducerHistory
    {
        requireNonNull(table, "table is null");
        steps = ImmutableList.copyOf(steps);
    }

    public enum Action
    {
        WRITE,
        WRITE_WITHOUT_COMPACTION,
        COMPACT_AS_PICKED,
        COMPACT_FULLY,
        CHANGE_PRODUCER,
    }

    /**
     * @param changes empty for a compaction
     * @param producer the next one, where it is changed
     */
    public record Step(Action action, List<Change> changes, Optional<String> producer)
    {
        public Step
        {
            requireNonNull(action, "action is null");
            changes = ImmutableList.copyOf(changes);
            requireNonNull(producer, "producer is null");
        }

        private static Step of(Action action)
        {
            return new Step(action, ImmutableList.of(), Optional.empty());
        }

        private static Step of(Action action, List<Change> changes)
        {
            return new Step(action, changes, Optional.empty());
        }
    }

    public Change comparable(Change change)
    {
        return RandomAggregates.withoutOrder(table, change);
    }

    public static ProducerHistory generate(long seed)
    {
        Random random = new Random(seed ^ 0x5DEECE66DL);
        RandomHistory base = random.nextInt(6) == 0 ? RandomHistory.generateManyCommits(seed) : RandomHistory.generate(seed, 14, 10);
        ProducerOptions options = new ProducerOptions(base, random);
        PaimonTableDefinition table = options.draw();
        return new ProducerHistory(seed, table, new Generator(base, table, options, random).steps());
    }

    private static final class Generator
    {
        private static final Set<String> FIRST_VALUES = Set.of("first_value", "first_non_null_value", "first_not_null_value");

        private final RandomHistory base;
        private final PaimonTableDefinition table;
        private final ProducerOptions options;
        private final Random random;
        private final String engine;
        // whether all compactions have to be full ones
        private final boolean mergesAtOnce;
        private final boolean writesUpdates;
        // Paimon logs a first row with the kind it came with
        private final boolean insertsOnly;
        // this engine refuses rows above a delete that waits: Paimon's table would have no first value for ever
        private final boolean keepsFirstValues;
        private final Map<String, List<Object>> live = new HashMap<>();

        private Generator(RandomHistory base, PaimonTableDefinition table, ProducerOptions options, Random random)
        {
            this.base = base;
            this.table = table;
            this.options = options;
            this.random = random;
            this.engine = table.options().getOrDefault("merge-engine", "deduplicate");
            this.mergesAtOnce = !ProducerOptions.looksUp(table.options()) && !options.mergesInParts();
            this.insertsOnly = engine.equals("first-row");
            this.keepsFirstValues = table.options().values().stream().anyMatch(FIRST_VALUES::contains);
            boolean ignoresOldRows = table.options().containsKey("ignore-update-before") || table.options().containsKey("ignore-delete");
            this.writesUpdates = !insertsOnly && ignoresOldRows || engine.equals("deduplicate") && !table.options().containsKey("sequence.field");
        }

        private List<Step> steps()
        {
            List<Step> steps = new ArrayList<>();
            boolean compacts = random.nextBoolean();
            int changeAt = random.nextInt(4) == 0 ? random.nextInt(base.commits().size()) : -1;
            for (int index = 0; index < base.commits().size(); index++) {
                boolean waits = random.nextInt(4) == 0;
                List<Change> changes = withUpdates(base.commits().get(index));
                steps.add(Step.of(waits && !(keepsFirstValues && deletes(changes)) ? Action.WRITE_WITHOUT_COMPACTION : Action.WRITE, changes));
                if (random.nextInt(10) == 0) {
                    steps.add(Step.of(Action.WRITE, ImmutableList.of()));
                }
                if (compacts && random.nextInt(3) == 0) {
                    steps.add(Step.of(mergesAtOnce || random.nextBoolean() ? Action.COMPACT_FULLY : Action.COMPACT_AS_PICKED));
                }
                if (index == changeAt) {
                    addChangeOfProducer(steps);
                }
            }
            steps.add(Step.of(Action.COMPACT_FULLY));
            return steps;
        }

        private boolean deletes(List<Change> changes)
        {
            return table.options().containsKey("rowkind.field") || changes.stream().anyMatch(change -> change.kind() == ChangeKind.DELETE || change.kind() == ChangeKind.UPDATE_BEFORE);
        }

        /**
         * Levels mean something else afterwards, so that Paimon is wrong about what they hold unless all is in one level, or only the newest
         * row of a key counts. Of a key whose newest row in the levels is not the one that its sequence field says, a lookup gives the newest.
         */
        private void addChangeOfProducer(List<Step> steps)
        {
            List<String> producers = options.producers().stream()
                    .filter(producer -> !producer.equals(table.options().get("changelog-producer")))
                    // a producer that does not look up merges in parts
                    .filter(producer -> producer.equals("lookup") || ProducerOptions.looksUp(table.options()) && !table.options().get("changelog-producer").equals("lookup") || options.mergesInParts())
                    .distinct()
                    .toList();
            if (producers.isEmpty()) {
                return;
            }
            boolean compacts = !engine.equals("deduplicate") || random.nextBoolean();
            String producer = producers.get(random.nextInt(producers.size()));
            if (compacts || producer.equals("lookup") && table.options().containsKey("sequence.field")) {
                steps.add(Step.of(Action.COMPACT_FULLY));
            }
            steps.add(new Step(Action.CHANGE_PRODUCER, ImmutableList.of(), Optional.of(producer)));
        }

        private List<Change> withUpdates(List<Change> commit)
        {
            List<Change> changes = new ArrayList<>();
            Set<String> touched = new HashSet<>();
            for (Change change : commit) {
                String key = canonicalRow(table.keyIndexes().stream().map(change.values()::get).toList());
                boolean first = touched.add(key);
                if (change.kind() == ChangeKind.DELETE) {
                    live.remove(key);
                }
                if (change.kind() != ChangeKind.INSERT) {
                    changes.add(change);
                    continue;
                }
                List<Object> before = live.put(key, change.values());
                if (writesUpdates && first && before != null && random.nextInt(3) == 0) {
                    changes.add(withKind(ChangeKind.UPDATE_BEFORE, before));
                    changes.add(withKind(ChangeKind.UPDATE_AFTER, change.values()));
                    continue;
                }
                changes.add(!insertsOnly && random.nextInt(8) == 0 ? withKind(ChangeKind.UPDATE_AFTER, change.values()) : change);
            }
            return changes;
        }

        private Change withKind(ChangeKind kind, List<Object> row)
        {
            String kindColumn = table.options().get("rowkind.field");
            if (kindColumn == null) {
                return new Change(kind, row);
            }
            List<Object> values = new ArrayList<>(row);
            values.set(table.columnIndex(kindColumn), kind.symbol());
            return new Change(kind, values);
        }
    }
}
