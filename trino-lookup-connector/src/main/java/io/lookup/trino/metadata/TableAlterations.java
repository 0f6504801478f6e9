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
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.SchemaEdits;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.SchemaValidation;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.properties.ColumnTypes;
import io.lookup.trino.properties.LookupTableProperties;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.COLUMN_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.TRANSACTION_CONFLICT;
import static java.lang.String.format;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * {@code ALTER TABLE} and {@code COMMENT}: each writes one new schema version, or none if it changes nothing.
 */
final class TableAlterations
{
    private static final int MAX_ATTEMPTS = 10;

    private final LookupTables lookupTables;
    private final TransactionTables tables;

    TableAlterations(LookupTables lookupTables, TransactionTables transactionTables)
    {
        this.lookupTables = requireNonNull(lookupTables, "lookupTables is null");
        this.tables = requireNonNull(transactionTables, "transactionTables is null");
    }

    void setProperties(LookupTableHandle handle, Map<String, Optional<Object>> properties)
    {
        alter(handle, true, schema -> {
            LookupTableProperties.checkKeysUnchanged(schema.primaryKeys(), schema.partitionKeys(), properties);
            return SchemaEdits.withOptions(schema, LookupTableProperties.changeOptions(!schema.primaryKeys().isEmpty(), schema.options(), properties));
        });
    }

    void addColumn(LookupTableHandle handle, ColumnMetadata column, ColumnPosition position)
    {
        String name = column.getName().toLowerCase(ENGLISH);
        NewTable.checkColumnName(name);
        DataField field = new DataField(
                SchemaEdits.UNNUMBERED,
                name,
                ColumnTypes.toDataType(name, column.getType(), column.isNullable()),
                TrinoMetadata.comment(column),
                Optional.empty());
        alter(handle, true, schema -> SchemaEdits.addColumn(schema, field, index(schema, position)));
    }

    private static int index(TableSchema schema, ColumnPosition position)
    {
        return switch (position) {
            case ColumnPosition.First _ -> 0;
            case ColumnPosition.After after -> {
                List<String> names = schema.fields().stream().map(field -> field.name().toLowerCase(ENGLISH)).collect(toImmutableList());
                int index = names.indexOf(after.columnName().toLowerCase(ENGLISH));
                if (index < 0) {
                    throw new TrinoException(COLUMN_NOT_FOUND, format("Column '%s' does not exist", after.columnName()));
                }
                yield index + 1;
            }
            case ColumnPosition.Last _ -> schema.fields().size();
        };
    }

    void dropColumn(LookupTableHandle handle, LookupColumnHandle column)
    {
        alter(handle, true, schema -> SchemaEdits.dropColumn(schema, column.fieldId()));
    }

    void renameColumn(LookupTableHandle handle, LookupColumnHandle column, String newName)
    {
        String name = newName.toLowerCase(ENGLISH);
        NewTable.checkColumnName(name);
        alter(handle, true, schema -> SchemaEdits.renameColumn(schema, column.fieldId(), name));
    }

    void setColumnType(LookupTableHandle handle, LookupColumnHandle column, Type type)
    {
        DataType dataType = ColumnTypes.toDataType(column.name(), type, true);
        alter(handle, true, schema -> SchemaEdits.changeType(schema, column.fieldId(), dataType));
    }

    void dropNotNull(LookupTableHandle handle, LookupColumnHandle column)
    {
        alter(handle, true, schema -> SchemaEdits.dropNotNull(schema, column.fieldId()));
    }

    void addField(LookupTableHandle handle, List<String> parentPath, String name, Type type)
    {
        DataType dataType = ColumnTypes.toDataType(parentPath.getFirst(), type, true);
        alter(handle, true, schema -> SchemaEdits.addField(schema, parentPath, new DataField(SchemaEdits.UNNUMBERED, name, dataType)));
    }

    /**
     * @param path below the column
     */
    void dropField(LookupTableHandle handle, LookupColumnHandle column, List<String> path)
    {
        List<String> wholePath = ImmutableList.<String>builder().add(column.name()).addAll(path).build();
        alter(handle, true, schema -> SchemaEdits.dropField(schema, wholePath));
    }

    void renameField(LookupTableHandle handle, List<String> path, String newName)
    {
        alter(handle, true, schema -> SchemaEdits.renameField(schema, path, newName));
    }

    void setFieldType(LookupTableHandle handle, List<String> path, Type type)
    {
        DataType dataType = ColumnTypes.toDataType(path.getFirst(), type, true);
        alter(handle, true, schema -> SchemaEdits.changeFieldType(schema, path, dataType));
    }

    void setTableComment(LookupTableHandle handle, Optional<String> comment)
    {
        alter(handle, false, schema -> SchemaEdits.withComment(schema, comment));
    }

    void setColumnComment(LookupTableHandle handle, LookupColumnHandle column, Optional<String> comment)
    {
        alter(handle, false, schema -> SchemaEdits.withColumnComment(schema, column.fieldId(), comment));
    }

    /**
     * Publishes a new schema version.
     *
     * @param checked whether the whole table must be one that can be written; comments are for every table
     * @param change from the latest version; its id and time are replaced
     */
    private void alter(LookupTableHandle handle, boolean checked, UnaryOperator<TableSchema> change)
    {
        TableHandles.writable(handle);
        lookupTables.writableCatalog().checkWritable();
        StorageTable table = tables.get(handle.baseTableName()).table();
        SchemaManager schemas = table.schemas();
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            TableSchema latest = schemas.latest().orElseThrow(() -> new IllegalStateException("Table %s has no schema".formatted(handle.baseTableName())));
            TableSchema next;
            try {
                next = next(latest, change);
                if (next.equals(latest)) {
                    return;
                }
                if (checked) {
                    SchemaValidation.checkNew(next);
                    // asked as late as can be: a first row may have come meanwhile
                    table.atSchema(latest.id()).checkChange(next);
                }
            }
            catch (StorageException e) {
                throw new StorageException(e.errorCode(), "Table %s cannot be altered: %s".formatted(handle.baseTableName(), e.getMessage()), e);
            }
            if (schemas.tryCreate(next)) {
                tables.forget(handle.baseTableName());
                return;
            }
        }
        throw new TrinoException(TRANSACTION_CONFLICT, format("Table %s is being altered by others: try again", handle.baseTableName()));
    }

    /**
     * @return the latest version itself if nothing changes
     */
    private static TableSchema next(TableSchema latest, UnaryOperator<TableSchema> change)
    {
        TableSchema changed = change.apply(latest);
        if (changed.equals(latest)) {
            return latest;
        }
        return new TableSchema(
                TableSchema.CURRENT_VERSION,
                latest.id() + 1,
                changed.fields(),
                changed.highestFieldId(),
                changed.partitionKeys(),
                changed.primaryKeys(),
                changed.options(),
                changed.comment(),
                System.currentTimeMillis());
    }
}
