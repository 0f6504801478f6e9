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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.commit.RebaseBudget;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

import static io.lookup.storage.table.ProducerTables.kinds;
import static io.lookup.storage.table.ProducerTables.log;
import static io.lookup.storage.table.ProducerTables.replay;
import static io.lookup.storage.table.ProducerTables.rows;
import static io.lookup.storage.table.ProducerTables.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Statements that begin at one snapshot and write the same keys: the one that commits later wins, whatever numbers it began with.
 */
final class TestConcurrentWriters
        extends AbstractProducerTest
{
    @Test
    void testLaterCommitWins()
            throws Exception
    {
        for (String producer : List.of("none", "input", "lookup", "full-compaction")) {
            OracleTable table = tables.create("later_" + producer.replace("-", "_"), "changelog-producer", producer);
            EngineTable engine = tables.engine(table);
            engine.write(rows(0, 10, 0));
            List<CommitResult> results = commitUponOneBase(engine, List.of(rows(0, 6, 1), rows(4, 8, 2), rows(5, 6, 3)));
            assertThat(results).allSatisfy(result -> assertThat(result.appendSnapshotId()).isPresent());

            List<String> expected = List.of("(0, 1, 0)", "(1, 1, 0)", "(2, 1, 0)", "(3, 1, 0)", "(4, 2, 0)", "(5, 3, 0)", "(6, 2, 0)", "(7, 2, 0)", "(8, 0, 0)", "(9, 0, 0)");
            assertThat(engine.readRows()).as(producer).isEqualTo(expected).isEqualTo(texts(tables.paimon().readTable(table)));
            engine.compact(true);
            assertThat(engine.readRows()).as(producer).isEqualTo(expected).isEqualTo(texts(tables.paimon().readTable(table)));
            if (producer.equals("lookup") || producer.equals("full-compaction")) {
                assertThat(replay(engine)).isEqualTo(expected);
            }
            assertThat(tables.paimon().orphanFiles(table)).as(producer).isEmpty();
        }
    }

    /**
     * The compaction that a statement prepared speaks of files that it does not append any more: it is made once more.
     */
    @Test
    void testEachStatementIsLoggedByItself()
            throws Exception
    {
        OracleTable table = tables.create("logged", "changelog-producer", "lookup");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 3, 0));
        List<CommitResult> results = commitUponOneBase(engine, List.of(rows(1, 2, 1), rows(1, 2, 2)));
        assertThat(results).extracting(CommitResult::compactionDropped).containsExactly(false, false);
        assertThat(kinds(engine)).containsExactly("APPEND", "COMPACT*", "APPEND", "COMPACT*", "APPEND", "COMPACT*");
        assertThat(log(engine, 2)).containsExactly("-U(1, 0, 0)", "+U(1, 1, 0)", "-U(1, 1, 0)", "+U(1, 2, 0)");
    }

    /**
     * In the input producer's log the numbers are those of the rows.
     */
    @Test
    void testInputLogIsRenumbered()
            throws Exception
    {
        OracleTable table = tables.create("input_log", "changelog-producer", "input");
        EngineTable engine = tables.engine(table);
        commitUponOneBase(engine, List.of(rows(0, 5, 1), rows(2, 4, 2)));
        assertThat(log(engine)).containsExactly(
                "+I(0, 1, 0)", "+I(1, 1, 0)", "+I(2, 1, 0)", "+I(3, 1, 0)", "+I(4, 1, 0)",
                "+I(2, 2, 0)", "+I(3, 2, 0)");
        StorageTable opened = engine.open();
        List<DataFileMeta> logged = new ArrayList<>();
        engine.snapshots().forEach(snapshot -> opened.liveFiles().changelogEntries(snapshot, _ -> true, _ -> true).forEach(entry -> logged.add(entry.file())));
        assertThat(logged).extracting(DataFileMeta::minSequenceNumber).containsExactly(0L, 5L);
        assertThat(logged).extracting(DataFileMeta::maxSequenceNumber).containsExactly(4L, 6L);
    }

    /**
     * The user's order stays; of rows that are alike in it the later commit wins.
     */
    @Test
    void testSequenceField()
            throws Exception
    {
        OracleTable table = tables.create("user_order", "changelog-producer", "lookup", "sequence.field", "w");
        EngineTable engine = tables.engine(table);
        engine.write(List.of(Change.insert(1, 0, 5), Change.insert(2, 0, 5), Change.insert(3, 0, 5)));
        commitUponOneBase(engine, List.of(
                List.of(Change.insert(1, 1, 7), Change.insert(2, 1, 7), Change.insert(3, 1, 9)),
                List.of(Change.insert(1, 2, 7), Change.insert(2, 2, 8), Change.insert(3, 2, 6))));
        List<String> expected = List.of("(1, 2, 7)", "(2, 2, 8)", "(3, 1, 9)");
        assertThat(engine.readRows()).isEqualTo(expected).isEqualTo(texts(tables.paimon().readTable(table)));
        engine.compact(true);
        assertThat(engine.readRows()).isEqualTo(expected);
        assertThat(replay(engine)).isEqualTo(expected);
    }

    @Test
    void testOtherMergeEngines()
            throws Exception
    {
        OracleTable first = tables.create("first", "merge-engine", "first-row", "changelog-producer", "lookup");
        EngineTable firstRows = tables.engine(first);
        commitUponOneBase(firstRows, List.of(rows(0, 3, 1), rows(1, 5, 2)));
        assertThat(firstRows.readRows()).containsExactly("(0, 1, 0)", "(1, 1, 0)", "(2, 1, 0)", "(3, 2, 0)", "(4, 2, 0)");
        assertThat(texts(tables.paimon().readTable(first))).isEqualTo(firstRows.readRows());
        assertThat(replay(firstRows)).isEqualTo(firstRows.readRows());

        OracleTable sum = tables.create("sums", "merge-engine", "aggregation", "fields.v.aggregate-function", "sum", "fields.w.aggregate-function", "last_value", "changelog-producer", "lookup");
        EngineTable sums = tables.engine(sum);
        sums.write(rows(0, 2, 100));
        commitUponOneBase(sums, List.of(List.of(Change.insert(0, 1, 1)), List.of(Change.insert(0, 2, 2)), List.of(Change.insert(0, 3, 3))));
        assertThat(sums.readRows()).containsExactly("(0, 106, 3)", "(1, 100, 0)");
        assertThat(texts(tables.paimon().readTable(sum))).isEqualTo(sums.readRows());
        assertThat(replay(sums)).isEqualTo(sums.readRows());

        OracleTable vectors = tables.create("vectors", "deletion-vectors.enabled", "true", "changelog-producer", "lookup");
        EngineTable marked = tables.engine(vectors);
        marked.write(rows(0, 100, 0));
        commitUponOneBase(marked, List.of(rows(10, 20, 1), rows(15, 30, 2)));
        assertThat(marked.readRows()).hasSize(100).contains("(14, 1, 0)", "(15, 2, 0)", "(29, 2, 0)", "(30, 0, 0)");
        assertThat(texts(tables.paimon().readTable(vectors))).isEqualTo(marked.readRows());
        assertThat(replay(marked)).isEqualTo(marked.readRows());
        assertThat(tables.paimon().orphanFiles(vectors)).isEmpty();
    }

    /**
     * Statements that have read rows would have read others.
     */
    @Test
    void testRowChangesConflict()
            throws Exception
    {
        OracleTable table = tables.create("changes", "changelog-producer", "lookup");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 3, 0));
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        List<CommitMessage> update = engine.prepare(opened, base, rows(1, 2, 1), WriteMode.ROW_CHANGES);
        engine.write(rows(1, 2, 2));
        assertConflict(() -> engine.commit(opened, base, WriteMode.ROW_CHANGES, update));
        assertThat(engine.readRows()).containsExactly("(0, 0, 0)", "(1, 2, 0)", "(2, 0, 0)");
    }

    @Test
    void testBudget()
            throws Exception
    {
        OracleTable table = tables.create("bounded", "changelog-producer", "lookup");
        EngineTable engine = tables.engine(table, new RebaseBudget(0, 1));
        engine.write(rows(0, 3, 0));
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        List<CommitMessage> mine = engine.prepare(opened, base, rows(0, 2, 1), WriteMode.UPSERT);
        List<CommitMessage> apart = engine.prepare(opened, base, rows(7, 9, 1), WriteMode.UPSERT);
        engine.write(rows(1, 3, 2));
        assertConflict(() -> engine.commit(opened, base, WriteMode.UPSERT, mine));
        opened.discard(mine);
        assertThat(engine.readRows()).containsExactly("(0, 0, 0)", "(1, 2, 0)", "(2, 2, 0)");
        // rows that do not meet others need no new numbers; the compaction is left to the next statement
        CommitResult result = engine.commit(opened, base, WriteMode.UPSERT, apart).orElseThrow();
        assertThat(result.appendSnapshotId()).isPresent();
        assertThat(result.compactionDropped()).isTrue();
        engine.write(rows(9, 10, 3));
        assertThat(replay(engine)).isEqualTo(engine.readRows()).hasSize(6);
        assertThat(tables.paimon().orphanFiles(table)).isEmpty();
    }

    /**
     * Whose changes a COMPACT holds is known where it is made: here it lifts nobody else's.
     */
    @Test
    void testProperties()
            throws Exception
    {
        OracleTable table = tables.create("named", "changelog-producer", "lookup");
        EngineTable engine = tables.engine(table);
        StorageTable opened = engine.open();
        List<CommitMessage> first = engine.prepare(opened, OptionalLong.empty(), rows(0, 3, 1), WriteMode.UPSERT);
        List<CommitMessage> second = engine.prepare(opened, OptionalLong.empty(), rows(0, 3, 2), WriteMode.UPSERT);
        opened.commit(named(first, "q1"));
        opened.commit(named(second, "q2"));
        assertThat(engine.snapshots()).extracting(snapshot -> snapshot.properties().get("query")).containsExactly("q1", "q1", "q2", "q2");

        // the next one lifts what somebody left at level 0
        OptionalLong base = opened.snapshots().latestId();
        List<CommitMessage> third = engine.prepare(opened, base, rows(0, 3, 3), WriteMode.UPSERT);
        engine.write(rows(0, 1, 4), ImmutableMap.of("write-only", "true"));
        opened.commit(new CommitRequest(base, third, false, ImmutableMap.of("query", "q3"), ImmutableMap.of("query", "q3"), UUID.randomUUID().toString(), Optional.empty(), ImmutableMap.of("compactor", "q3")));
        assertThat(engine.snapshots().getLast().properties()).isEqualTo(Map.of("compactor", "q3"));
        assertThat(replay(engine)).isEqualTo(engine.readRows()).containsExactly("(0, 3, 0)", "(1, 3, 0)", "(2, 3, 0)");
    }

    /**
     * A compaction of committed rows is true whatever is appended meanwhile.
     */
    @Test
    void testAppendDuringACompaction()
            throws Exception
    {
        OracleTable table = tables.create("beside", "changelog-producer", "lookup", "lookup-wait", "false");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 100, 0));
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        TableCompactor compactor = opened.newCompactor(base);
        List<CommitMessage> messages = opened.liveFiles().liveFiles(opened.snapshots().latest().orElseThrow(), _ -> true, _ -> true).stream()
                .map(BucketId::of)
                .distinct()
                .flatMap(bucket -> compactor.compactPending(bucket).stream())
                .toList();
        engine.write(rows(50, 51, 1));
        engine.write(ImmutableList.of(Change.delete(60, 0, 0)), WriteMode.ROW_CHANGES);
        CommitResult result = engine.commit(opened, base, WriteMode.UPSERT, messages).orElseThrow();
        assertThat(result.compactionDropped()).isFalse();
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "APPEND", "COMPACT*");
        assertThat(engine.readRows()).hasSize(99).contains("(50, 1, 0)").isEqualTo(texts(tables.paimon().readTable(table)));
        engine.compact(false);
        assertThat(log(engine, 4)).containsExactly("-U(50, 0, 0)", "+U(50, 1, 0)", "-D(60, 0, 0)");
        assertThat(replay(engine)).isEqualTo(engine.readRows());
    }

    /**
     * Rounds of three statements that begin together and commit in any order.
     */
    @Test
    void testRandomRounds()
            throws Exception
    {
        for (int seed = 0; seed < Integer.getInteger("lookup.rounds", 4); seed++) {
            Random random = new Random(seed);
            String producer = List.of("none", "input", "lookup", "full-compaction").get(seed % 4);
            OracleTable table = tables.create("random_" + seed, "changelog-producer", producer, "full-compaction.delta-commits", "3", "deletion-vectors.enabled", String.valueOf(producer.equals("lookup") && random.nextBoolean()));
            EngineTable engine = tables.engine(table);
            Map<Integer, String> expected = new TreeMap<>();
            int value = 0;
            for (int round = 0; round < 8; round++) {
                List<List<Change>> statements = new ArrayList<>();
                for (int statement = 0; statement < 3; statement++) {
                    int from = random.nextInt(30);
                    value++;
                    statements.add(rows(from, from + 1 + random.nextInt(10), value));
                }
                Collections.shuffle(statements, random);
                commitUponOneBase(engine, statements);
                statements.forEach(statement -> statement.forEach(change -> expected.put((Integer) change.values().getFirst(), change.rowText())));
                assertThat(engine.readRows()).as("seed %s, round %s", seed, round).isEqualTo(expected.values().stream().sorted().toList());
            }
            assertThat(texts(tables.paimon().readTable(table))).as("seed %s", seed).isEqualTo(engine.readRows());
            engine.compact(true);
            assertThat(engine.readRows()).as("seed %s", seed).isEqualTo(expected.values().stream().sorted().toList());
            if (seed % 4 >= 2) {
                assertThat(replay(engine)).as("seed %s", seed).isEqualTo(engine.readRows());
            }
            assertThat(tables.paimon().orphanFiles(table)).as("seed %s", seed).isEmpty();
        }
    }

    /**
     * All are written before the first is committed.
     */
    private static List<CommitResult> commitUponOneBase(EngineTable engine, List<List<Change>> statements)
    {
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        List<List<CommitMessage>> prepared = statements.stream()
                .map(changes -> engine.prepare(opened, base, changes, WriteMode.UPSERT))
                .toList();
        return prepared.stream()
                .map(messages -> engine.commit(opened, base, WriteMode.UPSERT, messages).orElseThrow())
                .toList();
    }

    private static CommitRequest named(List<CommitMessage> messages, String query)
    {
        Map<String, String> properties = ImmutableMap.of("query", query);
        return new CommitRequest(OptionalLong.empty(), messages, false, properties, properties, UUID.randomUUID().toString(), Optional.empty(), ImmutableMap.of("compactor", query));
    }

    private static void assertConflict(Runnable statement)
    {
        assertThatThrownBy(statement::run)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                .hasMessageContaining("changed the same rows");
    }
}
