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
import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.column.OutputColumn;
import io.lookup.storage.format.column.ReadRequest;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.parquet.Column;
import io.trino.parquet.ParquetReaderOptions;
import io.trino.parquet.PrimitiveField;
import io.trino.parquet.metadata.BlockMetadata;
import io.trino.parquet.metadata.ColumnChunkMetadata;
import io.trino.parquet.metadata.IndexReference;
import io.trino.parquet.metadata.ParquetMetadata;
import io.trino.parquet.reader.ColumnReader;
import io.trino.parquet.reader.ColumnReaderFactory;
import io.trino.parquet.reader.FilteredRowRanges;
import io.trino.parquet.reader.PageReader;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.joda.time.DateTimeZone;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * An open file of which each wanted column is one Parquet column whose pages' places are known, so that pages can be read without each other, and by our own
 * iterator: Trino's sets zstd up for each page, which costs as much as a small page itself. Not thread-safe.
 */
final class FlatFile
        implements Closeable
{
    private final HadoopParquetDataSource source;
    private final ReadRequest request;
    private final Optional<FooterCache> cache;
    private final List<OutputColumn> outputColumns;
    private final List<List<Chunk>> rowGroups;
    private final List<BlockMetadata> blocks;
    private final ParquetReaderOptions options;
    private final ColumnReaderFactory columnReaders;
    // made when the first column is read
    private ZstdDecompressCtx zstd;

    private FlatFile(
            HadoopParquetDataSource source,
            ReadRequest request,
            Optional<FooterCache> cache,
            List<OutputColumn> outputColumns,
            List<List<Chunk>> rowGroups,
            List<BlockMetadata> blocks,
            ParquetReaderOptions options)
    {
        this.source = requireNonNull(source, "source is null");
        this.request = requireNonNull(request, "request is null");
        this.cache = requireNonNull(cache, "cache is null");
        this.outputColumns = ImmutableList.copyOf(outputColumns);
        this.rowGroups = ImmutableList.copyOf(rowGroups);
        this.blocks = ImmutableList.copyOf(blocks);
        this.options = requireNonNull(options, "options is null");
        this.columnReaders = new ColumnReaderFactory(DateTimeZone.UTC, options);
    }

    /**
     * @return empty if the file cannot be read in this way
     */
    static Optional<FlatFile> open(HadoopParquetDataSource source, ReadRequest request, ReadPlan plan, ParquetMetadata footer, Optional<FooterCache> cache, ParquetReaderOptions options)
            throws IOException
    {
        ImmutableList.Builder<PrimitiveField> fields = ImmutableList.builder();
        for (Column column : plan.readColumns()) {
            if (!(column.field() instanceof PrimitiveField field) || field.getDescriptor().getPath().length != 1 || field.getDescriptor().getMaxRepetitionLevel() > 0) {
                return Optional.empty();
            }
            fields.add(field);
        }
        List<BlockMetadata> blocks = footer.getBlocks();
        ImmutableList.Builder<List<Chunk>> rowGroups = ImmutableList.builder();
        for (int group = 0; group < blocks.size(); group++) {
            ImmutableList.Builder<Chunk> chunks = ImmutableList.builder();
            for (PrimitiveField field : fields.build()) {
                Optional<ColumnChunkMetadata> metadata = chunk(blocks.get(group), field);
                if (metadata.isEmpty() || !canRead(metadata.get())) {
                    return Optional.empty();
                }
                chunks.add(new Chunk(group, field, metadata.get()));
            }
            rowGroups.add(chunks.build());
        }
        return Optional.of(new FlatFile(source, request, cache, plan.outputColumns(), rowGroups.build(), blocks, options));
    }

    private static Optional<ColumnChunkMetadata> chunk(BlockMetadata block, PrimitiveField field)
    {
        ColumnPath path = ColumnPath.get(field.getDescriptor().getPath());
        return block.columns().stream().filter(column -> column.getPath().equals(path)).findFirst();
    }

    private static boolean canRead(ColumnChunkMetadata chunk)
    {
        return chunk.getOffsetIndexReference() != null
                && chunk.getCodec() != CompressionCodecName.LZ4_RAW
                && chunk.getCodec() != CompressionCodecName.BROTLI;
    }

    HadoopParquetDataSource source()
    {
        return source;
    }

    ReadRequest request()
    {
        return request;
    }

    /**
     * Channels of the pages, whose columns are numbered as the chunks of {@link #chunks}.
     */
    List<OutputColumn> outputColumns()
    {
        return outputColumns;
    }

    List<BlockMetadata> blocks()
    {
        return blocks;
    }

    List<Chunk> chunks(int group)
    {
        return rowGroups.get(group);
    }

    ColumnReaderFactory columnReaders()
    {
        return columnReaders;
    }

    /**
     * @param dictionaries whether blocks may refer to the whole dictionary of a chunk
     * @param ranges the rows that are read; all of the pages if empty
     */
    ColumnReader open(Chunk chunk, SelectedPages pages, boolean dictionaries, Optional<FilteredRowRanges> ranges, AggregatedMemoryContext memory)
    {
        if (zstd == null) {
            zstd = new ZstdDecompressCtx();
        }
        PageDecompressor decompressor = new PageDecompressor(source.getId(), chunk.metadata.getCodec().getParquetCompressionCodec(), zstd);
        Statistics<?> statistics = chunk.metadata.getStatistics();
        PageReader pageReader = TrinoParquet.pageReader(
                source.getId(),
                new PageIterator(source, decompressor, chunk.field.getDescriptor(), chunk.metadata.getStartingPos(), pages, memory.newLocalMemoryContext(PageIterator.class.getSimpleName())),
                dictionaries && chunk.metadata.getEncodingStats() != null
                        && chunk.metadata.getEncodingStats().hasDictionaryPages()
                        && !chunk.metadata.getEncodingStats().hasNonDictionaryEncodedPages(),
                statistics != null && statistics.isNumNullsSet() && statistics.getNumNulls() == 0);
        ColumnReader reader = columnReaders.create(chunk.field, memory);
        reader.setPageReader(pageReader, ranges);
        return reader;
    }

    PageIndex pages(Chunk chunk)
            throws IOException
    {
        return cached("pages", chunk, PageIndex.class, () -> {
            IndexReference reference = chunk.metadata.getOffsetIndexReference();
            return PageIndex.read(source.readRange(reference.getOffset(), reference.getLength()), blocks.get(chunk.group).rowCount());
        });
    }

    <T extends FooterCache.Entry> T cached(String kind, Chunk chunk, Class<T> type, FooterCache.Loader<T> loader)
            throws IOException
    {
        if (cache.isEmpty()) {
            return loader.load();
        }
        IndexKey key = new IndexKey(request.path().toString(), kind, chunk.group, chunk.field.getDescriptor().getPath()[0]);
        return cache.get().get(key, loader, type);
    }

    FlatFile duplicate()
    {
        return new FlatFile(source.duplicate(), request, cache, outputColumns, rowGroups, blocks, options);
    }

    @Override
    public void close()
            throws IOException
    {
        if (zstd != null) {
            zstd.close();
        }
        source.close();
    }

    record Chunk(int group, PrimitiveField field, ColumnChunkMetadata metadata) {}

    private record IndexKey(String path, String kind, int group, String column) {}
}
