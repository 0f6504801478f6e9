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
import com.google.common.util.concurrent.Striped;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry.Identity;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.manifest.ManifestStore.BucketFilter;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.LongFunction;

import static java.util.Objects.requireNonNull;

/**
 * The live files of snapshots whose entries are too many for a list. They are packed bucket by bucket while the manifests are read, several
 * at a time, and kept for the next reader of the snapshot; what a later snapshot has is made of them and of the deltas in between. Thread-safe.
 */
final class LargeSnapshots
{
    /**
     * What a file takes packed, more or less.
     */
    private static final long PACKED_FILE_BYTES = 150;
    private static final long MAX_PENDING_BYTES = 32L << 20;
    private static final int BATCH = 500;
    // a file of some megabytes, its unpacked blocks, and a batch of entries are held for each
    private static final int PARALLEL_MANIFESTS = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 16);
    private static final int MAX_STEPS = 100;
    // for all tables: a snapshot is packed once, whoever asks for it
    private static final Striped<Lock> LOCKS = Striped.lock(64);
    private static final BucketFilter ALL = (_, _, _) -> true;

    private final ManifestStore manifests;
    private final LongFunction<Optional<Snapshot>> snapshots;

    /**
     * @param snapshots finds a snapshot by its id, if it is still there
     */
    LargeSnapshots(ManifestStore manifests, LongFunction<Optional<Snapshot>> snapshots)
    {
        this.manifests = requireNonNull(manifests, "manifests is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
    }

    /**
     * All files of the snapshot, if they are kept or fit into what is kept.
     */
    Optional<PackedFiles> find(Snapshot snapshot, List<ManifestFileMeta> all, boolean mayBuild)
    {
        String key = key(snapshot);
        Optional<PackedFiles> kept = manifests.cache().index(key, PackedFiles.class);
        long entries = all.stream().mapToLong(ManifestFileMeta::addedFiles).sum();
        if (kept.isPresent() || entries * PACKED_FILE_BYTES > manifests.cache().maxIndexBytes()) {
            return kept;
        }
        Lock lock = LOCKS.get(key);
        lock.lock();
        try {
            kept = manifests.cache().index(key, PackedFiles.class)
                    .or(() -> advance(snapshot));
            if (kept.isEmpty() && mayBuild) {
                kept = Optional.of(pack(all, ALL));
            }
            kept.ifPresent(files -> manifests.cache().putIndex(key, files, files.sizeInBytes()));
            return kept;
        }
        finally {
            lock.unlock();
        }
    }

    /**
     * The files of some buckets.
     */
    PackedFiles pack(List<ManifestFileMeta> selected, BucketFilter filter)
    {
        Set<Identity> deleted = ConcurrentHashMap.newKeySet();
        scan(
                selected.stream().filter(manifest -> manifest.deletedFiles() > 0).toList(),
                filter,
                entries -> entries.stream().filter(entry -> entry.kind() == FileKind.DELETE).map(ManifestEntry::identity).forEach(deleted::add));
        PackedFiles.Builder builder = new PackedFiles.Builder(MAX_PENDING_BYTES);
        scan(
                selected.stream().filter(manifest -> manifest.addedFiles() > 0).toList(),
                filter,
                entries -> builder.add(entries.stream()
                        .filter(entry -> entry.kind() == FileKind.ADD && (deleted.isEmpty() || !deleted.contains(entry.identity())))
                        .toList()));
        return builder.build();
    }

    /**
     * From an older snapshot whose files are kept, by what each later one changed.
     */
    private Optional<PackedFiles> advance(Snapshot snapshot)
    {
        List<Snapshot> steps = new ArrayList<>();
        Snapshot step = snapshot;
        while (steps.size() < MAX_STEPS && step.id() > Snapshot.FIRST_ID) {
            steps.add(step);
            Optional<Snapshot> previous = snapshots.apply(step.id() - 1);
            if (previous.isEmpty()) {
                return Optional.empty();
            }
            step = previous.get();
            Optional<PackedFiles> kept = manifests.cache().index(key(step), PackedFiles.class);
            if (kept.isPresent()) {
                PackedFiles files = kept.get();
                for (Snapshot next : steps.reversed()) {
                    List<ManifestEntry> changes = new ArrayList<>();
                    manifests.readList(next.deltaManifestList(), next.deltaManifestListSize())
                            .forEach(manifest -> manifests.scanManifest(manifest.fileName(), manifest.fileSize(), ALL, changes::add));
                    files = files.with(changes);
                }
                if (files.rowCount() != snapshot.totalRecordCount()) {
                    // a history that was not written step by step
                    return Optional.empty();
                }
                manifests.cache().removeIndex(key(step));
                return Optional.of(files);
            }
        }
        return Optional.empty();
    }

    private String key(Snapshot snapshot)
    {
        return manifests.path(snapshot.deltaManifestList()).toString();
    }

    private void scan(List<ManifestFileMeta> selected, BucketFilter filter, Consumer<List<ManifestEntry>> consumer)
    {
        if (selected.size() <= 1) {
            selected.forEach(manifest -> scan(manifest, filter, consumer));
            return;
        }
        Semaphore permits = new Semaphore(PARALLEL_MANIFESTS);
        List<Future<?>> scans = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (ManifestFileMeta manifest : selected) {
                scans.add(executor.submit(() -> {
                    permits.acquire();
                    try {
                        scan(manifest, filter, consumer);
                    }
                    finally {
                        permits.release();
                    }
                    return null;
                }));
            }
            try {
                for (Future<?> scan : scans) {
                    scan.get();
                }
            }
            catch (ExecutionException | InterruptedException e) {
                executor.shutdownNow();
                throw failure(e);
            }
        }
    }

    private static RuntimeException failure(Exception e)
    {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "The reading of manifests was interrupted", e);
        }
        return switch (e.getCause()) {
            case StorageException cause -> new StorageException(cause.errorCode(), cause.getMessage(), cause);
            case RuntimeException cause -> cause;
            case Throwable cause -> new IllegalStateException(cause);
        };
    }

    private void scan(ManifestFileMeta manifest, BucketFilter filter, Consumer<List<ManifestEntry>> consumer)
    {
        List<ManifestEntry> batch = new ArrayList<>(BATCH);
        manifests.scanManifest(manifest.fileName(), manifest.fileSize(), filter, entry -> {
            batch.add(entry);
            if (batch.size() == BATCH) {
                consumer.accept(ImmutableList.copyOf(batch));
                batch.clear();
            }
        });
        consumer.accept(ImmutableList.copyOf(batch));
    }
}
