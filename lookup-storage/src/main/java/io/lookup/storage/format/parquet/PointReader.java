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

import io.lookup.storage.format.column.BlockTransform;
import io.lookup.storage.format.column.OutputColumn.ConstantColumn;
import io.lookup.storage.format.column.OutputColumn.FileColumn;
import io.lookup.storage.format.column.ReadErrors;
import io.lookup.storage.format.column.VarcharLimit;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.parquet.FlatFile.Chunk;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.parquet.metadata.IndexReference;
import io.trino.parquet.reader.ColumnReader;
import io.trino.parquet.reader.FilteredRowRanges;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import org.apache.parquet.format.Util;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static java.util.Objects.requireNonNull;

/**
 * Reads single rows of a file: of each column only the pages that hold them, and of these pages only their values. Not
 * thread-safe.
 */
public final class PointReader
        implements Closeable
{
    private final FlatFile file;

    PointReader(FlatFile file)
    {
        this.file = requireNonNull(file, "file is null");
    }

    public int rowGroupCount()
    {
        return file.blocks().size();
    }

    /**
     * Position in the file of a row group's first row.
     */
    public long firstRow(int group)
    {
        return file.blocks().get(group).fileRowCountOffset();
    }

    public long rowCount(int group)
    {
        return file.blocks().get(group).rowCount();
    }

    /**
     * Columns of the pages, system columns included.
     */
    public int channelCount()
    {
        return file.outputColumns().size();
    }

    /**
     * Rows of the file that are to be taken as not there.
     */
    public DeletionVector deletions()
    {
        return file.request().deletions();
    }

    /**
     * Bytes of the file that were read.
     */
    public long readBytes()
    {
        return file.source().getReadBytes();
    }

    /**
     * Bounds of a column that has no nulls, by page.
     *
     * @param channel a column of the request
     * @return empty if the file does not know them, or sorts the column's values in another order than they are compared in here
     */
    public Optional<PageBounds> bounds(int group, int channel)
    {
        DataType type = file.request().columns().get(channel).type();
        if (!isOrderedAlike(type.root()) || !(file.outputColumns().get(channel) instanceof FileColumn column) || !keepsOrder(column.transform())) {
            return Optional.empty();
        }
        Chunk chunk = file.chunks(group).get(column.channel());
        IndexReference reference = chunk.metadata().getColumnIndexReference();
        if (reference == null) {
            return Optional.empty();
        }
        return translated(() -> file.cached("bounds", chunk, OptionalBounds.class, () -> {
            try (InputStream input = file.source().readRange(reference.getOffset(), reference.getLength()).getInput()) {
                return new OptionalBounds(new PageBoundsReader(file.columnReaders(), file.source().getId(), chunk.field(), column.transform(), type).read(Util.readColumnIndex(input), file.pages(chunk)));
            }
        })).bounds();
    }

    /**
     * Cutting two strings does not turn their order.
     */
    private static boolean keepsOrder(BlockTransform transform)
    {
        return transform == BlockTransform.IDENTITY || transform instanceof VarcharLimit;
    }

    /**
     * CHAR loses its trailing blanks when it is read; floating point numbers have two zeros.
     */
    private static boolean isOrderedAlike(TypeRoot root)
    {
        return root != TypeRoot.CHAR && root != TypeRoot.FLOAT && root != TypeRoot.DOUBLE;
    }

    /**
     * Values of some rows of a row group, a block a channel. Deleted rows are not left out.
     */
    public Block[] read(int group, int[] channels, RowSelection rows)
    {
        Block[] result = new Block[channels.length];
        FilteredRowRanges ranges = new FilteredRowRanges(rows.toRowRanges());
        for (int index = 0; index < channels.length; index++) {
            result[index] = switch (file.outputColumns().get(channels[index])) {
                case ConstantColumn constant -> RunLengthEncodedBlock.create(constant.value(), rows.rowCount());
                case FileColumn column -> translated(() -> column.transform().apply(read(file.chunks(group).get(column.channel()), rows, ranges)));
            };
        }
        return result;
    }

    /**
     * The same file for another thread.
     */
    public PointReader duplicate()
    {
        return new PointReader(file.duplicate());
    }

    private Block read(Chunk chunk, RowSelection rows, FilteredRowRanges ranges)
            throws IOException
    {
        SelectedPages pages = SelectedPages.of(file.pages(chunk), rows);
        // few values are wanted: blocks that refer to whole dictionaries would be larger
        ColumnReader reader = file.open(chunk, pages, false, Optional.of(ranges), newSimpleAggregatedMemoryContext());
        reader.prepareNextRead(rows.rowCount());
        return reader.readPrimitive().getBlock();
    }

    private <T> T translated(FooterCache.Loader<T> call)
    {
        try {
            return call.load();
        }
        catch (IOException | RuntimeException e) {
            throw ReadErrors.translate(file.request().path(), e);
        }
    }

    @Override
    public void close()
            throws IOException
    {
        file.close();
    }

    private record OptionalBounds(Optional<PageBounds> bounds)
            implements FooterCache.Entry
    {
        @Override
        public long memoryBytes()
        {
            return bounds.map(PageBounds::memoryBytes).orElse(0L);
        }
    }
}
