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
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.trino.LookupSessionProperties;
import io.lookup.trino.engine.TableSchemas;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.ReadPartitioningHandle;
import io.lookup.trino.handle.TableKind;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTablePartitioning;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Scans whose buckets stay together, so that joins and aggregations on the bucket key move no rows. A plan asks for it where it would have to
 * send rows about; a scan that nobody asks is spread over all nodes as ever. Of two tables whose numbers of buckets divide each other,
 * the buckets of the larger number are put together.
 */
final class BucketedReads
{
    private BucketedReads() {}

    /**
     * @return empty if the buckets do not keep rows together that have the same values in the columns
     */
    static Optional<LookupTableHandle> apply(
            ConnectorSession session,
            TransactionTables tables,
            LookupTableHandle table,
            Optional<ConnectorPartitioningHandle> wanted,
            List<ColumnHandle> columns)
    {
        if (!LookupSessionProperties.isBucketedExecutionEnabled(session) || table.kind() != TableKind.DATA || table.oneRowPerBucket()) {
            return Optional.empty();
        }
        TableSchema schema = TableSchemas.fromJson(table.schemaJson());
        Optional<ReadPartitioningHandle> own = partitioning(schema);
        if (own.isEmpty()) {
            return Optional.empty();
        }
        List<LookupColumnHandle> bucketKey = bucketKey(schema);
        int groups = own.get().groupCount();
        if (wanted.isPresent()) {
            Optional<ReadPartitioningHandle> common = wanted.get() instanceof ReadPartitioningHandle other ? common(own.get(), other) : Optional.empty();
            if (common.isEmpty() || !columns.equals(bucketKey)) {
                return Optional.empty();
            }
            // if the other side has the finer buckets, it is asked to put them together
            groups = common.get().groupCount();
        }
        if (!columns.containsAll(bucketKey) || !hasOneBucketCount(tables, table, schema, own.get().groupCount())) {
            return Optional.empty();
        }
        return Optional.of(table.withBucketGroups(groups));
    }

    /**
     * What a scan has taken over.
     */
    static Optional<ConnectorTablePartitioning> properties(LookupTableHandle table)
    {
        if (table.bucketGroups().isEmpty()) {
            return Optional.empty();
        }
        TableSchema schema = TableSchemas.fromJson(table.schemaJson());
        return Optional.of(new ConnectorTablePartitioning(
                partitioning(schema).orElseThrow().withGroupCount(table.bucketGroups().getAsInt()),
                ImmutableList.copyOf(bucketKey(schema))));
    }

    static Optional<ReadPartitioningHandle> common(ReadPartitioningHandle left, ReadPartitioningHandle right)
    {
        if (left.canBe(right)) {
            return Optional.of(right);
        }
        return right.canBe(left) ? Optional.of(left) : Optional.empty();
    }

    private static Optional<ReadPartitioningHandle> partitioning(TableSchema schema)
    {
        CoreOptions options = new CoreOptions(schema.options());
        // columns of a table without a key may have changed their type, and with it their hash; and one bucket is no reason to let the other nodes rest
        if (schema.primaryKeys().isEmpty() || options.bucket() < 2) {
            return Optional.empty();
        }
        Optional<BucketFunction.Kind> function = switch (options.bucketFunctionType()) {
            case "default" -> Optional.of(BucketFunction.Kind.DEFAULT);
            case "mod" -> Optional.of(BucketFunction.Kind.MOD);
            default -> Optional.empty();
        };
        if (function.isEmpty() || !BucketFunction.respectsEquality(schema)) {
            return Optional.empty();
        }
        return Optional.of(new ReadPartitioningHandle(
                BucketFunction.bucketKeyFields(schema).stream()
                        // nested types are no keys
                        .map(field -> ((ScalarType) field.type()).withNullable(true))
                        .collect(toImmutableList()),
                function.get(),
                options.bucket()));
    }

    private static List<LookupColumnHandle> bucketKey(TableSchema schema)
    {
        return BucketFunction.bucketKeyFields(schema).stream().map(TableColumns::keyColumn).collect(toImmutableList());
    }

    /**
     * Partitions that were written before the table's number of buckets changed have the old number.
     */
    private static boolean hasOneBucketCount(TransactionTables tables, LookupTableHandle handle, TableSchema schema, int bucketCount)
    {
        if (handle.snapshotId().isEmpty()) {
            return true;
        }
        ScanFilter filter = ScanFilter.of(handle.enforced()
                .filter((column, _) -> column.role() == ColumnRole.DATA)
                .transformKeys(LookupColumnHandle::fieldId));
        return tables.find(handle.baseTableName())
                .map(pinned -> pinned.table().atSchema(schema.id()))
                .flatMap(table -> table.snapshots().find(handle.snapshotId().getAsLong())
                        .map(snapshot -> table.scanPlanner().hasBucketCount(snapshot, filter, bucketCount)))
                .orElse(false);
    }
}
