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
package io.lookup.storage.catalog;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import io.lookup.storage.filesystem.FileNumber;
import io.lookup.storage.filesystem.WarehouseProbe;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableFilling;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Schemas and tables of a warehouse directory: schema {@code s} is the directory {@code s.db}, table {@code t} the directory
 * {@code s.db/t}, and a table exists once it has a schema version. This is the layout of Paimon's file-system catalog,
 * whose tables appear here and which sees ours. Thread-safe; nothing is cached.
 */
public final class LookupCatalog
        implements TableCatalog
{
    public static final String DEFAULT_SCHEMA = "default";

    private static final String SCHEMA_SUFFIX = ".db";

    private final FileIo fileIo;
    private final Path warehouse;
    private final WarehouseProbe probe;

    public LookupCatalog(FileIo fileIo, Path warehouse)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
        this.probe = new WarehouseProbe(fileIo);
    }

    /**
     * A warehouse's path from its URI; a plain absolute path means {@code file:}.
     *
     * @throws StorageException WAREHOUSE_UNREACHABLE if the text is neither
     */
    public static Path warehousePath(String warehouse)
    {
        try {
            Path path = new Path(warehouse);
            URI uri = path.toUri();
            if (uri.getScheme() != null && uri.getAuthority() != null && uri.getPath().isEmpty()) {
                // a whole bucket
                return new Path(uri.getScheme(), uri.getAuthority(), "/");
            }
            if (!path.isAbsolute()) {
                throw new IllegalArgumentException("it is not absolute");
            }
            // file:/w and file:///w are one place and must have one name
            return uri.getScheme() == null || uri.getScheme().equals("file") ? new Path("file", null, uri.getPath()) : path;
        }
        catch (IllegalArgumentException e) {
            throw new StorageException(
                    StorageErrorCode.WAREHOUSE_UNREACHABLE,
                    "Warehouse '%s' is not a URI such as file:///path or s3a://bucket/path: %s".formatted(warehouse, e.getMessage()),
                    e);
        }
    }

    public Path warehouse()
    {
        return warehouse;
    }

    /**
     * @throws StorageException WAREHOUSE_UNREACHABLE naming the warehouse
     */
    public void checkReachable()
    {
        probe.checkReachable(warehouse);
    }

    /**
     * To be called before anything is written; tries the warehouse once.
     *
     * @throws StorageException WAREHOUSE_NOT_WRITABLE naming the warehouse
     */
    public void checkWritable()
    {
        probe.checkWritable(warehouse);
    }

    /**
     * In alphabetical order; {@code default} is always there. Names with upper-case letters are left out: a statement's
     * names are lower-case, so that no statement could open them.
     */
    @Override
    public List<String> listSchemas()
    {
        TreeSet<String> names = new TreeSet<>();
        names.add(DEFAULT_SCHEMA);
        for (FileEntry entry : list(warehouse)) {
            String name = entry.path().getName();
            if (entry.directory() && name.endsWith(SCHEMA_SUFFIX)) {
                String schemaName = name.substring(0, name.length() - SCHEMA_SUFFIX.length());
                if (isListed(schemaName)) {
                    names.add(schemaName);
                }
            }
        }
        return ImmutableList.copyOf(names);
    }

    public boolean schemaExists(String schemaName)
    {
        return schemaName.equals(DEFAULT_SCHEMA) || CatalogNames.isValid(schemaName) && exists(schemaPath(schemaName));
    }

    /**
     * @throws StorageException SCHEMA_ALREADY_EXISTS, INVALID_SCHEMA for a bad name, WAREHOUSE_NOT_WRITABLE
     */
    public void createSchema(String schemaName)
    {
        CatalogNames.check(schemaName, "schema");
        checkWritable();
        if (schemaExists(schemaName)) {
            throw new StorageException(StorageErrorCode.SCHEMA_ALREADY_EXISTS, "Schema '%s' already exists".formatted(schemaName));
        }
        run("create", schemaPath(schemaName), () -> fileIo.createDirectories(schemaPath(schemaName)));
    }

    /**
     * @param cascade drop its tables too; otherwise the directory must hold no file, at any depth
     * @throws StorageException SCHEMA_NOT_FOUND, SCHEMA_NOT_EMPTY, UNSUPPORTED_FEATURE for {@code default}
     */
    public void dropSchema(String schemaName, boolean cascade)
    {
        if (schemaName.equals(DEFAULT_SCHEMA)) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, "Schema 'default' always exists and cannot be dropped");
        }
        checkSchemaExists(schemaName);
        Path path = schemaPath(schemaName);
        // whatever else lies there is not ours to delete unasked
        if (!cascade && holdsFile(path)) {
            throw new StorageException(StorageErrorCode.SCHEMA_NOT_EMPTY, "Schema '%s' is not empty: %s holds files; drop its tables first, or use CASCADE".formatted(schemaName, path));
        }
        if (cascade) {
            listTables(schemaName).forEach(tableName -> dropTable(schemaName, tableName));
        }
        run("delete", path, () -> fileIo.deleteRecursively(path));
    }

    /**
     * In alphabetical order, without names that have upper-case letters.
     *
     * @throws StorageException SCHEMA_NOT_FOUND
     */
    @Override
    public List<String> listTables(String schemaName)
    {
        checkSchemaExists(schemaName);
        return list(schemaPath(schemaName)).stream()
                .filter(FileEntry::directory)
                .map(entry -> entry.path().getName())
                .filter(LookupCatalog::isListed)
                .filter(tableName -> isTable(new Path(schemaPath(schemaName), tableName)))
                .sorted()
                .collect(toImmutableList());
    }

    @Override
    public Map<String, Supplier<Optional<TableSchema>>> listTableSchemas(String schemaName)
    {
        return listTables(schemaName).stream()
                .collect(toImmutableMap(Function.identity(), tableName -> () -> latestSchema(schemaName, tableName)));
    }

    @Override
    public Optional<CatalogTable> find(String schemaName, String tableName, Optional<String> branch)
    {
        return CatalogNames.isValid(schemaName) && CatalogNames.isValid(tableName) ? Optional.of(CatalogTable.inFolder(tablePath(schemaName, tableName))) : Optional.empty();
    }

    @Override
    public Path location(String schemaName, String tableName, TableSchema schema)
    {
        return tablePath(schemaName, tableName);
    }

    @Override
    public TableSchema located(TableSchema schema, Path location)
    {
        return schema;
    }

    public boolean tableExists(String schemaName, String tableName)
    {
        return CatalogNames.isValid(schemaName) && CatalogNames.isValid(tableName) && isTable(tablePath(schemaName, tableName));
    }

    /**
     * Where the table is, or would be.
     *
     * @throws StorageException INVALID_SCHEMA for a bad name
     */
    public Path tablePath(String schemaName, String tableName)
    {
        CatalogNames.check(schemaName, "schema");
        CatalogNames.check(tableName, "table");
        return new Path(schemaPath(schemaName), tableName);
    }

    /**
     * @throws StorageException TABLE_NOT_FOUND
     */
    public SchemaManager loadSchemas(String schemaName, String tableName)
    {
        checkTableExists(schemaName, tableName);
        return new SchemaManager(fileIo, tablePath(schemaName, tableName));
    }

    /**
     * The newest schema version of a table, and nothing else of it: for lists of many.
     *
     * @return empty if there is no such table
     * @throws StorageException INVALID_SCHEMA for a bad name, CORRUPT_FILE
     */
    public Optional<TableSchema> latestSchema(String schemaName, String tableName)
    {
        return new SchemaManager(fileIo, tablePath(schemaName, tableName)).latest();
    }

    /**
     * Creates a table by publishing its first schema version.
     *
     * @throws StorageException SCHEMA_NOT_FOUND, TABLE_ALREADY_EXISTS, INVALID_SCHEMA, INVALID_OPTION, UNSUPPORTED_FEATURE, WAREHOUSE_NOT_WRITABLE
     */
    public TableSchema createTable(String schemaName, String tableName, TableDefinition definition)
    {
        checkSchemaExists(schemaName);
        TableSchema schema = definition.firstVersion();
        Path path = checkFree(schemaName, tableName);
        if (!new SchemaManager(fileIo, path).tryCreate(schema)) {
            throw tableAlreadyExists(schemaName, tableName);
        }
        return schema;
    }

    /**
     * As {@link #createTable}, of a table that appears with its first snapshot. The caller ends, or abandons, what it gets. Other engines see an
     * empty table until then.
     */
    public UnfilledTable createUnfilledTable(String schemaName, String tableName, TableDefinition definition)
    {
        checkSchemaExists(schemaName);
        TableSchema schema = definition.firstVersion();
        Path path = checkFree(schemaName, tableName);
        return UnfilledTable.create(fileIo, path, schema).orElseThrow(() -> tableAlreadyExists(schemaName, tableName));
    }

    /**
     * @return where the table is to be
     */
    private Path checkFree(String schemaName, String tableName)
    {
        Path path = tablePath(schemaName, tableName);
        List<FileEntry> schemaFiles = list(new Path(path, "schema"));
        if (isTable(path, schemaFiles)) {
            throw tableAlreadyExists(schemaName, tableName);
        }
        if (list(new Path(path, "snapshot")).stream().anyMatch(entry -> !entry.path().getName().startsWith("."))) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Table '%s.%s' cannot be created: %s holds the rest of another table; remove it".formatted(schemaName, tableName, path));
        }
        checkWritable();
        if (schemaFiles.stream().anyMatch(LookupCatalog::isSchemaFile)) {
            clear(schemaName, tableName, path);
        }
        return path;
    }

    private void clear(String schemaName, String tableName, Path path)
    {
        try {
            if (!TableFilling.clear(fileIo, path, System.currentTimeMillis())) {
                throw new StorageException(
                        StorageErrorCode.TABLE_ALREADY_EXISTS,
                        "Table '%s.%s' is being created by another statement. If that one has ended without an answer, try again %s minutes after it began to commit".formatted(schemaName, tableName, TableFilling.ABANDONED_AFTER_MILLIS / 60_000));
            }
        }
        catch (IOException e) {
            throw failed("clear", path, e);
        }
    }

    /**
     * @throws StorageException TABLE_NOT_FOUND
     */
    public void dropTable(String schemaName, String tableName)
    {
        checkTableExists(schemaName, tableName);
        Path path = tablePath(schemaName, tableName);
        // without its schema versions the table is gone at once, also if the rest of the work is interrupted
        run("delete", path, () -> {
            fileIo.deleteRecursively(new Path(path, "schema"));
            fileIo.deleteRecursively(path);
        });
    }

    /**
     * @throws StorageException TABLE_NOT_FOUND, SCHEMA_NOT_FOUND, TABLE_ALREADY_EXISTS, INVALID_SCHEMA for a bad name
     */
    public void renameTable(String schemaName, String tableName, String newSchemaName, String newTableName)
    {
        Path target = tablePath(newSchemaName, newTableName);
        checkTableExists(schemaName, tableName);
        checkSchemaExists(newSchemaName);
        Path source = tablePath(schemaName, tableName);
        run("rename", source, () -> {
            if (!fileIo.renameDirectory(source, target)) {
                checkTableExists(schemaName, tableName);
                throw tableAlreadyExists(newSchemaName, newTableName);
            }
        });
    }

    private void checkSchemaExists(String schemaName)
    {
        if (!schemaExists(schemaName)) {
            throw new StorageException(StorageErrorCode.SCHEMA_NOT_FOUND, "Schema '%s' does not exist in %s".formatted(schemaName, warehouse));
        }
    }

    private void checkTableExists(String schemaName, String tableName)
    {
        if (!tableExists(schemaName, tableName)) {
            throw new StorageException(StorageErrorCode.TABLE_NOT_FOUND, "Table '%s.%s' does not exist in %s".formatted(schemaName, tableName, warehouse));
        }
    }

    private static StorageException tableAlreadyExists(String schemaName, String tableName)
    {
        return new StorageException(StorageErrorCode.TABLE_ALREADY_EXISTS, "Table '%s.%s' already exists".formatted(schemaName, tableName));
    }

    private Path schemaPath(String schemaName)
    {
        return new Path(warehouse, schemaName + SCHEMA_SUFFIX);
    }

    private static boolean isListed(String name)
    {
        return CatalogNames.isValid(name) && name.equals(name.toLowerCase(ENGLISH));
    }

    private boolean holdsFile(Path directory)
    {
        return list(directory).stream().anyMatch(entry -> !entry.directory() || holdsFile(entry.path()));
    }

    private boolean isTable(Path path)
    {
        return isTable(path, list(new Path(path, "schema")));
    }

    private boolean isTable(Path path, List<FileEntry> schemaFiles)
    {
        if (schemaFiles.stream().noneMatch(LookupCatalog::isSchemaFile)) {
            return false;
        }
        try {
            return !TableFilling.isUnfilled(fileIo, path, schemaFiles);
        }
        catch (IOException e) {
            throw failed("look into", path, e);
        }
    }

    private static boolean isSchemaFile(FileEntry entry)
    {
        return FileNumber.parse(entry.path().getName(), "schema-").isPresent();
    }

    private boolean exists(Path path)
    {
        try {
            return fileIo.exists(path);
        }
        catch (IOException e) {
            throw failed("look for", path, e);
        }
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
        return new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Could not %s %s: %s".formatted(verb, path, e.getMessage()), e);
    }

    private interface FileAction
    {
        void run()
                throws IOException;
    }
}
