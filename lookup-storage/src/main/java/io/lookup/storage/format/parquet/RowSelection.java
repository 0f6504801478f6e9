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

import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;

import java.util.Arrays;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkArgument;
import static java.lang.Math.toIntExact;

/**
 * Rows of one row group, counted from its first, as ascending ranges. Not thread-safe.
 */
public final class RowSelection
{
    private long[] starts = new long[16];
    private long[] ends = new long[16];
    private int rangeCount;
    private long rowCount;

    /**
     * Adds rows that begin at or behind the beginning of those that were added last, and may overlap with them.
     *
     * @param end exclusive
     */
    public void add(long start, long end)
    {
        checkArgument(start < end && (rangeCount == 0 || start >= starts[rangeCount - 1]), "Range %s to %s is empty or out of order", start, end);
        if (rangeCount > 0 && start <= ends[rangeCount - 1]) {
            rowCount += Math.max(0, end - ends[rangeCount - 1]);
            ends[rangeCount - 1] = Math.max(end, ends[rangeCount - 1]);
            return;
        }
        if (rangeCount == starts.length) {
            starts = Arrays.copyOf(starts, rangeCount * 2);
            ends = Arrays.copyOf(ends, rangeCount * 2);
        }
        starts[rangeCount] = start;
        ends[rangeCount] = end;
        rangeCount++;
        rowCount += end - start;
    }

    public boolean isEmpty()
    {
        return rangeCount == 0;
    }

    public int rangeCount()
    {
        return rangeCount;
    }

    public long start(int range)
    {
        return starts[range];
    }

    /**
     * Exclusive.
     */
    public long end(int range)
    {
        return ends[range];
    }

    public int rowCount()
    {
        return toIntExact(rowCount);
    }

    RowRanges toRowRanges()
    {
        return RowRanges.create(ends[rangeCount - 1], IntStream.range(0, rangeCount).iterator(), new Ranges());
    }

    /**
     * The ranges as pages: Parquet makes row ranges of nothing else.
     */
    private final class Ranges
            implements OffsetIndex
    {
        @Override
        public int getPageCount()
        {
            return rangeCount;
        }

        @Override
        public long getFirstRowIndex(int page)
        {
            return starts[page];
        }

        @Override
        public long getLastRowIndex(int page, long totalRowCount)
        {
            return ends[page] - 1;
        }

        @Override
        public long getOffset(int page)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public int getCompressedPageSize(int page)
        {
            throw new UnsupportedOperationException();
        }
    }
}
