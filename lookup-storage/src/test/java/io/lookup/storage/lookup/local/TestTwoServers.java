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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers on one cache directory at the same time, which come and go, with room for few files.
 */
final class TestTwoServers
{
    private static final int FILES = 5;

    @TempDir
    private Path directory;

    private final List<LookupRows> rows = List.of(LookupRows.simple(1, 900), LookupRows.simple(2, 900), LookupRows.simple(3, 900), LookupRows.simple(4, 900), LookupRows.simple(5, 900));

    @Test
    void testBothAtTheSameTime()
            throws Exception
    {
        LookupStatistics statistics = new LookupStatistics();
        ExecutorService executor = Executors.newFixedThreadPool(2);
        try {
            List<Future<?>> servers = new ArrayList<>();
            for (int server = 0; server < 2; server++) {
                long seed = server;
                servers.add(executor.submit(() -> {
                    runServer(new Random(seed), statistics);
                    return null;
                }));
            }
            for (Future<?> server : servers) {
                server.get();
            }
        }
        finally {
            executor.shutdownNow();
        }
        assertThat(statistics.getFilesEvicted().getTotalCount()).isPositive();
        // none ever read what the other had half written, or lost a file that it used
        assertThat(statistics.getFilesCorrupt().getTotalCount()).isZero();
        assertThat(statistics.getFilesFailed().getTotalCount()).isZero();
        try (LocalLookupFiles files = open(statistics); Stream<Path> folders = Files.list(directory).filter(Files::isDirectory)) {
            assertThat(folders.map(Path::getFileName)).containsExactly(Path.of("0"));
            assertThat(files.getFileCount()).isPositive();
            for (int file = 0; file < FILES; file++) {
                check(files, file);
            }
        }
    }

    /**
     * Restarts now and then, whatever the other one does.
     */
    private void runServer(Random random, LookupStatistics statistics)
            throws IOException
    {
        for (int start = 0; start < 6; start++) {
            try (LocalLookupFiles files = open(statistics)) {
                for (int step = 0; step < 25; step++) {
                    int file = random.nextInt(FILES);
                    if (random.nextInt(8) == 0) {
                        files.drop(rows.get(file).id("data-" + file).dataFile());
                    }
                    check(files, file);
                }
            }
        }
    }

    private LocalLookupFiles open(LookupStatistics statistics)
    {
        long size = rows.getFirst().page().getSizeInBytes();
        return new LocalLookupFiles(new LookupFileSettings(directory, size * 4, 10_000, Long.MAX_VALUE / 2, LookupCompression.NONE, 1 << 10), statistics);
    }

    private void check(LocalLookupFiles files, int file)
            throws IOException
    {
        LookupRows expected = rows.get(file);
        try (FileLookup lookup = files.build(expected.id("data-" + file), Optional.empty(), expected::openRegularly, DeletionVector.EMPTY, () -> {
            throw new AssertionError("the lookup file should be readable");
        }).orElseThrow()) {
            ProbeKeys probes = new ProbeKeys();
            for (int row = 0; row < expected.count(); row += 7) {
                probes.add(0, expected.key(row), expected.page(), row);
            }
            LookupHits hits = new LookupHits();
            hits.reset(probes.count());
            lookup.probe(probes, 0, probes.count(), hits);
            for (int probe = 0; probe < probes.count(); probe++) {
                assertThat(hits.rowPosition(probe)).isEqualTo(probe * 7L);
                assertThat(expected.actual(hits.page(probe), hits.position(probe))).isEqualTo(expected.expected(expected.key(probe * 7)));
            }
        }
    }
}
