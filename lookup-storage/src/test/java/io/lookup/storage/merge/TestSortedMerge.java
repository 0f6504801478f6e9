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
package io.lookup.storage.merge;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.MergeRows.Row;
import io.lookup.storage.merge.UnsortedMergePageStream.VersionRule;
import io.trino.spi.Page;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static java.util.Comparator.comparing;
import static java.util.Comparator.naturalOrder;
import static java.util.Comparator.nullsFirst;
import static java.util.Comparator.reverseOrder;
import static org.assertj.core.api.Assertions.assertThat;

final class TestSortedMerge
{
    @Test
    void testGroupsAgainstSortedMap()
            throws IOException
    {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            MergeRows rows = MergeRows.create(random.nextBoolean(), random.nextBoolean(), random.nextBoolean());
            List<List<Row>> runs = randomRuns(random);
            List<List<Row>> expected = expectedGroups(rows, runs);

            List<List<Row>> actual = new ArrayList<>();
            List<Integer> levels = new ArrayList<>();
            int minRunRows = random.nextInt(3) == 0 ? 3 + random.nextInt(20) : Integer.MAX_VALUE;
            try (SortedMergeReader reader = reader(rows, runs, random)) {
                KeyGroups groups = new KeyGroups();
                while (true) {
                    Page run = minRunRows == Integer.MAX_VALUE ? null : reader.nextRun(minRunRows);
                    if (run != null) {
                        rows.rows(run).forEach(row -> actual.add(ImmutableList.of(row)));
                        continue;
                    }
                    int maxGroups = 1 + random.nextInt(random.nextBoolean() ? 5 : 500);
                    if (!reader.nextBatch(groups, maxGroups, minRunRows)) {
                        assertThat(groups.groupCount()).isZero();
                        break;
                    }
                    assertThat(groups.groupCount()).isLessThanOrEqualTo(maxGroups);
                    for (int group = 0; group < groups.groupCount(); group++) {
                        List<Row> versions = new ArrayList<>();
                        for (int row = groups.start(group); row < groups.end(group); row++) {
                            versions.add(rows.row(groups.page(row), groups.position(row)));
                            levels.add(groups.level(row));
                        }
                        actual.add(versions);
                    }
                }
            }
            assertSameList(seed, actual, expected);
            assertThat(levels).allMatch(level -> level >= 0 && level < Math.max(runs.size(), 1));
        }
    }

    @Test
    void testWideRowsMakeSmallBatches()
            throws IOException
    {
        MergeRows rows = MergeRows.create(false, false, false);
        String wide = "w".repeat(1 << 20);
        List<Row> even = LongStream.range(0, 40).mapToObj(key -> new Row(key * 2, null, wide, key, RowKind.INSERT)).toList();
        List<Row> odd = LongStream.range(0, 40).mapToObj(key -> new Row(key * 2 + 1, null, wide, key, RowKind.INSERT)).toList();
        for (List<List<Row>> runs : ImmutableList.of(ImmutableList.of(even, odd), ImmutableList.of(even))) {
            int total = 0;
            KeyGroups groups = new KeyGroups();
            try (SortedMergeReader reader = new SortedMergeReader(rows.layout(), keyEncoder(rows), runs.stream().map(run -> new RunInput(rows.stream(run, 4), 0)).toList())) {
                while (reader.nextBatch(groups, 8192)) {
                    assertThat(groups.groupCount()).isBetween(1, 33);
                    total += groups.groupCount();
                }
            }
            assertThat(total).isEqualTo(40 * runs.size());
        }
    }

    @Test
    void testEqualVersionsNewerRunWins()
            throws IOException
    {
        MergeRows rows = MergeRows.create(false, true, false);
        for (int count = 2; count < 9; count++) {
            List<RunInput> runs = new ArrayList<>();
            for (int run = 0; run < count; run++) {
                runs.add(new RunInput(rows.stream(ImmutableList.of(new Row(1, 7L, "run " + run, 42, RowKind.INSERT)), 10), run));
            }
            KeyGroups groups = new KeyGroups();
            try (SortedMergeReader reader = new SortedMergeReader(rows.layout(), keyEncoder(rows), runs)) {
                assertThat(reader.nextBatch(groups, 100)).isTrue();
            }
            assertThat(groups.groupCount()).isEqualTo(1);
            assertThat(rows.row(groups.page(count - 1), groups.position(count - 1)).value()).isEqualTo("run 0");
            assertThat(groups.level(count - 1)).isZero();
            assertThat(rows.row(groups.page(0), groups.position(0)).value()).isEqualTo("run " + (count - 1));
        }
    }

    @Test
    void testStretchOfOneRunIsHandedOnWithoutCopy()
            throws IOException
    {
        MergeRows rows = MergeRows.create(false, false, false);
        Page low = rows.page(ascending(0, 5000));
        Page high = rows.page(ascending(4000, 5000));
        List<RunInput> runs = ImmutableList.of(
                new RunInput(MergeRows.stream(ImmutableList.of(high)), 0),
                new RunInput(MergeRows.stream(ImmutableList.of(low)), 1));
        try (SortedMergeReader reader = new SortedMergeReader(rows.layout(), keyEncoder(rows), runs)) {
            Page run = reader.nextRun(100);
            assertThat(run.getPositionCount()).isEqualTo(4000);
            // a view: it retains what the whole page retains
            assertThat(run.getBlock(0).getRetainedSizeInBytes()).isEqualTo(low.getBlock(0).getRetainedSizeInBytes());

            KeyGroups groups = new KeyGroups();
            int pairs = 0;
            int lone = 0;
            Page rest = null;
            while (rest == null && reader.nextBatch(groups, 64, 100)) {
                for (int group = 0; group < groups.groupCount(); group++) {
                    pairs += groups.end(group) - groups.start(group) == 2 ? 1 : 0;
                    lone += groups.isLoneRow(group) ? 1 : 0;
                }
                rest = reader.nextRun(100);
            }
            assertThat(pairs).isEqualTo(1000);
            // what it took to notice the second stretch
            assertThat(lone).isLessThan(10);
            assertThat(rest.getPositionCount()).isEqualTo(4000 - lone);
            assertThat(reader.nextBatch(groups, 64, 100)).isFalse();
        }
    }

    @Test
    void testMergedStreamAgainstSortedMap()
            throws IOException
    {
        for (int seed = 0; seed < 150; seed++) {
            Random random = new Random(seed);
            MergeRows rows = MergeRows.create(random.nextBoolean(), random.nextBoolean(), random.nextBoolean());
            List<List<Row>> runs = randomRuns(random);
            boolean dropRetracts = random.nextBoolean();
            List<Row> expected = expectedGroups(rows, runs).stream()
                    .map(List::getLast)
                    .filter(row -> !dropRetracts || row.kind().isAdd())
                    .toList();

            List<Row> actual = new ArrayList<>();
            List<RunInput> inputs = inputs(rows, runs, random);
            try (MergingPageStream stream = new MergingPageStream(rows.layout(), keyEncoder(rows), inputs, new DeduplicateMergeFunction(rows.layout(), false), dropRetracts)) {
                for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                    assertThat(page.getPositionCount()).isPositive();
                    actual.addAll(rows.rows(page));
                }
            }
            assertSameList(seed, actual, expected);
        }
    }

    @Test
    void testUnsortedStreamAgainstSortedStream()
            throws IOException
    {
        for (int seed = 0; seed < 150; seed++) {
            Random random = new Random(seed);
            MergeRows rows = MergeRows.create(random.nextBoolean(), random.nextBoolean(), random.nextBoolean());
            List<List<Row>> runs = randomRuns(random);
            boolean lowestLevel = random.nextBoolean();
            VersionRule rule = random.nextInt(3) == 0 ? VersionRule.MERGED : lowestLevel ? VersionRule.NEWEST_OF_LOWEST_LEVEL : VersionRule.NEWEST;
            MergeFunction deduplicate = new DeduplicateMergeFunction(rows.layout(), rule == VersionRule.MERGED && random.nextBoolean());
            MergeFunction function = lowestLevel ? new LookupMergeFunction(deduplicate) : deduplicate;

            List<Row> expected = new ArrayList<>();
            try (MergingPageStream stream = new MergingPageStream(rows.layout(), keyEncoder(rows), inputs(rows, runs, random), function, true)) {
                for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                    expected.addAll(rows.rows(page));
                }
            }
            int[] channels = IntStream.range(0, rows.layout().channelCount()).toArray();
            ScanCounters counters = new ScanCounters();
            List<Row> actual = new ArrayList<>();
            try (UnsortedMergePageStream stream = new UnsortedMergePageStream(rows.layout(), keyEncoder(rows), inputs(rows, runs, random), function, rule, channels, counters)) {
                for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                    assertThat(page.getPositionCount()).isPositive();
                    actual.addAll(rows.rows(page));
                }
                assertThat(stream.memoryUsage()).isZero();
            }
            actual.sort(comparing(Row::key));
            assertSameList(seed, actual, expected);
            assertThat(counters.supersededRows()).isEqualTo(runs.stream().mapToInt(List::size).sum() - expectedGroups(rows, runs).size());
        }
    }

    @Test
    void testUnsortedStreamPassesPagesOn()
            throws IOException
    {
        MergeRows rows = MergeRows.create(false, false, false);
        Page low = rows.page(ascending(0, 5000));
        Page high = rows.page(ascending(10_000, 5000));
        Page few = rows.page(ImmutableList.of(new Row(12_000, null, "newest", 99_999, RowKind.INSERT)));
        List<RunInput> runs = ImmutableList.of(
                new RunInput(MergeRows.stream(ImmutableList.of(few)), 0),
                new RunInput(MergeRows.stream(ImmutableList.of(low, high)), 1));
        int[] channels = IntStream.range(0, rows.layout().channelCount()).toArray();
        MergeFunction function = new DeduplicateMergeFunction(rows.layout(), false);
        try (UnsortedMergePageStream stream = new UnsortedMergePageStream(rows.layout(), keyEncoder(rows), runs, function, VersionRule.NEWEST, channels, new ScanCounters())) {
            assertThat(stream.nextPage().getBlock(0)).isSameAs(low.getBlock(0));
            assertThat(rows.rows(stream.nextPage())).extracting(Row::value).containsExactly("newest");
            assertThat(stream.nextPage().getPositionCount()).isEqualTo(4999);
            assertThat(stream.nextPage()).isNull();
        }
    }

    // names the first difference instead of printing both lists
    private static <T> void assertSameList(int seed, List<T> actual, List<T> expected)
    {
        for (int i = 0; i < Math.min(actual.size(), expected.size()); i++) {
            if (!actual.get(i).equals(expected.get(i))) {
                assertThat(actual.get(i)).as("seed %s, element %s", seed, i).isEqualTo(expected.get(i));
            }
        }
        assertThat(actual.size()).as("seed %s", seed).isEqualTo(expected.size());
    }

    private static List<Row> ascending(int first, int count)
    {
        List<Row> rows = new ArrayList<>();
        for (int key = first; key < first + count; key++) {
            rows.add(new Row(key, null, "v" + key, key, RowKind.INSERT));
        }
        return rows;
    }

    private static List<List<Row>> randomRuns(Random random)
    {
        int runCount = random.nextInt(10);
        // from many versions a key to runs that hardly meet
        int keySpace = 5 << random.nextInt(12);
        List<List<Row>> runs = new ArrayList<>();
        for (int run = 0; run < runCount; run++) {
            int first = random.nextInt(keySpace);
            int span = 1 + random.nextInt(keySpace);
            int wanted = random.nextInt(random.nextBoolean() ? 20 : 1000);
            TreeMap<Long, Row> sorted = new TreeMap<>();
            for (int i = 0; i < wanted; i++) {
                long key = first + random.nextInt(span);
                sorted.put(key, new Row(
                        key,
                        random.nextInt(4) == 0 ? null : Long.valueOf(random.nextInt(3)),
                        random.nextInt(5) == 0 ? null : "r" + run + "-" + i,
                        random.nextInt(5),
                        RowKind.fromValue((byte) random.nextInt(4))));
            }
            runs.add(new ArrayList<>(sorted.values()));
        }
        return runs;
    }

    private static List<List<Row>> expectedGroups(MergeRows rows, List<List<Row>> runs)
    {
        TreeMap<Long, List<Row>> byKey = new TreeMap<>();
        // older runs first, and a stable sort: the newest run is last among equals
        for (List<Row> run : runs.reversed()) {
            run.forEach(row -> byKey.computeIfAbsent(row.key(), _ -> new ArrayList<>()).add(row));
        }
        Comparator<Row> order = comparing(Row::sequence);
        if (!rows.layout().sequenceFieldChannels().isEmpty()) {
            Comparator<Long> values = rows.layout().sequenceFieldDescending() ? reverseOrder() : naturalOrder();
            order = comparing(Row::field, nullsFirst(values)).thenComparing(order);
        }
        for (List<Row> versions : byKey.values()) {
            versions.sort(order);
        }
        return new ArrayList<>(byKey.values());
    }

    private static SortedMergeReader reader(MergeRows rows, List<List<Row>> runs, Random random)
    {
        return new SortedMergeReader(rows.layout(), keyEncoder(rows), inputs(rows, runs, random));
    }

    private static List<RunInput> inputs(MergeRows rows, List<List<Row>> runs, Random random)
    {
        ImmutableList.Builder<RunInput> inputs = ImmutableList.builder();
        for (int run = 0; run < runs.size(); run++) {
            inputs.add(new RunInput(rows.stream(runs.get(run), 1 + random.nextInt(random.nextBoolean() ? 7 : 3000)), run));
        }
        return inputs.build();
    }

    private static KeyEncoder keyEncoder(MergeRows rows)
    {
        return KeyEncoder.forKeys(ImmutableList.of(rows.layout().columns().getFirst().type()));
    }
}
