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
package io.lookup.storage.table;

import io.airlift.stats.CounterStat;
import io.airlift.stats.TimeStat;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.lsm.CompactionListener;
import io.lookup.storage.lsm.CompactionResult;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

/**
 * What the compactions of one node did, those of statements and those in the background. Thread-safe.
 */
public final class CompactionStatistics
        implements CompactionListener
{
    private final AtomicInteger running = new AtomicInteger();
    private final CounterStat compactions = new CounterStat();
    private final CounterStat failures = new CounterStat();
    private final CounterStat bytesRead = new CounterStat();
    private final CounterStat bytesWritten = new CounterStat();
    private final CounterStat changelogBytesWritten = new CounterStat();
    private final TimeStat time = new TimeStat(MILLISECONDS);

    /**
     * Buckets that are being compacted now.
     */
    @Managed
    public int getRunning()
    {
        return running.get();
    }

    /**
     * Compactions of a bucket that were done, whether they were published or not.
     */
    @Managed
    @Nested
    public CounterStat getCompactions()
    {
        return compactions;
    }

    /**
     * Compactions that broke off.
     */
    @Managed
    @Nested
    public CounterStat getFailures()
    {
        return failures;
    }

    /**
     * Bytes of data files that were merged.
     */
    @Managed
    @Nested
    public CounterStat getBytesRead()
    {
        return bytesRead;
    }

    /**
     * Bytes of data files that were made.
     */
    @Managed
    @Nested
    public CounterStat getBytesWritten()
    {
        return bytesWritten;
    }

    /**
     * Bytes of changelog files that were made.
     */
    @Managed
    @Nested
    public CounterStat getChangelogBytesWritten()
    {
        return changelogBytesWritten;
    }

    /**
     * How long the compaction of a bucket took, with its lookups.
     */
    @Managed
    @Nested
    public TimeStat getTime()
    {
        return time;
    }

    @Override
    public void begun()
    {
        running.incrementAndGet();
    }

    @Override
    public void done(CompactionResult result, long nanos)
    {
        running.decrementAndGet();
        compactions.update(1);
        time.add(nanos, NANOSECONDS);
        // what only moves to another level is in both
        bytesRead.update(bytesOfOthers(result.before(), result.after()));
        bytesWritten.update(bytesOfOthers(result.after(), result.before()));
        changelogBytesWritten.update(result.changelog().stream().mapToLong(DataFileMeta::fileSize).sum());
    }

    @Override
    public void brokenOff()
    {
        running.decrementAndGet();
        failures.update(1);
    }

    private static long bytesOfOthers(List<DataFileMeta> files, List<DataFileMeta> same)
    {
        Set<String> names = same.stream().map(DataFileMeta::fileName).collect(toImmutableSet());
        return files.stream()
                .filter(file -> !names.contains(file.fileName()))
                .mapToLong(DataFileMeta::fileSize)
                .sum();
    }
}
