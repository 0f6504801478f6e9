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

import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.catalog.TableDefinition;
import io.lookup.storage.schema.TableSchema;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.TableKind;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.RelationCommentMetadata;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaNotFoundException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    private final LookupCatalog catalog;
    private final TransactionTables tables;

    SchemaOperations(LookupTables tables, TransactionTables transactionTables)
    {
        this.catalog = tables.catalog();
        this.tables = requireNonNull(transactionTables, "transactionTables is null");
    }

    List<String> listSchemas()
    {
        return catalog.listSchemas();
    }

    List<SchemaTableName> listTables(Optional<String> schemaName)
    {
        List<String> schemas = schemaName.map(List::of).orElseGet(catalog::listSchemas);
        return schemas.stream()
                .filter(catalog::schemaExists)
                .flatMap(schema -> catalog.listTables(schema).stream()
                        .map(table -> new SchemaTableName(schema, table)))
                .collect(toImmutableList());
    }

    void createSchema(String name, Map<String, Object> properties)
    {
        if (!properties.isEmpty()) {
            throw new TrinoException(INVALID_SCHEMA_PROPERTY, "Schemas have no properties");
        }
        catalog.createSchema(name);
    }

    void dropSchema(String name, boolean cascade)
    {
        catalog.dropSchema(name, cascade);
    }

    void createTable(ConnectorTableMetadata metadata, SaveMode saveMode)
    {
        SchemaTableName name = metadata.getTable();
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
        TableHandles.writable(handle);
        catalog.dropTable(handle.schemaName(), handle.tableName());
        tables.forget(handle.baseTableName());
    }

    void renameTable(LookupTableHandle handle, SchemaTableName newName)
    {
        TableHandles.writable(handle);
        NewTable.checkTableName(newName);
        catalog.renameTable(handle.schemaName(), handle.tableName(), newName.getSchemaName(), newName.getTableName());
        tables.forget(handle.baseTableName());
        tables.forget(newName);
    }

    Iterator<RelationColumnsMetadata> streamColumns(Optional<String> schemaName, UnaryOperator<Set<SchemaTableName>> relationFilter)
    {
        return relationFilter.apply(Set.copyOf(listTables(schemaName))).stream()
                .flatMap(name -> relationColumns(name).stream())
                .iterator();
    }

    private Optional<RelationColumnsMetadata> relationColumns(SchemaTableName name)
    {
        try {
            return Optional.of(RelationColumnsMetadata.forTable(name, columns(name)));
        }
        catch (RuntimeException e) {
            // one table that cannot be read, or is gone by now, must not hide the others
            log.warn(e, "Columns of table %s could not be listed", name);
            return Optional.empty();
        }
    }

    private List<ColumnMetadata> columns(SchemaTableName name)
    {
        // not pinned for the transaction: there may be thousands, and nobody asks for their snapshots
        return TableColumns.columnMetadata(TableKind.DATA, catalog.latestSchema(name.getSchemaName(), name.getTableName())
                .orElseThrow(() -> new TableNotFoundException(name)));
    }

    Iterator<RelationCommentMetadata> streamComments(Optional<String> schemaName, UnaryOperator<Set<SchemaTableName>> relationFilter)
    {
        return relationFilter.apply(Set.copyOf(listTables(schemaName))).stream()
                .map(name -> RelationCommentMetadata.forRelation(name, comment(name)))
                .iterator();
    }

    private Optional<String> comment(SchemaTableName name)
    {
        try {
            return catalog.latestSchema(name.getSchemaName(), name.getTableName()).flatMap(TableSchema::comment);
        }
        catch (RuntimeException e) {
            log.warn(e, "The comment of table %s could not be listed", name);
            return Optional.empty();
        }
    }
}
