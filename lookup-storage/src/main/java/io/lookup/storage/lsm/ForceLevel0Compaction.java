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

import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Universal compaction that lifts level 0 where it would have done nothing: what writes a changelog from lookups needs.
 */
public final class ForceLevel0Compaction
        implements CompactionPicker
{
    private final UniversalCompaction universal;
    private final boolean force;

    private ForceLevel0Compaction(UniversalCompaction universal, boolean force)
    {
        this.universal = requireNonNull(universal, "universal is null");
        this.force = force;
    }

    /**
     * Lifts level 0 every time.
     */
    public static ForceLevel0Compaction radical(UniversalCompaction universal)
    {
        return new ForceLevel0Compaction(universal, true);
    }

    /**
     * Lifts level 0 if it has been passed over often enough.
     *
     * @param maxInterval times in a row, this one included, that level 0 may be passed over before it is lifted
     * @param times how often in a row it has been, or would be, passed over, this one included
     */
    public static ForceLevel0Compaction gentle(UniversalCompaction universal, int maxInterval, int times)
    {
        checkArgument(maxInterval > 0, "maxInterval is not positive");
        return new ForceLevel0Compaction(universal, times >= maxInterval);
    }

    @Override
    public Optional<CompactionUnit> pick(int numLevels, List<SortedRun> runs)
    {
        Optional<CompactionUnit> unit = universal.pick(numLevels, runs);
        if (unit.isPresent() || !force) {
            return unit;
        }
        return universal.pickLevel0(numLevels, runs);
    }
}
