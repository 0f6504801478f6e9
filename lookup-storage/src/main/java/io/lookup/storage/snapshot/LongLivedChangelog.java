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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * Snapshots whose state has expired, but whose changes are kept, as {@code changelog/changelog-<id>}. Thread-safe.
 */
public final class LongLivedChangelog
{
    // what the format writes where no changelog is left whose id is known
    private static final long NONE = -1;

    private final FileIo fileIo;
    private final HintFiles files;

    LongLivedChangelog(FileIo fileIo, HintFiles files)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.files = requireNonNull(files, "files is null");
    }

    public OptionalLong earliestId()
    {
        return files.earliest();
    }

    /**
     * As {@link #earliestId()}, or the oldest of those that an expiry meant to take away when it broke off.
     */
    public OptionalLong lowestId()
    {
        return files.lowest();
    }

    /**
     * Nobody finds the changelogs before this one any more. Comes before their files are deleted.
     *
     * @throws StorageException FILE_SYSTEM_ERROR
     */
    public void forgetBefore(long id)
    {
        files.require(HintFiles.EARLIEST, id);
    }

    public OptionalLong latestId()
    {
        return files.latest();
    }

    /**
     * The ids that are there, whatever the hints say, ascending.
     */
    public List<Long> ids()
    {
        return files.numbers().stream().sorted().toList();
    }

    public Optional<Snapshot> find(long id)
    {
        return SnapshotManager.read(fileIo, files, id);
    }

    /**
     * Keeps a snapshot that is about to expire.
     */
    public void add(Snapshot snapshot)
    {
        Path file = files.file(snapshot.id());
        try {
            fileIo.overwrite(file, SnapshotJson.write(snapshot));
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Changelog file %s could not be written: %s".formatted(file, e.getMessage()), e);
        }
        files.write(HintFiles.LATEST, snapshot.id());
    }

    public boolean hasEarliestHint()
    {
        return files.hintExists(HintFiles.EARLIEST);
    }

    public void writeEarliestHint(long id)
    {
        files.write(HintFiles.EARLIEST, id);
    }

    /**
     * @param id empty if none is left
     */
    public void writeLatestHint(OptionalLong id)
    {
        files.writeDurably(HintFiles.LATEST, id.orElse(NONE));
    }

    public void delete(long id)
    {
        files.delete(id);
    }
}
