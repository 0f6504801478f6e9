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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.testing.TestTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;

import static io.lookup.storage.format.row.BinaryRow.EMPTY;
import static io.lookup.storage.testing.TestTable.Row.delete;
import static io.lookup.storage.testing.TestTable.Row.insert;
import static io.lookup.storage.testing.TestTable.root;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestTableCommitter
{
    private final FileIo fileIo = TestTable.localFileIo();
    private Path warehouse;
    private TestTable table;

    @BeforeEach
    void setUp(@TempDir Path directory)
    {
        warehouse = directory;
        table = TestTable.create(fileIo, root(directory, "t"), ImmutableMap.of("bucket", "2"));
    }

    @Test
    void testNothingCommitsNothing()
    {
        assertThat(table.commit()).isEqualTo(new CommitResult(OptionalLong.empty(), OptionalLong.empty(), false));
        assertThat(table.commit(table.append(EMPTY, 0))).isEqualTo(new CommitResult(OptionalLong.empty(), OptionalLong.empty(), false));
        CommitRequest truncate = overwrite(OptionalLong.empty(), OverwriteScope.wholeTable());
        assertThat(table.committer().commit(truncate).appendSnapshotId()).isEmpty();
        assertThat(table.snapshots().latestId()).isEmpty();
        assertThat(manifestFiles()).isEmpty();
    }

    @Test
    void testAppendThenCompact()
    {
        DataFileMeta written = table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 1), insert(1, 2, "b", 2));
        DataFileMeta changelog = table.writeChangelog(EMPTY, 0, 5, insert(0, 1, "a", 1), insert(1, 2, "b", 2));
        CommitRequest request = new CommitRequest(
                OptionalLong.empty(),
                ImmutableList.of(table.message(EMPTY, 0, ImmutableList.of(written), ImmutableList.of(), ImmutableList.of(written), ImmutableList.of(written.withLevel(5)), ImmutableList.of(changelog))),
                false,
                ImmutableMap.of("trino.query-id", "q1"),
                ImmutableMap.of("trino.compactor-query-id", "q1"),
                "user",
                Optional.empty());
        CommitResult result = table.committer().commit(request);

        assertThat(result).isEqualTo(new CommitResult(OptionalLong.of(1), OptionalLong.of(2), false));
        Snapshot append = table.snapshots().snapshot(1);
        assertThat(append.commitKind()).isEqualTo(CommitKind.APPEND);
        assertThat(append.commitIdentifier()).isEqualTo(Long.MAX_VALUE);
        assertThat(append.totalRecordCount()).isEqualTo(2);
        assertThat(append.deltaRecordCount()).isEqualTo(2);
        assertThat(append.changelogManifestList()).isEmpty();
        assertThat(append.changelogRecordCount()).isEmpty();
        assertThat(append.nextRowId()).hasValue(0);
        assertThat(append.properties()).containsExactly(Map.entry("trino.query-id", "q1"));
        Snapshot compact = table.snapshots().snapshot(2);
        assertThat(compact.commitKind()).isEqualTo(CommitKind.COMPACT);
        assertThat(compact.commitUser()).isEqualTo("user");
        assertThat(compact.totalRecordCount()).isEqualTo(2);
        assertThat(compact.deltaRecordCount()).isZero();
        assertThat(compact.changelogRecordCount()).hasValue(2);
        assertThat(compact.timeMillis()).isGreaterThanOrEqualTo(append.timeMillis());
        assertThat(compact.properties()).containsExactly(Map.entry("trino.compactor-query-id", "q1"));

        List<ManifestEntry> delta = table.liveFiles().deltaEntries(compact, manifest -> true, entry -> true);
        assertThat(delta).extracting(ManifestEntry::kind).containsExactly(FileKind.DELETE, FileKind.ADD);
        assertThat(table.live()).containsExactly(written.withLevel(5));
        assertThat(table.rows()).containsExactly("[1, a, 1]", "[2, b, 2]");
    }

    @Test
    void testTimeNeverGoesBack()
    {
        table.commit(table.append(EMPTY, 0, file(0, 1, "a")));
        long first = table.snapshots().snapshot(1).timeMillis();
        TableCommitter slow = committerAt(first - 1_000_000);
        slow.commit(table.request(OptionalLong.of(1), table.append(EMPTY, 0, file(1, 2, "b"))));
        assertThat(table.snapshots().snapshot(2).timeMillis()).isEqualTo(first);
    }

    @Test
    void testOverlappingKeysConflict()
    {
        table.commit(table.append(EMPTY, 0, file(0, 1, "a")));
        DataFileMeta mine = table.writeFile(EMPTY, 0, 0, insert(1, 1, "mine", 0), insert(2, 5, "mine", 0));
        table.commit(table.append(EMPTY, 0, file(1, 3, "other")));

        assertThatThrownBy(() -> table.committer().commit(table.request(OptionalLong.of(1), table.append(EMPTY, 0, mine))))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                .hasMessage("Table default.t, bucket 0: snapshot 2 (APPEND) changed the same rows while the statement ran; nothing was committed, run the statement again");
        assertThat(table.snapshots().latestId()).hasValue(2);
        assertThat(table.rows()).containsExactly("[1, a, 0]", "[3, other, 0]");
    }

    @Test
    void testOtherKeysAndOtherBucketsAreRebased()
    {
        table.commit(table.append(EMPTY, 0, file(0, 1, "a")));
        table.commit(table.append(EMPTY, 0, file(1, 3, "other")));
        // keys 4 to 5 of bucket 0, key 3 of bucket 1
        CommitRequest mine = table.request(OptionalLong.of(1), table.append(EMPTY, 0, file(1, 4, "mine")), table.append(EMPTY, 1, file(0, 3, "elsewhere")));
        assertThat(table.committer().commit(mine).appendSnapshotId()).hasValue(3);
        assertThat(table.snapshots().snapshot(3).totalRecordCount()).isEqualTo(4);
    }

    @Test
    void testCompactionOfOthersIsNoConflictButMakesOursStale()
    {
        DataFileMeta first = file(0, 1, "a");
        table.commit(table.append(EMPTY, 0, first));
        // prepared upon snapshot 1
        DataFileMeta mine = file(1, 1, "mine");
        DataFileMeta merged = table.writeFile(EMPTY, 0, 5, insert(1, 1, "mine", 0));
        DataFileMeta changelog = table.writeChangelog(EMPTY, 0, 5, insert(1, 1, "mine", 0));
        CommitMessage message = table.message(EMPTY, 0, ImmutableList.of(mine), ImmutableList.of(), ImmutableList.of(first, mine), ImmutableList.of(merged), ImmutableList.of(changelog));
        // somebody lifts the first file meanwhile
        table.commit(table.message(EMPTY, 0, ImmutableList.of(), ImmutableList.of(), ImmutableList.of(first), ImmutableList.of(first.withLevel(5)), ImmutableList.of()));

        CommitResult result = table.committer().commit(table.request(OptionalLong.of(1), message));
        assertThat(result).isEqualTo(new CommitResult(OptionalLong.of(3), OptionalLong.empty(), true));
        assertThat(table.live()).containsExactlyInAnyOrder(first.withLevel(5), mine);
        assertThat(table.rows()).containsExactly("[1, mine, 0]");
        assertThat(dataFile(merged)).doesNotExist();
        assertThat(dataFile(changelog)).doesNotExist();
        assertThat(dataFile(mine)).exists();
    }

    @Test
    void testStaleCompactionThatFitsIsNotPublished()
    {
        // base {L5}; others leave files that our output does not overlap in its level
        DataFileMeta bottom = table.writeFile(EMPTY, 0, 5, insert(0, 1, "a", 0), insert(1, 9, "a", 0));
        table.commit(table.message(EMPTY, 0, ImmutableList.of(), ImmutableList.of(), ImmutableList.of(), ImmutableList.of(bottom), ImmutableList.of()));
        table.commit(table.message(EMPTY, 0, ImmutableList.of(), ImmutableList.of(), ImmutableList.of(), ImmutableList.of(table.writeFile(EMPTY, 0, 4, insert(2, 9, "b", 0))), ImmutableList.of()));

        DataFileMeta mine = file(3, 1, "mine");
        CommitMessage message = table.message(EMPTY, 0, ImmutableList.of(mine), ImmutableList.of(), ImmutableList.of(mine), ImmutableList.of(mine.withLevel(4)), ImmutableList.of());
        CommitResult result = table.committer().commit(table.request(OptionalLong.of(1), message));
        assertThat(result.compactionDropped()).isTrue();
        assertThat(result.compactSnapshotId()).isEmpty();
        assertThat(table.live()).contains(mine);
        // an upgraded file is the appended one
        assertThat(dataFile(mine)).exists();
    }

    @Test
    void testOnlyStaleBucketsLoseTheirCompaction()
    {
        table.commit(table.append(EMPTY, 0, file(0, 1, "a")));
        table.commit(table.append(EMPTY, 0, file(1, 9, "other")));
        DataFileMeta stale = file(1, 3, "mine");
        DataFileMeta fresh = file(0, 4, "mine");
        CommitResult result = table.committer().commit(table.request(
                OptionalLong.of(1),
                table.message(EMPTY, 0, ImmutableList.of(stale), ImmutableList.of(), ImmutableList.of(stale), ImmutableList.of(stale.withLevel(3)), ImmutableList.of()),
                table.message(EMPTY, 1, ImmutableList.of(fresh), ImmutableList.of(), ImmutableList.of(fresh), ImmutableList.of(fresh.withLevel(3)), ImmutableList.of())));
        assertThat(result).isEqualTo(new CommitResult(OptionalLong.of(3), OptionalLong.of(4), true));
        assertThat(table.live()).contains(stale, fresh.withLevel(3));
    }

    @Test
    void testRowsDeletedUnderAnUpdateConflict()
    {
        table.commit(table.append(EMPTY, 0, file(0, 1, "a")));
        table.committer().commit(overwrite(OptionalLong.of(1), OverwriteScope.wholeTable()));
        CommitMessage message = table.append(EMPTY, 0, file(1, 1, "updated"));
        assertThatThrownBy(() -> table.committer().commit(new CommitRequest(OptionalLong.of(1), ImmutableList.of(message), true, ImmutableMap.of(), ImmutableMap.of(), "u", Optional.empty())))
                .hasMessageContaining("snapshot 2 (OVERWRITE) changed the same rows");
        // a blind insert stands on nothing that was deleted
        assertThat(table.committer().commit(table.request(OptionalLong.of(1), message)).appendSnapshotId()).hasValue(3);
    }

    @Test
    void testExpiredRangeConflicts()
            throws Exception
    {
        table.commit(table.append(EMPTY, 0, file(0, 1, "a")));
        table.commit(table.append(EMPTY, 0, file(1, 3, "b")));
        table.commit(table.append(EMPTY, 0, file(2, 5, "c")));
        Files.delete(snapshotFile(1));
        Files.delete(snapshotFile(2));
        TestTable fresh = TestTable.open(fileIo, root(warehouse, "t"));
        assertThatThrownBy(() -> fresh.committer().commit(fresh.request(OptionalLong.of(1), fresh.append(EMPTY, 0, file(3, 7, "mine")))))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                .hasMessageContaining("base snapshot 1: snapshot 2 has expired");
    }

    @Test
    void testRolledBackBaseConflicts()
    {
        table.commit(table.append(EMPTY, 0, file(0, 1, "a")));
        assertThatThrownBy(() -> table.committer().commit(table.request(OptionalLong.of(7), table.append(EMPTY, 0, file(3, 7, "mine")))))
                .hasMessageContaining("rolled back to snapshot 1");
    }

    @Test
    void testOverwrite()
    {
        TestTable partitioned = TestTable.createPartitioned(fileIo, root(warehouse, "p"), ImmutableMap.of());
        BinaryRow a = partitioned.partition("a");
        BinaryRow b = partitioned.partition("b");
        partitioned.commit(
                partitioned.append(a, 0, partitioned.writeFile(a, 0, 0, insert(0, "a", 1, "x"))),
                partitioned.append(b, 0, partitioned.writeFile(b, 0, 0, insert(0, "b", 1, "y"))));
        DataFileMeta changelog = partitioned.writeChangelog(a, 0, 0, delete(0, "a", 1, "x"), insert(0, "a", 2, "new"));
        CommitMessage message = partitioned.message(a, 0, ImmutableList.of(partitioned.writeFile(a, 0, 0, insert(0, "a", 2, "new"))), ImmutableList.of(changelog), ImmutableList.of(), ImmutableList.of(), ImmutableList.of());
        CommitResult result = partitioned.committer().commit(overwrite(OptionalLong.of(1), OverwriteScope.partitions(ImmutableList.of(a)), message));

        assertThat(result.appendSnapshotId()).hasValue(2);
        Snapshot snapshot = partitioned.snapshots().snapshot(2);
        assertThat(snapshot.commitKind()).isEqualTo(CommitKind.OVERWRITE);
        assertThat(snapshot.totalRecordCount()).isEqualTo(2);
        assertThat(snapshot.deltaRecordCount()).isZero();
        assertThat(snapshot.changelogRecordCount()).hasValue(2);
        assertThat(partitioned.rows()).containsExactly("[a, 2, new]", "[b, 1, y]");
        assertThat(partitioned.changes(1, 2)).containsExactly("-D[a, 1, x]", "+I[a, 2, new]");

        // the log of an overwrite names the rows of its base
        CommitMessage late = partitioned.message(a, 0, ImmutableList.of(), ImmutableList.of(changelog), ImmutableList.of(), ImmutableList.of(), ImmutableList.of());
        assertThatThrownBy(() -> partitioned.committer().commit(overwrite(OptionalLong.of(1), OverwriteScope.partitions(ImmutableList.of(a)), late)))
                .hasMessageContaining("Table default.p, partition p=a, bucket 0: snapshot 2 (OVERWRITE)");
    }

    @Test
    void testSchemaChanges()
    {
        DataFileMeta mine = file(0, 1, "a");
        TableSchema schema = table.schema();
        table.schemas().tryCreate(new TableSchema(3, 1, schema.fields(), 2, ImmutableList.of(), schema.primaryKeys(), ImmutableMap.<String, String>builder().putAll(schema.options()).put("snapshot.num-retained.min", "5").buildOrThrow(), Optional.of("new comment"), 2));
        assertThat(table.commit(table.append(EMPTY, 0, mine)).appendSnapshotId()).hasValue(1);
        assertThat(table.snapshots().snapshot(1).schemaId()).isEqualTo(1);

        table.schemas().tryCreate(new TableSchema(3, 2, schema.fields(), 2, ImmutableList.of(), schema.primaryKeys(), ImmutableMap.<String, String>builder().putAll(schema.options()).put("changelog-producer", "lookup").buildOrThrow(), Optional.empty(), 3));
        assertThatThrownBy(() -> table.commit(table.append(EMPTY, 0, file(1, 2, "b"))))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                .hasMessageContaining("its option changelog-producer changed from unset to lookup");

        table.schemas().tryCreate(new TableSchema(3, 3, schema.fields().subList(0, 2), 2, ImmutableList.of(), schema.primaryKeys(), schema.options(), Optional.empty(), 4));
        assertThatThrownBy(() -> table.commit(table.append(EMPTY, 0, file(1, 2, "b"))))
                .hasMessageContaining("its columns changed (schema 0 is now 3)");
    }

    /**
     * A table without rows may be altered in ways in which one with rows may not, while a statement writes its first rows.
     */
    @ParameterizedTest
    @CsvSource({"partition.legacy-name, false", "partition.default-name, none", "rowkind.field, v", "aggregation.remove-record-on-delete, true", "ignore-delete, true", "index-file-in-data-file-dir, true"})
    void testOptionsThatAreFixedByTheFirstRows(String option, String value)
    {
        TestTable partitioned = TestTable.createPartitioned(fileIo, root(warehouse, "p"), ImmutableMap.of());
        BinaryRow partition = partitioned.partition("a");
        DataFileMeta mine = partitioned.writeFile(partition, 0, 0, insert(1, "a", 1, "x"));
        TableSchema schema = partitioned.schema();
        assertThat(partitioned.schemas().tryCreate(new TableSchema(
                3, 1, schema.fields(), 2, schema.partitionKeys(), schema.primaryKeys(), ImmutableMap.<String, String>builder().putAll(schema.options()).put(option, value).buildOrThrow(), Optional.empty(), 2))).isTrue();
        assertThatThrownBy(() -> partitioned.commit(partitioned.append(partition, 0, mine)))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                .hasMessageContainingAll(option, "nothing was committed");
        assertThat(partitioned.snapshots().latest()).isEmpty();
    }

    @Test
    void testDroppedTable()
            throws Exception
    {
        DataFileMeta mine = file(0, 1, "a");
        fileIo.deleteRecursively(root(warehouse, "t"));
        assertThatThrownBy(() -> table.commit(table.append(EMPTY, 0, mine)))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                .hasMessageContaining("was dropped");
    }

    @Test
    void testConflictLeavesNoManifests()
    {
        table.commit(table.append(EMPTY, 0, file(0, 1, "a")));
        table.commit(table.append(EMPTY, 0, file(1, 1, "b")));
        List<String> before = manifestFiles();
        CommitMessage message = table.append(EMPTY, 0, file(1, 1, "mine"));
        assertThatThrownBy(() -> table.committer().commit(table.request(OptionalLong.of(1), message)));
        assertThat(manifestFiles()).isEqualTo(before);
        table.committer().discard(ImmutableList.of(message));
        assertThat(dataFile(message.newFiles().getFirst())).doesNotExist();
    }

    @Test
    void testDiscardSparesLiveFiles()
    {
        DataFileMeta live = file(0, 1, "a");
        table.commit(table.append(EMPTY, 0, live));
        DataFileMeta mine = file(1, 2, "b");
        table.committer().discard(ImmutableList.of(table.message(EMPTY, 0, ImmutableList.of(mine), ImmutableList.of(), ImmutableList.of(live, mine), ImmutableList.of(live.withLevel(5), mine.withLevel(5)), ImmutableList.of())));
        assertThat(dataFile(live)).exists();
        assertThat(dataFile(mine)).doesNotExist();
    }

    private TableCommitter committerAt(long time)
    {
        return new TableCommitter(
                new CommitTarget("default." + table.paths().root().getName(), fileIo, table.paths(), table.schema(), table.options(), table.schemas(), table.snapshots(), new ManifestStore(fileIo, table.paths(), table.schema()), table.liveFiles(), () -> time, new CommitStatistics()),
                Optional.empty());
    }

    private static CommitRequest overwrite(OptionalLong base, OverwriteScope scope, CommitMessage... messages)
    {
        return new CommitRequest(base, ImmutableList.copyOf(messages), false, ImmutableMap.of(), ImmutableMap.of(), UUID.randomUUID().toString(), Optional.of(scope));
    }

    private DataFileMeta file(long sequence, int key, String value)
    {
        return table.writeFile(EMPTY, 0, 0, insert(sequence, key, value, 0));
    }

    private Path dataFile(DataFileMeta file)
    {
        return Path.of(table.paths().dataFile(EMPTY, 0, file).toUri().getPath());
    }

    private Path snapshotFile(long id)
    {
        return Path.of(table.paths().snapshotDirectory().toUri().getPath(), "snapshot-" + id);
    }

    private List<String> manifestFiles()
    {
        Path directory = Path.of(table.paths().manifest("x").getParent().toUri().getPath());
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
