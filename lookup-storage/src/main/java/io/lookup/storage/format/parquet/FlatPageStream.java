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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.column.OutputColumn.ConstantColumn;
import io.lookup.storage.format.column.OutputColumn.FileColumn;
import io.lookup.storage.format.column.ReadErrors;
import io.lookup.storage.format.column.RetainedRows;
import io.lookup.storage.format.parquet.FlatFile.Chunk;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.parquet.reader.ColumnReader;
import io.trino.parquet.reader.FilteredRowRanges;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkState;
import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static java.util.Objects.requireNonNull;

/**
 * Rows of a file in their order. Not thread-safe.
 */
final class FlatPageStream
        implements PageStream
{
    private static final int MAX_ROWS = 8_192;
    private static final long MAX_BYTES = 16L << 20;

    private final FlatFile file;
    private final List<RowSelection> selections;
    private final boolean appendPositions;

    private final List<ColumnReader> readers = new ArrayList<>();
    private AggregatedMemoryContext memory = newSimpleAggregatedMemoryContext();
    private int group = -1;
    // rows of the group that were read
    private int row;
    // where the next one stands
    private int range;
    private long rangeRow;
    private int batchRows = 16;
    private long batch;
    // most bytes of a value of each channel, as far as they were read
    private final long[] valueBytes;

    /**
     * @param selections what is read of each row group
     */
    FlatPageStream(FlatFile file, List<RowSelection> selections, boolean appendPositions)
    {
        this.file = requireNonNull(file, "file is null");
        this.selections = ImmutableList.copyOf(selections);
        this.appendPositions = appendPositions;
        this.valueBytes = new long[file.outputColumns().size()];
    }

    @Override
    public Page nextPage()
    {
        SourcePage page = nextSourcePage();
        return page == null ? null : page.getPage();
    }

    @Override
    public SourcePage nextSourcePage()
    {
        try {
            while (true) {
                if ((group < 0 || row == selections.get(group).rowCount()) && !nextGroup()) {
                    return null;
                }
                SourcePage page = nextBatch();
                if (page.getPositionCount() > 0) {
                    return page;
                }
            }
        }
        catch (IOException | RuntimeException e) {
            throw ReadErrors.translate(file.request().path(), e);
        }
    }

    private boolean nextGroup()
            throws IOException
    {
        readers.clear();
        do {
            if (group + 1 == selections.size()) {
                return false;
            }
            group++;
            row = selections.get(group).rowCount();
        }
        while (selections.get(group).isEmpty());
        RowSelection rows = selections.get(group);
        row = 0;
        range = 0;
        rangeRow = rows.start(0);
        memory = newSimpleAggregatedMemoryContext();
        boolean all = rows.rowCount() == file.blocks().get(group).rowCount();
        Optional<FilteredRowRanges> ranges = all ? Optional.empty() : Optional.of(new FilteredRowRanges(rows.toRowRanges()));
        for (Chunk chunk : file.chunks(group)) {
            PageIndex pages = file.pages(chunk);
            readers.add(file.open(chunk, all ? SelectedPages.all(pages) : SelectedPages.of(pages, rows), true, ranges, memory));
        }
        return true;
    }

    private FlatSourcePage nextBatch()
    {
        // rows can be so wide that few of them are a page
        long rowBytes = Arrays.stream(valueBytes).sum();
        batchRows = (int) Math.clamp(MAX_BYTES / Math.max(1, rowBytes), 1, Math.min(MAX_ROWS, batchRows * 4));
        batch++;
        int count = Math.min(batchRows, selections.get(group).rowCount() - row);
        readers.forEach(reader -> reader.prepareNextRead(count));
        row += count;
        if (!appendPositions && file.request().deletions().isEmpty()) {
            return new FlatSourcePage(this, batch, count, Optional.empty());
        }
        long[] positions = nextPositions(count);
        FlatSourcePage page = new FlatSourcePage(this, batch, count, appendPositions ? Optional.of(new LongArrayBlock(count, Optional.empty(), positions)) : Optional.empty());
        RetainedRows.retained(positions, file.request().deletions()).ifPresent(retained -> page.selectPositions(retained, 0, retained.length));
        return page;
    }

    int columnCount()
    {
        return file.outputColumns().size();
    }

    /**
     * Reads a column of the last batch, once.
     *
     * @throws IllegalStateException if the batch is not the last one
     */
    Block readColumn(long ofBatch, int count, int channel)
    {
        checkState(batch == ofBatch, "the stream has moved on");
        try {
            return switch (file.outputColumns().get(channel)) {
                case ConstantColumn constant -> RunLengthEncodedBlock.create(constant.value(), count);
                case FileColumn column -> {
                    Block block = column.transform().apply(readers.get(column.channel()).readPrimitive().getBlock());
                    valueBytes[channel] = Math.max(valueBytes[channel], block.getSizeInBytes() / count);
                    yield block;
                }
            };
        }
        catch (RuntimeException e) {
            throw ReadErrors.translate(file.request().path(), e);
        }
    }

    private long[] nextPositions(int count)
    {
        long groupStart = file.blocks().get(group).fileRowCountOffset();
        RowSelection rows = selections.get(group);
        long[] positions = new long[count];
        for (int index = 0; index < count; index++) {
            if (rangeRow == rows.end(range)) {
                range++;
                rangeRow = rows.start(range);
            }
            positions[index] = groupStart + rangeRow;
            rangeRow++;
        }
        return positions;
    }

    @Override
    public long memoryUsage()
    {
        return memory.getBytes();
    }

    @Override
    public void close()
            throws IOException
    {
        readers.clear();
        file.close();
    }
}
