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

import io.airlift.units.Duration;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.predicate.TupleDomain;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How Trino 483 asks a scan for splits: it waits itself for values that arrive by a join, as long as the scan says.
 */
abstract class TrinoSplitSource
        implements ConnectorSplitSource
{
    private final long waitTimeoutMillis;

    TrinoSplitSource(DynamicPredicate dynamicPredicate, Duration waitTimeout)
    {
        this.waitTimeoutMillis = dynamicPredicate.expected() ? waitTimeout.toMillis() : 0;
    }

    /**
     * @param predicate what is known of the join by now; asked once, when the scan is planned
     * @param result made of the splits in the same stage: another one would hide an error from the engine
     */
    abstract <T> CompletableFuture<T> nextSplits(int maxSize, Supplier<TupleDomain<ColumnHandle>> predicate, Function<List<ConnectorSplit>, T> result);

    @Override
    public CompletableFuture<List<ConnectorSplit>> getNextBatch(int maxSize, DynamicFilterSnapshot dynamicFilter)
    {
        return nextSplits(maxSize, dynamicFilter::currentPredicate, Function.identity());
    }

    @Override
    public long getRequestedDynamicFilterWaitTimeoutMillis()
    {
        return waitTimeoutMillis;
    }
}
