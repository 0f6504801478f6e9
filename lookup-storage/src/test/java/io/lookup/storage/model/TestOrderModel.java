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

import io.airlift.log.Logger;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.model.ModelScenario.Append;
import io.lookup.storage.model.ModelScenario.Begin;
import io.lookup.storage.model.ModelScenario.Compact;
import io.lookup.storage.model.ModelScenario.Optimize;
import io.lookup.storage.model.ModelStatement.Delete;
import io.lookup.storage.model.ModelStatement.Insert;
import io.lookup.storage.model.ModelStatement.ShiftKeys;
import io.lookup.storage.model.ModelStatement.UpdateValues;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

final class TestOrderModel
{
    private static final Logger log = Logger.get(TestOrderModel.class);

    private static final ModelRules WITHOUT_STATEMENT_ORDER = new ModelRules(false, true, true);
    private static final ModelRules WITHOUT_RENUMBERING = new ModelRules(true, false, true);
    private static final ModelRules WITHOUT_STRICT_COMPACTION = new ModelRules(true, true, false);

    @Test
    void testStatementsOneByOne()
    {
        ModelTable table = new ModelTable(ModelEngine.DEDUPLICATE, ModelRules.ALL, 5);
        table.apply(new Insert(List.of(insert(1, 10), insert(2, 20), insert(3, 30))));
        table.apply(new Insert(List.of(insert(1, 11), insert(2, 20))));
        table.apply(new Delete(3, 3));
        table.apply(new ShiftKeys(1, 2, 1));
        table.apply(new UpdateValues(2, 2, 5));
        table.apply(new Delete(9, 9));

        assertThat(table.rows()).isEqualTo(Map.of(2, 16L, 3, 20L));
        // the last statement changed nothing and committed nothing
        assertThat(table.snapshots()).hasSize(1 + 2 * 5);
        assertThat(table.log(0, 10)).extracting(ModelChange::toString).containsExactly(
                "+I(1,10)", "+I(2,20)", "+I(3,30)",
                "-U(1,10)", "+U(1,11)", "-U(2,20)", "+U(2,20)",
                "-D(3,30)",
                "-D(1,11)", "-U(2,20)", "+U(2,11)", "+I(3,20)",
                "-U(2,11)", "+U(2,16)");
        assertThat(table.log(2, 4)).hasSize(4);
        table.truncate();
        assertThat(table.log(10, 11)).extracting(ModelChange::toString).containsExactly("-D(2,16)", "-D(3,20)");
        assertThat(table.rows()).isEmpty();
    }

    @Test
    void testSumsOneByOne()
    {
        ModelTable table = new ModelTable(ModelEngine.SUM, ModelRules.ALL, 5);
        table.apply(new Insert(List.of(insert(1, 10), insert(2, 20))));
        table.apply(new Insert(List.of(insert(1, 2), insert(1, 3))));
        assertThat(table.rows()).isEqualTo(Map.of(1, 15L, 2, 20L));
        assertThat(table.log(2, 4)).extracting(ModelChange::toString).containsExactly("-U(1,10)", "+U(1,15)");
    }

    @Test
    void testRandomHistoriesHoldUnderTheRules()
    {
        for (ModelEngine engine : ModelEngine.values()) {
            for (int seed = 0; seed < 20_000; seed++) {
                ModelScenario scenario = ModelScenario.random(new Random(seed), engine, 5 + seed % 60);
                Optional<String> violation = scenario.findViolation(ModelRules.ALL);
                if (violation.isPresent()) {
                    ModelScenario smallest = scenario.shrink(ModelRules.ALL);
                    assertThat(smallest.findViolation(ModelRules.ALL)).as("%s, seed %s: %s", engine, seed, smallest.steps()).isEmpty();
                }
            }
        }
    }

    @Test
    void testWithoutStatementOrderRowsAreLost()
    {
        ModelScenario smallest = smallestCounterexample(ModelEngine.DEDUPLICATE, WITHOUT_STATEMENT_ORDER);
        // an insert, an update that moves keys onto each other
        assertThat(smallest.steps()).hasSizeLessThanOrEqualTo(5);
        assertThat(smallest.findViolation(ModelRules.ALL)).isEmpty();
    }

    @Test
    void testWithoutRenumberingTheOlderCommitWins()
    {
        ModelScenario smallest = smallestCounterexample(ModelEngine.DEDUPLICATE, WITHOUT_RENUMBERING);
        assertThat(smallest.steps()).hasSizeLessThanOrEqualTo(5);
        assertThat(smallest.findViolation(ModelRules.ALL)).isEmpty();

        // what the search finds: both writers begin on the empty table; the first to commit has the larger number for key 2
        ModelScenario kept = new ModelScenario(ModelEngine.DEDUPLICATE, List.of(
                new Begin(0, Insert.of(2, 20), 0, 0),
                new Begin(1, new Insert(List.of(insert(1, 11), insert(2, 21))), 0, 0),
                new Append(1),
                new Append(0)));
        assertThat(kept.findViolation(WITHOUT_RENUMBERING)).get().asString()
                .contains("the table holds {1=11, 2=21}, the commits make {1=11, 2=20}");
        assertThat(kept.findViolation(ModelRules.ALL)).isEmpty();
    }

    @Test
    void testWithoutStrictCompactionTheBeforeImageIsWrong()
    {
        for (ModelEngine engine : ModelEngine.values()) {
            ModelScenario smallest = smallestCounterexample(engine, WITHOUT_STRICT_COMPACTION);
            assertThat(smallest.steps()).hasSizeLessThanOrEqualTo(9);
            assertThat(smallest.findViolation(ModelRules.ALL)).isEmpty();
        }

        // a file at level 5; one writer puts key 9 into level 4 and key 1 into level 3; the other, whose base is the file at
        // level 5 alone, puts key 1 into level 4, where it fits, and logs what level 5 held as the row before
        ModelScenario kept = new ModelScenario(ModelEngine.DEDUPLICATE, List.of(
                new Begin(0, new Insert(List.of(insert(1, 10), insert(9, 90))), 0, 0), new Append(0), new Compact(0),
                new Begin(1, Insert.of(1, 12), 0, 0),
                new Begin(0, Insert.of(9, 91), 0, 0), new Append(0), new Compact(0),
                new Begin(0, Insert.of(1, 11), 0, 0), new Append(0), new Compact(0),
                new Append(1), new Compact(1)));
        assertThat(kept.findViolation(WITHOUT_STRICT_COMPACTION)).get().asString().contains("writer=1");
        assertThat(kept.findViolation(ModelRules.ALL)).isEmpty();
    }

    /**
     * A compaction of committed rows is true beside rows that are appended while it runs.
     */
    @Test
    void testAppendDuringOptimize()
    {
        ModelTable table = new ModelTable(ModelEngine.DEDUPLICATE, ModelRules.ALL, 5);
        table.apply(new Insert(List.of(insert(1, 10), insert(2, 20))));
        table.begin(Insert.of(1, 11), 0, 0).append();
        ModelTable.Plan plan = table.planOptimize(5);
        table.begin(Insert.of(1, 12), 0, 0).append();
        table.publish(plan);
        assertThat(table.log(2, 5)).extracting(ModelChange::toString).containsExactly("-U(1,10)", "+U(1,11)");
        assertThat(table.rows()).isEqualTo(Map.of(1, 12L, 2, 20L));
        table.optimize(0);
        assertThat(table.log(5, 6)).extracting(ModelChange::toString).containsExactly("-U(1,11)", "+U(1,12)");
    }

    @Test
    void testLevelLeftBehindIsLoggedLater()
    {
        ModelTable table = new ModelTable(ModelEngine.DEDUPLICATE, ModelRules.ALL, 5);
        table.begin(Insert.of(1, 10), 0, 0).append();
        table.begin(Insert.of(1, 11), 0, 0).append();
        assertThat(table.rows()).isEqualTo(Map.of(1, 11L));
        assertThat(table.log(0, 2)).isEmpty();
        table.apply(Insert.of(2, 20));
        assertThat(table.log(0, 4)).containsExactly(insert(1, 11), insert(2, 20));
        assertThat(new ModelScenario(ModelEngine.DEDUPLICATE, List.of(new Begin(0, Insert.of(1, 1), 0, 0), new Append(0), new Optimize(0))).findViolation(ModelRules.ALL)).isEmpty();
    }

    private static ModelScenario smallestCounterexample(ModelEngine engine, ModelRules rules)
    {
        ModelScenario smallest = null;
        for (int seed = 0; seed < 3000; seed++) {
            ModelScenario scenario = ModelScenario.random(new Random(seed), engine, 5 + seed % 30);
            if (scenario.findViolation(rules).isEmpty()) {
                continue;
            }
            ModelScenario shrunk = scenario.shrink(rules);
            if (smallest == null || shrunk.steps().size() < smallest.steps().size()) {
                smallest = shrunk;
            }
        }
        assertThat(smallest).as("a counterexample without the rule, %s", rules).isNotNull();
        log.info("%s, %s: %s: %s", engine, rules, smallest.steps(), smallest.findViolation(rules).orElseThrow());
        return smallest;
    }

    private static ModelChange insert(int key, long value)
    {
        return new ModelChange(RowKind.INSERT, key, value);
    }
}
