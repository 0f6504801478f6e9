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

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * The options that make a compaction a full one before its shape asks for it.
 *
 * @param interval {@code compaction.optimization-interval}
 * @param sinceLastFull time since the bucket's last full compaction; empty if none is known, and then one is due
 * @param totalSizeThreshold {@code compaction.total-size-threshold}, bytes: below it all runs are compacted
 * @param incrementalSizeThreshold {@code compaction.incremental-size-threshold}, bytes: if more lies above the highest
 * level, all runs are compacted
 */
public record EarlyFullCompaction(Optional<Duration> interval, Optional<Duration> sinceLastFull, OptionalLong totalSizeThreshold, OptionalLong incrementalSizeThreshold)
{
    public static final EarlyFullCompaction NEVER = new EarlyFullCompaction(Optional.empty(), Optional.empty(), OptionalLong.empty(), OptionalLong.empty());

    public EarlyFullCompaction
    {
        requireNonNull(interval, "interval is null");
        requireNonNull(sinceLastFull, "sinceLastFull is null");
        requireNonNull(totalSizeThreshold, "totalSizeThreshold is null");
        requireNonNull(incrementalSizeThreshold, "incrementalSizeThreshold is null");
    }

    public static EarlyFullCompaction create(CoreOptions options, Optional<Duration> sinceLastFull)
    {
        return new EarlyFullCompaction(
                options.compaction().optimizationInterval(),
                sinceLastFull,
                options.compaction().totalSizeThresholdBytes(),
                options.compaction().incrementalSizeThresholdBytes());
    }

    /**
     * What the highest level tells of the bucket's last full compaction: it is not older than the youngest file there, since
     * nothing else writes to that level. It can be younger where files only rose there, and is then thought due too early.
     *
     * @param now local time, as creation times of files are
     * @return empty if the highest level is empty
     */
    public static Optional<Duration> sinceLastFull(Levels levels, LocalDateTime now)
    {
        OptionalLong youngest = levels.level(levels.maxLevel()).files().stream()
                .flatMapToLong(file -> file.creationTimeMillis().stream())
                .max();
        if (youngest.isEmpty()) {
            return Optional.empty();
        }
        long age = now.toInstant(ZoneOffset.UTC).toEpochMilli() - youngest.getAsLong();
        // clocks differ
        return Optional.of(Duration.ofMillis(Math.max(age, 0)));
    }

    /**
     * Thresholds are options in bytes, so sizes are bytes here whatever the picker measures with.
     */
    boolean isDue(int maxLevel, List<SortedRun> runs)
    {
        if (runs.size() <= 1) {
            return false;
        }
        if (interval.isPresent() && (sinceLastFull.isEmpty() || sinceLastFull.get().compareTo(interval.get()) > 0)) {
            return true;
        }
        if (totalSizeThreshold.isPresent() && runs.stream().mapToLong(SortedRun::totalSize).sum() < totalSizeThreshold.getAsLong()) {
            return true;
        }
        return incrementalSizeThreshold.isPresent() && runs.stream()
                .filter(run -> run.level() != maxLevel)
                .mapToLong(SortedRun::totalSize)
                .sum() > incrementalSizeThreshold.getAsLong();
    }
}
