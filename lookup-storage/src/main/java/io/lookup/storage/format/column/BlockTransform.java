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
package io.lookup.storage.format.column;

import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;

/**
 * Turns a block as the file holds it into one of the type that the table has now. Positions and nulls stay.
 */
@FunctionalInterface
public interface BlockTransform
{
    BlockTransform IDENTITY = block -> block;

    Block apply(Block block);

    default BlockTransform andThen(BlockTransform next)
    {
        if (this == IDENTITY) {
            return next;
        }
        return next == IDENTITY ? this : block -> next.apply(apply(block));
    }

    /**
     * Makes a value of each that is not null.
     */
    static BlockTransform ofValues(Type to, ValueWriter writer)
    {
        return block -> {
            int count = block.getPositionCount();
            BlockBuilder builder = to.createBlockBuilder(null, count);
            for (int position = 0; position < count; position++) {
                if (block.isNull(position)) {
                    builder.appendNull();
                }
                else {
                    writer.write(block, position, builder);
                }
            }
            return builder.build();
        };
    }

    interface ValueWriter
    {
        void write(Block block, int position, BlockBuilder builder);
    }
}
