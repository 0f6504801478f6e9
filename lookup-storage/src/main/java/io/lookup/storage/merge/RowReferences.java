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

import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.Type;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * A list of (page, position) pairs that stands for rows until {@link #toPage} copies them, column by column and in
 * ranges where neighbours come from one page. Not thread-safe.
 */
public final class RowReferences
{
    private final List<Type> types;
    private final int kindChannel;
    private final ScatteredValues scatteredValues = new ScatteredValues();

    private int count;
    private Page[] pages = new Page[1024];
    private int[] positions = new int[1024];

    public RowReferences(KeyValueLayout layout)
    {
        requireNonNull(layout, "layout is null");
        types = layout.types();
        kindChannel = layout.kindChannel();
    }

    public void add(Page page, int position)
    {
        if (count == pages.length) {
            ensureCapacity(count + 1);
        }
        pages[count] = page;
        positions[count] = position;
        count++;
    }

    /**
     * Adds rows {@code position} to {@code position + length - 1} of the page.
     */
    public void addRange(Page page, int position, int length)
    {
        ensureCapacity(count + length);
        Arrays.fill(pages, count, count + length, page);
        for (int i = 0; i < length; i++) {
            positions[count + i] = position + i;
        }
        count += length;
    }

    public int count()
    {
        return count;
    }

    public Page page(int index)
    {
        return pages[index];
    }

    public int position(int index)
    {
        return positions[index];
    }

    /**
     * Row kind of the referenced row, see {@link io.lookup.storage.format.row.RowKind}.
     */
    public byte kind(int index)
    {
        return TINYINT.getByte(pages[index].getBlock(kindChannel), positions[index]);
    }

    public void clear()
    {
        Arrays.fill(pages, 0, count, null);
        count = 0;
    }

    public Page toPage()
    {
        return copy(pages, positions, count);
    }

    /**
     * The rows whose index the predicate accepts, in order.
     */
    public Page toPage(IntPredicate selection)
    {
        int[] indexes = new int[count];
        int selected = 0;
        for (int index = 0; index < count; index++) {
            if (selection.test(index)) {
                indexes[selected++] = index;
            }
        }
        if (selected == count) {
            return toPage();
        }
        return toPage(Arrays.copyOf(indexes, selected));
    }

    /**
     * The rows of the given indexes, in the order given.
     */
    public Page toPage(int[] selection)
    {
        Page[] selectedPages = new Page[selection.length];
        int[] selectedPositions = new int[selection.length];
        for (int i = 0; i < selection.length; i++) {
            selectedPages[i] = pages[selection[i]];
            selectedPositions[i] = positions[selection[i]];
        }
        return copy(selectedPages, selectedPositions, selection.length);
    }

    private Page copy(Page[] pages, int[] positions, int count)
    {
        if (count > 0 && lastOfSamePage(pages, 0, count) == count) {
            // one source: let the page choose between a view and a copy of the blocks, encodings kept
            if (isRange(positions, 0, count)) {
                return pages[0].getRegion(positions[0], count);
            }
            return pages[0].copyPositions(positions, 0, count);
        }
        int[] ends = null;
        Block[] blocks = new Block[types.size()];
        scatteredValues.start(pages, positions, count);
        for (int channel = 0; channel < blocks.length; channel++) {
            Optional<Block> copied = scatteredValues.copy(channel);
            if (copied.isPresent()) {
                blocks[channel] = copied.get();
                continue;
            }
            if (ends == null) {
                ends = segmentEnds(pages, count);
            }
            BlockBuilder builder = types.get(channel).createBlockBuilder(null, count);
            int start = 0;
            for (int end : ends) {
                appendSegment(builder, pages[start].getBlock(channel), positions, start, end);
                start = end;
            }
            blocks[channel] = builder.build();
        }
        scatteredValues.clear();
        return new Page(count, blocks);
    }

    private static void appendSegment(BlockBuilder builder, Block block, int[] positions, int start, int end)
    {
        int length = end - start;
        switch (block) {
            case ValueBlock valueBlock -> {
                if (length == 1) {
                    builder.append(valueBlock, positions[start]);
                }
                else if (isRange(positions, start, end)) {
                    builder.appendRange(valueBlock, positions[start], length);
                }
                else {
                    builder.appendPositions(valueBlock, positions, start, length);
                }
            }
            case RunLengthEncodedBlock runLength -> builder.appendRepeated(runLength.getValue(), 0, length);
            case DictionaryBlock dictionary -> {
                int[] ids = new int[length];
                for (int i = 0; i < length; i++) {
                    ids[i] = dictionary.getId(positions[start + i]);
                }
                builder.appendPositions(dictionary.getDictionary(), ids, 0, length);
            }
        }
    }

    private static int[] segmentEnds(Page[] pages, int count)
    {
        int[] ends = new int[count];
        int segments = 0;
        int start = 0;
        while (start < count) {
            start = lastOfSamePage(pages, start, count);
            ends[segments++] = start;
        }
        return Arrays.copyOf(ends, segments);
    }

    private static int lastOfSamePage(Page[] pages, int start, int count)
    {
        int end = start + 1;
        while (end < count && pages[end] == pages[start]) {
            end++;
        }
        return end;
    }

    private static boolean isRange(int[] positions, int start, int end)
    {
        if (positions[end - 1] - positions[start] != end - start - 1) {
            return false;
        }
        for (int i = start + 1; i < end; i++) {
            if (positions[i] != positions[i - 1] + 1) {
                return false;
            }
        }
        return true;
    }

    private void ensureCapacity(int capacity)
    {
        if (capacity > pages.length) {
            int newCapacity = Math.max(capacity, pages.length * 2);
            pages = Arrays.copyOf(pages, newCapacity);
            positions = Arrays.copyOf(positions, newCapacity);
        }
    }
}
