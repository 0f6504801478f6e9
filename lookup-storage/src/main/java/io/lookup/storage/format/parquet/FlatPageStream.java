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
import io.lookup.storage.format.parquet.FlatFile.Chunk;
import io.lookup.storage.format.parquet.ParquetPageStream.ConstantColumn;
import io.lookup.storage.format.parquet.ParquetPageStream.FileColumn;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.parquet.reader.ColumnReader;
import io.trino.parquet.reader.FilteredRowRanges;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    private int batchRows = 64;

    /**
     * @param selections what is read of each row group
     */
    FlatPageStream(FlatFile file, List<RowSelection> selections, boolean appendPositions)
    {
        this.file = requireNonNull(file, "file is null");
        this.selections = ImmutableList.copyOf(selections);
        this.appendPositions = appendPositions;
    }

    @Override
    public Page nextPage()
    {
        try {
            while (true) {
                if ((group < 0 || row == selections.get(group).rowCount()) && !nextGroup()) {
                    return null;
                }
                Page page = nextBatch();
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

    private Page nextBatch()
    {
        int count = Math.min(batchRows, selections.get(group).rowCount() - row);
        Block[] read = new Block[readers.size()];
        Block[] blocks = new Block[file.outputColumns().size()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = switch (file.outputColumns().get(channel)) {
                case ConstantColumn constant -> RunLengthEncodedBlock.create(constant.value(), count);
                case FileColumn column -> {
                    ColumnReader reader = readers.get(column.channel());
                    if (read[column.channel()] == null) {
                        reader.prepareNextRead(count);
                        read[column.channel()] = reader.readPrimitive().getBlock();
                    }
                    yield column.transform().apply(read[column.channel()]);
                }
            };
        }
        Page page = new Page(count, blocks);
        // rows can be so wide that few of them are a page
        long rowBytes = Math.max(1, page.getSizeInBytes() / count);
        batchRows = (int) Math.clamp(MAX_BYTES / rowBytes, 1, Math.min(MAX_ROWS, batchRows * 4));
        row += count;
        if (!appendPositions && file.request().deletions().isEmpty()) {
            return page;
        }
        return ParquetPageStream.withPositions(page, nextPositions(count), file.request().deletions(), appendPositions);
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
