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
package io.lookup.storage.scan;

import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.row.RowKind;
import io.trino.spi.Page;
import io.trino.spi.block.Block;

import java.io.IOException;
import java.util.stream.IntStream;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Rows of a sorted run that are not retractions, without the two system channels at the end.
 */
final class LiveRowsPageStream
        implements PageStream
{
    private final PageStream source;
    private final int kindChannel;
    private final int[] channels;

    /**
     * @param source value columns, sequence number, kind
     */
    LiveRowsPageStream(PageStream source, int columnCount)
    {
        this.source = requireNonNull(source, "source is null");
        this.kindChannel = columnCount + 1;
        this.channels = IntStream.range(0, columnCount).toArray();
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        while (true) {
            Page page = source.nextPage();
            if (page == null) {
                return null;
            }
            Block kinds = page.getBlock(kindChannel);
            int[] positions = new int[page.getPositionCount()];
            int count = 0;
            for (int position = 0; position < positions.length; position++) {
                if (RowKind.isAdd(TINYINT.getByte(kinds, position))) {
                    positions[count++] = position;
                }
            }
            Page columns = page.getColumns(channels);
            if (count == positions.length) {
                return columns;
            }
            if (count > 0) {
                // a page without channels has no block to copy
                return channels.length == 0 ? new Page(count) : columns.copyPositions(positions, 0, count);
            }
        }
    }

    @Override
    public long memoryUsage()
    {
        return source.memoryUsage();
    }

    @Override
    public void close()
            throws IOException
    {
        source.close();
    }
}
