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
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.trino.handle.LookupPartitioningHandle;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.SchemaTableName;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Locale.ENGLISH;

/**
 * How Trino must route rows so that each (partition, bucket) has one writer. Where buckets grow with the keys, each partition has one
 * writer: only who knows all keys of a partition can say whether one has a bucket.
 */
final class WriteLayouts
{
    private WriteLayouts() {}

    /**
     * @return empty for tables without buckets, where any number of writers may write
     */
    static Optional<ConnectorTableLayout> insertLayout(SchemaTableName name, TableSchema schema)
    {
        int bucketCount = routedBuckets(schema);
        if (bucketCount < 1) {
            return Optional.empty();
        }
        return Optional.of(new ConnectorTableLayout(
                partitioning(name, schema, bucketCount, ImmutableList.of()),
                routingFields(schema).stream().map(field -> field.name().toLowerCase(ENGLISH)).collect(toImmutableList()),
                // also keeps Trino from adding writers to a bucket that is busy
                false));
    }

    static Optional<ConnectorPartitioningHandle> updateLayout(SchemaTableName name, TableSchema schema)
    {
        int bucketCount = routedBuckets(schema);
        if (bucketCount < 1) {
            return Optional.empty();
        }
        List<Integer> rowIdFields = routingFields(schema).stream()
                .map(field -> schema.fieldIndex(field.name()))
                .collect(toImmutableList());
        return Optional.of(partitioning(name, schema, bucketCount, rowIdFields));
    }

    private static int routedBuckets(TableSchema schema)
    {
        int bucketCount = new CoreOptions(schema.options()).bucket();
        return bucketCount == -1 && !schema.primaryKeys().isEmpty() ? 1 : bucketCount;
    }

    private static LookupPartitioningHandle partitioning(SchemaTableName name, TableSchema schema, int bucketCount, List<Integer> rowIdFields)
    {
        return new LookupPartitioningHandle(
                name.getSchemaName(),
                name.getTableName(),
                types(schema.partitionFields()),
                types(BucketFunction.bucketKeyFields(schema)),
                bucketCount,
                bucketFunction(schema),
                rowIdFields);
    }

    private static BucketFunction.Kind bucketFunction(TableSchema schema)
    {
        return switch (new CoreOptions(schema.options()).bucketFunctionType()) {
            case "default" -> BucketFunction.Kind.DEFAULT;
            case "mod" -> BucketFunction.Kind.MOD;
            case String other -> throw new TrinoException(NOT_SUPPORTED, "Option bucket-function.type = %s is not supported for writing".formatted(other));
        };
    }

    private static List<DataField> routingFields(TableSchema schema)
    {
        return ImmutableList.<DataField>builder()
                .addAll(schema.partitionFields())
                .addAll(BucketFunction.bucketKeyFields(schema))
                .build();
    }

    private static List<ScalarType> types(List<DataField> fields)
    {
        return fields.stream()
                // nested types are no keys
                .map(field -> (ScalarType) field.type())
                .collect(toImmutableList());
    }
}
