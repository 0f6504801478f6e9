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
package io.lookup.storage.write;

import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;

import java.util.List;

/**
 * Whether a statement that writes a bucket is to compact it fully, whatever its levels look like.
 */
@FunctionalInterface
public interface FullCompactionTrigger
{
    FullCompactionTrigger NEVER = (_, _, _) -> false;

    /**
     * @param baseFiles the bucket's live files in the base
     * @param pendingCommits commits that are to follow the base and count as well: 1 for the statement that asks, 0 for a
     * compaction by itself
     */
    boolean isDue(BucketId bucket, List<DataFileMeta> baseFiles, int pendingCommits);
}
