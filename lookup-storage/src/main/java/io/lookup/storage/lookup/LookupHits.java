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

import io.trino.spi.Page;

import java.util.Arrays;

/**
 * For each probe the record that was found, as a position of a page in the table's layout, and the level it
 * was found at. Reused between batches; not thread-safe.
 */
public final class LookupHits
{
    private Page[] pages = new Page[0];
    private int[] positions = new int[0];
    private int[] levels = new int[0];

    void reset(int count)
    {
        if (pages.length < count) {
            pages = new Page[count];
            positions = new int[count];
            levels = new int[count];
            return;
        }
        Arrays.fill(pages, null);
    }

    void set(int probe, Page page, int position, int level)
    {
        pages[probe] = page;
        positions[probe] = position;
        levels[probe] = level;
    }

    public boolean found(int probe)
    {
        return pages[probe] != null;
    }

    public Page page(int probe)
    {
        return pages[probe];
    }

    public int position(int probe)
    {
        return positions[probe];
    }

    public int level(int probe)
    {
        return levels[probe];
    }
}
