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
package io.lookup.storage.scan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.filesystem.CountingFileIo;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.testing.TestTable;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static io.lookup.storage.format.row.BinaryRow.EMPTY;
import static io.lookup.storage.testing.TestTable.Row.delete;
import static io.lookup.storage.testing.TestTable.Row.insert;
import static io.lookup.storage.testing.TestTable.Row.row;
import static io.lookup.storage.testing.TestTable.root;
import static io.trino.spi.type.IntegerType.INTEGER;
import static org.assertj.core.api.Assertions.assertThat;

final class TestChangeFeed
{
    @TempDir
    private Path warehouse;

    @Test
    void testChangelogOfCompactions()
    {
        TestTable table = create("lookup");
        DataFileMeta first = table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 1), insert(1, 2, "b", 2));
        commitWithLog(table, first, table.writeChangelog(EMPTY, 0, 5, insert(0, 1, "a", 1), insert(1, 2, "b", 2)));
        DataFileMeta second = table.writeFile(EMPTY, 0, 0, insert(2, 1, "a2", 1), delete(3, 2, "b", 2));
        DataFileMeta merged = table.writeFile(EMPTY, 0, 5, insert(2, 1, "a2", 1));
        DataFileMeta log = table.writeChangelog(EMPTY, 0, 5, row(RowKind.UPDATE_BEFORE, 0, 1, "a", 1), row(RowKind.UPDATE_AFTER, 2, 1, "a2", 1), delete(1, 2, "b", 2));
        table.commit(table.message(EMPTY, 0, ImmutableList.of(second), ImmutableList.of(), ImmutableList.of(first.withLevel(5), second), ImmutableList.of(merged), ImmutableList.of(log)));

        assertThat(table.changes(0, 4)).containsExactly("+I[1, a, 1]", "+I[2, b, 2]", "-U[1, a, 1]", "+U[1, a2, 1]", "-D[2, b, 2]");
        // start excluded, end included; an APPEND under this producer has no changes of its own
        assertThat(table.changes(2, 4)).containsExactly("-U[1, a, 1]", "+U[1, a2, 1]", "-D[2, b, 2]");
        assertThat(table.changes(2, 3)).isEmpty();
        assertThat(table.changes(0, 4, ScanFilter.ALL, ImmutableList.of())).containsExactly("+I[]", "+I[]", "-U[]", "+U[]", "-D[]");
        assertThat(table.rows()).containsExactly("[1, a2, 1]");
    }

    @Test
    void testDeltaWithoutProducer()
    {
        TestTable table = create("none");
        DataFileMeta first = table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 1));
        table.commit(table.append(EMPTY, 0, first));
        // two flushes of one statement, in the order of writing and not of keys
        DataFileMeta second = table.writeFile(EMPTY, 0, 0, insert(1, 9, "i", 1));
        DataFileMeta third = table.writeFile(EMPTY, 0, 0, delete(2, 1, "a", 1));
        table.commit(table.append(EMPTY, 0, third, second));
        DataFileMeta all = table.writeFile(EMPTY, 0, 5, insert(1, 9, "i", 1));
        table.commit(table.message(EMPTY, 0, ImmutableList.of(), ImmutableList.of(), ImmutableList.of(first, second, third), ImmutableList.of(all), ImmutableList.of()));
        assertThat(table.changes(0, 3)).containsExactly("+I[1, a, 1]", "+I[9, i, 1]", "-D[1, a, 1]");
    }

    @Test
    void testProducerIsJudgedPerSnapshot()
    {
        TestTable none = create("none");
        DataFileMeta first = none.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 1));
        none.commit(none.append(EMPTY, 0, first));
        TableSchema schema = none.schema();
        none.schemas().tryCreate(new TableSchema(3, 1, schema.fields(), 2, ImmutableList.of(), schema.primaryKeys(), ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"), Optional.empty(), 2));
        TestTable lookup = TestTable.open(none.fileIo(), root(warehouse, "t"));
        DataFileMeta second = lookup.writeFile(EMPTY, 0, 0, insert(1, 2, "b", 1));
        commitWithLog(lookup, second, lookup.writeChangelog(EMPTY, 0, 5, insert(1, 2, "b", 1)));
        assertThat(lookup.changes(0, 3)).containsExactly("+I[1, a, 1]", "+I[2, b, 1]");
    }

    @Test
    void testOnlyChosenSnapshotsAreOpened()
    {
        CountingFileIo fileIo = new CountingFileIo(TestTable.localFileIo());
        TestTable writer = TestTable.create(fileIo, root(warehouse, "t"), ImmutableMap.of("changelog-producer", "input", "bucket", "2"));
        for (int key = 0; key < 6; key++) {
            DataFileMeta log = writer.writeChangelog(EMPTY, key % 2, 0, insert(key, key, "v" + key, key));
            DataFileMeta data = writer.writeFile(EMPTY, key % 2, 0, insert(key, key, "v" + key, key));
            writer.commit(writer.message(EMPTY, key % 2, ImmutableList.of(data), ImmutableList.of(log), ImmutableList.of(), ImmutableList.of(), ImmutableList.of()));
        }
        TestTable table = TestTable.open(fileIo, root(warehouse, "t"));
        List<Snapshot> chosen = table.snapshots().snapshots(4, 5);
        fileIo.reset();
        List<ChangeSplit> splits = table.planChanges(3, 5, ScanFilter.ALL);
        assertThat(splits).extracting(ChangeSplit::snapshotId).containsExactly(4L, 5L);
        assertThat(splits).extracting(ChangeSplit::commitTimeMillis).containsExactly(chosen.get(0).timeMillis(), chosen.get(1).timeMillis());
        assertThat(fileIo.opened(name -> name.startsWith("manifest-list-"))).containsExactlyInAnyOrder(
                chosen.get(0).changelogManifestList().orElseThrow(),
                chosen.get(1).changelogManifestList().orElseThrow());
        assertThat(fileIo.opened(name -> name.startsWith("manifest-") && !name.startsWith("manifest-list-"))).hasSize(2);
        assertThat(fileIo.opened(name -> name.endsWith(".parquet"))).isEmpty();

        // a snapshot whose manifest has other buckets only: its manifest stays shut
        fileIo.reset();
        assertThat(TestTable.open(fileIo, root(warehouse, "t")).planChanges(3, 5, ScanFilter.ALL.withBuckets(Set.of(1)))).extracting(ChangeSplit::snapshotId).containsExactly(4L);
        assertThat(fileIo.opened(name -> name.startsWith("manifest-") && !name.startsWith("manifest-list-"))).hasSize(1);

        ScanFilter byValue = ScanFilter.of(TupleDomain.withColumnDomains(ImmutableMap.of(2, Domain.singleValue(INTEGER, 4L))));
        assertThat(table.changes(0, 6, byValue, table.schema().fields())).containsExactly("+I[4, v4, 4]");
    }

    @Test
    void testQueryAndUser()
    {
        TestTable table = create("none");
        table.committer().commit(new CommitRequest(
                OptionalLong.empty(),
                ImmutableList.of(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 1)))),
                false,
                ImmutableMap.of("trino.query-id", "20261130_1", "trino.user", "alice"),
                ImmutableMap.of(),
                "u",
                Optional.empty()));
        assertThat(table.planChanges(0, 1, ScanFilter.ALL)).singleElement().satisfies(split -> {
            assertThat(split.queryId()).contains("20261130_1");
            assertThat(split.user()).contains("alice");
            assertThat(ChangeSplit.fromBytes(split.toBytes())).isEqualTo(split);
        });
    }

    private TestTable create(String producer)
    {
        return TestTable.create(TestTable.localFileIo(), root(warehouse, "t"), ImmutableMap.of("changelog-producer", producer));
    }

    private static void commitWithLog(TestTable table, DataFileMeta file, DataFileMeta log)
    {
        CommitMessage message = table.message(EMPTY, 0, ImmutableList.of(file), ImmutableList.of(), ImmutableList.of(file), ImmutableList.of(file.withLevel(5)), ImmutableList.of(log));
        table.commit(message);
    }
}
