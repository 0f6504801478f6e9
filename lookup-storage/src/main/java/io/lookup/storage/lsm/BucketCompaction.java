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

import io.lookup.storage.format.manifest.DataFileMeta;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Runs one compaction of a bucket.
 */
public interface BucketCompaction
{
    /**
     * @param liveFiles all files of the bucket
     * @param full whether everything is compacted that can be
     * @return empty if there is nothing to do
     */
    Optional<CompactionResult> compact(List<DataFileMeta> liveFiles, boolean full)
            throws IOException;

    /**
     * Deletes the files that a compaction wrote and nobody will commit; never throws.
     */
    void deleteOutput(CompactionResult result);
}
