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

import java.util.Arrays;
import java.util.stream.IntStream;

import static java.util.Objects.requireNonNull;

/**
 * The pages of a column chunk that hold some rows.
 */
final class SelectedPages
{
    private final PageIndex all;
    private final int[] selected;

    private SelectedPages(PageIndex all, int[] selected)
    {
        this.all = requireNonNull(all, "all is null");
        this.selected = requireNonNull(selected, "selected is null");
    }

    static SelectedPages all(PageIndex all)
    {
        return new SelectedPages(all, IntStream.range(0, all.pageCount()).toArray());
    }

    static SelectedPages of(PageIndex all, RowSelection rows)
    {
        int[] pages = new int[Math.min(all.pageCount(), 64)];
        int count = 0;
        int last = -1;
        for (int range = 0; range < rows.rangeCount(); range++) {
            int page = Math.max(last + 1, all.pageOf(rows.start(range)));
            while (page < all.pageCount() && all.firstRow(page) < rows.end(range)) {
                if (count == pages.length) {
                    pages = Arrays.copyOf(pages, Math.min(all.pageCount(), count * 2));
                }
                pages[count] = page;
                count++;
                last = page;
                page++;
            }
        }
        return new SelectedPages(all, Arrays.copyOf(pages, count));
    }

    /**
     * Where the chunk's first page lies; a dictionary is before it.
     */
    long firstOffsetOfChunk()
    {
        return all.offset(0);
    }

    int count()
    {
        return selected.length;
    }

    long offset(int index)
    {
        return all.offset(selected[index]);
    }

    int size(int index)
    {
        return all.size(selected[index]);
    }

    long firstRow(int index)
    {
        return all.firstRow(selected[index]);
    }
}
