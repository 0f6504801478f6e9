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
import com.google.inject.Inject;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.TableKind;
import io.lookup.trino.state.StateTables;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeManager;
import io.trino.spi.type.TypeSignature;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.trino.handle.LookupColumnHandle.NO_FIELD;
import static io.trino.spi.StandardErrorCode.AMBIGUOUS_NAME;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.StandardTypes.JSON;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.String.format;
import static java.util.Locale.ENGLISH;

/**
 * The columns that Trino sees in a table and in the tables that tell of it.
 */
public final class TableColumns
{
    public static final String ROW_KIND_COLUMN = "rowkind";

    private static final List<LookupColumnHandle> CHANGE_COLUMNS = ImmutableList.of(
            new LookupColumnHandle(NO_FIELD, "$snapshot_id", BIGINT, ColumnRole.SNAPSHOT_ID),
            new LookupColumnHandle(NO_FIELD, "$commit_time", TIMESTAMP_TZ_MILLIS, ColumnRole.COMMIT_TIME),
            new LookupColumnHandle(NO_FIELD, "$query_id", VARCHAR, ColumnRole.QUERY_ID),
            new LookupColumnHandle(NO_FIELD, "$user", VARCHAR, ColumnRole.USER),
            new LookupColumnHandle(NO_FIELD, "$bucket", INTEGER, ColumnRole.BUCKET),
            new LookupColumnHandle(NO_FIELD, "$sequence_number", BIGINT, ColumnRole.SEQUENCE_NUMBER));

    private final Type json;

    @Inject
    public TableColumns(TypeManager typeManager)
    {
        this.json = typeManager.getType(new TypeSignature(JSON));
    }

    /**
     * A column with what Trino is told of it.
     */
    public record Column(LookupColumnHandle handle, boolean nullable, boolean hidden, Optional<String> comment)
    {
        public ColumnMetadata metadata()
        {
            return ColumnMetadata.builder()
                    .setName(handle.name())
                    .setType(handle.type())
                    .setNullable(nullable)
                    .setHidden(hidden)
                    .setComment(comment)
                    .build();
        }
    }

    /**
     * All columns in order, the hidden ones last.
     */
    public List<Column> columns(TableKind kind, TableSchema schema)
    {
        return switch (kind) {
            case DATA, RO -> dataColumns(schema);
            case BINLOG -> {
                ImmutableList.Builder<Column> columns = ImmutableList.builder();
                columns.add(new Column(rowKindColumn(), true, false, Optional.empty()));
                dataColumns(schema).stream()
                        .map(column -> new Column(
                                new LookupColumnHandle(column.handle().fieldId(), column.handle().name(), new ArrayType(column.handle().type()), ColumnRole.DATA),
                                true,
                                false,
                                column.comment()))
                        .forEach(columns::add);
                yield columns.build();
            }
            case AUDIT_LOG -> {
                ImmutableList.Builder<Column> columns = ImmutableList.builder();
                columns.add(new Column(rowKindColumn(), true, false, Optional.empty()));
                dataColumns(schema).stream()
                        // a change holds whatever the schema of its time allowed
                        .map(column -> new Column(column.handle(), true, false, column.comment()))
                        .forEach(columns::add);
                CHANGE_COLUMNS.forEach(column -> columns.add(new Column(column, true, true, Optional.empty())));
                yield columns.build();
            }
            case SNAPSHOTS, FILES, SCHEMAS, OPTIONS, MANIFESTS, PARTITIONS, BUCKETS, TAGS, AGGREGATION_FIELDS, CONSUMERS, BRANCHES, STATISTICS, CONTRADICTIONS -> StateTables.columns(kind);
        };
    }

    /**
     * The columns of {@code table_changes}: those of the audit log, the hidden ones visible under another name.
     */
    public List<LookupColumnHandle> changeFunctionColumns(TableSchema schema)
    {
        ImmutableList.Builder<LookupColumnHandle> columns = ImmutableList.builder();
        columns.add(rowKindColumn());
        dataColumns(schema).forEach(column -> columns.add(column.handle()));
        for (LookupColumnHandle column : CHANGE_COLUMNS) {
            columns.add(new LookupColumnHandle(NO_FIELD, "_" + column.name().substring(1), column.type(), column.role()));
        }
        return columns.build();
    }

    public List<ColumnMetadata> columnMetadata(TableKind kind, TableSchema schema)
    {
        return columns(kind, schema).stream()
                .map(Column::metadata)
                .collect(toImmutableList());
    }

    public Map<String, ColumnHandle> columnHandles(TableKind kind, TableSchema schema)
    {
        Map<String, ColumnHandle> handles = new LinkedHashMap<>();
        for (Column column : columns(kind, schema)) {
            if (handles.put(column.handle().name(), column.handle()) != null) {
                throw new TrinoException(AMBIGUOUS_NAME, format("Column names %s differ only in case", column.handle().name()));
            }
        }
        return ImmutableMap.copyOf(handles);
    }

    /**
     * A column that is part of a key.
     */
    static LookupColumnHandle keyColumn(DataField field)
    {
        return dataColumn(field, TrinoTypes.toTrinoType(field.type()));
    }

    /**
     * The whole row, as what an update or delete knows a row by.
     */
    public LookupColumnHandle rowIdColumn(TableSchema schema)
    {
        Type type = RowType.from(schema.fields().stream()
                .map(field -> RowType.field(field.name(), trinoType(field.type())))
                .collect(toImmutableList()));
        return new LookupColumnHandle(NO_FIELD, "$row_id", type, ColumnRole.ROW_ID);
    }

    private static LookupColumnHandle rowKindColumn()
    {
        return new LookupColumnHandle(NO_FIELD, ROW_KIND_COLUMN, VARCHAR, ColumnRole.ROW_KIND);
    }

    private List<Column> dataColumns(TableSchema schema)
    {
        return schema.fields().stream()
                .map(field -> new Column(dataColumn(field, trinoType(field.type())), field.type().nullable(), false, field.description()))
                .collect(toImmutableList());
    }

    private static LookupColumnHandle dataColumn(DataField field, Type type)
    {
        return new LookupColumnHandle(field.id(), field.name().toLowerCase(ENGLISH), type, ColumnRole.DATA);
    }

    /**
     * As the engine has it, which carries a variant as the text of its JSON, but for variants.
     */
    private Type trinoType(DataType type)
    {
        return switch (type) {
            case ScalarType scalar -> scalar.root() == TypeRoot.VARIANT ? json : TrinoTypes.toTrinoType(scalar);
            case DataType.ArrayType array -> new ArrayType(trinoType(array.element()));
            case MapType map -> new io.trino.spi.type.MapType(trinoType(map.key()), trinoType(map.value()), TrinoTypes.typeOperators());
            case MultisetType multiset -> TrinoTypes.toTrinoType(multiset);
            case DataType.RowType row -> RowType.from(row.fields().stream()
                    .map(field -> RowType.field(field.name(), trinoType(field.type())))
                    .collect(toImmutableList()));
        };
    }
}
