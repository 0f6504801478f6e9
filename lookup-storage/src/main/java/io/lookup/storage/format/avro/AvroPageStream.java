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
package io.lookup.storage.format.avro;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.column.OutputColumn;
import io.lookup.storage.format.column.ReadErrors;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.column.RetainedRows;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.connector.SourcePage;

import java.io.IOException;
import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * Pages of one file in the order of its rows. Not thread-safe.
 */
final class AvroPageStream
        implements PageStream
{
    private static final int MAX_ROWS = 4096;
    private static final long MAX_BYTES = 8L << 20;

    private final ReadRequest request;
    private final AvroBlockSource source;
    private final AvroColumns columns;
    private final List<OutputColumn> outputColumns;
    private AvroInput block;
    private long remaining;
    private long position;

    AvroPageStream(ReadRequest request, AvroBlockSource source, AvroColumns columns, List<OutputColumn> outputColumns)
    {
        this.request = requireNonNull(request, "request is null");
        this.source = requireNonNull(source, "source is null");
        this.columns = requireNonNull(columns, "columns is null");
        this.outputColumns = ImmutableList.copyOf(outputColumns);
    }

    @Override
    public Page nextPage()
    {
        try {
            while (true) {
                List<BlockBuilder> builders = columns.newBuilders();
                int count = readRows(builders);
                if (count == 0) {
                    // only now it is known how many rows there are
                    RetainedRows.check(request, position);
                    return null;
                }
                Block[] blocks = builders.stream().map(BlockBuilder::build).toArray(Block[]::new);
                long start = position;
                position += count;
                Page page = RetainedRows.toPage(SourcePage.create(new Page(count, blocks)), outputColumns, request, start);
                if (page.getPositionCount() > 0) {
                    return page;
                }
            }
        }
        catch (IOException | RuntimeException e) {
            throw ReadErrors.translate(request.path(), e);
        }
    }

    private int readRows(List<BlockBuilder> builders)
            throws IOException
    {
        int count = 0;
        long bytes = 0;
        while (count < MAX_ROWS && bytes < MAX_BYTES) {
            while (remaining == 0) {
                if (block != null) {
                    AvroContainer.checkEnd(block);
                }
                block = source.nextBlock();
                if (block == null) {
                    return count;
                }
                remaining = source.recordCount();
            }
            int before = block.position();
            columns.read(block, builders);
            bytes += block.position() - before;
            remaining--;
            count++;
        }
        return count;
    }

    @Override
    public long memoryUsage()
    {
        return block == null ? 0 : block.bytes().length;
    }

    @Override
    public void close()
            throws IOException
    {
        source.close();
    }
}
