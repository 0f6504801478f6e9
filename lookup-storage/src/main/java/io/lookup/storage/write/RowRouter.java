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
package io.lookup.storage.write;

import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Cuts pages into parts of one partition and bucket each. Not thread-safe.
 */
final class RowRouter
{
    private final int[] partitionChannels;
    private final int[] bucketKeyChannels;
    private final BinaryRowEncoder partitionEncoder;
    // absent where there is one bucket
    private final Optional<BucketFunction> bucketFunction;
    private final Optional<DynamicBuckets> dynamicBuckets;

    private int[] buckets = new int[0];

    /**
     * @param bucketFunction absent for tables without buckets, whose rows are all said to be in bucket 0
     */
    RowRouter(TableSchema schema, List<String> bucketKeys, Optional<BucketFunction> bucketFunction, int bucketCount)
    {
        this.partitionChannels = channels(schema, schema.partitionKeys());
        this.bucketKeyChannels = channels(schema, bucketKeys);
        this.partitionEncoder = new BinaryRowEncoder(schema.partitionFields().stream().map(DataField::type).collect(toImmutableList()));
        this.bucketFunction = bucketFunction.filter(_ -> bucketCount != 1);
        this.dynamicBuckets = Optional.empty();
    }

    RowRouter(TableSchema schema, DynamicBuckets dynamicBuckets)
    {
        this.partitionChannels = channels(schema, schema.partitionKeys());
        this.bucketKeyChannels = new int[0];
        this.partitionEncoder = new BinaryRowEncoder(schema.partitionFields().stream().map(DataField::type).collect(toImmutableList()));
        this.bucketFunction = Optional.empty();
        this.dynamicBuckets = Optional.of(dynamicBuckets);
    }

    private static int[] channels(TableSchema schema, List<String> names)
    {
        return names.stream().mapToInt(schema::fieldIndex).toArray();
    }

    void route(Page page, byte[] kinds, PartConsumer consumer)
    {
        int count = page.getPositionCount();
        if (count == 0) {
            return;
        }
        if (partitionChannels.length == 0 && bucketFunction.isEmpty() && dynamicBuckets.isEmpty()) {
            consumer.accept(BinaryRow.EMPTY, 0, page, kinds);
            return;
        }
        if (buckets.length < count) {
            buckets = new int[count];
        }
        if (bucketFunction.isEmpty()) {
            Arrays.fill(buckets, 0, count, 0);
        }
        else {
            bucketFunction.get().buckets(page, bucketKeyChannels, buckets);
        }

        Map<Target, Positions> parts = new LinkedHashMap<>();
        BinaryRow partition = BinaryRow.EMPTY;
        Positions current = null;
        int currentBucket = -1;
        for (int position = 0; position < count; position++) {
            boolean moved = false;
            if (partitionChannels.length > 0) {
                BinaryRow next = partitionEncoder.encode(page, partitionChannels, position);
                if (!next.equals(partition)) {
                    partition = next;
                    moved = true;
                }
            }
            int bucket = dynamicBuckets.isPresent() ? dynamicBuckets.get().assign(partition, page, position) : buckets[position];
            if (moved || bucket != currentBucket || current == null) {
                currentBucket = bucket;
                current = parts.computeIfAbsent(new Target(partition, currentBucket), _ -> new Positions(count));
            }
            current.add(position);
        }
        parts.forEach((target, positions) -> consumer.accept(
                target.partition(),
                target.bucket(),
                positions.select(page),
                positions.select(kinds)));
    }

    interface PartConsumer
    {
        void accept(BinaryRow partition, int bucket, Page page, byte[] kinds);
    }

    private record Target(BinaryRow partition, int bucket) {}

    private static final class Positions
    {
        private final int limit;
        private int[] positions = new int[64];
        private int count;

        private Positions(int limit)
        {
            this.limit = limit;
        }

        private void add(int position)
        {
            if (count == positions.length) {
                positions = Arrays.copyOf(positions, Math.min(limit, count * 4));
            }
            positions[count] = position;
            count++;
        }

        private Page select(Page page)
        {
            return count == page.getPositionCount() ? page : page.copyPositions(positions, 0, count);
        }

        private byte[] select(byte[] kinds)
        {
            if (kinds.length == 1) {
                return kinds;
            }
            byte[] selected = new byte[count];
            for (int index = 0; index < count; index++) {
                selected[index] = kinds[positions[index]];
            }
            return selected;
        }
    }
}
