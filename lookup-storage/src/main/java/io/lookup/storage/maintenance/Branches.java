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

import com.google.common.collect.Lists;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import io.lookup.storage.filesystem.FileNumber;
import io.lookup.storage.format.StoredNames;
import io.lookup.storage.snapshot.BranchManager;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotJson;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.Tag;
import io.lookup.storage.snapshot.TagManager;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Makes, removes and takes over branches. A branch is a folder with snapshots, tags and schema versions of its own; manifests and data lie
 * with the table's. What happens to it between two files is what other engines leave there too, and doing the same again completes it.
 */
final class Branches
{
    private static final String MAIN = "main";
    private static final String SNAPSHOT_PREFIX = "snapshot-";
    private static final String SCHEMA_PREFIX = "schema-";
    private static final String TAG_PREFIX = "tag-";

    private final String tableName;
    private final FileIo fileIo;
    private final Path root;
    private final SnapshotManager snapshots;
    private final BranchManager branches;
    private final TagManager tags;

    Branches(String tableName, FileIo fileIo, Path root, SnapshotManager snapshots, BranchManager branches, TagManager tags)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.root = requireNonNull(root, "root is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.branches = requireNonNull(branches, "branches is null");
        this.tags = requireNonNull(tags, "tags is null");
    }

    /**
     * @param tagName where the branch begins; empty for a branch without rows
     */
    void create(String name, Optional<String> tagName)
    {
        checkName(name);
        if (branches.branches().containsKey(name)) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, format("Table %s has a branch '%s' already", tableName, name));
        }
        Path branch = BranchManager.directory(root, name);
        Optional<Snapshot> snapshot = tagName.map(tag -> findTag(tag).snapshot());
        // snapshots before schemas: from then on an expiry knows of the branch
        if (snapshot.isPresent()) {
            byte[] content = SnapshotJson.write(snapshot.get());
            write(new Path(branch, "snapshot/" + SNAPSHOT_PREFIX + snapshot.get().id()), content);
            copy(new Path(root, "tag"), new Path(branch, "tag"), file -> file.equals(TAG_PREFIX + tagName.get()));
        }
        long lastSchema = snapshot.map(Snapshot::schemaId).orElse(Long.MAX_VALUE);
        copyNumbered("schema", root, branch, SCHEMA_PREFIX, id -> id <= lastSchema);
        if (tagName.isPresent() && snapshots.findTag(tagName.get()).isEmpty()) {
            deleteRecursively(branch);
            throw new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, format("Table %s: tag '%s' was deleted while a branch was made from it", tableName, tagName.get()));
        }
    }

    void delete(String name)
    {
        deleteRecursively(existing(name));
    }

    /**
     * The branch's history from its first snapshot on becomes the table's; what the table had since then is gone, and its data files are left
     * to the removal of orphan files. The branch stays.
     */
    void fastForward(String name)
    {
        Path branch = existing(name);
        SnapshotManager branchSnapshots = new SnapshotManager(fileIo, branch);
        List<Long> ids = branchSnapshots.ids();
        if (ids.isEmpty()) {
            throw new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, format("Branch '%s' of table %s has no snapshot that the table could go on from", name, tableName));
        }
        Snapshot first = branchSnapshots.snapshot(ids.getFirst());
        // readers believe the hint as soon as the snapshot after it is gone, which is why the newest goes first
        snapshots.writeLatestHint(first.id());
        for (long id : Lists.reverse(snapshots.ids())) {
            if (id >= first.id() && !snapshots.snapshot(id).equals(first)) {
                snapshots.delete(id);
            }
        }
        snapshots.tags().stream()
                .filter(tag -> tag.snapshot().id() >= first.id())
                .forEach(tag -> tags.delete(tag.name()));
        deleteOtherSchemas(branch, first.schemaId());
        copyNumbered("schema", branch, root, SCHEMA_PREFIX, id -> id >= first.schemaId());
        // the first one is there if it is the same; the branch's copy of it may lack members that only newer versions of Paimon know
        boolean hasFirst = snapshots.find(first.id()).equals(Optional.of(first));
        copyNumbered("snapshot", branch, root, SNAPSHOT_PREFIX, id -> id != first.id() || !hasFirst);
        copy(new Path(branch, "tag"), new Path(root, "tag"), file -> file.startsWith(TAG_PREFIX));
        snapshots.writeLatestHint(ids.getLast());
        if (snapshots.ids().getFirst().equals(first.id())) {
            snapshots.writeEarliestHint(first.id());
        }
    }

    private void deleteOtherSchemas(Path branch, long firstSchemaId)
    {
        Path directory = new Path(root, "schema");
        for (long id : Lists.reverse(numbers(directory, SCHEMA_PREFIX))) {
            Path file = new Path(directory, SCHEMA_PREFIX + id);
            Path other = new Path(new Path(branch, "schema"), SCHEMA_PREFIX + id);
            if (id >= firstSchemaId) {
                run("compare", file, () -> {
                    if (!fileIo.exists(other) || !Arrays.equals(fileIo.readFully(file), fileIo.readFully(other))) {
                        fileIo.deleteFile(file);
                    }
                });
            }
        }
    }

    private void copyNumbered(String folder, Path from, Path to, String prefix, LongPredicate wanted)
    {
        for (long number : numbers(new Path(from, folder), prefix)) {
            if (wanted.test(number)) {
                copyFile(new Path(new Path(from, folder), prefix + number), new Path(new Path(to, folder), prefix + number));
            }
        }
    }

    private void copy(Path from, Path to, Predicate<String> wanted)
    {
        for (FileEntry entry : list(from)) {
            String file = entry.path().getName();
            if (wanted.test(file)) {
                // "./" keeps a name with a colon from being taken for a URI with a scheme
                copyFile(entry.path(), new Path(to, "./" + file));
            }
        }
    }

    private void copyFile(Path from, Path to)
    {
        run("copy", from, () -> write(to, fileIo.readFully(from)));
    }

    private void write(Path file, byte[] content)
    {
        run("write", file, () -> {
            if (!fileIo.createExclusively(file, content) && !Arrays.equals(fileIo.readFully(file), content)) {
                throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Table %s: file %s was made by somebody else meanwhile", tableName, file));
            }
        });
    }

    private List<Long> numbers(Path directory, String prefix)
    {
        return list(directory).stream()
                .flatMap(entry -> FileNumber.parse(entry.path().getName(), prefix).stream().boxed())
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    private List<FileEntry> list(Path directory)
    {
        try {
            return fileIo.list(directory);
        }
        catch (IOException e) {
            throw failed("list", directory, e);
        }
    }

    private Tag findTag(String name)
    {
        return snapshots.findTag(name).orElseThrow(() -> new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, snapshots.noTagMessage(tableName, name)));
    }

    private Path existing(String name)
    {
        checkName(name);
        if (!branches.branches().containsKey(name)) {
            throw new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, format("Table %s has no branch '%s'; it has %s", tableName, name, branches.branches().keySet()));
        }
        return BranchManager.directory(root, name);
    }

    private static void checkName(String name)
    {
        boolean fileName;
        try {
            StoredNames.checkFileName(name);
            fileName = true;
        }
        catch (IllegalArgumentException _) {
            fileName = false;
        }
        if (!fileName || name.equals(MAIN) || name.contains("$") || name.chars().allMatch(Character::isDigit)) {
            throw new StorageException(
                    StorageErrorCode.INVALID_OPTION,
                    format("'%s' cannot be the name of a branch: it must not be blank, %s, a number, or contain / \\ : $", name, MAIN));
        }
    }

    private void deleteRecursively(Path directory)
    {
        run("delete", directory, () -> fileIo.deleteRecursively(directory));
    }

    private static void run(String verb, Path path, FileAction action)
    {
        try {
            action.run();
        }
        catch (IOException e) {
            throw failed(verb, path, e);
        }
    }

    private static StorageException failed(String verb, Path path, IOException e)
    {
        return new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Could not %s %s: %s", verb, path, e.getMessage()), e);
    }

    private interface FileAction
    {
        void run()
                throws IOException;
    }
}
