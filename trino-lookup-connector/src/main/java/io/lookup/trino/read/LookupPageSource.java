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
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.trino.StorageErrors;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metric;
import io.trino.spi.metrics.Metrics;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * A stream of the engine as Trino reads it.
 */
final class LookupPageSource
        implements ConnectorPageSource
{
    private final PageStream stream;
    private final UnaryOperator<SourcePage> assembler;

    private final ScanCounters counters;
    private final OptionalLong limit;
    private final ScanStatistics statistics;

    private long completedPositions;
    private long readTimeNanos;
    private boolean finished;
    private boolean closed;

    LookupPageSource(PageStream stream, UnaryOperator<SourcePage> assembler)
    {
        this(stream, assembler, new ScanCounters(), OptionalLong.empty(), new ScanStatistics());
    }

    /**
     * @param counters what the stream counts in
     * @param limit rows after which this ends
     * @param statistics where the counters go in the end
     */
    LookupPageSource(PageStream stream, UnaryOperator<SourcePage> assembler, ScanCounters counters, OptionalLong limit, ScanStatistics statistics)
    {
        this.counters = requireNonNull(counters, "counters is null");
        this.limit = requireNonNull(limit, "limit is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.stream = requireNonNull(stream, "stream is null");
        this.assembler = requireNonNull(assembler, "assembler is null");
    }

    @Override
    public long getCompletedBytes()
    {
        return counters.bytes();
    }

    @Override
    public OptionalLong getCompletedPositions()
    {
        return OptionalLong.of(completedPositions);
    }

    @Override
    public long getReadTimeNanos()
    {
        return readTimeNanos;
    }

    @Override
    public boolean isFinished()
    {
        return finished;
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        if (finished) {
            return null;
        }
        long start = System.nanoTime();
        try {
            SourcePage page = limit.isPresent() && completedPositions >= limit.getAsLong() ? null : stream.nextSourcePage();
            if (page == null) {
                close();
                return null;
            }
            if (limit.isPresent() && page.getPositionCount() > limit.getAsLong() - completedPositions) {
                int rows = toIntExact(limit.getAsLong() - completedPositions);
                page.selectPositions(IntStream.range(0, rows).toArray(), 0, rows);
            }
            completedPositions += page.getPositionCount();
            return assembler.apply(page);
        }
        catch (IOException | RuntimeException e) {
            RuntimeException failure = StorageErrors.translate(e);
            try {
                close();
            }
            catch (RuntimeException suppressed) {
                failure.addSuppressed(suppressed);
            }
            throw failure;
        }
        finally {
            readTimeNanos += System.nanoTime() - start;
        }
    }

    @Override
    public long getMemoryUsage()
    {
        return stream.memoryUsage();
    }

    @Override
    public Metrics getMetrics()
    {
        return new Metrics(ImmutableMap.<String, Metric<?>>builder()
                .put("files", new LongCount(counters.files()))
                .put("row groups read", new LongCount(counters.rowGroups()))
                .put("row groups skipped", new LongCount(counters.skippedRowGroups()))
                .put("sections read plainly", new LongCount(counters.plainSections()))
                .put("sections merged", new LongCount(counters.mergedSections()))
                .put("superseded rows", new LongCount(counters.supersededRows()))
                .buildOrThrow());
    }

    @Override
    public void close()
    {
        finished = true;
        if (!closed) {
            closed = true;
            statistics.add(counters, completedPositions);
        }
        try {
            stream.close();
        }
        catch (IOException e) {
            throw StorageErrors.translate(e);
        }
    }
}
