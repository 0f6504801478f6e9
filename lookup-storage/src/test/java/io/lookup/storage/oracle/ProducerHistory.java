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
import com.google.common.collect.ImmutableSet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import static io.lookup.storage.oracle.CanonicalValues.canonicalRow;
import static java.util.Objects.requireNonNull;

/**
 * A random history under any changelog producer and its options: statements that compact or do not, and compactions by
 * themselves. Follows from its seed alone.
 * <p>
 * Tables and rows are those of {@link RandomHistory}, so that it keeps to what Paimon gets right. With the deduplicate engine, some
 * inserts of a present key become an update, its old row before the new one.
 */
public record ProducerHistory(long seed, PaimonTableDefinition table, List<Step> steps)
{
    private static final Set<String> FUNCTIONS = ImmutableSet.of("sum", "min", "max", "last_value", "last_non_null_value");
    private static final Set<String> OTHER_OPTIONS = ImmutableSet.of("write-only", "deletion-vectors.enabled", "aggregation.remove-record-on-delete", "sequence.field", "ignore-delete", "rowkind.field");

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
    }

    /**
     * @param changes empty for a compaction
     */
    public record Step(Action action, List<Change> changes)
    {
        public Step
        {
            requireNonNull(action, "action is null");
            changes = ImmutableList.copyOf(changes);
        }
    }

    /**
     * @return empty if the seed's table is not one of those that these histories are of: the newest row of a key, or an aggregation of functions
     * whose results do not depend on the order in which parts are merged
     */
    public static Optional<ProducerHistory> generate(long seed)
    {
        RandomHistory base = RandomHistory.generate(seed, 14, 10);
        if (!isSuitable(base.table().options())) {
            return Optional.empty();
        }
        Random random = new Random(seed ^ 0x5DEECE66DL);
        Map<String, String> options = new LinkedHashMap<>(base.table().options());
        boolean deduplicate = !options.containsKey("merge-engine");
        // only then are the keys such that Paimon can look them up
        boolean canLookUp = options.remove("changelog-producer") != null;
        List<String> producers = canLookUp ? List.of("lookup", "lookup", "full-compaction", "full-compaction", "input") : List.of("full-compaction", "full-compaction", "input", "none");
        String producer = producers.get(random.nextInt(producers.size()));
        options.put("changelog-producer", producer);
        addProducerOptions(base.table(), options, deduplicate, random);
        addCompactionOptions(options, random);
        PaimonTableDefinition table = new PaimonTableDefinition(base.table().columns(), base.table().primaryKey(), base.table().partitionKeys(), ImmutableMap.copyOf(options));
        return Optional.of(new ProducerHistory(seed, table, steps(base, table, deduplicate, random)));
    }

    private static boolean isSuitable(Map<String, String> options)
    {
        boolean mergedAnyhow = options.getOrDefault("merge-engine", "aggregation").equals("aggregation") && options.entrySet().stream()
                .filter(option -> option.getKey().endsWith(".aggregate-function"))
                .allMatch(option -> FUNCTIONS.contains(option.getValue()));
        return mergedAnyhow && OTHER_OPTIONS.stream().noneMatch(options::containsKey);
    }

    private static void addProducerOptions(PaimonTableDefinition table, Map<String, String> options, boolean deduplicate, Random random)
    {
        if (options.containsKey("changelog-producer.row-deduplicate") && random.nextInt(3) == 0) {
            table.columns().stream()
                    .map(PaimonTableDefinition.Column::name)
                    .filter(name -> name.startsWith("v"))
                    .findFirst()
                    .ifPresent(name -> options.put("changelog-producer.row-deduplicate-ignore-fields", name));
        }
        if (deduplicate && random.nextInt(5) == 0) {
            options.put(random.nextBoolean() ? "ignore-delete" : "ignore-update-before", "true");
        }
        if (random.nextInt(4) == 0) {
            options.put("changelog-file.compression", List.of("snappy", "none", "gzip").get(random.nextInt(3)));
        }
        if (random.nextInt(4) == 0) {
            options.put("changelog-file.stats-mode", List.of("none", "counts", "full").get(random.nextInt(3)));
        }
        if (random.nextInt(4) == 0) {
            options.put("changelog-file.prefix", "changes-");
        }
        if (random.nextInt(4) == 0) {
            options.put("changelog-file.format", "parquet");
        }
    }

    private static void addCompactionOptions(Map<String, String> options, Random random)
    {
        switch (random.nextInt(8)) {
            case 0 -> options.put("compaction.total-size-threshold", "1 gb");
            case 1 -> options.put("compaction.incremental-size-threshold", "1 b");
            case 2 -> options.put("compaction.optimization-interval", "1 ns");
            case 3 -> options.put("compaction.force-up-level-0", "true");
            case 4 -> options.put("num-sorted-run.compaction-trigger", "1000");
            default -> {
                // what the table's triggers are by default
            }
        }
        if (options.get("changelog-producer").equals("lookup") && random.nextInt(3) == 0) {
            options.put("lookup-compact", "gentle");
            if (random.nextBoolean()) {
                options.put("lookup-compact.max-interval", String.valueOf(random.nextInt(2, 6)));
            }
        }
    }

    private static List<Step> steps(RandomHistory base, PaimonTableDefinition table, boolean deduplicate, Random random)
    {
        Map<String, List<Object>> live = new HashMap<>();
        List<Step> steps = new ArrayList<>();
        int compactions = random.nextInt(4);
        for (List<Change> commit : base.commits()) {
            List<Change> changes = deduplicate ? withUpdates(commit, table, live, random) : commit;
            steps.add(new Step(random.nextInt(4) == 0 ? Action.WRITE_WITHOUT_COMPACTION : Action.WRITE, changes));
            if (compactions > 0 && random.nextInt(3) == 0) {
                steps.add(new Step(random.nextBoolean() ? Action.COMPACT_FULLY : Action.COMPACT_AS_PICKED, ImmutableList.of()));
            }
        }
        steps.add(new Step(Action.COMPACT_FULLY, ImmutableList.of()));
        return steps;
    }

    private static List<Change> withUpdates(List<Change> commit, PaimonTableDefinition table, Map<String, List<Object>> live, Random random)
    {
        List<Change> changes = new ArrayList<>();
        Set<String> touched = new HashSet<>();
        for (Change change : commit) {
            String key = canonicalRow(table.keyIndexes().stream().map(change.values()::get).toList());
            boolean first = touched.add(key);
            if (change.kind() == ChangeKind.DELETE) {
                live.remove(key);
                changes.add(change);
                continue;
            }
            List<Object> before = live.put(key, change.values());
            if (first && before != null && random.nextInt(3) == 0) {
                changes.add(new Change(ChangeKind.UPDATE_BEFORE, before));
                changes.add(new Change(ChangeKind.UPDATE_AFTER, change.values()));
                continue;
            }
            changes.add(change);
        }
        return changes;
    }
}
