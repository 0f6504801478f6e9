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
package io.lookup.storage.snapshot;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestCache;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestFixture;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.manifest.ManifestStore.BucketFilter;
import io.lookup.storage.format.manifest.ManifestStore.WrittenList;
import io.lookup.storage.snapshot.LiveFiles.BucketTotals;
import io.lookup.storage.snapshot.LiveFiles.LiveBucket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static io.lookup.storage.format.manifest.ManifestFixture.add;
import static io.lookup.storage.format.manifest.ManifestFixture.delete;
import static io.lookup.storage.format.manifest.ManifestFixture.entry;
import static io.lookup.storage.format.manifest.ManifestFixture.partition;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Live files that are packed bucket by bucket, against the list of all.
 */
final class TestLargeSnapshots
{
    private static final int STEPS = 20;

    @TempDir
    private Path directory;

    private final ManifestCache cache = new ManifestCache(0, 1 << 20);
    private final Map<Long, Snapshot> snapshots = new HashMap<>();
    private final List<ManifestEntry> live = new ArrayList<>();
    private List<ManifestFileMeta> manifests = new ArrayList<>();
    private ManifestFixture fixture;
    private ManifestStore store;
    private LiveFiles packed;
    private LiveFiles listed;

    @BeforeEach
    void setUp()
    {
        fixture = new ManifestFixture(directory, ImmutableMap.of());
        store = fixture.store(cache);
        packed = new LiveFiles(store, id -> Optional.ofNullable(snapshots.get(id)), 0);
        listed = new LiveFiles(fixture.store());
    }

    @Test
    void testHistory()
    {
        Random random = new Random(4711);
        int number = 0;
        for (int step = 0; step < STEPS; step++) {
            List<ManifestEntry> changes = new ArrayList<>();
            for (int count = random.nextInt(3); count > 0 && !live.isEmpty(); count--) {
                ManifestEntry old = live.remove(random.nextInt(live.size()));
                changes.add(new ManifestEntry(FileKind.DELETE, old.partition(), old.bucket(), old.totalBuckets(), old.file()));
                if (random.nextBoolean()) {
                    changes.add(new ManifestEntry(FileKind.ADD, old.partition(), old.bucket(), old.totalBuckets(), old.file().withLevel(old.file().level() + 1)));
                }
            }
            for (int count = 1 + random.nextInt(5); count > 0; count--) {
                number++;
                changes.add(add("p" + random.nextInt(4), random.nextInt(3), number));
            }
            changes.stream().filter(entry -> entry.kind() == FileKind.ADD).forEach(live::add);
            Snapshot snapshot = commit(changes);
            if (random.nextInt(3) > 0) {
                // others are passed over on the way
                assertSameFiles(snapshot, random);
                assertThat(cache.getIndexBytes()).isPositive();
            }
            if (random.nextInt(10) == 0) {
                // what other writers do with many manifests
                manifests = new ArrayList<>(store.writeManifests(live));
            }
        }
        // older ones
        for (int count = 0; count < 5; count++) {
            assertSameFiles(snapshots.get(1L + random.nextInt(STEPS)), random);
        }
    }

    @Test
    void testNextSnapshotNeedsItsDeltaOnly()
            throws Exception
    {
        commit(List.of(add("p", 0, 1), add("q", 1, 2)));
        Snapshot second = commit(List.of(add("p", 0, 3)));
        assertThat(files(packed, second, (_, _, _) -> true, _ -> true)).isEqualTo(files(listed, second, (_, _, _) -> true, _ -> true));

        ManifestFileMeta first = manifests.getFirst();
        Snapshot third = commit(List.of(delete("p", 0, 1), entry(FileKind.ADD, "p", 0, 1, 5), add("q", 0, 4)));
        Map<BucketId, List<ManifestEntry>> expected = files(listed, third, (_, _, _) -> true, _ -> true);
        Files.delete(directory.resolve("manifest").resolve(first.fileName()));
        assertThat(files(packed, third, (_, _, _) -> true, _ -> true)).isEqualTo(expected);
        // the older one gave its place
        assertThatThrownBy(() -> files(packed, second, (_, _, _) -> true, _ -> true))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE))
                .hasMessageContaining(first.fileName());
    }

    @Test
    void testReplacedHistory()
    {
        Snapshot first = commit(List.of(add("p", 0, 1)));
        Snapshot second = commit(List.of(add("p", 0, 2)));
        assertThat(files(packed, second, (_, _, _) -> true, _ -> true)).isEqualTo(files(listed, second, (_, _, _) -> true, _ -> true));

        // a rollback, and another snapshot of the same number
        snapshots.remove(second.id());
        manifests.removeLast();
        Snapshot other = commit(List.of(delete("p", 0, 1), add("q", 1, 3)));
        assertThat(other.id()).isEqualTo(second.id());
        assertThat(files(packed, other, (_, _, _) -> true, _ -> true)).isEqualTo(files(listed, other, (_, _, _) -> true, _ -> true));
        assertThat(files(packed, first, (_, _, _) -> true, _ -> true)).hasSize(1);
    }

    @Test
    void testWithoutRoom()
    {
        ManifestCache none = new ManifestCache(0);
        LiveFiles unkept = new LiveFiles(fixture.store(none), _ -> Optional.empty(), 0);
        for (int number = 1; number < 50; number++) {
            commit(List.of(add("p" + number % 7, number % 2, number)));
        }
        Snapshot snapshot = snapshots.get((long) snapshots.size());
        assertThat(files(unkept, snapshot, (_, _, _) -> true, _ -> true)).isEqualTo(files(listed, snapshot, (_, _, _) -> true, _ -> true));
        BucketFilter filter = (value, bucket, _) -> bucket == 1 && value.equals(partition("p3"));
        assertThat(files(unkept, snapshot, filter, _ -> true)).hasSize(1).isEqualTo(files(listed, snapshot, filter, _ -> true));
        assertThat(none.getIndexBytes()).isZero();
    }

    private void assertSameFiles(Snapshot snapshot, Random random)
    {
        assertThat(files(packed, snapshot, (_, _, _) -> true, _ -> true)).isEqualTo(files(listed, snapshot, (_, _, _) -> true, _ -> true));
        int bucket = random.nextInt(3);
        int level = random.nextInt(3);
        BucketFilter filter = (value, number, total) -> number == bucket && total == 2 && !value.equals(partition("p1"));
        assertThat(files(packed, snapshot, filter, entry -> entry.file().level() >= level)).isEqualTo(files(listed, snapshot, filter, entry -> entry.file().level() >= level));
        assertThat(totals(packed, snapshot, filter)).isEqualTo(totals(listed, snapshot, filter));
    }

    private static Map<BucketId, List<ManifestEntry>> files(LiveFiles files, Snapshot snapshot, BucketFilter bucketFilter, Predicate<ManifestEntry> entryFilter)
    {
        return ImmutableList.copyOf(files.liveBuckets(snapshot, _ -> true, bucketFilter, entryFilter)).stream()
                .flatMap((LiveBucket bucket) -> bucket.entries().stream())
                .sorted((left, right) -> Long.compare(left.file().minSequenceNumber(), right.file().minSequenceNumber()))
                .collect(groupingBy(BucketId::of));
    }

    private static Map<BucketId, BucketTotals> totals(LiveFiles files, Snapshot snapshot, BucketFilter filter)
    {
        return ImmutableList.copyOf(files.totals(snapshot, _ -> true, filter, _ -> true)).stream()
                .collect(toImmutableMap(BucketTotals::id, totals -> totals));
    }

    private Snapshot commit(List<ManifestEntry> changes)
    {
        WrittenList base = store.writeList(manifests);
        List<ManifestFileMeta> deltas = store.writeManifests(changes);
        WrittenList delta = store.writeList(deltas);
        manifests.addAll(deltas);
        long total = changes.stream().mapToLong(entry -> (entry.kind() == FileKind.ADD ? 1 : -1) * entry.file().rowCount()).sum() +
                Optional.ofNullable(snapshots.get((long) snapshots.size())).map(Snapshot::totalRecordCount).orElse(0L);
        Snapshot snapshot = new Snapshot(
                Snapshot.CURRENT_VERSION,
                snapshots.size() + 1,
                0,
                base.fileName(),
                OptionalLong.of(base.size()),
                delta.fileName(),
                OptionalLong.of(delta.size()),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                "user",
                1,
                CommitKind.APPEND,
                0,
                total,
                0,
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                ImmutableMap.of(),
                OptionalLong.empty());
        snapshots.put(snapshot.id(), snapshot);
        return snapshot;
    }
}
