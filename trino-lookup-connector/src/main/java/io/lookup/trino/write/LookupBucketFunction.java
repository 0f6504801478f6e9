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
package io.lookup.trino.write;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.schema.DataType;
import io.lookup.trino.handle.LookupPartitioningHandle;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.BucketFunction;

import java.util.List;
import java.util.Optional;

import static io.trino.spi.block.RowBlock.getRowFieldsFromBlock;
import static java.util.stream.IntStream.range;

/**
 * Sends all rows of one (partition, bucket) to one place. Without partitions that is the bucket itself.
 */
final class LookupBucketFunction
        implements BucketFunction
{
    private final io.lookup.storage.format.row.BucketFunction bucketFunction;
    private final Optional<BinaryRowEncoder> partitionEncoder;
    private final List<Integer> rowIdFields;
    private final int[] partitionChannels;
    private final int[] bucketKeyChannels;
    private final int placeCount;

    private Page lastPage;
    private Page lastColumns;

    LookupBucketFunction(LookupPartitioningHandle handle, int placeCount)
    {
        int partitionColumns = handle.partitionTypes().size();
        this.bucketFunction = new io.lookup.storage.format.row.BucketFunction(ImmutableList.<DataType>copyOf(handle.bucketKeyTypes()), handle.bucketCount(), handle.bucketFunction());
        this.partitionEncoder = partitionColumns == 0 ? Optional.empty() : Optional.of(new BinaryRowEncoder(ImmutableList.<DataType>copyOf(handle.partitionTypes())));
        this.rowIdFields = handle.rowIdFields();
        this.partitionChannels = range(0, partitionColumns).toArray();
        this.bucketKeyChannels = range(partitionColumns, partitionColumns + handle.bucketKeyTypes().size()).toArray();
        this.placeCount = placeCount;
    }

    // the encoders keep state between rows
    @Override
    public synchronized int getBucket(Page page, int position)
    {
        Page columns = rowIdFields.isEmpty() ? page : rowIdColumns(page);
        int bucket = bucketFunction.bucket(columns, bucketKeyChannels, position);
        if (partitionEncoder.isEmpty()) {
            return bucket;
        }
        int partitionHash = partitionEncoder.get().hash(columns, partitionChannels, position);
        return Math.floorMod(31 * partitionHash + bucket, placeCount);
    }

    private Page rowIdColumns(Page page)
    {
        if (page != lastPage) {
            List<Block> fields = getRowFieldsFromBlock(page.getBlock(0));
            lastColumns = new Page(page.getPositionCount(), rowIdFields.stream()
                    .map(fields::get)
                    .toArray(Block[]::new));
            lastPage = page;
        }
        return lastColumns;
    }
}
