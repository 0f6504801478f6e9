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
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Set;

import static io.lookup.storage.table.ProducerTables.kinds;
import static io.lookup.storage.table.ProducerTables.levels;
import static io.lookup.storage.table.ProducerTables.log;
import static io.lookup.storage.table.ProducerTables.replay;
import static io.lookup.storage.table.ProducerTables.rows;
import static io.lookup.storage.table.ProducerTables.texts;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Statements that leave their lookup compaction to somebody else, at once or for a while.
 */
final class TestPendingCompactions
        extends AbstractProducerTest
{
    @Test
    void testStatementThatDoesNotWait()
            throws Exception
    {
        OracleTable table = tables.create("no_wait", "changelog-producer", "lookup", "lookup-wait", "false");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 1000, 0));
        assertThat(kinds(engine)).containsExactly("APPEND");
        assertThat(log(engine)).isEmpty();
        engine.compact(false);
        assertThat(kinds(engine)).containsExactly("APPEND", "COMPACT*");
        assertThat(log(engine)).hasSize(1000);

        engine.write(rows(0, 2, 1));
        engine.write(ImmutableList.of(Change.delete(0, 1, 0), Change.delete(5, 0, 0)), WriteMode.ROW_CHANGES);
        assertThat(kinds(engine)).containsExactly("APPEND", "COMPACT*", "APPEND", "APPEND");
        assertThat(engine.readRows()).hasSize(998).contains("(1, 1, 0)");
        engine.compact(false);
        // what the strategy picks, not everything
        assertThat(levels(engine)).containsExactly("L4 3 rows", "L5 1000 rows");
        assertThat(log(engine, 2)).containsExactly("-D(0, 0, 0)", "-U(1, 0, 0)", "+U(1, 1, 0)", "-D(5, 0, 0)");
        assertThat(replay(engine)).isEqualTo(engine.readRows()).isEqualTo(texts(tables.paimon().readTable(table)));
        assertThat(engine.compact(false)).isEmpty();
    }

    /**
     * Where the compaction never came, the next statement that does wait makes it up.
     */
    @Test
    void testNextStatementTakesOver()
            throws Exception
    {
        OracleTable table = tables.create("take_over", "changelog-producer", "lookup", "lookup-wait", "false");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 3, 0));
        engine.write(rows(1, 2, 1));
        engine.write(rows(2, 4, 2), ImmutableMap.of("lookup-wait", "true"));
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "APPEND", "COMPACT*");
        assertThat(log(engine)).containsExactly("+I(0, 0, 0)", "+I(1, 1, 0)", "+I(2, 2, 0)", "+I(3, 2, 0)");
        assertThat(replay(engine)).isEqualTo(engine.readRows());
    }

    /**
     * A process that died behind its APPEND leaves nothing else to do than this.
     */
    @Test
    void testCompactionByItself()
            throws Exception
    {
        OracleTable table = tables.create("by_itself", "changelog-producer", "lookup", "lookup-wait", "false");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 3, 0));
        engine.write(rows(1, 2, 1));
        Set<BucketId> bucket = ImmutableSet.of(new BucketId(BinaryRow.EMPTY, 0));
        // as another process sees it
        CommitResult result = engine.open().compactPending(bucket, messages -> ImmutableMap.of("lifted", messages.getFirst().compactBefore().size() + " files")).orElseThrow();
        assertThat(result.compactSnapshotId()).hasValue(3);
        assertThat(engine.snapshots().getLast().properties()).isEqualTo(Map.of("lifted", "2 files"));
        assertThat(log(engine)).containsExactly("+I(0, 0, 0)", "+I(1, 1, 0)", "+I(2, 0, 0)");
        assertThat(replay(engine)).isEqualTo(engine.readRows()).isEqualTo(texts(tables.paimon().readTable(table)));
        assertThat(engine.open().compactPending(bucket, _ -> ImmutableMap.of())).isEmpty();
        assertThat(engine.open().compactPending(ImmutableSet.of(new BucketId(BinaryRow.EMPTY, 7)), _ -> ImmutableMap.of())).isEmpty();
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "COMPACT*");
        assertThat(tables.paimon().orphanFiles(table)).isEmpty();
    }

    /**
     * The option is about lookups: other compactions are part of the statement all the same.
     */
    @Test
    void testOtherProducersWait()
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("full", "changelog-producer", "full-compaction", "full-compaction.delta-commits", "1", "lookup-wait", "false"));
        engine.write(rows(0, 3, 0));
        assertThat(kinds(engine)).containsExactly("APPEND", "COMPACT*");
    }

    @Test
    void testFullCompactionThatIsDue()
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("due", "changelog-producer", "lookup", "full-compaction.delta-commits", "2", "lookup-wait", "false"));
        engine.write(rows(0, 1000, 0));
        engine.compact(false);
        engine.write(rows(0, 1, 1));
        engine.compact(false);
        assertThat(levels(engine)).containsExactly("L4 1 rows", "L5 1000 rows");
        engine.write(rows(0, 1, 2));
        engine.compact(false);
        assertThat(levels(engine)).containsExactly("L5 1000 rows");
        assertThat(replay(engine)).isEqualTo(engine.readRows());
    }

    /**
     * Gentle: level 0 may be passed over so many times. Every statement that did so left a file there.
     */
    @Test
    void testGentle()
            throws Exception
    {
        OracleTable table = tables.create("gentle", "changelog-producer", "lookup", "lookup-compact", "gentle", "lookup-compact.max-interval", "3", "num-sorted-run.compaction-trigger", "3");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 1000, 0));
        engine.write(rows(0, 100, 1));
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND");
        // neither amplified, nor alike, nor too many runs
        engine.write(rows(0, 1, 2));
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "APPEND", "COMPACT*");
        assertThat(levels(engine)).containsExactly("L3 1000 rows");
        assertThat(replay(engine)).isEqualTo(engine.readRows());

        EngineTable patient = tables.engine(tables.create("patient", "changelog-producer", "lookup", "lookup-compact", "gentle"));
        for (int commit = 0; commit < 4; commit++) {
            patient.write(rows(0, 10, commit));
        }
        assertThat(kinds(patient)).containsExactly("APPEND", "APPEND", "APPEND", "APPEND");
        patient.write(rows(0, 10, 4));
        assertThat(kinds(patient)).containsExactly("APPEND", "APPEND", "APPEND", "APPEND", "APPEND", "COMPACT*");
        assertThat(log(patient)).hasSize(10).contains("+I(0, 4, 0)");
    }
}
