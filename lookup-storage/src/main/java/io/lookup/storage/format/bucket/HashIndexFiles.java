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
package io.lookup.storage.format.bucket;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.row.BinaryRow;
import org.apache.hadoop.fs.Path;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Reads and writes the index files of dynamic buckets: the hash of each key that was ever put into the bucket, four bytes each,
 * big-endian, in no order. Thread-safe.
 */
public final class HashIndexFiles
{
    private final FileIo fileIo;
    private final TablePaths paths;

    public HashIndexFiles(FileIo fileIo, TablePaths paths)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.paths = requireNonNull(paths, "paths is null");
    }

    /**
     * @throws StorageException MISSING_FILE, CORRUPT_FILE, FILE_SYSTEM_ERROR naming the file
     */
    public int[] read(IndexManifestEntry entry)
    {
        Path path = paths.indexFile(entry.partition(), entry.bucket(), entry.fileName(), entry.externalPath());
        byte[] content;
        try {
            content = fileIo.readFully(path);
        }
        catch (FileNotFoundException e) {
            throw new StorageException(StorageErrorCode.MISSING_FILE, format("Hash index file %s does not exist; restore it from a copy", path), e);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Hash index file %s could not be read: %s", path, e.getMessage()), e);
        }
        if (content.length != entry.fileSize() || content.length != entry.rowCount() * Integer.BYTES) {
            throw new StorageException(StorageErrorCode.CORRUPT_FILE, format("Hash index file %s has %s bytes, but should have %s with %s hashes; restore it from a copy", path, content.length, entry.fileSize(), entry.rowCount()));
        }
        int[] hashes = new int[content.length / Integer.BYTES];
        ByteBuffer.wrap(content).asIntBuffer().get(hashes);
        return hashes;
    }

    /**
     * @return an entry that adds the file
     */
    public IndexManifestEntry write(BinaryRow partition, int bucket, int[] hashes)
            throws IOException
    {
        String fileName = "index-" + UUID.randomUUID() + "-0";
        Path path = paths.indexFile(partition, bucket, fileName, Optional.empty());
        ByteBuffer content = ByteBuffer.allocate(Math.multiplyExact(hashes.length, Integer.BYTES));
        content.asIntBuffer().put(hashes);
        try (OutputStream output = fileIo.create(path)) {
            output.write(content.array());
        }
        catch (IOException | RuntimeException e) {
            try {
                fileIo.deleteFile(path);
            }
            catch (IOException | RuntimeException deletion) {
                e.addSuppressed(deletion);
            }
            throw e;
        }
        return new IndexManifestEntry(
                FileKind.ADD,
                partition,
                bucket,
                IndexManifestEntry.HASH,
                fileName,
                content.capacity(),
                hashes.length,
                ImmutableList.of(),
                Optional.empty());
    }

    /**
     * Deletes a file that nothing refers to.
     */
    public void delete(IndexManifestEntry entry)
            throws IOException
    {
        fileIo.deleteFile(paths.indexFile(entry.partition(), entry.bucket(), entry.fileName(), entry.externalPath()));
    }
}
