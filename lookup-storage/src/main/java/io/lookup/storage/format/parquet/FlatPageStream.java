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

import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.parquet.FlatFile.Chunk;
import io.lookup.storage.format.parquet.ParquetPageStream.ConstantColumn;
import io.lookup.storage.format.parquet.ParquetPageStream.FileColumn;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.parquet.reader.ColumnReader;
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
 * All rows of a file in their order. Not thread-safe.
 */
final class FlatPageStream
        implements PageStream
{
    private static final int MAX_ROWS = 8_192;
    private static final long MAX_BYTES = 16L << 20;

    private final FlatFile file;
    private final boolean appendPositions;

    private final List<ColumnReader> readers = new ArrayList<>();
    private AggregatedMemoryContext memory = newSimpleAggregatedMemoryContext();
    private int group = -1;
    private long row;
    private int batchRows = 64;

    FlatPageStream(FlatFile file, boolean appendPositions)
    {
        this.file = requireNonNull(file, "file is null");
        this.appendPositions = appendPositions;
    }

    @Override
    public Page nextPage()
    {
        try {
            while (true) {
                if ((group < 0 || row == file.blocks().get(group).rowCount()) && !nextGroup()) {
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
        do {
            group++;
            if (group >= file.blocks().size()) {
                group = file.blocks().size() - 1;
                row = group < 0 ? 0 : file.blocks().get(group).rowCount();
                readers.clear();
                return false;
            }
        }
        while (file.blocks().get(group).rowCount() == 0);
        row = 0;
        readers.clear();
        memory = newSimpleAggregatedMemoryContext();
        for (Chunk chunk : file.chunks(group)) {
            readers.add(file.open(chunk, SelectedPages.all(file.pages(chunk)), true, Optional.empty(), memory));
        }
        return true;
    }

    private Page nextBatch()
    {
        int count = (int) Math.min(batchRows, file.blocks().get(group).rowCount() - row);
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
        long firstRow = file.blocks().get(group).fileRowCountOffset() + row;
        row += count;
        if (!appendPositions && !file.request().deletions().containsAny(firstRow, firstRow + count)) {
            return page;
        }
        long[] positions = new long[count];
        for (int index = 0; index < count; index++) {
            positions[index] = firstRow + index;
        }
        return ParquetPageStream.withPositions(page, positions, file.request().deletions(), appendPositions);
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
