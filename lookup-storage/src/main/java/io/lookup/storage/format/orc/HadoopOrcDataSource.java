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
package io.lookup.storage.format.orc;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.column.StoreException;
import io.trino.orc.AbstractOrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcReaderOptions;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

import static java.util.Objects.requireNonNull;

/**
 * Reads ranges of a file, which is opened at the first read.
 */
final class HadoopOrcDataSource
        extends AbstractOrcDataSource
{
    private final FileIo fileIo;
    private final Path path;
    private final ScanCounters counters;
    private FSDataInputStream input;

    HadoopOrcDataSource(FileIo fileIo, Path path, long fileSize, OrcReaderOptions options, ScanCounters counters)
    {
        super(new OrcDataSourceId(path.toString()), fileSize, options);
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.path = requireNonNull(path, "path is null");
        this.counters = requireNonNull(counters, "counters is null");
    }

    @Override
    protected void readInternal(long position, byte[] buffer, int bufferOffset, int bufferLength)
            throws IOException
    {
        if (position < 0 || position + bufferLength > getEstimatedSize()) {
            throw new EOFException("Range %d+%d is outside of %d bytes".formatted(position, bufferLength, getEstimatedSize()));
        }
        try {
            if (input == null) {
                input = fileIo.open(path, getEstimatedSize());
            }
            input.readFully(position, buffer, bufferOffset, bufferLength);
            counters.addBytes(bufferLength);
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
