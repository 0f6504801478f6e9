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

import io.lookup.storage.schema.CoreOptions;

import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

import static java.util.Objects.requireNonNull;

/**
 * Universal compaction: few runs by merging neighbours of like size, with the whole tree as the last resort. Triggers in
 * their order: an early full compaction; size amplification (what lies above the last run against the last run); size
 * ratio (a run joins those before it if it is not larger than they are); the number of runs.
 */
public final class UniversalCompaction
        implements CompactionPicker
{
    private final Settings settings;
    private final EarlyFullCompaction earlyFullCompaction;
    private final ToLongFunction<SortedRun> runSize;

    /**
     * @param maxSizeAmplificationPercent size above the last run, in percent of the last run, beyond which all is merged
     * @param sizeRatio percent by which a run may be larger than those before it and still join them; off-peak
     * percentage points, where they hold now, are included
     * @param trigger runs that may lie there before sizes are looked at
     */
    public record Settings(int maxSizeAmplificationPercent, int sizeRatio, int trigger)
    {
        /**
         * @param hourOfDay the local hour now, 0 to 23, which off-peak hours are compared with
         */
        public static Settings create(CoreOptions options, int hourOfDay)
        {
            return new Settings(
                    options.compaction().maxSizeAmplificationPercent(),
                    options.compaction().sizeRatio() + (isOffPeak(options.compaction().offPeakStartHour(), options.compaction().offPeakEndHour(), hourOfDay) ? options.compaction().offPeakRatio() : 0),
                    options.compaction().trigger());
        }

        static boolean isOffPeak(int startHour, int endHour, int hourOfDay)
        {
            if (startHour == -1 || endHour == -1) {
                return false;
            }
            if (startHour <= endHour) {
                return startHour <= hourOfDay && hourOfDay < endHour;
            }
            // over midnight
            return startHour <= hourOfDay || hourOfDay < endHour;
        }
    }

    /**
     * @param runSize see {@link RunSizes}
     */
    public UniversalCompaction(Settings settings, EarlyFullCompaction earlyFullCompaction, ToLongFunction<SortedRun> runSize)
    {
        this.settings = requireNonNull(settings, "settings is null");
        this.earlyFullCompaction = requireNonNull(earlyFullCompaction, "earlyFullCompaction is null");
        this.runSize = requireNonNull(runSize, "runSize is null");
    }

    @Override
    public Optional<CompactionUnit> pick(int numLevels, List<SortedRun> runs)
    {
        return pickUnit(numLevels - 1, runs)
                .filter(unit -> !unit.isInPlace());
    }

    /**
     * Takes all of level 0 and what joins it by size.
     */
    Optional<CompactionUnit> pickLevel0(int numLevels, List<SortedRun> runs)
    {
        int level0Runs = 0;
        while (level0Runs < runs.size() && runs.get(level0Runs).level() == 0) {
            level0Runs++;
        }
        if (level0Runs == 0) {
            return Optional.empty();
        }
        return Optional.of(createUnit(numLevels - 1, runs, extendBySizeRatio(runs, level0Runs)));
    }

    private Optional<CompactionUnit> pickUnit(int maxLevel, List<SortedRun> runs)
    {
        if (runs.isEmpty()) {
            return Optional.empty();
        }
        if (earlyFullCompaction.isDue(maxLevel, runs)) {
            return Optional.of(CompactionUnit.ofRuns(maxLevel, runs));
        }
        if (runs.size() < settings.trigger()) {
            return Optional.empty();
        }
        if (isAmplified(runs)) {
            return Optional.of(CompactionUnit.ofRuns(maxLevel, runs));
        }
        int count = extendBySizeRatio(runs, 1);
        if (count > 1) {
            return Optional.of(createUnit(maxLevel, runs, count));
        }
        if (runs.size() > settings.trigger()) {
            // enough to come down to the trigger
            return Optional.of(createUnit(maxLevel, runs, extendBySizeRatio(runs, runs.size() - settings.trigger() + 1)));
        }
        return Optional.empty();
    }

    private boolean isAmplified(List<SortedRun> runs)
    {
        long newer = 0;
        for (SortedRun run : runs.subList(0, runs.size() - 1)) {
            newer += runSize.applyAsLong(run);
        }
        return newer * 100 > settings.maxSizeAmplificationPercent() * runSize.applyAsLong(runs.getLast());
    }

    private int extendBySizeRatio(List<SortedRun> runs, int count)
    {
        long size = 0;
        for (SortedRun run : runs.subList(0, count)) {
            size += runSize.applyAsLong(run);
        }
        int extended = count;
        while (extended < runs.size()) {
            long next = runSize.applyAsLong(runs.get(extended));
            if (size * (100.0 + settings.sizeRatio()) / 100.0 < next) {
                break;
            }
            size += next;
            extended++;
        }
        return extended;
    }

    private static CompactionUnit createUnit(int maxLevel, List<SortedRun> runs, int count)
    {
        int taken = count;
        // as deep as the next older run allows
        int outputLevel = taken == runs.size() ? maxLevel : Math.max(0, runs.get(taken).level() - 1);
        // level 0 may overlap, so the output cannot stay there: go on to the first run that has a level of its own
        while (outputLevel == 0 && taken < runs.size()) {
            outputLevel = runs.get(taken).level();
            taken++;
        }
        return CompactionUnit.ofRuns(taken == runs.size() ? maxLevel : outputLevel, runs.subList(0, taken));
    }
}
