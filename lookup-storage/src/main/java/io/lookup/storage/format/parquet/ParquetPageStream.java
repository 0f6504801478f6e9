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
import io.lookup.storage.format.column.OutputColumn;
import io.lookup.storage.format.column.ReadErrors;
import io.lookup.storage.format.column.RetainedRows;
import io.lookup.storage.format.deletion.DeletionVector;
import io.trino.parquet.reader.ParquetReader;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
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
                    page = RetainedRows.withPositions(page, positions.get().of(reader.lastBatchStartRow(), page.getPositionCount()), deletions, appendPositions);
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
}
