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
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.ChangelogReplay;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows that are deleted and come again, in tables whose merge engine combines rows: what both engines read of the same files is the same after
 * every step, whoever wrote them, and what a DELETE of ours has removed begins anew. So do updates where they are defined.
 */
final class TestRemovedRows
        extends AbstractOracleTest
{
    private static final int HISTORIES = Integer.getInteger("lookup.histories", 4);
    private static final int FIRST_SEED = Integer.getInteger("lookup.first-seed", 0);
    private static final int STEPS = 14;

    /**
     * The steps are those of SQL statements, compactions, and reads; Paimon only reads.
     */
    @ParameterizedTest
    @ValueSource(strings = {"none", "input", "lookup", "full-compaction"})
    void testDeletedRowsBeginAnew(String producer)
            throws Exception
    {
        for (int seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) {
            Random random = new Random(seed);
            boolean aggregation = random.nextBoolean();
            History history = new History("anew_" + producer.replace('-', '_') + seed, producer, aggregation, random);
            history.insert();
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(7)) {
                    case 0 -> history.engine.compact(false);
                    case 1 -> history.engine.compact(true);
                    case 2, 3 -> history.delete();
                    case 4 -> history.update();
                    default -> history.insert();
                }
                history.checkSameRows(true);
            }
            history.engine.compact(true);
            history.checkSameRows(true);
            if (producer.equals("lookup") || producer.equals("full-compaction")) {
                history.checkLog();
            }
        }
    }

    /**
     * Both engines write and compact in turns.
     */
    @ParameterizedTest
    @ValueSource(strings = {"none", "lookup", "full-compaction"})
    void testWritersInTurns(String producer)
            throws Exception
    {
        for (int seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) {
            Random random = new Random(seed);
            boolean aggregation = random.nextBoolean();
            History history = new History("turns_" + producer.replace('-', '_') + seed, producer, aggregation, random);
            history.insert();
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(9)) {
                    case 0 -> history.engine.compact(false);
                    case 1 -> history.engine.compact(true);
                    case 2 -> history.delete();
                    case 3 -> history.insert();
                    case 4 -> paimon.compact(history.table, false);
                    case 5 -> paimon.compact(history.table, true);
                    case 6 -> paimon.writeWithoutCompaction(history.table, history.anyRows(true));
                    default -> paimon.write(history.table, history.anyRows(true));
                }
                history.checkSameRows(false);
            }
            history.engine.compact(true);
            history.checkSameRows(false);
            if (producer.equals("lookup")) {
                history.checkLog();
            }
        }
    }

    /**
     * What Paimon's own delete leaves behind is combined with what comes later, here as there, until a compaction drops it.
     */
    @Test
    void testDeleteOfPaimon()
            throws Exception
    {
        for (boolean compact : new boolean[] {false, true}) {
            PaimonTableDefinition definition = definition("none", true, false);
            OracleTable table = paimon.createTable("default", "theirs_" + compact, definition);
            EngineTable engine = new EngineTable(fileIo, paimon.location(table), directory.resolve("spill"));
            engine.write(List.of(Change.insert(1, 3L, 3, "a", 3)));
            paimon.write(table, List.of(Change.delete(1, 3L, 3, "a", 3)));
            assertThat(engine.readRows()).isEmpty();
            if (compact) {
                engine.compact(true);
            }
            engine.write(List.of(Change.insert(1, 10L, 10, null, null)));
            assertThat(engine.readRows()).containsExactly(compact ? "(1, 10, 10, null, null)" : "(1, 13, 13, 'a', 3)");
            assertThat(paimon.readTable(table)).extracting(Change::rowText).containsExactlyElementsOf(engine.readRows());
        }
    }

    private static PaimonTableDefinition definition(String producer, boolean aggregation, boolean writeOnly)
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.<String, String>builder()
                .put("bucket", "1")
                .put("num-sorted-run.compaction-trigger", "3")
                .put("changelog-producer", producer);
        if (writeOnly) {
            options.put("write-only", "true");
        }
        if (aggregation) {
            options.put("merge-engine", "aggregation");
            options.put("aggregation.remove-record-on-delete", "true");
            options.put("fields.a.aggregate-function", "sum");
            options.put("fields.b.aggregate-function", "sum");
            options.put("fields.d.aggregate-function", "max");
        }
        else {
            options.put("merge-engine", "partial-update");
            options.put("partial-update.remove-record-on-delete", "true");
        }
        return new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("a", "BIGINT"), new Column("b", "INT NOT NULL"), new Column("c", "STRING"), new Column("d", "INT")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                options.buildOrThrow());
    }

    private final class History
    {
        private final PaimonTableDefinition definition;
        private final boolean aggregation;
        private final Random random;
        private final OracleTable table;
        private final EngineTable engine;
        private final Map<Integer, List<Object>> rows = new TreeMap<>();

        private History(String name, String producer, boolean aggregation, Random random)
                throws Exception
        {
            this.definition = definition(producer, aggregation, producer.equals("none") && random.nextInt(3) == 0);
            this.aggregation = aggregation;
            this.random = random;
            this.table = paimon.createTable("default", name, definition);
            this.engine = new EngineTable(fileIo, paimon.location(table), directory.resolve("spill"));
        }

        List<Change> anyRows(boolean deletes)
        {
            List<Change> changes = new ArrayList<>();
            for (int count = random.nextInt(1, 4); count > 0; count--) {
                List<Object> row = Arrays.asList(
                        random.nextInt(4),
                        random.nextInt(3) == 0 ? null : (Object) random.nextLong(1, 9),
                        random.nextInt(1, 9),
                        random.nextInt(3) == 0 ? null : "v" + random.nextInt(9),
                        random.nextInt(3) == 0 ? null : (Object) random.nextInt(9));
                changes.add(deletes && random.nextInt(3) == 0 ? Change.delete(row.toArray()) : Change.insert(row.toArray()));
            }
            return changes;
        }

        void insert()
        {
            List<Change> changes = anyRows(false);
            changes.forEach(change -> rows.merge((Integer) change.values().getFirst(), change.values(), this::combine));
            engine.write(changes);
        }

        private List<Object> combine(List<Object> old, List<Object> added)
        {
            List<Object> result = new ArrayList<>();
            for (int column = 0; column < old.size(); column++) {
                Object before = old.get(column);
                Object value = added.get(column);
                if (before == null || value == null || column == 0) {
                    result.add(value == null ? before : value);
                    continue;
                }
                result.add(!aggregation ? value : switch (column) {
                    case 1 -> (Object) ((Long) before + (Long) value);
                    case 2 -> (Object) ((Integer) before + (Integer) value);
                    case 4 -> Math.max((Integer) before, (Integer) value);
                    default -> value;
                });
            }
            return result;
        }

        /**
         * Some of the rows that are there, as a statement deletes them.
         */
        void delete()
                throws Exception
        {
            List<Change> deleted = paimon.readTable(table).stream()
                    .filter(_ -> random.nextBoolean())
                    .map(row -> Change.delete(row.values().toArray()))
                    .collect(toImmutableList());
            if (deleted.isEmpty()) {
                return;
            }
            deleted.forEach(row -> rows.remove((Integer) row.values().getFirst()));
            engine.write(deleted, WriteMode.ROW_CHANGES);
        }

        /**
         * Some of the rows that are there, if the merge engine defines it.
         */
        void update()
                throws Exception
        {
            if (aggregation) {
                return;
            }
            ImmutableList.Builder<Change> changes = ImmutableList.builder();
            int column = random.nextInt(1, 5);
            for (Change row : paimon.readTable(table)) {
                if (random.nextBoolean()) {
                    continue;
                }
                List<Object> updated = new ArrayList<>(row.values());
                updated.set(column, switch (column) {
                    case 1 -> (Object) random.nextLong(1, 9);
                    case 3 -> "u" + random.nextInt(9);
                    default -> random.nextInt(1, 9);
                });
                rows.put((Integer) updated.getFirst(), updated);
                // in no order
                changes.add(random.nextBoolean() ? new Change(ChangeKind.UPDATE_AFTER, updated) : new Change(ChangeKind.UPDATE_BEFORE, row.values()));
                changes.add(changes.build().getLast().kind() == ChangeKind.UPDATE_AFTER ? new Change(ChangeKind.UPDATE_BEFORE, row.values()) : new Change(ChangeKind.UPDATE_AFTER, updated));
            }
            if (!changes.build().isEmpty()) {
                engine.update(changes.build(), ImmutableSet.of(definition.columns().get(column).name()));
            }
        }

        void checkSameRows(boolean expected)
                throws Exception
        {
            List<String> read = engine.readRows();
            assertThat(paimon.readTable(table)).as("%s %s", table.name(), definition.options()).extracting(Change::rowText).containsExactlyInAnyOrderElementsOf(read);
            if (expected) {
                assertThat(read).as("%s %s", table.name(), definition.options()).containsExactlyInAnyOrderElementsOf(rows.values().stream().map(row -> Change.insert(row.toArray()).rowText()).toList());
            }
        }

        void checkLog()
        {
            ChangelogReplay replay = new ChangelogReplay(definition);
            replay.apply(engine.snapshots().stream().flatMap(snapshot -> engine.readLog(snapshot).stream()).toList());
            assertThat(replay.state()).as("%s %s", table.name(), definition.options()).containsExactlyInAnyOrderElementsOf(engine.readRows());
        }
    }
}
