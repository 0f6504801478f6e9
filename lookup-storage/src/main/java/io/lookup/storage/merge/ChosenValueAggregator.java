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
package io.lookup.storage.merge;

import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;

/**
 * An aggregator whose state is one of the values it was given; it keeps the place of that value and copies it once.
 */
abstract class ChosenValueAggregator
        implements Aggregator
{
    // null: the state is null
    private Block block;
    private int position;

    @Override
    public void reset()
    {
        block = null;
    }

    @Override
    public void replace(Block block, int position)
    {
        choose(block, position);
    }

    @Override
    public void writeTo(BlockBuilder builder)
    {
        if (block == null) {
            builder.appendNull();
            return;
        }
        builder.append(block.getUnderlyingValueBlock(), block.getUnderlyingValuePosition(position));
        block = null;
    }

    protected final void choose(Block block, int position)
    {
        this.block = block.isNull(position) ? null : block;
        this.position = position;
    }

    protected final void chooseNull()
    {
        block = null;
    }

    protected final boolean isNull()
    {
        return block == null;
    }

    protected final Block block()
    {
        return block;
    }

    protected final int position()
    {
        return position;
    }
}
