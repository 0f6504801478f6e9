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
package io.lookup.storage.schema;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageException;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Typed view of a table's options, with Paimon's defaults. Values are parsed when asked for.
 *
 * <p>All methods throw {@link StorageException} INVALID_OPTION naming key, value and what is allowed.
 */
public final class CoreOptions
{
    public static final String BUCKET = "bucket";
    public static final String BUCKET_KEY = "bucket-key";
    public static final String MERGE_ENGINE = "merge-engine";
    public static final String CHANGELOG_PRODUCER = "changelog-producer";
    public static final String SEQUENCE_FIELD = "sequence.field";
    public static final String FIELDS_PREFIX = "fields.";
    public static final String DEFAULT_AGGREGATE_FUNCTION = "default-aggregate-function";
    public static final String AGGREGATE_FUNCTION = "aggregate-function";

    private static final long MEBIBYTE = 1 << 20;

    private final Map<String, String> options;

    public CoreOptions(Map<String, String> options)
    {
        this.options = ImmutableMap.copyOf(options);
    }

    public enum MergeEngine
    {
        DEDUPLICATE,
        PARTIAL_UPDATE,
        AGGREGATION,
        FIRST_ROW,
    }

    public enum ChangelogProducer
    {
        NONE,
        INPUT,
        FULL_COMPACTION,
        LOOKUP,
    }

    public enum SortOrder
    {
        ASCENDING,
        DESCENDING,
    }

    public enum LookupCompactMode
    {
        RADICAL,
        GENTLE,
    }

    /**
     * Number of buckets; -1 is dynamic (and the default), -2 postponed.
     */
    public int bucket()
    {
        return getInt(BUCKET, -1);
    }

    /**
     * Empty if not set: then the trimmed primary key is the bucket key.
     */
    public List<String> bucketKey()
    {
        return getList(BUCKET_KEY);
    }

    public String bucketFunctionType()
    {
        return get("bucket-function.type").orElse("default").toLowerCase(Locale.ROOT);
    }

    public MergeEngine mergeEngine()
    {
        return getEnum(MERGE_ENGINE, MergeEngine.DEDUPLICATE, MergeEngine.class);
    }

    public ChangelogProducer changelogProducer()
    {
        return getEnum(CHANGELOG_PRODUCER, ChangelogProducer.NONE, ChangelogProducer.class);
    }

    public boolean changelogRowDeduplicate()
    {
        return getBoolean("changelog-producer.row-deduplicate", false);
    }

    public List<String> changelogRowDeduplicateIgnoreFields()
    {
        return getList("changelog-producer.row-deduplicate-ignore-fields");
    }

    public List<String> sequenceField()
    {
        return getList(SEQUENCE_FIELD);
    }

    public boolean sequenceFieldDescending()
    {
        return getEnum("sequence.field.sort-order", SortOrder.ASCENDING, SortOrder.class) == SortOrder.DESCENDING;
    }

    public boolean deletionVectorsEnabled()
    {
        return getBoolean("deletion-vectors.enabled", false);
    }

    public boolean ignoreDelete()
    {
        return getBoolean("ignore-delete", false, "first-row.ignore-delete", "deduplicate.ignore-delete", "partial-update.ignore-delete");
    }

    public boolean ignoreUpdateBefore()
    {
        return getBoolean("ignore-update-before", false);
    }

    public Optional<String> rowKindField()
    {
        return get("rowkind.field");
    }

    public boolean aggregationRemoveRecordOnDelete()
    {
        return getBoolean("aggregation.remove-record-on-delete", false);
    }

    public boolean partialUpdateRemoveRecordOnDelete()
    {
        return getBoolean("partial-update.remove-record-on-delete", false);
    }

    public boolean writeOnly()
    {
        return getBoolean("write-only", false, "write.compaction-skip");
    }

    public boolean lookupWait()
    {
        return getBoolean("lookup-wait", true, "changelog-producer.lookup-wait");
    }

    public LookupCompactMode lookupCompact()
    {
        return getEnum("lookup-compact", LookupCompactMode.RADICAL, LookupCompactMode.class);
    }

    /**
     * Commits after which a gentle lookup compaction is forced.
     */
    public int lookupCompactMaxInterval()
    {
        int trigger = compactionTrigger();
        // below the trigger a forced compaction would come before the usual one has had its chance
        return Math.max(trigger, getInt("lookup-compact.max-interval", (int) Math.min(2L * trigger, Integer.MAX_VALUE)));
    }

    /**
     * Whether compactions look up the old value of every key that leaves level 0 (fact sheet: {@code needLookup}).
     */
    public boolean needLookup()
    {
        return changelogProducer() == ChangelogProducer.LOOKUP
                || deletionVectorsEnabled()
                || mergeEngine() == MergeEngine.FIRST_ROW
                || forceLookup();
    }

    public boolean forceLookup()
    {
        return getBoolean("force-lookup", false);
    }

    /**
     * In lower case.
     */
    public String fileFormat()
    {
        return get("file.format").orElse("parquet").toLowerCase(Locale.ROOT);
    }

    public Optional<String> changelogFileFormat()
    {
        return get("changelog-file.format").map(format -> format.toLowerCase(Locale.ROOT));
    }

    public String fileCompression()
    {
        return get("file.compression").orElse("zstd");
    }

    public Optional<String> changelogFileCompression()
    {
        return get("changelog-file.compression");
    }

    public int zstdLevel()
    {
        return getInt("file.compression.zstd-level", 1);
    }

    /**
     * Row-group size, if set.
     */
    public OptionalLong fileBlockSizeBytes()
    {
        return getSize("file.block-size");
    }

    public boolean fileSuffixIncludesCompression()
    {
        return getBoolean("file.suffix.include.compression", false);
    }

    public boolean dataFileThinMode()
    {
        return getBoolean("data-file.thin-mode", false);
    }

    /**
     * Of a table with a primary key.
     */
    public long targetFileSizeBytes()
    {
        return targetFileSizeBytes(true);
    }

    public long targetFileSizeBytes(boolean hasPrimaryKey)
    {
        return getSize("target-file-size").orElse((hasPrimaryKey ? 128 : 256) * MEBIBYTE);
    }

    public long writeBufferSizeBytes()
    {
        return getSize("write-buffer-size").orElse(256 * MEBIBYTE);
    }

    public int compactionTrigger()
    {
        return getInt("num-sorted-run.compaction-trigger", 5);
    }

    /**
     * Never below the compaction trigger.
     */
    public int stopTrigger()
    {
        int trigger = compactionTrigger();
        return Math.max(trigger, getInt("num-sorted-run.stop-trigger", saturatedAdd(trigger, 3)));
    }

    public int numLevels()
    {
        return getInt("num-levels", saturatedAdd(compactionTrigger(), 1));
    }

    public int maxSizeAmplificationPercent()
    {
        return getInt("compaction.max-size-amplification-percent", 200);
    }

    public int sizeRatio()
    {
        return getInt("compaction.size-ratio", 1);
    }

    /**
     * Time after the last full compaction of a bucket after which the next one is due.
     */
    public Optional<Duration> compactionOptimizationInterval()
    {
        return getDuration("compaction.optimization-interval");
    }

    /**
     * Size of a bucket below which every compaction is a full one.
     */
    public OptionalLong compactionTotalSizeThresholdBytes()
    {
        return getSize("compaction.total-size-threshold");
    }

    /**
     * Size of what lies above the highest level beyond which a compaction is a full one.
     */
    public OptionalLong compactionIncrementalSizeThresholdBytes()
    {
        return getSize("compaction.incremental-size-threshold");
    }

    /**
     * First hour of the day, 0 to 23, at which {@link #compactionOffPeakRatio} holds; -1 for never.
     */
    public int compactionOffPeakStartHour()
    {
        return getInt("compaction.offpeak.start.hour", -1);
    }

    /**
     * Hour of the day from which {@link #compactionOffPeakRatio} no longer holds; -1 for never.
     */
    public int compactionOffPeakEndHour()
    {
        return getInt("compaction.offpeak.end.hour", -1);
    }

    /**
     * Percentage points added to the size ratio in the off-peak hours.
     */
    public int compactionOffPeakRatio()
    {
        return getInt("compaction.offpeak-ratio", 0);
    }

    public boolean compactionForceRewriteAllFiles()
    {
        return getBoolean("compaction.force-rewrite-all-files", false);
    }

    public boolean forceUpLevel0()
    {
        return getBoolean("compaction.force-up-level-0", false);
    }

    public long manifestTargetSizeBytes()
    {
        return getSize("manifest.target-file-size").orElse(8 * MEBIBYTE);
    }

    public long manifestFullCompactionThresholdBytes()
    {
        return getSize("manifest.full-compaction-threshold-size").orElse(16 * MEBIBYTE);
    }

    public int manifestMergeMinCount()
    {
        return getInt("manifest.merge-min-count", 30);
    }

    public String manifestCompression()
    {
        return get("manifest.compression").orElse("zstd");
    }

    public String partitionDefaultName()
    {
        return get("partition.default-name").orElse("__DEFAULT_PARTITION__");
    }

    public boolean partitionLegacyName()
    {
        return getBoolean("partition.legacy-name", true);
    }

    public String dataFilePrefix()
    {
        return get("data-file.prefix").orElse("data-");
    }

    public String changelogFilePrefix()
    {
        return get("changelog-file.prefix").orElse("changelog-");
    }

    public String statsMode()
    {
        return get("metadata.stats-mode").orElse("truncate(16)");
    }

    public Optional<String> changelogFileStatsMode()
    {
        return get("changelog-file.stats-mode");
    }

    public long splitTargetSizeBytes()
    {
        return getSize("source.split.target-size").orElse(128 * MEBIBYTE);
    }

    public long splitOpenFileCostBytes()
    {
        return getSize("source.split.open-file-cost").orElse(4 * MEBIBYTE);
    }

    public int commitMaxRetries()
    {
        return getInt("commit.max-retries", 10);
    }

    public Optional<Duration> commitTimeout()
    {
        return getDuration("commit.timeout");
    }

    public Duration commitMinRetryWait()
    {
        return getDuration("commit.min-retry-wait").orElse(Duration.ofMillis(10));
    }

    public Duration commitMaxRetryWait()
    {
        return getDuration("commit.max-retry-wait").orElse(Duration.ofSeconds(10));
    }

    public int snapshotNumRetainedMin()
    {
        return getInt("snapshot.num-retained.min", 10);
    }

    public int snapshotNumRetainedMax()
    {
        return getInt("snapshot.num-retained.max", Integer.MAX_VALUE);
    }

    public Duration snapshotTimeRetained()
    {
        return getDuration("snapshot.time-retained").orElse(Duration.ofHours(1));
    }

    public int changelogNumRetainedMin()
    {
        return getInt("changelog.num-retained.min", snapshotNumRetainedMin());
    }

    public int changelogNumRetainedMax()
    {
        return getInt("changelog.num-retained.max", snapshotNumRetainedMax());
    }

    public Duration changelogTimeRetained()
    {
        return getDuration("changelog.time-retained").orElseGet(this::snapshotTimeRetained);
    }

    public boolean streamingReadOverwrite()
    {
        return getBoolean("streaming-read-overwrite", false);
    }

    /**
     * The column's own function, else the table's default one.
     */
    public Optional<String> aggregateFunction(String field)
    {
        return get(FIELDS_PREFIX + field + "." + AGGREGATE_FUNCTION)
                .or(() -> get(FIELDS_PREFIX + DEFAULT_AGGREGATE_FUNCTION));
    }

    public boolean ignoreRetract(String field)
    {
        return getBoolean(FIELDS_PREFIX + field + ".ignore-retract", false);
    }

    public Optional<String> get(String key)
    {
        return Optional.ofNullable(options.get(key));
    }

    public Map<String, String> asMap()
    {
        return options;
    }

    private int getInt(String key, int defaultValue)
    {
        String value = options.get(key);
        return value == null ? defaultValue : OptionValues.parseInt(key, value);
    }

    private boolean getBoolean(String key, boolean defaultValue, String... fallbackKeys)
    {
        String value = options.get(key);
        if (value != null) {
            return OptionValues.parseBoolean(key, value);
        }
        for (String fallbackKey : fallbackKeys) {
            String fallback = options.get(fallbackKey);
            if (fallback != null) {
                return OptionValues.parseBoolean(fallbackKey, fallback);
            }
        }
        return defaultValue;
    }

    private OptionalLong getSize(String key)
    {
        String value = options.get(key);
        return value == null ? OptionalLong.empty() : OptionalLong.of(OptionValues.parseSize(key, value));
    }

    private Optional<Duration> getDuration(String key)
    {
        return get(key).map(value -> OptionValues.parseDuration(key, value));
    }

    private <E extends Enum<E>> E getEnum(String key, E defaultValue, Class<E> type)
    {
        return get(key).map(value -> OptionValues.parseEnum(key, value, type)).orElse(defaultValue);
    }

    private List<String> getList(String key)
    {
        return get(key).map(OptionValues::parseList).orElse(ImmutableList.of());
    }

    private static int saturatedAdd(int value, int increment)
    {
        return (int) Math.min((long) value + increment, Integer.MAX_VALUE);
    }
}
