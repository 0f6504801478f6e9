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
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.testing.TestTable;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import static io.lookup.storage.format.row.BinaryRow.EMPTY;
import static io.lookup.storage.testing.TestTable.Row.insert;
import static io.lookup.storage.testing.TestTable.root;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestPublication
{
    @TempDir
    private java.nio.file.Path warehouse;

    @Test
    void testRacingCommitters()
            throws Exception
    {
        int threads = 8;
        int commits = 3;
        // one bucket each, so that all can succeed; no lock and no cache is shared, as between processes
        TestTable.create(TestTable.localFileIo(), root(warehouse, "t"), ImmutableMap.of("bucket", String.valueOf(threads), "commit.max-retries", "100", "commit.max-retry-wait", "200 ms"));
        List<Future<List<CommitResult>>> futures = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                int bucket = thread;
                futures.add(executor.submit(() -> {
                    List<CommitResult> results = new ArrayList<>();
                    TestTable own = TestTable.open(TestTable.localFileIo(), root(warehouse, "t"));
                    for (int commit = 0; commit < commits; commit++) {
                        OptionalLong base = own.snapshots().latestId();
                        DataFileMeta file = own.writeFile(EMPTY, bucket, 0, insert(commit, bucket * 100 + commit, "x", 0));
                        CommitMessage message = own.message(EMPTY, bucket, ImmutableList.of(file), ImmutableList.of(), ImmutableList.of(file), ImmutableList.of(file.withLevel(5)), ImmutableList.of());
                        results.add(committer(own, own.fileIo()).commit(own.request(base, message)));
                    }
                    return results;
                }));
            }
        }
        Set<Long> ids = new HashSet<>();
        for (Future<List<CommitResult>> future : futures) {
            for (CommitResult result : future.get()) {
                assertThat(result.compactionDropped()).isFalse();
                assertThat(ids.add(result.appendSnapshotId().orElseThrow())).isTrue();
                assertThat(ids.add(result.compactSnapshotId().orElseThrow())).isTrue();
            }
        }
        TestTable after = TestTable.open(TestTable.localFileIo(), root(warehouse, "t"));
        assertThat(ids).hasSize(2 * threads * commits);
        assertThat(after.snapshots().latestId()).hasValue(2L * threads * commits);
        assertThat(after.rows()).hasSize(threads * commits);
        long total = 0;
        long time = 0;
        for (Snapshot snapshot : after.snapshots().snapshots(1, Long.MAX_VALUE)) {
            total += snapshot.deltaRecordCount();
            assertThat(snapshot.totalRecordCount()).isEqualTo(total);
            assertThat(snapshot.timeMillis()).isGreaterThanOrEqualTo(time);
            time = snapshot.timeMillis();
        }
        assertThat(unreferencedManifests(after)).isEmpty();
    }

    @Test
    void testRacingUpsertsOfOneKey()
            throws Exception
    {
        int threads = 8;
        TestTable table = TestTable.create(TestTable.localFileIo(), root(warehouse, "t"), ImmutableMap.of());
        AtomicInteger winners = new AtomicInteger();
        AtomicInteger losers = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                String value = "v" + thread;
                executor.submit(() -> {
                    TestTable own = TestTable.open(TestTable.localFileIo(), root(warehouse, "t"));
                    // all stand on the empty table
                    CommitMessage message = own.append(EMPTY, 0, own.writeFile(EMPTY, 0, 0, insert(0, 1, value, 0)));
                    try {
                        committer(own, own.fileIo()).commit(own.request(OptionalLong.empty(), message));
                        winners.incrementAndGet();
                    }
                    catch (StorageException e) {
                        if (e.errorCode() == StorageErrorCode.COMMIT_CONFLICT) {
                            losers.incrementAndGet();
                        }
                    }
                });
            }
        }
        assertThat(winners).hasValue(1);
        assertThat(losers).hasValue(threads - 1);
        assertThat(table.snapshots().latestId()).hasValue(1);
        assertThat(table.rows()).hasSize(1);
    }

    @Test
    void testKilledBetweenAppendAndCompact()
    {
        // the file system freezes once the APPEND is out
        AtomicBoolean frozen = new AtomicBoolean();
        FileIo dying = new ForwardingFileIo(TestTable.localFileIo())
        {
            @Override
            public boolean createExclusively(Path path, byte[] content)
                    throws IOException
            {
                if (frozen.get()) {
                    throw new IOException("frozen");
                }
                boolean created = super.createExclusively(path, content);
                frozen.set(path.getName().equals("snapshot-1"));
                return created;
            }
        };
        TestTable table = TestTable.create(dying, root(warehouse, "t"), ImmutableMap.of("commit.max-retries", "1"));
        DataFileMeta file = table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 0));
        CommitMessage message = table.message(EMPTY, 0, ImmutableList.of(file), ImmutableList.of(), ImmutableList.of(file), ImmutableList.of(file.withLevel(5)), ImmutableList.of());
        assertThat(table.commit(message)).isEqualTo(new CommitResult(OptionalLong.of(1), OptionalLong.empty(), true));

        TestTable next = TestTable.open(TestTable.localFileIo(), root(warehouse, "t"));
        assertThat(next.rows()).containsExactly("[1, a, 0]");
        // the next compaction lifts it
        CommitResult compacted = next.commit(next.message(EMPTY, 0, ImmutableList.of(), ImmutableList.of(), ImmutableList.of(file), ImmutableList.of(file.withLevel(5)), ImmutableList.of()));
        assertThat(compacted).isEqualTo(new CommitResult(OptionalLong.empty(), OptionalLong.of(2), false));
        assertThat(next.rows()).containsExactly("[1, a, 0]");
    }

    @Test
    void testUncertainSuccessIsFound()
    {
        // the snapshot is out, the answer is lost
        AtomicInteger lost = new AtomicInteger(1);
        FileIo flaky = new ForwardingFileIo(TestTable.localFileIo())
        {
            @Override
            public boolean createExclusively(Path path, byte[] content)
                    throws IOException
            {
                boolean created = super.createExclusively(path, content);
                if (path.getName().startsWith("snapshot-") && lost.getAndDecrement() > 0) {
                    throw new IOException("connection reset");
                }
                return created;
            }
        };
        TestTable table = TestTable.create(flaky, root(warehouse, "t"), ImmutableMap.of());
        assertThat(table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 0)))).appendSnapshotId()).hasValue(1);
        assertThat(table.snapshots().latestId()).hasValue(1);
        assertThat(unreferencedManifests(table)).isEmpty();
    }

    @Test
    void testRefusedRepetitionOfASuccessIsFound()
    {
        FileIo repeating = new ForwardingFileIo(TestTable.localFileIo())
        {
            @Override
            public boolean createExclusively(Path path, byte[] content)
                    throws IOException
            {
                super.createExclusively(path, content);
                // what a store's client reports that repeated the request by itself
                return super.createExclusively(path, content) || !path.getName().startsWith("snapshot-");
            }
        };
        TestTable table = TestTable.create(repeating, root(warehouse, "t"), ImmutableMap.of());
        assertThat(table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 0)))).appendSnapshotId()).hasValue(1);
        assertThat(table.snapshots().latestId()).hasValue(1);
    }

    @Test
    void testUncertainFailureIsTriedAgain()
    {
        AtomicInteger failures = new AtomicInteger(2);
        FileIo flaky = failingSnapshots(failures);
        TestTable table = TestTable.create(flaky, root(warehouse, "t"), ImmutableMap.of());
        assertThat(table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 0)))).appendSnapshotId()).hasValue(1);
        assertThat(table.rows()).containsExactly("[1, a, 0]");
    }

    @Test
    void testUnknownOutcomeKeepsItsFiles()
    {
        TestTable table = TestTable.create(failingSnapshots(new AtomicInteger(1000)), root(warehouse, "t"), ImmutableMap.of("commit.max-retries", "2"));
        CommitMessage message = table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 0)));
        assertThatThrownBy(() -> table.commit(message))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_FAILED))
                .hasMessage("Table default.t: gave up publishing a snapshot after 3 tries; whether snapshot 1 was published is unknown: look at the table's snapshots before running the statement again");
        // the claim may still arrive, with these files in it
        assertThat(manifestFiles(table)).isNotEmpty();
    }

    @Test
    void testInterruptIsKeptForLater()
    {
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread caller = Thread.currentThread();
        FileIo interrupting = new ForwardingFileIo(TestTable.localFileIo())
        {
            @Override
            public boolean createExclusively(Path path, byte[] content)
                    throws IOException
            {
                if (path.getName().startsWith("snapshot-")) {
                    caller.interrupt();
                    interrupted.set(true);
                }
                return super.createExclusively(path, content);
            }
        };
        TestTable table = TestTable.create(interrupting, root(warehouse, "t"), ImmutableMap.of());
        DataFileMeta file = table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 0));
        CommitMessage message = table.message(EMPTY, 0, ImmutableList.of(file), ImmutableList.of(), ImmutableList.of(file), ImmutableList.of(file.withLevel(5)), ImmutableList.of());
        CommitResult result = table.commit(message);
        assertThat(interrupted).isTrue();
        // reading the flag clears it for the reads below
        assertThat(Thread.interrupted()).isTrue();
        assertThat(result).isEqualTo(new CommitResult(OptionalLong.of(1), OptionalLong.of(2), false));
        assertThat(table.rows()).containsExactly("[1, a, 0]");
    }

    @Test
    void testSomebodyBetweenAppendAndCompact()
    {
        // right before the COMPACT is claimed, another statement appends to the bucket
        AtomicBoolean done = new AtomicBoolean();
        FileIo plain = TestTable.localFileIo();
        FileIo slow = new ForwardingFileIo(plain)
        {
            @Override
            public boolean createExclusively(Path path, byte[] content)
                    throws IOException
            {
                if (path.getName().equals("snapshot-2") && done.compareAndSet(false, true)) {
                    TestTable other = TestTable.open(plain, root(warehouse, "t"));
                    committer(other, plain).commit(other.request(OptionalLong.of(1), other.append(EMPTY, 0, other.writeFile(EMPTY, 0, 0, insert(1, 9, "other", 0)))));
                }
                return super.createExclusively(path, content);
            }
        };
        TestTable table = TestTable.create(slow, root(warehouse, "t"), ImmutableMap.of());
        DataFileMeta file = table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 0));
        CommitMessage message = table.message(EMPTY, 0, ImmutableList.of(file), ImmutableList.of(), ImmutableList.of(file), ImmutableList.of(file.withLevel(5)), ImmutableList.of());
        assertThat(committer(table, slow).commit(table.request(OptionalLong.empty(), message))).isEqualTo(new CommitResult(OptionalLong.of(1), OptionalLong.empty(), true));
        assertThat(table.snapshots().snapshot(2).commitKind()).isEqualTo(CommitKind.APPEND);
        assertThat(table.rows()).containsExactly("[1, a, 0]", "[9, other, 0]");
        assertThat(unreferencedManifests(table)).isEmpty();
    }

    private static FileIo failingSnapshots(AtomicInteger failures)
    {
        return new ForwardingFileIo(TestTable.localFileIo())
        {
            @Override
            public boolean createExclusively(Path path, byte[] content)
                    throws IOException
            {
                if (path.getName().startsWith("snapshot-") && failures.getAndDecrement() > 0) {
                    throw new IOException("timed out");
                }
                return super.createExclusively(path, content);
            }
        };
    }

    private static TableCommitter committer(TestTable table, FileIo fileIo)
    {
        ManifestStore manifests = new ManifestStore(fileIo, table.paths(), table.schema());
        return new TableCommitter(
                new CommitTarget(
                        "default.t",
                        fileIo,
                        table.paths(),
                        table.schema(),
                        table.options(),
                        table.schemas(),
                        new SnapshotManager(fileIo, table.paths()),
                        manifests,
                        new LiveFiles(manifests),
                        System::currentTimeMillis,
                        new CommitStatistics()),
                Optional.empty(),
                new ReentrantLock());
    }

    private static List<String> unreferencedManifests(TestTable table)
    {
        Set<String> referenced = new HashSet<>();
        ManifestStore manifests = new ManifestStore(table.fileIo(), table.paths(), table.schema());
        for (Snapshot snapshot : table.snapshots().snapshots(1, Long.MAX_VALUE)) {
            for (Optional<String> list : List.of(Optional.of(snapshot.baseManifestList()), Optional.of(snapshot.deltaManifestList()), snapshot.changelogManifestList())) {
                if (list.isPresent()) {
                    referenced.add(list.get());
                    manifests.readList(list.get(), OptionalLong.empty()).forEach(manifest -> referenced.add(manifest.fileName()));
                }
            }
        }
        return manifestFiles(table).stream().filter(name -> !referenced.contains(name)).toList();
    }

    private static List<String> manifestFiles(TestTable table)
    {
        try (Stream<java.nio.file.Path> files = Files.list(java.nio.file.Path.of(table.paths().manifest("x").getParent().toUri().getPath()))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
