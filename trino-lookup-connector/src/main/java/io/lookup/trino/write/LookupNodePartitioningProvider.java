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

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.inject.Inject;
import io.lookup.storage.scan.TableSplit;
import io.lookup.trino.engine.NodePlacement;
import io.lookup.trino.engine.TableBranch;
import io.lookup.trino.handle.EngineSplit;
import io.lookup.trino.handle.LookupPartitioningHandle;
import io.lookup.trino.handle.ReadPartitioningHandle;
import io.trino.spi.Node;
import io.trino.spi.NodeManager;
import io.trino.spi.connector.BucketFunction;
import io.trino.spi.connector.ConnectorBucketNodeMap;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

import static io.trino.spi.connector.ConnectorBucketNodeMap.createBucketNodeMap;
import static java.util.Objects.requireNonNull;

/**
 * Places the buckets of a table on nodes: the same place for inserts and for changes by row id, and the same from
 * statement to statement while nodes stay, so that what a node caches for a bucket stays useful. See {@link NodePlacement}.
 * For scans the engine chooses the nodes.
 */
public final class LookupNodePartitioningProvider
        implements ConnectorNodePartitioningProvider
{
    /**
     * Places over which the buckets of a partitioned table are spread.
     */
    private static final int PARTITIONED_PLACES = 256;

    private final NodeManager nodeManager;

    // the layouts of one statement are asked for one by one, and must agree when nodes come and go in between
    private final Cache<StatementTable, List<Node>> placements = Caffeine.newBuilder().maximumSize(1_000).build();

    @Inject
    public LookupNodePartitioningProvider(NodeManager nodeManager)
    {
        this.nodeManager = requireNonNull(nodeManager, "nodeManager is null");
    }

    @Override
    public Optional<ConnectorBucketNodeMap> getBucketNodeMapping(ConnectorTransactionHandle transactionHandle, ConnectorSession session, ConnectorPartitioningHandle partitioningHandle)
    {
        if (partitioningHandle instanceof ReadPartitioningHandle reads) {
            // where many nodes have few buckets, the engine would rather spread the scan
            return Optional.of(createBucketNodeMap(reads.groupCount()).withCacheKeyHint(reads.groupCount()));
        }
        LookupPartitioningHandle handle = (LookupPartitioningHandle) partitioningHandle;
        int places = handle.partitionTypes().isEmpty() ? handle.bucketCount() : PARTITIONED_PLACES;
        StatementTable key = new StatementTable(transactionHandle, handle.schemaName(), handle.tableName(), places);
        // a branch shares files, and so caches, with its table
        long tableHash = NodePlacement.tableHash(handle.schemaName(), TableBranch.parse(handle.tableName()).tableName());
        return Optional.of(createBucketNodeMap(placements.get(key, _ -> NodePlacement.assign(tableHash, places, nodeManager.getRequiredWorkerNodes())))
                .withCacheKeyHint(tableHash));
    }

    @Override
    public BucketFunction getBucketFunction(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorPartitioningHandle partitioningHandle,
            List<Type> partitionChannelTypes,
            int bucketCount)
    {
        if (partitioningHandle instanceof ReadPartitioningHandle reads) {
            return new ReadBucketFunction(reads);
        }
        return new LookupBucketFunction((LookupPartitioningHandle) partitioningHandle, bucketCount);
    }

    @Override
    public ToIntFunction<ConnectorSplit> getSplitBucketFunction(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorPartitioningHandle partitioningHandle,
            int bucketCount)
    {
        if (partitioningHandle instanceof ReadPartitioningHandle reads) {
            return split -> TableSplit.bucketOf(((EngineSplit) split).content()) % reads.groupCount();
        }
        return split -> {
            throw new IllegalArgumentException("Splits are not dealt out by the layout of writes: " + split);
        };
    }

    private record StatementTable(ConnectorTransactionHandle transaction, String schemaName, String tableName, int places) {}
}
