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
import com.google.common.collect.Iterators;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry.Identity;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.manifest.ManifestStore.BucketFilter;
import io.lookup.storage.snapshot.PackedFiles.FileTotals;
import io.lookup.storage.snapshot.PackedFiles.PackedBucket;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/**
 * The files of a snapshot: everything that its manifests add and none of them deletes, wherever the two entries
 * lie. Thread-safe.
 * <p>
 * A manifest filter says false for manifests that can be left out as a whole. Since that loses the deletions in
 * them too, it must judge by what a file's ADD and DELETE have in common: partition, bucket or level. An entry filter
 * says false for files that the caller does not need; it may judge by anything, and is not asked about deletions when live
 * files are looked for, since these may lack statistics.
 */
public final class LiveFiles
{
    /**
     * Entries that are taken as a list; there is a limit to what a list may hold, and packing takes longer.
     */
    private static final long MAX_LISTED_FILES = 20_000;

    private final ManifestStore manifests;
    private final LargeSnapshots largeSnapshots;
    private final long maxListedFiles;

    public LiveFiles(ManifestStore manifests)
    {
        this(manifests, _ -> Optional.empty());
    }

    /**
     * @param snapshots finds a snapshot by its id, if it is still there
     */
    public LiveFiles(ManifestStore manifests, LongFunction<Optional<Snapshot>> snapshots)
    {
        this(manifests, snapshots, MAX_LISTED_FILES);
    }

    LiveFiles(ManifestStore manifests, LongFunction<Optional<Snapshot>> snapshots, long maxListedFiles)
    {
        this.manifests = requireNonNull(manifests, "manifests is null");
        this.largeSnapshots = new LargeSnapshots(manifests, snapshots);
        this.maxListedFiles = maxListedFiles;
    }

    /**
     * The live files of a bucket that pass the filters; there is one at least.
     */
    public record LiveBucket(BucketId id, List<ManifestEntry> entries)
    {
        public LiveBucket
        {
            requireNonNull(id, "id is null");
            entries = ImmutableList.copyOf(entries);
        }
    }

    /**
     * @param rowCount physical rows
     * @param deleteRowCount rows that are retractions, as far as files tell
     * @param totalBuckets number of buckets that the partition had when the files were written; a negative one if they do not agree
     */
    public record BucketTotals(BucketId id, long fileCount, long rowCount, long deleteRowCount, long sizeInBytes, int totalBuckets) {}

    /**
     * The live files bucket by bucket. However many there are, those of one bucket are in memory as entries.
     *
     * @param bucketFilter must be thread-safe
     */
    public Iterator<LiveBucket> liveBuckets(Snapshot snapshot, Predicate<ManifestFileMeta> manifestFilter, BucketFilter bucketFilter, Predicate<ManifestEntry> entryFilter)
    {
        Optional<PackedFiles> packed = packed(snapshot, manifestFilter, bucketFilter);
        if (packed.isEmpty()) {
            Map<BucketId, List<ManifestEntry>> buckets = new LinkedHashMap<>();
            liveFiles(snapshot, manifestFilter, entry -> bucketFilter.test(entry.partition(), entry.bucket(), entry.totalBuckets()) && entryFilter.test(entry))
                    .forEach(entry -> buckets.computeIfAbsent(BucketId.of(entry), _ -> new ArrayList<>()).add(entry));
            return Iterators.transform(buckets.entrySet().iterator(), bucket -> new LiveBucket(bucket.getKey(), bucket.getValue()));
        }
        return packed.get().buckets().entrySet().stream()
                .filter(bucket -> mayContain(bucketFilter, bucket.getKey(), bucket.getValue()))
                .map(bucket -> new LiveBucket(
                        bucket.getKey(),
                        bucket.getValue().entries(bucket.getKey()).stream()
                                .filter(entry -> !bucket.getValue().totals().hasMixedBucketCounts() || bucketFilter.test(entry.partition(), entry.bucket(), entry.totalBuckets()))
                                .filter(entryFilter)
                                .toList()))
                .filter(bucket -> !bucket.entries().isEmpty())
                .iterator();
    }

    /**
     * What the live files of the buckets come to.
     *
     * @param bucketFilter must be thread-safe
     * @param entryFilter is not asked where it would take long: then the totals are those of all files of a bucket
     */
    public Iterator<BucketTotals> totals(Snapshot snapshot, Predicate<ManifestFileMeta> manifestFilter, BucketFilter bucketFilter, Predicate<ManifestEntry> entryFilter)
    {
        Optional<PackedFiles> packed = packed(snapshot, manifestFilter, bucketFilter);
        if (packed.isEmpty()) {
            return Iterators.transform(liveBuckets(snapshot, manifestFilter, bucketFilter, entryFilter), bucket -> {
                FileTotals totals = FileTotals.NONE;
                for (ManifestEntry entry : bucket.entries()) {
                    totals = totals.with(entry);
                }
                return totals(bucket.id(), totals);
            });
        }
        return packed.get().buckets().entrySet().stream()
                .filter(bucket -> mayContain(bucketFilter, bucket.getKey(), bucket.getValue()))
                .map(bucket -> totals(bucket.getKey(), bucket.getValue().totals()))
                .iterator();
    }

    private static BucketTotals totals(BucketId id, FileTotals totals)
    {
        return new BucketTotals(id, totals.fileCount(), totals.rowCount(), totals.deleteRowCount(), totals.sizeInBytes(), totals.totalBuckets());
    }

    private static boolean mayContain(BucketFilter filter, BucketId id, PackedBucket bucket)
    {
        return bucket.totals().hasMixedBucketCounts() || filter.test(id.partition(), id.bucket(), bucket.totals().totalBuckets());
    }

    /**
     * @return empty where there are so few that a list of all does
     */
    private Optional<PackedFiles> packed(Snapshot snapshot, Predicate<ManifestFileMeta> manifestFilter, BucketFilter bucketFilter)
    {
        List<ManifestFileMeta> all = manifests(snapshot);
        if (entryCount(all) <= maxListedFiles) {
            return Optional.empty();
        }
        List<ManifestFileMeta> selected = all.stream().filter(manifestFilter).toList();
        long selectedFiles = entryCount(selected);
        // what reads a good part of the manifests pays for the next one
        Optional<PackedFiles> kept = largeSnapshots.find(snapshot, all, selectedFiles > maxListedFiles && 2 * selectedFiles > entryCount(all));
        if (kept.isPresent() || selectedFiles <= maxListedFiles) {
            return kept;
        }
        return Optional.of(largeSnapshots.pack(selected, bucketFilter));
    }

    private static long entryCount(List<ManifestFileMeta> manifests)
    {
        return manifests.stream().mapToLong(manifest -> manifest.addedFiles() + manifest.deletedFiles()).sum();
    }

    /**
     * The live files, in the order in which the manifests have them.
     */
    public List<ManifestEntry> liveFiles(Snapshot snapshot, Predicate<ManifestFileMeta> manifestFilter, Predicate<ManifestEntry> entryFilter)
    {
        List<ManifestFileMeta> selected = manifests(snapshot).stream().filter(manifestFilter).toList();

        Set<Identity> deleted = new HashSet<>();
        // kept from the first pass to the second, since a cache may have no room
        Map<String, List<ManifestEntry>> addedBesideDeleted = new HashMap<>();
        for (ManifestFileMeta manifest : selected) {
            if (manifest.deletedFiles() == 0) {
                continue;
            }
            ImmutableList.Builder<ManifestEntry> added = ImmutableList.builder();
            manifests.readManifest(manifest.fileName(), manifest.fileSize(), entry -> {
                if (entry.kind() == FileKind.DELETE) {
                    deleted.add(entry.identity());
                }
                else if (entryFilter.test(entry)) {
                    added.add(entry);
                }
            });
            addedBesideDeleted.put(manifest.fileName(), added.build());
        }

        ImmutableList.Builder<ManifestEntry> live = ImmutableList.builder();
        for (ManifestFileMeta manifest : selected) {
            if (manifest.addedFiles() == 0) {
                continue;
            }
            List<ManifestEntry> candidates = addedBesideDeleted.get(manifest.fileName());
            if (candidates == null) {
                candidates = manifests.readManifest(manifest.fileName(), manifest.fileSize());
            }
            for (ManifestEntry entry : candidates) {
                if (entry.kind() == FileKind.ADD && entryFilter.test(entry) && (deleted.isEmpty() || !deleted.contains(entry.identity()))) {
                    live.add(entry);
                }
            }
        }
        return live.build();
    }

    /**
     * What the snapshot's commit added and deleted, as it was written.
     */
    public List<ManifestEntry> deltaEntries(Snapshot snapshot, Predicate<ManifestFileMeta> manifestFilter, Predicate<ManifestEntry> entryFilter)
    {
        return entries(manifests.readList(snapshot.deltaManifestList(), snapshot.deltaManifestListSize()), manifestFilter, entryFilter);
    }

    /**
     * The changelog files of the snapshot's commit; none if it has no changelog.
     */
    public List<ManifestEntry> changelogEntries(Snapshot snapshot, Predicate<ManifestFileMeta> manifestFilter, Predicate<ManifestEntry> entryFilter)
    {
        if (snapshot.changelogManifestList().isEmpty()) {
            return ImmutableList.of();
        }
        return entries(manifests.readList(snapshot.changelogManifestList().get(), snapshot.changelogManifestListSize()), manifestFilter, entryFilter);
    }

    /**
     * The rows of the snapshot's files that do not count.
     */
    public DeletionVectorIndex deletionVectors(Snapshot snapshot)
    {
        return snapshot.indexManifest()
                .map(fileName -> DeletionVectorIndex.of(manifests.readIndexManifest(fileName)))
                .orElse(DeletionVectorIndex.EMPTY);
    }

    /**
     * The manifests of all data files, base before delta.
     */
    public List<ManifestFileMeta> manifests(Snapshot snapshot)
    {
        return ImmutableList.<ManifestFileMeta>builder()
                .addAll(manifests.readList(snapshot.baseManifestList(), snapshot.baseManifestListSize()))
                .addAll(manifests.readList(snapshot.deltaManifestList(), snapshot.deltaManifestListSize()))
                .build();
    }

    private List<ManifestEntry> entries(List<ManifestFileMeta> selected, Predicate<ManifestFileMeta> manifestFilter, Predicate<ManifestEntry> entryFilter)
    {
        ImmutableList.Builder<ManifestEntry> entries = ImmutableList.builder();
        for (ManifestFileMeta manifest : selected) {
            if (manifestFilter.test(manifest)) {
                manifests.readManifest(manifest.fileName(), manifest.fileSize(), entry -> {
                    if (entryFilter.test(entry)) {
                        entries.add(entry);
                    }
                });
            }
        }
        return entries.build();
    }
}
