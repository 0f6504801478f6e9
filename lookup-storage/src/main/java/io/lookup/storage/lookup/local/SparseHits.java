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
package io.lookup.storage.lookup.local;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.lookup.LookupHits;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;

import java.util.Arrays;
import java.util.List;

/**
 * Gathers single rows of many blocks in one page, column by column. Reused between batches; not thread-safe.
 */
final class SparseHits
{
    /**
     * From this share of a block's rows on, the block is worth to be kept.
     */
    static final int SHARE = 4;

    private final List<Type> types;

    private BlockBuilder[] builders;
    private int[] probes = new int[64];
    private long[] rowPositions = new long[64];
    private int count;

    SparseHits(List<Type> types)
    {
        this.types = ImmutableList.copyOf(types);
    }

    void add(int probe, Page page, int position, long rowPosition)
    {
        if (builders == null) {
            builders = types.stream()
                    .map(type -> type.createBlockBuilder(null, 1024))
                    .toArray(BlockBuilder[]::new);
        }
        for (int channel = 0; channel < builders.length; channel++) {
            Block block = page.getBlock(channel);
            builders[channel].append(block.getUnderlyingValueBlock(), block.getUnderlyingValuePosition(position));
        }
        if (count == probes.length) {
            probes = Arrays.copyOf(probes, count * 2);
            rowPositions = Arrays.copyOf(rowPositions, count * 2);
        }
        probes[count] = probe;
        rowPositions[count] = rowPosition;
        count++;
    }

    /**
     * Hands the hits over.
     */
    void finish(LookupHits hits, DataFileMeta file)
    {
        if (count == 0) {
            return;
        }
        Block[] blocks = new Block[builders.length];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = builders[channel].build();
        }
        Page page = new Page(count, blocks);
        for (int index = 0; index < count; index++) {
            hits.set(probes[index], page, index, file, rowPositions[index]);
        }
        builders = null;
        count = 0;
    }
}
