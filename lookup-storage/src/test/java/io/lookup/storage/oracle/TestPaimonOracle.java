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
package io.lookup.storage.oracle;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Proves the harness with a laboratory of four small tables whose course through Paimon is known: three statements each, the state of the
 * snapshots, levels and changelog after every one.
 */
final class TestPaimonOracle
{
    private static final List<Change> FIRST = ImmutableList.of(Change.insert(1, "a"), Change.insert(2, "b"), Change.insert(3, "c"));
    private static final List<Change> SECOND = ImmutableList.of(Change.insert(1, "A"), Change.insert(2, "b"));
    private static final List<Change> THIRD = ImmutableList.of(Change.delete(3, "c"));
    private static final List<Change> FOURTH = ImmutableList.of(Change.insert(1, "A"));
    private static final Map<String, String> LOOKUP = ImmutableMap.of("changelog-producer", "lookup");

    @TempDir
    private Path directory;
    private PaimonOracle oracle;

    @BeforeEach
    void setUp()
    {
        oracle = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"));
    }

    @AfterEach
    void tearDown()
            throws Exception
    {
        oracle.close();
    }

    @Test
    void testTableWithoutProducer()
            throws Exception
    {
        OracleTable table = createTable("cl_none", "STRING", ImmutableMap.of());
        oracle.write(table, FIRST);
        oracle.write(table, SECOND);
        oracle.write(table, THIRD);

        assertThat(snapshots(table)).containsExactly("1 APPEND 3 3 null", "2 APPEND 5 2 null", "3 APPEND 6 1 null");
        assertThat(files(table)).containsExactly("L0 1 rows 1043 bytes [5,5]", "L0 2 rows 1102 bytes [3,4]", "L0 3 rows 1119 bytes [0,2]");
        assertThat(texts(oracle.readDelta(table, 2))).containsExactly("+I(1, 'A')", "+I(2, 'b')");
        assertThat(oracle.readChangelog(table, 2)).isEmpty();
        assertThat(texts(oracle.readAuditLog(table, 1, 3, "auto"))).containsExactly("+I(1, 'A')", "+I(2, 'b')", "-D(3, 'c')");
        assertThat(texts(oracle.readTable(table, 1))).containsExactly("+I(1, 'a')", "+I(2, 'b')", "+I(3, 'c')");
        assertThat(texts(oracle.readTable(table))).containsExactly("+I(1, 'A')", "+I(2, 'b')");
    }

    @Test
    void testLookupTable()
            throws Exception
    {
        OracleTable table = createTable("cl_lookup", "STRING", LOOKUP);
        oracle.write(table, FIRST);
        assertThat(files(table)).containsExactly("L5 3 rows 1119 bytes [0,2]");
        oracle.write(table, SECOND);
        assertThat(files(table)).containsExactly("L4 2 rows 1102 bytes [3,4]", "L5 3 rows 1119 bytes [0,2]");
        oracle.write(table, THIRD);
        assertThat(files(table)).containsExactly("L3 1 rows 1043 bytes [5,5]", "L4 2 rows 1102 bytes [3,4]", "L5 3 rows 1119 bytes [0,2]");

        assertThat(snapshots(table)).containsExactly(
                "1 APPEND 3 3 null",
                "2 COMPACT 3 0 3",
                "3 APPEND 5 2 null",
                "4 COMPACT 5 0 4",
                "5 APPEND 6 1 null",
                "6 COMPACT 6 0 1");
        assertThat(texts(oracle.readChangelog(table, 2))).containsExactly("+I(1, 'a')", "+I(2, 'b')", "+I(3, 'c')");
        assertThat(oracle.readChangelog(table, 3)).isEmpty();
        assertThat(texts(oracle.readChangelog(table, 4))).containsExactly("-U(1, 'a')", "+U(1, 'A')", "-U(2, 'b')", "+U(2, 'b')");
        assertThat(oracle.readAuditLog(table, 2, 4, "changelog")).isEqualTo(oracle.readChangelog(table, 4));
        assertThat(texts(oracle.readChangelog(table, 6))).containsExactly("-D(3, 'c')");
        // the old row keeps its own sequence number in the log
        assertThat(oracle.readChangelogRecords(table, 4)).extracting(StoredRecord::sequenceNumber).containsExactly(0L, 3L, 1L, 4L);
        assertThat(oracle.changelogFiles(table, 4)).extracting(FileSummary::level).containsExactly(4);
    }

    /**
     * The sizes of the runs are now 1043, 1043, 1102 and 1119 bytes: each next run is within one percent of the sum before it, so the fourth
     * statement takes everything to the highest level, and the deleted row goes.
     */
    @Test
    void testLookupTableAfterFourthWrite()
            throws Exception
    {
        OracleTable table = createTable("cl_lookup", "STRING", LOOKUP);
        for (List<Change> statement : List.of(FIRST, SECOND, THIRD, FOURTH)) {
            oracle.write(table, statement);
        }
        assertThat(snapshots(table)).endsWith("7 APPEND 7 1 null", "8 COMPACT 2 -5 2");
        assertThat(texts(oracle.readChangelog(table, 8))).containsExactly("-U(1, 'A')", "+U(1, 'A')");
        assertThat(oracle.readChangelogRecords(table, 8)).extracting(StoredRecord::sequenceNumber).containsExactly(3L, 6L);
        assertThat(files(table)).containsExactly("L5 2 rows 1102 bytes [4,6]");

        oracle.write(table, FOURTH);
        assertThat(snapshots(table)).endsWith("9 APPEND 3 1 null", "10 COMPACT 3 0 2");
        assertThat(files(table)).containsExactly("L4 1 rows 1043 bytes [7,7]", "L5 2 rows 1102 bytes [4,6]");

        // nothing of level 0 takes part, so nothing is logged
        oracle.compact(table, true);
        assertThat(snapshots(table)).endsWith("11 COMPACT 2 -1 null");
        assertThat(files(table)).containsExactly("L5 2 rows 1102 bytes [4,7]");
        assertThat(texts(oracle.readTable(table))).containsExactly("+I(1, 'A')", "+I(2, 'b')");
    }

    @Test
    void testRowDeduplicate()
            throws Exception
    {
        OracleTable table = createTable("cl_dedup", "STRING", ImmutableMap.of(
                "changelog-producer", "lookup",
                "changelog-producer.row-deduplicate", "true"));
        oracle.write(table, FIRST);
        oracle.write(table, SECOND);
        assertThat(texts(oracle.readAuditLog(table, 2, 4, "changelog"))).containsExactly("-U(1, 'a')", "+U(1, 'A')");

        // an unchanged row still makes two snapshots, and the second one has no log
        oracle.write(table, FOURTH);
        assertThat(snapshots(table)).endsWith("5 APPEND 6 1 null", "6 COMPACT 6 0 null");
    }

    @Test
    void testAggregation()
            throws Exception
    {
        OracleTable table = createTable("cl_agg", "INT", ImmutableMap.of(
                "changelog-producer", "lookup",
                "merge-engine", "aggregation",
                "fields.v.aggregate-function", "sum"));
        oracle.write(table, ImmutableList.of(Change.insert(1, 10), Change.insert(2, 20)));
        oracle.write(table, ImmutableList.of(Change.insert(1, 5)));

        assertThat(texts(oracle.readChangelog(table, 4))).containsExactly("-U(1, 10)", "+U(1, 15)");
        assertThat(texts(oracle.readTable(table))).containsExactly("+I(1, 15)", "+I(2, 20)");
        assertThat(oracle.files(table)).extracting(FileSummary::level).containsExactly(4, 5);
        assertThat(texts(changes(oracle.readStoredRecords(table, 3)))).containsExactlyInAnyOrder("+I(1, 5)", "+I(1, 10)", "+I(2, 20)");
        assertThat(texts(changes(oracle.readStoredRecords(table, 4)))).containsExactlyInAnyOrder("+I(1, 15)", "+I(1, 10)", "+I(2, 20)");
    }

    /**
     * A write-only job leaves level 0 behind; the next compaction logs all of it at once.
     */
    @Test
    void testWriteWithoutCompaction()
            throws Exception
    {
        OracleTable table = createTable("write_only", "STRING", LOOKUP);
        oracle.writeWithoutCompaction(table, FIRST);
        oracle.writeWithoutCompaction(table, SECOND);
        assertThat(snapshots(table)).containsExactly("1 APPEND 3 3 null", "2 APPEND 5 2 null");
        assertThat(oracle.files(table)).extracting(FileSummary::level).containsExactly(0, 0);

        oracle.compact(table, false);
        assertThat(snapshots(table)).endsWith("3 COMPACT 3 -2 3");
        assertThat(texts(oracle.readChangelog(table, 3))).containsExactly("+I(1, 'A')", "+I(2, 'b')", "+I(3, 'c')");
    }

    @Test
    void testOverwriteAndDropPartitions()
            throws Exception
    {
        OracleTable table = oracle.createTable("default", "partitioned", new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT"), new Column("p", "STRING"), new Column("v", "STRING")),
                ImmutableList.of("k", "p"),
                ImmutableList.of("p"),
                ImmutableMap.of("bucket", "2", "changelog-producer", "lookup")));
        oracle.write(table, ImmutableList.of(Change.insert(1, "x", "a"), Change.insert(2, "x", "b"), Change.insert(1, "y", "c")));
        oracle.overwrite(table, ImmutableMap.of("p", "x"), ImmutableList.of(Change.insert(9, "x", "z")));
        assertThat(texts(oracle.readTable(table))).containsExactly("+I(1, 'y', 'c')", "+I(9, 'x', 'z')");
        assertThat(snapshots(table)).endsWith("3 OVERWRITE 2 -1 null", "4 COMPACT 2 0 null");
        assertThat(oracle.files(table)).extracting(FileSummary::partition).containsExactly("('x')", "('y')");

        oracle.dropPartitions(table, ImmutableList.of(ImmutableMap.of("p", "y")));
        assertThat(texts(oracle.readTable(table))).containsExactly("+I(9, 'x', 'z')");
        oracle.truncate(table);
        assertThat(oracle.readTable(table)).isEmpty();
    }

    @Test
    void testWriteOfNothingCommitsNothing()
            throws Exception
    {
        OracleTable table = createTable("empty", "STRING", LOOKUP);
        oracle.write(table, ImmutableList.of());
        assertThat(oracle.snapshots(table)).isEmpty();
        assertThat(oracle.files(table)).isEmpty();
    }

    private OracleTable createTable(String name, String valueType, Map<String, String> options)
            throws Exception
    {
        return oracle.createTable("default", name, new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT"), new Column("v", valueType)),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder().put("bucket", "1").putAll(options).buildOrThrow()));
    }

    private List<String> snapshots(OracleTable table)
            throws Exception
    {
        return oracle.snapshots(table).stream()
                .map(snapshot -> "%s %s %s %s %s".formatted(
                        snapshot.id(),
                        snapshot.kind(),
                        snapshot.totalRecordCount(),
                        snapshot.deltaRecordCount(),
                        snapshot.changelogRecordCount().isEmpty() ? "null" : snapshot.changelogRecordCount().getAsLong()))
                .toList();
    }

    private List<String> files(OracleTable table)
            throws Exception
    {
        return oracle.files(table).stream()
                .map(file -> "L%s %s rows %s bytes [%s,%s]".formatted(
                        file.level(),
                        file.rowCount(),
                        file.fileSize(),
                        file.minSequenceNumber(),
                        file.maxSequenceNumber()))
                .toList();
    }

    private static List<Change> changes(List<StoredRecord> records)
    {
        return records.stream()
                .map(StoredRecord::change)
                .toList();
    }

    private static List<String> texts(List<Change> changes)
    {
        return changes.stream()
                .map(Change::toString)
                .toList();
    }
}
