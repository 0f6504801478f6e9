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
package io.lookup.storage.commit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.FileSummary;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.oracle.SnapshotSummary;
import io.lookup.storage.testing.TestTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static io.lookup.storage.format.row.BinaryRow.EMPTY;
import static io.lookup.storage.testing.TestTable.Row.delete;
import static io.lookup.storage.testing.TestTable.Row.insert;
import static io.lookup.storage.testing.TestTable.Row.row;
import static io.lookup.storage.testing.TestTable.root;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Snapshots of ours through the eyes of Paimon 1.4.2, and the other way round, in turns on one table.
 */
final class TestCommitWithPaimon
{
    private final FileIo fileIo = TestTable.localFileIo();
    @TempDir
    private Path directory;
    private Path warehouse;
    private PaimonOracle oracle;

    @BeforeEach
    void setUp()
    {
        warehouse = directory.resolve("warehouse");
        oracle = new PaimonOracle(warehouse, directory.resolve("scratch"));
    }

    @AfterEach
    void tearDown()
            throws Exception
    {
        oracle.close();
    }

    @Test
    void testPaimonReadsOurCommits()
            throws Exception
    {
        OracleTable name = createTable(ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"), List.of());
        TestTable table = open(name);
        DataFileMeta first = table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 10), insert(1, 2, "b", null));
        DataFileMeta log = table.writeChangelog(EMPTY, 0, 5, insert(0, 1, "a", 10), insert(1, 2, "b", null));
        table.commit(table.message(EMPTY, 0, ImmutableList.of(first), ImmutableList.of(), ImmutableList.of(first), ImmutableList.of(first.withLevel(5)), ImmutableList.of(log)));
        DataFileMeta second = table.writeFile(EMPTY, 0, 0, insert(2, 1, "a2", 11), delete(3, 2, "b", null));
        DataFileMeta merged = table.writeFile(EMPTY, 0, 5, insert(2, 1, "a2", 11));
        DataFileMeta secondLog = table.writeChangelog(EMPTY, 0, 5, row(RowKind.UPDATE_BEFORE, 0, 1, "a", 10), row(RowKind.UPDATE_AFTER, 2, 1, "a2", 11), delete(1, 2, "b", null));
        table.commit(table.message(EMPTY, 0, ImmutableList.of(second), ImmutableList.of(), ImmutableList.of(first.withLevel(5), second), ImmutableList.of(merged), ImmutableList.of(secondLog)));
        // level 0 on top
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(4, 3, "c", 30))));

        assertThat(texts(oracle.readTable(name, 2))).containsExactly("+I(1, 'a', 10)", "+I(2, 'b', null)");
        assertThat(texts(oracle.readTable(name, 3))).containsExactly("+I(1, 'a2', 11)");
        assertThat(texts(oracle.readTable(name))).containsExactly("+I(1, 'a2', 11)", "+I(3, 'c', 30)");
        assertThat(texts(oracle.readAuditLog(name, 0, 5, "changelog"))).containsExactlyInAnyOrder(
                "+I(1, 'a', 10)", "+I(2, 'b', null)", "-U(1, 'a', 10)", "+U(1, 'a2', 11)", "-D(2, 'b', null)");
        assertThat(oracle.snapshots(name)).extracting(SnapshotSummary::toString).containsExactly(
                new SnapshotSummary(1, "APPEND", 2, 2, OptionalLong.empty(), 0).toString(),
                new SnapshotSummary(2, "COMPACT", 2, 0, OptionalLong.of(2), 0).toString(),
                new SnapshotSummary(3, "APPEND", 4, 2, OptionalLong.empty(), 0).toString(),
                new SnapshotSummary(4, "COMPACT", 1, -3, OptionalLong.of(3), 0).toString(),
                new SnapshotSummary(5, "APPEND", 2, 1, OptionalLong.empty(), 0).toString());
        assertThat(oracle.files(name)).extracting(FileSummary::level).containsExactly(0, 5);
    }

    @Test
    void testTurns()
            throws Exception
    {
        OracleTable name = createTable(ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"), List.of());
        oracle.write(name, List.of(Change.insert(1, "paimon", 1), Change.insert(2, "paimon", 2)));
        TestTable table = open(name);
        assertThat(table.rows()).containsExactly("[1, paimon, 1]", "[2, paimon, 2]");
        assertThat(table.changes(0, table.snapshots().latestId().orElseThrow())).containsExactly("+I[1, paimon, 1]", "+I[2, paimon, 2]");

        long next = table.live().stream().mapToLong(DataFileMeta::maxSequenceNumber).max().orElseThrow() + 1;
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(next, 2, "ours", 22), insert(next + 1, 3, "ours", 33))));
        assertThat(texts(oracle.readTable(name))).containsExactly("+I(1, 'paimon', 1)", "+I(2, 'ours', 22)", "+I(3, 'ours', 33)");

        // Paimon's next compaction lifts our level 0 and logs it
        long before = table.snapshots().latestId().orElseThrow();
        oracle.write(name, List.of(Change.delete(1, "paimon", 1)));
        table = open(name);
        assertThat(table.rows()).containsExactly("[2, ours, 22]", "[3, ours, 33]");
        assertThat(table.changes(before, table.snapshots().latestId().orElseThrow()))
                .containsExactly("-D[1, paimon, 1]", "-U[2, paimon, 2]", "+U[2, ours, 22]", "+I[3, ours, 33]");
        assertThat(texts(oracle.readTable(name))).containsExactly("+I(2, 'ours', 22)", "+I(3, 'ours', 33)");
        oracle.compact(name, true);
        assertThat(open(name).rows()).containsExactly("[2, ours, 22]", "[3, ours, 33]");
    }

    @Test
    void testOverwriteOfPartitions()
            throws Exception
    {
        OracleTable name = createTable(ImmutableMap.of("bucket", "2"), List.of("v"));
        oracle.write(name, List.of(Change.insert(1, "x", 1), Change.insert(2, "x", 2), Change.insert(1, "y/z", 3)));
        TestTable table = open(name);
        assertThat(table.rows()).containsExactly("[1, x, 1]", "[1, y/z, 3]", "[2, x, 2]");
        BinaryRow partition = table.partition("x");
        CommitMessage message = table.append(partition, 1, table.writeFile(partition, 1, 0, insert(0, 2, "x", 200)));
        table.committer().commit(new CommitRequest(table.snapshots().latestId(), List.of(message), false, Map.of(), Map.of(), "u", Optional.of(OverwriteScope.partitions(List.of(partition)))));
        assertThat(texts(oracle.readTable(name))).containsExactly("+I(1, 'y/z', 3)", "+I(2, 'x', 200)");
        oracle.write(name, List.of(Change.insert(5, "x", 5)));
        assertThat(open(name).rows()).containsExactly("[1, y/z, 3]", "[2, x, 200]", "[5, x, 5]");
        TestTable again = open(name);
        again.committer().commit(new CommitRequest(again.snapshots().latestId(), List.of(), false, Map.of(), Map.of(), "u2", Optional.of(OverwriteScope.wholeTable())));
        assertThat(oracle.readTable(name)).isEmpty();
        assertThat(oracle.snapshots(name).getLast().totalRecordCount()).isZero();
    }

    private OracleTable createTable(Map<String, String> options, List<String> partitionKeys)
            throws Exception
    {
        String partitionType = partitionKeys.isEmpty() ? "STRING" : "STRING NOT NULL";
        List<String> primaryKey = partitionKeys.isEmpty() ? List.of("k") : List.of("k", "v");
        return oracle.createTable("default", "t", new PaimonTableDefinition(
                List.of(new Column("k", "INT NOT NULL"), new Column("v", partitionType), new Column("w", "INT")),
                primaryKey,
                partitionKeys,
                ImmutableMap.<String, String>builder().putAll(options).put("file.format", "parquet").buildOrThrow()));
    }

    private TestTable open(OracleTable table)
    {
        return TestTable.open(fileIo, root(warehouse, table.name()));
    }

    private static List<String> texts(List<Change> changes)
    {
        return changes.stream().map(Change::toString).toList();
    }
}
