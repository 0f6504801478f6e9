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
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.trino.handle.LookupPartitioningHandle;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.RowBlock;
import io.trino.spi.connector.ConnectorBucketNodeMap;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * An insert and a change by row id of the same key must meet in one writer.
 */
final class TestWriteRouting
{
    private static final int ROWS = 500;
    private static final ScalarType KEY = new ScalarType(TypeRoot.BIGINT, 0, 0, false);
    private static final ScalarType PARTITION = new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, true);

    private final LookupNodePartitioningProvider provider = new LookupNodePartitioningProvider(new TestingNodes(3));

    @Test
    void testInsertAndUpdateMeet()
    {
        LookupPartitioningHandle insert = handle("t", List.of(PARTITION), 7, List.of());
        // the row is (value, partition, key)
        LookupPartitioningHandle update = handle("t", List.of(PARTITION), 7, List.of(1, 2));
        int places = places(insert).getBucketCount();
        assertThat(places(update).getBucketCount()).isEqualTo(places);
        assertThat(places(update).getCacheKeyHint()).isEqualTo(places(insert).getCacheKeyHint());

        Block keys = keys();
        Block partitions = partitions();
        Page insertPage = new Page(partitions, keys);
        Page updatePage = new Page(RowBlock.fromFieldBlocks(ROWS, new Block[] {keys(), partitions, keys}));
        LookupBucketFunction insertFunction = new LookupBucketFunction(insert, places);
        LookupBucketFunction updateFunction = new LookupBucketFunction(update, places);
        Set<Integer> used = new HashSet<>();
        for (int position = 0; position < ROWS; position++) {
            int place = insertFunction.getBucket(insertPage, position);
            assertThat(place).isBetween(0, places - 1);
            assertThat(updateFunction.getBucket(updatePage, position)).isEqualTo(place);
            used.add(place);
        }
        assertThat(used).hasSizeGreaterThan(20);
    }

    @Test
    void testRowsOfOneBucketMeet()
    {
        LookupPartitioningHandle handle = handle("t", List.of(PARTITION), 3, List.of());
        LookupBucketFunction function = new LookupBucketFunction(handle, places(handle).getBucketCount());
        BucketFunction buckets = new BucketFunction(ImmutableList.of(KEY), 3);
        Page page = new Page(partitions(), keys());
        Set<List<Object>> places = new HashSet<>();
        for (int position = 0; position < ROWS; position++) {
            String partition = page.getBlock(0).isNull(position) ? "null" : VARCHAR.getSlice(page.getBlock(0), position).toStringUtf8();
            places.add(List.of(partition, buckets.bucket(page, new int[] {1}, position), function.getBucket(page, position)));
        }
        // 5 partitions of 3 buckets, each of them in one place
        assertThat(places).hasSize(15);
    }

    @Test
    void testWithoutPartitionsThePlaceIsTheBucket()
    {
        LookupPartitioningHandle handle = handle("t", List.of(), 4, List.of());
        assertThat(places(handle).getBucketCount()).isEqualTo(4);
        LookupBucketFunction function = new LookupBucketFunction(handle, 4);
        BucketFunction buckets = new BucketFunction(ImmutableList.of(KEY), 4);
        Page page = new Page(keys());
        for (int position = 0; position < ROWS; position++) {
            assertThat(function.getBucket(page, position)).isEqualTo(buckets.bucket(page, new int[] {0}, position));
        }
    }

    @Test
    void testPlacementIsStableAndOfTheTable()
    {
        assertThat(places(handle("t", List.of(), 4, List.of())).getCacheKeyHint())
                .isEqualTo(places(handle("t", List.of(), 4, List.of())).getCacheKeyHint())
                .isNotEqualTo(places(handle("other", List.of(), 4, List.of())).getCacheKeyHint());
    }

    private ConnectorBucketNodeMap places(LookupPartitioningHandle handle)
    {
        return provider.getBucketNodeMapping(null, null, handle).orElseThrow();
    }

    private static LookupPartitioningHandle handle(String table, List<ScalarType> partitionTypes, int bucketCount, List<Integer> rowIdFields)
    {
        return new LookupPartitioningHandle("default", table, partitionTypes, List.of(KEY), bucketCount, BucketFunction.Kind.DEFAULT, rowIdFields);
    }

    private static Block keys()
    {
        BlockBuilder keys = BIGINT.createFixedSizeBlockBuilder(ROWS);
        for (int row = 0; row < ROWS; row++) {
            BIGINT.writeLong(keys, row * 7919L);
        }
        return keys.build();
    }

    private static Block partitions()
    {
        BlockBuilder partitions = VARCHAR.createBlockBuilder(null, ROWS);
        for (int row = 0; row < ROWS; row++) {
            if (row % 5 == 0) {
                partitions.appendNull();
            }
            else {
                VARCHAR.writeString(partitions, "p" + row % 5);
            }
        }
        return partitions.build();
    }
}
