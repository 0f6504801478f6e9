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
import io.lookup.storage.oracle.HistoryShapes;
import io.lookup.storage.oracle.HistoryShapes.Shape;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.ProducerHistory;
import io.lookup.storage.oracle.ProducerHistory.Action;
import io.lookup.storage.oracle.ProducerHistory.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
    private static final String MERGE_ENGINE = System.getProperty("lookup.merge-engine", "");

    private static final String[] OPTIONS = {
            "deduplicate with none", "deduplicate with input", "deduplicate with lookup", "deduplicate with full-compaction",
            "partial-update with none", "partial-update with input", "partial-update with lookup", "partial-update with full-compaction",
            "aggregation with none", "aggregation with input", "aggregation with lookup", "aggregation with full-compaction",
            "first-row with none", "first-row with lookup",
            "vectors of deduplicate", "vectors of partial-update", "vectors of aggregation",
            "write-only=true", "lookup-wait=false", "lookup-compact=gentle", "lookup-compact=radical", "lookup-compact.max-interval", "full-compaction.delta-commits",
            "changelog-producer.row-deduplicate=true", "changelog-producer.row-deduplicate-ignore-fields",
            "changelog-file.format", "changelog-file.compression", "changelog-file.prefix", "changelog-file.stats-mode",
            "ignore-delete=true", "ignore-update-before=true", "ignore-retract=true",
            "sequence.field", "sequence.field.sort-order=descending", "sequence-group", "rowkind.field",
            "partial-update.remove-record-on-delete=true", "partial-update.remove-record-on-sequence-group", "aggregation.remove-record-on-delete=true",
            "sum", "product", "min", "max", "first_value", "first_non_null_value", "first_not_null_value", "last_value", "last_non_null_value", "primary-key",
            "listagg", "bool_and", "bool_or", "collect", "merge_map", "merge_map_with_keytime", "nested_update", "nested_partial_update",
            "rbm32", "rbm64", "hll_sketch", "theta_sketch",
    };

    @TempDir
    private Path directory;

    private final HistoryShapes shapes = new HistoryShapes();
    private final Map<String, Integer> comparedLogs = new HashMap<>();
    private final Map<String, Integer> replayedSteps = new HashMap<>();
    private final Map<Action, Integer> actions = new EnumMap<>(Action.class);
    private final Map<CompactionTrigger, Integer> triggers = new EnumMap<>(CompactionTrigger.class);

    @Test
    void testRandomHistories()
    {
        HistoryRuns runs = new HistoryRuns("producers", 80, 550);
        assertThat(runs.run(seed -> {
            ProducerHistory history = ProducerHistory.generate(seed);
            return new HistoryRuns.History(history.table().options(), () -> run(history));
        })).isEmpty();
        if (runs.isRepresentative() && MERGE_ENGINE.isEmpty()) {
            assertCoverage();
        }
    }

    /**
     * What the generator must go on drawing, and what must go on being compared.
     */
    private void assertCoverage()
    {
        // picks can differ, but often enough they must not
        assertThat(comparedLogs).as("steps with logs by producer").containsOnlyKeys("input", "lookup", "full-compaction").allSatisfy((_, count) -> assertThat(count).isGreaterThan(20));
        assertThat(replayedSteps).as("replayed steps by producer").containsOnlyKeys("lookup", "full-compaction").allSatisfy((_, count) -> assertThat(count).isGreaterThan(20));
        assertThat(actions).as("actions").containsOnlyKeys(Action.values());
        assertThat(triggers).as("triggers of compactions").containsOnlyKeys(CompactionTrigger.values());
        assertThat(shapes.shapes()).as("shapes").containsOnlyKeys(Shape.values());
        assertThat(shapes.options()).as("tables by option").containsKeys(OPTIONS);
    }

    private void run(ProducerHistory history)
            throws Exception
    {
        shapes.add(history.table(), history.steps().stream().filter(step -> step.action() == Action.WRITE || step.action() == Action.WRITE_WITHOUT_COMPACTION).map(Step::changes).toList());
        history.steps().forEach(step -> actions.merge(step.action(), 1, Integer::sum));
        Path warehouse = directory.resolve("warehouse-" + history.seed());
        try (PaimonOracle paimon = new PaimonOracle(warehouse, directory.resolve("scratch"));
                HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            new ProducerRun(history, paimon, fileIo, directory.resolve("spill"), comparedLogs, replayedSteps, triggers).run();
        }
        finally {
            deleteRecursively(warehouse, ALLOW_INSECURE);
        }
    }
}
