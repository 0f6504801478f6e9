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
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.table.ProducerTables.lastId;
import static io.lookup.storage.table.ProducerTables.log;
import static io.lookup.storage.table.ProducerTables.replay;
import static io.lookup.storage.table.ProducerTables.rows;
import static io.lookup.storage.table.ProducerTables.texts;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Statements that have read the rows that they change: the log says the old rows as they brought them, and the levels are asked for the others.
 */
final class TestKnownRows
        extends AbstractProducerTest
{
    private static final int HISTORIES = Integer.getInteger("lookup.known-rows.histories", 6);
    private static final long SEED = Long.getLong("lookup.seed", System.nanoTime());

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testOldRowsAreNotLookedUp(boolean vectors)
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("known", "changelog-producer", "lookup", "deletion-vectors.enabled", String.valueOf(vectors)));
        engine.write(rows(0, 5_000, 0));
        long loaded = lastId(engine);
        long before = engine.keysLookedUp();
        engine.write(ImmutableList.of(Change.delete(7, 0, 0), Change.insert(7, 1, 0), Change.delete(9, 0, 0), Change.insert(8_000, 0, 0)), WriteMode.ROW_CHANGES);
        assertThat(log(engine, loaded)).containsExactly("-U(7, 0, 0)", "+U(7, 1, 0)", "-D(9, 0, 0)", "+I(8000, 0, 0)");
        // the inserted key; the places of the others, where they must be known
        assertThat(engine.keysLookedUp() - before).isEqualTo(vectors ? 3 : 1);
        assertThat(replay(engine)).isEqualTo(engine.readRows());
    }

    /**
     * A new row may take the place of one that the statement has not read.
     */
    @Test
    void testInsertOfKeyThatWasNotRead()
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("unread", "changelog-producer", "lookup"));
        engine.write(rows(0, 1_000, 0));
        long loaded = lastId(engine);
        engine.write(ImmutableList.of(Change.delete(1, 0, 0), Change.insert(2, 5, 0)), WriteMode.ROW_CHANGES);
        assertThat(log(engine, loaded)).containsExactly("-D(1, 0, 0)", "-U(2, 0, 0)", "+U(2, 5, 0)");
    }

    /**
     * What the statement read has level 0 in it, and what is above is older.
     */
    @Test
    void testRowsThatWaitAtLevel0()
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("waiting", "changelog-producer", "lookup"));
        engine.write(rows(0, 1_000, 0));
        engine.write(rows(1, 3, 1), ImmutableMap.of("lookup-wait", "false"));
        long waiting = lastId(engine);
        engine.write(ImmutableList.of(Change.delete(1, 1, 0), Change.insert(1, 2, 0)), WriteMode.ROW_CHANGES);
        assertThat(log(engine, waiting)).containsExactly("-U(1, 0, 0)", "+U(1, 2, 0)", "-U(2, 0, 0)", "+U(2, 1, 0)");
        assertThat(replay(engine)).isEqualTo(engine.readRows());
    }

    /**
     * Of what is spilled, a new row stands for both.
     */
    @Test
    void testSpilledRows()
            throws Exception
    {
        OracleTable table = tables.create("spilled", "changelog-producer", "lookup");
        EngineTable engine = tables.engine(table, 10_000);
        engine.write(rows(0, 3_000, 0));
        long loaded = lastId(engine);
        List<Change> changes = new ArrayList<>();
        for (int key = 0; key < 1_000; key++) {
            changes.add(Change.delete(key, 0, 0));
            if (key % 3 > 0) {
                changes.add(Change.insert(key, 1, 0));
            }
        }
        Collections.shuffle(changes, new Random(1));
        engine.write(changes, WriteMode.ROW_CHANGES);
        assertThat(log(engine, loaded)).hasSize(1_000 + 666).contains("-U(1, 0, 0)", "+U(1, 1, 0)", "-D(3, 0, 0)");
        assertThat(replay(engine)).isEqualTo(engine.readRows()).isEqualTo(texts(tables.paimon().readTable(table)));
    }

    @Test
    void testRandomHistories()
            throws Exception
    {
        for (int history = 0; history < HISTORIES; history++) {
            Random random = new Random(SEED + history);
            try {
                run("random_" + history, random);
            }
            catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Seed %s fails".formatted(SEED + history), e);
            }
        }
    }

    private void run(String name, Random random)
            throws Exception
    {
        boolean vectors = random.nextInt(3) == 0;
        boolean deduplicates = random.nextInt(3) == 0;
        OracleTable table = tables.create(
                name,
                "changelog-producer", "lookup",
                "deletion-vectors.enabled", String.valueOf(vectors),
                "changelog-producer.row-deduplicate", String.valueOf(deduplicates),
                "num-sorted-run.compaction-trigger", String.valueOf(random.nextInt(2, 6)));
        EngineTable engine = tables.engine(table, random.nextBoolean() ? 64L << 20 : 4_000);
        int keys = random.nextInt(20, 600);
        // rows as the log has them, and as they are
        SortedMap<Integer, Change> told = new TreeMap<>();
        SortedMap<Integer, Change> state = new TreeMap<>();
        SortedSet<Integer> touched = new TreeSet<>();
        for (int step = 0; step < 15; step++) {
            boolean waits = vectors || random.nextInt(5) > 0;
            boolean rowChanges = waits && random.nextInt(3) > 0;
            long before = lastId(engine);
            List<Change> changes = rowChanges ? rowChanges(random, keys, step, state) : inserts(random, keys, step);
            if (changes.isEmpty()) {
                continue;
            }
            changes.forEach(change -> touched.add(key(change)));
            changes.stream().filter(change -> change.kind() == ChangeKind.DELETE).forEach(change -> state.remove(key(change)));
            changes.stream().filter(change -> change.kind() == ChangeKind.INSERT).forEach(change -> state.put(key(change), change));
            if (rowChanges) {
                engine.write(changes, WriteMode.ROW_CHANGES);
            }
            else {
                engine.write(changes, ImmutableMap.of("lookup-wait", String.valueOf(waits)));
            }
            assertThat(engine.readRows()).isEqualTo(texts(List.copyOf(state.values())));
            if (waits) {
                assertThat(log(engine, before)).isEqualTo(differences(touched, told, state, deduplicates));
                told.clear();
                told.putAll(state);
                touched.clear();
            }
        }
        assertThat(engine.readRows()).isEqualTo(texts(tables.paimon().readTable(table)));
    }

    private static List<Change> inserts(Random random, int keys, int step)
    {
        return Stream.generate(() -> Change.insert(random.nextInt(keys), random.nextInt(3), step))
                .limit(random.nextInt(1, keys))
                .collect(toImmutableList());
    }

    /**
     * Updates, deletes, moves to other keys, and inserts, as an UPDATE or MERGE sends them: in no order, at most one new row a key.
     */
    private static List<Change> rowChanges(Random random, int keys, int step, SortedMap<Integer, Change> state)
    {
        List<Change> changes = new ArrayList<>();
        Set<Integer> inserted = new HashSet<>();
        int odds = random.nextInt(1, 20);
        boolean same = random.nextInt(4) == 0;
        for (Change row : state.values()) {
            if (random.nextInt(odds) > 0) {
                continue;
            }
            changes.add(new Change(ChangeKind.DELETE, row.values()));
            int key = random.nextInt(4) == 0 ? random.nextInt(keys) : key(row);
            if (random.nextInt(3) > 0 && inserted.add(key)) {
                changes.add(same && key == key(row) ? row : Change.insert(key, random.nextInt(3), step));
            }
        }
        for (int insert = random.nextInt(5); insert > 0; insert--) {
            int key = random.nextInt(keys);
            if (inserted.add(key)) {
                changes.add(Change.insert(key, 9, step));
            }
        }
        Collections.shuffle(changes, random);
        return changes;
    }

    private static List<String> differences(SortedSet<Integer> keys, SortedMap<Integer, Change> before, SortedMap<Integer, Change> after, boolean deduplicates)
    {
        List<String> log = new ArrayList<>();
        for (int key : keys) {
            Change oldRow = before.get(key);
            Change newRow = after.get(key);
            if (oldRow == null && newRow == null) {
                continue;
            }
            if (oldRow == null) {
                log.add("+I" + newRow.rowText());
            }
            else if (newRow == null) {
                log.add("-D" + oldRow.rowText());
            }
            else if (!deduplicates || !oldRow.equals(newRow)) {
                log.add("-U" + oldRow.rowText());
                log.add("+U" + newRow.rowText());
            }
        }
        return log;
    }

    private static int key(Change change)
    {
        return (Integer) change.values().getFirst();
    }
}
