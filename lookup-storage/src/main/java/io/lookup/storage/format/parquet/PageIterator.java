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
import io.trino.memory.context.LocalMemoryContext;
import io.trino.parquet.Page;
import org.apache.parquet.column.ColumnDescriptor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.OptionalLong;

import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Pages that lie scattered over a column chunk, decompressed. Those near each other are read at once.
 */
final class PageIterator
        implements Iterator<Page>
{
    /** What is read in vain if pages are this far apart costs about as much as another call. */
    private static final int LOCAL_GAP_BYTES = 16 << 10;
    private static final int REMOTE_GAP_BYTES = 512 << 10;
    private static final int LOCAL_READ_BYTES = 1 << 20;
    private static final int REMOTE_READ_BYTES = 8 << 20;

    private final HadoopParquetDataSource source;
    private final PageDecompressor decompressor;
    private final ColumnDescriptor column;
    private final long chunkStart;
    private final SelectedPages pages;
    private final LocalMemoryContext memory;
    private final int gapBytes;
    private final int readBytes;

    // -1 for the dictionary
    private int next;
    // what was read last
    private Slice data;
    private long dataOffset;

    /**
     * @param chunkStart where the column chunk begins: with its dictionary, if it has one
     */
    PageIterator(HadoopParquetDataSource source, PageDecompressor decompressor, ColumnDescriptor column, long chunkStart, SelectedPages pages, LocalMemoryContext memory)
    {
        this.source = requireNonNull(source, "source is null");
        this.decompressor = requireNonNull(decompressor, "decompressor is null");
        this.column = requireNonNull(column, "column is null");
        this.chunkStart = chunkStart;
        this.pages = requireNonNull(pages, "pages is null");
        this.gapBytes = source.isLocal() ? LOCAL_GAP_BYTES : REMOTE_GAP_BYTES;
        this.readBytes = source.isLocal() ? LOCAL_READ_BYTES : REMOTE_READ_BYTES;
        this.memory = requireNonNull(memory, "memory is null");
        this.next = pages.firstOffsetOfChunk() > chunkStart ? -1 : 0;
    }

    @Override
    public boolean hasNext()
    {
        return next < pages.count();
    }

    @Override
    public Page next()
    {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        try {
            OptionalLong firstRow = next < 0 ? OptionalLong.empty() : OptionalLong.of(pages.firstRow(next));
            Page page = new CompressedPage(source.getId(), bytes()).decompress(decompressor, column, firstRow);
            next++;
            return page;
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Slice bytes()
            throws IOException
    {
        long start = start(next);
        long end = end(next);
        if (data == null || end > dataOffset + data.length()) {
            long readEnd = end;
            for (int page = next + 1; page < pages.count() && start(page) <= readEnd + gapBytes && end(page) - start <= readBytes; page++) {
                readEnd = end(page);
            }
            data = source.readRange(start, readEnd - start);
            dataOffset = start;
            memory.setBytes(data.length());
        }
        return data.slice(toIntExact(start - dataOffset), toIntExact(end - start));
    }

    private long start(int page)
    {
        return page < 0 ? chunkStart : pages.offset(page);
    }

    private long end(int page)
    {
        return page < 0 ? pages.firstOffsetOfChunk() : pages.offset(page) + pages.size(page);
    }
}
