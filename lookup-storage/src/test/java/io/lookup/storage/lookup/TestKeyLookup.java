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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lookup.LookupFiles.Row;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

import static io.lookup.storage.lookup.LookupFiles.Row.deletion;
import static io.lookup.storage.lookup.LookupFiles.Row.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Large files and small ones are read in different ways, which must not be seen in what is found.
 */
final class TestKeyLookup
{
    private final ProbeKeys probes = new ProbeKeys();
    private final LookupHits hits = new LookupHits();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testLowestLevelWins(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(2, large);
        DataFileMeta low = files.add(1, row(1, 11), row(3, 33), row(5, 5));
        DataFileMeta high = files.add(2, row(2, 22), row(5, 55), row(6, 66));
        try (KeyLookup lookup = files.lookup()) {
            assertThat(lookup.isEmpty()).isFalse();
            lookup(files, lookup, 1, 2, 4, 5, 6, 7);
            assertFound(files, 0, low, 1, 11);
            assertFound(files, 1, high, 2, 22);
            assertThat(hits.found(2)).isFalse();
            assertFound(files, 3, low, 5, 5);
            assertFound(files, 4, high, 6, 66);
            assertThat(hits.found(5)).isFalse();
        }
        assertThat(files.open()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testFilesOfALevel(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, large);
        List<DataFileMeta> level = new ArrayList<>();
        for (int key = 1; key <= 10; key += 3) {
            level.add(files.add(1, row(key, 10 * key), row(key + 1, 10 * key + 10)));
        }
        try (KeyLookup lookup = files.lookup()) {
            lookup(files, lookup, IntStream.rangeClosed(0, 12).toArray());
            for (int key = 0; key <= 12; key++) {
                if (key % 3 == 0) {
                    assertThat(hits.found(key)).as("key %s", key).isFalse();
                }
                else {
                    assertFound(files, key, level.get(key / 3), key, 10 * key);
                }
            }
        }
        assertThat(files.open()).isEmpty();
    }

    /**
     * Bounds are keys that a file holds; what lies between files is in none of them.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testFilesWithoutAProbeStayClosed(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, large);
        files.add(1, row(10, 1), row(20, 1));
        DataFileMeta second = files.add(1, row(30, 1), row(40, 1));
        files.add(1, row(50, 1), row(60, 1));
        try (KeyLookup lookup = files.lookup()) {
            lookup(files, lookup, 9, 21, 29, 41, 49, 61);
            assertThat(IntStream.range(0, 6).filter(hits::found)).isEmpty();
            assertThat(files.opened()).isEmpty();
        }
        try (KeyLookup lookup = files.lookup()) {
            lookup(files, lookup, 25, 30, 45);
            assertFound(files, 1, second, 30, 1);
            assertThat(files.opened()).containsExactly(second.fileName());
        }
        try (KeyLookup lookup = files.lookup()) {
            lookup(files, lookup, 40);
            assertFound(files, 0, second, 40, 1);
            assertThat(files.opened()).containsExactly(second.fileName());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testSearchEndsWhereAllIsFound(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, large);
        DataFileMeta low = files.add(1, row(1, 1), row(2, 2), row(3, 3));
        DataFileMeta high = files.add(4, row(1, 10), row(9, 90));
        try (KeyLookup lookup = files.lookup()) {
            lookup(files, lookup, 1, 3);
            assertFound(files, 0, low, 1, 1);
            assertFound(files, 1, low, 3, 3);
            assertThat(files.opened()).containsExactly(low.fileName());
            lookup(files, lookup, 4, 9);
            assertThat(hits.found(0)).isFalse();
            assertFound(files, 1, high, 9, 90);
        }
        assertThat(files.open()).isEmpty();
    }

    /**
     * A record that says that its key is deleted is that key's state, and hides what lies above it.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testRecordOfADeleteIsFound(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, large);
        DataFileMeta low = files.add(2, deletion(1, 5), row(2, 6));
        files.add(3, row(1, 50), row(2, 60));
        try (KeyLookup lookup = files.lookup()) {
            lookup(files, lookup, 1, 2);
            assertFound(files, 0, low, 1, 5);
            assertThat(files.kind(hits, 0)).isEqualTo(RowKind.DELETE);
            assertThat(files.kind(hits, 1)).isEqualTo(RowKind.INSERT);
        }
    }

    /**
     * A row that a deletion vector names is not there: its key is looked for further up, and the other rows keep their positions.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testDeletedRowsAndPositions(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(2, large);
        DataFileMeta low = files.add(2, row(1, 1), row(2, 2), row(3, 3), row(4, 4), row(5, 5));
        DataFileMeta high = files.add(3, row(0, 0), row(2, 20));
        files.delete(low, 1);
        files.delete(low, 3);
        try (KeyLookup lookup = files.lookupWithPositions()) {
            lookup(files, lookup, 0, 1, 2, 3, 4, 5);
            assertFound(files, 0, high, 0, 0);
            assertThat(hits.rowPosition(0)).isZero();
            assertFound(files, 1, low, 1, 1);
            assertThat(hits.rowPosition(1)).isZero();
            assertFound(files, 2, high, 2, 20);
            assertThat(hits.rowPosition(2)).isEqualTo(1);
            assertFound(files, 3, low, 3, 3);
            assertThat(hits.rowPosition(3)).isEqualTo(2);
            assertThat(hits.found(4)).isFalse();
            assertFound(files, 5, low, 5, 5);
            assertThat(hits.rowPosition(5)).isEqualTo(4);
        }
        assertThat(files.open()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testFileWhoseRowsAreAllDeleted(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(2, large);
        DataFileMeta low = files.add(1, row(1, 1), row(2, 2));
        files.delete(low, 0);
        files.delete(low, 1);
        try (KeyLookup lookup = files.lookup()) {
            lookup(files, lookup, 1);
            assertThat(hits.found(0)).isFalse();
            lookup(files, lookup, 2);
            assertThat(hits.found(0)).isFalse();
        }
        assertThat(files.open()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testOnlyKeys(boolean large)
            throws IOException
    {
        List<DataField> columns = ImmutableList.of(
                new DataField(0, "v", new ScalarType(TypeRoot.INTEGER, 0, 0, true)),
                new DataField(1, "b", new ScalarType(TypeRoot.INTEGER, 0, 0, false)),
                new DataField(2, "a", LookupFiles.varchar()));
        LookupFiles files = new LookupFiles(columns, ImmutableList.of(2, 1), 1, large);
        files.add(1, row(7, 1, "x"), row(8, 2, "x"), row(9, -1, "y"));
        try (KeyLookup lookup = files.lookupOfKeys()) {
            files.probe(probes, ImmutableList.of(row(0, 1, "x"), row(0, 3, "x"), row(0, -1, "y"), row(0, 2, "y")));
            lookup.lookup(probes, hits);
            assertThat(IntStream.range(0, 4).filter(hits::found)).containsExactly(0, 2);
        }
        assertThat(files.open()).isEmpty();
    }

    @Test
    void testNothingToFind()
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, false);
        try (KeyLookup lookup = files.lookup()) {
            assertThat(lookup.isEmpty()).isTrue();
            lookup(files, lookup, 1, 2);
            assertThat(hits.found(0) || hits.found(1)).isFalse();
        }
        files.addEmptyLevel();
        DataFileMeta file = files.add(2, row(1, 1));
        files.addEmptyLevel();
        try (KeyLookup lookup = files.lookup()) {
            lookup(files, lookup);
            assertThat(files.opened()).isEmpty();
            lookup(files, lookup, 1, 2);
            assertFound(files, 0, file, 1, 1);
            assertThat(hits.found(1)).isFalse();
        }
        assertThat(files.open()).isEmpty();
    }

    @Test
    void testOverlap()
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, false);
        files.add(1, row(10, 1), row(20, 1));
        files.add(1, row(30, 1), row(40, 1));
        files.add(3, row(100, 1), row(200, 1));
        try (KeyLookup lookup = files.lookup()) {
            assertThat(overlaps(files, lookup, -5, 9)).isFalse();
            assertThat(overlaps(files, lookup, -5, 10)).isTrue();
            assertThat(overlaps(files, lookup, 12, 13)).isTrue();
            assertThat(overlaps(files, lookup, 20, 25)).isTrue();
            assertThat(overlaps(files, lookup, 21, 29)).isFalse();
            assertThat(overlaps(files, lookup, 41, 99)).isFalse();
            assertThat(overlaps(files, lookup, 41, 300)).isTrue();
            assertThat(overlaps(files, lookup, 201, 300)).isFalse();
        }
        assertThat(files.opened()).isEmpty();
    }

    /**
     * What was found in a page of which little else is wanted must not hold the page.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testFewHitsAreCopied(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(1000, large);
        Row[] rows = IntStream.range(0, 3000).mapToObj(key -> row(2 * key, key)).toArray(Row[]::new);
        DataFileMeta file = files.add(1, rows);
        try (KeyLookup lookup = files.lookup()) {
            // few rows of the first page, most of the second, one of the third
            int[] keys = IntStream.concat(IntStream.of(0, 1, 700, 1998), IntStream.range(1000, 1900).map(key -> 2 * key)).toArray();
            int[] sorted = IntStream.concat(IntStream.of(keys), IntStream.of(5998)).toArray();
            lookup(files, lookup, sorted);
            for (int probe = 0; probe < sorted.length; probe++) {
                if (sorted[probe] == 1) {
                    assertThat(hits.found(probe)).isFalse();
                }
                else {
                    assertFound(files, probe, file, sorted[probe], sorted[probe] / 2);
                }
            }
            assertThat(hits.page(0).getPositionCount()).isLessThan(1000);
            assertThat(hits.page(2).getPositionCount()).isLessThan(1000);
            assertThat(hits.page(sorted.length - 1).getPositionCount()).isLessThan(1000);
        }
    }

    /**
     * Many batches, the ends of which meet the ends of pages and files.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testBatchesAscend(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(3, large);
        List<DataFileMeta> level = new ArrayList<>();
        for (int start = 0; start < 100; start += 10) {
            int first = start;
            level.add(files.add(1, IntStream.range(0, 10).mapToObj(offset -> row(first + offset, first + offset)).toArray(Row[]::new)));
        }
        for (int batch : new int[] {1, 2, 3, 7, 10, 11, 30, 100}) {
            try (KeyLookup lookup = files.lookup()) {
                for (int start = 0; start < 110; start += batch) {
                    int first = start;
                    lookup(files, lookup, IntStream.range(0, batch).map(offset -> first + offset).toArray());
                    for (int probe = 0; probe < batch; probe++) {
                        int key = start + probe;
                        assertThat(hits.found(probe)).as("key %s in batches of %s", key, batch).isEqualTo(key < 100);
                        if (key < 100) {
                            assertFound(files, probe, level.get(key / 10), key, key);
                        }
                    }
                    // behind their last key, files are not kept open
                    assertThat(files.open().size()).as("batches of %s", batch).isLessThanOrEqualTo(1);
                }
            }
            assertThat(files.open()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testFileThatCannotBeOpened(boolean large)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, large);
        files.add(1, row(1, 1), row(9, 9));
        DataFileMeta broken = files.add(2, row(2, 2), row(8, 8));
        files.breakFile(broken);
        try (KeyLookup lookup = files.lookup()) {
            assertThatThrownBy(() -> lookup(files, lookup, 1, 5))
                    .isInstanceOf(IOException.class)
                    .hasMessage(broken.fileName() + " is broken");
        }
        assertThat(files.open()).isEmpty();
    }

    /**
     * Keys that begin alike for longer than what is compared first.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testLongTexts(boolean large)
            throws IOException
    {
        List<DataField> columns = ImmutableList.of(
                new DataField(0, "a", LookupFiles.varchar()),
                new DataField(1, "b", LookupFiles.varchar()),
                new DataField(2, "v", new ScalarType(TypeRoot.INTEGER, 0, 0, true)));
        LookupFiles files = new LookupFiles(columns, ImmutableList.of(0, 1), 2, large);
        DataFileMeta file = files.add(1, row("", "", 1), row("same beginning", "", 2), row("same beginning", "1", 3), row("same beginning1", "", 4), row("same beginning\uFFFF", "x", 5), row("same beginning\uD83D\uDE00", "x", 6));
        try (KeyLookup lookup = files.lookup()) {
            List<Row> keys = ImmutableList.of(row("", "", 0), row("", "a", 0), row("same", "beginning", 0), row("same beginning", "", 0), row("same beginning", "0", 0), row("same beginning", "1", 0), row("same beginning1", "", 0), row("same beginning\uFFFF", "x", 0), row("same beginning\uD83D\uDE00", "x", 0));
            files.probe(probes, keys);
            lookup.lookup(probes, hits);
            Map<Integer, Integer> found = new HashMap<>();
            IntStream.range(0, keys.size()).filter(hits::found).forEach(probe -> found.put(probe, (Integer) files.values(hits, probe).getLast()));
            assertThat(found).isEqualTo(Map.of(0, 1, 3, 2, 5, 3, 6, 4, 7, 5, 8, 6));
            assertThat(hits.fileName(8)).isEqualTo(file.fileName());
        }
    }

    /**
     * Types whose values the reader can prune by, and such that it cannot.
     */
    @ParameterizedTest
    @ValueSource(strings = {"DOUBLE", "FLOAT", "CHAR", "DATE", "DECIMAL", "TIMESTAMP", "VARBINARY"})
    void testKeysOfOtherTypes(String root)
            throws IOException
    {
        Map<String, List<Object>> ascending = Map.of(
                "DOUBLE", List.of(Double.NEGATIVE_INFINITY, -1.5, 0.0, 2.5, Double.POSITIVE_INFINITY, Double.NaN),
                "FLOAT", List.of(Float.NEGATIVE_INFINITY, -1.5f, 0.0f, 2.5f, Float.POSITIVE_INFINITY, Float.NaN),
                "CHAR", List.of("", "a", "ab", "b", "é"),
                "DATE", List.of(LocalDate.of(1, 1, 1), LocalDate.of(1969, 12, 31), LocalDate.of(1970, 1, 1), LocalDate.of(9999, 12, 31)),
                "DECIMAL", List.of(new BigDecimal("-99.99"), new BigDecimal("-0.01"), new BigDecimal("0.00"), new BigDecimal("0.01"), new BigDecimal("99.99")),
                "TIMESTAMP", List.of(LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_000_000), LocalDateTime.of(1970, 1, 1, 0, 0), LocalDateTime.of(2024, 3, 10, 2, 30, 0, 1_000_000)),
                "VARBINARY", List.of(new byte[0], new byte[] {1}, new byte[] {127}, new byte[] {-128}, new byte[] {-1}));
        int precision = switch (root) {
            case "CHAR" -> 4;
            case "DECIMAL" -> 4;
            case "TIMESTAMP" -> 3;
            case "VARBINARY" -> 10;
            default -> 0;
        };
        List<DataField> columns = ImmutableList.of(
                new DataField(3, "k", new ScalarType(TypeRoot.valueOf(root), precision, root.equals("DECIMAL") ? 2 : 0, false)),
                new DataField(1, "v", new ScalarType(TypeRoot.INTEGER, 0, 0, true)));
        for (boolean large : new boolean[] {false, true}) {
            LookupFiles files = new LookupFiles(columns, ImmutableList.of(0), 2, large);
            List<Object> values = ascending.get(root);
            List<Row> rows = IntStream.range(0, values.size()).mapToObj(index -> row(values.get(index), index)).toList();
            files.add(1, rows.toArray(Row[]::new));
            try (KeyLookup lookup = files.lookup()) {
                for (Row row : rows) {
                    files.probe(probes, ImmutableList.of(row));
                    lookup.lookup(probes, hits);
                    assertThat(hits.found(0)).as("%s", row).isTrue();
                    assertThat(files.values(hits, 0).getLast()).isEqualTo(row.values().getLast());
                }
            }
            try (KeyLookup lookup = files.lookup()) {
                files.probe(probes, rows);
                lookup.lookup(probes, hits);
                assertThat(IntStream.range(0, rows.size()).filter(hits::found)).hasSize(rows.size());
            }
        }
    }

    /**
     * As keys, the two zeros are one.
     */
    @ParameterizedTest
    @ValueSource(strings = {"DOUBLE", "FLOAT"})
    void testZeros(String root)
            throws IOException
    {
        List<DataField> columns = ImmutableList.of(new DataField(0, "k", new ScalarType(TypeRoot.valueOf(root), 0, 0, false)));
        List<Object> zeros = root.equals("DOUBLE") ? ImmutableList.of(0.0, -0.0) : ImmutableList.of(0.0f, -0.0f);
        for (boolean large : new boolean[] {false, true}) {
            for (Object stored : zeros) {
                LookupFiles files = new LookupFiles(columns, ImmutableList.of(0), 2, large);
                files.add(1, row(stored));
                for (Object probed : zeros) {
                    try (KeyLookup lookup = files.lookup()) {
                        files.probe(probes, ImmutableList.of(row(probed)));
                        lookup.lookup(probes, hits);
                        assertThat(hits.found(0)).as("%s is %s", probed, stored).isTrue();
                        assertThat(files.values(hits, 0)).containsExactly(stored);
                    }
                }
            }
        }
    }

    /**
     * More keys in a batch than a reader could be told one by one.
     */
    @Test
    void testLargeBatchOfAFarLargerFile()
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(100, true);
        DataFileMeta file = files.add(1, IntStream.range(-3000, 3000).mapToObj(key -> row(key, -key)).toArray(Row[]::new));
        try (KeyLookup lookup = files.lookup()) {
            int[] keys = IntStream.range(-4000, 4000).filter(key -> key % 3 != 0).toArray();
            lookup(files, lookup, keys);
            for (int probe = 0; probe < keys.length; probe++) {
                boolean there = keys[probe] >= -3000 && keys[probe] < 3000;
                assertThat(hits.found(probe)).isEqualTo(there);
                if (there) {
                    assertFound(files, probe, file, keys[probe], -keys[probe]);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testAgainstSortedMaps(boolean large)
            throws IOException
    {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            LookupFiles files = LookupFiles.ofIntegers(1 + random.nextInt(8), large);
            int keySpace = 10 + random.nextInt(60);
            TreeMap<Integer, List<Object>> expected = new TreeMap<>();
            for (int level = 1; level < 4; level++) {
                addLevel(files, level, random, keySpace, expected);
            }
            try (KeyLookup lookup = files.lookupWithPositions()) {
                TreeSet<Integer> keys = new TreeSet<>();
                for (int count = random.nextInt(keySpace); count > 0; count--) {
                    keys.add(random.nextInt(keySpace + 4) - 2);
                }
                List<Integer> remaining = new ArrayList<>(keys);
                while (!remaining.isEmpty()) {
                    List<Integer> batch = remaining.subList(0, 1 + random.nextInt(remaining.size()));
                    lookup(files, lookup, batch.stream().mapToInt(Integer::intValue).toArray());
                    for (int probe = 0; probe < batch.size(); probe++) {
                        List<Object> state = expected.get(batch.get(probe));
                        assertThat(hits.found(probe)).as("seed %s, key %s", seed, batch.get(probe)).isEqualTo(state != null);
                        if (state != null) {
                            assertThat(ImmutableList.of(files.values(hits, probe).getLast(), hits.level(probe), hits.rowPosition(probe))).as("seed %s", seed).isEqualTo(state);
                        }
                    }
                    batch.clear();
                }
            }
            assertThat(files.open()).isEmpty();
        }
    }

    private static void addLevel(LookupFiles files, int level, Random random, int keySpace, TreeMap<Integer, List<Object>> expected)
    {
        List<Row> rows = new ArrayList<>();
        for (int key = 0; key < keySpace; key++) {
            if (random.nextInt(3) == 0) {
                rows.add(row(key, random.nextInt()));
            }
        }
        while (!rows.isEmpty()) {
            List<Row> fileRows = rows.subList(0, 1 + random.nextInt(rows.size()));
            DataFileMeta file = files.add(level, fileRows.toArray(Row[]::new));
            for (int position = 0; position < fileRows.size(); position++) {
                if (random.nextInt(8) == 0) {
                    files.delete(file, position);
                }
                else {
                    Row row = fileRows.get(position);
                    expected.putIfAbsent((Integer) row.values().getFirst(), ImmutableList.of(row.values().getLast(), level, (long) position));
                }
            }
            fileRows.clear();
        }
    }

    private static boolean overlaps(LookupFiles files, KeyLookup lookup, int min, int max)
    {
        return lookup.overlaps(files.file("other", 0, row(min, 0), row(max, 0), 2));
    }

    private void lookup(LookupFiles files, KeyLookup lookup, int... keys)
            throws IOException
    {
        files.probe(probes, IntStream.of(keys).mapToObj(key -> row(key, 0)).toList());
        lookup.lookup(probes, hits);
    }

    private void assertFound(LookupFiles files, int probe, DataFileMeta file, Object... values)
    {
        assertThat(hits.found(probe)).as("probe %s", probe).isTrue();
        assertThat(files.values(hits, probe)).isEqualTo(List.of(values));
        assertThat(hits.fileName(probe)).isEqualTo(file.fileName());
        assertThat(hits.level(probe)).isEqualTo(file.level());
    }
}
