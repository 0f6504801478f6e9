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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.column.OutputColumn.ConstantColumn;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import org.apache.hadoop.fs.Path;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;

/**
 * How one data or changelog file is to be read.
 *
 * @param fileSize length of the file as its metadata has it
 * @param fileSchema the schema version the file was written with (its _SCHEMA_ID)
 * @param columns wanted columns of the table schema that is read, matched to the file's by field id; missing ones are null
 * @param systemColumns append _SEQUENCE_NUMBER (BIGINT) and _VALUE_KIND (TINYINT) channels
 * @param partitionFields partition columns of the table; those among columns are filled from partition, not from the file
 * @param predicate by field id over table types; only used to skip row groups and pages, rows that do not match
 * may be returned. Domains of columns that are not wanted are ignored
 * @param deletions positions of rows that are left out
 * @param rowPositions append a BIGINT channel: the row's position in the file, from 0
 */
public record ReadRequest(
        Path path,
        long fileSize,
        TableSchema fileSchema,
        List<DataField> columns,
        boolean systemColumns,
        List<DataField> partitionFields,
        BinaryRow partition,
        TupleDomain<Integer> predicate,
        DeletionVector deletions,
        boolean rowPositions)
{
    public ReadRequest
    {
        requireNonNull(path, "path is null");
        requireNonNull(fileSchema, "fileSchema is null");
        columns = ImmutableList.copyOf(columns);
        partitionFields = ImmutableList.copyOf(partitionFields);
        requireNonNull(partition, "partition is null");
        requireNonNull(predicate, "predicate is null");
        requireNonNull(deletions, "deletions is null");
    }

    /**
     * All rows, without their positions.
     */
    public ReadRequest(
            Path path,
            long fileSize,
            TableSchema fileSchema,
            List<DataField> columns,
            boolean systemColumns,
            List<DataField> partitionFields,
            BinaryRow partition,
            TupleDomain<Integer> predicate)
    {
        this(path, fileSize, fileSchema, columns, systemColumns, partitionFields, partition, predicate, DeletionVector.EMPTY, false);
    }

    /**
     * A column that partitions the table: its value is the partition's, and not read from the file.
     */
    public Optional<ConstantColumn> partitionColumn(DataField column)
    {
        for (int index = 0; index < partitionFields.size(); index++) {
            if (partitionFields.get(index).id() == column.id()) {
                BinaryRowDecoder decoder = new BinaryRowDecoder(partitionFields.stream().map(DataField::type).collect(toImmutableList()));
                return Optional.of(new ConstantColumn(writeNativeValue(TrinoTypes.toTrinoType(column.type()), decoder.value(partition, index))));
            }
        }
        return Optional.empty();
    }

    /**
     * Wanted values of a column.
     */
    public Optional<Domain> domain(DataField column)
    {
        return Optional.ofNullable(predicate.getDomains().orElseThrow().get(column.id()));
    }

    public ReadRequest withDeletions(DeletionVector deletions)
    {
        return new ReadRequest(path, fileSize, fileSchema, columns, systemColumns, partitionFields, partition, predicate, deletions, rowPositions);
    }

    public ReadRequest withRowPositions()
    {
        return new ReadRequest(path, fileSize, fileSchema, columns, systemColumns, partitionFields, partition, predicate, deletions, true);
    }
}
