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
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.deletion.DeletionVectorLocation;
import io.lookup.storage.format.deletion.DeletionVectorReader;
import io.lookup.storage.format.deletion.DeletionVectorWriter;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.row.BinaryRow;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/**
 * The deletion vectors of one bucket during a compaction: those that it found, and what it does to them. Files are read
 * without the rows that it found deleted; what it deletes itself it has merged already. Not thread-safe.
 */
final class BucketDeletions
{
    private final DeletionVectorReader reader;
    private final TablePaths paths;
    private final BinaryRow partition;
    private final int bucket;
    private final BucketVectors found;
    private final Map<String, DeletionVector.Builder> marked = new HashMap<>();
    private final Set<String> removed = new HashSet<>();

    BucketDeletions(DeletionVectorReader reader, TablePaths paths, BinaryRow partition, int bucket, BucketVectors found)
    {
        this.reader = requireNonNull(reader, "reader is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
        this.found = requireNonNull(found, "found is null");
    }

    /**
     * Whether rows of the file were deleted before.
     */
    boolean has(DataFileMeta file)
    {
        return found.of(file.fileName()).isPresent();
    }

    /**
     * What was deleted before.
     */
    DeletionVector found(String dataFileName)
    {
        return found.of(dataFileName).map(this::read).orElse(DeletionVector.EMPTY);
    }

    private DeletionVector read(DeletionVectorLocation location)
    {
        return reader.read(paths.indexFile(partition, bucket, location.fileName(), location.externalPath()), location);
    }

    void mark(String dataFileName, long position)
    {
        marked.computeIfAbsent(dataFileName, name -> new DeletionVector.Builder(found(name))).add(position);
    }

    /**
     * The file is written anew, without the rows that were deleted.
     */
    void rewritten(DataFileMeta file)
    {
        removed.add(file.fileName());
    }

    /**
     * Writes the vectors as they are now, if they have changed.
     *
     * @param files all live files of the bucket before the compaction
     * @return the index files that go, then the one that comes if there still is a vector; empty if nothing changed
     */
    List<IndexManifestEntry> write(List<DataFileMeta> files, DeletionVectorWriter writer)
            throws IOException
    {
        if (marked.isEmpty() && removed.stream().noneMatch(name -> found.of(name).isPresent())) {
            return ImmutableList.of();
        }
        Map<String, DeletionVector> vectors = new TreeMap<>();
        for (DataFileMeta file : files) {
            String name = file.fileName();
            if (removed.contains(name)) {
                continue;
            }
            DeletionVector vector = marked.containsKey(name) ? marked.get(name).build() : found(name);
            if (!vector.isEmpty()) {
                vectors.put(name, vector);
            }
        }
        ImmutableList.Builder<IndexManifestEntry> changes = ImmutableList.builder();
        found.files().forEach(file -> changes.add(file.withKind(FileKind.DELETE)));
        if (!vectors.isEmpty()) {
            changes.add(writer.write(partition, bucket, vectors));
        }
        return changes.build();
    }
}
