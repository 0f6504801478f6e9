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

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Reads vectors out of index files. Index files never change under their name, so what was read is kept, as far as
 * a bound on the memory allows. Thread-safe.
 */
public final class DeletionVectorReader
{
    private static final int VERSION = 1;
    private static final int FRAME_BYTES = 2 * Integer.BYTES;
    private static final long CACHE_BYTES = 16 << 20;

    private final FileIo fileIo;
    private final Cache<Key, DeletionVector> vectors;

    public DeletionVectorReader(FileIo fileIo)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.vectors = Caffeine.newBuilder()
                .maximumWeight(CACHE_BYTES)
                .weigher((Key key, DeletionVector vector) -> (int) Math.min(Integer.MAX_VALUE, 2L * key.path().length() + vector.memoryUsage()))
                .executor(Runnable::run)
                .build();
    }

    /**
     * @param path of the index file
     * @throws StorageException MISSING_FILE, FILE_SYSTEM_ERROR, or CORRUPT_FILE for bytes that are not what the manifest says
     */
    public DeletionVector read(Path path, DeletionVectorLocation location)
    {
        Key key = new Key(path.toString(), location.offset());
        DeletionVector vector = vectors.getIfPresent(key);
        if (vector == null) {
            vector = load(path, location);
            vectors.put(key, vector);
        }
        return vector;
    }

    private DeletionVector load(Path path, DeletionVectorLocation location)
    {
        byte[] bytes = readBytes(path, location);
        try {
            DeletionVector vector = DeletionVectorCodec.decode(bytes, location.length());
            if (location.cardinality().isPresent() && location.cardinality().getAsLong() != vector.cardinality()) {
                throw new IOException(format("it has %s rows, expected %s", vector.cardinality(), location.cardinality().getAsLong()));
            }
            return vector;
        }
        catch (IOException e) {
            throw corrupt(path, format("the deletion vector at %s of %s bytes cannot be read: %s", location.offset(), location.length(), e.getMessage()), e);
        }
    }

    /**
     * The vector and, if the file has them, some bytes behind it: how many it is long depends on its kind.
     */
    private byte[] readBytes(Path path, DeletionVectorLocation location)
    {
        if (location.offset() < 1 || location.length() < 0 || location.offset() > location.fileSize()) {
            throw corrupt(path, format("a deletion vector at %s of %s bytes is out of its %s bytes", location.offset(), location.length(), location.fileSize()), null);
        }
        int length = (int) Math.min(location.length() + (long) FRAME_BYTES, location.fileSize() - location.offset());
        byte[] bytes;
        try (FSDataInputStream input = fileIo.open(path, location.fileSize())) {
            int version = input.read();
            if (version != VERSION) {
                throw corrupt(path, version < 0 ? "it is empty" : format("it has version %s of the format, only %s is known", version, VERSION), null);
            }
            input.seek(location.offset());
            // grows with what there is, whatever length was promised
            bytes = input.readNBytes(length);
            if (bytes.length != length) {
                throw corrupt(path, format("it is truncated: %s bytes of %s", location.offset() + (long) bytes.length, location.fileSize()), null);
            }
        }
        catch (FileNotFoundException | NoSuchFileException e) {
            throw new StorageException(
                    StorageErrorCode.MISSING_FILE,
                    format("File %s with deletion vectors does not exist although the table refers to it; it may have expired while it was read (retry, or keep snapshots longer), else restore it from a copy", path),
                    e);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Could not read file %s with deletion vectors: %s; check the store and retry", path, e.getMessage()), e);
        }
        return bytes;
    }

    private static StorageException corrupt(Path path, String reason, Exception cause)
    {
        return new StorageException(StorageErrorCode.CORRUPT_FILE, format("File %s with deletion vectors is damaged: %s; restore it from a copy", path, reason), cause);
    }

    private record Key(String path, int offset) {}
}
