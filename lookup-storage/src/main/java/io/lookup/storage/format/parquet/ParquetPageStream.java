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
import io.trino.parquet.reader.ParquetReader;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.List;

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

    ParquetPageStream(Path path, ParquetReader reader, List<OutputColumn> columns)
    {
        this.path = requireNonNull(path, "path is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.columns = ImmutableList.copyOf(columns);
    }

    @Override
    public Page nextPage()
    {
        try {
            SourcePage page = reader.nextPage();
            if (page == null) {
                return null;
            }
            Block[] blocks = new Block[columns.size()];
            for (int channel = 0; channel < blocks.length; channel++) {
                blocks[channel] = columns.get(channel).block(page);
            }
            return new Page(page.getPositionCount(), blocks);
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
