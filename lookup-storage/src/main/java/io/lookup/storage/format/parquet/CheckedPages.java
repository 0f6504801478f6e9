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

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ListMultimap;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.parquet.ChunkReader;
import io.trino.parquet.DiskRange;
import io.trino.parquet.ParquetCorruptionException;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.ParquetDataSourceId;
import io.trino.parquet.reader.ChunkedInputStream;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;

import static java.util.Objects.requireNonNull;

/**
 * Column chunks for Trino's reader, which takes as much memory for a page as the page's header says: here it is looked at first. Otherwise a file with one wrong bit could
 * end a server. To be given to a {@code ParquetReader} only, which reads nothing but pages.
 */
final class CheckedPages
        implements ParquetDataSource
{
    private final ParquetDataSource source;

    CheckedPages(ParquetDataSource source)
    {
        this.source = requireNonNull(source, "source is null");
    }

    @Override
    public <K> Map<K, ChunkedInputStream> planRead(ListMultimap<K, DiskRange> diskRanges, AggregatedMemoryContext memoryContext)
    {
        ImmutableMap.Builder<K, ChunkedInputStream> checked = ImmutableMap.builder();
        source.planRead(diskRanges, memoryContext).forEach((key, stream) ->
                checked.put(key, new ChunkedInputStream(new Pages(source.getId(), stream, diskRanges.get(key).stream().mapToLong(TrinoParquet::length).sum()))));
        return checked.buildOrThrow();
    }

    @Override
    public ParquetDataSourceId getId()
    {
        return source.getId();
    }

    @Override
    public long getReadBytes()
    {
        return source.getReadBytes();
    }

    @Override
    public long getReadTimeNanos()
    {
        return source.getReadTimeNanos();
    }

    @Override
    public long getEstimatedSize()
    {
        return source.getEstimatedSize();
    }

    @Override
    public Slice readTail(int length)
            throws IOException
    {
        return source.readTail(length);
    }

    @Override
    public Slice readFully(long position, int length)
            throws IOException
    {
        return source.readFully(position, length);
    }

    @Override
    public void close()
            throws IOException
    {
        source.close();
    }

    /**
     * Headers and bodies of pages in turns, each read when its turn comes.
     */
    private static final class Pages
            extends AbstractCollection<ChunkReader>
            implements Iterator<ChunkReader>
    {
        private final ParquetDataSourceId sourceId;
        private final ChunkedInputStream stream;
        private long remaining;
        // of the page whose header was read last
        private int bodyBytes;

        private Pages(ParquetDataSourceId sourceId, ChunkedInputStream stream, long length)
        {
            this.sourceId = requireNonNull(sourceId, "sourceId is null");
            this.stream = requireNonNull(stream, "stream is null");
            this.remaining = length;
        }

        @Override
        public Iterator<ChunkReader> iterator()
        {
            return this;
        }

        @Override
        public boolean isEmpty()
        {
            return !hasNext();
        }

        @Override
        public int size()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean hasNext()
        {
            return remaining > 0;
        }

        @Override
        public ChunkReader next()
        {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return new Part();
        }

        private Slice readNext()
                throws IOException
        {
            if (bodyBytes > 0) {
                Slice body = stream.getSlice(bodyBytes);
                remaining -= bodyBytes;
                bodyBytes = 0;
                return body;
            }
            HeaderBytes input = new HeaderBytes(stream);
            PageHeader header = Util.readPageHeader(input);
            byte[] bytes = input.read.toByteArray();
            remaining -= bytes.length;
            if (header.getCompressed_page_size() < 0 || header.getUncompressed_page_size() < 0 || header.getCompressed_page_size() > remaining) {
                throw new ParquetCorruptionException(
                        sourceId,
                        "A page says that it has %s bytes, and %s uncompressed, where %s are left of its column",
                        header.getCompressed_page_size(),
                        header.getUncompressed_page_size(),
                        remaining);
            }
            PageDecompressor.checkRatio(sourceId, header.getCompressed_page_size(), header.getUncompressed_page_size());
            if (header.isSetDictionary_page_header()) {
                PageDecompressor.checkDictionary(sourceId, header.getDictionary_page_header().getNum_values(), header.getUncompressed_page_size());
            }
            bodyBytes = header.getCompressed_page_size();
            return Slices.wrappedBuffer(bytes);
        }

        private void end()
        {
            remaining = 0;
            stream.close();
        }

        /**
         * Whoever ends frees parts without having read them.
         */
        private final class Part
                implements ChunkReader
        {
            private boolean read;

            @Override
            public long getDiskOffset()
            {
                throw new UnsupportedOperationException();
            }

            @Override
            public Slice read()
                    throws IOException
            {
                read = true;
                return readNext();
            }

            @Override
            public void free()
            {
                if (!read || remaining == 0) {
                    end();
                }
            }
        }
    }

    private static final class HeaderBytes
            extends InputStream
    {
        private final InputStream input;
        private final ByteArrayOutputStream read = new ByteArrayOutputStream(64);

        private HeaderBytes(InputStream input)
        {
            this.input = input;
        }

        @Override
        public int read()
                throws IOException
        {
            int value = input.read();
            if (value >= 0) {
                read.write(value);
            }
            return value;
        }

        @Override
        public int read(byte[] buffer, int offset, int length)
                throws IOException
        {
            int count = input.read(buffer, offset, length);
            if (count > 0) {
                read.write(buffer, offset, count);
            }
            return count;
        }
    }
}
