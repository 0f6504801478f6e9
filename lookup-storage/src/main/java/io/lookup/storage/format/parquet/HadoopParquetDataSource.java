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
package io.lookup.storage.format.parquet;

import io.airlift.slice.Slice;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.column.FileRanges;
import io.trino.parquet.AbstractParquetDataSource;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.ParquetDataSourceId;
import io.trino.parquet.ParquetReaderOptions;
import io.trino.parquet.metadata.BlockMetadata;
import io.trino.parquet.metadata.ColumnChunkMetadata;
import io.trino.parquet.metadata.IndexReference;
import io.trino.parquet.metadata.ParquetMetadata;
import org.apache.hadoop.fs.Path;

import java.io.EOFException;
import java.io.IOException;

import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Reads ranges of a file, which is opened at the first read: a file that is pruned by its cached footer is never opened.
 */
final class HadoopParquetDataSource
        extends AbstractParquetDataSource
{
    private final FileIo fileIo;
    private final Path path;
    private final ParquetReaderOptions options;
    private final FileRanges ranges;

    HadoopParquetDataSource(FileIo fileIo, Path path, long fileSize, ParquetReaderOptions options, ScanCounters counters)
    {
        super(new ParquetDataSourceId(path.toString()), fileSize, options);
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.path = requireNonNull(path, "path is null");
        this.options = requireNonNull(options, "options is null");
        this.ranges = new FileRanges(fileIo, path, fileSize, counters);
    }

    /**
     * The same file for another thread, which counts for itself.
     */
    HadoopParquetDataSource duplicate()
    {
        return new HadoopParquetDataSource(fileIo, path, getEstimatedSize(), options, new ScanCounters());
    }

    /**
     * Whether many small reads cost little.
     */
    boolean isLocal()
    {
        return "file".equals(path.toUri().getScheme());
    }

    /**
     * As {@link #readFully(long, int)}, for ranges that the file itself tells: no memory is taken for bytes that it does not have.
     */
    Slice readRange(long position, long length)
            throws IOException
    {
        checkRange(position, length);
        return readFully(position, toIntExact(length));
    }

    /**
     * Nothing that a footer names may lie outside of the file: who reads it takes memory first.
     *
     * @throws EOFException if it does
     */
    static void checkRanges(ParquetMetadata footer, ParquetDataSource source)
            throws IOException
    {
        for (BlockMetadata block : footer.getBlocks()) {
            for (ColumnChunkMetadata chunk : block.columns()) {
                checkRange(chunk.getStartingPos(), chunk.getTotalSize(), source);
                checkRange(chunk.getFirstDataPageOffset(), 0, source);
                for (IndexReference index : new IndexReference[] {chunk.getColumnIndexReference(), chunk.getOffsetIndexReference()}) {
                    if (index != null) {
                        checkRange(index.getOffset(), index.getLength(), source);
                    }
                }
            }
        }
    }

    private void checkRange(long position, long length)
            throws EOFException
    {
        checkRange(position, length, this);
    }

    private static void checkRange(long position, long length, ParquetDataSource source)
            throws EOFException
    {
        if (position < 0 || length < 0 || length > source.getEstimatedSize() - position) {
            throw new EOFException("Range %d+%d is outside of %d bytes".formatted(position, length, source.getEstimatedSize()));
        }
    }

    @Override
    protected void readInternal(long position, byte[] buffer, int bufferOffset, int bufferLength)
            throws IOException
    {
        ranges.read(position, buffer, bufferOffset, bufferLength);
    }

    @Override
    public void close()
            throws IOException
    {
        ranges.close();
    }
}
