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
import com.google.common.collect.ImmutableSet;
import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import io.lookup.storage.filesystem.FileNumber;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.schema.TableFilling;
import io.lookup.storage.snapshot.BranchManager;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Deletes files that no snapshot, tag or changelog of the table or of a branch refers to. Only folders that the format knows are looked into,
 * and only files of a certain age are touched: what a running statement has written, and not committed yet, looks the same.
 */
final class OrphanFiles
{
    private static final Logger log = Logger.get(OrphanFiles.class);
    private static final Set<String> HINTS = ImmutableSet.of("LATEST", "EARLIEST");

    private final FileIo fileIo;
    private final TablePaths paths;
    private final int partitionKeys;
    private final BranchManager branches;
    private final FileReferences references;
    private final FileRemoval removal;

    OrphanFiles(FileIo fileIo, TablePaths paths, int partitionKeys, BranchManager branches, FileReferences references, FileRemoval removal)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.partitionKeys = partitionKeys;
        this.branches = requireNonNull(branches, "branches is null");
        this.references = requireNonNull(references, "references is null");
        this.removal = requireNonNull(removal, "removal is null");
    }

    /**
     * @param olderThanMillis files that were changed at this time or later stay
     * @return how many files are gone
     * @throws StorageException if what the newest snapshot or a tag needs cannot be known: nothing was deleted
     */
    int remove(long olderThanMillis)
    {
        // what is referred to is read after the files were found, so that a commit in between counts
        List<Path> strayed = new ArrayList<>();
        Map<String, List<Path>> candidates = new HashMap<>();
        Predicate<FileEntry> old = entry -> !entry.directory() && entry.modificationTimeMillis() < olderThanMillis;
        List<Path> histories = branches.historyRoots();
        for (Path history : histories) {
            list(new Path(history, "snapshot")).stream().filter(old).filter(entry -> !isNamed(entry, "snapshot-")).map(FileEntry::path).forEach(strayed::add);
            list(new Path(history, "changelog")).stream().filter(old).filter(entry -> !isNamed(entry, "changelog-")).map(FileEntry::path).forEach(strayed::add);
        }
        TableFilling.marks(list(new Path(paths.root(), "schema"))).stream().filter(old).map(FileEntry::path).forEach(strayed::add);
        for (Path directory : fileDirectories()) {
            list(directory).stream()
                    .filter(old)
                    .forEach(entry -> candidates.computeIfAbsent(entry.path().getName(), _ -> new ArrayList<>()).add(entry.path()));
        }
        if (!candidates.isEmpty()) {
            Set<String> used = new HashSet<>();
            // those that came while files were looked for, too
            branches.historyRoots().forEach(history -> addUsed(new SnapshotManager(fileIo, history), used));
            candidates.keySet().removeAll(used);
        }
        List<Path> unused = ImmutableList.<Path>builder()
                .addAll(strayed)
                .addAll(candidates.values().stream().flatMap(List::stream).iterator())
                .build();
        removal.delete(unused);
        // last, since by them an expiry knows what is left to do
        List<Path> expired = new ArrayList<>();
        for (Path history : histories) {
            long earliest = new SnapshotManager(fileIo, history).earliestId().orElse(Snapshot.FIRST_ID);
            list(new Path(history, "snapshot")).stream()
                    .filter(old)
                    .filter(entry -> FileNumber.parse(entry.path().getName(), "snapshot-").orElse(earliest) < earliest)
                    .map(FileEntry::path)
                    .forEach(expired::add);
        }
        removal.delete(expired);
        return unused.size() + expired.size();
    }

    private static boolean isNamed(FileEntry entry, String prefix)
    {
        String name = entry.path().getName();
        return name.startsWith(prefix) || HINTS.contains(name);
    }

    private List<Path> fileDirectories()
    {
        List<Path> directories = new ArrayList<>(List.of(paths.manifestDirectory(), paths.indexDirectory(), paths.statisticsDirectory()));
        addBucketDirectories(paths.dataRoot(), partitionKeys, directories);
        return directories;
    }

    private void addBucketDirectories(Path directory, int depth, List<Path> directories)
    {
        for (FileEntry entry : list(directory)) {
            String name = entry.path().getName();
            if (!entry.directory()) {
                continue;
            }
            if (depth == 0) {
                if (name.startsWith("bucket-")) {
                    directories.add(entry.path());
                }
            }
            else if (name.contains("=")) {
                addBucketDirectories(entry.path(), depth - 1, directories);
            }
        }
    }

    private List<FileEntry> list(Path directory)
    {
        try {
            return fileIo.list(directory);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Directory %s could not be listed: %s", directory, e.getMessage()), e);
        }
    }

    private void addUsed(SnapshotManager manager, Set<String> used)
    {
        Set<String> readManifests = new HashSet<>();
        // the newest one first: whatever expires meanwhile, its files are known
        Optional<Snapshot> latest = manager.latest();
        latest.ifPresent(snapshot -> addComplete(snapshot, readManifests, used));
        FileReferences.taggedSnapshots(manager).forEach(snapshot -> addComplete(snapshot, readManifests, used));
        // what an expiry left of older ones is in nobody's use
        long earliest = manager.earliestId().orElse(Snapshot.FIRST_ID);
        for (long id : manager.ids()) {
            if (id < earliest) {
                continue;
            }
            manager.find(id).ifPresent(snapshot -> add(snapshot, readManifests, used));
        }
        for (long id : manager.longLivedChangelog().ids()) {
            manager.longLivedChangelog().find(id).ifPresent(snapshot -> add(snapshot, readManifests, used));
        }
    }

    /**
     * Of a state that is to be read: everything has to be there.
     */
    private void addComplete(Snapshot snapshot, Set<String> readManifests, Set<String> used)
    {
        references.addStateMetadata(snapshot, used);
        references.liveDataFiles(snapshot);
        add(snapshot, readManifests, used);
    }

    /**
     * What is gone was taken away by an expiry that is under way, or that broke off.
     */
    private void add(Snapshot snapshot, Set<String> readManifests, Set<String> used)
    {
        references.addRemainingMetadata(snapshot, used);
        ImmutableList.Builder<FileReferences.ManifestListName> lists = ImmutableList.builder();
        lists.addAll(FileReferences.stateLists(snapshot));
        lists.addAll(FileReferences.changelogLists(snapshot));
        for (FileReferences.ManifestListName list : lists.build()) {
            used.add(list.name());
            references.readListIfPresent(list.name(), list.size()).forEach(manifest -> {
                used.add(manifest.fileName());
                if (readManifests.add(manifest.fileName())) {
                    references.readManifestIfPresent(manifest).forEach(entry -> FileReferences.addNames(entry.file(), used));
                }
            });
        }
        log.debug("Snapshot %s: %s files in use so far", snapshot.id(), used.size());
    }
}
