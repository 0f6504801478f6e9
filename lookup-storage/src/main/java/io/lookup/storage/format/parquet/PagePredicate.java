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
import io.airlift.slice.Slice;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.schema.DataField;
import io.trino.spi.Page;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.type.Type;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;

/**
 * Which rows of a flat file can match a predicate, by the bounds that its column indexes have for each page. What is known of a
 * file's pages is kept between reads, so that a key is looked for without reading anything but its pages.
 */
final class PagePredicate
{
    private final FlatFile file;
    private final PointReader bounds;
    private final List<Condition> conditions;

    private PagePredicate(FlatFile file, List<Condition> conditions)
    {
        this.file = requireNonNull(file, "file is null");
        this.bounds = new PointReader(file);
        this.conditions = ImmutableList.copyOf(conditions);
    }

    /**
     * A column and the ranges of its values, ascending and apart from each other.
     *
     * @param channel of the request
     */
    private record Condition(int channel, List<EncodedRange> ranges) {}

    /**
     * Both bounds count as inclusive.
     *
     * @param low null if there is none
     * @param high null if there is none
     */
    private record EncodedRange(Slice low, Slice high) {}

    /**
     * Rows of each row group that can match.
     *
     * @return empty if the file does not know the bounds of some column
     */
    static Optional<List<RowSelection>> select(FlatFile file)
    {
        List<Condition> conditions = new ArrayList<>();
        List<DataField> columns = file.request().columns();
        for (int channel = 0; channel < columns.size(); channel++) {
            Domain domain = file.request().predicate().getDomains().orElseThrow().get(columns.get(channel).id());
            if (domain == null || domain.isAll()) {
                continue;
            }
            if (domain.isNullAllowed() || !domain.getType().isOrderable()) {
                return Optional.empty();
            }
            conditions.add(new Condition(channel, encode(columns.get(channel), domain)));
        }
        return new PagePredicate(file, conditions).select();
    }

    private static List<EncodedRange> encode(DataField column, Domain domain)
    {
        KeyEncoder encoder = KeyEncoder.forKeys(ImmutableList.of(column.type()));
        return domain.getValues().getRanges().getOrderedRanges().stream()
                .map(range -> new EncodedRange(
                        range.getLowValue().map(value -> encode(encoder, range, value)).orElse(null),
                        range.getHighValue().map(value -> encode(encoder, range, value)).orElse(null)))
                .toList();
    }

    private static Slice encode(KeyEncoder encoder, Range range, Object value)
    {
        Type type = range.getType();
        return encoder.encode(new Page(writeNativeValue(type, value)), new int[] {0}).key(0);
    }

    private Optional<List<RowSelection>> select()
    {
        ImmutableList.Builder<RowSelection> groups = ImmutableList.builder();
        for (int group = 0; group < file.blocks().size(); group++) {
            RowSelection rows = new RowSelection();
            long rowCount = file.blocks().get(group).rowCount();
            if (rowCount > 0) {
                rows.add(0, rowCount);
            }
            for (Condition condition : conditions) {
                if (rows.isEmpty()) {
                    break;
                }
                Optional<PageBounds> pages = bounds.bounds(group, condition.channel());
                if (pages.isEmpty()) {
                    return Optional.empty();
                }
                rows = intersect(rows, matching(pages.get(), condition.ranges()));
            }
            groups.add(rows);
        }
        return Optional.of(groups.build());
    }

    private static RowSelection matching(PageBounds pages, List<EncodedRange> ranges)
    {
        RowSelection rows = new RowSelection();
        for (int page = 0; page < pages.pageCount(); page++) {
            if (matches(pages, page, ranges)) {
                rows.add(pages.firstRow(page), pages.endRow(page));
            }
        }
        return rows;
    }

    private static boolean matches(PageBounds pages, int page, List<EncodedRange> ranges)
    {
        // the first range that does not end below the page
        int low = 0;
        int high = ranges.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            Slice end = ranges.get(middle).high();
            if (end != null && pages.isAbove(page, end)) {
                low = middle + 1;
            }
            else {
                high = middle;
            }
        }
        if (low == ranges.size()) {
            return false;
        }
        Slice start = ranges.get(low).low();
        return start == null || !pages.isBelow(page, start);
    }

    private static RowSelection intersect(RowSelection left, RowSelection right)
    {
        RowSelection both = new RowSelection();
        int leftRange = 0;
        int rightRange = 0;
        while (leftRange < left.rangeCount() && rightRange < right.rangeCount()) {
            long start = Math.max(left.start(leftRange), right.start(rightRange));
            long end = Math.min(left.end(leftRange), right.end(rightRange));
            if (start < end) {
                both.add(start, end);
            }
            if (left.end(leftRange) < right.end(rightRange)) {
                leftRange++;
            }
            else {
                rightRange++;
            }
        }
        return both;
    }
}
