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
import io.lookup.storage.format.column.ColumnEvolution.ScalarReads;
import io.lookup.storage.format.column.OutputColumn.ConstantColumn;
import io.lookup.storage.format.column.OutputColumn.FileColumn;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.trino.spi.predicate.Domain;
import io.trino.spi.type.Type;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/**
 * Where the channels of a file's pages come from, for files whose columns are found by name.
 */
public final class ColumnPlan
{
    private final ReadRequest request;
    private final Predicate<String> hasColumn;
    private final ScalarReads reads;
    private final List<FileField> fields = new ArrayList<>();
    private final List<OutputColumn> outputColumns = new ArrayList<>();
    private boolean empty;

    /**
     * A column of the file that is read.
     *
     * @param name as the file's schema version has it
     * @param domain of the values that are wanted, if it can be held against those of the file
     */
    public record FileField(String name, DataType type, Type readType, Optional<Domain> domain) {}

    /**
     * @param hasColumn says of a name whether the file has such a column
     * @throws StorageException UNSUPPORTED_FEATURE for a change of a column's type that cannot be read, CORRUPT_FILE if a system column is missing
     */
    public ColumnPlan(ReadRequest request, Predicate<String> hasColumn, ScalarReads reads)
    {
        this.request = requireNonNull(request, "request is null");
        this.hasColumn = requireNonNull(hasColumn, "hasColumn is null");
        this.reads = requireNonNull(reads, "reads is null");
        request.columns().forEach(this::addColumn);
        if (request.systemColumns()) {
            addSystemColumn(SystemFields.SEQUENCE_NUMBER);
            addSystemColumn(SystemFields.VALUE_KIND);
        }
    }

    private void addColumn(DataField column)
    {
        Optional<ConstantColumn> partition = request.partitionColumn(column);
        if (partition.isPresent()) {
            outputColumns.add(partition.get());
            return;
        }
        Optional<DataField> fileField = request.fileSchema().findField(column.id()).filter(field -> hasColumn.test(field.name()));
        if (fileField.isEmpty()) {
            outputColumns.add(ConstantColumn.ofNulls(column));
            empty |= request.domain(column).filter(domain -> !domain.isNullAllowed()).isPresent();
            return;
        }
        addFileColumn(fileField.get(), column);
    }

    private void addSystemColumn(DataField column)
    {
        if (!hasColumn.test(column.name())) {
            throw new StorageException(
                    StorageErrorCode.CORRUPT_FILE,
                    "File %s has no column %s, so it is no data file of a table with a primary key; restore it from a copy".formatted(request.path(), column.name()));
        }
        addFileColumn(column, column);
    }

    private void addFileColumn(DataField fileField, DataField column)
    {
        ColumnEvolution evolution = ColumnEvolution.find(fileField.type(), column.type(), reads, new ColumnErrors(request.path().toString(), column.name()));
        outputColumns.add(new FileColumn(fields.size(), evolution.transform()));
        boolean sameType = fileField.type() instanceof ScalarType fileType && column.type() instanceof ScalarType tableType && ScalarEvolution.sameType(fileType, tableType);
        fields.add(new FileField(fileField.name(), fileField.type(), evolution.readType(), sameType ? request.domain(column) : Optional.empty()));
    }

    /**
     * What is read of the file, by channel.
     */
    public List<FileField> fields()
    {
        return fields;
    }

    /**
     * The channels of the pages.
     */
    public List<OutputColumn> outputColumns()
    {
        return outputColumns;
    }

    /**
     * Whether the predicate excludes every row, since a column that the file does not have is null in all of them.
     */
    public boolean isEmpty()
    {
        return empty;
    }
}
