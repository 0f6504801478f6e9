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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.column.BlockTransform;
import io.lookup.storage.format.column.OutputColumn;
import io.lookup.storage.format.column.OutputColumn.ConstantColumn;
import io.lookup.storage.format.column.OutputColumn.FileColumn;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.column.ScalarEvolution;
import io.lookup.storage.format.column.SystemFields;
import io.lookup.storage.format.column.VarcharLimit;
import io.lookup.storage.format.parquet.FieldResolver.Resolved;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.trino.parquet.Column;
import io.trino.parquet.Field;
import io.trino.parquet.ParquetTypeUtils;
import io.trino.parquet.PrimitiveField;
import io.trino.spi.predicate.Domain;
import io.trino.spi.type.VarcharType;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.io.ColumnIO;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Where the channels of a file's pages come from. Not thread-safe.
 */
final class ReadPlan
{
    private final ReadRequest request;
    private final MessageColumnIO columns;
    private final List<Column> readColumns = new ArrayList<>();
    private final List<Type> parquetTypes = new ArrayList<>();
    private final List<OutputColumn> outputColumns = new ArrayList<>();
    private final Map<String, Domain> domains = new HashMap<>();
    private boolean empty;

    ReadPlan(ReadRequest request, MessageType fileSchema)
    {
        this.request = request;
        checkNames(fileSchema);
        this.columns = ParquetTypeUtils.getColumnIO(fileSchema, fileSchema);
        request.columns().forEach(this::addColumn);
        if (request.systemColumns()) {
            addFileColumn(SystemFields.SEQUENCE_NUMBER, SystemFields.SEQUENCE_NUMBER, requiredColumn(ParquetSchemas.SEQUENCE_NUMBER));
            addFileColumn(SystemFields.VALUE_KIND, SystemFields.VALUE_KIND, requiredColumn(ParquetSchemas.VALUE_KIND));
        }
    }

    /**
     * Trino's reader makes all names lower case.
     */
    private void checkNames(MessageType fileSchema)
    {
        Set<String> names = new HashSet<>();
        for (Type type : fileSchema.getFields()) {
            if (!names.add(type.getName())) {
                throw new StorageException(
                        StorageErrorCode.UNSUPPORTED_FEATURE,
                        "File %s has two columns '%s' whose names differ only in case; such columns cannot be read, rename one and rewrite the table".formatted(request.path(), type.getName()));
            }
        }
    }

    private ColumnIO requiredColumn(String name)
    {
        ColumnIO columnIo = columns.getChild(FieldResolver.parquetName(name));
        if (columnIo == null) {
            throw new StorageException(
                    StorageErrorCode.CORRUPT_FILE, "File %s has no column %s, so it is no data file of a table with a primary key; restore it from a copy".formatted(request.path(), name));
        }
        return columnIo;
    }

    private void addColumn(DataField column)
    {
        Optional<ConstantColumn> partition = request.partitionColumn(column);
        if (partition.isPresent()) {
            outputColumns.add(partition.get());
            return;
        }
        Optional<DataField> fileField = request.fileSchema().findField(column.id());
        ColumnIO columnIo = fileField.map(field -> columns.getChild(FieldResolver.parquetName(field.name()))).orElse(null);
        if (columnIo == null) {
            addMissingColumn(column);
            return;
        }
        addFileColumn(fileField.get(), column, columnIo);
    }

    private void addMissingColumn(DataField column)
    {
        outputColumns.add(ConstantColumn.ofNulls(column));
        empty |= request.domain(column).filter(domain -> !domain.isNullAllowed()).isPresent();
    }

    private void addFileColumn(DataField fileField, DataField column, ColumnIO columnIo)
    {
        Resolved resolved = new FieldResolver(request.path().toString(), column.name()).resolve(fileField.type(), column.type(), columnIo);
        Field field = resolved.field();
        BlockTransform transform = resolved.transform();
        if (field instanceof PrimitiveField primitive && primitive.getType() instanceof VarcharType type && !type.isUnbounded()) {
            // Trino's reader counts the characters of every value
            field = new PrimitiveField(VarcharType.VARCHAR, primitive.isRequired(), primitive.getDescriptor(), primitive.getId());
            transform = new VarcharLimit(type, transform);
        }
        outputColumns.add(new FileColumn(readColumns.size(), transform));
        readColumns.add(new Column(fileField.name(), field));
        parquetTypes.add(columnIo.getType());
        if (fileField.type() instanceof ScalarType fileType
                && column.type() instanceof ScalarType tableType
                && ScalarEvolution.sameType(fileType, tableType)) {
            request.domain(column)
                    .flatMap(domain -> PredicateTranslator.translate(tableType, domain))
                    .ifPresent(translated -> domains.put(columnIo.getName(), translated));
        }
    }

    Map<ColumnDescriptor, Domain> domains(Map<List<String>, ColumnDescriptor> descriptors)
    {
        Map<ColumnDescriptor, Domain> result = new HashMap<>();
        domains.forEach((name, domain) -> result.put(requireNonNull(descriptors.get(List.of(name)), "no descriptor"), domain));
        return result;
    }

    /**
     * What Parquet's reader reads.
     */
    List<Column> readColumns()
    {
        return readColumns;
    }

    /**
     * Types in the file of the columns that are read.
     */
    List<Type> parquetTypes()
    {
        return parquetTypes;
    }

    /**
     * The channels of the pages.
     */
    List<OutputColumn> outputColumns()
    {
        return outputColumns;
    }

    /**
     * Whether the predicate excludes every row, since a column that the file does not have is null in all of them.
     */
    boolean isEmpty()
    {
        return empty;
    }
}
