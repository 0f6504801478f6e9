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
package io.lookup.storage.format.manifest;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.ManifestEntry.Identity;
import io.lookup.storage.format.row.BinaryRow;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Keeps the manifests of a table few: at a commit, what the previous snapshot has is merged before it becomes
 * the base of the next. Nothing is lost by it: the live files are the same before and after.
 * <p>
 * Everything is merged once the manifests that would have to change are large enough together
 * ({@code manifest.full-compaction-threshold-size}); then no DELETE is left. Otherwise small neighbours are merged to the
 * target size, or at the end if there are many of them ({@code manifest.merge-min-count}). Thread-safe.
 */
public final class ManifestMerger
{
    private final ManifestStore store;
    private final long targetSize;
    private final long fullCompactionThreshold;
    private final int mergeMinCount;

    public ManifestMerger(ManifestStore store)
    {
        this.store = requireNonNull(store, "store is null");
        this.targetSize = store.settings().targetSizeBytes();
        this.fullCompactionThreshold = store.settings().fullCompactionThresholdBytes();
        this.mergeMinCount = store.settings().mergeMinCount();
    }

    /**
     * @param manifests of the previous snapshot, base before delta
     * @return the manifests for the next base list, and which of them are new
     */
    public MergedManifests merge(List<ManifestFileMeta> manifests)
    {
        List<ManifestFileMeta> written = new ArrayList<>();
        boolean finished = false;
        try {
            List<ManifestFileMeta> merged = mergeAll(manifests, written).orElseGet(() -> mergeSmall(manifests, written));
            finished = true;
            return new MergedManifests(merged, written);
        }
        finally {
            if (!finished) {
                written.forEach(manifest -> store.delete(manifest.fileName()));
            }
        }
    }

    /**
     * @return empty if it is too early or there is nothing to gain
     */
    private Optional<List<ManifestFileMeta>> mergeAll(List<ManifestFileMeta> manifests, List<ManifestFileMeta> written)
    {
        long changingSize = manifests.stream()
                .filter(this::mustChange)
                .mapToLong(ManifestFileMeta::fileSize)
                .sum();
        if (changingSize < fullCompactionThreshold) {
            return Optional.empty();
        }

        Set<Identity> deleted = new HashSet<>();
        for (ManifestFileMeta manifest : manifests) {
            if (manifest.deletedFiles() > 0) {
                store.readManifest(manifest.fileName(), manifest.fileSize(), entry -> {
                    if (entry.kind() == FileKind.DELETE) {
                        deleted.add(entry.identity());
                    }
                });
            }
        }
        Set<BinaryRow> deletedPartitions = deleted.stream().map(Identity::partition).collect(toImmutableSet());

        List<ManifestFileMeta> kept = new ArrayList<>();
        List<ManifestFileMeta> toMerge = new ArrayList<>();
        for (ManifestFileMeta manifest : manifests) {
            if (mustChange(manifest) || PartitionStatistics.mayContain(store.partitionTypes(), manifest.partitionStats(), deletedPartitions)) {
                toMerge.add(manifest);
            }
            else {
                kept.add(manifest);
            }
        }
        if (toMerge.size() <= 1) {
            return Optional.empty();
        }

        List<ManifestFileMeta> merged = store.writeManifests(writer -> {
            for (ManifestFileMeta manifest : toMerge) {
                List<ManifestEntry> entries = store.readManifest(manifest.fileName(), manifest.fileSize());
                List<ManifestEntry> live = entries.stream()
                        .filter(entry -> entry.kind() == FileKind.ADD && !deleted.contains(entry.identity()))
                        .toList();
                if (!mustChange(manifest) && live.size() == entries.size()) {
                    kept.add(manifest);
                    continue;
                }
                for (ManifestEntry entry : live) {
                    writer.add(entry);
                }
            }
        });
        written.addAll(merged);
        return Optional.of(ImmutableList.<ManifestFileMeta>builder().addAll(kept).addAll(merged).build());
    }

    private boolean mustChange(ManifestFileMeta manifest)
    {
        return manifest.deletedFiles() > 0 || manifest.fileSize() < targetSize;
    }

    private List<ManifestFileMeta> mergeSmall(List<ManifestFileMeta> manifests, List<ManifestFileMeta> written)
    {
        List<ManifestFileMeta> result = new ArrayList<>();
        List<ManifestFileMeta> candidates = new ArrayList<>();
        long size = 0;
        for (ManifestFileMeta manifest : manifests) {
            candidates.add(manifest);
            size += manifest.fileSize();
            if (size >= targetSize) {
                result.addAll(mergeGroup(candidates, written));
                candidates.clear();
                size = 0;
            }
        }
        result.addAll(candidates.size() >= mergeMinCount ? mergeGroup(candidates, written) : candidates);
        return ImmutableList.copyOf(result);
    }

    private List<ManifestFileMeta> mergeGroup(List<ManifestFileMeta> group, List<ManifestFileMeta> written)
    {
        if (group.size() <= 1) {
            return ImmutableList.copyOf(group);
        }
        List<ManifestEntry> entries = new ArrayList<>();
        for (ManifestFileMeta manifest : group) {
            store.readManifest(manifest.fileName(), manifest.fileSize(), entries::add);
        }
        List<ManifestFileMeta> merged = store.writeManifests(ImmutableList.copyOf(mergeEntries(entries)));
        written.addAll(merged);
        return merged;
    }

    /**
     * Cancels each ADD that is followed by its DELETE. A DELETE without an ADD stays, since the ADD is in an earlier
     * manifest that is not among these.
     *
     * @param entries in the order in which they were committed
     * @throws StorageException CORRUPT_FILE if a file is added that is there already
     */
    public static Collection<ManifestEntry> mergeEntries(Iterable<ManifestEntry> entries)
    {
        Map<Identity, ManifestEntry> merged = new LinkedHashMap<>();
        for (ManifestEntry entry : entries) {
            Identity identity = entry.identity();
            switch (entry.kind()) {
                case ADD -> {
                    if (merged.putIfAbsent(identity, entry) != null) {
                        throw new StorageException(StorageErrorCode.CORRUPT_FILE, format(
                                "Manifests add file %s of bucket %s at level %s twice, or again after its deletion; the table was damaged by a writer",
                                entry.file().fileName(),
                                entry.bucket(),
                                entry.file().level()));
                    }
                }
                case DELETE -> {
                    if (merged.remove(identity) == null) {
                        merged.put(identity, entry);
                    }
                }
            }
        }
        return merged.values();
    }

    /**
     * @param manifests all that the next base list should have, in order
     * @param written those of them that were written by the merge; to be deleted should the commit fail
     */
    public record MergedManifests(List<ManifestFileMeta> manifests, List<ManifestFileMeta> written)
    {
        public MergedManifests
        {
            manifests = ImmutableList.copyOf(manifests);
            written = ImmutableList.copyOf(written);
        }
    }
}
