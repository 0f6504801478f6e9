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

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * When the files of a bucket are compacted, and how far. Errors as in {@link CoreOptions}.
 */
public final class CompactionOptions
{
    private final OptionMap values;

    CompactionOptions(OptionMap values)
    {
        this.values = requireNonNull(values, "values is null");
    }

    /**
     * Number of sorted runs from which a bucket is compacted.
     */
    public int trigger()
    {
        return values.getInt("num-sorted-run.compaction-trigger", 5);
    }

    /**
     * Never below the compaction trigger.
     */
    public int stopTrigger()
    {
        int trigger = trigger();
        return Math.max(trigger, values.getInt("num-sorted-run.stop-trigger", saturatedAdd(trigger, 3)));
    }

    public int numLevels()
    {
        return values.getInt("num-levels", saturatedAdd(trigger(), 1));
    }

    public int maxSizeAmplificationPercent()
    {
        return values.getInt("compaction.max-size-amplification-percent", 200);
    }

    public int sizeRatio()
    {
        return values.getInt("compaction.size-ratio", 1);
    }

    /**
     * Time after the last full compaction of a bucket after which the next one is due.
     */
    public Optional<Duration> optimizationInterval()
    {
        return values.getDuration("compaction.optimization-interval");
    }

    /**
     * Size of a bucket below which every compaction is a full one.
     */
    public OptionalLong totalSizeThresholdBytes()
    {
        return values.getSize("compaction.total-size-threshold");
    }

    /**
     * Size of what lies above the highest level beyond which a compaction is a full one.
     */
    public OptionalLong incrementalSizeThresholdBytes()
    {
        return values.getSize("compaction.incremental-size-threshold");
    }

    /**
     * First hour of the day, 0 to 23, at which {@link #offPeakRatio} holds; -1 for never.
     */
    public int offPeakStartHour()
    {
        return values.getInt("compaction.offpeak.start.hour", -1);
    }

    /**
     * Hour of the day from which {@link #offPeakRatio} no longer holds; -1 for never.
     */
    public int offPeakEndHour()
    {
        return values.getInt("compaction.offpeak.end.hour", -1);
    }

    /**
     * Percentage points added to the size ratio in the off-peak hours.
     */
    public int offPeakRatio()
    {
        return values.getInt("compaction.offpeak-ratio", 0);
    }

    public boolean forceRewriteAllFiles()
    {
        return values.getBoolean("compaction.force-rewrite-all-files", false);
    }

    public boolean forceUpLevel0()
    {
        return values.getBoolean("compaction.force-up-level-0", false);
    }

    /**
     * Commits after which a gentle lookup compaction is forced.
     */
    public int lookupMaxInterval()
    {
        int trigger = trigger();
        // below the trigger a forced compaction would come before the usual one has had its chance
        return Math.max(trigger, values.getInt("lookup-compact.max-interval", (int) Math.min(2L * trigger, Integer.MAX_VALUE)));
    }

    /**
     * Whether lookup files are put beside their data files for other nodes.
     */
    public boolean lookupRemoteFileEnabled()
    {
        return values.getBoolean("lookup.remote-file.enabled", false);
    }

    /**
     * The lowest level whose data files get one.
     */
    public int lookupRemoteFileLevelThreshold()
    {
        return values.getInt("lookup.remote-file.level-threshold", Integer.MIN_VALUE);
    }

    private static int saturatedAdd(int value, int increment)
    {
        return (int) Math.min((long) value + increment, Integer.MAX_VALUE);
    }
}
