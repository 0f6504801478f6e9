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
package io.lookup.storage.format.parquet;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.connector.SourcePage;

import java.util.Optional;
import java.util.function.ObjLongConsumer;

import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.checkIndex;
import static java.util.Objects.requireNonNull;

/**
 * A batch of rows whose columns are read when they are asked for, until the stream moves on. Not thread-safe.
 */
final class FlatSourcePage
        implements SourcePage
{
    private static final int INSTANCE_SIZE = instanceSize(FlatSourcePage.class);

    private final FlatPageStream stream;
    private final long batch;
    private final int rowCount;
    // of the rows that are left
    private final Block[] blocks;
    // null for all rows
    private int[] positions;

    /**
     * @param rowCount rows of the batch
     * @param rowPositions the last channel, if there is one more than the stream has columns
     */
    FlatSourcePage(FlatPageStream stream, long batch, int rowCount, Optional<Block> rowPositions)
    {
        this.stream = requireNonNull(stream, "stream is null");
        this.batch = batch;
        this.rowCount = rowCount;
        this.blocks = new Block[stream.columnCount() + (rowPositions.isPresent() ? 1 : 0)];
        rowPositions.ifPresent(block -> blocks[blocks.length - 1] = block);
    }

    @Override
    public int getPositionCount()
    {
        return positions == null ? rowCount : positions.length;
    }

    @Override
    public long getSizeInBytes()
    {
        long size = 0;
        for (Block block : blocks) {
            size += block == null ? 0 : block.getSizeInBytes();
        }
        return size;
    }

    @Override
    public long getRetainedSizeInBytes()
    {
        long size = INSTANCE_SIZE + sizeOf(blocks) + sizeOf(positions);
        for (Block block : blocks) {
            size += block == null ? 0 : block.getRetainedSizeInBytes();
        }
        return size;
    }

    @Override
    public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer)
    {
        consumer.accept(this, INSTANCE_SIZE);
        consumer.accept(blocks, sizeOf(blocks));
        if (positions != null) {
            consumer.accept(positions, sizeOf(positions));
        }
        for (Block block : blocks) {
            if (block != null) {
                block.retainedBytesForEachPart(consumer);
            }
        }
    }

    @Override
    public int getChannelCount()
    {
        return blocks.length;
    }

    @Override
    public Block getBlock(int channel)
    {
        if (blocks[channel] == null) {
            Block block = stream.readColumn(batch, rowCount, channel);
            blocks[channel] = positions == null ? block : select(block, positions, 0, positions.length);
        }
        return blocks[channel];
    }

    @Override
    public Page getPage()
    {
        for (int channel = 0; channel < blocks.length; channel++) {
            getBlock(channel);
        }
        return new Page(getPositionCount(), blocks.clone());
    }

    @Override
    public void selectPositions(int[] selected, int offset, int size)
    {
        int[] remaining = new int[size];
        for (int index = 0; index < size; index++) {
            int position = checkIndex(selected[offset + index], getPositionCount());
            remaining[index] = positions == null ? position : positions[position];
        }
        for (int channel = 0; channel < blocks.length; channel++) {
            if (blocks[channel] != null) {
                blocks[channel] = select(blocks[channel], selected, offset, size);
            }
        }
        positions = remaining;
    }

    private static Block select(Block block, int[] positions, int offset, int size)
    {
        if (block instanceof DictionaryBlock dictionary) {
            // a copy would look for the values that are left
            int[] ids = new int[size];
            for (int index = 0; index < size; index++) {
                ids[index] = dictionary.getId(positions[offset + index]);
            }
            return DictionaryBlock.create(size, dictionary.getDictionary(), ids);
        }
        // most of a block is copied in less time than what follows takes to go through an indirection
        return 2 * size > block.getPositionCount() ? block.copyPositions(positions, offset, size) : block.getPositions(positions, offset, size);
    }
}
