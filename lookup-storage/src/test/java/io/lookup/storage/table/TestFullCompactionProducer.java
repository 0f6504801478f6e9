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
import io.lookup.storage.oracle.FileSummary;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static io.lookup.storage.table.ProducerTables.kinds;
import static io.lookup.storage.table.ProducerTables.lastId;
import static io.lookup.storage.table.ProducerTables.levels;
import static io.lookup.storage.table.ProducerTables.log;
import static io.lookup.storage.table.ProducerTables.replay;
import static io.lookup.storage.table.ProducerTables.rows;
import static io.lookup.storage.table.ProducerTables.texts;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code changelog-producer = full-compaction}, and everything that brings a full compaction about.
 */
final class TestFullCompactionProducer
        extends AbstractProducerTest
{
    private static final String[] PRODUCER = {"changelog-producer", "full-compaction"};

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void testChangesBetweenFullCompactions(boolean rowDeduplicate)
            throws Exception
    {
        String[] options = {"changelog-producer", "full-compaction", "changelog-producer.row-deduplicate", String.valueOf(rowDeduplicate), "changelog-producer.row-deduplicate-ignore-fields", "w"};
        OracleTable ours = tables.create("ours", options);
        OracleTable theirs = tables.create("theirs", options);
        EngineTable engine = tables.engine(ours);
        List<List<Change>> commits = ImmutableList.of(
                ImmutableList.of(Change.insert(1, 1, 1), Change.insert(2, 2, 2)),
                ImmutableList.of(Change.insert(2, 20, 2), Change.insert(3, 3, 3)),
                ImmutableList.of(Change.delete(3, 3, 3), Change.insert(4, 4, 4)));
        for (List<Change> commit : commits) {
            engine.write(commit);
            tables.paimon().write(theirs, commit);
        }
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "APPEND");
        assertThat(log(engine)).isEmpty();
        engine.compact(true);
        tables.paimon().compact(theirs, true);
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "APPEND", "COMPACT*");
        assertThat(log(engine)).containsExactly("+I(1, 1, 1)", "+I(2, 20, 2)", "+I(4, 4, 4)");
        assertThat(levels(engine)).containsExactly("L5 3 rows");

        List<Change> later = ImmutableList.of(Change.insert(1, 1, 9), Change.insert(2, 21, 2), Change.delete(4, 4, 4), Change.insert(5, 5, 5));
        engine.write(later);
        tables.paimon().write(theirs, later);
        engine.compact(true);
        tables.paimon().compact(theirs, true);
        List<String> expected = new ArrayList<>(rowDeduplicate ? List.of() : List.of("-U(1, 1, 1)", "+U(1, 1, 9)"));
        expected.addAll(List.of("-U(2, 20, 2)", "+U(2, 21, 2)", "-D(4, 4, 4)", "+I(5, 5, 5)"));
        assertThat(log(engine, 4)).isEqualTo(expected);

        assertThat(log(engine)).isEqualTo(log(tables.engine(theirs)));
        assertThat(kinds(engine)).isEqualTo(kinds(tables.engine(theirs)));
        assertThat(tables.paimon().readChangelog(ours, 6)).isEqualTo(tables.paimon().readChangelog(theirs, 6)).extracting(Change::toString).isEqualTo(expected);
        assertThat(tables.paimon().changelogFiles(ours, 6)).extracting(FileSummary::level).containsExactly(5);
        assertThat(engine.compact(true)).isEmpty();
    }

    @Test
    void testSums()
            throws Exception
    {
        String[] options = {"changelog-producer", "full-compaction", "merge-engine", "aggregation", "fields.v.aggregate-function", "sum", "fields.w.aggregate-function", "max", "num-sorted-run.compaction-trigger", "2"};
        OracleTable ours = tables.create("ours", options);
        OracleTable theirs = tables.create("theirs", options);
        EngineTable engine = tables.engine(ours);
        for (int version = 0; version < 9; version++) {
            List<Change> commit = ImmutableList.of(Change.insert(1, 1, version), Change.insert(version, 10, 0));
            engine.write(commit);
            tables.paimon().write(theirs, commit);
            if (version % 4 == 3) {
                engine.compact(true);
                tables.paimon().compact(theirs, true);
            }
        }
        engine.compact(true);
        tables.paimon().compact(theirs, true);
        assertThat(replay(engine)).isEqualTo(engine.readRows()).isEqualTo(texts(tables.paimon().readTable(ours))).contains("(1, 19, 8)");
        assertThat(replay(tables.engine(theirs))).isEqualTo(replay(engine));
    }

    @Test
    void testDeltaCommits()
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("delta_commits", "changelog-producer", "full-compaction", "full-compaction.delta-commits", "3"));
        for (int commit = 1; commit <= 7; commit++) {
            engine.write(rows(commit, commit + 2, commit));
        }
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "APPEND", "COMPACT*", "APPEND", "APPEND", "APPEND", "COMPACT*", "APPEND");
        assertThat(log(engine, 4)).contains("-U(4, 3, 0)", "+U(4, 4, 0)", "+I(7, 6, 0)");
        assertThat(replay(engine)).isEqualTo(engine.readRows(engine.snapshots().get(7)));
    }

    /**
     * Partial compactions do not count as full ones, and what they move is still counted from when it came.
     */
    @Test
    void testDeltaCommitsAcrossPartialCompactions()
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("partial", "changelog-producer", "full-compaction", "full-compaction.delta-commits", "6", "num-sorted-run.compaction-trigger", "2", "num-levels", "6"));
        engine.write(rows(0, 1000, 0));
        engine.compact(true);
        long before = lastId(engine);
        for (int commit = 1; commit <= 5; commit++) {
            engine.write(rows(commit, commit + 1, commit));
        }
        assertThat(kinds(engine)).contains("COMPACT");
        assertThat(levels(engine)).contains("L4 5 rows", "L5 1000 rows");
        assertThat(log(engine, before)).isEmpty();
        engine.write(rows(6, 7, 6));
        assertThat(levels(engine)).containsExactly("L5 1000 rows");
        assertThat(log(engine, before)).hasSize(12);
        assertThat(replay(engine)).isEqualTo(engine.readRows());
    }

    /**
     * Commits of the whole table count, from the one on that left something to compact in the bucket.
     */
    @Test
    void testDeltaCommitsOfSeveralBuckets()
            throws Exception
    {
        OracleTable table = tables.create("buckets", "changelog-producer", "full-compaction", "full-compaction.delta-commits", "3", "bucket", "2");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 20, 0));
        engine.compact(true);
        int inFirst = 0;
        int inSecond = 0;
        for (FileSummary file : tables.paimon().files(table)) {
            int key = Integer.parseInt(file.minKey().replaceAll("\\D", ""));
            inFirst = file.bucket() == 0 ? key : inFirst;
            inSecond = file.bucket() == 1 ? key : inSecond;
        }
        long before = lastId(engine);
        engine.write(rows(inFirst, inFirst + 1, 1));
        engine.write(rows(inSecond, inSecond + 1, 2));
        engine.write(rows(inSecond, inSecond + 1, 3));
        assertThat(log(engine, before)).isEmpty();
        engine.write(rows(inSecond, inSecond + 1, 4));
        assertThat(log(engine, before)).containsExactly("-U(%s, 0, 0)".formatted(inSecond), "+U(%s, 4, 0)".formatted(inSecond));
        before = lastId(engine);
        engine.write(rows(inFirst, inFirst + 1, 5));
        assertThat(log(engine, before)).containsExactly("-U(%s, 0, 0)".formatted(inFirst), "+U(%s, 5, 0)".formatted(inFirst));
    }

    @Test
    void testDeltaCommitsOfExpiredHistory()
            throws Exception
    {
        OracleTable table = tables.create("expired", "changelog-producer", "full-compaction", "full-compaction.delta-commits", "10");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 3, 0));
        engine.write(rows(0, 3, 1));
        Files.delete(tables.location(table).resolve("snapshot/snapshot-1"));
        // the statement's own table has not seen the file
        assertThat(log(engine, 1)).isEmpty();
        engine.write(rows(0, 1, 2));
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "COMPACT*");
    }

    @Test
    void testTotalSizeThreshold()
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("total_size", "changelog-producer", "full-compaction", "compaction.total-size-threshold", "1 gb"));
        engine.write(rows(0, 100, 1));
        // one run is left alone
        assertThat(kinds(engine)).containsExactly("APPEND");
        engine.write(rows(0, 1, 2));
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "COMPACT*");
        engine.write(rows(0, 1, 3));
        assertThat(log(engine, 3)).containsExactly("-U(0, 2, 0)", "+U(0, 3, 0)");
        assertThat(levels(engine)).containsExactly("L5 100 rows");
    }

    @Test
    void testIncrementalSizeThreshold()
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("incremental_size", "changelog-producer", "full-compaction", "compaction.incremental-size-threshold", "3 kb"));
        engine.write(rows(0, 100, 1));
        engine.compact(true);
        engine.write(rows(0, 1, 2));
        assertThat(kinds(engine)).containsExactly("APPEND", "COMPACT*", "APPEND");
        while (engine.snapshots().size() < 10 && kinds(engine).getLast().equals("APPEND")) {
            engine.write(rows(0, 1, 3));
        }
        // a file of one row has more than 1 kb
        assertThat(engine.snapshots()).hasSizeBetween(5, 7);
        assertThat(log(engine, 2)).containsExactly("-U(0, 1, 0)", "+U(0, 3, 0)");
        assertThat(levels(engine)).containsExactly("L5 100 rows");
    }

    @Test
    void testOptimizationInterval()
            throws Exception
    {
        EngineTable often = tables.engine(tables.create("often", "changelog-producer", "full-compaction", "compaction.optimization-interval", "1 ms"));
        EngineTable rarely = tables.engine(tables.create("rarely", "changelog-producer", "full-compaction", "compaction.optimization-interval", "1 d"));
        for (int commit = 1; commit <= 3; commit++) {
            often.write(rows(0, 3, commit));
            rarely.write(rows(0, 3, commit));
            Thread.sleep(5);
        }
        assertThat(kinds(often)).containsExactly("APPEND", "APPEND", "COMPACT*", "APPEND", "COMPACT*");
        // the first is due, since nothing is known of one before it
        assertThat(kinds(rarely)).containsExactly("APPEND", "APPEND", "COMPACT*", "APPEND");
    }

    /**
     * Small commits, until each trigger of universal compaction has had its turn.
     */
    @Test
    void testTriggersOfUniversalCompaction()
            throws Exception
    {
        // size amplification: what is newer is more than twice as large
        EngineTable amplified = tables.engine(tables.create("amplified", PRODUCER));
        for (int commit = 0; commit < 5; commit++) {
            assertThat(log(amplified)).isEmpty();
            amplified.write(rows(0, 10, commit));
        }
        assertThat(levels(amplified)).containsExactly("L5 10 rows");
        assertThat(log(amplified)).hasSize(10);

        // size ratio: neighbours of like size, below a large run
        EngineTable ratio = tables.engine(tables.create("ratio", "changelog-producer", "full-compaction", "num-sorted-run.compaction-trigger", "3", "num-levels", "6"));
        ratio.write(rows(0, 1000, 0));
        ratio.compact(true);
        long before = lastId(ratio);
        ratio.write(rows(0, 10, 1));
        ratio.write(rows(0, 10, 2));
        assertThat(levels(ratio)).containsExactly("L4 10 rows", "L5 1000 rows");
        assertThat(kinds(ratio).getLast()).isEqualTo("COMPACT");
        assertThat(log(ratio, before)).isEmpty();

        // number of runs: none is like its neighbour
        EngineTable count = tables.engine(tables.create("count", "changelog-producer", "full-compaction", "num-sorted-run.compaction-trigger", "2", "num-levels", "6"));
        count.write(rows(0, 10_000, 0));
        count.compact(true);
        before = lastId(count);
        count.write(rows(0, 100, 1));
        assertThat(levels(count)).containsExactly("L0 100 rows", "L5 10000 rows");
        count.write(rows(0, 1, 2));
        assertThat(levels(count)).containsExactly("L4 100 rows", "L5 10000 rows");
        assertThat(log(count, before)).isEmpty();
        count.compact(true);
        assertThat(log(count, before)).hasSize(200).contains("-U(0, 0, 0)", "+U(0, 2, 0)", "-U(99, 0, 0)", "+U(99, 1, 0)");

        // forced
        EngineTable forced = tables.engine(tables.create("forced", "changelog-producer", "full-compaction", "compaction.force-up-level-0", "true"));
        forced.write(rows(0, 100, 0));
        assertThat(levels(forced)).containsExactly("L5 100 rows");
        assertThat(log(forced)).hasSize(100);
        forced.write(rows(0, 1, 1));
        assertThat(levels(forced)).containsExactly("L4 1 rows", "L5 100 rows");
        assertThat(log(forced)).hasSize(100);
    }

    @Test
    void testWriteOnly()
            throws Exception
    {
        EngineTable engine = tables.engine(tables.create("write_only", "changelog-producer", "full-compaction", "write-only", "true", "full-compaction.delta-commits", "1"));
        engine.write(rows(0, 3, 1));
        engine.write(rows(1, 2, 2));
        engine.write(ImmutableList.of(Change.delete(0, 1, 0)), WriteMode.ROW_CHANGES);
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "APPEND");
        engine.compact(true);
        assertThat(log(engine)).containsExactly("+I(1, 2, 0)", "+I(2, 1, 0)");
        assertThat(kinds(engine)).containsExactly("APPEND", "APPEND", "APPEND", "COMPACT*");
    }

    /**
     * Where a file holds nothing but new rows, its bytes are the changelog.
     */
    @Test
    void testFirstFileIsCopied()
            throws Exception
    {
        OracleTable table = tables.create("copied", PRODUCER);
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 1000, 1));
        engine.compact(true);
        FileSummary data = tables.paimon().files(table).getFirst();
        FileSummary log = tables.paimon().changelogFiles(table, 2).getFirst();
        Path bucket = tables.location(table).resolve("bucket-0");
        assertThat(Files.readAllBytes(bucket.resolve(log.fileName()))).isEqualTo(Files.readAllBytes(bucket.resolve(data.fileName())));
        assertThat(data.level()).isEqualTo(5);
        assertThat(tables.paimon().readChangelog(table, 2)).extracting(Change::toString).hasSize(1000).contains("+I(999, 1, 0)");
    }

    /**
     * With more levels, the highest one is empty at first. Paimon compares with it and logs every row once more.
     */
    @Test
    void testMoreLevels()
            throws Exception
    {
        OracleTable ours = tables.create("ours", PRODUCER);
        OracleTable theirs = tables.create("theirs", PRODUCER);
        EngineTable engine = tables.engine(ours);
        engine.write(rows(0, 10, 0));
        engine.compact(true);
        tables.paimon().write(theirs, rows(0, 10, 0));
        tables.paimon().compact(theirs, true);
        for (OracleTable table : List.of(ours, theirs)) {
            tables.paimon().setOption(table, "num-levels", "9");
        }
        engine.write(rows(3, 4, 1));
        engine.compact(true);
        assertThat(log(engine, 2)).containsExactly("-U(3, 0, 0)", "+U(3, 1, 0)");
        assertThat(levels(engine)).containsExactly("L8 10 rows");
        assertThat(replay(engine)).isEqualTo(engine.readRows());

        tables.paimon().write(theirs, rows(3, 4, 1));
        tables.paimon().compact(theirs, true);
        assertThat(tables.paimon().readChangelog(theirs, 4)).hasSize(10).allMatch(change -> change.toString().startsWith("+I"));
    }

    /**
     * With fewer levels, files stay where they are, and that level remains the one to compare with. Paimon's compactions go on to
     * write there too, but no longer log.
     */
    @Test
    void testFewerLevels()
            throws Exception
    {
        OracleTable table = tables.create("fewer", "changelog-producer", "full-compaction", "num-sorted-run.compaction-trigger", "2", "num-levels", "6");
        EngineTable engine = tables.engine(table);
        engine.write(rows(0, 1000, 0));
        engine.compact(true);
        tables.paimon().setOption(table, "num-levels", "4");
        engine.write(rows(0, 10, 1));
        engine.write(rows(0, 1, 2));
        assertThat(levels(engine)).containsExactly("L4 10 rows", "L5 1000 rows");
        engine.write(rows(0, 1, 3));
        engine.compact(true);
        assertThat(levels(engine)).containsExactly("L5 1000 rows");
        assertThat(log(engine, 2)).hasSize(20).contains("-U(0, 0, 0)", "+U(0, 3, 0)");
        assertThat(replay(engine)).isEqualTo(engine.readRows());

        tables.paimon().write(table, rows(0, 1, 4));
        tables.paimon().compact(table, true);
        assertThat(levels(engine)).containsExactly("L5 1000 rows");
        assertThat(kinds(engine).getLast()).isEqualTo("COMPACT");
        assertThat(engine.readRows()).contains("(0, 4, 0)");
    }
}
