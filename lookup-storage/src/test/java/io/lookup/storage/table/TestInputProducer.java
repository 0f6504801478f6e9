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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.FileSummary;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.StoredRecord;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import static io.lookup.storage.table.ProducerTables.kinds;
import static io.lookup.storage.table.ProducerTables.lastId;
import static io.lookup.storage.table.ProducerTables.log;
import static io.lookup.storage.table.ProducerTables.replay;
import static io.lookup.storage.table.ProducerTables.texts;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code changelog-producer = input}: what a statement says is what the log says.
 */
final class TestInputProducer
        extends AbstractProducerTest
{
    @Test
    void testStatements()
            throws Exception
    {
        OracleTable table = tables.create("statements", "changelog-producer", "input");
        EngineTable engine = tables.engine(table);
        engine.write(ImmutableList.of(Change.insert(1, 10, 0), Change.insert(2, 20, 0), Change.insert(3, 30, 0)));
        assertThat(log(engine)).containsExactly("+I(1, 10, 0)", "+I(2, 20, 0)", "+I(3, 30, 0)");

        long before = lastId(engine);
        // the new row can arrive before the old one
        engine.write(ImmutableList.of(Change.insert(2, 21, 0), Change.delete(2, 20, 0), Change.delete(1, 10, 0), Change.insert(1, 11, 0)), WriteMode.ROW_CHANGES);
        assertThat(log(engine, before)).containsExactly("-U(1, 10, 0)", "+U(1, 11, 0)", "-U(2, 20, 0)", "+U(2, 21, 0)");

        before = lastId(engine);
        engine.write(ImmutableList.of(Change.delete(3, 30, 0)), WriteMode.ROW_CHANGES);
        assertThat(log(engine, before)).containsExactly("-D(3, 30, 0)");

        before = lastId(engine);
        // UPDATE t SET k = k + 1
        engine.write(ImmutableList.of(Change.delete(1, 11, 0), Change.insert(2, 11, 0), Change.delete(2, 21, 0), Change.insert(3, 21, 0)), WriteMode.ROW_CHANGES);
        assertThat(log(engine, before)).containsExactly("-D(1, 11, 0)", "-U(2, 21, 0)", "+U(2, 11, 0)", "+I(3, 21, 0)");

        assertThat(engine.readRows()).containsExactly("(2, 11, 0)", "(3, 21, 0)");
        assertThat(replay(engine)).isEqualTo(engine.readRows());
        assertThat(kinds(engine)).filteredOn(kind -> kind.startsWith("APPEND")).hasSize(4).containsOnly("APPEND*");
        assertThat(kinds(engine)).filteredOn(kind -> kind.startsWith("COMPACT")).doesNotContain("COMPACT*");
        assertThat(texts(tables.paimon().readTable(table))).isEqualTo(engine.readRows());
    }

    /**
     * An INSERT logs every row, as Paimon does, also those that lose.
     */
    @Test
    void testSameAsPaimon()
            throws Exception
    {
        String[] options = {"changelog-producer", "input", "sequence.field", "w", "num-sorted-run.compaction-trigger", "1000"};
        OracleTable ours = tables.create("ours", options);
        OracleTable theirs = tables.create("theirs", options);
        EngineTable engine = tables.engine(ours);
        List<List<Change>> commits = ImmutableList.of(
                ImmutableList.of(Change.insert(1, 1, 5), Change.insert(2, 1, 5), Change.insert(1, 2, 3), Change.insert(1, 3, 5)),
                ImmutableList.of(Change.delete(1, 3, 6), new Change(ChangeKind.UPDATE_BEFORE, ImmutableList.of(2, 1, 5)), new Change(ChangeKind.UPDATE_AFTER, ImmutableList.of(2, 9, 9))),
                ImmutableList.of(Change.insert(2, 10, 1)));
        for (List<Change> commit : commits) {
            engine.write(commit);
            tables.paimon().write(theirs, commit);
        }
        for (long id = 1; id <= 3; id++) {
            assertThat(tables.paimon().readChangelog(ours, id)).isEqualTo(tables.paimon().readChangelog(theirs, id)).isNotEmpty();
        }
        assertThat(log(engine)).isEqualTo(log(tables.engine(theirs)))
                .startsWith("+I(1, 2, 3)", "+I(1, 1, 5)", "+I(1, 3, 5)", "+I(2, 1, 5)");
        assertThat(engine.readRows()).isEqualTo(texts(tables.paimon().readTable(theirs))).containsExactly("(2, 9, 9)");

        List<FileSummary> ourFiles = tables.paimon().changelogFiles(ours, 1);
        List<FileSummary> theirFiles = tables.paimon().changelogFiles(theirs, 1);
        assertThat(ourFiles).hasSize(1);
        assertThat(ourFiles.getFirst().level()).isEqualTo(theirFiles.getFirst().level()).isZero();
        assertThat(ourFiles.getFirst().rowCount()).isEqualTo(theirFiles.getFirst().rowCount()).isEqualTo(4);
    }

    /**
     * A row of the table has the number of its record in the log, and numbers grow along the log of a key.
     */
    @Test
    void testSequenceNumbers()
            throws Exception
    {
        OracleTable table = tables.create("numbers", "changelog-producer", "input");
        EngineTable engine = tables.engine(table);
        engine.write(ImmutableList.of(Change.insert(1, 1, 0), Change.insert(2, 1, 0), Change.insert(1, 2, 0), Change.insert(1, 3, 0)));
        assertThat(tables.paimon().readChangelogRecords(table, 1)).extracting(StoredRecord::sequenceNumber).containsExactly(0L, 1L, 2L, 3L);
        assertThat(tables.paimon().readStoredRecords(table, 1)).extracting(StoredRecord::sequenceNumber).containsExactly(2L, 3L);
        engine.write(ImmutableList.of(Change.insert(1, 4, 0), Change.delete(1, 3, 0)), WriteMode.ROW_CHANGES);
        assertThat(tables.paimon().readChangelogRecords(table, 2)).extracting(StoredRecord::sequenceNumber).containsExactly(4L, 5L);
        assertThat(tables.paimon().readDeltaRecords(table, 2)).extracting(StoredRecord::sequenceNumber).containsExactly(5L);
    }

    /**
     * Rows that are spilled are logged too, in the order of key and arrival.
     */
    @Test
    void testSpilledRows()
            throws Exception
    {
        OracleTable table = tables.create("spilled", "changelog-producer", "input", "num-sorted-run.compaction-trigger", "1000");
        EngineTable engine = tables.engine(table, 2000);
        List<Change> rows = new ArrayList<>();
        Random random = new Random(1);
        for (int version = 0; version < 2000; version++) {
            rows.add(Change.insert(random.nextInt(40), version, 0));
        }
        engine.write(rows);
        List<String> expected = new ArrayList<>();
        for (int key = 0; key < 40; key++) {
            int wanted = key;
            rows.stream().filter(row -> row.values().getFirst().equals(wanted)).map(Change::toString).forEach(expected::add);
        }
        assertThat(log(engine)).isEqualTo(expected).hasSize(2000);
        assertThat(engine.readRows()).hasSize(40);

        List<Change> updates = new ArrayList<>();
        for (String row : engine.readRows()) {
            String[] values = row.substring(1, row.length() - 1).split(", ");
            updates.add(Change.delete(Integer.parseInt(values[0]), Integer.parseInt(values[1]), 0));
            updates.add(Change.insert(Integer.parseInt(values[0]), -1, 0));
        }
        Collections.shuffle(updates, random);
        long before = lastId(engine);
        tables.engine(table, 1).write(updates, WriteMode.ROW_CHANGES);
        assertThat(log(engine, before)).hasSize(80);
        for (int index = 0; index < 80; index += 2) {
            assertThat(log(engine, before).get(index)).startsWith("-U(" + index / 2 + ", ");
            assertThat(log(engine, before).get(index + 1)).isEqualTo("+U(%s, -1, 0)".formatted(index / 2));
        }
    }

    @Test
    void testIgnoredKinds()
            throws Exception
    {
        Change insert = Change.insert(1, 1, 0);
        Change before = new Change(ChangeKind.UPDATE_BEFORE, ImmutableList.of(1, 1, 0));
        Change after = new Change(ChangeKind.UPDATE_AFTER, ImmutableList.of(1, 2, 0));
        Change delete = Change.delete(1, 2, 0);
        for (String option : List.of("ignore-update-before", "ignore-delete")) {
            OracleTable ours = tables.create("ours_" + option, "changelog-producer", "input", option, "true");
            OracleTable theirs = tables.create("theirs_" + option, "changelog-producer", "input", option, "true");
            EngineTable engine = tables.engine(ours);
            for (List<Change> commit : List.of(ImmutableList.of(insert), ImmutableList.of(before, after), ImmutableList.of(delete))) {
                // a statement of which nothing is left commits nothing
                if (option.equals("ignore-delete") && commit.contains(delete)) {
                    assertThat(engine.prepare(engine.open(), engine.open().snapshots().latestId(), commit, WriteMode.UPSERT)).isEmpty();
                    continue;
                }
                engine.write(commit);
                tables.paimon().write(theirs, commit);
            }
            assertThat(log(engine)).isEqualTo(log(tables.engine(theirs))).startsWith("+I(1, 1, 0)", "+U(1, 2, 0)");
            assertThat(engine.readRows()).isEqualTo(texts(tables.paimon().readTable(theirs)));
        }
    }

    /**
     * The old row of an UPDATE is an update-before, whatever its statement calls it; a DELETE is none.
     */
    @Test
    void testIgnoredUpdateBeforeOfStatements()
            throws Exception
    {
        OracleTable table = tables.create("updates", "changelog-producer", "input", "ignore-update-before", "true");
        EngineTable engine = tables.engine(table);
        engine.write(ImmutableList.of(Change.insert(1, 1, 0), Change.insert(2, 2, 0)));
        engine.write(ImmutableList.of(Change.delete(1, 1, 0), Change.insert(1, 10, 0), Change.delete(2, 2, 0), Change.insert(3, 2, 0)), WriteMode.ROW_CHANGES);
        assertThat(log(engine, 1)).containsExactly("+U(1, 10, 0)", "-D(2, 2, 0)", "+I(3, 2, 0)");
        assertThat(engine.readRows()).containsExactly("(1, 10, 0)", "(3, 2, 0)");
    }

    @Test
    void testWriteOnly()
            throws Exception
    {
        OracleTable table = tables.create("write_only", "changelog-producer", "input", "write-only", "true");
        EngineTable engine = tables.engine(table);
        engine.write(ImmutableList.of(Change.insert(1, 1, 0)));
        engine.write(ImmutableList.of(Change.insert(1, 2, 0)));
        engine.compact(true);
        assertThat(kinds(engine)).containsExactly("APPEND*", "APPEND*", "COMPACT");
        assertThat(log(engine)).containsExactly("+I(1, 1, 0)", "+I(1, 2, 0)");
    }
}
