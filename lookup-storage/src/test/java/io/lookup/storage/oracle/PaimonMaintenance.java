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
package io.lookup.storage.oracle;

import org.apache.paimon.consumer.Consumer;
import org.apache.paimon.consumer.ConsumerManager;
import org.apache.paimon.operation.LocalOrphanFilesClean;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.stats.Statistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import static java.util.Objects.requireNonNull;

/**
 * How Paimon 1.4.2 keeps the history of one table.
 */
public final class PaimonMaintenance
{
    private final FileStoreTable table;

    PaimonMaintenance(FileStoreTable table)
    {
        this.table = requireNonNull(table, "table is null");
    }

    /**
     * As after a commit: snapshots, and then long-lived changelogs if the table keeps them longer.
     */
    public void expireByOptions()
    {
        ExpireConfig config = table.coreOptions().expireConfig();
        table.newExpireSnapshots().config(config).expire();
        if (table.coreOptions().changelogLifecycleDecoupled()) {
            table.newExpireChangelog().config(config).expire();
        }
    }

    public void expireSnapshots(int retainLast, Duration olderThan)
    {
        ExpireConfig options = table.coreOptions().expireConfig();
        table.newExpireSnapshots()
                .config(ExpireConfig.builder()
                        .snapshotRetainMin(retainLast)
                        .snapshotTimeRetain(olderThan)
                        .changelogRetainMax(options.isChangelogDecoupled() ? Integer.valueOf(options.getChangelogRetainMax()) : null)
                        .changelogRetainMin(options.isChangelogDecoupled() ? Integer.valueOf(options.getChangelogRetainMin()) : null)
                        .changelogTimeRetain(options.isChangelogDecoupled() ? options.getChangelogTimeRetain() : null)
                        .build())
                .expire();
    }

    public void createTag(String name, long snapshotId)
    {
        table.createTag(name, snapshotId);
    }

    public void createTag(String name, long snapshotId, Duration timeRetained)
    {
        table.createTag(name, snapshotId, timeRetained);
    }

    public void deleteTag(String name)
    {
        table.deleteTag(name);
    }

    public void createBranch(String name, String tag)
    {
        table.createBranch(name, tag);
    }

    public void rollbackTo(long snapshotId)
    {
        table.rollbackTo(snapshotId);
    }

    public void consume(String consumer, long nextSnapshot)
    {
        new ConsumerManager(table.fileIO(), table.location()).resetConsumer(consumer, new Consumer(nextSnapshot));
    }

    public Map<String, Long> consumers()
            throws IOException
    {
        return new ConsumerManager(table.fileIO(), table.location(), table.snapshotManager().branch()).consumers();
    }

    public void clearConsumers(String including)
    {
        new ConsumerManager(table.fileIO(), table.location(), table.snapshotManager().branch()).clearConsumers(Pattern.compile(including), null);
    }

    /**
     * What a commit does about tags.
     */
    public void createAutomaticTags()
    {
        table.newTagAutoManager().run();
    }

    /**
     * Statistics of an INT column, as an ANALYZE of another engine leaves them.
     */
    public void analyze(long snapshotId, long schemaId, long rows, String column, int columnId, long distinct, int min, int max, long nulls)
            throws Exception
    {
        ColStats<Integer> statistics = ColStats.newColStats(columnId, distinct, min, max, nulls, 4L, 4L);
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.updateStatistics(new Statistics(snapshotId, schemaId, rows, rows * 10, Map.of(column, statistics)));
        }
    }

    /**
     * The smallest and the largest value of each column that the statistics of the newest snapshot speak of, as Paimon's own values.
     */
    public Map<String, String> ranges()
    {
        Map<String, String> ranges = new TreeMap<>();
        table.statistics().orElseThrow().colStats().forEach((column, statistics) ->
                ranges.put(column, statistics.min().map(Object::toString).orElse("") + ".." + statistics.max().map(Object::toString).orElse("")));
        return ranges;
    }

    /**
     * @param olderThanMillis epoch milliseconds
     */
    public void removeOrphanFiles(long olderThanMillis)
            throws Exception
    {
        new LocalOrphanFilesClean(table, olderThanMillis).clean();
    }
}
