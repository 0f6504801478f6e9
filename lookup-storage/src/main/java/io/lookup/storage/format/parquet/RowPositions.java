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

import com.google.common.collect.ImmutableList;
import io.trino.parquet.PrimitiveField;
import io.trino.parquet.predicate.TupleDomainParquetPredicate;
import io.trino.parquet.reader.RowGroupInfo;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.filter2.columnindex.ColumnIndexFilter;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.joda.time.DateTimeZone;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.base.Preconditions.checkState;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

/**
 * Where in the file the rows of a reader's pages stand. Trino's reader numbers the rows that it reads of a row group,
 * which are their positions only if it skips no pages; the ranges that it does read are worked out here in the way in which
 * the reader does it. Not thread-safe; asked in the order of the rows.
 */
final class RowPositions
{
    private final List<Group> groups;
    private int current;

    private RowPositions(List<Group> groups)
    {
        this.groups = ImmutableList.copyOf(groups);
    }

    /**
     * @param rowGroups those that the reader reads
     * @param fields the columns that it reads
     * @param predicate what it skips pages by
     */
    static RowPositions of(List<RowGroupInfo> rowGroups, List<PrimitiveField> fields, Optional<TupleDomainParquetPredicate> predicate)
    {
        Optional<FilterCompat.Filter> filter = predicate.flatMap(pages -> pages.toParquetFilter(DateTimeZone.UTC)).map(FilterCompat::get);
        Set<ColumnPath> paths = fields.stream()
                .map(field -> ColumnPath.get(field.getDescriptor().getPath()))
                .collect(toImmutableSet());
        ImmutableList.Builder<Group> groups = ImmutableList.builder();
        for (RowGroupInfo rowGroup : rowGroups) {
            long firstRow = rowGroup.fileRowOffset();
            long rowCount = rowGroup.prunedBlockMetadata().getRowCount();
            if (filter.isEmpty() || rowGroup.columnIndexStore().isEmpty()) {
                groups.add(Group.whole(firstRow, rowCount));
                continue;
            }
            RowRanges ranges = ColumnIndexFilter.calculateRowRanges(filter.get(), rowGroup.columnIndexStore().get(), paths, rowCount);
            groups.add(ranges.rowCount() < rowCount ? Group.of(firstRow, ranges) : Group.whole(firstRow, rowCount));
        }
        return new RowPositions(groups.build());
    }

    /**
     * The rows that are read of each row group, by the position of its first row.
     */
    Map<Long, RowSelection> selections()
    {
        return groups.stream().collect(toImmutableMap(Group::firstRow, Group::selection));
    }

    /**
     * @param firstRow the reader's number of a page's first row: first row of the row group, and rows read of it since
     * @return position of each row of the page, ascending
     */
    long[] of(long firstRow, int count)
    {
        while (current + 1 < groups.size() && groups.get(current + 1).firstRow <= firstRow) {
            current++;
        }
        Group group = groups.get(current);
        long[] positions = new long[count];
        long ordinal = firstRow - group.firstRow;
        checkState(ordinal >= 0, "Rows are asked for out of order");
        int filled = 0;
        for (int range = 0; range < group.starts.length && filled < count; range++) {
            long length = group.ends[range] - group.starts[range];
            if (ordinal >= length) {
                ordinal -= length;
                continue;
            }
            int taken = (int) Math.min(length - ordinal, count - filled);
            for (int index = 0; index < taken; index++) {
                positions[filled + index] = group.firstRow + group.starts[range] + ordinal + index;
            }
            filled += taken;
            ordinal = 0;
        }
        checkState(filled == count, "A page has %s rows, but only %s are known", count, filled);
        return positions;
    }

    /**
     * @param starts rows that are read, counted within the row group
     * @param ends exclusive
     */
    private record Group(long firstRow, long[] starts, long[] ends)
    {
        static Group whole(long firstRow, long rowCount)
        {
            return new Group(firstRow, new long[] {0}, new long[] {rowCount});
        }

        RowSelection selection()
        {
            RowSelection rows = new RowSelection();
            for (int range = 0; range < starts.length; range++) {
                rows.add(starts[range], ends[range]);
            }
            return rows;
        }

        static Group of(long firstRow, RowRanges ranges)
        {
            List<RowRanges.Range> all = ranges.getRanges();
            return new Group(
                    firstRow,
                    all.stream().mapToLong(range -> range.from).toArray(),
                    all.stream().mapToLong(range -> range.to + 1).toArray());
        }
    }
}
