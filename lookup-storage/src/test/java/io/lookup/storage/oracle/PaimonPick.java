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

import com.google.common.collect.ImmutableList;
import org.apache.paimon.compact.CompactUnit;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.PojoDataFileMeta;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.mergetree.LevelSortedRun;
import org.apache.paimon.mergetree.SortedRun;
import org.apache.paimon.mergetree.compact.CompactStrategy;
import org.apache.paimon.mergetree.compact.ForceUpLevel0Compaction;
import org.apache.paimon.mergetree.compact.UniversalCompaction;
import org.apache.paimon.stats.SimpleStats;

import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Which sorted runs Paimon would compact, and to which level: a pure function of levels and sizes.
 */
public final class PaimonPick
{
    private final CompactStrategy strategy;
    private final int numLevels;

    /**
     * @param numLevels count of levels, level 0 included; Paimon's default is the trigger plus one
     * @param maxSizeAmplificationPercent {@code compaction.max-size-amplification-percent}, default 200
     * @param sizeRatioPercent {@code compaction.size-ratio}, default 1
     * @param runCountTrigger {@code num-sorted-run.compaction-trigger}, default 5
     * @param forceUpLevel0 whether level 0 must go up at every trigger, as a table that looks up asks for
     */
    public PaimonPick(int numLevels, int maxSizeAmplificationPercent, int sizeRatioPercent, int runCountTrigger, boolean forceUpLevel0)
    {
        checkArgument(numLevels > 1, "numLevels is less than 2: %s", numLevels);
        this.numLevels = numLevels;
        UniversalCompaction universal = new UniversalCompaction(maxSizeAmplificationPercent, sizeRatioPercent, runCountTrigger, null, null);
        this.strategy = forceUpLevel0 ? new ForceUpLevel0Compaction(universal, null) : universal;
    }

    /**
     * @param runs newest first: every level-0 file is a run of its own, then at most one run for each higher level, ascending
     * @return empty when nothing is to be compacted
     */
    public Optional<Picked> pick(List<Run> runs)
    {
        ImmutableList.Builder<LevelSortedRun> sortedRuns = ImmutableList.builder();
        for (int index = 0; index < runs.size(); index++) {
            Run run = runs.get(index);
            sortedRuns.add(new LevelSortedRun(run.level(), SortedRun.fromSingle(dataFile(index, run))));
        }
        return strategy.pick(numLevels, sortedRuns.build()).map(PaimonPick::toPicked);
    }

    private static Picked toPicked(CompactUnit unit)
    {
        return new Picked(
                unit.outputLevel(),
                unit.files().stream()
                        .map(file -> Integer.valueOf(file.fileName()))
                        .collect(ImmutableList.toImmutableList()));
    }

    private static DataFileMeta dataFile(int index, Run run)
    {
        return new PojoDataFileMeta(
                String.valueOf(index),
                run.size(),
                1,
                BinaryRow.EMPTY_ROW,
                BinaryRow.EMPTY_ROW,
                SimpleStats.EMPTY_STATS,
                SimpleStats.EMPTY_STATS,
                0,
                0,
                0,
                run.level(),
                ImmutableList.of(),
                Timestamp.fromEpochMillis(0),
                0L,
                null,
                FileSource.APPEND,
                null,
                null,
                null,
                null);
    }

    /**
     * @param size total bytes of the run's files
     */
    public record Run(int level, long size) {}

    /**
     * @param runIndexes positions in the given list of runs, ascending; always a prefix
     */
    public record Picked(int outputLevel, List<Integer> runIndexes)
    {
        public Picked
        {
            runIndexes = ImmutableList.copyOf(requireNonNull(runIndexes, "runIndexes is null"));
        }
    }
}
