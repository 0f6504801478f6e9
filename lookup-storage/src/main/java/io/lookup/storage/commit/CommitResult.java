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
package io.lookup.storage.commit;

import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * What a commit made.
 *
 * @param appendSnapshotId the APPEND or OVERWRITE snapshot; empty if there was nothing to append
 * @param compactSnapshotId the COMPACT snapshot; empty if there was none
 * @param compactionDropped whether the compaction of at least one bucket was given up, so that its rows
 * wait at level 0 for the bucket's next compaction
 */
public record CommitResult(OptionalLong appendSnapshotId, OptionalLong compactSnapshotId, boolean compactionDropped)
{
    public CommitResult
    {
        requireNonNull(appendSnapshotId, "appendSnapshotId is null");
        requireNonNull(compactSnapshotId, "compactSnapshotId is null");
    }
}
