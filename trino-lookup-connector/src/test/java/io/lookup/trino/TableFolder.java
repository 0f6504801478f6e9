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
package io.lookup.trino;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.Tag;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The files in a table's folder, and which of them its snapshots and tags name.
 */
final class TableFolder
{
    private static final FileIo FILES = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()));

    private final Path folder;

    TableFolder(Path folder)
    {
        this.folder = folder;
    }

    void copyTo(Path target)
            throws IOException
    {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(folder.relativize(file).toString()));
            }
        }
    }

    void delete()
            throws IOException
    {
        FILES.deleteRecursively(new org.apache.hadoop.fs.Path(folder.toUri()));
    }

    /**
     * Files that nothing names, relative to the folder, sorted.
     */
    Set<String> unreferenced()
    {
        Set<String> named = named();
        return files(file -> !named.contains(file.getFileName().toString()) &&
                !file.getFileName().toString().matches("LATEST|EARLIEST|schema-[0-9]+|tag-.*"));
    }

    /**
     * All files, relative to the folder, sorted.
     */
    Set<String> files()
    {
        return files(_ -> true);
    }

    private Set<String> files(Predicate<Path> filter)
    {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(folder)) {
            files.filter(Files::isRegularFile)
                    .filter(filter)
                    .forEach(file -> names.add(folder.relativize(file).toString()));
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }

    private Set<String> named()
    {
        org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path(folder.toUri());
        TableSchema schema = new SchemaManager(FILES, root).latest().orElseThrow();
        TablePaths paths = new TablePaths(root, schema);
        SnapshotManager snapshots = new SnapshotManager(FILES, paths);
        ManifestStore manifests = new ManifestStore(FILES, paths, schema);
        Set<String> named = new HashSet<>();
        long earliest = snapshots.earliestId().orElse(Snapshot.FIRST_ID);
        snapshots.ids().stream().filter(id -> id >= earliest).forEach(id -> {
            named.add("snapshot-" + id);
            add(snapshots.snapshot(id), manifests, named);
        });
        snapshots.tags().stream().map(Tag::snapshot).forEach(snapshot -> add(snapshot, manifests, named));
        return named;
    }

    private static void add(Snapshot snapshot, ManifestStore manifests, Set<String> named)
    {
        addList(snapshot.baseManifestList(), manifests, named);
        addList(snapshot.deltaManifestList(), manifests, named);
        snapshot.changelogManifestList().ifPresent(list -> addList(list, manifests, named));
        snapshot.indexManifest().ifPresent(index -> {
            named.add(index);
            manifests.readIndexManifest(index).forEach(entry -> named.add(entry.fileName()));
        });
    }

    private static void addList(String list, ManifestStore manifests, Set<String> named)
    {
        named.add(list);
        for (ManifestFileMeta manifest : manifests.readList(list, OptionalLong.empty())) {
            if (named.add(manifest.fileName())) {
                for (ManifestEntry entry : manifests.readManifest(manifest.fileName(), manifest.fileSize())) {
                    DataFileMeta file = entry.file();
                    named.add(file.fileName());
                    named.addAll(file.extraFiles());
                }
            }
        }
    }
}
