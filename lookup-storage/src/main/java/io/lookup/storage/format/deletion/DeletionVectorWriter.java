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
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.IndexManifestEntry.DeletionVectorRange;
import io.lookup.storage.format.row.BinaryRow;
import org.apache.hadoop.fs.Path;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

import static java.util.Objects.requireNonNull;

/**
 * Writes the vectors of a bucket into one index file. Thread-safe.
 */
public final class DeletionVectorWriter
{
    private static final int VERSION = 1;

    private final FileIo fileIo;
    private final TablePaths paths;
    private final boolean bitmap64;

    /**
     * @param bitmap64 whether vectors are written in the 64-bit kind
     */
    public DeletionVectorWriter(FileIo fileIo, TablePaths paths, boolean bitmap64)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.bitmap64 = bitmap64;
    }

    /**
     * @param vectors all vectors of the bucket by data file, none empty
     */
    public IndexManifestEntry write(BinaryRow partition, int bucket, Map<String, DeletionVector> vectors)
            throws IOException
    {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.write(VERSION);
        ImmutableList.Builder<DeletionVectorRange> ranges = ImmutableList.builder();
        for (Map.Entry<String, DeletionVector> entry : vectors.entrySet()) {
            DeletionVectorCodec.Encoded encoded = DeletionVectorCodec.encode(entry.getValue(), bitmap64);
            ranges.add(new DeletionVectorRange(entry.getKey(), content.size(), encoded.length(), OptionalLong.of(entry.getValue().cardinality())));
            content.write(encoded.bytes());
        }
        String fileName = "index-" + UUID.randomUUID() + "-0";
        Path path = paths.indexFile(partition, bucket, fileName, Optional.empty());
        try (OutputStream output = fileIo.create(path)) {
            content.writeTo(output);
        }
        catch (IOException | RuntimeException e) {
            deleteQuietly(path, e);
            throw e;
        }
        return new IndexManifestEntry(
                FileKind.ADD,
                partition,
                bucket,
                IndexManifestEntry.DELETION_VECTORS,
                fileName,
                content.size(),
                vectors.size(),
                ranges.build(),
                Optional.empty());
    }

    private void deleteQuietly(Path path, Exception failure)
    {
        try {
            fileIo.deleteFile(path);
        }
        catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
