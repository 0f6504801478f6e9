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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.lookup.storage.StorageException;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.Tag;
import io.lookup.storage.snapshot.TagManager;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Takes a tag away, and, if it was the last that kept a snapshot, the files that only it needs.
 */
final class TagRemoval
{
    private static final Logger log = Logger.get(TagRemoval.class);

    private final SnapshotManager snapshots;
    private final TagManager tags;
    private final FileReferences references;
    private final FileRemoval removal;

    TagRemoval(SnapshotManager snapshots, TagManager tags, FileReferences references, FileRemoval removal)
    {
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.tags = requireNonNull(tags, "tags is null");
        this.references = requireNonNull(references, "references is null");
        this.removal = requireNonNull(removal, "removal is null");
    }

    void remove(Tag tag, SharedFiles shared)
    {
        Snapshot snapshot = tag.snapshot();
        boolean alone = snapshots.tags().stream().filter(other -> other.snapshot().id() == snapshot.id()).allMatch(other -> other.name().equals(tag.name()));
        List<Snapshot> tagged = FileReferences.taggedSnapshots(snapshots);
        tags.delete(tag.name());
        // whether the snapshot itself is there is asked of its file, which others may have deleted
        if (!alone || snapshots.ids().contains(snapshot.id())) {
            return;
        }
        try {
            deleteFiles(snapshot, neighbours(snapshot, tagged), shared);
        }
        catch (StorageException e) {
            log.warn(e, "Files of tag %s are left where they are, since what others need of them cannot be known", tag.name());
        }
    }

    /**
     * Files live through consecutive snapshots: what neither neighbour has, no other has.
     */
    private List<Snapshot> neighbours(Snapshot snapshot, List<Snapshot> tagged)
    {
        ImmutableList.Builder<Snapshot> neighbours = ImmutableList.builder();
        tagged.stream().filter(other -> other.id() < snapshot.id()).reduce((_, later) -> later).ifPresent(neighbours::add);
        tagged.stream().filter(other -> other.id() > snapshot.id()).findFirst().ifPresent(neighbours::add);
        // also where a tag comes between: manifests and index files need not be shared in a row
        snapshots.earliestId().stream().boxed().flatMap(id -> snapshots.find(id).stream()).forEach(neighbours::add);
        return neighbours.build();
    }

    private void deleteFiles(Snapshot snapshot, List<Snapshot> neighbours, SharedFiles shared)
    {
        Set<String> keptData = new HashSet<>(shared.dataFiles());
        neighbours.forEach(neighbour -> references.addLiveDataFiles(neighbour, keptData));
        Set<String> keptMetadata = new HashSet<>(shared.metadata());
        neighbours.forEach(neighbour -> references.addStateMetadata(neighbour, keptMetadata));
        // the level-0 files and manifests that a long-lived changelog is made of
        for (long id : snapshots.longLivedChangelog().ids()) {
            snapshots.longLivedChangelog().find(id).filter(changelog -> changelog.changelogManifestList().isEmpty()).ifPresent(changelog -> {
                references.addRemainingMetadata(changelog, keptMetadata);
                references.readListIfPresent(changelog.deltaManifestList(), changelog.deltaManifestListSize()).forEach(manifest ->
                        references.readManifestIfPresent(manifest).forEach(entry -> FileReferences.addNames(entry.file(), keptData)));
            });
        }
        removal.delete(references.liveDataPaths(snapshot, file -> keptData.contains(file.fileName())));
        FileReferences.Unused unused = references.unusedMetadata(snapshot, FileReferences.stateLists(snapshot), true, keptMetadata);
        removal.delete(unused.leaves());
        removal.delete(unused.roots());
    }
}
