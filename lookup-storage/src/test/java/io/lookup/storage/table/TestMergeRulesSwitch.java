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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaEdits;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import static io.lookup.storage.table.ProducerTables.levels;
import static io.lookup.storage.table.ProducerTables.rows;
import static io.lookup.storage.table.ProducerTables.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Options that say how versions are merged, changed while versions wait to be merged: no row may change that no statement changes.
 */
final class TestMergeRulesSwitch
        extends AbstractProducerTest
{
    /**
     * Deletes that are to be ignored from now on do not bring back what was deleted before.
     */
    @ParameterizedTest
    @CsvSource({
            "none, false, false, ignore-delete", "none, false, false, deduplicate.ignore-delete", "none, false, false, ignore-update-before", "full-compaction, false, false, ignore-delete", "input, false, false, ignore-delete",
            "lookup, true, false, ignore-delete", "lookup, true, true, ignore-delete",
            "lookup, false, false, ignore-delete", "lookup, false, true, ignore-delete"})
    void testDeletesThatWait(String producer, boolean writeOnly, boolean vectors, String option)
            throws Exception
    {
        OracleTable table = tables.create("waiting", "changelog-producer", producer, "write-only", String.valueOf(writeOnly), "deletion-vectors.enabled", String.valueOf(vectors));
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 20, 1));
        engine.compact(true);
        engine.write(ImmutableList.of(Change.delete(1, 1, 0), Change.delete(2, 1, 0)), WriteMode.ROW_CHANGES);
        boolean hidden = writeOnly && vectors;
        assertThat(engine.readRows()).hasSize(hidden ? 20 : 18);

        boolean waits = writeOnly || !producer.equals("lookup");
        if (waits) {
            assertRefused(engine, option, "true");
            // others can
            if (!hidden) {
                assertThat(texts(tables.paimon().readTable(table))).hasSize(18);
            }
            engine.compact(true);
        }
        else {
            // the records of the deletes lie between what they delete and level 0; vectors need none
            assertThat(levels(engine)).isEqualTo(vectors ? List.of("L5 20 rows") : List.of("L4 2 rows", "L5 20 rows"));
        }
        change(engine, option, "true");
        tables.paimon().setOption(table, option, "true");
        assertThat(engine.readRows()).hasSize(18).isEqualTo(texts(tables.paimon().readTable(table)));
        if (!waits && !vectors) {
            // without lookups the records of the deletes would be read, and ignored
            assertRefused(engine, "changelog-producer", "none");
            assertThat(engine.readRows()).hasSize(18);
        }
        engine.compact(true);
        assertThat(engine.readRows()).hasSize(18).isEqualTo(texts(tables.paimon().readTable(table)));
    }

    /**
     * Rows without deletes may wait; they mean the same.
     */
    @Test
    void testInsertsThatWait()
            throws Exception
    {
        OracleTable table = tables.create("inserts");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 20, 1));
        engine.compact(true);
        engine.write(rows(5, 8, 2));
        List<String> before = engine.readRows();
        change(engine, "ignore-delete", "true");
        tables.paimon().setOption(table, "ignore-delete", "true");
        assertThat(engine.readRows()).isEqualTo(before).isEqualTo(texts(tables.paimon().readTable(table)));
    }

    @ParameterizedTest
    @CsvSource({"none, false", "input, false", "lookup, true", "lookup, false"})
    void testFunctionOfValuesThatWait(String producer, boolean writeOnly)
            throws Exception
    {
        OracleTable table = tables.create("sums", "changelog-producer", producer, "write-only", String.valueOf(writeOnly), "merge-engine", "aggregation", "fields.v.aggregate-function", "sum");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 20, 1));
        engine.compact(true);
        engine.write(rows(3, 5, 2));
        assertThat(engine.readRows()).contains("(2, 1, 0)", "(3, 3, 0)");
        if (writeOnly || !producer.equals("lookup")) {
            assertRefused(engine, "fields.v.aggregate-function", "max");
            assertRefused(engine, "fields.w.aggregate-function", "min");
            assertRefused(engine, "fields.v.ignore-retract", "true");
            assertRefused(engine, "fields.default-aggregate-function", "last_value");
            engine.compact(true);
        }
        change(engine, "fields.v.aggregate-function", "max");
        change(engine, "fields.v.stats-mode", "full");
        tables.paimon().setOption(table, "fields.v.aggregate-function", "max");
        engine.write(ImmutableList.of(Change.insert(2, 5, 0), Change.insert(3, 2, 0)));
        // the stored sum is what the greatest value begins with
        assertThat(engine.readRows()).contains("(2, 5, 0)", "(3, 3, 0)").isEqualTo(texts(tables.paimon().readTable(table)));
    }

    /**
     * Of the columns of an option, at least one must have values that wait.
     */
    @Test
    void testFunctionOfANewColumn()
            throws Exception
    {
        OracleTable table = tables.create("grown", "merge-engine", "partial-update");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 20, 1));
        engine.compact(true);
        engine.write(rows(3, 5, 2));
        TableSchema before = engine.open().schema();
        DataField column = new DataField(SchemaEdits.UNNUMBERED, "n", before.fields().getLast().type());
        DataField sequence = new DataField(SchemaEdits.UNNUMBERED, "s", before.fields().getLast().type());
        TableSchema grown = SchemaEdits.addColumn(SchemaEdits.addColumn(before, column, 3), sequence, 4);
        alter(engine, grown);
        engine.open().checkChange(with(grown, "fields.s.sequence-group", "n"));
        assertThatThrownBy(() -> engine.open().checkChange(with(grown, "fields.s.sequence-group", "n,v"))).isInstanceOf(StorageException.class).hasMessageContaining("'fields.s.sequence-group'");
        // a column that has got another name is the same
        TableSchema grouped = with(grown, "fields.s.sequence-group", "n");
        TableSchema renamed = SchemaEdits.renameColumn(SchemaEdits.renameColumn(grouped, grouped.fields().get(3).id(), "m"), grouped.fields().get(4).id(), "t");
        assertThat(renamed.options()).containsEntry("fields.t.sequence-group", "m");
        alter(engine, grouped);
        engine.write(ImmutableList.of(Change.insert(3, 2, 0, 9, 9)));
        TableSchema latest = engine.open().schema();
        engine.open().checkChange(SchemaEdits.renameColumn(latest, latest.fields().get(3).id(), "m"));
        assertThatThrownBy(() -> engine.open().checkChange(with(latest, "fields.n.aggregate-function", "sum"))).hasMessageContaining("'fields.n.aggregate-function'");
    }

    /**
     * A delete that is committed under another rule would delete nothing.
     */
    @ParameterizedTest
    @CsvSource({"deduplicate, ignore-delete, true", "deduplicate, ignore-update-before, true", "aggregation, fields.v.aggregate-function, sum"})
    void testStatementMeanwhile(String engineName, String option, String value)
            throws Exception
    {
        OracleTable table = tables.create("meanwhile", "merge-engine", engineName, "aggregation.remove-record-on-delete", String.valueOf(engineName.equals("aggregation")));
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 20, 1));
        engine.compact(true);
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        List<CommitMessage> delete = engine.prepare(opened, base, ImmutableList.of(Change.delete(1, 1, 0)), WriteMode.ROW_CHANGES);
        change(engine, option, value);
        alter(engine, with(engine.open().schema(), option, value));
        assertThatThrownBy(() -> engine.commit(opened, base, WriteMode.ROW_CHANGES, delete))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                .hasMessageContainingAll(option, "nothing was committed");
        opened.discard(delete);
        assertThat(engine.readRows()).hasSize(20);
    }

    private static void assertRefused(EngineTable engine, String option, String value)
    {
        List<String> before = engine.readRows();
        String named = option.endsWith("ignore-delete") ? "'ignore-delete'" : "'" + option + "'";
        assertThatThrownBy(() -> change(engine, option, value))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION))
                .hasMessageContainingAll(named, "bucket 0", "EXECUTE optimize");
        assertThat(engine.readRows()).isEqualTo(before);
    }

    private static void change(EngineTable engine, String option, String value)
    {
        StorageTable table = engine.open();
        table.checkChange(with(table.schema(), option, value));
    }

    private static void alter(EngineTable engine, TableSchema next)
    {
        StorageTable table = engine.open();
        TableSchema numbered = new TableSchema(
                next.version(), table.schema().id() + 1, next.fields(), next.highestFieldId(), next.partitionKeys(), next.primaryKeys(), next.options(), next.comment(), next.timeMillis());
        assertThat(table.schemas().tryCreate(numbered)).isTrue();
    }

    private static TableSchema with(TableSchema schema, String option, String value)
    {
        Map<String, String> options = new HashMap<>(schema.options());
        options.put(option, value);
        return SchemaEdits.withOptions(schema, ImmutableMap.copyOf(options));
    }
}
