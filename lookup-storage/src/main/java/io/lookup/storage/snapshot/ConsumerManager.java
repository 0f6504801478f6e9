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
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/**
 * Readers of the table's changes that keep their progress in it, as {@code consumer/consumer-<id>}. What they have not read yet is not
 * expired. Thread-safe.
 */
public final class ConsumerManager
{
    private static final String PREFIX = "consumer-";
    private static final String NEXT_SNAPSHOT = "nextSnapshot";

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
            nextSnapshot(entry.path()).ifPresent(next -> consumers.put(id(entry.path()), next));
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
     * The snapshot that the consumer reads next, if there is such a consumer.
     */
    public OptionalLong nextSnapshotOf(String id)
    {
        Path file = file(id);
        return SnapshotManager.readFile(fileIo, file)
                .map(content -> OptionalLong.of(nextSnapshot(file, content)))
                .orElse(OptionalLong.empty());
    }

    /**
     * Lets the consumer go on with a snapshot; makes it if it is not there.
     *
     * @throws StorageException INVALID_OPTION for an id that no consumer can have
     */
    public void reset(String id, long nextSnapshot)
    {
        Path file = file(id);
        try {
            fileIo.overwrite(file, JsonFiles.write(generator -> {
                generator.writeStartObject();
                generator.writeNumberField(NEXT_SNAPSHOT, nextSnapshot);
                generator.writeEndObject();
            }));
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Consumer file %s could not be written: %s".formatted(file, e.getMessage()), e);
        }
    }

    /**
     * No error if there is no such consumer.
     *
     * @throws StorageException INVALID_OPTION for an id that no consumer can have
     */
    public void delete(String id)
    {
        delete(file(id));
    }

    /**
     * Forgets those consumers whose ids match, also if what their files hold cannot be understood.
     */
    public void clear(Predicate<String> ids)
    {
        for (FileEntry entry : files()) {
            if (ids.test(id(entry.path()))) {
                delete(entry.path());
            }
        }
    }

    /**
     * Forgets consumers that made no progress since.
     */
    public void expire(long olderThanMillis)
    {
        for (FileEntry entry : files()) {
            if (entry.modificationTimeMillis() < olderThanMillis) {
                delete(entry.path());
            }
        }
    }

    /**
     * Whether a consumer can have that id: it is part of the name of one file.
     */
    public static boolean isId(String id)
    {
        return !id.isBlank() && !id.contains("/") && id.chars().noneMatch(Character::isISOControl);
    }

    private void delete(Path file)
    {
        try {
            fileIo.deleteFile(file);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "File %s could not be deleted: %s".formatted(file, e.getMessage()), e);
        }
    }

    private Path file(String id)
    {
        if (!isId(id)) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "'%s' cannot be the id of a consumer: it must not be blank, and not contain a slash or control characters".formatted(id));
        }
        // "./" keeps an id with a colon from being taken for a URI with a scheme
        return new Path(directory, "./" + PREFIX + id);
    }

    private static String id(Path file)
    {
        return file.getName().substring(PREFIX.length());
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
        return SnapshotManager.readFile(fileIo, file).map(content -> nextSnapshot(file, content));
    }

    private static long nextSnapshot(Path file, byte[] content)
    {
        return JsonFiles.requiredLong(file, JsonFiles.readObject(file, content), NEXT_SNAPSHOT);
    }
}
