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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.Tag;
import org.apache.hadoop.fs.Path;

import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Which files snapshots refer to. File names are unique in a table, so that a name stands for its file.
 */
final class FileReferences
{
    private static final Logger log = Logger.get(FileReferences.class);

    private final TablePaths paths;
    private final ManifestStore manifests;
    private final LiveFiles liveFiles;

    FileReferences(TablePaths paths, ManifestStore manifests)
    {
        this.paths = requireNonNull(paths, "paths is null");
        this.manifests = requireNonNull(manifests, "manifests is null");
        this.liveFiles = new LiveFiles(manifests);
    }

    /**
     * The snapshots that tags keep, each once, by ascending id.
     */
    static List<Snapshot> taggedSnapshots(SnapshotManager snapshots)
    {
        Map<Long, Snapshot> tagged = new TreeMap<>();
        snapshots.tags().stream()
                .sorted(Comparator.comparing(Tag::name))
                .forEach(tag -> tagged.putIfAbsent(tag.snapshot().id(), tag.snapshot()));
        return ImmutableList.copyOf(tagged.values());
    }

    Set<String> liveDataFiles(Snapshot snapshot)
    {
        Set<String> names = new HashSet<>();
        addLiveDataFiles(snapshot, names);
        return names;
    }

    void addLiveDataFiles(Snapshot snapshot, Set<String> names)
    {
        liveFiles.liveFiles(snapshot, _ -> true, _ -> true).forEach(entry -> addNames(entry.file(), names));
    }

    /**
     * Every live data file with all that belongs to it.
     */
    List<Path> liveDataPaths(Snapshot snapshot, Predicate<DataFileMeta> kept)
    {
        return liveFiles.liveFiles(snapshot, _ -> true, _ -> true).stream()
                .filter(entry -> !kept.test(entry.file()))
                .flatMap(entry -> pathsOf(entry).stream())
                .collect(toImmutableList());
    }

    /**
     * Data files that a commit took out of the table. Nothing if its manifests are gone: somebody has been here before.
     *
     * @param kept says of a file that something else refers to it
     */
    List<Path> deletedBy(String deltaManifestList, OptionalLong size, Predicate<DataFileMeta> kept)
    {
        Map<String, ManifestEntry> deleted = new LinkedHashMap<>();
        for (ManifestFileMeta manifest : readListIfPresent(deltaManifestList, size)) {
            for (ManifestEntry entry : readManifestIfPresent(manifest)) {
                if (entry.kind() == FileKind.DELETE) {
                    deleted.put(entry.file().fileName(), entry);
                }
                else {
                    // an upgraded file is deleted at one level and added at another
                    deleted.remove(entry.file().fileName());
                }
            }
        }
        return deleted.values().stream()
                .filter(entry -> !kept.test(entry.file()))
                .flatMap(entry -> pathsOf(entry).stream())
                .collect(toImmutableList());
    }

    /**
     * Changelog files of one snapshot.
     */
    List<Path> addedBy(String changelogManifestList, OptionalLong size, Predicate<DataFileMeta> kept)
    {
        return readListIfPresent(changelogManifestList, size).stream()
                .flatMap(manifest -> readManifestIfPresent(manifest).stream())
                .filter(entry -> entry.kind() == FileKind.ADD && !kept.test(entry.file()))
                .flatMap(entry -> pathsOf(entry).stream())
                .collect(toImmutableList());
    }

    /**
     * Everything but data files that a snapshot's state needs: manifests, their lists, index files, statistics.
     *
     * @throws StorageException MISSING_FILE, CORRUPT_FILE if that cannot be known
     */
    void addStateMetadata(Snapshot snapshot, Set<String> names)
    {
        names.add(snapshot.baseManifestList());
        names.add(snapshot.deltaManifestList());
        liveFiles.manifests(snapshot).forEach(manifest -> names.add(manifest.fileName()));
        snapshot.indexManifest().ifPresent(indexManifest -> {
            names.add(indexManifest);
            manifests.readIndexManifest(indexManifest).forEach(entry -> names.add(entry.fileName()));
        });
        snapshot.statistics().ifPresent(names::add);
    }

    /**
     * As {@link #addStateMetadata}, as far as it is still there.
     */
    void addRemainingMetadata(Snapshot snapshot, Set<String> names)
    {
        for (ManifestListName list : stateLists(snapshot)) {
            names.add(list.name());
            readListIfPresent(list.name(), list.size()).forEach(manifest -> names.add(manifest.fileName()));
        }
        snapshot.indexManifest().ifPresent(indexManifest -> {
            names.add(indexManifest);
            readIndexManifestIfPresent(indexManifest).forEach(entry -> names.add(entry.fileName()));
        });
        snapshot.statistics().ifPresent(names::add);
    }

    static List<ManifestListName> stateLists(Snapshot snapshot)
    {
        return ImmutableList.of(
                new ManifestListName(snapshot.baseManifestList(), snapshot.baseManifestListSize()),
                new ManifestListName(snapshot.deltaManifestList(), snapshot.deltaManifestListSize()));
    }

    static List<ManifestListName> changelogLists(Snapshot snapshot)
    {
        return snapshot.changelogManifestList()
                .map(name -> ImmutableList.of(new ManifestListName(name, snapshot.changelogManifestListSize())))
                .orElse(ImmutableList.of());
    }

    /**
     * Collects what of a snapshot's metadata nothing else needs.
     *
     * @param kept names of what is needed; what is collected is added, so that it is not found again
     */
    Unused unusedMetadata(Snapshot snapshot, List<ManifestListName> lists, boolean withIndex, Set<String> kept)
    {
        Set<Path> leaves = new LinkedHashSet<>();
        Set<Path> roots = new LinkedHashSet<>();
        for (ManifestListName list : lists) {
            for (ManifestFileMeta manifest : readListIfPresent(list.name(), list.size())) {
                if (kept.add(manifest.fileName())) {
                    leaves.add(paths.manifest(manifest.fileName()));
                }
            }
            if (kept.add(list.name())) {
                roots.add(paths.manifest(list.name()));
            }
        }
        if (withIndex) {
            snapshot.indexManifest().ifPresent(indexManifest -> {
                for (IndexManifestEntry entry : readIndexManifestIfPresent(indexManifest)) {
                    if (kept.add(entry.fileName())) {
                        leaves.add(paths.indexFile(entry.partition(), entry.bucket(), entry.fileName(), entry.externalPath()));
                    }
                }
                if (kept.add(indexManifest)) {
                    roots.add(paths.manifest(indexManifest));
                }
            });
            snapshot.statistics().filter(kept::add).ifPresent(statistics -> leaves.add(new Path(paths.statisticsDirectory(), statistics)));
        }
        return new Unused(leaves, roots);
    }

    List<ManifestFileMeta> readListIfPresent(String name, OptionalLong size)
    {
        try {
            return manifests.readList(name, size);
        }
        catch (StorageException e) {
            if (e.errorCode() == StorageErrorCode.MISSING_FILE) {
                return ImmutableList.of();
            }
            throw e;
        }
    }

    List<ManifestEntry> readManifestIfPresent(ManifestFileMeta manifest)
    {
        try {
            return manifests.readManifest(manifest.fileName(), manifest.fileSize());
        }
        catch (StorageException e) {
            if (e.errorCode() == StorageErrorCode.MISSING_FILE) {
                log.debug("Manifest %s is gone already", manifest.fileName());
                return ImmutableList.of();
            }
            throw e;
        }
    }

    List<IndexManifestEntry> readIndexManifestIfPresent(String name)
    {
        try {
            return manifests.readIndexManifest(name);
        }
        catch (StorageException e) {
            if (e.errorCode() == StorageErrorCode.MISSING_FILE) {
                return ImmutableList.of();
            }
            throw e;
        }
    }

    static void addNames(DataFileMeta file, Set<String> names)
    {
        names.add(file.fileName());
        names.addAll(file.extraFiles());
    }

    private List<Path> pathsOf(ManifestEntry entry)
    {
        Path path = paths.dataFile(entry.partition(), entry.bucket(), entry.file());
        ImmutableList.Builder<Path> files = ImmutableList.builder();
        files.add(path);
        entry.file().extraFiles().forEach(extra -> files.add(new Path(path.getParent(), extra)));
        return files.build();
    }

    /**
     * @param size in bytes, if known
     */
    record ManifestListName(String name, OptionalLong size)
    {
        ManifestListName
        {
            requireNonNull(name, "name is null");
            requireNonNull(size, "size is null");
        }
    }

    /**
     * @param leaves what is named by the roots, and is deleted before them: an interrupted deletion can then go on where it ended
     */
    record Unused(Set<Path> leaves, Set<Path> roots)
    {
        Unused
        {
            requireNonNull(leaves, "leaves is null");
            requireNonNull(roots, "roots is null");
        }
    }
}
