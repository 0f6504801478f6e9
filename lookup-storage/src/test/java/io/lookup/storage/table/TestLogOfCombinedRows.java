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
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

import static io.lookup.storage.table.ProducerTables.kinds;
import static io.lookup.storage.table.ProducerTables.lastId;
import static io.lookup.storage.table.ProducerTables.log;
import static io.lookup.storage.table.ProducerTables.texts;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables without a changelog producer whose merge engine combines rows: the records of an UPDATE or DELETE say less than its log.
 */
final class TestLogOfCombinedRows
        extends AbstractProducerTest
{
    @Test
    void testDeleteOfSums()
            throws Exception
    {
        OracleTable table = tables.create("sums", "merge-engine", "aggregation", "fields.v.aggregate-function", "sum", "fields.w.aggregate-function", "max", "aggregation.remove-record-on-delete", "true");
        EngineTable engine = tables.engine(table);
        engine.write(ImmutableList.of(Change.insert(1, 3, 5), Change.insert(2, 4, 6)));
        engine.write(ImmutableList.of(Change.insert(1, 4, 2)));
        long before = lastId(engine);
        // MERGE … WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT
        engine.write(ImmutableList.of(Change.delete(1, 7, 5), Change.insert(9, 1, 1)), WriteMode.ROW_CHANGES);
        assertThat(log(engine, before)).containsExactly("-D(1, 7, 5)", "+I(9, 1, 1)");
        // the record holds nothing that a row which comes later would be combined with
        assertThat(tables.paimon().readDelta(table, before + 1)).extracting(Change::toString).containsExactly("-D(1, null, null)", "+I(9, 1, 1)");
        assertThat(kinds(engine)).filteredOn(kind -> kind.startsWith("APPEND")).containsExactly("APPEND", "APPEND", "APPEND*");
        assertThat(engine.readRows()).containsExactly("(2, 4, 6)", "(9, 1, 1)").isEqualTo(texts(tables.paimon().readTable(table)));
        engine.write(ImmutableList.of(Change.insert(1, 10, 1)));
        assertThat(engine.readRows()).containsExactly("(1, 10, 1)", "(2, 4, 6)", "(9, 1, 1)").isEqualTo(texts(tables.paimon().readTable(table)));
        assertThat(log(engine, 0)).containsExactly("+I(1, 3, 5)", "+I(2, 4, 6)", "+I(1, 4, 2)", "-D(1, 7, 5)", "+I(9, 1, 1)", "+I(1, 10, 1)");

        // the files of the log go with their snapshot, whoever lets it expire
        tables.paimon().maintenance(table).expireSnapshots(1, Duration.ZERO);
        assertThat(tables.paimon().orphanFiles(table)).isEmpty();
        assertThat(engine.readRows()).hasSize(3);
    }

    @Test
    void testUpdateOfParts()
            throws Exception
    {
        for (String producer : List.of("none", "input")) {
            OracleTable table = tables.create("parts_" + producer, "merge-engine", "partial-update", "partial-update.remove-record-on-delete", "true", "changelog-producer", producer);
            EngineTable engine = tables.engine(table);
            engine.write(ImmutableList.of(Change.insert(1, 3, 5), Change.insert(2, 4, 6)));
            long before = lastId(engine);
            engine.update(ImmutableList.of(
                    new Change(ChangeKind.UPDATE_BEFORE, ImmutableList.of(1, 3, 5)),
                    new Change(ChangeKind.UPDATE_AFTER, ImmutableList.of(1, 9, 5))), ImmutableSet.of("v"));
            // one record without a producer, both with the input's
            assertThat(log(engine, before)).isEqualTo(producer.equals("none") ? List.of("+U(1, 9, 5)") : List.of("-U(1, 3, 5)", "+U(1, 9, 5)"));
            assertThat(tables.paimon().readDelta(table, before + 1)).extracting(Change::rowText).containsExactly("(1, 9, null)");
            before = lastId(engine);
            engine.write(ImmutableList.of(Change.delete(1, 9, 5)), WriteMode.ROW_CHANGES);
            assertThat(log(engine, before)).containsExactly("-D(1, 9, 5)");
            assertThat(engine.readRows()).containsExactly("(2, 4, 6)").isEqualTo(texts(tables.paimon().readTable(table)));
            engine.open().maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(1));
            assertThat(tables.paimon().orphanFiles(table)).isEmpty();
        }
    }

    /**
     * Records that replace each other are the log, and cost no further file.
     */
    @Test
    void testRowsThatReplaceEachOther()
            throws Exception
    {
        OracleTable table = tables.create("replaced");
        EngineTable engine = tables.engine(table);
        engine.write(ImmutableList.of(Change.insert(1, 3, 5), Change.insert(2, 4, 6)));
        engine.write(ImmutableList.of(Change.delete(1, 3, 5), Change.delete(2, 4, 6), Change.insert(2, 5, 6)), WriteMode.ROW_CHANGES);
        assertThat(log(engine, 1)).containsExactly("-D(1, 3, 5)", "+U(2, 5, 6)");
        assertThat(kinds(engine)).doesNotContain("APPEND*");
    }
}
