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
import io.lookup.storage.format.deletion.DeletionVector;
import io.trino.parquet.reader.ParquetReader;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Pages of one file in the order of its rows, every block loaded. Not thread-safe.
 */
final class ParquetPageStream
        implements PageStream
{
    private final Path path;
    private final ParquetReader reader;
    private final List<OutputColumn> columns;
    private final Optional<RowPositions> positions;
    private final DeletionVector deletions;
    private final boolean appendPositions;

    ParquetPageStream(Path path, ParquetReader reader, List<OutputColumn> columns)
    {
        this(path, reader, columns, Optional.empty(), DeletionVector.EMPTY, false);
    }

    /**
     * @param positions present if there are deletions or positions are appended
     * @param deletions rows that are left out
     */
    ParquetPageStream(Path path, ParquetReader reader, List<OutputColumn> columns, Optional<RowPositions> positions, DeletionVector deletions, boolean appendPositions)
    {
        this.path = requireNonNull(path, "path is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.columns = ImmutableList.copyOf(columns);
        this.positions = requireNonNull(positions, "positions is null");
        this.deletions = requireNonNull(deletions, "deletions is null");
        this.appendPositions = appendPositions;
    }

    @Override
    public Page nextPage()
    {
        try {
            while (true) {
                SourcePage source = reader.nextPage();
                if (source == null) {
                    return null;
                }
                Block[] blocks = new Block[columns.size()];
                for (int channel = 0; channel < blocks.length; channel++) {
                    blocks[channel] = columns.get(channel).block(source);
                }
                Page page = new Page(source.getPositionCount(), blocks);
                if (positions.isPresent()) {
                    page = withPositions(page, positions.get().of(reader.lastBatchStartRow(), page.getPositionCount()), deletions, appendPositions);
                }
                if (page.getPositionCount() > 0) {
                    return page;
                }
            }
        }
        catch (IOException | RuntimeException e) {
            throw ReadErrors.translate(path, e);
        }
    }

    /**
     * Takes the deleted rows away, and appends the positions of the others if they are wanted.
     *
     * @param rowPositions ascending
     */
    static Page withPositions(Page page, long[] rowPositions, DeletionVector deletions, boolean appendPositions)
    {
        if (appendPositions) {
            page = page.appendColumn(new LongArrayBlock(rowPositions.length, Optional.empty(), rowPositions));
        }
        Optional<int[]> retained = retained(rowPositions, deletions);
        if (retained.isEmpty()) {
            return page;
        }
        int count = retained.get().length;
        // a page without channels has no block to copy
        return page.getChannelCount() == 0 ? new Page(count) : page.copyPositions(retained.get(), 0, count);
    }

    /**
     * @param rowPositions ascending
     * @return indexes of the rows that are not deleted; empty if none is
     */
    static Optional<int[]> retained(long[] rowPositions, DeletionVector deletions)
    {
        int count = rowPositions.length;
        long deleted = count == 0 ? -1 : deletions.next(rowPositions[0]);
        if (deleted < 0 || deleted > rowPositions[count - 1]) {
            return Optional.empty();
        }
        int[] retained = new int[count];
        int retainedCount = 0;
        for (int index = 0; index < count; index++) {
            if (deleted >= 0 && deleted < rowPositions[index]) {
                deleted = deletions.next(rowPositions[index]);
            }
            if (deleted != rowPositions[index]) {
                retained[retainedCount] = index;
                retainedCount++;
            }
        }
        return retainedCount == count ? Optional.empty() : Optional.of(Arrays.copyOf(retained, retainedCount));
    }

    @Override
    public long memoryUsage()
    {
        return reader.getMemoryContext().getBytes();
    }

    @Override
    public void close()
            throws IOException
    {
        reader.close();
    }

    sealed interface OutputColumn
    {
        Block block(SourcePage page);
    }

    /**
     * @param channel channel of the reader's pages
     */
    record FileColumn(int channel, BlockTransform transform)
            implements OutputColumn
    {
        @Override
        public Block block(SourcePage page)
        {
            return transform.apply(page.getBlock(channel));
        }
    }

    /**
     * @param value block of the one value that every row has
     */
    record ConstantColumn(Block value)
            implements OutputColumn
    {
        @Override
        public Block block(SourcePage page)
        {
            return RunLengthEncodedBlock.create(value, page.getPositionCount());
        }
    }
}
