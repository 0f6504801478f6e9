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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.snapshot.LongLivedChangelog;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static io.lookup.storage.maintenance.FileReferences.changelogLists;
import static io.lookup.storage.maintenance.FileReferences.taggedSnapshots;

/**
 * What other histories of a table, which are the table's own and its branches', need of the files that all of them share.
 *
 * @param dataFiles names of data and changelog files
 * @param metadata names of manifests, their lists, index files and statistics
 */
record SharedFiles(Set<String> dataFiles, Set<String> metadata)
{
    private static final int MAX_ATTEMPTS = 10;

    SharedFiles
    {
        dataFiles = ImmutableSet.copyOf(dataFiles);
        metadata = ImmutableSet.copyOf(metadata);
    }

    /**
     * The format's own expiry leaves branches to the tags that they were made from; but such a tag can be deleted, and a branch can be written to.
     *
     * @throws StorageException MISSING_FILE, CORRUPT_FILE if that cannot be known
     */
    static SharedFiles read(List<SnapshotManager> others, FileReferences references)
    {
        Set<String> dataFiles = new HashSet<>();
        Set<String> metadata = new HashSet<>();
        for (SnapshotManager other : others) {
            int attempt = 1;
            // what expires under our eyes may have been followed by snapshots that were not listed
            while (!add(other, references, dataFiles, metadata)) {
                attempt++;
                if (attempt > MAX_ATTEMPTS) {
                    throw new StorageException(StorageErrorCode.MISSING_FILE, "Snapshots of a branch, or of the table beside it, expire so fast that their files cannot be known");
                }
            }
        }
        return new SharedFiles(dataFiles, metadata);
    }

    /**
     * @return whether everything that is listed was there
     */
    private static boolean add(SnapshotManager history, FileReferences references, Set<String> dataFiles, Set<String> metadata)
    {
        boolean complete = true;
        long earliest = history.earliestId().orElse(Snapshot.FIRST_ID);
        for (long id : history.ids().reversed()) {
            // an expiry that broke off has left those before
            if (id >= earliest) {
                Optional<Snapshot> snapshot = history.find(id);
                complete &= snapshot.isPresent() && addListed(history, snapshot.get(), references, dataFiles, metadata);
            }
        }
        for (Snapshot snapshot : taggedSnapshots(history)) {
            addComplete(snapshot, references, dataFiles, metadata);
        }
        LongLivedChangelog changelogs = history.longLivedChangelog();
        for (long id : changelogs.ids()) {
            changelogs.find(id).ifPresent(changelog -> {
                addChangelog(changelog, references, dataFiles, metadata);
                if (changelog.changelogManifestList().isEmpty()) {
                    // the files that a commit added are its changelog
                    references.addRemainingMetadata(changelog, metadata);
                    addFiles(new FileReferences.ManifestListName(changelog.deltaManifestList(), changelog.deltaManifestListSize()), references, dataFiles, metadata);
                }
            });
        }
        return complete;
    }

    private static boolean addListed(SnapshotManager history, Snapshot snapshot, FileReferences references, Set<String> dataFiles, Set<String> metadata)
    {
        try {
            addComplete(snapshot, references, dataFiles, metadata);
            return true;
        }
        catch (StorageException e) {
            if (e.errorCode() == StorageErrorCode.MISSING_FILE && history.earliestId().orElse(Snapshot.FIRST_ID) > snapshot.id()) {
                return false;
            }
            throw e;
        }
    }

    private static void addComplete(Snapshot snapshot, FileReferences references, Set<String> dataFiles, Set<String> metadata)
    {
        references.addLiveDataFiles(snapshot, dataFiles);
        references.addStateMetadata(snapshot, metadata);
        addChangelog(snapshot, references, dataFiles, metadata);
    }

    private static void addChangelog(Snapshot snapshot, FileReferences references, Set<String> dataFiles, Set<String> metadata)
    {
        changelogLists(snapshot).forEach(list -> addFiles(list, references, dataFiles, metadata));
    }

    private static void addFiles(FileReferences.ManifestListName list, FileReferences references, Set<String> dataFiles, Set<String> metadata)
    {
        metadata.add(list.name());
        references.readListIfPresent(list.name(), list.size()).forEach(manifest -> {
            metadata.add(manifest.fileName());
            references.readManifestIfPresent(manifest).forEach(entry -> FileReferences.addNames(entry.file(), dataFiles));
        });
    }
}
