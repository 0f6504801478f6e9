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
 * How the rows of a scan are spread over nodes by the table's buckets. Of two tables with equal handles, rows of equal bucket keys are on one node.
 *
 * @param bucketKeyTypes types of the bucket key, all nullable, since other rows may be sent the same way
 * @param groupCount number of groups into which buckets are put by the remainder of their number, at most as many as there are buckets
 */
public record ReadPartitioningHandle(List<ScalarType> bucketKeyTypes, BucketFunction.Kind bucketFunction, int groupCount)
        implements ConnectorPartitioningHandle
{
    public ReadPartitioningHandle
    {
        bucketKeyTypes = ImmutableList.copyOf(bucketKeyTypes);
        requireNonNull(bucketFunction, "bucketFunction is null");
    }

    public ReadPartitioningHandle withGroupCount(int groupCount)
    {
        return new ReadPartitioningHandle(bucketKeyTypes, bucketFunction, groupCount);
    }

    /**
     * Whether buckets of this many groups can be put into that many.
     */
    public boolean canBe(ReadPartitioningHandle other)
    {
        return groupCount % other.groupCount == 0 && withGroupCount(other.groupCount).equals(other);
    }

    @Override
    public String toString()
    {
        return "groups of buckets " + groupCount;
    }
}
