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

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.scan.PlanStatistics;
import io.lookup.storage.scan.TableSplit;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.metrics.Metric;
import io.trino.spi.metrics.Metrics;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What the splits of a scan have to read. Trino adds up these metrics and those of the page sources by their names, and the classes of two
 * class loaders cannot be added: no name may be one of {@link LookupPageSource}'s. Thread-safe.
 */
final class PlanCounters
{
    private final AtomicLong splits = new AtomicLong();
    private final AtomicLong plainSplits = new AtomicLong();
    private final AtomicLong mergedSplits = new AtomicLong();
    private final PlanStatistics statistics = new PlanStatistics();

    void addSplits(int count)
    {
        splits.addAndGet(count);
    }

    void add(TableSplit split)
    {
        (split.mergeFree() ? plainSplits : mergedSplits).incrementAndGet();
    }

    /**
     * What the engine's planners count in.
     */
    PlanStatistics statistics()
    {
        return statistics;
    }

    Metrics metrics()
    {
        ImmutableMap.Builder<String, Metric<?>> metrics = ImmutableMap.builder();
        metrics.put("splits", new LongCount(splits.get()));
        if (plainSplits.get() + mergedSplits.get() > 0) {
            metrics.put("splits read plainly", new LongCount(plainSplits.get()));
            metrics.put("splits merged", new LongCount(mergedSplits.get()));
        }
        if (statistics.manifests() + statistics.skippedManifests() > 0) {
            metrics.put("manifests read", new LongCount(statistics.manifests()));
            metrics.put("manifests skipped", new LongCount(statistics.skippedManifests()));
            metrics.put("files to read", new LongCount(statistics.files()));
            metrics.put("files skipped", new LongCount(statistics.skippedFiles()));
        }
        return new Metrics(metrics.buildOrThrow());
    }
}
