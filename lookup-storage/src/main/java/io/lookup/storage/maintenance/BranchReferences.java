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

import com.google.common.collect.ImmutableSet;
import io.lookup.storage.snapshot.BranchManager;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the branches of a table need of the files that they share with it.
 *
 * @param dataFiles names of data and changelog files
 * @param metadata names of manifests, their lists, index files and statistics
 */
record BranchReferences(Set<String> dataFiles, Set<String> metadata)
{
    BranchReferences
    {
        dataFiles = ImmutableSet.copyOf(dataFiles);
        metadata = ImmutableSet.copyOf(metadata);
    }

    /**
     * The format's own expiry leaves branches to the tags that they were made from; but such a tag can be deleted.
     */
    static BranchReferences read(BranchManager branches, FileReferences references)
    {
        Set<String> dataFiles = new HashSet<>();
        Set<String> metadata = new HashSet<>();
        for (SnapshotManager branch : branches.snapshots()) {
            List<Snapshot> snapshots = new ArrayList<>(FileReferences.taggedSnapshots(branch));
            branch.ids().forEach(id -> branch.find(id).ifPresent(snapshots::add));
            for (Snapshot snapshot : snapshots) {
                references.addLiveDataFiles(snapshot, dataFiles);
                references.addStateMetadata(snapshot, metadata);
                for (FileReferences.ManifestListName list : FileReferences.changelogLists(snapshot)) {
                    metadata.add(list.name());
                    references.readListIfPresent(list.name(), list.size()).forEach(manifest -> {
                        metadata.add(manifest.fileName());
                        references.readManifestIfPresent(manifest).forEach(entry -> FileReferences.addNames(entry.file(), dataFiles));
                    });
                }
            }
        }
        return new BranchReferences(dataFiles, metadata);
    }
}
