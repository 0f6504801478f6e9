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
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry.Identity;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestStore;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private final ManifestStore manifests;

    public LiveFiles(ManifestStore manifests)
    {
        this.manifests = requireNonNull(manifests, "manifests is null");
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
