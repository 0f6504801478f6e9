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

import com.google.common.collect.ImmutableSortedMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import io.lookup.storage.filesystem.JsonFiles;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * Readers of the table's changes that keep their progress in it, as {@code consumer/consumer-<id>}. What they have not read yet is not
 * expired. Thread-safe.
 */
public final class ConsumerManager
{
    private static final String PREFIX = "consumer-";

    private final FileIo fileIo;
    private final Path directory;

    public ConsumerManager(FileIo fileIo, Path tableRoot)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.directory = new Path(tableRoot, "consumer");
    }

    /**
     * The snapshot that each consumer reads next, by the consumer's id.
     */
    public Map<String, Long> consumers()
    {
        ImmutableSortedMap.Builder<String, Long> consumers = ImmutableSortedMap.naturalOrder();
        for (FileEntry entry : files()) {
            nextSnapshot(entry.path()).ifPresent(next -> consumers.put(entry.path().getName().substring(PREFIX.length()), next));
        }
        return consumers.buildOrThrow();
    }

    /**
     * The oldest snapshot that a consumer has not read.
     */
    public OptionalLong minNextSnapshot()
    {
        return consumers().values().stream().mapToLong(Long::longValue).min();
    }

    /**
     * Forgets consumers that made no progress since.
     */
    public void expire(long olderThanMillis)
    {
        for (FileEntry entry : files()) {
            if (entry.modificationTimeMillis() < olderThanMillis) {
                try {
                    fileIo.deleteFile(entry.path());
                }
                catch (IOException e) {
                    throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "File %s could not be deleted: %s".formatted(entry.path(), e.getMessage()), e);
                }
            }
        }
    }

    private List<FileEntry> files()
    {
        try {
            return fileIo.list(directory).stream()
                    .filter(entry -> !entry.directory() && entry.path().getName().startsWith(PREFIX))
                    .toList();
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Directory %s could not be listed: %s".formatted(directory, e.getMessage()), e);
        }
    }

    private Optional<Long> nextSnapshot(Path file)
    {
        return SnapshotManager.readFile(fileIo, file)
                .map(content -> JsonFiles.requiredLong(file, JsonFiles.readObject(file, content), "nextSnapshot"));
    }
}
