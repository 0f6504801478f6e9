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
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.parquet.PageBounds;
import io.lookup.storage.format.parquet.PointReader;
import io.lookup.storage.format.parquet.RowSelection;
import io.trino.spi.Page;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.of;
import static java.util.Objects.requireNonNull;

/**
 * Finds the rows of a row group that can have one of some keys, by the bounds of the key columns' pages. Rows ascend by key, so
 * that values of the first key column stand in a stretch of its pages; where a stretch has one value of it only, the second column ascends
 * in it, and so on. Not thread-safe.
 */
final class CandidateRows
{
    private final PointReader reader;
    private final int group;
    private final int[] keyChannels;
    private final List<EncodedKeys> values;
    private final List<Optional<PageBounds>> bounds = new ArrayList<>();

    // start and end of each range in the halves of a number
    private long[] ranges = new long[64];
    private int rangeCount;

    /**
     * @param keyChannels channels of the key columns in the reader's rows, in key order
     * @param values for each key column its values in the probes, see {@link #columnValues}
     */
    CandidateRows(PointReader reader, int group, int[] keyChannels, List<EncodedKeys> values)
    {
        this.reader = requireNonNull(reader, "reader is null");
        this.group = group;
        this.keyChannels = requireNonNull(keyChannels, "keyChannels is null");
        this.values = requireNonNull(values, "values is null");
    }

    /**
     * The key columns' values of some probes, each in the order-preserving bytes of the column alone.
     */
    static List<EncodedKeys> columnValues(KeyValueLayout layout, ProbeKeys probes, int[] indexes, int count)
    {
        List<Type> types = layout.types();
        List<EncodedKeys> values = new ArrayList<>();
        for (int index = 0; index < layout.keyChannels().size(); index++) {
            int channel = layout.keyChannels().get(index);
            BlockBuilder builder = types.get(channel).createBlockBuilder(null, count);
            for (int probe = 0; probe < count; probe++) {
                builder.append(
                        probes.page(indexes[probe]).getBlock(channel).getUnderlyingValueBlock(),
                        probes.page(indexes[probe]).getBlock(channel).getUnderlyingValuePosition(probes.position(indexes[probe])));
            }
            values.add(KeyEncoder.forKeys(of(layout.keyTypes().get(index))).encode(new Page(count, builder.build()), new int[] {0}));
        }
        return values;
    }

    /**
     * @return a superset of the rows with one of the keys
     */
    RowSelection select(int probeCount)
    {
        rangeCount = 0;
        long rows = reader.rowCount(group);
        if (bounds(0).isEmpty()) {
            RowSelection all = new RowSelection();
            all.add(0, rows);
            return all;
        }
        for (int probe = 0; probe < probeCount; probe++) {
            narrow(0, 0, rows, probe);
        }
        Arrays.sort(ranges, 0, rangeCount);
        RowSelection selection = new RowSelection();
        for (int range = 0; range < rangeCount; range++) {
            selection.add(ranges[range] >>> Integer.SIZE, ranges[range] & 0xFFFF_FFFFL);
        }
        return selection;
    }

    private Optional<PageBounds> bounds(int column)
    {
        while (bounds.size() <= column) {
            bounds.add(reader.bounds(group, keyChannels[bounds.size()]));
        }
        return bounds.get(column);
    }

    /**
     * Adds rows between two that can have the probe's values in a key column and those behind it, where all have its values in the columns before it.
     */
    private void narrow(int column, long from, long to, int probe)
    {
        Optional<PageBounds> optional = column < keyChannels.length ? bounds(column) : Optional.empty();
        if (optional.isEmpty()) {
            add(from, to);
            return;
        }
        PageBounds pages = optional.get();
        Slice value = values.get(column).key(probe);
        int first = pages.pageOf(from);
        int last = pages.pageOf(to - 1);
        // at both ends a page can reach over rows with other values before, whose bounds say little
        if (pages.firstRow(first) < from) {
            addIfWithin(pages, first, from, to, value);
            first++;
        }
        if (first <= last && pages.endRow(last) > to) {
            addIfWithin(pages, last, from, to, value);
            last--;
        }
        int low = lowerBound(pages, first, last + 1, value);
        int high = low;
        while (high <= last && !pages.isAbove(high, value)) {
            high++;
            if (high - low > 2) {
                high = upperBound(pages, high, last + 1, value);
                break;
            }
        }
        high--;
        if (low > high) {
            return;
        }
        if (high - low > 1 && column + 1 < keyChannels.length && pages.isAll(low + 1, value) && pages.isAll(high - 1, value)) {
            add(pages.firstRow(low), pages.endRow(low));
            narrow(column + 1, pages.endRow(low), pages.firstRow(high), probe);
            add(pages.firstRow(high), pages.endRow(high));
            return;
        }
        add(pages.firstRow(low), pages.endRow(high));
    }

    private void addIfWithin(PageBounds pages, int page, long from, long to, Slice value)
    {
        if (!pages.isBelow(page, value) && !pages.isAbove(page, value)) {
            add(Math.max(from, pages.firstRow(page)), Math.min(to, pages.endRow(page)));
        }
    }

    /**
     * First page that does not end below the value.
     */
    private static int lowerBound(PageBounds pages, int from, int to, Slice value)
    {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (pages.isBelow(middle, value)) {
                low = middle + 1;
            }
            else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * First page that begins above the value.
     */
    private static int upperBound(PageBounds pages, int from, int to, Slice value)
    {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (pages.isAbove(middle, value)) {
                high = middle;
            }
            else {
                low = middle + 1;
            }
        }
        return low;
    }

    private void add(long from, long to)
    {
        if (rangeCount == ranges.length) {
            ranges = Arrays.copyOf(ranges, rangeCount * 2);
        }
        ranges[rangeCount] = from << Integer.SIZE | to;
        rangeCount++;
    }
}
