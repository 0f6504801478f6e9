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

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import io.lookup.storage.filesystem.JsonFiles;
import io.lookup.storage.filesystem.TableFolders;
import io.lookup.storage.format.TablePaths;
import org.apache.hadoop.fs.Path;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Finds, reads, publishes and removes the snapshots of one table (or branch) directory and its long-lived changelog, and reads its
 * tags. Snapshots never change and are cached in this object, which should live as long as a statement:
 * a rollback, or a table that is dropped and made again, uses the same numbers for other snapshots. Thread-safe.
 */
public final class SnapshotManager
{
    private static final String TAG_PREFIX = "tag-";
    private static final int MAX_CACHED = 1000;
    private static final int MAX_NAMED_TAGS = 20;
    private static final int MAX_PROBED = 10_000;

    private final FileIo fileIo;
    private final Path tableRoot;
    private final Path tagDirectory;
    private final OptionalLong newestId;
    private final HintFiles snapshotFiles;
    private final HintFiles changelogFiles;
    private final Cache<Long, Snapshot> cache = Caffeine.newBuilder()
            .maximumSize(MAX_CACHED)
            .build();

    public SnapshotManager(FileIo fileIo, TablePaths paths)
    {
        this(fileIo, paths.root());
    }

    public SnapshotManager(FileIo fileIo, Path tableRoot)
    {
        this(fileIo, tableRoot, OptionalLong.empty());
    }

    /**
     * @param newestId of a table whose catalog says which snapshot is the newest, 0 if none is: files of later ones do not count, they
     * were never committed, or have been rolled back
     */
    public SnapshotManager(FileIo fileIo, Path tableRoot, OptionalLong newestId)
    {
        this.newestId = requireNonNull(newestId, "newestId is null");
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.tableRoot = requireNonNull(tableRoot, "tableRoot is null");
        this.tagDirectory = new Path(tableRoot, "tag");
        this.snapshotFiles = new HintFiles(fileIo, new Path(tableRoot, "snapshot"), "snapshot-");
        this.changelogFiles = new HintFiles(fileIo, new Path(tableRoot, "changelog"), "changelog-");
    }

    public OptionalLong latestId()
    {
        if (newestId.isPresent()) {
            return newestId.getAsLong() < Snapshot.FIRST_ID ? OptionalLong.empty() : newestId;
        }
        return snapshotFiles.latest();
    }

    public OptionalLong earliestId()
    {
        return snapshotFiles.earliest();
    }

    /**
     * Earliest snapshot whose changes can still be read: snapshots that expired may live on in the long-lived changelog.
     */
    public OptionalLong earliestChangelogId()
    {
        OptionalLong changelog = changelogFiles.earliest();
        OptionalLong snapshot = earliestId();
        if (changelog.isEmpty()) {
            return snapshot;
        }
        if (snapshot.isEmpty()) {
            return changelog;
        }
        return OptionalLong.of(Math.min(changelog.getAsLong(), snapshot.getAsLong()));
    }

    /**
     * Empty before the first commit.
     */
    public Optional<Snapshot> latest()
    {
        OptionalLong id = latestId();
        return id.isEmpty() ? Optional.empty() : Optional.of(snapshot(id.getAsLong()));
    }

    /**
     * @throws StorageException SNAPSHOT_NOT_FOUND naming the retained range; CORRUPT_FILE or MISSING_FILE naming the file
     */
    public Snapshot snapshot(long id)
    {
        return find(id).orElseThrow(() -> notFound(id));
    }

    public Optional<Snapshot> find(long id)
    {
        if (newestId.isPresent() && id > newestId.getAsLong()) {
            return Optional.empty();
        }
        Snapshot cached = cache.getIfPresent(id);
        if (cached != null) {
            return Optional.of(cached);
        }
        Optional<Snapshot> snapshot = read(fileIo, snapshotFiles, id);
        snapshot.ifPresent(found -> cache.put(id, found));
        return snapshot;
    }

    /**
     * As {@link #find}, without those that an expiry has begun to take away.
     */
    public Optional<Snapshot> findListed(long id)
    {
        return earliestId().orElse(Long.MAX_VALUE) <= id ? find(id) : Optional.empty();
    }

    /**
     * The snapshot, or what the long-lived changelog kept of it (then only its changelog may be read).
     */
    public Optional<Snapshot> findWithChangelog(long id)
    {
        Optional<Snapshot> snapshot = find(id);
        return snapshot.isPresent() ? snapshot : read(fileIo, changelogFiles, id);
    }

    /**
     * Snapshots with ids in [from, to] that exist, ascending.
     */
    public List<Snapshot> snapshots(long from, long to)
    {
        return snapshots(from, to, false);
    }

    /**
     * Snapshots with ids in [from, to] that exist, ascending.
     *
     * @param withChangelog take the long-lived changelog's copy of a snapshot that is gone
     */
    public List<Snapshot> snapshots(long from, long to, boolean withChangelog)
    {
        OptionalLong earliest = withChangelog ? earliestChangelogId() : earliestId();
        OptionalLong latest = latestId();
        if (earliest.isEmpty() || latest.isEmpty()) {
            return ImmutableList.of();
        }
        long first = Math.max(from, earliest.getAsLong());
        long last = Math.min(to, latest.getAsLong());
        LongStream ids = LongStream.rangeClosed(first, last);
        if (last - first > MAX_PROBED) {
            // ids follow each other, unless somebody put a file there: what there is costs less than what there could be
            ids = (withChangelog ? Stream.concat(changelogFiles.numbers().stream(), snapshotFiles.numbers().stream()) : snapshotFiles.numbers().stream())
                    .mapToLong(Long::longValue)
                    .filter(id -> id >= first && id <= last)
                    .distinct()
                    .sorted();
        }
        ImmutableList.Builder<Snapshot> snapshots = ImmutableList.builder();
        // one may have expired since the range was found
        ids.forEach(id -> (withChangelog ? findWithChangelog(id) : find(id)).ifPresent(snapshots::add));
        return snapshots.build();
    }

    /**
     * Newest snapshot that was committed at or before the instant. Commit times never go back, so this is a binary search.
     */
    public Optional<Snapshot> asOfTimeMillis(long timeMillis)
    {
        OptionalLong earliest = earliestId();
        OptionalLong latest = latestId();
        if (earliest.isEmpty() || latest.isEmpty()) {
            return Optional.empty();
        }
        long low = earliest.getAsLong();
        long high = latest.getAsLong();
        Optional<Snapshot> found = Optional.empty();
        while (low <= high) {
            long middle = low + (high - low) / 2;
            Optional<Snapshot> snapshot = find(middle);
            if (snapshot.isEmpty()) {
                // snapshots expire from the oldest on, so all below are gone too
                low = middle + 1;
            }
            else if (snapshot.get().timeMillis() <= timeMillis) {
                found = snapshot;
                low = middle + 1;
            }
            else {
                high = middle - 1;
            }
        }
        return found;
    }

    /**
     * The snapshot that a tag names.
     */
    public Optional<Snapshot> tag(String name)
    {
        return findTag(name).map(Tag::snapshot);
    }

    public Optional<Tag> findTag(String name)
    {
        // a name that is not one path component cannot be a tag's
        if (name.isBlank() || name.contains("/")) {
            return Optional.empty();
        }
        // "./" keeps a name with a colon from being taken for a URI with a scheme
        Path file = new Path(tagDirectory, "./" + TAG_PREFIX + name);
        return readFile(fileIo, file).map(content -> TagJson.read(file, name, content));
    }

    /**
     * What a message says of a tag that there is not.
     */
    public String noTagMessage(String tableName, String tagName)
    {
        List<String> names = tags().stream().map(Tag::name).toList();
        String others = names.isEmpty() ? "no tags" : String.join(", ", names.subList(0, Math.min(names.size(), MAX_NAMED_TAGS))) + (names.size() > MAX_NAMED_TAGS ? ", …" : "");
        return format("Table %s has no tag '%s'; it has %s", tableName, tagName, others);
    }

    /**
     * All tags by snapshot id, then name.
     */
    public List<Tag> tags()
    {
        ImmutableList.Builder<Tag> tags = ImmutableList.builder();
        try {
            for (FileEntry entry : fileIo.list(tagDirectory)) {
                String name = entry.path().getName();
                if (name.startsWith(TAG_PREFIX)) {
                    findTag(name.substring(TAG_PREFIX.length())).ifPresent(tags::add);
                }
            }
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Directory %s could not be listed: %s".formatted(tagDirectory, e.getMessage()), e);
        }
        return ImmutableList.sortedCopyOf(
                Comparator.comparingLong((Tag tag) -> tag.snapshot().id()).thenComparing(Tag::name),
                tags.build());
    }

    /**
     * As {@link #latest()}, by somebody who has just seen, or made, a snapshot, and need not ask the hint.
     */
    public Optional<Snapshot> latestFrom(long seenId)
    {
        return snapshotFiles.exists(seenId + 1) ? latest() : find(seenId);
    }

    /**
     * Publishes a snapshot atomically, then the LATEST hint.
     *
     * @return false if the id was taken
     * @throws StorageException COMMIT_FAILED if the outcome is unknown
     */
    public boolean tryPublish(Snapshot snapshot)
    {
        if (!tryPublishWithoutHint(snapshot)) {
            return false;
        }
        snapshotFiles.write(HintFiles.LATEST, snapshot.id());
        return true;
    }

    /**
     * As {@link #tryPublish}; until {@link #hintLatest} is called, finding the newest snapshot costs a listing.
     */
    public boolean tryPublishWithoutHint(Snapshot snapshot)
    {
        Path file = snapshotFiles.file(snapshot.id());
        try {
            if (!fileIo.createExclusively(file, SnapshotJson.write(snapshot))) {
                return false;
            }
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.COMMIT_FAILED, "Snapshot file %s could not be written: %s".formatted(file, e.getMessage()), e);
        }
        cache.put(snapshot.id(), snapshot);
        return true;
    }

    public void hintLatest(long id)
    {
        snapshotFiles.write(HintFiles.LATEST, id);
    }

    /**
     * As {@link #earliestId()}, or the oldest of those that an expiry meant to take away when it broke off.
     */
    public OptionalLong lowestId()
    {
        return snapshotFiles.lowest();
    }

    /**
     * Nobody finds the snapshots before this one any more. Comes before their files are deleted.
     *
     * @throws StorageException FILE_SYSTEM_ERROR
     */
    public void forgetBefore(long id)
    {
        snapshotFiles.require(HintFiles.EARLIEST, id);
    }

    /**
     * Writes the EARLIEST hint, which spares readers a listing.
     */
    public void writeEarliestHint(long id)
    {
        snapshotFiles.write(HintFiles.EARLIEST, id);
    }

    public boolean hasEarliestHint()
    {
        return snapshotFiles.hintExists(HintFiles.EARLIEST);
    }

    /**
     * Readers believe this hint if the snapshot after it is missing, so that it has to be written before newest snapshots are removed.
     */
    public void writeLatestHint(long id)
    {
        snapshotFiles.writeDurably(HintFiles.LATEST, id);
    }

    /**
     * The ids of all snapshots that are there, whatever the hints say, ascending.
     */
    public List<Long> ids()
    {
        return snapshotFiles.numbers().stream().sorted().toList();
    }

    /**
     * Removes the snapshot's file, and nothing that it refers to.
     */
    public void delete(long id)
    {
        snapshotFiles.delete(id);
        cache.invalidate(id);
    }

    /**
     * The snapshots that live on as changelog after their expiry.
     */
    public LongLivedChangelog longLivedChangelog()
    {
        return new LongLivedChangelog(fileIo, changelogFiles);
    }

    private StorageException notFound(long id)
    {
        OptionalLong earliest = earliestId();
        OptionalLong latest = latestId();
        String name = TableFolders.tableName(tableRoot);
        if (earliest.isEmpty() || latest.isEmpty()) {
            return new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, "Table %s has no snapshot %s; it has no snapshots".formatted(name, id));
        }
        if (id == latest.getAsLong() && newestId.isEmpty()) {
            return new StorageException(
                    StorageErrorCode.MISSING_FILE,
                    "Snapshot %s, the newest of table %s, cannot be read: file %s does not exist. Restore it from a copy, or roll the table back to a snapshot that is there (rollback_to_snapshot)"
                            .formatted(id, name, snapshotFiles.file(id)));
        }
        return new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, "Table %s has no snapshot %s; retained are %s to %s".formatted(name, id, earliest.getAsLong(), latest.getAsLong()));
    }

    static Optional<Snapshot> read(FileIo fileIo, HintFiles files, long id)
    {
        Path file = files.file(id);
        Optional<Snapshot> snapshot = readFile(fileIo, file).map(content -> SnapshotJson.read(file, content));
        if (snapshot.isPresent() && snapshot.get().id() != id) {
            throw JsonFiles.corrupt(file, "it holds snapshot %s".formatted(snapshot.get().id()));
        }
        return snapshot;
    }

    static Optional<byte[]> readFile(FileIo fileIo, Path file)
    {
        try {
            return Optional.of(fileIo.readFully(file));
        }
        catch (FileNotFoundException e) {
            return Optional.empty();
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "File %s could not be read: %s".formatted(file, e.getMessage()), e);
        }
    }
}
