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
import io.lookup.storage.StorageException;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.CommitKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import static io.lookup.storage.table.ProducerTables.kinds;
import static io.lookup.storage.table.ProducerTables.levels;
import static io.lookup.storage.table.ProducerTables.log;
import static io.lookup.storage.table.ProducerTables.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tables whose producer changes while they hold rows: every change is told, and told once.
 */
final class TestProducerChange
        extends AbstractProducerTest
{
    private static final int HISTORIES = Integer.getInteger("lookup.producer-histories", 4);
    private static final List<String> PRODUCERS = ImmutableList.of("none", "input", "lookup", "full-compaction");

    @Test
    void testRowsThatWereToldAsTheyWereAppended()
            throws Exception
    {
        for (String first : List.of("none", "input")) {
            for (String second : List.of("lookup", "full-compaction")) {
                OracleTable table = tables.create(first + "_" + second, "changelog-producer", first);
                EngineTable engine = tables.engine(table);
                engine.write(rows(0, 3, 0));
                engine.write(rows(1, 2, 1));
                tables.paimon().setOption(table, "changelog-producer", second);
                engine.write(ImmutableList.of(Change.insert(1, 2, 0), Change.insert(7, 2, 0)));
                engine.compact(true);
                assertThat(log(engine, 2)).as("%s, then %s", first, second).containsExactly("-U(1, 1, 0)", "+U(1, 2, 0)", "+I(7, 2, 0)");
            }
        }
    }

    @Test
    void testRowsThatWaitedForALookup()
            throws Exception
    {
        for (String second : List.of("none", "input", "full-compaction")) {
            OracleTable table = tables.create("lookup_" + second, "changelog-producer", "lookup");
            EngineTable engine = tables.engine(table);
            engine.write(rows(0, 1000, 0));
            engine.write(rows(1, 2, 1), ImmutableMap.of("write-only", "true"));
            tables.paimon().setOption(table, "changelog-producer", second);
            assertThat(log(engine, 2)).isEmpty();
            engine.write(ImmutableList.of(Change.insert(7, 2, 0)));
            if (second.equals("full-compaction")) {
                // there they may go on waiting
                assertThat(log(engine, 3)).isEmpty();
                engine.compact(true);
            }
            // of the new row, none and input tell by themselves
            assertThat(log(engine, 3)).as("lookup, then %s", second).contains("-U(1, 0, 0)", "+U(1, 1, 0)").hasSize(second.equals("full-compaction") ? 4 : 3);
            assertThat(levels(engine)).containsExactly("L5 1000 rows");
        }
    }

    /**
     * The first compaction tells them, whether or not their keys were written again.
     */
    @Test
    void testRowsThatWaitedForAFullCompaction()
            throws Exception
    {
        for (String second : List.of("none", "input", "lookup")) {
            OracleTable table = tables.create("full_" + second, "changelog-producer", "full-compaction");
            EngineTable engine = tables.engine(table);
            engine.write(rows(0, 3, 0));
            engine.compact(true);
            engine.write(ImmutableList.of(Change.delete(0, 0, 0), Change.insert(1, 1, 0), Change.insert(2, 1, 0), Change.insert(7, 1, 0)), ImmutableMap.of("write-only", "true"));
            tables.paimon().setOption(table, "changelog-producer", second);
            engine.write(rows(2, 3, 2), ImmutableMap.of("write-only", "true"));
            engine.compact(true);
            if (second.equals("lookup")) {
                assertThat(log(engine, 3)).containsExactly("-D(0, 0, 0)", "-U(1, 0, 0)", "+U(1, 1, 0)", "-U(2, 0, 0)", "+U(2, 2, 0)", "+I(7, 1, 0)");
            }
            else {
                // what was written last was told as it was
                assertThat(log(engine, 3)).as(second).containsExactly("+I(2, 2, 0)", "-D(0, 0, 0)", "-U(1, 0, 0)", "+U(1, 1, 0)", "+I(7, 1, 0)");
            }
            assertThat(engine.readRows()).containsExactly("(1, 1, 0)", "(2, 2, 0)", "(7, 1, 0)");
        }
    }

    /**
     * What was told since can lose against it by the sequence field, and is corrected.
     */
    @Test
    void testRowThatWaitedAndWins()
            throws Exception
    {
        OracleTable table = tables.create("wins", "changelog-producer", "full-compaction", "sequence.field", "v");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 3, 0), ImmutableMap.of("write-only", "true"));
        engine.compact(true);
        engine.write(rows(1, 2, 9), ImmutableMap.of("write-only", "true"));
        tables.paimon().setOption(table, "changelog-producer", "input");
        engine.write(ImmutableList.of(Change.insert(1, 5, 0), Change.insert(2, 5, 0)), ImmutableMap.of("write-only", "true"));
        assertThat(log(engine, 3)).containsExactly("+I(1, 5, 0)", "+I(2, 5, 0)");
        engine.compact(true);
        assertThat(log(engine, 4)).containsExactly("-U(1, 5, 0)", "+U(1, 9, 0)");
        assertThat(engine.readRows()).containsExactly("(0, 0, 0)", "(1, 9, 0)", "(2, 5, 0)");
    }

    /**
     * Middle levels hold what a lookup has told, and what no full compaction has told yet.
     */
    @Test
    void testMiddleLevels()
            throws Exception
    {
        OracleTable table = tables.create("middle", "changelog-producer", "lookup");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 1000, 0));
        engine.write(rows(0, 10, 1));
        assertThat(levels(engine)).containsExactly("L4 10 rows", "L5 1000 rows");
        tables.paimon().setOption(table, "changelog-producer", "full-compaction");
        engine.write(rows(0, 2, 2));
        assertThat(levels(engine)).containsExactly("L5 1000 rows");
        assertThat(log(engine, 4)).containsExactly("-U(0, 1, 0)", "+U(0, 2, 0)", "-U(1, 1, 0)", "+U(1, 2, 0)");

        tables.paimon().setOption(table, "compaction.force-up-level-0", "true");
        engine.write(rows(5, 6, 3));
        assertThat(levels(engine)).containsExactly("L4 1 rows", "L5 1000 rows");
        assertThat(kinds(engine).getLast()).isEqualTo("COMPACT");
        tables.paimon().setOption(table, "changelog-producer", "lookup");
        engine.write(rows(9, 10, 4));
        assertThat(levels(engine)).containsExactly("L5 1000 rows");
        assertThat(log(engine, 8)).containsExactly("-U(5, 1, 0)", "+U(5, 3, 0)", "-U(9, 1, 0)", "+U(9, 4, 0)");
    }

    /**
     * The states of sums cannot stay in two levels where no lookup says which of them counts.
     */
    @Test
    void testStatesInSeveralLevels()
            throws Exception
    {
        OracleTable table = tables.create("sums", "changelog-producer", "lookup", "merge-engine", "aggregation", "fields.v.aggregate-function", "sum");
        EngineTable engine = tables.engine(table);
        for (String producer : PRODUCERS) {
            engine.open().checkChange(withProducer(engine.open().schema(), producer));
        }
        engine.write(rows(0, 1000, 1));
        engine.open().checkChange(withProducer(engine.open().schema(), "none"));
        engine.write(rows(0, 1, 1));
        assertThat(levels(engine)).containsExactly("L4 1 rows", "L5 1000 rows");
        for (String producer : List.of("none", "input", "full-compaction")) {
            assertThatThrownBy(() -> engine.open().checkChange(withProducer(engine.open().schema(), producer)))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("'changelog-producer'")
                    .hasMessageContaining("from lookup to " + producer)
                    .hasMessageContaining("levels")
                    .hasMessageContaining("optimize");
        }
        engine.compact(true);
        engine.open().checkChange(withProducer(engine.open().schema(), "none"));
        tables.paimon().setOption(table, "changelog-producer", "none");
        engine.write(rows(0, 1, 1));
        assertThat(engine.readRows()).contains("(0, 3, 0)", "(1, 1, 0)").isEqualTo(ProducerTables.texts(tables.paimon().readTable(table)));
    }

    private static TableSchema withProducer(TableSchema schema, String producer)
    {
        return new TableSchema(
                schema.version(),
                schema.id() + 1,
                schema.fields(),
                schema.highestFieldId(),
                schema.partitionKeys(),
                schema.primaryKeys(),
                ImmutableMap.<String, String>builder().putAll(schema.options()).put("changelog-producer", producer).buildKeepingLast(),
                schema.comment(),
                schema.timeMillis());
    }

    static Stream<Arguments> changes()
    {
        return PRODUCERS.stream().flatMap(first -> PRODUCERS.stream().map(second -> Arguments.of(first, second)));
    }

    /**
     * Each row that is written has a value of its own. No record of the log says that a row came which another said before,
     * and the log leads to the state.
     */
    @ParameterizedTest
    @MethodSource("changes")
    void testEveryChangeIsToldOnce(String first, String second)
            throws Exception
    {
        for (int seed = 0; seed < HISTORIES; seed++) {
            Random random = new Random(seed * 31L + PRODUCERS.indexOf(first) * 4L + PRODUCERS.indexOf(second));
            OracleTable table = tables.create(
                    "told_%s_%s_%s".formatted(first, second, seed).replace('-', '_'),
                    "changelog-producer", first,
                    "num-sorted-run.compaction-trigger", String.valueOf(2 + random.nextInt(3)),
                    "num-levels", "6",
                    "full-compaction.delta-commits", String.valueOf(4 + random.nextInt(8)));
            EngineTable engine = tables.engine(table);
            Map<Integer, Change> live = new HashMap<>();
            int version = 0;
            for (int commit = 0; commit < 16; commit++) {
                if (commit == 8) {
                    tables.paimon().setOption(table, "changelog-producer", second);
                }
                if (commit == 12) {
                    tables.paimon().setOption(table, "changelog-producer", first);
                }
                List<Change> changes = new ArrayList<>();
                int keys = commit == 0 ? 60 : 1 + random.nextInt(8);
                Set<Integer> touched = new HashSet<>();
                for (int index = 0; index < keys; index++) {
                    int key = commit == 0 ? index : random.nextInt(70);
                    if (!touched.add(key)) {
                        continue;
                    }
                    if (live.containsKey(key) && random.nextInt(3) == 0) {
                        changes.add(new Change(ChangeKind.DELETE, live.remove(key).values()));
                        continue;
                    }
                    version++;
                    Change row = Change.insert(key, version, 0);
                    changes.add(row);
                    live.put(key, row);
                }
                engine.write(changes, random.nextInt(3) == 0 ? ImmutableMap.of("write-only", "true") : ImmutableMap.of());
                if (random.nextInt(6) == 0) {
                    engine.compact(random.nextBoolean());
                }
            }
            engine.compact(true);
            assertThat(engine.readRows()).isEqualTo(live.values().stream().map(Change::rowText).sorted().toList());
            assertToldOnce(engine, "%s, then %s, seed %s".formatted(first, second, seed));
        }
    }

    private static void assertToldOnce(EngineTable engine, String description)
    {
        Set<String> told = new HashSet<>();
        Map<Object, String> state = new TreeMap<>();
        engine.snapshots().forEach(snapshot -> engine.readLog(snapshot).forEach(change -> {
            Object key = change.values().getFirst();
            switch (change.kind()) {
                case INSERT, UPDATE_AFTER -> {
                    assertThat(told.add(change.rowText())).as("%s: %s told twice, at last by snapshot %s", description, change, snapshot.id()).isTrue();
                    state.put(key, change.rowText());
                }
                case UPDATE_BEFORE, DELETE -> {
                    String before = state.remove(key);
                    // a delete that is told as it was written can be of a row that waited to be told, and then never is
                    if (snapshot.commitKind() == CommitKind.COMPACT) {
                        assertThat(before).as("%s: %s of snapshot %s", description, change, snapshot.id()).isEqualTo(change.rowText());
                    }
                }
            }
        }));
        assertThat(state.values().stream().sorted().toList()).as(description).isEqualTo(engine.readRows());
    }
}
