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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.IndexManifestEntry;

import java.util.List;

/**
 * What a compaction does to a bucket once it is committed. A file that only changes its level stands in both lists
 * under the same name.
 *
 * @param before files that go
 * @param after files that come
 * @param changelog changelog files, not part of the table's state
 * @param indexChanges index files of the bucket's deletion vectors that go, and those that come
 */
public record CompactionResult(List<DataFileMeta> before, List<DataFileMeta> after, List<DataFileMeta> changelog, List<IndexManifestEntry> indexChanges)
{
    public CompactionResult
    {
        before = ImmutableList.copyOf(before);
        after = ImmutableList.copyOf(after);
        changelog = ImmutableList.copyOf(changelog);
        indexChanges = ImmutableList.copyOf(indexChanges);
    }

    CompactionResult withIndexChanges(List<IndexManifestEntry> indexChanges)
    {
        return new CompactionResult(before, after, changelog, indexChanges);
    }

    public boolean isEmpty()
    {
        return before.isEmpty() && after.isEmpty() && changelog.isEmpty();
    }
}
