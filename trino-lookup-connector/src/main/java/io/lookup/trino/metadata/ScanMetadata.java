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
import io.lookup.trino.changes.FunctionScanHandle;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.ReadPartitioningHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableProperties;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.connector.ProjectionApplicationResult;
import io.trino.spi.connector.TableFunctionApplicationResult;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import io.trino.spi.statistics.TableStatistics;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.lookup.trino.StorageErrors.translating;
import static java.util.Objects.requireNonNull;

/**
 * What a plan asks of a scan: what it knows, and what it takes over. The work is done by role: {@link LimitPushDown},
 * {@link ProjectionPushDown}, {@link BucketedReads}, {@link StatisticsReader}.
 */
abstract class ScanMetadata
        implements TrinoMetadata
{
    private final TransactionTables tables;

    ScanMetadata(TransactionTables tables)
    {
        this.tables = requireNonNull(tables, "tables is null");
    }

    @Override
    public ConnectorTableProperties getTableProperties(ConnectorSession session, ConnectorTableHandle table)
    {
        return translating(() -> PredicatePushDown.properties((LookupTableHandle) table));
    }

    @Override
    public TableStatistics getTableStatistics(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        return translating(() -> StatisticsReader.read(tables, (LookupTableHandle) tableHandle));
    }

    @Override
    public Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(ConnectorSession session, ConnectorTableHandle handle, long limit)
    {
        return LimitPushDown.apply((LookupTableHandle) handle, limit);
    }

    @Override
    public Optional<ProjectionApplicationResult<ConnectorTableHandle>> applyProjection(ConnectorSession session, ConnectorTableHandle handle, List<ConnectorExpression> projections, Map<String, ColumnHandle> assignments)
    {
        return ProjectionPushDown.apply(session, (LookupTableHandle) handle, projections, assignments);
    }

    @Override
    public Optional<TableFunctionApplicationResult<ConnectorTableHandle>> applyTableFunction(ConnectorSession session, ConnectorTableFunctionHandle handle)
    {
        return handle instanceof FunctionScanHandle(LookupTableHandle table, List<LookupColumnHandle> columns) ?
                Optional.of(new TableFunctionApplicationResult<>(table, ImmutableList.copyOf(columns))) :
                Optional.empty();
    }

    @Override
    public Optional<ConnectorTableHandle> applyPartitioning(ConnectorSession session, ConnectorTableHandle tableHandle, Optional<ConnectorPartitioningHandle> partitioningHandle, List<ColumnHandle> columns)
    {
        return translating(() -> BucketedReads.apply(session, tables, (LookupTableHandle) tableHandle, partitioningHandle, columns).map(ConnectorTableHandle.class::cast));
    }

    @Override
    public Optional<ConnectorPartitioningHandle> getCommonPartitioningHandle(ConnectorSession session, ConnectorPartitioningHandle left, ConnectorPartitioningHandle right)
    {
        if (left instanceof ReadPartitioningHandle leftReads && right instanceof ReadPartitioningHandle rightReads) {
            return BucketedReads.common(leftReads, rightReads).map(ConnectorPartitioningHandle.class::cast);
        }
        return left.equals(right) ? Optional.of(left) : Optional.empty();
    }
}
