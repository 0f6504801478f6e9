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
package io.lookup.storage.format.column;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.ScanCounters;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

import static java.util.Objects.requireNonNull;

/**
 * Ranges of a file, which is opened at the first read: a file that is pruned by what is known of it is never opened. Not thread-safe.
 */
public final class FileRanges
        implements Closeable
{
    private final FileIo fileIo;
    private final Path path;
    private final long fileSize;
    private final ScanCounters counters;
    private FSDataInputStream input;

    public FileRanges(FileIo fileIo, Path path, long fileSize, ScanCounters counters)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.path = requireNonNull(path, "path is null");
        this.fileSize = fileSize;
        this.counters = requireNonNull(counters, "counters is null");
    }

    /**
     * @throws EOFException if the file ends before, or is said to
     * @throws StoreException if the store fails
     */
    public void read(long position, byte[] buffer, int offset, int length)
            throws IOException
    {
        if (position < 0 || length > fileSize - position) {
            throw new EOFException("Range %d+%d is outside of %d bytes".formatted(position, length, fileSize));
        }
        try {
            if (input == null) {
                input = fileIo.open(path, fileSize);
            }
            input.readFully(position, buffer, offset, length);
            counters.addBytes(length);
        }
        catch (EOFException | FileNotFoundException | NoSuchFileException e) {
            throw e;
        }
        catch (IOException e) {
            throw new StoreException(e);
        }
    }

    @Override
    public void close()
            throws IOException
    {
        if (input != null) {
            input.close();
            input = null;
        }
    }
}
