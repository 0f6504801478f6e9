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
package io.lookup.storage.format.deletion;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.IndexManifestEntry.DeletionVectorRange;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The vectors of a snapshot, bucket by bucket. Immutable.
 */
public final class DeletionVectorIndex
{
    public static final DeletionVectorIndex EMPTY = new DeletionVectorIndex(ImmutableMap.of());

    private final Map<BucketId, BucketVectors> buckets;

    private DeletionVectorIndex(Map<BucketId, BucketVectors> buckets)
    {
        this.buckets = ImmutableMap.copyOf(buckets);
    }

    /**
     * @param entries all index files of a snapshot, of any kind
     */
    public static DeletionVectorIndex of(List<IndexManifestEntry> entries)
    {
        Map<BucketId, List<IndexManifestEntry>> files = new HashMap<>();
        for (IndexManifestEntry entry : entries) {
            if (entry.indexType().equals(IndexManifestEntry.DELETION_VECTORS)) {
                files.computeIfAbsent(new BucketId(entry.partition(), entry.bucket()), _ -> new ArrayList<>()).add(entry);
            }
        }
        ImmutableMap.Builder<BucketId, BucketVectors> buckets = ImmutableMap.builder();
        files.forEach((bucket, bucketFiles) -> buckets.put(bucket, BucketVectors.of(bucketFiles)));
        return new DeletionVectorIndex(buckets.buildOrThrow());
    }

    public BucketVectors bucket(BucketId bucket)
    {
        return buckets.getOrDefault(bucket, BucketVectors.NONE);
    }

    /**
     * The vectors of one bucket.
     *
     * @param files the index files that hold them
     * @param locations by data file; there may be some of files that are not live
     */
    public record BucketVectors(List<IndexManifestEntry> files, Map<String, DeletionVectorLocation> locations)
    {
        public static final BucketVectors NONE = new BucketVectors(ImmutableList.of(), ImmutableMap.of());

        public BucketVectors
        {
            files = ImmutableList.copyOf(files);
            locations = ImmutableMap.copyOf(locations);
        }

        static BucketVectors of(List<IndexManifestEntry> files)
        {
            Map<String, DeletionVectorLocation> locations = new HashMap<>();
            for (IndexManifestEntry file : files) {
                for (DeletionVectorRange range : file.deletionVectors()) {
                    locations.put(
                            range.dataFileName(),
                            new DeletionVectorLocation(file.fileName(), file.externalPath(), file.fileSize(), range.offset(), range.length(), range.cardinality()));
                }
            }
            return new BucketVectors(files, locations);
        }

        public Optional<DeletionVectorLocation> of(String dataFileName)
        {
            return Optional.ofNullable(locations.get(dataFileName));
        }
    }
}
