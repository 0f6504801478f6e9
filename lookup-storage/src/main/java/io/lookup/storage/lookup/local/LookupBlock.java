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

import io.airlift.slice.Slice;
import io.airlift.slice.SliceInput;
import io.airlift.slice.SliceOutput;
import io.lookup.storage.format.TableBlockEncodings;
import io.trino.spi.Page;
import io.trino.spi.block.Block;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Rows of a lookup file that are read together: their keys to search in, and the rows as columns. Immutable.
 */
final class LookupBlock
        extends SortedKeys
        implements BlockCache.Cached
{
    private final Page page;
    private final long sizeInBytes;

    private LookupBlock(SortedKeys keys, Page page)
    {
        // not a field: each step from object to object can be a cache miss
        super(keys);
        this.page = requireNonNull(page, "page is null");
        this.sizeInBytes = keyBytes() + retainedBytes(page);
    }

    /**
     * The row of each key at the key's index.
     */
    Page page()
    {
        return page;
    }

    @Override
    public long sizeInBytes()
    {
        return sizeInBytes;
    }

    static void write(Slice keyBytes, int[] keyOffsets, int count, Block[] columns, TableBlockEncodings encodings, SliceOutput output)
    {
        SortedKeys.write(keyBytes, keyOffsets, count, output);
        for (Block column : columns) {
            encodings.writeBlock(output, column);
        }
    }

    /**
     * Columns of variable width stay views of the input's bytes.
     */
    static LookupBlock read(Slice bytes, int channelCount, TableBlockEncodings encodings)
    {
        SliceInput input = bytes.getInput();
        SortedKeys keys = SortedKeys.read(input);
        Block[] columns = new Block[channelCount];
        for (int channel = 0; channel < channelCount; channel++) {
            columns[channel] = encodings.readBlock(input);
        }
        return new LookupBlock(keys, new Page(keys.count(), columns));
    }

    private static long retainedBytes(Page page)
    {
        // several columns can be views of one array
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        long[] total = new long[1];
        for (int channel = 0; channel < page.getChannelCount(); channel++) {
            page.getBlock(channel).retainedBytesForEachPart((part, size) -> {
                Object array = part instanceof Slice slice ? slice.byteArray() : part;
                if (seen.add(array)) {
                    total[0] += size;
                }
            });
        }
        return total[0];
    }
}
