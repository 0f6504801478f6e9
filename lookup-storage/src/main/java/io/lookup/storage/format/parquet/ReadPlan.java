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
import io.lookup.storage.format.parquet.DataFileReaderFactory.ReadRequest;
import io.lookup.storage.format.parquet.FieldResolver.Resolved;
import io.lookup.storage.format.parquet.ParquetPageStream.ConstantColumn;
import io.lookup.storage.format.parquet.ParquetPageStream.FileColumn;
import io.lookup.storage.format.parquet.ParquetPageStream.OutputColumn;
import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
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

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
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
            addFileColumn(ParquetSchemas.SEQUENCE_NUMBER_FIELD, ParquetSchemas.SEQUENCE_NUMBER_FIELD, requiredColumn(ParquetSchemas.SEQUENCE_NUMBER));
            addFileColumn(ParquetSchemas.VALUE_KIND_FIELD, ParquetSchemas.VALUE_KIND_FIELD, requiredColumn(ParquetSchemas.VALUE_KIND));
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
        for (int index = 0; index < request.partitionFields().size(); index++) {
            if (request.partitionFields().get(index).id() == column.id()) {
                addPartitionColumn(column, index);
                return;
            }
        }
        Optional<DataField> fileField = request.fileSchema().findField(column.id());
        ColumnIO columnIo = fileField.map(field -> columns.getChild(FieldResolver.parquetName(field.name()))).orElse(null);
        if (columnIo == null) {
            addMissingColumn(column);
            return;
        }
        addFileColumn(fileField.get(), column, columnIo);
    }

    private void addPartitionColumn(DataField column, int index)
    {
        BinaryRowDecoder decoder = new BinaryRowDecoder(request.partitionFields().stream().map(DataField::type).collect(toImmutableList()));
        outputColumns.add(new ConstantColumn(writeNativeValue(TrinoTypes.toTrinoType(column.type()), decoder.value(request.partition(), index))));
    }

    private void addMissingColumn(DataField column)
    {
        outputColumns.add(new ConstantColumn(writeNativeValue(TrinoTypes.toTrinoType(column.type()), null)));
        Domain domain = domain(column);
        empty |= domain != null && !domain.isNullAllowed();
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
        Domain domain = domain(column);
        if (domain != null
                && fileField.type() instanceof ScalarType fileType
                && column.type() instanceof ScalarType tableType
                && ScalarEvolution.sameType(fileType, tableType)) {
            PredicateTranslator.translate(tableType, domain).ifPresent(translated -> domains.put(columnIo.getName(), translated));
        }
    }

    private Domain domain(DataField column)
    {
        return request.predicate().getDomains().orElseThrow().get(column.id());
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
