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
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Optional;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Makes and removes the files of tags; {@link SnapshotManager} reads them.
 */
public final class TagManager
{
    private final FileIo fileIo;
    private final Path directory;
    private final Clock clock;

    /**
     * @param directory the table's folder of tags
     * @param clock wall time, kept in tags with a time to live
     */
    public TagManager(FileIo fileIo, Path directory, Clock clock)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.directory = requireNonNull(directory, "directory is null");
        this.clock = requireNonNull(clock, "clock is null");
    }

    /**
     * @param timeRetained time to live, if it has one
     * @return false if there is a tag of that name
     * @throws StorageException INVALID_OPTION for a name that no tag can have
     */
    public boolean create(String name, Snapshot snapshot, Optional<Duration> timeRetained)
    {
        checkName(name);
        Tag tag = new Tag(name, snapshot, timeRetained.map(_ -> LocalDateTime.now(clock)), timeRetained);
        try {
            return fileIo.createExclusively(file(name), TagJson.write(tag));
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Tag file %s could not be written: %s", file(name), e.getMessage()), e);
        }
    }

    /**
     * No error if there is no such tag.
     */
    public void delete(String name)
    {
        checkName(name);
        try {
            fileIo.deleteFile(file(name));
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Tag file %s could not be deleted: %s", file(name), e.getMessage()), e);
        }
    }

    private static void checkName(String name)
    {
        if (name.isBlank() || name.contains("/")) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, format("'%s' cannot be the name of a tag: it must not be blank, and not contain a slash", name));
        }
    }

    private Path file(String name)
    {
        // "./" keeps a name with a colon from being taken for a URI with a scheme
        return new Path(directory, "./tag-" + name);
    }
}
