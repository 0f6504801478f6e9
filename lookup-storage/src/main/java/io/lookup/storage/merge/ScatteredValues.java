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

import io.airlift.slice.Slices;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.block.VariableWidthBlock;

import java.util.Arrays;
import java.util.Optional;

/**
 * Copies one column of rows that lie scattered over many pages. A block builder costs several calls a value and grows as
 * it goes; here the sizes are known, and each common kind of block has a loop of its own. Not thread-safe.
 */
final class ScatteredValues
{
    private ValueBlock[] blocks = new ValueBlock[0];
    private int[] positions = new int[0];
    private int count;
    private boolean mayHaveNull;

    /**
     * @return empty for a kind of block that has no loop here
     */
    Optional<Block> copy(int channel, Page[] pages, int[] pagePositions, int count)
    {
        if (count == 0 || !resolve(channel, pages, pagePositions, count)) {
            return Optional.empty();
        }
        return switch (blocks[0]) {
            case LongArrayBlock _ -> Optional.of(copyLongs());
            case VariableWidthBlock _ -> Optional.of(copyBytes());
            case IntArrayBlock _ -> Optional.of(copyInts());
            case ByteArrayBlock _ -> Optional.of(copyTinyInts());
            default -> Optional.empty();
        };
    }

    /**
     * Finds each row's value below run-length and dictionary encodings.
     *
     * @return whether all values lie in blocks of one kind
     */
    private boolean resolve(int channel, Page[] pages, int[] pagePositions, int count)
    {
        if (blocks.length < count) {
            blocks = new ValueBlock[count];
            positions = new int[count];
        }
        this.count = count;
        mayHaveNull = false;
        Class<?> kind = null;
        int row = 0;
        while (row < count) {
            Page page = pages[row];
            Block block = page.getBlock(channel);
            ValueBlock values = block.getUnderlyingValueBlock();
            if (kind == null) {
                kind = values.getClass();
            }
            else if (kind != values.getClass()) {
                return false;
            }
            mayHaveNull |= values.mayHaveNull();
            do {
                blocks[row] = values;
                positions[row] = block == values ? pagePositions[row] : block.getUnderlyingValuePosition(pagePositions[row]);
                row++;
            }
            while (row < count && pages[row] == page);
        }
        return true;
    }

    private Block copyLongs()
    {
        long[] values = new long[count];
        for (int row = 0; row < count; row++) {
            values[row] = ((LongArrayBlock) blocks[row]).getLong(positions[row]);
        }
        return new LongArrayBlock(count, nulls(), values);
    }

    private Block copyInts()
    {
        int[] values = new int[count];
        for (int row = 0; row < count; row++) {
            values[row] = ((IntArrayBlock) blocks[row]).getInt(positions[row]);
        }
        return new IntArrayBlock(count, nulls(), values);
    }

    private Block copyTinyInts()
    {
        byte[] values = new byte[count];
        for (int row = 0; row < count; row++) {
            values[row] = ((ByteArrayBlock) blocks[row]).getByte(positions[row]);
        }
        return new ByteArrayBlock(count, nulls(), values);
    }

    private Block copyBytes()
    {
        int[] offsets = new int[count + 1];
        int end = 0;
        for (int row = 0; row < count; row++) {
            end = Math.addExact(end, ((VariableWidthBlock) blocks[row]).getSliceLength(positions[row]));
            offsets[row + 1] = end;
        }
        byte[] bytes = new byte[end];
        int row = 0;
        while (row < count) {
            int first = row;
            ValueBlock block = blocks[first];
            do {
                row++;
            }
            while (row < count && blocks[row] == block && positions[row] == positions[row - 1] + 1);
            // neighbours lie behind one another
            VariableWidthBlock source = (VariableWidthBlock) block;
            source.getRawSlice().getBytes(source.getRawSliceOffset(positions[first]), bytes, offsets[first], offsets[row] - offsets[first]);
        }
        return new VariableWidthBlock(count, Slices.wrappedBuffer(bytes), offsets, nulls());
    }

    private Optional<boolean[]> nulls()
    {
        if (!mayHaveNull) {
            return Optional.empty();
        }
        boolean[] nulls = new boolean[count];
        boolean any = false;
        for (int row = 0; row < count; row++) {
            nulls[row] = blocks[row].isNull(positions[row]);
            any |= nulls[row];
        }
        return any ? Optional.of(nulls) : Optional.empty();
    }

    /**
     * Lets go of the blocks, which are large.
     */
    void clear()
    {
        Arrays.fill(blocks, 0, count, null);
        count = 0;
    }
}
