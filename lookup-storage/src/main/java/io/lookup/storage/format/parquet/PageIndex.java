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

import java.util.Arrays;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Where the data pages of one column chunk lie, and which rows of their row group they hold. Immutable.
 */
final class PageIndex
        implements FooterCache.Entry
{
    private final long[] offsets;
    private final int[] sizes;
    private final long[] firstRows;

    private PageIndex(long[] offsets, int[] sizes, long[] firstRows)
    {
        this.offsets = requireNonNull(offsets, "offsets is null");
        this.sizes = requireNonNull(sizes, "sizes is null");
        this.firstRows = requireNonNull(firstRows, "firstRows is null");
    }

    /**
     * @param offsetIndex as it stands in a file; the field numbers are from Parquet's format
     * @param rowCount rows of the row group
     */
    static PageIndex read(Slice offsetIndex, long rowCount)
    {
        CompactReader reader = new CompactReader(offsetIndex);
        PageIndex index = null;
        while (reader.nextField()) {
            if (reader.fieldId() == 1 && reader.fieldType() == CompactReader.LIST) {
                index = readLocations(reader, rowCount);
            }
            else {
                reader.skipField();
            }
        }
        checkArgument(index != null, "The offset index of a column has no pages");
        return index;
    }

    private static PageIndex readLocations(CompactReader reader, long rowCount)
    {
        int count = reader.readListSize();
        checkArgument(count > 0, "The offset index of a column has no pages");
        long[] offsets = new long[count];
        int[] sizes = new int[count];
        long[] firstRows = new long[count + 1];
        for (int page = 0; page < count; page++) {
            int outer = reader.beginStruct();
            while (reader.nextField()) {
                switch (reader.fieldId()) {
                    case 1 -> offsets[page] = reader.readLong();
                    case 2 -> sizes[page] = reader.readInt();
                    case 3 -> firstRows[page] = reader.readLong();
                    default -> reader.skipField();
                }
            }
            reader.endStruct(outer);
        }
        firstRows[count] = rowCount;
        return new PageIndex(offsets, sizes, firstRows);
    }

    int pageCount()
    {
        return offsets.length;
    }

    /**
     * Position of the page's header in the file.
     */
    long offset(int page)
    {
        return offsets[page];
    }

    /**
     * Bytes in the file, header included.
     */
    int size(int page)
    {
        return sizes[page];
    }

    long firstRow(int page)
    {
        return firstRows[page];
    }

    /**
     * First row behind the page.
     */
    long endRow(int page)
    {
        return firstRows[page + 1];
    }

    /**
     * The page that holds a row of the row group.
     */
    int pageOf(long row)
    {
        int index = Arrays.binarySearch(firstRows, 0, offsets.length, row);
        return index >= 0 ? index : -index - 2;
    }

    @Override
    public long memoryBytes()
    {
        return 20L * offsets.length;
    }
}
