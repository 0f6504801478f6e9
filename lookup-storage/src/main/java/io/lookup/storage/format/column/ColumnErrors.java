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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;

import static java.util.Objects.requireNonNull;

/**
 * Errors that name a column and the file it stands in.
 *
 * @param file path
 * @param column name of the top-level column
 */
public record ColumnErrors(String file, String column)
{
    /**
     * The field of a group, in the place of a map, that says which of its other fields hold the values of which keys.
     */
    public static final String SHARED_MAP_MAPPING = "__field_mapping";

    public ColumnErrors
    {
        requireNonNull(file, "file is null");
        requireNonNull(column, "column is null");
    }

    /**
     * Says which column and file a value stands in that cannot be converted.
     */
    public BlockTransform naming(BlockTransform transform, ScalarType fileType, ScalarType tableType)
    {
        return block -> {
            try {
                return transform.apply(block);
            }
            catch (NumberFormatException e) {
                throw new StorageException(
                        StorageErrorCode.INVALID_ROW,
                        "Column '%s' was written as %s and is %s now, but a value in file %s is none (%s); change the column back to %s"
                                .formatted(column, describe(fileType), describe(tableType), file, e.getMessage(), describe(fileType)),
                        e);
            }
        };
    }

    /**
     * For a change of the column's type that cannot be followed.
     */
    public StorageException unsupported(DataType fileType, DataType tableType)
    {
        return new StorageException(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                "Column '%s' was written as %s in file %s and is %s now; such a change cannot be read: rewrite the table with a program that can, or leave the column out"
                        .formatted(column, describe(fileType), file, describe(tableType)));
    }

    /**
     * For a column whose values a file's format does not hold, as Paimon has it.
     */
    public StorageException notInFormat(DataType type)
    {
        return new StorageException(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                "Column '%s' is %s, which is read of Parquet files only, not of %s; leave the column out, or rewrite the table with file.format = parquet".formatted(column, describe(type), file));
    }

    /**
     * For a map whose keys share columns, as versions after 1.4 can write them.
     */
    public StorageException sharedMap()
    {
        return new StorageException(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                "Column '%s' of file %s is a MAP with the storage layout 'shared-shredding', which cannot be read; leave the column out, or unset the option fields.%s.map.storage-layout and let the writer rewrite the table".formatted(column, file, column));
    }

    public static String describe(DataType type)
    {
        if (type instanceof ScalarType scalar) {
            return scalar.root() == TypeRoot.DECIMAL
                    ? "DECIMAL(%d, %d)".formatted(scalar.precision(), scalar.scale())
                    : scalar.root() + (scalar.precision() > 0 && scalar.precision() != DataType.UNBOUNDED_LENGTH ? "(%d)".formatted(scalar.precision()) : "");
        }
        return type.root().toString();
    }
}
