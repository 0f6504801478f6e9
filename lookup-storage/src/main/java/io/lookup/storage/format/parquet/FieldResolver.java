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
package io.lookup.storage.format.parquet;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.column.BlockTransform;
import io.lookup.storage.format.column.ColumnErrors;
import io.lookup.storage.format.column.NestedTransforms;
import io.lookup.storage.format.column.NestedTransforms.RowField;
import io.lookup.storage.format.column.ScalarEvolution;
import io.lookup.storage.format.column.VariantColumns;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.parquet.Field;
import io.trino.parquet.GroupField;
import io.trino.parquet.ParquetTypeUtils;
import io.trino.parquet.PrimitiveField;
import io.trino.spi.type.Type;
import org.apache.parquet.io.ColumnIO;
import org.apache.parquet.io.GroupColumnIO;
import org.apache.parquet.io.PrimitiveColumnIO;
import org.apache.parquet.schema.Type.Repetition;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.VarbinaryType.VARBINARY;
import static java.util.Objects.requireNonNull;

/**
 * Matches a column of the table with one of a file by field ids, at every depth, and finds how to read it. Parquet
 * columns are found by the names that the file's schema version gives them, as every reader of the format does.
 */
final class FieldResolver
{
    private static final ScalarType COUNT = new ScalarType(TypeRoot.INTEGER, 0, 0, false);

    private final String file;
    private final String column;
    private final ColumnErrors errors;

    /**
     * @param file path, for messages
     * @param column name of the top-level column, for messages
     */
    FieldResolver(String file, String column)
    {
        this.file = requireNonNull(file, "file is null");
        this.column = requireNonNull(column, "column is null");
        this.errors = new ColumnErrors(file, column);
    }

    /**
     * Name of a column in the schema that Trino's reader gives: it makes all names lower case.
     */
    static String parquetName(String name)
    {
        return name.toLowerCase(Locale.ENGLISH);
    }

    /**
     * @param field what Parquet's reader reads
     * @param transform makes a block of the table's type of it
     */
    record Resolved(Field field, BlockTransform transform) {}

    Resolved resolve(DataType fileType, DataType tableType, ColumnIO columnIo)
    {
        return switch (fileType) {
            case ScalarType scalar when tableType instanceof ScalarType table -> resolveScalar(scalar, table, columnIo);
            case RowType row when tableType instanceof RowType table -> resolveRow(row, table, columnIo);
            case ArrayType array when tableType instanceof ArrayType table -> resolveArray(array, table, columnIo);
            case MapType map when tableType instanceof MapType table -> resolveMap(map.key(), map.value(), table.key(), table.value(), columnIo);
            case MultisetType multiset when tableType instanceof MultisetType table -> resolveMap(multiset.element(), COUNT, table.element(), COUNT, columnIo);
            default -> throw errors.unsupported(fileType, tableType);
        };
    }

    private Resolved resolveScalar(ScalarType fileType, ScalarType tableType, ColumnIO columnIo)
    {
        if (!(columnIo instanceof PrimitiveColumnIO primitive)) {
            if (fileType.root() == TypeRoot.VARIANT && tableType.root() == TypeRoot.VARIANT && columnIo instanceof GroupColumnIO group) {
                return resolveVariant(fileType, group);
            }
            throw corrupt(fileType, columnIo);
        }
        ScalarEvolution evolution = ScalarEvolution.find(fileType, tableType).orElseThrow(() -> errors.unsupported(fileType, tableType));
        return new Resolved(
                new PrimitiveField(evolution.readType(), required(columnIo), primitive.getColumnDescriptor(), primitive.getId()),
                evolution.transform() == BlockTransform.IDENTITY ? BlockTransform.IDENTITY : errors.naming(evolution.transform(), fileType, tableType));
    }

    private Resolved resolveVariant(ScalarType fileType, GroupColumnIO group)
    {
        if (group.getChild(VariantColumns.TYPED_VALUE) != null) {
            throw new StorageException(
                    StorageErrorCode.UNSUPPORTED_FEATURE,
                    "Column '%s' of file %s is a shredded VARIANT, which cannot be read; leave the column out, or unset the options [parquet.]variant.shreddingSchema and variant.inferShreddingSchema and let the writer rewrite the table".formatted(column, file));
        }
        ImmutableList.Builder<Optional<Field>> children = ImmutableList.builder();
        for (String name : List.of(VariantColumns.VALUE, VariantColumns.METADATA)) {
            if (!(group.getChild(name) instanceof PrimitiveColumnIO child)) {
                throw corrupt(fileType, group);
            }
            children.add(Optional.of(new PrimitiveField(VARBINARY, required(child), child.getColumnDescriptor(), child.getId())));
        }
        Field field = new GroupField(VariantColumns.READ_TYPE, group.getRepetitionLevel(), group.getDefinitionLevel(), required(group), children.build());
        return new Resolved(field, VariantColumns::toJson);
    }

    private Resolved resolveRow(RowType fileType, RowType tableType, ColumnIO columnIo)
    {
        if (!(columnIo instanceof GroupColumnIO group)) {
            throw corrupt(fileType, columnIo);
        }
        List<Field> children = new ArrayList<>();
        List<RowField> rowFields = new ArrayList<>();
        for (DataField tableField : tableType.fields()) {
            Type targetType = TrinoTypes.toTrinoType(tableField.type());
            Optional<DataField> fileField = fileType.fields().stream()
                    .filter(field -> field.id() == tableField.id())
                    .findFirst();
            ColumnIO child = fileField.map(field -> group.getChild(parquetName(field.name()))).orElse(null);
            if (child == null) {
                rowFields.add(new RowField(-1, targetType, BlockTransform.IDENTITY));
                continue;
            }
            Resolved resolved = resolve(fileField.get().type(), tableField.type(), child);
            rowFields.add(new RowField(children.size(), targetType, resolved.transform()));
            children.add(resolved.field());
        }
        if (children.isEmpty()) {
            // none of the fields is left, yet whether the row itself is null can be seen by reading any field
            children.add(anyField(fileType, group));
        }
        Type readType = io.trino.spi.type.RowType.anonymous(children.stream().map(Field::getType).collect(toImmutableList()));
        Field field = new GroupField(
                readType,
                columnIo.getRepetitionLevel(),
                columnIo.getDefinitionLevel(),
                required(columnIo),
                children.stream().map(Optional::of).collect(toImmutableList()));
        return new Resolved(field, NestedTransforms.row(rowFields, children.size()));
    }

    private Field anyField(RowType fileType, GroupColumnIO group)
    {
        for (DataField field : fileType.fields()) {
            ColumnIO child = group.getChild(parquetName(field.name()));
            if (child != null) {
                return resolve(field.type(), field.type(), child).field();
            }
        }
        throw corrupt(fileType, group);
    }

    private Resolved resolveArray(ArrayType fileType, ArrayType tableType, ColumnIO columnIo)
    {
        if (!(columnIo instanceof GroupColumnIO group) || group.getChildrenCount() != 1) {
            throw corrupt(fileType, columnIo);
        }
        Resolved element = resolve(fileType.element(), tableType.element(), ParquetTypeUtils.getArrayElementColumn(group.getChild(0)));
        Field field = new GroupField(
                new io.trino.spi.type.ArrayType(element.field().getType()),
                columnIo.getRepetitionLevel(),
                columnIo.getDefinitionLevel(),
                required(columnIo),
                ImmutableList.of(Optional.of(element.field())));
        return new Resolved(field, NestedTransforms.array(element.transform()));
    }

    private Resolved resolveMap(DataType fileKey, DataType fileValue, DataType tableKey, DataType tableValue, ColumnIO columnIo)
    {
        if (columnIo instanceof GroupColumnIO shared && shared.getChild(ColumnErrors.SHARED_MAP_MAPPING) != null) {
            throw errors.sharedMap();
        }
        if (!(columnIo instanceof GroupColumnIO group) || ParquetTypeUtils.getMapKeyValueColumn(group).getChildrenCount() != 2) {
            throw corrupt(fileKey, columnIo);
        }
        GroupColumnIO entry = ParquetTypeUtils.getMapKeyValueColumn(group);
        Resolved key = resolve(fileKey, tableKey, entry.getChild(0));
        Resolved value = resolve(fileValue, tableValue, entry.getChild(1));
        Field field = new GroupField(
                new io.trino.spi.type.MapType(key.field().getType(), value.field().getType(), TrinoTypes.typeOperators()),
                columnIo.getRepetitionLevel(),
                columnIo.getDefinitionLevel(),
                required(columnIo),
                ImmutableList.of(Optional.of(key.field()), Optional.of(value.field())));
        io.trino.spi.type.MapType targetType = new io.trino.spi.type.MapType(
                TrinoTypes.toTrinoType(tableKey), TrinoTypes.toTrinoType(tableValue), TrinoTypes.typeOperators());
        return new Resolved(field, NestedTransforms.map(targetType, key.transform(), value.transform()));
    }

    private static boolean required(ColumnIO columnIo)
    {
        return columnIo.getType().getRepetition() != Repetition.OPTIONAL;
    }

    private StorageException corrupt(DataType fileType, ColumnIO columnIo)
    {
        return new StorageException(
                StorageErrorCode.CORRUPT_FILE,
                "Column '%s' of file %s should be %s by its schema but is '%s' in the file; restore the file from a copy".formatted(column, file, ColumnErrors.describe(fileType), columnIo.getType()));
    }
}
