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
package io.lookup.storage.format.manifest;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.row.BinaryRow;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * An index file of a bucket, as index manifests list it.
 *
 * @param indexType {@link #DELETION_VECTORS}, {@link #HASH}, or a type of index that is not known here
 * @param rowCount number of vectors or hashes in the file
 * @param deletionVectors where the vector of each data file lies, in file order; empty for other types
 */
public record IndexManifestEntry(
        FileKind kind,
        BinaryRow partition,
        int bucket,
        String indexType,
        String fileName,
        long fileSize,
        long rowCount,
        List<DeletionVectorRange> deletionVectors,
        Optional<String> externalPath)
{
    public static final String DELETION_VECTORS = "DELETION_VECTORS";
    public static final String HASH = "HASH";

    public IndexManifestEntry
    {
        requireNonNull(kind, "kind is null");
        requireNonNull(partition, "partition is null");
        requireNonNull(indexType, "indexType is null");
        requireNonNull(fileName, "fileName is null");
        deletionVectors = ImmutableList.copyOf(deletionVectors);
        requireNonNull(externalPath, "externalPath is null");
    }

    public IndexManifestEntry withKind(FileKind kind)
    {
        return new IndexManifestEntry(kind, partition, bucket, indexType, fileName, fileSize, rowCount, deletionVectors, externalPath);
    }

    /**
     * @param cardinality number of rows that are deleted, empty if unknown
     */
    public record DeletionVectorRange(String dataFileName, int offset, int length, OptionalLong cardinality)
    {
        public DeletionVectorRange
        {
            requireNonNull(dataFileName, "dataFileName is null");
            requireNonNull(cardinality, "cardinality is null");
        }
    }
}
