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
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.FieldIds;
import io.lookup.storage.schema.FieldIds.NumberedFields;
import io.lookup.storage.schema.SchemaValidation;
import io.lookup.storage.schema.TableSchema;
import io.lookup.trino.properties.ColumnTypes;
import io.lookup.trino.properties.LookupTableProperties;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.SchemaTableName;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.trino.metadata.TableColumns.ROW_KIND_COLUMN;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.lang.String.format;
import static java.util.Locale.ENGLISH;

/**
 * The first schema version of a table that a CREATE TABLE statement describes.
 */
public final class NewTable
{
    private static final Set<String> RESERVED_COLUMNS = ImmutableSet.of(ROW_KIND_COLUMN, "_sequence_number", "_value_kind", "_level", "_row_id");
    private static final String RESERVED_COLUMN_PREFIX = "_key_";
    private static final String BUCKET_OPTION = "bucket";

    private NewTable() {}

    /**
     * How the rows of CREATE TABLE AS are spread; asked before the statement is begun, and only a valid table has a layout.
     */
    static Optional<ConnectorTableLayout> layout(ConnectorTableMetadata metadata)
    {
        TableSchema schema = schema(metadata, 0);
        SchemaValidation.checkNew(schema);
        return WriteLayouts.insertLayout(metadata.getTable(), schema);
    }

    /**
     * @throws TrinoException INVALID_TABLE_PROPERTY for contradictions between properties and columns,
     * NOT_SUPPORTED for reserved names and for types that the format lacks
     */
    public static TableSchema schema(ConnectorTableMetadata metadata, long timeMillis)
    {
        checkTableName(metadata.getTable());
        List<String> primaryKey = lowerCase(LookupTableProperties.primaryKey(metadata.getProperties()));
        List<String> partitionKeys = lowerCase(LookupTableProperties.partitionedBy(metadata.getProperties()));
        Map<String, String> options = new LinkedHashMap<>(LookupTableProperties.toOptions(metadata.getProperties()));
        // the format takes an absent bucket count for dynamic buckets
        options.putIfAbsent(BUCKET_OPTION, LookupTableProperties.defaultBuckets(!primaryKey.isEmpty()));

        ImmutableList.Builder<DataField> fields = ImmutableList.builder();
        for (ColumnMetadata column : metadata.getColumns()) {
            checkColumnName(column.getName());
            DataType type = ColumnTypes.toDataType(column.getName(), column.getType(), column.isNullable() && !primaryKey.contains(column.getName()));
            fields.add(new DataField(ColumnTypes.UNNUMBERED, column.getName(), type, TrinoMetadata.comment(column), Optional.empty()));
        }
        NumberedFields numbered = FieldIds.renumber(fields.build());
        TableSchema schema = new TableSchema(
                TableSchema.CURRENT_VERSION,
                0,
                numbered.fields(),
                numbered.highestFieldId(),
                partitionKeys,
                primaryKey,
                options,
                metadata.getComment(),
                timeMillis);
        checkKeys(schema, LookupTableProperties.PRIMARY_KEY, primaryKey);
        checkKeys(schema, LookupTableProperties.PARTITIONED_BY, partitionKeys);
        if (!primaryKey.isEmpty()) {
            checkPrimaryKey(primaryKey, partitionKeys);
        }
        return schema;
    }

    /**
     * In what a table differs from another one, apart from the ids that its columns have got.
     */
    static Optional<String> difference(TableSchema existing, TableSchema wanted)
    {
        if (!columns(existing).equals(columns(wanted))) {
            return Optional.of("its columns, %s, are others in name, type, comment or order".formatted(columns(existing).stream().map(DataField::name).collect(toImmutableList())));
        }
        if (!existing.primaryKeys().equals(wanted.primaryKeys()) || !existing.partitionKeys().equals(wanted.partitionKeys())) {
            return Optional.of("its keys are %s and its partition columns %s".formatted(existing.primaryKeys(), existing.partitionKeys()));
        }
        if (!existing.options().equals(wanted.options())) {
            return Optional.of("its options are %s".formatted(new TreeMap<>(existing.options())));
        }
        if (!existing.comment().equals(wanted.comment())) {
            return Optional.of("its comment is another");
        }
        return Optional.empty();
    }

    private static List<DataField> columns(TableSchema schema)
    {
        // numbered anew, in their order: the fields inside of types have ids too
        return FieldIds.renumber(ImmutableList.copyOf(schema.fields())).fields();
    }

    public static void checkTableName(SchemaTableName name)
    {
        if (name.getTableName().contains("$")) {
            throw new TrinoException(NOT_SUPPORTED, format("Table name %s must not contain $: such names tell of other tables", name));
        }
    }

    public static void checkColumnName(String name)
    {
        String lowerCaseName = name.toLowerCase(ENGLISH);
        if (lowerCaseName.startsWith("$") || lowerCaseName.startsWith(RESERVED_COLUMN_PREFIX) || RESERVED_COLUMNS.contains(lowerCaseName)) {
            throw new TrinoException(NOT_SUPPORTED, format("Column name %s is reserved: choose another", name));
        }
    }

    private static void checkKeys(TableSchema schema, String property, List<String> keys)
    {
        Set<String> seen = new HashSet<>();
        for (String key : keys) {
            DataField field = schema.findField(key)
                    .orElseThrow(() -> new TrinoException(INVALID_TABLE_PROPERTY, format("Column %s of %s is not a column of the table", key, property)));
            if (!(field.type() instanceof ScalarType)) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, format("Column %s of %s has a nested type, which no key can have", key, property));
            }
            if (!seen.add(key)) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, format("Column %s is twice in %s", key, property));
            }
        }
    }

    private static void checkPrimaryKey(List<String> primaryKey, List<String> partitionKeys)
    {
        for (String partitionKey : partitionKeys) {
            if (!primaryKey.contains(partitionKey)) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, format("Partition column %s must be part of primary_key", partitionKey));
            }
        }
        if (partitionKeys.containsAll(primaryKey)) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, format("primary_key %s must hold a column that is not in partitioned_by", primaryKey));
        }
    }

    private static List<String> lowerCase(List<String> names)
    {
        return names.stream()
                .map(name -> name.toLowerCase(ENGLISH))
                .collect(toImmutableList());
    }
}
