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

import io.airlift.slice.Slice;
import io.lookup.storage.format.keyvalue.EncodedKeys;

import static java.util.Objects.requireNonNull;

/**
 * Lower and upper bounds of a column's values by page, in the order-preserving bytes of the column alone. Bounds may be
 * cut off: a value of the page may be above its lower bound and below its upper one. Immutable.
 */
public final class PageBounds
        implements FooterCache.Entry
{
    private final PageIndex pages;
    private final EncodedKeys bounds;

    /**
     * @param bounds the lower bounds of all pages, and then the upper ones
     */
    PageBounds(PageIndex pages, EncodedKeys bounds)
    {
        this.pages = requireNonNull(pages, "pages is null");
        this.bounds = requireNonNull(bounds, "bounds is null");
    }

    public int pageCount()
    {
        return pages.pageCount();
    }

    /**
     * The page that holds a row of the row group.
     */
    public int pageOf(long row)
    {
        return pages.pageOf(row);
    }

    public long firstRow(int page)
    {
        return pages.firstRow(page);
    }

    /**
     * First row behind the page.
     */
    public long endRow(int page)
    {
        return pages.endRow(page);
    }

    public boolean isBelow(int page, Slice value)
    {
        return bounds.compare(pageCount() + page, value) < 0;
    }

    public boolean isAbove(int page, Slice value)
    {
        return bounds.compare(page, value) > 0;
    }

    /**
     * Whether every value of the page is this one.
     */
    public boolean isAll(int page, Slice value)
    {
        return bounds.compare(page, value) == 0 && bounds.compare(pageCount() + page, value) == 0;
    }

    @Override
    public long memoryBytes()
    {
        return pages.memoryBytes() + bounds.sizeInBytes();
    }
}
