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
package io.lookup.trino.handle;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.schema.DataType.ScalarType;
import io.trino.spi.connector.ConnectorPartitioningHandle;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * How rows find the one writer of their (partition, bucket). The two forms of one table, by columns and by row id,
 * send a row to the same place.
 *
 * @param partitionTypes types of the partition columns
 * @param bucketKeyTypes types of the bucket key
 * @param bucketCount buckets of one partition
 * @param bucketFunction how a bucket key chooses its bucket
 * @param rowIdFields where rows are known by their row id: positions of the partition columns and of the bucket key
 * in it. Empty where the columns themselves are given.
 */
public record LookupPartitioningHandle(
        String schemaName,
        String tableName,
        List<ScalarType> partitionTypes,
        List<ScalarType> bucketKeyTypes,
        int bucketCount,
        BucketFunction.Kind bucketFunction,
        List<Integer> rowIdFields)
        implements ConnectorPartitioningHandle
{
    public LookupPartitioningHandle
    {
        requireNonNull(schemaName, "schemaName is null");
        requireNonNull(tableName, "tableName is null");
        requireNonNull(bucketFunction, "bucketFunction is null");
        partitionTypes = ImmutableList.copyOf(partitionTypes);
        bucketKeyTypes = ImmutableList.copyOf(bucketKeyTypes);
        rowIdFields = ImmutableList.copyOf(rowIdFields);
    }

    @Override
    public boolean isSingleNode()
    {
        return false;
    }

    @Override
    public boolean isCoordinatorOnly()
    {
        return false;
    }

    @Override
    public String toString()
    {
        return schemaName + "." + tableName + " buckets " + bucketCount + (rowIdFields.isEmpty() ? "" : " by row id");
    }
}
