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

import io.lookup.storage.StorageException;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

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
    public static final String ROW_KIND_FIELD = "rowkind.field";
    public static final String FULL_COMPACTION_DELTA_COMMITS = "full-compaction.delta-commits";
    public static final String FIELDS_PREFIX = "fields.";
    public static final String IGNORE_DELETE = "ignore-delete";
    public static final String IGNORE_UPDATE_BEFORE = "ignore-update-before";
    public static final String DEFAULT_AGGREGATE_FUNCTION = "default-aggregate-function";
    public static final String AGGREGATE_FUNCTION = "aggregate-function";

    private static final long MEBIBYTE = 1 << 20;

    private final OptionMap values;

    public CoreOptions(Map<String, String> options)
    {
        this.values = new OptionMap(options);
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

    public CompactionOptions compaction()
    {
        return new CompactionOptions(values);
    }

    public RetentionOptions retention()
    {
        return new RetentionOptions(values);
    }

    public TagOptions tags()
    {
        return new TagOptions(values);
    }

    /**
     * Number of buckets; -1 is dynamic (and the default), -2 postponed.
     */
    public int bucket()
    {
        return values.getInt(BUCKET, -1);
    }

    /**
     * Empty if not set: then the trimmed primary key is the bucket key.
     */
    public List<String> bucketKey()
    {
        return values.getList(BUCKET_KEY);
    }

    public String bucketFunctionType()
    {
        return get("bucket-function.type").orElse("default").toLowerCase(Locale.ROOT);
    }

    public MergeEngine mergeEngine()
    {
        return values.getEnum(MERGE_ENGINE, MergeEngine.DEDUPLICATE, MergeEngine.class);
    }

    public ChangelogProducer changelogProducer()
    {
        return values.getEnum(CHANGELOG_PRODUCER, ChangelogProducer.NONE, ChangelogProducer.class);
    }

    public boolean changelogRowDeduplicate()
    {
        return values.getBoolean("changelog-producer.row-deduplicate", false);
    }

    public List<String> changelogRowDeduplicateIgnoreFields()
    {
        return values.getList("changelog-producer.row-deduplicate-ignore-fields");
    }

    public List<String> sequenceField()
    {
        return values.getList(SEQUENCE_FIELD);
    }

    public boolean sequenceFieldDescending()
    {
        return values.getEnum("sequence.field.sort-order", SortOrder.ASCENDING, SortOrder.class) == SortOrder.DESCENDING;
    }

    public boolean deletionVectorsEnabled()
    {
        return values.getBoolean("deletion-vectors.enabled", false);
    }

    public boolean deletionVectorsBitmap64()
    {
        return values.getBoolean("deletion-vectors.bitmap64", false);
    }

    public boolean ignoreDelete()
    {
        return values.getBoolean(IGNORE_DELETE, false, "first-row.ignore-delete", "deduplicate.ignore-delete", "partial-update.ignore-delete");
    }

    public boolean ignoreUpdateBefore()
    {
        return values.getBoolean(IGNORE_UPDATE_BEFORE, false);
    }

    public Optional<String> rowKindField()
    {
        return get(ROW_KIND_FIELD);
    }

    public boolean aggregationRemoveRecordOnDelete()
    {
        return values.getBoolean("aggregation.remove-record-on-delete", false);
    }

    public boolean partialUpdateRemoveRecordOnDelete()
    {
        return values.getBoolean("partial-update.remove-record-on-delete", false);
    }

    /**
     * Whether an overwrite empties the partitions that it writes to, instead of the whole table.
     */
    public boolean dynamicPartitionOverwrite()
    {
        return values.getBoolean("dynamic-partition-overwrite", true);
    }

    public boolean writeOnly()
    {
        return values.getBoolean("write-only", false, "write.compaction-skip");
    }

    public boolean lookupWait()
    {
        return values.getBoolean("lookup-wait", true, "changelog-producer.lookup-wait");
    }

    /**
     * Whether the statement that writes a bucket compacts it too.
     */
    public boolean compactsOnWrite()
    {
        return !writeOnly() && (lookupWait() || !needLookup());
    }

    /**
     * Whether statements leave the compaction of what they wrote to a later one that need not be asked for.
     */
    public boolean compactsInBackground()
    {
        return !writeOnly() && needLookup() && !lookupWait();
    }

    /**
     * Commits after which a bucket is compacted fully; empty if only its levels count.
     */
    public OptionalInt fullCompactionDeltaCommits()
    {
        return values.get(FULL_COMPACTION_DELTA_COMMITS)
                .map(value -> OptionalInt.of(OptionValues.parseInt(FULL_COMPACTION_DELTA_COMMITS, value)))
                .orElse(OptionalInt.empty());
    }

    public LookupCompactMode lookupCompact()
    {
        return values.getEnum("lookup-compact", LookupCompactMode.RADICAL, LookupCompactMode.class);
    }

    /**
     * Whether compactions look up the old value of every key that leaves level 0 (Paimon's {@code needLookup}).
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
        return values.getBoolean("force-lookup", false);
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
        return values.getInt("file.compression.zstd-level", 1);
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
        return values.getSize("target-file-size").orElse((hasPrimaryKey ? 128 : 256) * MEBIBYTE);
    }

    /**
     * The part of the target size below which a file of a table without keys is put together with others.
     */
    public double smallFileRatio()
    {
        return get("compaction.small-file-ratio").map(value -> OptionValues.parseDouble("compaction.small-file-ratio", value)).orElse(0.7);
    }

    public long writeBufferSizeBytes()
    {
        return values.getSize("write-buffer-size").orElse(256 * MEBIBYTE);
    }

    public long manifestTargetSizeBytes()
    {
        return values.getSize("manifest.target-file-size").orElse(8 * MEBIBYTE);
    }

    public long manifestFullCompactionThresholdBytes()
    {
        return values.getSize("manifest.full-compaction-threshold-size").orElse(16 * MEBIBYTE);
    }

    public int manifestMergeMinCount()
    {
        return values.getInt("manifest.merge-min-count", 30);
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
        return values.getBoolean("partition.legacy-name", true);
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
        return values.getSize("source.split.target-size").orElse(128 * MEBIBYTE);
    }

    public long splitOpenFileCostBytes()
    {
        return values.getSize("source.split.open-file-cost").orElse(4 * MEBIBYTE);
    }

    public int commitMaxRetries()
    {
        return values.getInt("commit.max-retries", 10);
    }

    public Optional<Duration> commitTimeout()
    {
        return values.getDuration("commit.timeout");
    }

    public Duration commitMinRetryWait()
    {
        return values.getDuration("commit.min-retry-wait").orElse(Duration.ofMillis(10));
    }

    public Duration commitMaxRetryWait()
    {
        return values.getDuration("commit.max-retry-wait").orElse(Duration.ofSeconds(10));
    }

    public boolean streamingReadOverwrite()
    {
        return values.getBoolean("streaming-read-overwrite", false);
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
        return values.getBoolean(FIELDS_PREFIX + field + ".ignore-retract", false);
    }

    /**
     * Whether {@code collect} and {@code listagg} keep each element once.
     */
    public boolean distinct(String field)
    {
        return values.getBoolean(FIELDS_PREFIX + field + ".distinct", false);
    }

    public String listAggDelimiter(String field)
    {
        return get(FIELDS_PREFIX + field + ".list-agg-delimiter").orElse(",");
    }

    /**
     * Key fields of a nested table's rows; empty if it has none.
     */
    public List<String> nestedKey(String field)
    {
        return values.getList(FIELDS_PREFIX + field + ".nested-key");
    }

    /**
     * Rows from which on {@code nested_update} takes no further ones.
     */
    public int countLimit(String field)
    {
        return values.getInt(FIELDS_PREFIX + field + ".count-limit", Integer.MAX_VALUE);
    }

    public Optional<String> timestampField(String field)
    {
        return get(FIELDS_PREFIX + field + ".ts-field");
    }

    public Optional<String> get(String key)
    {
        return values.get(key);
    }

    public Map<String, String> asMap()
    {
        return values.asMap();
    }
}
