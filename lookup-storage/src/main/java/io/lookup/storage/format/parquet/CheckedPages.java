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

import com.github.luben.zstd.ZstdDecompressCtx;
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
import io.trino.parquet.metadata.ColumnChunkMetadata;
import io.trino.parquet.reader.ChunkedInputStream;
import io.trino.parquet.reader.RowGroupInfo;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.OptionalLong;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/**
 * Column chunks for Trino's reader, which takes as much memory for a page as the page's header says of its bytes and values, and for texts as much as their lengths say: here both are looked at first. Otherwise a file with one wrong bit could
 * end a server. For the lengths, pages of plain texts are decompressed here as well as there. To be given to a {@code ParquetReader} only, which reads nothing but pages.
 */
final class CheckedPages
        implements ParquetDataSource
{
    /** Trino's reader takes eight bytes a value while it reads a page. */
    private static final long MAX_PAGE_VALUES = 32 << 20;

    private final ParquetDataSource source;
    // by where they begin
    private final NavigableMap<Long, Chunk> chunks = new TreeMap<>();
    private ZstdDecompressCtx zstd;

    /**
     * @param columns all that are read
     */
    CheckedPages(ParquetDataSource source, List<RowGroupInfo> rowGroups, Collection<ColumnDescriptor> columns)
            throws IOException
    {
        this.source = requireNonNull(source, "source is null");
        for (RowGroupInfo rowGroup : rowGroups) {
            for (ColumnDescriptor column : columns) {
                ColumnChunkMetadata metadata = rowGroup.prunedBlockMetadata().getColumnChunkMetaData(column);
                chunks.put(metadata.getStartingPos(), new Chunk(column, metadata.getCodec().getParquetCompressionCodec(), metadata.getValueCount()));
            }
        }
    }

    /**
     * @param valueCount of all pages, where a missing list is a value too
     */
    private record Chunk(ColumnDescriptor column, CompressionCodec codec, long valueCount) {}

    @Override
    public <K> Map<K, ChunkedInputStream> planRead(ListMultimap<K, DiskRange> diskRanges, AggregatedMemoryContext memoryContext)
    {
        ImmutableMap.Builder<K, ChunkedInputStream> checked = ImmutableMap.builder();
        source.planRead(diskRanges, memoryContext).forEach((key, stream) ->
                checked.put(key, new ChunkedInputStream(new Pages(stream, chunkOf(diskRanges.get(key)), diskRanges.get(key).stream().mapToLong(TrinoParquet::length).sum()))));
        return checked.buildOrThrow();
    }

    /**
     * What is read of a chunk may begin behind its first page.
     */
    private Chunk chunkOf(List<DiskRange> ranges)
    {
        return chunks.floorEntry(TrinoParquet.offset(ranges.getFirst())).getValue();
    }

    private PageDecompressor decompressor(CompressionCodec codec)
    {
        if (zstd == null) {
            zstd = new ZstdDecompressCtx();
        }
        return new PageDecompressor(source.getId(), codec, zstd);
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
        if (zstd != null) {
            zstd.close();
            zstd = null;
        }
        source.close();
    }

    /**
     * Headers and bodies of pages in turns, each read when its turn comes.
     */
    private final class Pages
            extends AbstractCollection<ChunkReader>
            implements Iterator<ChunkReader>
    {
        private final ChunkedInputStream stream;
        private final Chunk chunk;
        private long remaining;
        // of the page whose header was read last
        private Slice header;
        private int bodyBytes;

        private Pages(ChunkedInputStream stream, Chunk chunk, long length)
        {
            this.stream = requireNonNull(stream, "stream is null");
            this.chunk = requireNonNull(chunk, "chunk is null");
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
                return PlainTexts.isOf(chunk.column()) ? checkTexts(body) : body;
            }
            HeaderBytes input = new HeaderBytes(stream);
            PageHeader pageHeader = Util.readPageHeader(input);
            header = Slices.wrappedBuffer(input.read.toByteArray());
            remaining -= header.length();
            if (pageHeader.getCompressed_page_size() < 0 || pageHeader.getUncompressed_page_size() < 0 || pageHeader.getCompressed_page_size() > remaining) {
                throw new ParquetCorruptionException(
                        source.getId(),
                        "A page says that it has %s bytes, and %s uncompressed, where %s are left of its column",
                        pageHeader.getCompressed_page_size(),
                        pageHeader.getUncompressed_page_size(),
                        remaining);
            }
            PageDecompressor.checkRatio(source.getId(), pageHeader.getCompressed_page_size(), pageHeader.getUncompressed_page_size());
            if (pageHeader.isSetDictionary_page_header()) {
                PageDecompressor.checkDictionary(source.getId(), pageHeader.getDictionary_page_header().getNum_values(), pageHeader.getUncompressed_page_size());
            }
            checkValueCount(pageHeader);
            bodyBytes = pageHeader.getCompressed_page_size();
            return header;
        }

        private void checkValueCount(PageHeader pageHeader)
                throws IOException
        {
            long count = 0;
            if (pageHeader.isSetData_page_header()) {
                count = pageHeader.getData_page_header().getNum_values();
            }
            if (pageHeader.isSetData_page_header_v2()) {
                count = pageHeader.getData_page_header_v2().getNum_values();
            }
            long most = Math.min(chunk.valueCount(), MAX_PAGE_VALUES);
            if (count < 0 || count > most) {
                throw new ParquetCorruptionException(source.getId(), "A page says that it has %s values, where its column can have no more than %s in a page", count, most);
            }
        }

        private Slice checkTexts(Slice body)
                throws IOException
        {
            new CompressedPage(source.getId(), header, body).decompress(decompressor(chunk.codec()), chunk.column(), OptionalLong.empty());
            // uncompressed ones are decoded where they lie: a decoder that is told of too many values must not find any behind them
            return chunk.codec() == CompressionCodec.UNCOMPRESSED ? body.copy() : body;
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
