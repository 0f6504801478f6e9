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

import io.lookup.storage.format.manifest.DataFileMeta;
import org.apache.paimon.compact.CompactUnit;
import org.apache.paimon.mergetree.LevelSortedRun;
import org.apache.paimon.mergetree.compact.CompactStrategy;
import org.apache.paimon.mergetree.compact.ForceUpLevel0Compaction;
import org.apache.paimon.mergetree.compact.OffPeakHours;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random trees through our pickers and those of the Paimon release on the class path, sizes being equal.
 */
final class TestPickingAgainstPaimon
{
    private static final int TREES = 100_000;

    @Test
    void testUniversalAndForcedPicks()
    {
        int universalPicks = 0;
        int forcedPicks = 0;
        for (int seed = 0; seed < TREES; seed++) {
            Random random = new Random(seed);
            int numLevels = 2 + random.nextInt(6);
            List<SortedRun> runs = randomRuns(random, numLevels);
            List<LevelSortedRun> paimonRuns = runs.stream().map(TestPickingAgainstPaimon::paimonRun).toList();
            UniversalCompaction.Settings settings = new UniversalCompaction.Settings(random.nextInt(400), random.nextInt(20), 2 + random.nextInt(6));
            EarlyFullCompaction early = randomEarlyFullCompaction(random);
            UniversalCompaction universal = new UniversalCompaction(settings, early, RunSizes::bytes);
            org.apache.paimon.mergetree.compact.UniversalCompaction paimonUniversal = new org.apache.paimon.mergetree.compact.UniversalCompaction(
                    settings.maxSizeAmplificationPercent(),
                    settings.sizeRatio(),
                    settings.trigger(),
                    paimonEarlyFullCompaction(early),
                    null);

            Optional<Picked> picked = picked(universal.pick(numLevels, runs));
            assertSamePick(seed, picked, paimonPick(paimonUniversal, numLevels, paimonRuns));
            universalPicks += picked.isPresent() ? 1 : 0;

            // Paimon's early full compaction remembers its last time, so each pick gets a new one unless there is none
            if (early.interval().isEmpty()) {
                Optional<Picked> forced = picked(ForceLevel0Compaction.radical(universal).pick(numLevels, runs));
                assertSamePick(seed, forced, paimonPick(new ForceUpLevel0Compaction(paimonUniversal, null), numLevels, paimonRuns));
                forcedPicks += forced.isPresent() && picked.isEmpty() ? 1 : 0;

                int maxInterval = 1 + random.nextInt(3);
                CompactStrategy gentle = new ForceUpLevel0Compaction(paimonUniversal, maxInterval);
                for (int times = 1; times <= maxInterval; times++) {
                    assertSamePick(
                            seed,
                            picked(ForceLevel0Compaction.gentle(universal, maxInterval, times).pick(numLevels, runs)),
                            paimonPick(gentle, numLevels, paimonRuns));
                }
            }

            FullCompaction full = new FullCompaction(_ -> false);
            assertSamePick(seed, picked(full.pick(numLevels, runs)), CompactStrategy.pickFullCompaction(numLevels, paimonRuns, null, null, false).map(Picked::of));
            FullCompaction rewriteAll = new FullCompaction(_ -> true);
            assertSamePick(seed, picked(rewriteAll.pick(numLevels, runs)), CompactStrategy.pickFullCompaction(numLevels, paimonRuns, null, null, true).map(Picked::of));
        }
        // both branches were there to be compared
        assertThat(universalPicks).isBetween(TREES / 5, TREES * 9 / 10);
        assertThat(forcedPicks).isGreaterThan(TREES / 20);
    }

    @Test
    void testOffPeakHours()
    {
        for (int start = -1; start < 24; start++) {
            for (int end = -1; end < 24; end++) {
                OffPeakHours hours = OffPeakHours.create(start, end, 7);
                for (int hour = 0; hour < 24; hour++) {
                    assertThat(UniversalCompaction.Settings.isOffPeak(start, end, hour)).isEqualTo(hours != null && hours.currentRatio(hour) == 7);
                }
            }
        }
    }

    // an assertion for each of half a million comparisons would take most of the time
    private static void assertSamePick(int seed, Optional<Picked> actual, Optional<Picked> expected)
    {
        if (!actual.equals(expected)) {
            assertThat(actual).as("seed %s", seed).isEqualTo(expected);
        }
    }

    private record Picked(int outputLevel, boolean rewriteEachFile, List<String> files)
    {
        static Picked of(CompactUnit unit)
        {
            return new Picked(unit.outputLevel(), unit.fileRewrite(), unit.files().stream().map(org.apache.paimon.io.DataFileMeta::fileName).toList());
        }
    }

    private static Optional<Picked> picked(Optional<CompactionUnit> unit)
    {
        return unit.map(picked -> new Picked(picked.outputLevel(), picked.rewriteEachFile(), picked.files().stream().map(DataFileMeta::fileName).toList()));
    }

    private static Optional<Picked> paimonPick(CompactStrategy strategy, int numLevels, List<LevelSortedRun> runs)
    {
        // what Paimon's compaction manager does with a pick
        return strategy.pick(numLevels, runs)
                .filter(unit -> !unit.files().isEmpty())
                .filter(unit -> unit.files().size() > 1 || unit.files().getFirst().level() != unit.outputLevel())
                .map(Picked::of);
    }

    private static EarlyFullCompaction randomEarlyFullCompaction(Random random)
    {
        if (random.nextBoolean()) {
            return EarlyFullCompaction.NEVER;
        }
        return new EarlyFullCompaction(
                random.nextInt(10) == 0 ? Optional.of(Duration.ofHours(1)) : Optional.empty(),
                Optional.empty(),
                random.nextBoolean() ? OptionalLong.of(random.nextInt(2000)) : OptionalLong.empty(),
                random.nextBoolean() ? OptionalLong.of(random.nextInt(10_000)) : OptionalLong.empty());
    }

    private static org.apache.paimon.mergetree.compact.EarlyFullCompaction paimonEarlyFullCompaction(EarlyFullCompaction early)
    {
        if (early == EarlyFullCompaction.NEVER) {
            return null;
        }
        return new org.apache.paimon.mergetree.compact.EarlyFullCompaction(
                early.interval().map(Duration::toMillis).orElse(null),
                early.totalSizeThreshold().isPresent() ? early.totalSizeThreshold().getAsLong() : null,
                early.incrementalSizeThreshold().isPresent() ? early.incrementalSizeThreshold().getAsLong() : null);
    }

    private static List<SortedRun> randomRuns(Random random, int numLevels)
    {
        List<SortedRun> runs = new ArrayList<>();
        int level0 = random.nextInt(8);
        for (int i = 0; i < level0; i++) {
            runs.add(SortedRun.of(TestingFiles.file("level0-" + i, 0, 0, 10, randomSize(random))));
        }
        for (int level = 1; level < numLevels; level++) {
            if (random.nextBoolean()) {
                List<DataFileMeta> files = new ArrayList<>();
                for (int i = 0; i < 1 + random.nextInt(3); i++) {
                    files.add(TestingFiles.file("level" + level + "-" + i, level, 10 * i, 10 * i + 5, randomSize(random)));
                }
                runs.add(new SortedRun(level, files));
            }
        }
        return runs;
    }

    private static long randomSize(Random random)
    {
        // equal sizes, neighbours and sizes far apart
        return switch (random.nextInt(3)) {
            case 0 -> 100;
            case 1 -> 100 + random.nextInt(3);
            default -> 1L << random.nextInt(14);
        };
    }

    private static LevelSortedRun paimonRun(SortedRun run)
    {
        return new LevelSortedRun(run.level(), org.apache.paimon.mergetree.SortedRun.fromSorted(run.files().stream().map(TestingFiles::paimonFile).toList()));
    }
}
