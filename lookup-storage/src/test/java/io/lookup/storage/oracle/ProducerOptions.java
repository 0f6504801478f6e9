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

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static java.util.Objects.requireNonNull;

/**
 * A changelog producer, its options, and options of compactions for a table of a random history: what Paimon admits for the table, and of
 * what is left only that of which the result does not depend on which compactions an engine picks.
 */
final class ProducerOptions
{
    private final RandomHistory base;
    private final Random random;
    private final String engine;
    private final Map<String, String> options;
    private final boolean canLookUp;
    private final boolean deletionVectors;

    ProducerOptions(RandomHistory base, Random random)
    {
        this.base = requireNonNull(base, "base is null");
        this.random = requireNonNull(random, "random is null");
        this.options = new LinkedHashMap<>(base.table().options());
        this.engine = options.getOrDefault("merge-engine", "deduplicate");
        this.deletionVectors = options.containsKey("deletion-vectors.enabled");
        // only then are the keys such that Paimon can look them up
        this.canLookUp = options.containsKey("changelog-producer") || deletionVectors || engine.equals("first-row");
    }

    PaimonTableDefinition draw()
    {
        List<String> producers = producers();
        String producer = producers.get(random.nextInt(producers.size()));
        options.put("changelog-producer", producer);
        addProducerOptions(producer);
        addInputOptions();
        if (!looksUp(options) && !mergesInParts()) {
            options.put("write-only", "true");
        }
        else if (random.nextInt(8) == 0) {
            options.put("write-only", "true");
        }
        addCompactionOptions(producer);
        return new PaimonTableDefinition(base.table().columns(), base.table().primaryKey(), base.table().partitionKeys(), ImmutableMap.copyOf(options));
    }

    /**
     * What the table's producer can be, or be changed to; more than once what is to come more often.
     */
    List<String> producers()
    {
        if (engine.equals("first-row")) {
            return ImmutableList.of("lookup", "lookup", "none");
        }
        if (deletionVectors) {
            return ImmutableList.of("lookup", "lookup", "input", "none");
        }
        if (!canLookUp) {
            return ImmutableList.of("full-compaction", "full-compaction", "input", "none");
        }
        return ImmutableList.of("lookup", "lookup", "full-compaction", "full-compaction", "input", "none");
    }

    static boolean looksUp(Map<String, String> options)
    {
        return "lookup".equals(options.get("changelog-producer"))
                || options.containsKey("deletion-vectors.enabled")
                || "first-row".equals(options.get("merge-engine"));
    }

    /**
     * Whether it does not matter which neighbouring versions of a key are merged first, where nothing is looked up.
     */
    boolean mergesInParts()
    {
        return switch (engine) {
            case "deduplicate", "first-row" -> true;
            // what was drawn for a lookup has functions, and retractions, that depend on what they meet
            case "aggregation" -> !hasOwnOrder() && !options.containsKey("aggregation.remove-record-on-delete")
                    && !RandomAggregates.canRetract(base.table()) && !options.containsValue("hll_sketch");
            default -> !hasOwnOrder() && !options.containsKey("partial-update.remove-record-on-delete");
        };
    }

    /**
     * Whether versions of a key are merged in an order that is not that of their arrival.
     */
    private boolean hasOwnOrder()
    {
        return options.containsKey("sequence.field") || DeleteRules.sequenceGroups(options).findAny().isPresent();
    }

    private void addProducerOptions(String producer)
    {
        if (options.containsKey("changelog-producer.row-deduplicate") && random.nextInt(3) == 0) {
            base.table().columns().stream()
                    .map(PaimonTableDefinition.Column::name)
                    .filter(name -> name.startsWith("v"))
                    .findFirst()
                    .ifPresent(name -> options.put("changelog-producer.row-deduplicate-ignore-fields", name));
        }
        if (random.nextInt(4) == 0) {
            options.put("changelog-file.compression", any("snappy", "none", "gzip"));
        }
        if (random.nextInt(4) == 0) {
            options.put("changelog-file.stats-mode", any("none", "counts", "full"));
        }
        if (random.nextInt(4) == 0) {
            options.put("changelog-file.prefix", "changes-");
        }
        if (random.nextInt(4) == 0) {
            options.put("changelog-file.format", "parquet");
        }
        if (producer.equals("full-compaction") && mergesInParts() && random.nextInt(3) == 0) {
            options.put("full-compaction.delta-commits", String.valueOf(random.nextInt(1, 5)));
        }
        if (looksUp(options) && random.nextInt(6) == 0) {
            options.put("lookup-wait", "false");
        }
    }

    private void addInputOptions()
    {
        if (random.nextInt(6) == 0) {
            options.put("ignore-update-before", "true");
        }
        if (engine.equals("deduplicate") && random.nextInt(8) == 0) {
            options.put("ignore-delete", "true");
        }
    }

    private void addCompactionOptions(String producer)
    {
        switch (random.nextInt(8)) {
            case 0 -> options.put("compaction.total-size-threshold", "1 gb");
            case 1 -> options.put("compaction.incremental-size-threshold", "1 b");
            case 2 -> options.put("compaction.optimization-interval", "1 ns");
            case 3 -> options.put("compaction.force-up-level-0", "true");
            case 4 -> options.put("num-sorted-run.compaction-trigger", "1000");
            default -> {
                // as the format has them
            }
        }
        // where level 0 is not read, what is visible depends on what was picked, as it does on what meets first in an order of its own
        boolean picksAreFree = producer.equals("lookup") && !deletionVectors && !engine.equals("first-row") && !hasOwnOrder();
        if (picksAreFree && random.nextInt(3) == 0) {
            options.put("lookup-compact", "gentle");
            if (random.nextBoolean()) {
                options.put("lookup-compact.max-interval", String.valueOf(random.nextInt(2, 6)));
            }
        }
        else if (looksUp(options) && random.nextInt(4) == 0) {
            options.put("lookup-compact", "radical");
        }
    }

    private String any(String... values)
    {
        return values[random.nextInt(values.length)];
    }
}
