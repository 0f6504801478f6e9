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
package io.lookup.storage.commit;

import io.airlift.stats.CounterStat;
import io.airlift.stats.DistributionStat;
import io.airlift.stats.TimeStat;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

import java.util.OptionalLong;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

/**
 * What the commits of one node came to. Thread-safe.
 */
public final class CommitStatistics
{
    private final CounterStat commits = new CounterStat();
    private final CounterStat conflicts = new CounterStat();
    private final CounterStat failures = new CounterStat();
    private final CounterStat snapshots = new CounterStat();
    private final CounterStat retries = new CounterStat();
    private final CounterStat bucketsRewritten = new CounterStat();
    private final CounterStat compactionsLeft = new CounterStat();
    private final CounterStat changelogRows = new CounterStat();
    private final DistributionStat changelogRowsPerSnapshot = new DistributionStat();
    private final TimeStat time = new TimeStat(MILLISECONDS);

    /**
     * Statements, optimizations and background compactions that have published what they had to.
     */
    @Managed
    @Nested
    public CounterStat getCommits()
    {
        return commits;
    }

    /**
     * Those that another commit stood in the way of, and that have published nothing.
     */
    @Managed
    @Nested
    public CounterStat getConflicts()
    {
        return conflicts;
    }

    /**
     * Those that failed for another reason, the outcome of which may be unknown.
     */
    @Managed
    @Nested
    public CounterStat getFailures()
    {
        return failures;
    }

    /**
     * Snapshots that were published: one commit makes up to two.
     */
    @Managed
    @Nested
    public CounterStat getSnapshots()
    {
        return snapshots;
    }

    /**
     * Tries to publish a snapshot that came too late, or whose outcome was not known at once.
     */
    @Managed
    @Nested
    public CounterStat getRetries()
    {
        return retries;
    }

    /**
     * Buckets whose new rows were written again, since another commit came first.
     */
    @Managed
    @Nested
    public CounterStat getBucketsRewritten()
    {
        return bucketsRewritten;
    }

    /**
     * Commits that left rows at level 0 to the next compaction of their bucket, since another commit came first.
     */
    @Managed
    @Nested
    public CounterStat getCompactionsLeft()
    {
        return compactionsLeft;
    }

    /**
     * Rows in changelog files that were published.
     */
    @Managed
    @Nested
    public CounterStat getChangelogRows()
    {
        return changelogRows;
    }

    /**
     * Rows of changelog files in each snapshot that has some.
     */
    @Managed
    @Nested
    public DistributionStat getChangelogRowsPerSnapshot()
    {
        return changelogRowsPerSnapshot;
    }

    /**
     * How long commits took that published something, from the first look at what others did to the hint.
     */
    @Managed
    @Nested
    public TimeStat getTime()
    {
        return time;
    }

    /**
     * @param rows of the changelog files, if there are some
     */
    void published(OptionalLong rows)
    {
        snapshots.update(1);
        rows.ifPresent(count -> {
            changelogRows.update(count);
            changelogRowsPerSnapshot.add(count);
        });
    }
}
