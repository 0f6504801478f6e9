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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableSortedSet;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Whether {@code deletion-vectors.enabled} may be changed now. Readers of a table that has the option do not merge and skip
 * level 0: with it set, a key that stands at two levels would be read twice, and rows at level 0 not at all. Readers of a
 * table without it do not look at deletion vectors, so that deleted rows would come back. After a full compaction neither is
 * there.
 */
final class DeletionVectorsSwitch
{
    private final String tableName;
    private final TablePaths paths;
    private final LiveFiles liveFiles;

    DeletionVectorsSwitch(String tableName, TablePaths paths, LiveFiles liveFiles)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
    }

    /**
     * @throws StorageException INVALID_OPTION naming the bucket and what to do
     */
    void check(Snapshot latest, CoreOptions before, CoreOptions after)
    {
        if (before.deletionVectorsEnabled() == after.deletionVectorsEnabled()) {
            return;
        }
        if (after.deletionVectorsEnabled()) {
            checkOneLevel(latest);
            return;
        }
        DeletionVectorIndex deletions = liveFiles.deletionVectors(latest);
        for (ManifestEntry entry : liveFiles.liveFiles(latest, _ -> true, _ -> true)) {
            if (deletions.bucket(BucketId.of(entry)).of(entry.file().fileName()).isPresent()) {
                throw refused("false", BucketId.of(entry), format("rows of file %s are deleted by a vector", entry.file().fileName()));
            }
        }
    }

    private void checkOneLevel(Snapshot latest)
    {
        Map<BucketId, SortedSet<Integer>> levels = new LinkedHashMap<>();
        for (ManifestEntry entry : liveFiles.liveFiles(latest, _ -> true, _ -> true)) {
            levels.computeIfAbsent(BucketId.of(entry), _ -> new TreeSet<>()).add(entry.file().level());
        }
        levels.forEach((bucket, bucketLevels) -> {
            if (bucketLevels.size() > 1 || bucketLevels.getFirst() == 0) {
                throw refused("true", bucket, "there are files at levels " + ImmutableSortedSet.copyOf(bucketLevels));
            }
        });
    }

    private StorageException refused(String value, BucketId bucket, String reason)
    {
        return new StorageException(StorageErrorCode.INVALID_OPTION, format(
                "Option 'deletion-vectors.enabled' of table %s cannot be changed to %s now: in bucket %s%s %s; compact the table first (ALTER TABLE … EXECUTE optimize), with nobody writing to it, then change the option",
                tableName,
                value,
                paths.partitionDirectory(bucket.partition()),
                bucket.bucket(),
                reason));
    }
}
