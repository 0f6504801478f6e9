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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.snapshot.Snapshot;
import io.trino.spi.Page;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.Type;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TypeUtils.readNativeValue;
import static java.lang.Boolean.TRUE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads a state under random projections and predicates: what comes and matches is what a filter over all rows gives.
 */
final class RandomSelections
{
    private static final int SELECTIONS = 4;

    private final StorageTable table;
    private final Snapshot snapshot;
    private final Random random;
    private final List<DataField> fields;

    private RandomSelections(StorageTable table, Snapshot snapshot, Random random)
    {
        this.table = table;
        this.snapshot = snapshot;
        this.random = random;
        this.fields = ImmutableList.copyOf(table.schema().fields());
    }

    static void check(StorageTable table, Snapshot snapshot, long seed, String step)
    {
        new RandomSelections(table, snapshot, new Random(seed)).check(step);
    }

    private void check(String step)
    {
        List<Page> all = read(fields, TupleDomain.all());
        for (int selection = 0; selection < SELECTIONS; selection++) {
            TupleDomain<Integer> predicate = predicate(all);
            // a column of a predicate is read unless the reader alone has to apply it, which it does not promise
            List<DataField> columns = fields.stream()
                    .filter(field -> predicate.getDomains().orElseThrow().containsKey(field.id()) || random.nextInt(3) == 0)
                    .collect(toImmutableList());
            List<String> expected = matching(all, fields, columns, predicate);
            List<String> actual = matching(read(columns, predicate), columns, columns, predicate);
            assertThat(actual)
                    .as("columns %s where %s, %s", columns.stream().map(DataField::name).toList(), predicate, step)
                    .isEqualTo(expected);
        }
    }

    private List<Page> read(List<DataField> columns, TupleDomain<Integer> predicate)
    {
        List<Page> pages = new ArrayList<>();
        Iterator<TableSplit> splits = table.scanPlanner().plan(snapshot, ScanFilter.of(predicate));
        while (splits.hasNext()) {
            try (PageStream stream = table.splitReaders().open(TableSplit.fromBytes(splits.next().toBytes()), columns, predicate)) {
                for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                    assertThat(page.getPositionCount()).isPositive();
                    pages.add(page);
                }
            }
            catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return pages;
    }

    private TupleDomain<Integer> predicate(List<Page> all)
    {
        Map<Integer, Domain> domains = new HashMap<>();
        int columns = random.nextInt(3);
        for (int count = 0; count < columns; count++) {
            // keys and partitions stand first and are asked for most
            int channel = random.nextBoolean() ? random.nextInt(Math.min(2, fields.size())) : random.nextInt(fields.size());
            Type type = TrinoTypes.toTrinoType(fields.get(channel).type());
            if (fields.get(channel).type() instanceof ScalarType && type.isOrderable()) {
                domains.put(fields.get(channel).id(), domain(type, all, channel));
            }
        }
        return TupleDomain.withColumnDomains(domains);
    }

    private Domain domain(Type type, List<Page> all, int channel)
    {
        List<Object> values = new ArrayList<>();
        for (int count = random.nextInt(1, 4); count > 0 && !all.isEmpty(); count--) {
            Page page = all.get(random.nextInt(all.size()));
            Object value = readNativeValue(type, page.getBlock(channel), random.nextInt(page.getPositionCount()));
            // no range of floating point numbers can hold it
            if (value != null && !isNan(value) && !values.contains(value)) {
                values.add(value);
            }
        }
        boolean nullAllowed = random.nextInt(4) == 0;
        if (values.isEmpty()) {
            return random.nextBoolean() ? Domain.onlyNull(type) : Domain.notNull(type);
        }
        List<Range> ranges = switch (random.nextInt(4)) {
            case 0 -> ImmutableList.of(Range.lessThanOrEqual(type, values.getFirst()));
            case 1 -> ImmutableList.of(Range.greaterThan(type, values.getFirst()));
            default -> values.stream().map(value -> Range.equal(type, value)).collect(toImmutableList());
        };
        return Domain.create(ValueSet.copyOfRanges(type, ranges), nullAllowed);
    }

    private static boolean isNan(Object value)
    {
        return Objects.equals(value, Double.NaN) || value instanceof Long bits && bits == Float.floatToIntBits(Float.NaN);
    }

    private static List<String> matching(List<Page> pages, List<DataField> fields, List<DataField> columns, TupleDomain<Integer> predicate)
    {
        Map<Integer, Domain> domains = predicate.getDomains().orElseThrow();
        int[] channels = columns.stream().mapToInt(fields::indexOf).toArray();
        List<String> rows = new ArrayList<>();
        for (Page page : pages) {
            for (int position = 0; position < page.getPositionCount(); position++) {
                boolean matches = true;
                for (int channel = 0; channel < fields.size() && matches; channel++) {
                    Domain domain = domains.get(fields.get(channel).id());
                    matches = domain == null || TRUE.equals(domain.includesNullableValue(readNativeValue(domain.getType(), page.getBlock(channel), position)));
                }
                if (matches) {
                    rows.add(new Change(ChangeKind.INSERT, BlockValues.toRow(columns, page.getColumns(channels), position)).rowText());
                }
            }
        }
        Collections.sort(rows);
        return rows;
    }
}
