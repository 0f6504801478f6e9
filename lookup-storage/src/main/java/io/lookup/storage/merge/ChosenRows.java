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

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;

import java.util.Optional;
import java.util.function.IntUnaryOperator;

import static java.util.Objects.requireNonNull;

/**
 * Copies a column of one chosen row a result. Not thread-safe.
 */
final class ChosenRows
{
    private final KeyGroups groups;
    private final int count;
    private final ScatteredValues scatteredValues = new ScatteredValues();
    private final Page[] pages;
    private final int[] positions;

    /**
     * @param count number of results
     */
    ChosenRows(KeyGroups groups, int count)
    {
        this.groups = requireNonNull(groups, "groups is null");
        this.count = count;
        this.pages = new Page[count];
        this.positions = new int[count];
    }

    /**
     * @param row by result the number of a row among the groups; below 0 for a null
     */
    Block copy(Type type, int channel, IntUnaryOperator row)
    {
        boolean complete = true;
        for (int index = 0; index < count; index++) {
            int chosen = row.applyAsInt(index);
            complete &= chosen >= 0;
            pages[index] = chosen >= 0 ? groups.page(chosen) : null;
            positions[index] = chosen >= 0 ? groups.position(chosen) : 0;
        }
        if (complete) {
            scatteredValues.start(pages, positions, count);
            Optional<Block> copied = scatteredValues.copy(channel);
            scatteredValues.clear();
            if (copied.isPresent()) {
                return copied.get();
            }
        }
        BlockBuilder builder = type.createBlockBuilder(null, count);
        for (int index = 0; index < count; index++) {
            if (pages[index] == null) {
                builder.appendNull();
            }
            else {
                Block block = pages[index].getBlock(channel);
                builder.append(block.getUnderlyingValueBlock(), block.getUnderlyingValuePosition(positions[index]));
            }
        }
        return builder.build();
    }
}
