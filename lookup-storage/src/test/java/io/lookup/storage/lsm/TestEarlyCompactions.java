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
package io.lookup.storage.lsm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.schema.CoreOptions;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a compaction is a full one before its time, and when level 0 is lifted by force.
 */
final class TestEarlyCompactions
{
    private static final int MAX_LEVEL = 4;
    private static final LocalDateTime NOW = LocalDateTime.of(2026, 3, 29, 2, 30);

    private int fileCount;

    @Test
    void testOptions()
    {
        assertThat(create(ImmutableMap.of(), Optional.empty())).isEqualTo(EarlyFullCompaction.NEVER);
        assertThat(create(
                ImmutableMap.of(
                        "compaction.optimization-interval", "1 h",
                        "compaction.total-size-threshold", "1 kb",
                        "compaction.incremental-size-threshold", "2 kb"),
                Optional.of(Duration.ofMinutes(1))))
                .isEqualTo(new EarlyFullCompaction(Optional.of(Duration.ofHours(1)), Optional.of(Duration.ofMinutes(1)), OptionalLong.of(1024), OptionalLong.of(2048)));
    }

    @Test
    void testOneRunIsNeverCompactedEarly()
    {
        EarlyFullCompaction early = new EarlyFullCompaction(Optional.of(Duration.ofSeconds(1)), Optional.empty(), OptionalLong.of(1000), OptionalLong.of(0));
        assertThat(early.isDue(MAX_LEVEL, runs(100))).isFalse();
        assertThat(early.isDue(MAX_LEVEL, ImmutableList.of())).isFalse();
        assertThat(early.isDue(MAX_LEVEL, runs(100, 100))).isTrue();
    }

    @Test
    void testInterval()
    {
        assertThat(interval(Optional.empty()).isDue(MAX_LEVEL, runs(100, 200))).isTrue();
        assertThat(interval(Optional.of(Duration.ofMillis(1000))).isDue(MAX_LEVEL, runs(100, 200))).isFalse();
        assertThat(interval(Optional.of(Duration.ofMillis(1001))).isDue(MAX_LEVEL, runs(100, 200))).isTrue();
    }

    @Test
    void testTotalSizeThreshold()
    {
        EarlyFullCompaction early = new EarlyFullCompaction(Optional.empty(), Optional.empty(), OptionalLong.of(1000), OptionalLong.empty());
        assertThat(early.isDue(MAX_LEVEL, runs(100, 200))).isTrue();
        assertThat(early.isDue(MAX_LEVEL, runs(500, 500))).isFalse();
        assertThat(early.isDue(MAX_LEVEL, runs(500, 1000))).isFalse();
    }

    @Test
    void testIncrementalSizeThreshold()
    {
        EarlyFullCompaction early = new EarlyFullCompaction(Optional.empty(), Optional.empty(), OptionalLong.empty(), OptionalLong.of(500));
        assertThat(early.isDue(MAX_LEVEL, runs(400, 200))).isTrue();
        assertThat(early.isDue(MAX_LEVEL, runs(100, 200))).isFalse();
        assertThat(early.isDue(MAX_LEVEL, ImmutableList.of(run(0, 100), run(0, 300), run(MAX_LEVEL, 500)))).isFalse();
        assertThat(early.isDue(MAX_LEVEL, ImmutableList.of(run(0, 100), run(0, 300), run(2, 300), run(MAX_LEVEL, 500)))).isTrue();
    }

    /**
     * Any of the three is enough.
     */
    @Test
    void testIntervalAndThresholdTogether()
    {
        EarlyFullCompaction early = new EarlyFullCompaction(Optional.of(Duration.ofMillis(1000)), Optional.of(Duration.ofMillis(500)), OptionalLong.of(500), OptionalLong.empty());
        assertThat(early.isDue(MAX_LEVEL, runs(30, 30))).isTrue();
        assertThat(early.isDue(MAX_LEVEL, runs(300, 300))).isFalse();
        EarlyFullCompaction later = new EarlyFullCompaction(early.interval(), Optional.of(Duration.ofMillis(1001)), early.totalSizeThreshold(), OptionalLong.empty());
        assertThat(later.isDue(MAX_LEVEL, runs(300, 300))).isTrue();
    }

    @Test
    void testTimeSinceTheLastFullCompaction()
    {
        assertThat(EarlyFullCompaction.sinceLastFull(levels(file(0, 0)), NOW)).isEmpty();
        assertThat(EarlyFullCompaction.sinceLastFull(levels(file(0, 0), file(MAX_LEVEL, 90), file(MAX_LEVEL, 40), file(2, 5)), NOW)).contains(Duration.ofMinutes(40));
        // another machine's clock is ahead
        assertThat(EarlyFullCompaction.sinceLastFull(levels(file(MAX_LEVEL, -3)), NOW)).contains(Duration.ZERO);
    }

    @Test
    void testForcedLevel0()
    {
        UniversalCompaction universal = new UniversalCompaction(new UniversalCompaction.Settings(200, 1, 5), EarlyFullCompaction.NEVER, RunSizes::bytes);
        CompactionPicker radical = ForceLevel0Compaction.radical(universal);
        assertThat(radical.pick(3, runs(1, 1))).map(CompactionUnit::outputLevel).contains(2);
        assertThat(radical.pick(3, ImmutableList.of(run(0, 1), run(1, 10)))).map(CompactionUnit::outputLevel).contains(2);
        assertThat(radical.pick(3, ImmutableList.of(run(0, 1), run(0, 5), run(2, 10)))).map(CompactionUnit::outputLevel).contains(1);
        assertThat(radical.pick(3, ImmutableList.of(run(2, 10)))).isEmpty();
        assertThat(radical.pick(3, runs(1, 5, 10, 20))).map(CompactionUnit::outputLevel).contains(2);

        List<SortedRun> waiting = ImmutableList.of(run(0, 1), run(0, 5), run(2, 10));
        assertThat(ForceLevel0Compaction.gentle(universal, 3, 2).pick(3, waiting)).isEmpty();
        assertThat(ForceLevel0Compaction.gentle(universal, 3, 3).pick(3, waiting)).map(CompactionUnit::outputLevel).contains(1);
        assertThat(ForceLevel0Compaction.gentle(universal, 3, 4).pick(3, waiting)).map(CompactionUnit::outputLevel).contains(1);
        // what is due by its shape does not wait
        assertThat(ForceLevel0Compaction.gentle(universal, 10, 6).pick(3, runs(1, 1, 1, 1, 1, 1))).map(CompactionUnit::outputLevel).contains(2);
    }

    private static EarlyFullCompaction create(ImmutableMap<String, String> options, Optional<Duration> sinceLastFull)
    {
        return EarlyFullCompaction.create(new CoreOptions(options), sinceLastFull);
    }

    private static EarlyFullCompaction interval(Optional<Duration> sinceLastFull)
    {
        return new EarlyFullCompaction(Optional.of(Duration.ofMillis(1000)), sinceLastFull, OptionalLong.empty(), OptionalLong.empty());
    }

    private List<SortedRun> runs(long... sizes)
    {
        List<SortedRun> runs = new ArrayList<>();
        for (long size : sizes) {
            runs.add(run(0, size));
        }
        return runs;
    }

    private SortedRun run(int level, long size)
    {
        fileCount++;
        return new SortedRun(level, ImmutableList.of(TestingFiles.file("f" + fileCount, level, 0, 10, size)));
    }

    private DataFileMeta file(int level, int minutesAgo)
    {
        fileCount++;
        long created = NOW.minusMinutes(minutesAgo).toInstant(ZoneOffset.UTC).toEpochMilli();
        return TestingFiles.file("f" + fileCount, level, fileCount * 10, fileCount * 10 + 5, 100, OptionalLong.of(0), fileCount, fileCount, created);
    }

    private static Levels levels(DataFileMeta... files)
    {
        return new Levels(ImmutableList.copyOf(files), MAX_LEVEL + 1, TestingFiles.KEY_ENCODER);
    }
}
