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
import io.lookup.storage.format.manifest.DataFileMeta;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What is picked, by figures that can be checked by hand. {@link TestPickingAgainstPaimon} has the many others.
 */
final class TestUniversalCompaction
{
    /**
     * As deep as the run below the picked ones leaves room for, and never at level 0.
     */
    @Test
    void testOutputLevel()
    {
        // none follows in size, so that their number decides how many are taken
        List<SortedRun> runs = ImmutableList.of(run(0, 1), run(0, 2), run(1, 1000), run(3, 100_000), run(4, 10_000_000));
        assertThat(universal(1_000_000, 0, 5).pick(6, runs)).isEmpty();
        assertThat(picked(universal(1_000_000, 0, 4), 6, runs)).isEqualTo(new Picked(1, 1, 2, 1000));
        assertThat(picked(universal(1_000_000, 0, 3), 6, runs)).isEqualTo(new Picked(2, 1, 2, 1000));
        assertThat(picked(universal(1_000_000, 0, 2), 6, runs)).isEqualTo(new Picked(3, 1, 2, 1000, 100_000));
        assertThat(picked(universal(1_000_000, 0, 1), 6, runs)).isEqualTo(new Picked(5, 1, 2, 1000, 100_000, 10_000_000));
    }

    @Test
    void testNothingToPick()
    {
        UniversalCompaction universal = universal(25, 1, 3);
        assertThat(universal.pick(3, ImmutableList.of())).isEmpty();
        assertThat(universal.pick(3, level0(9, 9))).isEmpty();
        assertThat(universal(25, 1, 1).pick(3, ImmutableList.of(run(2, 9)))).isEmpty();
        assertThat(universal(25, 1, 1).pick(3, ImmutableList.of(run(1, 9)))).isEmpty();
    }

    /**
     * Each trigger only where those before it do not fire.
     */
    @Test
    void testTriggersInTheirOrder()
    {
        UniversalCompaction universal = universal(25, 1, 3);
        assertThat(picked(universal, 3, level0(1, 2, 3, 3))).isEqualTo(new Picked(2, 1, 2, 3, 3));
        // 3 above 50 are 6 %; neighbours are alike
        assertThat(picked(universal, 4, ImmutableList.of(run(0, 1), run(1, 1), run(2, 1), run(3, 50)))).isEqualTo(new Picked(2, 1, 1, 1));
        // 2 is more than 1.01, but there is a run too many; 3 then follows in size
        assertThat(picked(universal, 4, ImmutableList.of(run(0, 1), run(1, 2), run(2, 3), run(3, 50)))).isEqualTo(new Picked(2, 1, 2, 3));
        assertThat(universal.pick(4, ImmutableList.of(run(0, 1), run(2, 3), run(3, 50)))).isEmpty();
    }

    @Test
    void testSizeAmplification()
    {
        // exactly the percentage is not beyond it
        assertThat(universal(25, 0, 2).pick(3, ImmutableList.of(run(0, 25), run(2, 100)))).isEmpty();
        assertThat(picked(universal(25, 0, 2), 3, ImmutableList.of(run(0, 26), run(2, 100)))).isEqualTo(new Picked(2, 26, 100));
        // all but the last run count
        assertThat(picked(universal(25, 0, 3), 4, ImmutableList.of(run(0, 1), run(1, 25), run(3, 100)))).isEqualTo(new Picked(3, 1, 25, 100));

        // a tree that gets one run after the other, each of size 1
        List<Long> last = new ArrayList<>();
        List<Long> sizes = ImmutableList.of(1L);
        for (int round = 0; round < 17; round++) {
            List<Long> grown = ImmutableList.<Long>builder().add(1L).addAll(sizes).build();
            long newer = grown.size() - 1;
            boolean amplified = newer * 100 > 25 * grown.getLast();
            // the ratio never joins a single 1 to a larger run; with more of them it would
            List<SortedRun> runs = LongStream.of(newer, grown.getLast()).mapToObj(size -> run(0, size)).toList();
            assertThat(universal(25, 0, 2).pick(3, runs).isPresent()).as("%s", grown).isEqualTo(amplified || newer >= grown.getLast());
            sizes = amplified ? ImmutableList.of(newer + grown.getLast()) : grown;
            if (amplified) {
                last.add(sizes.getFirst());
            }
        }
        assertThat(last).containsExactly(2L, 3L, 4L, 6L, 8L, 11L, 14L, 18L);
    }

    @Test
    void testSizeRatio()
    {
        // 8 * 1.10 < 9; 8 * 1.20 >= 9, then 17 takes 10
        assertThat(universal(1000, 10, 3).pick(4, runs(8, 9, 10))).isEmpty();
        assertThat(picked(universal(1000, 20, 3), 4, runs(8, 9, 10))).isEqualTo(new Picked(3, 8, 9, 10));
        // a run that is just as large joins, without any ratio
        assertThat(picked(universal(1000, 0, 4), 5, runs(1, 1, 2, 5))).isEqualTo(new Picked(2, 1, 1, 2));
        assertThat(picked(universal(1000, 0, 4), 5, runs(1, 1, 2, 4))).isEqualTo(new Picked(4, 1, 1, 2, 4));
        // it ends at the first that is too large, whatever comes behind
        assertThat(picked(universal(1000, 0, 4), 5, runs(1, 1, 3, 1))).isEqualTo(new Picked(1, 1, 1));
    }

    @Test
    void testLevel0IsNoOutput()
    {
        UniversalCompaction universal = universal(25, 1, 3);
        assertThat(picked(universal, 3, ImmutableList.of(run(0, 1), run(0, 1), run(1, 1), run(2, 50)))).isEqualTo(new Picked(1, 1, 1, 1));
        assertThat(picked(universal, 3, ImmutableList.of(run(0, 1), run(0, 2), run(1, 3), run(2, 50)))).isEqualTo(new Picked(1, 1, 2, 3));
        // no run has a level of its own
        assertThat(picked(universal(200, 1, 5), 6, level0(1, 1, 1, 1 << 10, 1 << 20))).isEqualTo(new Picked(5, 1, 1, 1, 1 << 10, 1 << 20));
    }

    @Test
    void testEarlyFullCompaction()
    {
        List<SortedRun> runs = ImmutableList.of(run(0, 1), run(1, 3), run(2, 5));
        EarlyFullCompaction never = EarlyFullCompaction.NEVER;
        EarlyFullCompaction due = new EarlyFullCompaction(Optional.of(Duration.ofSeconds(1)), Optional.of(Duration.ofMillis(1001)), OptionalLong.empty(), OptionalLong.empty());
        EarlyFullCompaction notYet = new EarlyFullCompaction(Optional.of(Duration.ofSeconds(1)), Optional.of(Duration.ofMillis(999)), OptionalLong.empty(), OptionalLong.empty());
        EarlyFullCompaction small = new EarlyFullCompaction(Optional.empty(), Optional.empty(), OptionalLong.of(10), OptionalLong.empty());
        UniversalCompaction.Settings settings = new UniversalCompaction.Settings(100, 1, 3);
        assertThat(new UniversalCompaction(settings, never, RunSizes::bytes).pick(3, runs)).isEmpty();
        assertThat(new UniversalCompaction(settings, notYet, RunSizes::bytes).pick(3, runs)).isEmpty();
        assertThat(picked(new UniversalCompaction(settings, due, RunSizes::bytes), 3, runs)).isEqualTo(new Picked(2, 1, 3, 5));
        assertThat(picked(new UniversalCompaction(settings, small, RunSizes::bytes), 3, runs)).isEqualTo(new Picked(2, 1, 3, 5));
        assertThat(new UniversalCompaction(settings, small, RunSizes::bytes).pick(3, ImmutableList.of(run(0, 2), run(1, 6), run(2, 10)))).isEmpty();
        assertThat(new UniversalCompaction(settings, small, RunSizes::bytes).pick(3, ImmutableList.of(run(2, 5)))).isEmpty();
    }

    @Test
    void testLevel0IsLifted()
    {
        CompactionPicker radical = ForceLevel0Compaction.radical(universal(25, 1, 5));
        assertThat(picked(radical, 3, level0(1, 2, 2, 2))).isEqualTo(new Picked(2, 1, 2, 2, 2));
        assertThat(picked(radical, 3, ImmutableList.of(run(0, 1), run(1, 2), run(2, 2)))).isEqualTo(new Picked(1, 1, 2));
        assertThat(picked(radical, 3, ImmutableList.of(run(0, 2), run(1, 2), run(2, 2)))).isEqualTo(new Picked(2, 2, 2, 2));
        assertThat(picked(radical, 3, ImmutableList.of(run(0, 1), run(2, 2)))).isEqualTo(new Picked(1, 1));
        assertThat(radical.pick(3, ImmutableList.of(run(1, 1), run(2, 2)))).isEmpty();

        for (int times = 1; times <= 6; times++) {
            CompactionPicker gentle = ForceLevel0Compaction.gentle(universal(25, 1, 5), 5, times);
            for (List<SortedRun> runs : ImmutableList.of(level0(1, 2, 2, 2), ImmutableList.of(run(0, 2), run(1, 2), run(2, 2)), ImmutableList.of(run(0, 1), run(2, 2)))) {
                assertThat(gentle.pick(3, runs).isPresent()).as("%s after %s times", runs, times).isEqualTo(times >= 5);
                if (times >= 5) {
                    assertThat(picked(gentle, 3, runs)).isEqualTo(picked(radical, 3, runs));
                }
            }
        }
        assertThatThrownBy(() -> ForceLevel0Compaction.gentle(universal(25, 1, 5), 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(picked(ForceLevel0Compaction.gentle(universal(25, 1, 5), 1, 1), 3, level0(1))).isEqualTo(new Picked(2, 1));
    }

    private record Picked(int outputLevel, List<Long> sizes)
    {
        private Picked(int outputLevel, long... sizes)
        {
            this(outputLevel, LongStream.of(sizes).boxed().toList());
        }
    }

    private static Picked picked(CompactionPicker picker, int numLevels, List<SortedRun> runs)
    {
        CompactionUnit unit = picker.pick(numLevels, runs).orElseThrow();
        assertThat(unit.rewriteEachFile()).isFalse();
        return new Picked(unit.outputLevel(), unit.files().stream().map(DataFileMeta::fileSize).toList());
    }

    private static UniversalCompaction universal(int maxSizeAmplificationPercent, int sizeRatio, int trigger)
    {
        return new UniversalCompaction(new UniversalCompaction.Settings(maxSizeAmplificationPercent, sizeRatio, trigger), EarlyFullCompaction.NEVER, RunSizes::bytes);
    }

    private static List<SortedRun> level0(long... sizes)
    {
        return LongStream.of(sizes).mapToObj(size -> run(0, size)).toList();
    }

    /**
     * One run a level, from level 0 on.
     */
    private static List<SortedRun> runs(long... sizes)
    {
        ImmutableList.Builder<SortedRun> runs = ImmutableList.builder();
        for (int level = 0; level < sizes.length; level++) {
            runs.add(run(level, sizes[level]));
        }
        return runs.build();
    }

    private static SortedRun run(int level, long size)
    {
        return new SortedRun(level, ImmutableList.of(TestingFiles.file("file", level, 0, 10, size)));
    }
}
