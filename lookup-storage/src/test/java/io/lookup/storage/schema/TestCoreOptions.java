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

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.KnownOption.Kind;
import org.apache.paimon.options.ConfigOption;
import org.apache.paimon.options.FallbackKey;
import org.apache.paimon.options.MemorySize;
import org.apache.paimon.options.Options;
import org.apache.paimon.utils.TimeUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestCoreOptions
{
    private static CoreOptions options(String... keysAndValues)
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
        for (int index = 0; index < keysAndValues.length; index += 2) {
            options.put(keysAndValues[index], keysAndValues[index + 1]);
        }
        return new CoreOptions(options.buildOrThrow());
    }

    @Test
    void testDefaultsAreThoseOfPaimon()
    {
        assertSame(options(), new org.apache.paimon.CoreOptions(new Options()));
    }

    @Test
    void testValuesAreUnderstoodAsByPaimon()
    {
        Map<String, String> map = ImmutableMap.<String, String>builder()
                .put("bucket", "7")
                .put("merge-engine", "Partial-Update")
                .put("changelog-producer", "FULL-COMPACTION")
                .put("changelog-producer.row-deduplicate", "TRUE")
                .put("sequence.field", "a, b")
                .put("sequence.field.sort-order", "descending")
                .put("partial-update.ignore-delete", "true")
                .put("write.compaction-skip", "true")
                .put("changelog-producer.lookup-wait", "false")
                .put("lookup-compact", "gentle")
                .put("num-sorted-run.compaction-trigger", "2147483647")
                .put("target-file-size", "64 MB")
                .put("write-buffer-size", "1g")
                .put("snapshot.num-retained.min", "3")
                .put("snapshot.time-retained", "2 days")
                .put("commit.timeout", "90")
                .put("file.format", "ORC")
                .put("partition.legacy-name", "false")
                .buildOrThrow();
        assertSame(new CoreOptions(map), new org.apache.paimon.CoreOptions(map));
    }

    private static void assertSame(CoreOptions ours, org.apache.paimon.CoreOptions paimon)
    {
        Options raw = paimon.toConfiguration();
        assertThat(ours.bucket()).isEqualTo(paimon.bucket());
        assertThat(ours.bucketFunctionType()).isEqualTo(paimon.bucketFunctionType().toString());
        assertThat(OptionValues.enumText(ours.mergeEngine())).isEqualTo(paimon.mergeEngine().toString());
        assertThat(OptionValues.enumText(ours.changelogProducer())).isEqualTo(paimon.changelogProducer().toString());
        assertThat(ours.changelogRowDeduplicate()).isEqualTo(paimon.changelogRowDeduplicate());
        assertThat(ours.sequenceField()).isEqualTo(paimon.sequenceField());
        assertThat(ours.sequenceFieldDescending()).isEqualTo(!paimon.sequenceFieldSortOrderIsAscending());
        assertThat(ours.deletionVectorsEnabled()).isEqualTo(paimon.deletionVectorsEnabled());
        assertThat(ours.ignoreDelete()).isEqualTo(paimon.ignoreDelete());
        assertThat(ours.ignoreUpdateBefore()).isEqualTo(paimon.ignoreUpdateBefore());
        assertThat(ours.rowKindField()).isEqualTo(paimon.rowkindField());
        assertThat(ours.aggregationRemoveRecordOnDelete()).isEqualTo(raw.get(org.apache.paimon.CoreOptions.AGGREGATION_REMOVE_RECORD_ON_DELETE));
        assertThat(ours.partialUpdateRemoveRecordOnDelete()).isEqualTo(raw.get(org.apache.paimon.CoreOptions.PARTIAL_UPDATE_REMOVE_RECORD_ON_DELETE));
        assertThat(ours.writeOnly()).isEqualTo(paimon.writeOnly());
        assertThat(ours.lookupWait()).isEqualTo(raw.get(org.apache.paimon.CoreOptions.LOOKUP_WAIT));
        assertThat(ours.lookupCompact().name()).isEqualTo(raw.get(org.apache.paimon.CoreOptions.LOOKUP_COMPACT).name());
        assertThat(ours.compaction().lookupMaxInterval()).isEqualTo(paimon.lookupCompactMaxInterval());
        assertThat(ours.forceLookup()).isEqualTo(raw.get(org.apache.paimon.CoreOptions.FORCE_LOOKUP));
        assertThat(ours.fileFormat()).isEqualTo(paimon.fileFormatString());
        assertThat(ours.changelogFileFormat()).isEqualTo(Optional.ofNullable(paimon.changelogFileFormat()));
        assertThat(ours.fileCompression()).isEqualTo(paimon.fileCompression());
        assertThat(ours.changelogFileCompression()).isEqualTo(Optional.ofNullable(paimon.changelogFileCompression()));
        assertThat(ours.zstdLevel()).isEqualTo(raw.get(org.apache.paimon.CoreOptions.FILE_COMPRESSION_ZSTD_LEVEL));
        assertThat(ours.targetFileSizeBytes()).isEqualTo(paimon.targetFileSize(true));
        assertThat(ours.targetFileSizeBytes(false)).isEqualTo(paimon.targetFileSize(false));
        assertThat(ours.writeBufferSizeBytes()).isEqualTo(paimon.writeBufferSize());
        assertThat(ours.compaction().trigger()).isEqualTo(paimon.numSortedRunCompactionTrigger());
        assertThat(ours.compaction().stopTrigger()).isEqualTo(paimon.numSortedRunStopTrigger());
        assertThat(ours.compaction().numLevels()).isEqualTo(paimon.numLevels());
        assertThat(ours.compaction().maxSizeAmplificationPercent()).isEqualTo(paimon.maxSizeAmplificationPercent());
        assertThat(ours.compaction().sizeRatio()).isEqualTo(paimon.sortedRunSizeRatio());
        assertThat(ours.compaction().forceUpLevel0()).isEqualTo(raw.get(org.apache.paimon.CoreOptions.COMPACTION_FORCE_UP_LEVEL_0));
        assertThat(ours.manifestTargetSizeBytes()).isEqualTo(paimon.manifestTargetSize().getBytes());
        assertThat(ours.manifestFullCompactionThresholdBytes()).isEqualTo(paimon.manifestFullCompactionThresholdSize().getBytes());
        assertThat(ours.manifestMergeMinCount()).isEqualTo(paimon.manifestMergeMinCount());
        assertThat(ours.manifestCompression()).isEqualTo(paimon.manifestCompression());
        assertThat(ours.partitionDefaultName()).isEqualTo(paimon.partitionDefaultName());
        assertThat(ours.partitionLegacyName()).isEqualTo(paimon.legacyPartitionName());
        assertThat(ours.dataFilePrefix()).isEqualTo(paimon.dataFilePrefix());
        assertThat(ours.changelogFilePrefix()).isEqualTo(paimon.changelogFilePrefix());
        assertThat(ours.statsMode()).isEqualTo(paimon.statsMode());
        assertThat(ours.changelogFileStatsMode()).isEqualTo(Optional.ofNullable(paimon.changelogFileStatsMode()));
        assertThat(ours.splitTargetSizeBytes()).isEqualTo(paimon.splitTargetSize());
        assertThat(ours.splitOpenFileCostBytes()).isEqualTo(paimon.splitOpenFileCost());
        assertThat(ours.commitMaxRetries()).isEqualTo(paimon.commitMaxRetries());
        assertThat(ours.commitTimeout().map(Duration::toMillis).orElse(Long.MAX_VALUE)).isEqualTo(paimon.commitTimeout());
        assertThat(ours.commitMinRetryWait().toMillis()).isEqualTo(paimon.commitMinRetryWait());
        assertThat(ours.commitMaxRetryWait().toMillis()).isEqualTo(paimon.commitMaxRetryWait());
        assertThat(ours.retention().snapshotNumRetainedMin()).isEqualTo(paimon.snapshotNumRetainMin());
        assertThat(ours.retention().snapshotNumRetainedMax()).isEqualTo(paimon.snapshotNumRetainMax());
        assertThat(ours.retention().snapshotTimeRetained()).isEqualTo(paimon.snapshotTimeRetain());
        assertThat(ours.retention().changelogNumRetainedMin()).isEqualTo(paimon.changelogNumRetainMin());
        assertThat(ours.retention().changelogNumRetainedMax()).isEqualTo(paimon.changelogNumRetainMax());
        assertThat(ours.retention().changelogTimeRetained()).isEqualTo(paimon.changelogTimeRetain());
        assertThat(ours.streamingReadOverwrite()).isEqualTo(paimon.streamingReadOverwrite());
    }

    /**
     * Every key of Paimon is known here, with the same default.
     */
    @Test
    void testCatalogKnowsPaimonsOptions()
            throws Exception
    {
        int compared = 0;
        for (Field constant : org.apache.paimon.CoreOptions.class.getFields()) {
            if (constant.getType() != ConfigOption.class) {
                continue;
            }
            ConfigOption<?> expected = (ConfigOption<?>) constant.get(null);
            KnownOption option = OptionCatalog.find(expected.key()).orElseThrow(() -> new AssertionError(expected.key()));
            for (FallbackKey fallback : expected.fallbackKeys()) {
                assertThat(OptionCatalog.find(fallback.getKey())).as(fallback.getKey()).isPresent();
            }
            Object value = expected.defaultValue();
            if (value == null || value instanceof Map || value.toString().isEmpty()) {
                assertThat(option.defaultValue()).as(expected.key()).isEmpty();
                compared++;
                continue;
            }
            String text = option.defaultValue().orElseThrow(() -> new AssertionError(expected.key()));
            switch (value) {
                case MemorySize size -> assertThat(OptionValues.parseSize(expected.key(), text)).as(expected.key()).isEqualTo(size.getBytes());
                case Duration duration -> assertThat(OptionValues.parseDuration(expected.key(), text)).as(expected.key()).isEqualTo(duration);
                default -> assertThat(text).as(expected.key()).isEqualTo(value instanceof Enum ? value.toString().toLowerCase(Locale.ROOT) : value.toString());
            }
            if (value instanceof Enum<?> constantValue) {
                assertThat(option.kind()).isEqualTo(Kind.CHOICE);
                assertThat(option.choices()).hasSameSizeAs(constantValue.getDeclaringClass().getEnumConstants());
            }
            compared++;
        }
        assertThat(compared).isGreaterThan(250);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "128 mb", "128mb", " 5 KB ", "5 kibibytes", "7b", "7 bytes", "3 Gb", "2 tebibytes", "8g", "", " ", "mb", "-1", "1.5 mb", "5 xb", "9223372036854775807", "9223372036854775808", "9223372036854775807 k", "8388608 tb"})
    void testSizes(String text)
    {
        Optional<Long> expected = result(() -> MemorySize.parseBytes(text));
        assertThat(result(() -> OptionValues.parseSize("k", text))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "90", "1 h", "1h", " 2 Days ", "3 min", "3m", "4 secs", "5 ms", "6 millis", "7 µs", "8 nanoseconds", "1 hour", "", "h", "-1 s", "1.5 h", "1 year", "99999999999999999999 s", "9223372036854775807 d"})
    void testDurations(String text)
    {
        Optional<Duration> expected = result(() -> TimeUtils.parseDuration(text));
        assertThat(result(() -> OptionValues.parseDuration("k", text))).isEqualTo(expected);
    }

    private static <T> Optional<T> result(Supplier<T> supplier)
    {
        try {
            return Optional.of(supplier.get());
        }
        catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    @Test
    void testBadValuesNameKeyValueAndChoice()
    {
        assertInvalid(() -> options("bucket", "many").bucket(), "'bucket'", "'many'", "integer");
        assertInvalid(() -> options("merge-engine", "partial_update").mergeEngine(), "'merge-engine'", "'partial_update'", "partial-update");
        assertInvalid(() -> options("write-only", "yes").writeOnly(), "'write-only'", "'yes'", "true or false");
        assertInvalid(() -> options("target-file-size", "big").targetFileSizeBytes(), "'target-file-size'", "'big'", "128 mb");
        assertInvalid(() -> options("snapshot.time-retained", "soon").retention().snapshotTimeRetained(), "'snapshot.time-retained'", "'soon'", "1 h");
    }

    @Test
    void testFieldOptions()
    {
        CoreOptions options = options("fields.a.aggregate-function", "sum", "fields.default-aggregate-function", "max", "fields.a.ignore-retract", "true");
        assertThat(options.aggregateFunction("a")).contains("sum");
        assertThat(options.aggregateFunction("b")).contains("max");
        assertThat(options.ignoreRetract("a")).isTrue();
        assertThat(options.ignoreRetract("b")).isFalse();
        assertThat(options().aggregateFunction("b")).isEmpty();
    }

    @Test
    void testLists()
    {
        assertThat(options("bucket-key", "a, b").bucketKey()).containsExactly("a", "b");
        assertThat(options("bucket-key", " ").bucketKey()).isEmpty();
        assertThat(options("changelog-producer.row-deduplicate-ignore-fields", "x,y").changelogRowDeduplicateIgnoreFields()).isEqualTo(List.of("x", "y"));
    }

    private static void assertInvalid(Runnable runnable, String... parts)
    {
        assertThatThrownBy(runnable::run)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION))
                .hasMessageContainingAll(parts);
    }
}
