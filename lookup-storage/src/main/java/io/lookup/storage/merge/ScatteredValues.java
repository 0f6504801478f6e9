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
import io.lookup.storage.format.NullMask;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.block.VariableWidthBlock;
import it.unimi.dsi.fastutil.objects.Reference2IntOpenHashMap;

import java.util.Arrays;
import java.util.Optional;

/**
 * Copies columns of rows that lie scattered over many pages. A block builder costs several calls a value and grows as
 * it goes; here the sizes are known, which pages the rows lie in is found out once for all columns, and each common kind of block has a loop of its own.
 * Not thread-safe.
 */
final class ScatteredValues
{
    private static final int NONE = -1;

    // of the rows that are copied
    private int count;
    private int[] rowPositions = new int[0];
    // the pages that they lie in, each once, and for each row the index of its page
    private final Reference2IntOpenHashMap<Page> sourceIndexes = new Reference2IntOpenHashMap<>();
    private Page[] sources = new Page[16];
    private int sourceCount;
    private int[] rowSources = new int[0];

    // of the column that is copied: the values of each page, and where each row's value lies in them
    private ValueBlock[] blocks = new ValueBlock[16];
    private int[] positions = new int[0];
    private int[] mappedPositions = new int[0];
    private boolean mayHaveNull;

    ScatteredValues()
    {
        sourceIndexes.defaultReturnValue(NONE);
    }

    /**
     * Takes the rows whose columns are to be copied, until {@link #clear}.
     */
    void start(Page[] pages, int[] pagePositions, int count)
    {
        this.count = count;
        rowPositions = pagePositions;
        if (rowSources.length < count) {
            rowSources = new int[count];
        }
        int row = 0;
        while (row < count) {
            Page page = pages[row];
            int source = source(page);
            do {
                rowSources[row] = source;
                row++;
            }
            while (row < count && pages[row] == page);
        }
    }

    private int source(Page page)
    {
        int source = sourceIndexes.getInt(page);
        if (source == NONE) {
            source = sourceCount;
            sourceIndexes.put(page, source);
            if (sourceCount == sources.length) {
                sources = Arrays.copyOf(sources, sourceCount * 2);
                blocks = new ValueBlock[sourceCount * 2];
            }
            sources[sourceCount] = page;
            sourceCount++;
        }
        return source;
    }

    /**
     * @return empty for a kind of block that has no loop here
     */
    Optional<Block> copy(int channel)
    {
        if (count == 0 || !resolve(channel)) {
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
     * Finds the values below run-length and dictionary encodings.
     *
     * @return whether all values lie in blocks of one kind
     */
    private boolean resolve(int channel)
    {
        mayHaveNull = false;
        boolean encoded = false;
        for (int source = 0; source < sourceCount; source++) {
            Block block = sources[source].getBlock(channel);
            blocks[source] = block.getUnderlyingValueBlock();
            encoded |= block != blocks[source];
            if (blocks[source].getClass() != blocks[0].getClass()) {
                return false;
            }
            mayHaveNull |= blocks[source].mayHaveNull();
        }
        positions = encoded ? valuePositions(channel) : rowPositions;
        return true;
    }

    private int[] valuePositions(int channel)
    {
        if (mappedPositions.length < count) {
            mappedPositions = new int[count];
        }
        for (int row = 0; row < count; row++) {
            mappedPositions[row] = sources[rowSources[row]].getBlock(channel).getUnderlyingValuePosition(rowPositions[row]);
        }
        return mappedPositions;
    }

    private Block copyLongs()
    {
        long[] values = new long[count];
        for (int row = 0; row < count; row++) {
            values[row] = ((LongArrayBlock) blocks[rowSources[row]]).getLong(positions[row]);
        }
        return new LongArrayBlock(count, nulls().build(), values);
    }

    private Block copyInts()
    {
        int[] values = new int[count];
        for (int row = 0; row < count; row++) {
            values[row] = ((IntArrayBlock) blocks[rowSources[row]]).getInt(positions[row]);
        }
        return new IntArrayBlock(count, nulls().build(), values);
    }

    private Block copyTinyInts()
    {
        byte[] values = new byte[count];
        for (int row = 0; row < count; row++) {
            values[row] = ((ByteArrayBlock) blocks[rowSources[row]]).getByte(positions[row]);
        }
        return new ByteArrayBlock(count, nulls().build(), values);
    }

    private Block copyBytes()
    {
        int[] offsets = new int[count + 1];
        int end = 0;
        for (int row = 0; row < count; row++) {
            end = Math.addExact(end, ((VariableWidthBlock) blocks[rowSources[row]]).getSliceLength(positions[row]));
            offsets[row + 1] = end;
        }
        byte[] bytes = new byte[end];
        int row = 0;
        while (row < count) {
            int first = row;
            int rowSource = rowSources[first];
            do {
                row++;
            }
            while (row < count && rowSources[row] == rowSource && positions[row] == positions[row - 1] + 1);
            // neighbours lie behind one another
            VariableWidthBlock source = (VariableWidthBlock) blocks[rowSource];
            source.getRawSlice().getBytes(source.getRawSliceOffset(positions[first]), bytes, offsets[first], offsets[row] - offsets[first]);
        }
        return new VariableWidthBlock(count, Slices.wrappedBuffer(bytes), offsets, nulls().build());
    }

    private NullMask nulls()
    {
        if (!mayHaveNull) {
            return new NullMask(0);
        }
        NullMask nulls = new NullMask(count);
        for (int row = 0; row < count; row++) {
            if (blocks[rowSources[row]].isNull(positions[row])) {
                nulls.setNull(row);
            }
        }
        return nulls;
    }

    /**
     * Lets go of the pages, which are large.
     */
    void clear()
    {
        Arrays.fill(sources, 0, sourceCount, null);
        Arrays.fill(blocks, 0, sourceCount, null);
        sourceIndexes.clear();
        sourceCount = 0;
        rowPositions = mappedPositions;
        positions = mappedPositions;
        count = 0;
    }
}
