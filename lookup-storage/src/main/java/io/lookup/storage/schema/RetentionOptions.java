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

import com.google.common.collect.ImmutableSet;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * How long snapshots and changelogs are kept. Errors as in {@link CoreOptions}.
 */
public final class RetentionOptions
{
    private static final Set<String> EXPIRING_OPTIONS = ImmutableSet.of(
            "snapshot.num-retained.min",
            "snapshot.num-retained.max",
            "snapshot.time-retained",
            "changelog.num-retained.min",
            "changelog.num-retained.max",
            "changelog.time-retained");

    private final OptionMap values;

    RetentionOptions(OptionMap values)
    {
        this.values = requireNonNull(values, "values is null");
    }

    public int snapshotNumRetainedMin()
    {
        return values.getInt("snapshot.num-retained.min", 10);
    }

    public int snapshotNumRetainedMax()
    {
        return values.getInt("snapshot.num-retained.max", Integer.MAX_VALUE);
    }

    public Duration snapshotTimeRetained()
    {
        return values.getDuration("snapshot.time-retained").orElse(Duration.ofHours(1));
    }

    /**
     * How many snapshots, and how many changelogs, one commit expires at most.
     */
    public int expireLimit()
    {
        return values.getInt("snapshot.expire.limit", 50);
    }

    /**
     * Whether a consumer's progress keeps changelogs only, not snapshots.
     */
    public boolean consumerChangelogOnly()
    {
        return values.getBoolean("consumer.changelog-only", false);
    }

    /**
     * After what time without progress a consumer is forgotten.
     */
    public Optional<Duration> consumerExpirationTime()
    {
        return values.getDuration("consumer.expiration-time");
    }

    public Optional<Duration> tagDefaultTimeRetained()
    {
        return values.getDuration("tag.default-time-retained");
    }

    /**
     * Whether the table says how long its history is kept. Where it does not, a commit expires nothing.
     */
    public boolean isSet()
    {
        return EXPIRING_OPTIONS.stream().anyMatch(key -> values.get(key).isPresent());
    }

    public int changelogNumRetainedMin()
    {
        return values.getInt("changelog.num-retained.min", snapshotNumRetainedMin());
    }

    public int changelogNumRetainedMax()
    {
        return values.getInt("changelog.num-retained.max", snapshotNumRetainedMax());
    }

    public Duration changelogTimeRetained()
    {
        return values.getDuration("changelog.time-retained").orElseGet(this::snapshotTimeRetained);
    }
}
