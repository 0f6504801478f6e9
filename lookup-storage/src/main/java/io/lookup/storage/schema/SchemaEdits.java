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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.FieldIds.NumberedFields;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Changes of a table's columns and options, each of which makes a schema of a schema. Only what the change itself touches is
 * looked at; {@link SchemaValidation} checks the whole. Columns are known by their ids, fields of rows by their names in
 * whatever case. The version's id and time stay those of the schema that is changed.
 *
 * <p>All methods throw {@link StorageException} INVALID_SCHEMA for names that do not exist or exist already, and
 * UNSUPPORTED_FEATURE for changes that would make stored rows mean something else.
 */
public final class SchemaEdits
{
    /**
     * Id of a column or field that has none yet.
     */
    public static final int UNNUMBERED = -1;

    private static final String ARRAY_ELEMENT = "element";
    private static final String MAP_KEY = "key";
    private static final String MAP_VALUE = "value";

    private SchemaEdits() {}

    public static TableSchema withComment(TableSchema schema, Optional<String> comment)
    {
        return new TableSchema(schema.version(), schema.id(), schema.fields(), schema.highestFieldId(), schema.partitionKeys(), schema.primaryKeys(), schema.options(), comment, schema.timeMillis());
    }

    public static TableSchema withOptions(TableSchema schema, Map<String, String> options)
    {
        return new TableSchema(schema.version(), schema.id(), schema.fields(), schema.highestFieldId(), schema.partitionKeys(), schema.primaryKeys(), options, schema.comment(), schema.timeMillis());
    }

    /**
     * @param column {@link #UNNUMBERED}, as are all fields in it
     * @param position index of the new column among the old ones, or their number
     */
    public static TableSchema addColumn(TableSchema schema, DataField column, int position)
    {
        checkNewName(schema.fields(), column.name());
        List<DataField> fields = new ArrayList<>(schema.fields());
        fields.add(position, column);
        return withFields(schema, fields);
    }

    public static TableSchema dropColumn(TableSchema schema, int fieldId)
    {
        DataField column = column(schema, fieldId);
        checkNoKey(schema, column, "dropped");
        ColumnReferences.find(schema.options(), column.name()).ifPresent(option -> {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "Column '%s' cannot be dropped: option '%s' names it, remove that first".formatted(column.name(), option));
        });
        return withFields(schema, schema.fields().stream()
                .filter(field -> field.id() != fieldId)
                .collect(toImmutableList()));
    }

    /**
     * Options that name the column follow it.
     */
    public static TableSchema renameColumn(TableSchema schema, int fieldId, String newName)
    {
        DataField column = column(schema, fieldId);
        if (schema.partitionKeys().contains(column.name())) {
            throw refused("Partition column '%s' cannot be renamed: directories are named after it".formatted(column.name()));
        }
        if (column.name().equals(newName)) {
            return schema;
        }
        if (!column.name().equalsIgnoreCase(newName)) {
            checkNewName(schema.fields(), newName);
        }
        Map<String, String> newNames = ImmutableMap.of(column.name(), newName);
        TableSchema renamed = withFields(schema, replace(schema.fields(), fieldId, field -> withName(field, newName)));
        return new TableSchema(
                renamed.version(),
                renamed.id(),
                renamed.fields(),
                renamed.highestFieldId(),
                renamed.partitionKeys(),
                schema.primaryKeys().stream().map(name -> newNames.getOrDefault(name, name)).collect(toImmutableList()),
                ColumnReferences.rename(schema.options(), newNames),
                renamed.comment(),
                renamed.timeMillis());
    }

    /**
     * @param type fields of its rows are taken for those of the old type that have their name, all others are new
     */
    public static TableSchema changeType(TableSchema schema, int fieldId, DataType type)
    {
        DataField column = column(schema, fieldId);
        checkNoKey(schema, column, "given another type");
        return withFields(schema, replace(schema.fields(), fieldId, field -> withCheckedType(schema, field.name(), field, field.name(), type)));
    }

    public static TableSchema dropNotNull(TableSchema schema, int fieldId)
    {
        DataField column = column(schema, fieldId);
        checkNoKey(schema, column, "made nullable");
        return withFields(schema, replace(schema.fields(), fieldId, field -> withType(field, field.type().withNullable(true))));
    }

    public static TableSchema withColumnComment(TableSchema schema, int fieldId, Optional<String> comment)
    {
        return withFields(schema, replace(schema.fields(), fieldId, field -> new DataField(field.id(), field.name(), field.type(), comment, field.defaultValue())));
    }

    /**
     * @param rowPath from the column to the row that gets the field; an array's element is called {@code element}, a map's value {@code value}
     * @param field {@link #UNNUMBERED}, as are all fields in it
     */
    public static TableSchema addField(TableSchema schema, List<String> rowPath, DataField field)
    {
        return withFields(schema, changeRow(schema.fields(), rowPath, fields -> {
            checkNewName(fields, field.name());
            return ImmutableList.<DataField>builder().addAll(fields).add(field).build();
        }));
    }

    public static TableSchema dropField(TableSchema schema, List<String> path)
    {
        return withFields(schema, changeField(schema.fields(), path, _ -> Optional.empty()));
    }

    public static TableSchema renameField(TableSchema schema, List<String> path, String newName)
    {
        return withFields(schema, changeRow(schema.fields(), path.subList(0, path.size() - 1), fields -> {
            DataField field = existing(fields, path.getLast());
            if (!field.name().equalsIgnoreCase(newName)) {
                checkNewName(fields, newName);
            }
            return replace(fields, field.id(), old -> withName(old, newName));
        }));
    }

    public static TableSchema changeFieldType(TableSchema schema, List<String> path, DataType type)
    {
        return withFields(schema, changeField(schema.fields(), path, field -> Optional.of(withCheckedType(schema, existing(schema.fields(), path.getFirst()).name(), field, String.join(".", path), type))));
    }

    private static DataField withCheckedType(TableSchema schema, String column, DataField field, String name, DataType type)
    {
        DataType known = TypeChanges.withKnownFields(field.type(), type).withNullable(field.type().nullable());
        TypeChanges.check(name, field.type(), known);
        if (!TypeChanges.isOrderKept(field.type(), known)) {
            MergeColumns.whyCompared(schema, column).ifPresent(option -> {
                throw refused("The type of column '%s' cannot be changed from %s to %s: option '%s' compares its values, whose order would be another".formatted(
                        name,
                        TypeJson.format(field.type()),
                        TypeJson.format(known),
                        option));
            });
        }
        return withType(field, known);
    }

    private static TableSchema withFields(TableSchema schema, List<DataField> fields)
    {
        NumberedFields numbered = FieldIds.numberNew(fields, schema.highestFieldId());
        return new TableSchema(
                schema.version(),
                schema.id(),
                numbered.fields(),
                numbered.highestFieldId(),
                schema.partitionKeys(),
                schema.primaryKeys(),
                schema.options(),
                schema.comment(),
                schema.timeMillis());
    }

    private static List<DataField> replace(List<DataField> fields, int fieldId, UnaryOperator<DataField> change)
    {
        return fields.stream()
                .map(field -> field.id() == fieldId ? change.apply(field) : field)
                .collect(toImmutableList());
    }

    private interface FieldChange
    {
        /**
         * @return empty if the field goes
         */
        Optional<DataField> apply(DataField field);
    }

    private static List<DataField> changeField(List<DataField> columns, List<String> path, FieldChange change)
    {
        return changeRow(columns, path.subList(0, path.size() - 1), fields -> {
            DataField field = existing(fields, path.getLast());
            List<DataField> changed = fields.stream()
                    .flatMap(old -> old.id() == field.id() ? change.apply(old).stream() : Stream.of(old))
                    .collect(toImmutableList());
            if (changed.isEmpty()) {
                throw refused("Field '%s' cannot be dropped: it is the last one of its row".formatted(String.join(".", path)));
            }
            return changed;
        });
    }

    private static List<DataField> changeRow(List<DataField> fields, List<String> rowPath, UnaryOperator<List<DataField>> change)
    {
        if (rowPath.isEmpty()) {
            return change.apply(fields);
        }
        DataField field = existing(fields, rowPath.getFirst());
        return replace(fields, field.id(), old -> withType(old, changeRow(old.type(), rowPath.subList(1, rowPath.size()), change)));
    }

    private static DataType changeRow(DataType type, List<String> rowPath, UnaryOperator<List<DataField>> change)
    {
        return switch (type) {
            case RowType row -> new RowType(changeRow(row.fields(), rowPath, change), row.nullable());
            case ArrayType array when !rowPath.isEmpty() && rowPath.getFirst().equals(ARRAY_ELEMENT) ->
                    new ArrayType(changeRow(array.element(), rowPath.subList(1, rowPath.size()), change), array.nullable());
            case MapType map when !rowPath.isEmpty() && rowPath.getFirst().equals(MAP_VALUE) ->
                    new MapType(map.key(), changeRow(map.value(), rowPath.subList(1, rowPath.size()), change), map.nullable());
            case MapType map when !rowPath.isEmpty() && rowPath.getFirst().equals(MAP_KEY) -> throw refused("The keys of %s cannot be changed".formatted(TypeJson.format(map)));
            default -> throw refused("Only fields of rows can be changed, and %s is none".formatted(TypeJson.format(type)));
        };
    }

    private static DataField existing(List<DataField> fields, String name)
    {
        return TypeChanges.findField(fields, name)
                .orElseThrow(() -> new StorageException(StorageErrorCode.INVALID_SCHEMA, "Field '%s' does not exist".formatted(name)));
    }

    private static void checkNewName(List<DataField> fields, String name)
    {
        TypeChanges.findField(fields, name).ifPresent(field -> {
            throw new StorageException(StorageErrorCode.INVALID_SCHEMA, "'%s' exists already; choose another name".formatted(field.name()));
        });
    }

    private static DataField column(TableSchema schema, int fieldId)
    {
        return schema.findField(fieldId)
                .orElseThrow(() -> new StorageException(StorageErrorCode.COMMIT_CONFLICT, "A column was dropped by another statement meanwhile; run the statement again"));
    }

    private static void checkNoKey(TableSchema schema, DataField column, String change)
    {
        if (schema.primaryKeys().contains(column.name())) {
            throw refused("Primary-key column '%s' cannot be %s".formatted(column.name(), change));
        }
        if (schema.partitionKeys().contains(column.name())) {
            throw refused("Partition column '%s' cannot be %s".formatted(column.name(), change));
        }
    }

    private static DataField withName(DataField field, String name)
    {
        return new DataField(field.id(), name, field.type(), field.description(), field.defaultValue());
    }

    private static DataField withType(DataField field, DataType type)
    {
        return new DataField(field.id(), field.name(), type, field.description(), field.defaultValue());
    }

    private static StorageException refused(String message)
    {
        return new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, message);
    }
}
