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
package io.lookup.trino.read;

import com.google.common.collect.ImmutableList;
import io.airlift.units.Duration;
import io.lookup.trino.engine.AsyncCalls;
import io.lookup.trino.handle.LookupColumnHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.predicate.TupleDomain;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

/**
 * Waits a while for values that arrive by a join, then plans with what is known by then.
 */
final class LookupSplitSource
        extends TrinoSplitSource
{
    private final Executor executor;
    private final Function<TupleDomain<LookupColumnHandle>, Iterator<? extends ConnectorSplit>> planner;
    private final Optional<List<Object>> tableExecuteSplitsInfo;
    private final PlanCounters counters;

    private Iterator<? extends ConnectorSplit> splits;
    private volatile boolean finished;

    /**
     * @param planner plans the scan under the dynamic filter's predicate
     * @param counters what the planner counts in
     */
    LookupSplitSource(
            Executor executor,
            Function<TupleDomain<LookupColumnHandle>, Iterator<? extends ConnectorSplit>> planner,
            DynamicPredicate dynamicPredicate,
            Duration waitTimeout,
            PlanCounters counters)
    {
        this(executor, planner, dynamicPredicate, waitTimeout, counters, Optional.empty());
    }

    /**
     * @param tableExecuteSplitsInfo present for the scan of a table procedure, and only for it
     */
    LookupSplitSource(
            Executor executor,
            Function<TupleDomain<LookupColumnHandle>, Iterator<? extends ConnectorSplit>> planner,
            DynamicPredicate dynamicPredicate,
            Duration waitTimeout,
            PlanCounters counters,
            Optional<List<Object>> tableExecuteSplitsInfo)
    {
        super(dynamicPredicate, waitTimeout);
        this.counters = requireNonNull(counters, "counters is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.planner = requireNonNull(planner, "planner is null");
        this.tableExecuteSplitsInfo = requireNonNull(tableExecuteSplitsInfo, "tableExecuteSplitsInfo is null");
    }

    @Override
    <T> CompletableFuture<T> nextSplits(int maxSize, Supplier<TupleDomain<ColumnHandle>> predicate, Function<List<ConnectorSplit>, T> result)
    {
        return AsyncCalls.call(executor, () -> result.apply(nextBatch(maxSize, predicate)));
    }

    private synchronized List<ConnectorSplit> nextBatch(int maxSize, Supplier<TupleDomain<ColumnHandle>> predicate)
    {
        if (splits == null) {
            splits = planner.apply(predicate.get().transformKeys(LookupSplitSource::column));
        }
        ImmutableList.Builder<ConnectorSplit> batch = ImmutableList.builder();
        int count = 0;
        while (count < maxSize && splits.hasNext()) {
            batch.add(splits.next());
            count++;
        }
        counters.addSplits(count);
        finished = !splits.hasNext();
        return batch.build();
    }

    private static LookupColumnHandle column(ColumnHandle column)
    {
        return (LookupColumnHandle) column;
    }

    @Override
    public void close()
    {
        finished = true;
    }

    @Override
    public boolean isFinished()
    {
        return finished;
    }

    @Override
    public Optional<List<Object>> getTableExecuteSplitsInfo()
    {
        return tableExecuteSplitsInfo;
    }

    @Override
    public Metrics getMetrics()
    {
        return counters.metrics();
    }
}
