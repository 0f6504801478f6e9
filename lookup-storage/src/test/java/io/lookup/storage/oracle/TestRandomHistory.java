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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;

import static io.lookup.storage.oracle.CanonicalValues.canonicalRow;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories follow from their seed, keep their promises, and pass through Paimon with a log that explains every state.
 */
final class TestRandomHistory
{
    @TempDir
    private Path directory;

    @Test
    void testSameSeedSameHistory()
    {
        for (long seed = 0; seed < 200; seed++) {
            assertThat(RandomHistory.generate(seed)).isEqualTo(RandomHistory.generate(seed));
        }
        assertThat(LongStream.range(0, 200).mapToObj(RandomHistory::generate).map(RandomHistory::commits).distinct()).hasSize(200);
    }

    @Test
    void testPromises()
    {
        int deletes = 0;
        int repeatedKeys = 0;
        int retractions = 0;
        int aggregations = 0;
        int partialUpdates = 0;
        int firstRows = 0;
        for (long seed = 0; seed < 500; seed++) {
            RandomHistory history = RandomHistory.generate(seed);
            Map<String, String> options = history.table().options();
            String engine = options.getOrDefault("merge-engine", "deduplicate");
            boolean aggregation = engine.equals("aggregation");
            boolean removesDeleted = options.containsKey("aggregation.remove-record-on-delete");
            boolean canRetract = RandomAggregates.canRetract(history.table());
            aggregations += aggregation ? 1 : 0;
            partialUpdates += engine.equals("partial-update") ? 1 : 0;
            firstRows += engine.equals("first-row") ? 1 : 0;
            Set<String> removed = new HashSet<>();
            for (List<Change> commit : history.commits()) {
                assertThat(commit).isNotEmpty();
                Set<String> touched = new HashSet<>();
                Set<String> retracted = new HashSet<>();
                for (Change change : commit) {
                    String key = key(history.table(), change);
                    boolean first = touched.add(key);
                    repeatedKeys += first ? 0 : 1;
                    assertThat(removed).doesNotContain(key);
                    if (change.kind() == ChangeKind.INSERT) {
                        assertThat(retracted).doesNotContain(key);
                        continue;
                    }
                    assertThat(change.kind()).isNotEqualTo(ChangeKind.UPDATE_AFTER);
                    if (!aggregation || removesDeleted && change.kind() == ChangeKind.DELETE) {
                        deletes++;
                        assertThat(change.kind()).isEqualTo(ChangeKind.DELETE);
                        assertThat(first).as("a delete comes before all else of its key").isTrue();
                        assertThat(engine.equals("first-row") && !options.containsKey("ignore-delete")).isFalse();
                        if (removesDeleted) {
                            (RandomHistory.comesAgain(history.table()) ? retracted : removed).add(key);
                        }
                        continue;
                    }
                    retractions++;
                    assertThat(canRetract).isTrue();
                    assertThat(first || retracted.contains(key)).as("retractions have a commit for themselves").isTrue();
                    retracted.add(key);
                }
            }
        }
        assertThat(retractions).isGreaterThan(100);
        assertThat(deletes).isGreaterThan(1000);
        assertThat(repeatedKeys).isGreaterThan(1000);
        assertThat(aggregations).isBetween(100, 250);
        assertThat(partialUpdates).isBetween(100, 250);
        assertThat(firstRows).isBetween(30, 150);
    }

    /**
     * 20 histories; more with {@code -Doracle.first-seed=… -Doracle.histories=…}.
     */
    static LongStream seeds()
    {
        long first = Long.getLong("oracle.first-seed", 0);
        return LongStream.range(first, first + Long.getLong("oracle.histories", 20));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void testThroughPaimon(long seed)
            throws Exception
    {
        RandomHistory history = RandomHistory.generate(seed);
        try (PaimonOracle oracle = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"))) {
            OracleTable table = oracle.createTable("default", "t", history.table());
            for (List<Change> commit : history.commits()) {
                oracle.write(table, commit);
            }

            Map<String, String> options = history.table().options();
            if (!options.containsKey("merge-engine") && !options.containsKey("sequence.field") && !options.containsKey("ignore-delete")) {
                assertThat(ChangelogReplay.texts(oracle.readTable(table))).isEqualTo(lastRows(history));
            }
            if (options.containsKey("changelog-producer")) {
                assertLogExplainsStates(oracle, table, history.table());
            }
        }
    }

    private static void assertLogExplainsStates(PaimonOracle oracle, OracleTable table, PaimonTableDefinition definition)
            throws Exception
    {
        ChangelogReplay replay = new ChangelogReplay(definition);
        for (SnapshotSummary snapshot : oracle.snapshots(table)) {
            replay.apply(oracle.readChangelog(table, snapshot.id()));
            if (snapshot.kind().equals("COMPACT")) {
                assertThat(ChangelogReplay.texts(oracle.readTable(table, snapshot.id()))).isEqualTo(replay.state());
            }
        }
    }

    /**
     * Deduplicate without any engine: the last row of every key, unless that is a delete.
     */
    private static List<String> lastRows(RandomHistory history)
    {
        Map<String, Change> rows = new TreeMap<>();
        history.commits().forEach(commit -> commit.forEach(change -> rows.put(key(history.table(), change), change)));
        return rows.values().stream()
                .filter(change -> change.kind() == ChangeKind.INSERT)
                .map(Change::rowText)
                .sorted()
                .toList();
    }

    private static String key(PaimonTableDefinition table, Change change)
    {
        return canonicalRow(table.keyIndexes().stream()
                .map(change.values()::get)
                .toList());
    }
}
