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
package io.lookup.storage.snapshot;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A named snapshot, which outlives the expiry of its snapshot file.
 *
 * @param createTime local wall time of the creator; present only with a time to live
 * @param timeRetained time to live
 */
public record Tag(String name, Snapshot snapshot, Optional<LocalDateTime> createTime, Optional<Duration> timeRetained)
{
    public Tag
    {
        requireNonNull(name, "name is null");
        requireNonNull(snapshot, "snapshot is null");
        requireNonNull(createTime, "createTime is null");
        requireNonNull(timeRetained, "timeRetained is null");
    }
}
