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
package io.lookup.storage.schema;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import io.lookup.storage.filesystem.FileNumber;
import io.lookup.storage.filesystem.JsonFiles;
import io.lookup.storage.filesystem.TableFolders;
import org.apache.hadoop.fs.Path;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * Schema versions of one table (or branch) directory. Every version is a file that is written once and kept; the highest
 * number is the latest. Versions are cached in this object, which must not outlive the table (a table that is dropped
 * and made again has other versions under the same names). Thread-safe.
 */
public final class SchemaManager
{
    private static final String PREFIX = "schema-";
    private static final int MAX_CACHED = 1000;

    private final FileIo fileIo;
    private final Path tableRoot;
    private final Path directory;
    private final Optional<TableSchema> unpublished;
    // as long as nobody has seen the table
    private volatile boolean missing;
    private final Cache<Long, TableSchema> cache = Caffeine.newBuilder()
            .maximumSize(MAX_CACHED)
            .build();

    public SchemaManager(FileIo fileIo, Path tableRoot)
    {
        this(fileIo, tableRoot, Optional.empty());
    }

    /**
     * @param unpublished what a version is taken for as long as it has no file: the statement that makes a table writes, and compacts, rows
     * before
     */
    public SchemaManager(FileIo fileIo, Path tableRoot, Optional<TableSchema> unpublished)
    {
        this.unpublished = requireNonNull(unpublished, "unpublished is null");
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.tableRoot = requireNonNull(tableRoot, "tableRoot is null");
        this.directory = new Path(tableRoot, "schema");
    }

    /**
     * Empty if the directory holds no table, or one that another statement is filling, but for that statement.
     */
    public Optional<TableSchema> latest()
    {
        List<FileEntry> files = list();
        OptionalLong id = ids(files).stream().mapToLong(Long::longValue).max();
        if (id.isPresent()) {
            missing = false;
        }
        if (unpublished.isEmpty() && isUnfilled(files)) {
            return Optional.empty();
        }
        return id.isEmpty() ? Optional.empty() : Optional.of(schema(id.getAsLong()));
    }

    public OptionalLong latestId()
    {
        return ids(list()).stream().mapToLong(Long::longValue).max();
    }

    /**
     * @throws StorageException MISSING_FILE if there is no such version, CORRUPT_FILE if it cannot be understood
     */
    public TableSchema schema(long id)
    {
        TableSchema cached = cache.getIfPresent(id);
        if (cached != null) {
            return cached;
        }
        if (missing && unpublished.isPresent() && unpublished.get().id() == id) {
            return unpublished.get();
        }
        Path file = file(id);
        byte[] content;
        try {
            content = fileIo.readFully(file);
        }
        catch (FileNotFoundException e) {
            if (unpublished.isPresent() && unpublished.get().id() == id) {
                missing = true;
                return unpublished.get();
            }
            throw new StorageException(StorageErrorCode.MISSING_FILE, "Table %s has no schema version %s: file %s does not exist".formatted(TableFolders.tableName(tableRoot), id, file), e);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "File %s could not be read: %s".formatted(file, e.getMessage()), e);
        }
        TableSchema schema = ParsedSchemas.read(file, content);
        if (schema.id() != id) {
            throw JsonFiles.corrupt(file, "it holds schema version %s".formatted(schema.id()));
        }
        cache.put(id, schema);
        return schema;
    }

    /**
     * All versions, oldest first.
     */
    public List<TableSchema> all()
    {
        return ids(list()).stream()
                .sorted()
                .map(this::schema)
                .collect(ImmutableList.toImmutableList());
    }

    /**
     * Publishes a version atomically.
     *
     * @return false if that version exists
     */
    public boolean tryCreate(TableSchema schema)
    {
        Path file = file(schema.id());
        try {
            if (!fileIo.createExclusively(file, SchemaJson.write(schema))) {
                return false;
            }
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Schema file %s could not be written: %s".formatted(file, e.getMessage()), e);
        }
        cache.put(schema.id(), schema);
        return true;
    }

    private boolean isUnfilled(List<FileEntry> files)
    {
        try {
            return TableFilling.isUnfilled(fileIo, tableRoot, files);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Table %s could not be looked into: %s".formatted(TableFolders.tableName(tableRoot), e.getMessage()), e);
        }
    }

    private static List<Long> ids(List<FileEntry> files)
    {
        ImmutableList.Builder<Long> ids = ImmutableList.builder();
        files.forEach(entry -> FileNumber.parse(entry.path().getName(), PREFIX).ifPresent(ids::add));
        return ids.build();
    }

    private List<FileEntry> list()
    {
        try {
            return fileIo.list(directory);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Directory %s could not be listed: %s".formatted(directory, e.getMessage()), e);
        }
    }

    private Path file(long id)
    {
        return new Path(directory, PREFIX + id);
    }
}
