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
import io.lookup.storage.schema.DataType;
import io.lookup.trino.handle.ReadPartitioningHandle;
import io.trino.spi.Page;
import io.trino.spi.connector.BucketFunction;

import static java.util.stream.IntStream.range;

/**
 * Sends rows where a scan has the bucket that they would be in, if they were rows of its table. They may have no bucket key.
 */
final class ReadBucketFunction
        implements BucketFunction
{
    private final io.lookup.storage.format.row.BucketFunction bucketFunction;
    private final int[] channels;

    ReadBucketFunction(ReadPartitioningHandle handle)
    {
        this.bucketFunction = new io.lookup.storage.format.row.BucketFunction(ImmutableList.<DataType>copyOf(handle.bucketKeyTypes()), handle.groupCount(), handle.bucketFunction());
        this.channels = range(0, handle.bucketKeyTypes().size()).toArray();
    }

    // the encoder keeps state between rows
    @Override
    public synchronized int getBucket(Page page, int position)
    {
        for (int channel : channels) {
            if (page.getBlock(channel).isNull(position)) {
                return 0;
            }
        }
        return bucketFunction.bucket(page, channels, position);
    }
}
