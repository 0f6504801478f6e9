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
package io.lookup.storage.maintenance;

import io.lookup.storage.schema.RetentionOptions;

import java.time.Duration;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * What may expire: snapshots (or changelogs) beyond the newest {@code numRetainedMax}, and, of those beyond the newest
 * {@code numRetainedMin}, the ones that are older than {@code timeRetained}.
 *
 * @param limit how many go at once
 */
public record ExpirySettings(int numRetainedMin, int numRetainedMax, Duration timeRetained, int limit)
{
    public ExpirySettings
    {
        checkArgument(numRetainedMin >= 1, "numRetainedMin must be positive");
        checkArgument(numRetainedMax >= numRetainedMin, "numRetainedMax must not be less than numRetainedMin");
        requireNonNull(timeRetained, "timeRetained is null");
    }

    static ExpirySettings ofSnapshots(RetentionOptions options)
    {
        return new ExpirySettings(options.snapshotNumRetainedMin(), options.snapshotNumRetainedMax(), options.snapshotTimeRetained(), options.expireLimit());
    }

    static ExpirySettings ofChangelogs(RetentionOptions options)
    {
        return new ExpirySettings(options.changelogNumRetainedMin(), options.changelogNumRetainedMax(), options.changelogTimeRetained(), options.expireLimit());
    }

    /**
     * Whether changelogs that these settings keep outlive snapshots of the others.
     */
    boolean keepMoreThan(ExpirySettings snapshots)
    {
        return numRetainedMax > snapshots.numRetainedMax ||
                numRetainedMin > snapshots.numRetainedMin ||
                timeRetained.compareTo(snapshots.timeRetained) > 0;
    }

    long olderThan(long nowMillis)
    {
        long retained;
        try {
            retained = timeRetained.toMillis();
        }
        catch (ArithmeticException _) {
            return Long.MIN_VALUE;
        }
        return retained > nowMillis ? Long.MIN_VALUE : nowMillis - retained;
    }
}
