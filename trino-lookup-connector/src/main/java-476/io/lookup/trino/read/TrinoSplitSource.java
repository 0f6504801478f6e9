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

import com.google.common.base.Stopwatch;
import com.google.common.collect.ImmutableList;
import io.airlift.units.Duration;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.predicate.TupleDomain;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

/**
 * How Trino 476 asks a scan for splits: the scan itself waits for values that arrive by a join.
 */
abstract class TrinoSplitSource
        implements ConnectorSplitSource
{
    private static final ConnectorSplitBatch EMPTY_BATCH = new ConnectorSplitBatch(ImmutableList.of(), false);

    private final DynamicFilter dynamicFilter;
    private final long waitTimeoutMillis;
    private final Stopwatch stopwatch = Stopwatch.createStarted();
    private boolean started;

    TrinoSplitSource(DynamicPredicate dynamicPredicate, Duration waitTimeout)
    {
        this.dynamicFilter = dynamicPredicate.filter();
        this.waitTimeoutMillis = waitTimeout.toMillis();
    }

    /**
     * @param predicate what is known of the join by now; asked once, when the scan is planned
     * @param result made of the splits in the same stage: another one would hide an error from the engine
     */
    abstract <T> CompletableFuture<T> nextSplits(int maxSize, Supplier<TupleDomain<ColumnHandle>> predicate, Function<List<ConnectorSplit>, T> result);

    @Override
    public CompletableFuture<ConnectorSplitBatch> getNextBatch(int maxSize)
    {
        long timeLeft = waitTimeoutMillis - stopwatch.elapsed(MILLISECONDS);
        if (!started && dynamicFilter.isAwaitable() && timeLeft > 0) {
            return dynamicFilter.isBlocked()
                    .thenApply(_ -> EMPTY_BATCH)
                    .completeOnTimeout(EMPTY_BATCH, timeLeft, MILLISECONDS);
        }
        started = true;
        return nextSplits(maxSize, dynamicFilter::getCurrentPredicate, splits -> new ConnectorSplitBatch(splits, isFinished()));
    }
}
