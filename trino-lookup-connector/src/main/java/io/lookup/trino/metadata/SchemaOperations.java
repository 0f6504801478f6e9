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
package io.lookup.trino.metadata;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.catalog.TableCatalog;
import io.lookup.storage.catalog.TableDefinition;
import io.lookup.storage.schema.TableSchema;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.TableKind;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.RelationCommentMetadata;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaNotFoundException;
import io.trino.spi.connector.SchemaTableName;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.INVALID_SCHEMA_PROPERTY;
import static io.trino.spi.StandardErrorCode.TABLE_ALREADY_EXISTS;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Schemas and tables: which there are, and their names.
 */
final class SchemaOperations
{
    private static final Logger log = Logger.get(SchemaOperations.class);

    private final LookupTables lookupTables;
    private final TransactionTables tables;

    SchemaOperations(LookupTables lookupTables, TransactionTables transactionTables)
    {
        this.lookupTables = requireNonNull(lookupTables, "lookupTables is null");
        this.tables = requireNonNull(transactionTables, "transactionTables is null");
    }

    List<String> listSchemas()
    {
        return lookupTables.catalog().listSchemas();
    }

    List<SchemaTableName> listTables(Optional<String> schemaName)
    {
        TableCatalog catalog = lookupTables.catalog();
        return schemaName.map(List::of).orElseGet(catalog::listSchemas).stream()
                .flatMap(schema -> unlessMissing(() -> catalog.listTables(schema), ImmutableList.<String>of()).stream()
                        .map(table -> new SchemaTableName(schema, table)))
                .collect(toImmutableList());
    }

    /**
     * A schema may go while others are listed.
     */
    private static <T> T unlessMissing(Supplier<T> action, T otherwise)
    {
        try {
            return action.get();
        }
        catch (StorageException e) {
            if (e.errorCode() == StorageErrorCode.SCHEMA_NOT_FOUND) {
                return otherwise;
            }
            throw e;
        }
    }

    /**
     * What gives the newest schema of each table. A table is not pinned for the transaction: there may be thousands, and nobody asks for
     * their snapshots.
     */
    private Map<SchemaTableName, Supplier<Optional<TableSchema>>> schemas(Optional<String> schemaName)
    {
        TableCatalog catalog = lookupTables.catalog();
        Map<SchemaTableName, Supplier<Optional<TableSchema>>> schemas = new LinkedHashMap<>();
        for (String schema : schemaName.map(List::of).orElseGet(catalog::listSchemas)) {
            unlessMissing(() -> catalog.listTableSchemas(schema), ImmutableMap.<String, Supplier<Optional<TableSchema>>>of())
                    .forEach((table, supplier) -> schemas.put(new SchemaTableName(schema, table), supplier));
        }
        return schemas;
    }

    void createSchema(String name, Map<String, Object> properties)
    {
        if (!properties.isEmpty()) {
            throw new TrinoException(INVALID_SCHEMA_PROPERTY, "Schemas have no properties");
        }
        lookupTables.writableCatalog().createSchema(name);
    }

    void dropSchema(String name, boolean cascade)
    {
        lookupTables.writableCatalog().dropSchema(name, cascade);
    }

    void createTable(ConnectorTableMetadata metadata, SaveMode saveMode)
    {
        SchemaTableName name = metadata.getTable();
        LookupCatalog catalog = lookupTables.writableCatalog();
        if (!catalog.schemaExists(name.getSchemaName())) {
            throw new SchemaNotFoundException(name.getSchemaName());
        }
        TableSchema schema = NewTable.schema(metadata, System.currentTimeMillis());
        if (tables.find(name).isPresent()) {
            if (saveMode == SaveMode.IGNORE) {
                return;
            }
            throw new TrinoException(TABLE_ALREADY_EXISTS, format("Table '%s' already exists", name));
        }
        try {
            catalog.createTable(name.getSchemaName(), name.getTableName(), TableDefinition.of(schema));
        }
        catch (StorageException e) {
            if (saveMode != SaveMode.IGNORE || e.errorCode() != StorageErrorCode.TABLE_ALREADY_EXISTS) {
                throw e;
            }
            // another statement was faster, which is as good
        }
        tables.forget(name);
    }

    void dropTable(LookupTableHandle handle)
    {
        TableHandles.movable(handle);
        lookupTables.writableCatalog().dropTable(handle.schemaName(), handle.tableName());
        tables.forget(handle.baseTableName());
    }

    void renameTable(LookupTableHandle handle, SchemaTableName newName)
    {
        TableHandles.movable(handle);
        NewTable.checkTableName(newName);
        lookupTables.writableCatalog().renameTable(handle.schemaName(), handle.tableName(), newName.getSchemaName(), newName.getTableName());
        tables.forget(handle.baseTableName());
        tables.forget(newName);
    }

    Iterator<RelationColumnsMetadata> streamColumns(Optional<String> schemaName, UnaryOperator<Set<SchemaTableName>> relationFilter)
    {
        Map<SchemaTableName, Supplier<Optional<TableSchema>>> schemas = schemas(schemaName);
        return relationFilter.apply(Set.copyOf(schemas.keySet())).stream()
                .flatMap(name -> relationColumns(name, schemas.get(name)).stream())
                .iterator();
    }

    private Optional<RelationColumnsMetadata> relationColumns(SchemaTableName name, Supplier<Optional<TableSchema>> schema)
    {
        try {
            return schema.get().map(found -> RelationColumnsMetadata.forTable(name, tables.columns().columnMetadata(TableKind.DATA, found)));
        }
        catch (RuntimeException e) {
            // one table that cannot be read must not hide the others
            log.warn(e, "Columns of table %s could not be listed", name);
            return Optional.empty();
        }
    }

    Iterator<RelationCommentMetadata> streamComments(Optional<String> schemaName, UnaryOperator<Set<SchemaTableName>> relationFilter)
    {
        Map<SchemaTableName, Supplier<Optional<TableSchema>>> schemas = schemas(schemaName);
        return relationFilter.apply(Set.copyOf(schemas.keySet())).stream()
                .map(name -> RelationCommentMetadata.forRelation(name, comment(name, schemas.get(name))))
                .iterator();
    }

    private static Optional<String> comment(SchemaTableName name, Supplier<Optional<TableSchema>> schema)
    {
        try {
            return schema.get().flatMap(TableSchema::comment);
        }
        catch (RuntimeException e) {
            log.warn(e, "The comment of table %s could not be listed", name);
            return Optional.empty();
        }
    }
}
