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
package io.lookup.trino.read;

import com.google.common.collect.ImmutableList;
import io.lookup.trino.StorageErrors;
import io.lookup.trino.read.PageAssembler.Part;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.SourcePage;

import java.util.List;
import java.util.function.ObjLongConsumer;

import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

/**
 * Columns of a scan, each made of the engine's when it is asked for.
 */
final class AssembledPage
        implements SourcePage
{
    private static final int INSTANCE_SIZE = instanceSize(AssembledPage.class);

    private final SourcePage source;
    private final List<Part> parts;
    private final Block[] blocks;

    AssembledPage(SourcePage source, List<Part> parts)
    {
        this.source = requireNonNull(source, "source is null");
        this.parts = ImmutableList.copyOf(parts);
        this.blocks = new Block[parts.size()];
    }

    @Override
    public int getPositionCount()
    {
        return source.getPositionCount();
    }

    @Override
    public long getSizeInBytes()
    {
        return source.getSizeInBytes();
    }

    @Override
    public long getRetainedSizeInBytes()
    {
        // the blocks consist of the source's
        return INSTANCE_SIZE + sizeOf(blocks) + source.getRetainedSizeInBytes();
    }

    @Override
    public void retainedBytesForEachPart(ObjLongConsumer<Object> consumer)
    {
        consumer.accept(this, INSTANCE_SIZE);
        consumer.accept(blocks, sizeOf(blocks));
        source.retainedBytesForEachPart(consumer);
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
            // the engine may read only now
            blocks[channel] = StorageErrors.translating(() -> parts.get(channel).block(source));
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
    public void selectPositions(int[] positions, int offset, int size)
    {
        source.selectPositions(positions, offset, size);
        for (int channel = 0; channel < blocks.length; channel++) {
            if (blocks[channel] != null) {
                blocks[channel] = blocks[channel].getPositions(positions, offset, size);
            }
        }
    }
}
