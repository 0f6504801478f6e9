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
package io.lookup.storage.lookup.local;

import io.airlift.slice.Slice;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.ProbeKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import static java.nio.file.Files.readAllBytes;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What lookup files give back of random rows.
 */
final class TestLookupFileContent
{
    private static final LookupCompression[] COMPRESSIONS = LookupCompression.values();
    private static final int FILES = Integer.getInteger("lookup.files", 60);

    @TempDir
    private Path directory;

    @Test
    void testFindsWhatAMapFinds()
            throws IOException
    {
        for (int seed = 0; seed < FILES; seed++) {
            Random random = new Random(seed);
            LookupRows rows = new LookupRows(random, 1 + random.nextInt(seed % 10 == 0 ? 20_000 : 600));
            DeletionVector deleted = random.nextBoolean() ? DeletionVector.EMPTY : DeletionVector.of(random.longs(10, 0, rows.count()).sorted().distinct().toArray());
            try (LocalLookupFiles files = new LocalLookupFiles(settings(random, seed), new LookupStatistics());
                    FileLookup lookup = files.build(rows.id("data-" + seed + ".parquet"), Optional.empty(), rows::open, deleted, TestLookupFileContent::noFallback).orElseThrow()) {
                for (int batch = 0; batch < 10; batch++) {
                    ProbeKeys probes = rows.probes(1 + random.nextInt(rows.count() * 2));
                    LookupHits hits = new LookupHits();
                    hits.reset(probes.count());
                    lookup.probe(probes, 0, probes.count(), hits);
                    for (int probe = 0; probe < probes.count(); probe++) {
                        Slice key = probes.key(probe);
                        boolean expected = rows.contains(key) && !deleted.contains(rows.position(key));
                        assertThat(hits.found(probe)).as("seed %s batch %s probe %s", seed, batch, probe).isEqualTo(expected);
                        if (expected && (probes.count() < 1_000 || probe % 31 == 0)) {
                            assertThat(rows.actual(hits.page(probe), hits.position(probe))).as("seed %s", seed).isEqualTo(rows.expected(key));
                            assertThat(hits.rowPosition(probe)).isEqualTo(rows.position(key));
                            assertThat(hits.level(probe)).isEqualTo(3);
                        }
                    }
                }
            }
        }
    }

    @Test
    void testFindsKeysAlone()
            throws IOException
    {
        for (int seed = 0; seed < 10; seed++) {
            Random random = new Random(seed);
            LookupRows rows = new LookupRows(random, 500);
            LookupFileId id = new LookupFileId("file:/table/bucket-0/data-" + seed, rows.file("data-" + seed), rows.keyLayout());
            try (LocalLookupFiles files = new LocalLookupFiles(settings(random, seed), new LookupStatistics());
                    FileLookup lookup = files.build(id, Optional.empty(), rows::openKeys, DeletionVector.EMPTY, TestLookupFileContent::noFallback).orElseThrow()) {
                assertThat(files.find(rows.id("data-" + seed), DeletionVector.EMPTY, TestLookupFileContent::noFallback)).isEmpty();
                ProbeKeys probes = rows.probes(500);
                LookupHits hits = new LookupHits();
                hits.reset(probes.count());
                lookup.probe(probes, 0, probes.count(), hits);
                for (int probe = 0; probe < probes.count(); probe++) {
                    Slice key = probes.key(probe);
                    assertThat(hits.found(probe)).isEqualTo(rows.contains(key));
                    if (hits.found(probe)) {
                        assertThat(rows.actualKey(hits.page(probe), hits.position(probe))).isEqualTo(rows.expectedKey(key));
                    }
                }
            }
        }
    }

    @Test
    void testLeavesHitsOfLowerLevelsAlone()
            throws IOException
    {
        LookupRows rows = LookupRows.simple(1, 1_000);
        try (LocalLookupFiles files = new LocalLookupFiles(settings(new Random(1), 0), new LookupStatistics());
                FileLookup lookup = files.build(rows.id("data-0"), Optional.empty(), rows::open, DeletionVector.EMPTY, TestLookupFileContent::noFallback).orElseThrow()) {
            ProbeKeys probes = new ProbeKeys();
            probes.add(0, rows.key(10), rows.page(), 10);
            probes.add(0, rows.key(20), rows.page(), 20);
            LookupHits hits = new LookupHits();
            hits.reset(2);
            hits.set(0, rows.page(), 999, rows.file("lower"), 77);
            lookup.probe(probes, 0, 2, hits);
            assertThat(hits.fileName(0)).isEqualTo("lower");
            assertThat(hits.position(0)).isEqualTo(999);
            assertThat(hits.fileName(1)).isEqualTo("data-0");
            assertThat(hits.rowPosition(1)).isEqualTo(20);
        }
    }

    @Test
    void testAnyFlippedBitIsNoticed()
            throws IOException
    {
        Random random = new Random(5);
        LookupRows rows = LookupRows.simple(5, 2_000);
        LookupFileId id = rows.id("data-0.parquet");
        int noticed = 0;
        for (int round = 0; round < 200; round++) {
            LookupFileSettings settings = new LookupFileSettings(directory.resolve("flip"), Long.MAX_VALUE, 1 << 20, Long.MAX_VALUE / 2, COMPRESSIONS[round % 3], 4096);
            try (LocalLookupFiles files = new LocalLookupFiles(settings, new LookupStatistics())) {
                files.build(id, Optional.empty(), rows::open, DeletionVector.EMPTY, TestLookupFileContent::noFallback).orElseThrow().close();
            }
            Path file = onlyFile(settings.directory().resolve("0"));
            byte[] bytes = readAllBytes(file);
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);

            LookupStatistics statistics = new LookupStatistics();
            try (LocalLookupFiles files = new LocalLookupFiles(settings, statistics)) {
                boolean[] fell = new boolean[1];
                ProbeKeys probes = rows.probes(4_000);
                LookupHits hits = new LookupHits();
                hits.reset(probes.count());
                try (FileLookup lookup = files.find(id, DeletionVector.EMPTY, () -> {
                    fell[0] = true;
                    return new MapLookup(rows, id.file());
                }).orElseGet(() -> {
                    fell[0] = true;
                    return new MapLookup(rows, id.file());
                })) {
                    lookup.probe(probes, 0, probes.count(), hits);
                }
                for (int probe = 0; probe < probes.count(); probe++) {
                    Slice key = probes.key(probe);
                    assertThat(hits.found(probe)).as("round %s", round).isEqualTo(rows.contains(key));
                    if (hits.found(probe)) {
                        assertThat(rows.actual(hits.page(probe), hits.position(probe))).isEqualTo(rows.expected(key));
                    }
                }
                if (fell[0]) {
                    noticed++;
                    assertThat(files.getFileCount()).isZero();
                    assertThat(files.getDiskBytes()).isZero();
                    try (Stream<Path> left = Files.list(settings.directory().resolve("0"))) {
                        assertThat(left).isEmpty();
                    }
                }
            }
        }
        // every block is read, so that no bit can hide
        assertThat(noticed).isEqualTo(200);
    }

    static Path onlyFile(Path directory)
            throws IOException
    {
        try (Stream<Path> files = Files.list(directory)) {
            return files.reduce((_, _) -> {
                throw new AssertionError("more than one file");
            }).orElseThrow();
        }
    }

    private LookupFileSettings settings(Random random, int seed)
    {
        return new LookupFileSettings(
                directory.resolve("content"),
                Long.MAX_VALUE,
                // blocks that stay, that go now and then, that go at once
                new long[] {1 << 26, 1 << 16, 0}[seed % 3],
                Long.MAX_VALUE / 2,
                COMPRESSIONS[random.nextInt(COMPRESSIONS.length)],
                1 << random.nextInt(8, 16));
    }

    private static FileLookup noFallback()
    {
        throw new AssertionError("the lookup file should be readable");
    }
}
