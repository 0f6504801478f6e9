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
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.row.BinaryRow;

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * What one writer prepared for one bucket: nothing of it is visible until it is committed. A statement may
 * send several messages of one bucket.
 *
 * @param totalBuckets bucket count the writer assigned rows by; -1 for an append-only table without buckets
 * @param newFiles files of the APPEND part, at level 0
 * @param newChangelogFiles changelog of the APPEND (or OVERWRITE) part
 * @param compactBefore files that the compaction took in: live ones of the base, or of {@code newFiles}
 * @param compactAfter files that it put out; an upgraded file keeps its name and has another level
 * @param compactChangelogFiles changelog that it found
 * @param indexChanges what it does to the bucket's deletion vectors: a DELETE of each index file that it found, if it
 * changes any vector, and the ADD of the one that takes their place
 */
public record CommitMessage(
        BinaryRow partition,
        int bucket,
        int totalBuckets,
        List<DataFileMeta> newFiles,
        List<DataFileMeta> newChangelogFiles,
        List<DataFileMeta> compactBefore,
        List<DataFileMeta> compactAfter,
        List<DataFileMeta> compactChangelogFiles,
        List<IndexManifestEntry> indexChanges)
{
    public CommitMessage
    {
        requireNonNull(partition, "partition is null");
        newFiles = ImmutableList.copyOf(newFiles);
        newChangelogFiles = ImmutableList.copyOf(newChangelogFiles);
        compactBefore = ImmutableList.copyOf(compactBefore);
        compactAfter = ImmutableList.copyOf(compactAfter);
        compactChangelogFiles = ImmutableList.copyOf(compactChangelogFiles);
        indexChanges = ImmutableList.copyOf(indexChanges);
    }

    /**
     * A message that leaves deletion vectors alone.
     */
    public CommitMessage(
            BinaryRow partition,
            int bucket,
            int totalBuckets,
            List<DataFileMeta> newFiles,
            List<DataFileMeta> newChangelogFiles,
            List<DataFileMeta> compactBefore,
            List<DataFileMeta> compactAfter,
            List<DataFileMeta> compactChangelogFiles)
    {
        this(partition, bucket, totalBuckets, newFiles, newChangelogFiles, compactBefore, compactAfter, compactChangelogFiles, ImmutableList.of());
    }

    public CommitMessage withIndexChanges(List<IndexManifestEntry> indexChanges)
    {
        return new CommitMessage(partition, bucket, totalBuckets, newFiles, newChangelogFiles, compactBefore, compactAfter, compactChangelogFiles, indexChanges);
    }

    /**
     * The changes of the key index of a bucket that grows with its keys; they belong to the rows that are appended.
     */
    public List<IndexManifestEntry> hashChanges()
    {
        return indexChanges.stream().filter(file -> file.indexType().equals(IndexManifestEntry.HASH)).collect(toImmutableList());
    }

    /**
     * The changes of deletion vectors, which belong to the compaction.
     */
    public List<IndexManifestEntry> vectorChanges()
    {
        return indexChanges.stream().filter(file -> !file.indexType().equals(IndexManifestEntry.HASH)).collect(toImmutableList());
    }

    public boolean isEmpty()
    {
        return !hasAppend() && !hasCompaction();
    }

    public boolean hasAppend()
    {
        return !newFiles.isEmpty() || !newChangelogFiles.isEmpty();
    }

    public boolean hasCompaction()
    {
        return !compactBefore.isEmpty() || !compactAfter.isEmpty() || !compactChangelogFiles.isEmpty();
    }
}
