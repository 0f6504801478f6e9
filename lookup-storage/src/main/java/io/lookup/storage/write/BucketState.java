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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.manifest.DataFileMeta;

import java.util.List;
import java.util.OptionalInt;

import static java.util.Objects.requireNonNull;

/**
 * What a statement finds in a bucket.
 *
 * @param files live files
 * @param totalBuckets bucket count that the partition's files record; empty for a new partition
 * @param deletions rows of the files that do not count
 */
public record BucketState(List<DataFileMeta> files, OptionalInt totalBuckets, BucketVectors deletions)
{
    public BucketState
    {
        files = ImmutableList.copyOf(files);
        requireNonNull(totalBuckets, "totalBuckets is null");
        requireNonNull(deletions, "deletions is null");
    }
}
