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
package io.lookup.storage.lookup;

import io.airlift.slice.Slice;
import io.trino.spi.Page;

import java.util.Arrays;

import static java.util.Objects.requireNonNull;

/**
 * A batch of distinct keys, ascending by their order-preserving bytes, each with a row that holds its key columns.
 * Reused between batches; not thread-safe.
 */
public final class ProbeKeys
{
    private long[] prefixes = new long[1024];
    private Slice[] keys = new Slice[1024];
    private Page[] pages = new Page[1024];
    private int[] positions = new int[1024];
    private int count;

    public void clear()
    {
        Arrays.fill(keys, 0, count, null);
        Arrays.fill(pages, 0, count, null);
        count = 0;
    }

    public void add(long prefix, Slice key, Page page, int position)
    {
        if (count == keys.length) {
            int capacity = count * 2;
            prefixes = Arrays.copyOf(prefixes, capacity);
            keys = Arrays.copyOf(keys, capacity);
            pages = Arrays.copyOf(pages, capacity);
            positions = Arrays.copyOf(positions, capacity);
        }
        prefixes[count] = prefix;
        keys[count] = requireNonNull(key, "key is null");
        pages[count] = requireNonNull(page, "page is null");
        positions[count] = position;
        count++;
    }

    public int count()
    {
        return count;
    }

    public long prefix(int index)
    {
        return prefixes[index];
    }

    public Slice key(int index)
    {
        return keys[index];
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
     * First index at or behind {@code from} whose key is not below the bound.
     */
    public int lowerBound(Slice bound, int from)
    {
        int low = from;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (keys[middle].compareTo(bound) < 0) {
                low = middle + 1;
            }
            else {
                high = middle;
            }
        }
        return low;
    }
}
