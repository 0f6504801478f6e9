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
package io.lookup.storage.write;

import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;

import java.util.Optional;

/**
 * Hands out sequence numbers.
 */
final class PageSequencer
{
    private long next;

    PageSequencer(long next)
    {
        this.next = next;
    }

    /**
     * Replaces the page's sequence numbers by the next ones.
     */
    Page renumber(Page page, KeyValueLayout layout)
    {
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        blocks[layout.sequenceChannel()] = nextBlock(page.getPositionCount());
        return new Page(page.getPositionCount(), blocks);
    }

    Block nextBlock(int positionCount)
    {
        long[] numbers = new long[positionCount];
        for (int position = 0; position < positionCount; position++) {
            numbers[position] = next;
            next++;
        }
        return new LongArrayBlock(positionCount, Optional.empty(), numbers);
    }
}
