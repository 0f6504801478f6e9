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

import io.lookup.storage.format.manifest.BucketId;

import java.util.List;
import java.util.Set;

/**
 * Compacts buckets again whose prepared compaction has become stale, for tables whose rows are visible by compaction only.
 */
public interface BucketRecompactor
{
    /**
     * Lifts what lies at level 0 of the buckets.
     *
     * @param baseSnapshotId the snapshot whose files are compacted
     * @return messages without new files, only of buckets in which there is something to lift
     */
    List<CommitMessage> recompact(long baseSnapshotId, Set<BucketId> buckets);
}
