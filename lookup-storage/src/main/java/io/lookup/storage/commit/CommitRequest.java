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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * All that one statement wants to make true.
 *
 * @param baseSnapshotId the snapshot that the statement's writers stood on; empty if the table had none
 * @param rowChanges whether the statement's changes depend on rows it read at the base (UPDATE, DELETE, MERGE)
 * @param properties of the APPEND or OVERWRITE snapshot
 * @param compactProperties of the COMPACT snapshot that the messages speak of
 * @param commitUser a UUID of this statement, never used for another commit: it is how a commit whose
 * publication ended in an unknown state finds its own snapshot
 * @param overwrite if present, the live files of the scope are deleted and the snapshot's kind is OVERWRITE
 * @param foreignCompactProperties of a COMPACT snapshot that lifts rows of others as well, where the one of the messages has become
 * stale; one that lifts the statement's rows alone has the properties of the APPEND
 */
public record CommitRequest(
        OptionalLong baseSnapshotId,
        List<CommitMessage> messages,
        boolean rowChanges,
        Map<String, String> properties,
        Map<String, String> compactProperties,
        String commitUser,
        Optional<OverwriteScope> overwrite,
        Map<String, String> foreignCompactProperties)
{
    public CommitRequest
    {
        requireNonNull(baseSnapshotId, "baseSnapshotId is null");
        messages = ImmutableList.copyOf(messages);
        properties = ImmutableMap.copyOf(properties);
        compactProperties = ImmutableMap.copyOf(compactProperties);
        requireNonNull(commitUser, "commitUser is null");
        requireNonNull(overwrite, "overwrite is null");
        foreignCompactProperties = ImmutableMap.copyOf(foreignCompactProperties);
    }

    /**
     * Whatever a compaction lifts, its snapshot has the same properties.
     */
    public CommitRequest(
            OptionalLong baseSnapshotId,
            List<CommitMessage> messages,
            boolean rowChanges,
            Map<String, String> properties,
            Map<String, String> compactProperties,
            String commitUser,
            Optional<OverwriteScope> overwrite)
    {
        this(baseSnapshotId, messages, rowChanges, properties, compactProperties, commitUser, overwrite, compactProperties);
    }
}
