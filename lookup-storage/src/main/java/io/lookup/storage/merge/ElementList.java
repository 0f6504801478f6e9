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
import io.trino.spi.block.SqlMap;
import io.trino.spi.block.ValueBlock;

import java.util.Arrays;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * Elements of arrays (one channel), or keys and values of maps (two), as places in the blocks that hold them. Elements
 * may be null. Not thread-safe.
 */
final class ElementList
{
    private final ValueBlock[][] blocks;
    private final int[][] positions;
    private int count;

    ElementList(int channels)
    {
        checkArgument(channels == 1 || channels == 2, "Not the channels of an array or a map: %s", channels);
        this.blocks = new ValueBlock[channels][16];
        this.positions = new int[channels][16];
    }

    int count()
    {
        return count;
    }

    ValueBlock block(int channel, int index)
    {
        return blocks[channel][index];
    }

    int position(int channel, int index)
    {
        return positions[channel][index];
    }

    boolean isNull(int channel, int index)
    {
        return blocks[channel][index].isNull(positions[channel][index]);
    }

    void clear()
    {
        truncate(0);
    }

    /**
     * Keeps the first elements only.
     */
    void truncate(int newCount)
    {
        for (ValueBlock[] channel : blocks) {
            // let go of blocks, which are large
            Arrays.fill(channel, newCount, count, null);
        }
        count = newCount;
    }

    void addArray(Block elements)
    {
        int added = elements.getPositionCount();
        ensureCapacity(added);
        fill(0, elements, 0, added);
        count += added;
    }

    void addMap(SqlMap map)
    {
        ensureCapacity(map.getSize());
        fill(0, map.getRawKeyBlock(), map.getRawOffset(), map.getSize());
        fill(1, map.getRawValueBlock(), map.getRawOffset(), map.getSize());
        count += map.getSize();
    }

    void addAll(ElementList other)
    {
        ensureCapacity(other.count);
        for (int channel = 0; channel < blocks.length; channel++) {
            System.arraycopy(other.blocks[channel], 0, blocks[channel], count, other.count);
            System.arraycopy(other.positions[channel], 0, positions[channel], count, other.count);
        }
        count += other.count;
    }

    void add(ElementList other, int index)
    {
        ensureCapacity(1);
        count++;
        set(count - 1, other, index);
    }

    void set(int target, ElementList other, int index)
    {
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel][target] = other.blocks[channel][index];
            positions[channel][target] = other.positions[channel][index];
        }
    }

    /**
     * Appends one channel's elements.
     */
    void appendTo(int channel, BlockBuilder builder)
    {
        ValueBlock[] source = blocks[channel];
        int[] places = positions[channel];
        int index = 0;
        while (index < count) {
            int start = index;
            do {
                index++;
            }
            while (index < count && source[index] == source[start] && places[index] == places[index - 1] + 1);
            builder.appendRange(source[start], places[start], index - start);
        }
    }

    private void fill(int channel, Block elements, int offset, int length)
    {
        ValueBlock values = elements.getUnderlyingValueBlock();
        Arrays.fill(blocks[channel], count, count + length, values);
        for (int index = 0; index < length; index++) {
            positions[channel][count + index] = elements.getUnderlyingValuePosition(offset + index);
        }
    }

    private void ensureCapacity(int added)
    {
        int needed = Math.addExact(count, added);
        if (needed <= positions[0].length) {
            return;
        }
        int capacity = Math.max(needed, count * 2);
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = Arrays.copyOf(blocks[channel], capacity);
            positions[channel] = Arrays.copyOf(positions[channel], capacity);
        }
    }
}
