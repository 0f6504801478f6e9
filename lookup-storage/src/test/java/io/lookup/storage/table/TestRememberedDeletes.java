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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.commit.RebaseBudget;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.OptionalLong;

import static io.lookup.storage.table.ProducerTables.kinds;
import static io.lookup.storage.table.ProducerTables.replay;
import static io.lookup.storage.table.ProducerTables.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A first value is not taken again by a merge that has seen one: where a delete could not be lifted, nothing is inserted above it.
 */
final class TestRememberedDeletes
        extends AbstractProducerTest
{
    private static final String[] SUMS = {
            "merge-engine", "aggregation", "changelog-producer", "lookup", "aggregation.remove-record-on-delete", "true",
            "fields.v.aggregate-function", "first_value", "fields.w.aggregate-function", "sum"};

    /**
     * The DELETE is published, and whoever would compact it is not, or is gone.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testDeleteThatWaits(boolean concurrent)
            throws Exception
    {
        OracleTable table = tables.create("waits_" + concurrent, SUMS);
        EngineTable engine = tables.engine(table);
        engine.write(ImmutableList.of(Change.insert(1, 3, 1), Change.insert(3, 5, 1)));
        StorageTable opened = engine.open();
        OptionalLong before = opened.snapshots().latestId();
        List<CommitMessage> delete = engine.prepare(opened, before, ImmutableList.of(Change.delete(1, 3, 1)), WriteMode.ROW_CHANGES).stream()
                .map(message -> new CommitMessage(
                        message.partition(),
                        message.bucket(),
                        message.totalBuckets(),
                        message.newFiles(),
                        message.newChangelogFiles(),
                        ImmutableList.of(),
                        ImmutableList.of(),
                        ImmutableList.of()))
                .toList();
        if (!concurrent) {
            engine.commit(opened, before, WriteMode.ROW_CHANGES, delete);
        }
        OptionalLong base = opened.snapshots().latestId();
        List<CommitMessage> insert = engine.prepare(opened, base, ImmutableList.of(Change.insert(1, 10, 7)), WriteMode.UPSERT);
        List<CommitMessage> other = engine.prepare(opened, base, ImmutableList.of(Change.insert(2, 20, 7)), WriteMode.UPSERT);
        if (concurrent) {
            engine.commit(opened, before, WriteMode.ROW_CHANGES, delete);
        }
        assertThatThrownBy(() -> engine.commit(opened, base, WriteMode.UPSERT, insert))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                .hasMessageContainingAll("deletes that no compaction has taken up yet", "optimize");
        opened.discard(insert);
        assertThat(engine.readRows()).containsExactly("(3, 5, 1)").isEqualTo(texts(tables.paimon().readTable(table)));

        // keys apart from it do not matter, and their statement lifts the delete
        engine.commit(opened, base, WriteMode.UPSERT, other);
        engine.compact(false);
        engine.write(ImmutableList.of(Change.insert(1, 10, 7)));
        assertThat(engine.readRows()).containsExactly("(1, 10, 7)", "(2, 20, 7)", "(3, 5, 1)").isEqualTo(texts(tables.paimon().readTable(table)));
        assertThat(replay(engine)).isEqualTo(engine.readRows());
    }

    /**
     * What a merge would make of it otherwise, in Paimon too.
     */
    @Test
    void testWhatIsAvoided()
            throws Exception
    {
        OracleTable table = tables.create("avoided", SUMS);
        tables.paimon().write(table, ImmutableList.of(Change.insert(1, 3, 1)));
        tables.paimon().writeWithoutCompaction(table, ImmutableList.of(Change.delete(1, null, null)));
        tables.paimon().write(table, ImmutableList.of(Change.insert(1, 10, 7)));
        assertThat(tables.engine(table).readRows()).containsExactly("(1, null, 7)").isEqualTo(texts(tables.paimon().readTable(table)));
    }

    /**
     * A DELETE whose compaction is outdated compacts again, whatever the size of the bucket.
     */
    @Test
    void testDeleteIsLifted()
            throws Exception
    {
        OracleTable table = tables.create("lifted", SUMS);
        EngineTable engine = tables.engine(table, new RebaseBudget(0, 1));
        engine.write(ImmutableList.of(Change.insert(1, 3, 1), Change.insert(2, 3, 1)));
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        List<CommitMessage> delete = engine.prepare(opened, base, ImmutableList.of(Change.delete(1, 3, 1)), WriteMode.ROW_CHANGES);
        engine.write(ImmutableList.of(Change.insert(2, 4, 1)));
        CommitResult result = engine.commit(opened, base, WriteMode.ROW_CHANGES, delete).orElseThrow();
        assertThat(result.compactionDropped()).isFalse();
        assertThat(kinds(engine)).endsWith("APPEND", "COMPACT*");
        engine.write(ImmutableList.of(Change.insert(1, 10, 7)));
        assertThat(engine.readRows()).containsExactly("(1, 10, 7)", "(2, 3, 2)").isEqualTo(texts(tables.paimon().readTable(table)));
        assertThat(replay(engine)).isEqualTo(engine.readRows());
    }

    /**
     * Where no first value is, records above a waiting delete begin anew by what it holds.
     */
    @ParameterizedTest
    @ValueSource(strings = {"sum", "last_value", "max"})
    void testOtherFunctions(String function)
            throws Exception
    {
        OracleTable table = tables.create("other_" + function, "merge-engine", "aggregation", "changelog-producer", "lookup", "aggregation.remove-record-on-delete", "true", "fields.v.aggregate-function", function);
        EngineTable engine = tables.engine(table);
        engine.write(ImmutableList.of(Change.insert(1, 30, 1)));
        tables.paimon().writeWithoutCompaction(table, ImmutableList.of(Change.delete(1, null, null)));
        engine.write(ImmutableList.of(Change.insert(1, 10, 7)));
        assertThat(engine.readRows()).containsExactly("(1, 10, 7)").isEqualTo(texts(tables.paimon().readTable(table)));
        assertThat(replay(engine)).isEqualTo(engine.readRows());
    }
}
