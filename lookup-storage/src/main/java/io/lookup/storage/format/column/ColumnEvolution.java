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
package io.lookup.storage.format.column;

import io.lookup.storage.format.column.NestedTransforms.RowField;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.type.Type;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * How a column of a file becomes one of the table, at every depth: fields are found by their ids, and types may have changed.
 *
 * @param readType type to read the file's values as
 * @param transform makes a block of the table's type of that
 */
public record ColumnEvolution(Type readType, BlockTransform transform)
{
    private static final ScalarType COUNT = new ScalarType(TypeRoot.INTEGER, 0, 0, false);

    public ColumnEvolution
    {
        requireNonNull(readType, "readType is null");
        requireNonNull(transform, "transform is null");
    }

    /**
     * How a file's format gives values of a type: as what its reader is asked for, and how this becomes {@link #plainType}.
     */
    public interface ScalarReads
    {
        ColumnEvolution read(ScalarType fileType);
    }

    /**
     * The type of a value that has not changed: text is not cut yet.
     */
    public static Type plainType(ScalarType fileType)
    {
        return switch (fileType.root()) {
            case CHAR, VARCHAR -> VARCHAR;
            default -> TrinoTypes.toTrinoType(fileType);
        };
    }

    /**
     * @throws StorageException UNSUPPORTED_FEATURE for a change that cannot be followed
     */
    public static ColumnEvolution find(DataType fileType, DataType tableType, ScalarReads reads, ColumnErrors errors)
    {
        return switch (fileType) {
            case ScalarType scalar when tableType instanceof ScalarType table -> scalar(scalar, table, reads, errors);
            case RowType row when tableType instanceof RowType table -> row(row, table, reads, errors);
            case ArrayType array when tableType instanceof ArrayType table -> {
                ColumnEvolution element = find(array.element(), table.element(), reads, errors);
                yield new ColumnEvolution(new io.trino.spi.type.ArrayType(element.readType()), NestedTransforms.array(element.transform()));
            }
            case MapType map when tableType instanceof MapType table -> map(map.key(), map.value(), table.key(), table.value(), reads, errors);
            case MultisetType multiset when tableType instanceof MultisetType table -> map(multiset.element(), COUNT, table.element(), COUNT, reads, errors);
            default -> throw errors.unsupported(fileType, tableType);
        };
    }

    private static ColumnEvolution scalar(ScalarType fileType, ScalarType tableType, ScalarReads reads, ColumnErrors errors)
    {
        ScalarEvolution evolution = ScalarEvolution.find(fileType, tableType).orElseThrow(() -> errors.unsupported(fileType, tableType));
        if (fileType.root() == TypeRoot.VARIANT) {
            throw errors.notInFormat(fileType);
        }
        ColumnEvolution read = reads.read(fileType);
        BlockTransform change = evolution.transform() == BlockTransform.IDENTITY ? BlockTransform.IDENTITY : errors.naming(evolution.transform(), fileType, tableType);
        BlockTransform widening = Widening.between(plainType(fileType), evolution.readType());
        return new ColumnEvolution(read.readType(), read.transform().andThen(widening).andThen(change));
    }

    private static ColumnEvolution row(RowType fileType, RowType tableType, ScalarReads reads, ColumnErrors errors)
    {
        List<io.trino.spi.type.RowType.Field> readFields = new ArrayList<>();
        List<RowField> fields = new ArrayList<>();
        for (DataField tableField : tableType.fields()) {
            Type targetType = TrinoTypes.toTrinoType(tableField.type());
            Optional<DataField> fileField = fileType.fields().stream()
                    .filter(field -> field.id() == tableField.id())
                    .findFirst();
            if (fileField.isEmpty()) {
                fields.add(new RowField(-1, targetType, BlockTransform.IDENTITY));
                continue;
            }
            ColumnEvolution evolution = find(fileField.get().type(), tableField.type(), reads, errors);
            fields.add(new RowField(readFields.size(), targetType, evolution.transform()));
            readFields.add(io.trino.spi.type.RowType.field(fileField.get().name(), evolution.readType()));
        }
        if (readFields.isEmpty()) {
            // none of the fields is left, yet whether the row itself is null can be seen by reading any field
            DataField any = fileType.fields().getFirst();
            readFields.add(io.trino.spi.type.RowType.field(any.name(), find(any.type(), any.type(), reads, errors).readType()));
        }
        return new ColumnEvolution(io.trino.spi.type.RowType.from(readFields), NestedTransforms.row(fields, readFields.size()));
    }

    private static ColumnEvolution map(DataType fileKey, DataType fileValue, DataType tableKey, DataType tableValue, ScalarReads reads, ColumnErrors errors)
    {
        ColumnEvolution key = find(fileKey, tableKey, reads, errors);
        ColumnEvolution value = find(fileValue, tableValue, reads, errors);
        io.trino.spi.type.MapType targetType = new io.trino.spi.type.MapType(TrinoTypes.toTrinoType(tableKey), TrinoTypes.toTrinoType(tableValue), TrinoTypes.typeOperators());
        return new ColumnEvolution(
                new io.trino.spi.type.MapType(key.readType(), value.readType(), TrinoTypes.typeOperators()),
                NestedTransforms.map(targetType, key.transform(), value.transform()));
    }
}
