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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * This engine and Paimon write to one table in turns, many times. Rows and log are those of a table that Paimon alone has written.
 */
final class TestManyTurns
        extends AbstractOracleTest
{
    private static final int ROUNDS = Integer.getInteger("lookup.turns", Boolean.getBoolean("lookup.thorough") ? 500 : 12);

    @Test
    void testDeduplicate()
            throws Exception
    {
        run(ImmutableMap.of("merge-engine", "deduplicate"), true);
    }

    @Test
    void testAggregation()
            throws Exception
    {
        run(ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "sum"), false);
    }

    private void run(Map<String, String> options, boolean deletes)
            throws Exception
    {
        PaimonTableDefinition definition = new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder().putAll(options).put("bucket", "2").put("changelog-producer", "lookup").buildOrThrow());
        OracleTable shared = paimon.createTable("default", "shared", definition);
        OracleTable theirs = paimon.createTable("default", "theirs", definition);
        EngineTable engine = engine(shared);
        EngineTable engineOnTheirs = engine(theirs);
        Random random = new Random(4711);
        long sharedLast = 0;
        long theirLast = 0;
        int logged = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<Change> changes = changes(random, deletes);
            if (round % 2 == 0) {
                engine.write(changes);
            }
            else {
                paimon.write(shared, changes);
            }
            paimon.write(theirs, changes);
            List<String> log = log(engine, sharedLast);
            assertThat(log).as("log of round %s", round).isEqualTo(log(engineOnTheirs, theirLast));
            logged += log.size();
            sharedLast = engine.open().snapshots().latestId().orElseThrow();
            theirLast = engineOnTheirs.open().snapshots().latestId().orElseThrow();
            if (round % 10 == 0 || round == ROUNDS - 1) {
                List<String> rows = texts(paimon.readTable(theirs));
                assertThat(texts(paimon.readTable(shared))).as("rows after round %s, read by Paimon", round).isEqualTo(rows);
                assertThat(texts(engine.readChanges(engine.open().snapshots().latest().orElseThrow()))).as("rows after round %s", round).isEqualTo(rows);
            }
        }
        System.out.println("%s: %s rounds in turns, %s changes logged".formatted(options.get("merge-engine"), ROUNDS, logged));
    }

    private static List<Change> changes(Random random, boolean deletes)
    {
        List<Change> changes = new ArrayList<>();
        int first = random.nextInt(40);
        for (int key = first; key < first + 1 + random.nextInt(8); key++) {
            boolean delete = deletes && random.nextInt(5) == 0;
            changes.add(delete ? Change.delete(key, 0L) : Change.insert(key, (long) random.nextInt(1000)));
        }
        return changes;
    }

    private static List<String> log(EngineTable engine, long after)
    {
        return engine.snapshotsAfter(after).stream()
                .flatMap((Snapshot snapshot) -> engine.readLog(snapshot).stream())
                .map(Change::toString)
                .sorted()
                .collect(toImmutableList());
    }

    private static List<String> texts(List<Change> changes)
    {
        return changes.stream().map(Change::toString).sorted().collect(toImmutableList());
    }
}
