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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What single statements do to tables of the merge engines, and that Paimon reads the same.
 */
final class TestMergeEngines
        extends AbstractOracleTest
{
    private static final Map<String, String> LOOKUP = ImmutableMap.of("changelog-producer", "lookup");

    private OracleTable table;
    private EngineTable engine;
    private int tables;

    @Test
    void testPartialUpdateFillsInNulls()
            throws Exception
    {
        create("k INT NOT NULL, a INT, b STRING", "merge-engine=partial-update", LOOKUP);
        engine.write(List.of(Change.insert(1, 10, null), Change.insert(1, null, "x")));
        assertThat(log()).containsExactly("+I(1, 10, 'x')");
        engine.write(List.of(Change.insert(1, 11, null)));
        assertThat(log()).containsExactly("-U(1, 10, 'x')", "+U(1, 11, 'x')");
        engine.write(List.of(Change.insert(1, null, null)));
        assertThat(log()).containsExactly("-U(1, 11, 'x')", "+U(1, 11, 'x')");
        assertRows("(1, 11, 'x')");
    }

    @Test
    void testPartialUpdateRefusesDeletesByDefault()
            throws Exception
    {
        create("k INT NOT NULL, v INT", "merge-engine=partial-update", LOOKUP);
        engine.write(List.of(Change.insert(1, 10)));
        for (WriteMode mode : WriteMode.values()) {
            assertThatThrownBy(() -> engine.write(List.of(Change.delete(1, 10)), mode))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                    .hasMessageContainingAll("table", "'ignore-delete'", "'partial-update.remove-record-on-delete'", "'partial-update.remove-record-on-sequence-group'");
        }
        assertRows("(1, 10)");
    }

    @Test
    void testPartialUpdateRemovesRecord()
            throws Exception
    {
        create("k INT NOT NULL, v INT, w INT", "merge-engine=partial-update;partial-update.remove-record-on-delete=true", LOOKUP);
        engine.write(List.of(Change.insert(5, 50, 51), Change.insert(6, 60, 61)));
        // the first file is too large to be merged with, so that the record of the removal stays
        engine.write(rows(100, 200));
        engine.write(List.of(Change.delete(6, 60, 61)), WriteMode.ROW_CHANGES);
        assertThat(log()).containsExactly("-D(6, 60, 61)");
        assertThat(engine.readRows()).contains("(5, 50, 51)").doesNotContain("(6, 60, 61)").hasSize(101);

        // nothing of the removed row comes back
        engine.write(List.of(Change.insert(6, null, 62)));
        assertThat(log()).containsExactly("+I(6, null, 62)");
        assertThat(engine.readRows()).contains("(6, null, 62)");
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));
    }

    @Test
    void testPartialUpdateRemovesRecordBySequenceGroup()
            throws Exception
    {
        create("k INT NOT NULL, a INT, g INT, b INT, h INT", "merge-engine=partial-update;fields.g.sequence-group=a;fields.h.sequence-group=b;partial-update.remove-record-on-sequence-group=g", LOOKUP);
        engine.write(List.of(Change.insert(1, 10, 3, 11, 4), Change.insert(2, 20, null, 21, 5)));
        // says nothing of its group, so that it is not stored either
        assertRows("(1, 10, 3, 11, 4)", "(2, null, null, 21, 5)");

        engine.write(List.of(Change.delete(1, 10, 3, 11, 4)), WriteMode.ROW_CHANGES);
        assertThat(log()).containsExactly("-D(1, 10, 3, 11, 4)");
        assertRows("(2, null, null, 21, 5)");

        // would do nothing
        assertThatThrownBy(() -> engine.write(List.of(Change.delete(2, null, null, 21, 5)), WriteMode.ROW_CHANGES))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                .hasMessageContaining("partial-update.remove-record-on-sequence-group");
        assertRows("(2, null, null, 21, 5)");
    }

    @Test
    void testGroupOfNotNullColumns()
            throws Exception
    {
        create("k INT NOT NULL, a INT NOT NULL, g INT", "merge-engine=partial-update;fields.g.sequence-group=a", LOOKUP);
        engine.write(List.of(Change.insert(1, 10, 3)));
        assertThatThrownBy(() -> engine.write(List.of(Change.insert(2, 20, null))))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                .hasMessageContaining("[g]")
                .hasMessageContaining("column a");
        assertRows("(1, 10, 3)");
    }

    /**
     * Without lookups a removal is a record among others. It must not be merged with an insert behind it before it has met what it removes.
     */
    @Test
    void testCompactionKeepsRemovals()
            throws Exception
    {
        create(
                "k INT NOT NULL, v INT, w INT",
                "merge-engine=partial-update;partial-update.remove-record-on-delete=true;num-sorted-run.compaction-trigger=2;num-levels=6",
                ImmutableMap.of());
        engine.write(rows(0, 100));
        for (int round = 0; round < 6; round++) {
            engine.write(List.of(Change.insert(1, null, null), Change.delete(2, null, null)));
            engine.write(List.of(Change.insert(2, null, round)));
            engine.write(List.of(Change.insert(3, null, null)));
            assertThat(engine.readRows()).contains("(1, 1, 1)", "(2, null, " + round + ")").hasSize(100);
            assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));
        }
        assertThat(engine.snapshots()).extracting(Snapshot::commitKind).contains(CommitKind.COMPACT);
    }

    @Test
    void testFirstRowKeepsTheFirst()
            throws Exception
    {
        create("k INT NOT NULL, v INT", "merge-engine=first-row", LOOKUP);
        engine.write(List.of(Change.insert(1, 7), Change.insert(1, 8)));
        assertThat(log()).containsExactly("+I(1, 7)");
        engine.write(List.of(Change.insert(1, 9)));
        assertThat(log()).isEmpty();
        engine.write(List.of(Change.insert(2, 1), Change.insert(1, 10)));
        assertThat(log()).containsExactly("+I(2, 1)");
        assertRows("(1, 7)", "(2, 1)");

        for (WriteMode mode : WriteMode.values()) {
            assertThatThrownBy(() -> engine.write(List.of(Change.delete(1, 7)), mode))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                    .hasMessageContainingAll("table", "first-row", "'ignore-delete'");
        }
        assertRows("(1, 7)", "(2, 1)");
    }

    @Test
    void testFirstRowWithoutChangelog()
            throws Exception
    {
        create("k INT NOT NULL, v INT", "merge-engine=first-row", ImmutableMap.of());
        engine.write(List.of(Change.insert(1, 7), Change.insert(2, 7)));
        engine.write(List.of(Change.insert(1, 9), Change.insert(3, 9)));
        assertThat(engine.snapshots()).extracting(Snapshot::commitKind).containsExactly(CommitKind.APPEND, CommitKind.COMPACT, CommitKind.APPEND, CommitKind.COMPACT);
        assertThat(engine.snapshots()).allMatch(snapshot -> snapshot.changelogManifestList().isEmpty());
        assertRows("(1, 7)", "(2, 7)", "(3, 9)");
    }

    /**
     * Rows that no compaction has lifted are not there yet, for Paimon as for us, and come to light together.
     */
    @Test
    void testFirstRowSkipsLevelZero()
            throws Exception
    {
        create("k INT NOT NULL, v INT", "merge-engine=first-row", LOOKUP);
        engine.write(List.of(Change.insert(1, 7)));
        paimon.writeWithoutCompaction(table, List.of(Change.insert(1, 8), Change.insert(2, 8)));
        paimon.writeWithoutCompaction(table, List.of(Change.insert(2, 9), Change.insert(3, 9)));
        assertRows("(1, 7)");
        engine.write(List.of(Change.insert(3, 10), Change.insert(4, 10)));
        assertThat(log()).containsExactlyInAnyOrder("+I(2, 8)", "+I(3, 9)", "+I(4, 10)");
        assertRows("(1, 7)", "(2, 8)", "(3, 9)", "(4, 10)");
    }

    @Test
    void testIgnoreDelete()
            throws Exception
    {
        for (String mergeEngine : List.of("deduplicate", "partial-update", "first-row")) {
            create("k INT NOT NULL, v STRING", "merge-engine=" + mergeEngine + ";ignore-delete=true", LOOKUP);
            engine.write(List.of(Change.insert(1, "a")));
            // success without effect would be a lie
            assertThatThrownBy(() -> engine.write(List.of(Change.delete(1, "a")), WriteMode.ROW_CHANGES))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                    .hasMessageContaining("ignore-delete");
            // of a stream of changes, deletes are dropped
            engine.write(List.of(Change.delete(1, "a"), Change.insert(2, "b"), new Change(ChangeKind.UPDATE_BEFORE, List.of(2, "b"))));
            assertThat(log()).containsExactly("+I(2, 'b')");
            assertRows("(1, 'a')", "(2, 'b')");
        }
    }

    @Test
    void testIgnoreDeleteLetsUpdatesThrough()
            throws Exception
    {
        create("k INT NOT NULL, v STRING", "ignore-delete=true", LOOKUP);
        engine.write(List.of(Change.insert(1, "a")));
        // an update brings the old row as a delete
        engine.write(List.of(Change.delete(1, "a"), Change.insert(1, "b")), WriteMode.ROW_CHANGES);
        assertThat(log()).containsExactly("-U(1, 'a')", "+U(1, 'b')");
        assertRows("(1, 'b')");
    }

    @Test
    void testIgnoreUpdateBefore()
            throws Exception
    {
        create("k INT NOT NULL, v STRING", "ignore-update-before=true", LOOKUP);
        engine.write(List.of(Change.insert(1, "a"), Change.insert(2, "a")));
        engine.write(List.of(new Change(ChangeKind.UPDATE_BEFORE, List.of(1, "a")), Change.delete(2, "a")));
        assertThat(log()).containsExactly("-D(2, 'a')");
        assertRows("(1, 'a')");
    }

    @Test
    void testRowKindField()
            throws Exception
    {
        create("k INT NOT NULL, v STRING, kind STRING", "rowkind.field=kind", LOOKUP);
        engine.write(List.of(Change.insert(1, "a", "+I"), Change.insert(2, "b", "+i"), Change.insert(3, "c", "+U")));
        engine.write(List.of(Change.insert(1, "a", "-D"), Change.insert(2, "b", "-U"), Change.insert(2, "B", "+U"), Change.insert(3, "d", "+U"), Change.insert(3, "d", "-D")));
        assertThat(log()).containsExactlyInAnyOrder("-D(1, 'a', '+I')", "-U(2, 'b', '+i')", "+U(2, 'B', '+U')", "-D(3, 'c', '+U')");
        assertRows("(2, 'B', '+U')");
        for (String kind : Arrays.asList("delete", "", null)) {
            assertThatThrownBy(() -> engine.write(List.of(Change.insert(2, "x", kind))))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                    .hasMessageContainingAll("kind", "rowkind.field", "+I, -U, +U, -D");
        }
    }

    @Test
    void testSequenceFieldWithNulls()
            throws Exception
    {
        for (boolean descending : new boolean[] {false, true}) {
            create(
                    "k INT NOT NULL, v STRING, s INT, t INT",
                    "sequence.field=s,t;changelog-producer.row-deduplicate=true" + (descending ? ";sequence.field.sort-order=descending" : ""),
                    LOOKUP);
            int better = descending ? 15 : 30;
            int worse = descending ? 30 : 15;
            engine.write(List.of(Change.insert(1, "a", 20, 1)));
            engine.write(List.of(Change.insert(1, "b", worse, 1)));
            assertThat(log()).isEmpty();
            engine.write(List.of(Change.insert(1, "c", null, 9)));
            assertThat(log()).isEmpty();
            // the second column decides, and null is the smallest there too
            engine.write(List.of(Change.insert(1, "d", 20, null)));
            assertThat(log()).isEmpty();
            engine.write(List.of(Change.insert(1, "e", 20, 1)));
            assertThat(log()).containsExactly("-U(1, 'a', 20, 1)", "+U(1, 'e', 20, 1)");
            engine.write(List.of(Change.insert(1, "g", better, null), Change.insert(1, "f", worse, 2)));
            assertThat(log()).containsExactly("-U(1, 'e', 20, 1)", "+U(1, 'g', " + better + ", null)");
            assertRows("(1, 'g', " + better + ", null)");
        }
    }

    /**
     * The one row of a key is what the log says of it, also where a merge would make something else of what was inserted.
     */
    @Test
    void testLoneRowIsLoggedAsStored()
            throws Exception
    {
        create("k INT NOT NULL, a {\"type\":\"ARRAY\",\"element\":\"INT\"}", "merge-engine=aggregation;fields.a.aggregate-function=collect;fields.a.distinct=true", LOOKUP);
        engine.write(List.of(Change.insert(1, List.of(7, 7, 7))));
        assertThat(log()).containsExactly("+I(1, [7])");
        assertRows("(1, [7])");

        create("k INT NOT NULL, v INT, g INT", "merge-engine=partial-update;fields.g.sequence-group=v", LOOKUP);
        paimon.writeWithoutCompaction(table, List.of(Change.insert(1, 5, null)));
        engine.write(List.of(Change.insert(2, 6, 1)));
        assertThat(log()).containsExactlyInAnyOrder("+I(1, null, null)", "+I(2, 6, 1)");
        assertRows("(1, null, null)", "(2, 6, 1)");
    }

    /**
     * A statement cannot say of one record that the old row goes and a new one comes, where records are combined.
     */
    @Test
    void testDeleteAndInsertOfOneKey()
            throws Exception
    {
        create("k INT NOT NULL, v INT", "merge-engine=partial-update;partial-update.remove-record-on-delete=true", LOOKUP);
        engine.write(List.of(Change.insert(1, 10)));
        assertThatThrownBy(() -> engine.write(List.of(Change.delete(1, 10), Change.insert(1, null)), WriteMode.ROW_CHANGES))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                .hasMessageContaining("(k=1)");
        assertRows("(1, 10)");
    }

    /**
     * @param options {@code key=value;…}
     */
    private void create(String columns, String options, Map<String, String> moreOptions)
            throws Exception
    {
        ImmutableMap.Builder<String, String> all = ImmutableMap.<String, String>builder().put("bucket", "1").putAll(moreOptions);
        for (String option : options.split(";")) {
            all.put(option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
        }
        List<Column> definitions = Arrays.stream(columns.split(", "))
                .map(column -> new Column(column.substring(0, column.indexOf(' ')), column.substring(column.indexOf(' ') + 1)))
                .collect(toImmutableList());
        tables++;
        table = paimon.createTable("default", "table" + tables, new PaimonTableDefinition(definitions, ImmutableList.of("k"), ImmutableList.of(), all.buildOrThrow()));
        engine = new EngineTable(fileIo, paimon.location(table), directory.resolve("spill"));
    }

    private static List<Change> rows(int from, int to)
    {
        return IntStream.range(from, to).mapToObj(key -> Change.insert(key, key, key)).collect(toImmutableList());
    }

    private List<String> log()
    {
        return engine.readLog(engine.snapshots().getLast()).stream().map(Change::toString).toList();
    }

    private void assertRows(String... rows)
            throws Exception
    {
        assertThat(engine.readRows()).containsExactly(rows);
        assertThat(texts(paimon.readTable(table))).containsExactly(rows);
    }

    private static List<String> texts(List<Change> rows)
    {
        return rows.stream().map(Change::rowText).sorted().toList();
    }
}
