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

import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lookup.LookupFiles.Row;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupCompression;
import io.lookup.storage.lookup.local.LookupFileSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static io.lookup.storage.lookup.LookupFiles.Row.deletion;
import static io.lookup.storage.lookup.LookupFiles.Row.row;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lookup through all levels, of whole records and of keys alone, in the files and in copies on a disk that does not hold all of them.
 */
final class TestLookupLevels
{
    private static final long NEVER = 600_000;

    @TempDir
    private Path directory;

    private final ProbeKeys probes = new ProbeKeys();
    private final LookupHits hits = new LookupHits();
    private final LookupStatistics statistics = new LookupStatistics();

    private enum Kind
    {
        RECORDS, KEYS, RECORDS_OF_COPIES, KEYS_OF_COPIES;

        private boolean hasRecords()
        {
            return this == RECORDS || this == RECORDS_OF_COPIES;
        }

        private KeyLookup open(LookupFiles files, LocalLookupFiles copies)
        {
            return switch (this) {
                case RECORDS -> files.lookup();
                case KEYS -> files.lookupOfKeys();
                case RECORDS_OF_COPIES -> files.localLookup(copies);
                case KEYS_OF_COPIES -> files.localLookupOfKeys(copies);
            };
        }
    }

    /**
     * The whole record is found: its number, its kind and its level, of which the lowest one counts.
     */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void testKeysOfSeveralLevels(Kind kind)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(2, false);
        DataFileMeta low = files.add(1, row(10, 1).withSequence(41), deletion(30, 3).withSequence(42), row(50, 5).withSequence(43));
        DataFileMeta middle = files.add(3, row(20, 2).withSequence(31), row(30, 33).withSequence(32), row(50, 55).withSequence(33));
        DataFileMeta high = files.add(5, row(50, 555).withSequence(21), row(60, 6).withSequence(22));
        try (LocalLookupFiles copies = copies(Long.MAX_VALUE)) {
            try (KeyLookup lookup = kind.open(files, copies)) {
                lookup(files, lookup, 10, 20, 25, 30, 50, 60, 61);
                assertThat(IntStream.range(0, 7).filter(hits::found)).containsExactly(0, 1, 3, 4, 5);
                assertThat(IntStream.of(0, 1, 3, 4, 5).mapToObj(hits::fileName))
                        .containsExactly(low.fileName(), middle.fileName(), low.fileName(), low.fileName(), high.fileName());
                assertThat(IntStream.of(0, 1, 3, 4, 5).map(hits::level)).containsExactly(1, 3, 1, 1, 5);
                if (kind.hasRecords()) {
                    assertThat(IntStream.of(0, 1, 3, 4, 5).mapToObj(probe -> files.values(hits, probe).getLast())).containsExactly(1, 2, 3, 5, 6);
                    assertThat(IntStream.of(0, 1, 3, 4, 5).mapToLong(probe -> files.sequence(hits, probe))).containsExactly(41L, 31L, 42L, 43L, 22L);
                    assertThat(IntStream.of(0, 1, 3, 4, 5).mapToObj(probe -> files.kind(hits, probe)))
                            .containsExactly(RowKind.INSERT, RowKind.INSERT, RowKind.DELETE, RowKind.INSERT, RowKind.INSERT);
                }
            }
            assertThat(files.open()).isEmpty();
            assertThat(copies.getFileCount()).isEqualTo(kind.name().endsWith("COPIES") ? 3 : 0);
        }
    }

    /**
     * Between files that lie beside each other there is nothing, and the file that a key falls into is the only one that is opened for it.
     */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void testFilesBesideEachOther(Kind kind)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, false);
        List<DataFileMeta> level = new ArrayList<>();
        for (int key = 0; key < 50; key += 10) {
            level.add(files.add(2, row(key, key), row(key + 4, key + 4)));
        }
        try (LocalLookupFiles copies = copies(Long.MAX_VALUE)) {
            for (int key = -5; key < 60; key++) {
                try (KeyLookup lookup = kind.open(files, copies)) {
                    lookup(files, lookup, key);
                    boolean there = key >= 0 && key < 50 && (key % 10 == 0 || key % 10 == 4);
                    assertThat(hits.found(0)).as("key %s", key).isEqualTo(there);
                    if (there) {
                        assertThat(hits.fileName(0)).isEqualTo(level.get(key / 10).fileName());
                        assertThat(files.key(hits, 0)).containsExactly(key);
                    }
                }
                assertThat(files.opened()).hasSizeLessThanOrEqualTo(key < 0 ? 0 : Math.min(5, key / 10 + 1));
            }
        }
    }

    /**
     * A level that holds nothing is passed over, and so is one whose row is deleted.
     */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void testEmptyLevels(Kind kind)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, false);
        files.addEmptyLevel();
        DataFileMeta low = files.add(2, row(1, 11), row(3, 33), row(5, 5));
        files.addEmptyLevel();
        DataFileMeta high = files.add(4, row(2, 22), row(3, 44), row(5, 55));
        files.delete(low, 1);
        files.delete(high, 2);
        try (LocalLookupFiles copies = copies(Long.MAX_VALUE); KeyLookup lookup = kind.open(files, copies)) {
            lookup(files, lookup, 1, 2, 3, 5);
            assertThat(IntStream.range(0, 4).mapToObj(hits::fileName)).containsExactly(low.fileName(), high.fileName(), high.fileName(), low.fileName());
        }
    }

    /**
     * Copies make way for others while statements look through the levels, and what is found stays the same.
     */
    @ParameterizedTest
    @EnumSource(value = Kind.class, names = {"RECORDS_OF_COPIES", "KEYS_OF_COPIES"})
    void testDiskHoldsFewCopies(Kind kind)
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(30, false);
        int filesOfALevel = 6;
        int rowsOfAFile = 80;
        // odd keys are in level 2 too, where every third row is deleted
        for (int level = 2; level < 4; level++) {
            for (int file = 0; file < filesOfALevel; file++) {
                int current = level;
                int first = file * rowsOfAFile * 2;
                DataFileMeta added = files.add(level, IntStream.range(0, rowsOfAFile).mapToObj(row -> row(first + 2 * row + (current == 2 ? 1 : row % 2), current)).toArray(Row[]::new));
                if (level == 2) {
                    IntStream.range(0, rowsOfAFile).filter(row -> row % 3 == 0).forEach(row -> files.delete(added, row));
                }
            }
        }
        long size;
        try (LocalLookupFiles copies = copies(Long.MAX_VALUE); KeyLookup lookup = kind.open(files, copies)) {
            lookup(files, lookup, 1);
            // the row of level 2 is deleted
            assertThat(copies.getFileCount()).isEqualTo(2);
            size = copies.getDiskBytes() / 2;
        }
        deleteCopies();
        long bound = 3 * size + size / 2;
        try (LocalLookupFiles copies = copies(bound)) {
            for (int batch : new int[] {1, 7, 100, 1000}) {
                for (int round = 0; round < 2; round++) {
                    try (KeyLookup lookup = kind.open(files, copies)) {
                        for (int start = 0; start < filesOfALevel * rowsOfAFile * 2; start += batch) {
                            checkBatch(files, lookup, kind, start, batch, rowsOfAFile);
                            assertThat(copies.getDiskBytes()).isLessThanOrEqualTo(bound);
                        }
                    }
                    assertThat(files.open()).isEmpty();
                    assertThat(copies.getFileCount()).isPositive().isLessThanOrEqualTo(4);
                    assertThat(copiesOnDisk()).hasSize(copies.getFileCount());
                }
            }
            assertThat(statistics.getFilesEvicted().getTotalCount()).isGreaterThan(filesOfALevel);
        }
        // the disk holds none: the files themselves are looked into
        try (LocalLookupFiles copies = copies(0); KeyLookup lookup = kind.open(files, copies)) {
            checkBatch(files, lookup, kind, 0, filesOfALevel * rowsOfAFile * 2, rowsOfAFile);
            assertThat(copiesOnDisk()).isEmpty();
        }
        assertThat(files.open()).isEmpty();
    }

    private void checkBatch(LookupFiles files, KeyLookup lookup, Kind kind, int start, int batch, int rowsOfAFile)
            throws IOException
    {
        lookup(files, lookup, IntStream.range(start, start + batch).toArray());
        for (int probe = 0; probe < batch; probe++) {
            int key = start + probe;
            int row = key / 2 % rowsOfAFile;
            boolean inLow = key < 960 && key % 2 == 1 && row % 3 != 0;
            boolean inHigh = key < 960 && key % 2 == row % 2;
            assertThat(hits.found(probe)).as("key %s", key).isEqualTo(inLow || inHigh);
            if (inLow || inHigh) {
                assertThat(hits.level(probe)).as("key %s", key).isEqualTo(inLow ? 2 : 3);
                assertThat(files.key(hits, probe)).containsExactly(key);
                if (kind.hasRecords()) {
                    assertThat(files.values(hits, probe).getLast()).as("key %s", key).isEqualTo(inLow ? 2 : 3);
                }
            }
        }
    }

    /**
     * A copy of whole records and one of keys alone are two, of one data file.
     */
    @Test
    void testCopiesOfBothKinds()
            throws IOException
    {
        LookupFiles files = LookupFiles.ofIntegers(10, false);
        files.add(1, row(1, 7), row(2, 8));
        try (LocalLookupFiles copies = copies(Long.MAX_VALUE)) {
            for (int round = 0; round < 2; round++) {
                for (Kind kind : List.of(Kind.KEYS_OF_COPIES, Kind.RECORDS_OF_COPIES)) {
                    try (KeyLookup lookup = kind.open(files, copies)) {
                        lookup(files, lookup, 0, 2);
                        assertThat(hits.found(0)).isFalse();
                        assertThat(hits.found(1)).isTrue();
                        if (kind.hasRecords()) {
                            assertThat(files.values(hits, 1)).isEqualTo(List.of(2, 8));
                        }
                    }
                }
                assertThat(copies.getFileCount()).isEqualTo(2);
                assertThat(files.openings()).isEqualTo(2);
            }
        }
    }

    private LocalLookupFiles copies(long bound)
    {
        return new LocalLookupFiles(new LookupFileSettings(directory, bound, 4_000, NEVER, LookupCompression.LZ4, 256), statistics);
    }

    private List<Path> copiesOnDisk()
            throws IOException
    {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".lookup")).toList();
        }
    }

    private void deleteCopies()
            throws IOException
    {
        copiesOnDisk().forEach(file -> {
            try {
                Files.delete(file);
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void lookup(LookupFiles files, KeyLookup lookup, int... keys)
            throws IOException
    {
        files.probe(probes, IntStream.of(keys).mapToObj(key -> row(key, 0)).toList());
        lookup.lookup(probes, hits);
    }
}
