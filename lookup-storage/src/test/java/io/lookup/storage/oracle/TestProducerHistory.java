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

import io.lookup.storage.oracle.HistoryShapes.Shape;
import io.lookup.storage.oracle.ProducerHistory.Action;
import io.lookup.storage.oracle.ProducerHistory.Step;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Histories under changelog producers follow from their seed, and keep their promises.
 */
final class TestProducerHistory
{
    @Test
    void testSameSeedSameHistory()
    {
        for (long seed = 0; seed < 50; seed++) {
            assertThat(ProducerHistory.generate(seed)).isEqualTo(ProducerHistory.generate(seed));
        }
    }

    @Test
    void testPromises()
    {
        HistoryShapes shapes = new HistoryShapes();
        Set<Action> actions = new HashSet<>();
        for (long seed = 0; seed < 500; seed++) {
            ProducerHistory history = ProducerHistory.generate(seed);
            Map<String, String> options = history.table().options();
            String producer = options.get("changelog-producer");
            if ("first-row".equals(options.get("merge-engine"))) {
                assertThat(producer).isIn("none", "lookup");
            }
            if (options.containsKey("deletion-vectors.enabled")) {
                assertThat(producer).isIn("none", "input", "lookup");
            }
            boolean inParts = producer.equals("lookup") || options.containsKey("deletion-vectors.enabled") || !options.containsKey("sequence.field") || !options.containsKey("merge-engine");
            for (Step step : history.steps()) {
                actions.add(step.action());
                if (!inParts) {
                    assertThat(options).containsEntry("write-only", "true");
                    assertThat(step.action()).isNotEqualTo(Action.COMPACT_AS_PICKED);
                }
            }
            assertThat(history.steps().getLast().action()).isEqualTo(Action.COMPACT_FULLY);
            List<List<Change>> statements = history.steps().stream()
                    .filter(step -> step.action() == Action.WRITE || step.action() == Action.WRITE_WITHOUT_COMPACTION)
                    .map(Step::changes)
                    .toList();
            shapes.add(history.table(), statements);
        }
        assertThat(actions).containsOnly(Action.values());
        assertThat(shapes.shapes()).containsOnlyKeys(Shape.values()).allSatisfy((_, count) -> assertThat(count).isGreaterThan(5));
    }
}
