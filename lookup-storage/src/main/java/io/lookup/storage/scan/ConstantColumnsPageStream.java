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
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;

import java.io.IOException;
import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * Pages with columns appended that have one value in all rows.
 */
final class ConstantColumnsPageStream
        implements PageStream
{
    private final PageStream source;
    private final List<Block> values;

    /**
     * @param values blocks of one position
     */
    ConstantColumnsPageStream(PageStream source, List<Block> values)
    {
        this.source = requireNonNull(source, "source is null");
        this.values = List.copyOf(values);
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        Page page = source.nextPage();
        if (page == null) {
            return null;
        }
        Block[] blocks = new Block[page.getChannelCount() + values.size()];
        for (int channel = 0; channel < page.getChannelCount(); channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        for (int index = 0; index < values.size(); index++) {
            blocks[page.getChannelCount() + index] = RunLengthEncodedBlock.create(values.get(index), page.getPositionCount());
        }
        return new Page(page.getPositionCount(), blocks);
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
