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

import com.sun.management.ThreadMXBean;
import io.lookup.storage.damage.Damage;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.ProbeKeys;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static java.nio.file.Files.readAllBytes;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever is in a local lookup file, lookups end soon, take bounded memory, and find what the data file has. {@code lookup.damage.executions} and
 * {@code lookup.damage.first-seed} as for the files of tables.
 */
final class TestDamagedLookupFiles
{
    private static final int EXECUTIONS = Integer.getInteger("lookup.damage.executions", Boolean.getBoolean("lookup.thorough") ? 300_000 : 300) / LookupCompression.values().length;
    private static final long FIRST_SEED = Long.getLong("lookup.damage.first-seed", 1);
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MAX_ALLOCATED = 64L << 20;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void testAnyDamage(LookupCompression compression)
            throws Exception
    {
        LookupRows rows = LookupRows.simple(5, 300);
        LookupFileId id = rows.id("data-0.parquet");
        LookupFileSettings settings = new LookupFileSettings(directory.resolve("cache"), Long.MAX_VALUE, 1 << 20, Long.MAX_VALUE / 2, compression, 1024);
        try (LocalLookupFiles files = new LocalLookupFiles(settings, new LookupStatistics())) {
            files.build(id, Optional.empty(), rows::open, DeletionVector.EMPTY, () -> new MapLookup(rows, id.file())).orElseThrow().close();
        }
        Path file = TestLookupFileContent.onlyFile(settings.directory().resolve("0"));
        byte[] content = readAllBytes(file);
        int whole = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + EXECUTIONS; seed++) {
            Random random = new Random(seed * 0x9E3779B97F4A7C15L);
            Files.write(file, new Damage(random).apply(content, false, random.nextBoolean()));
            long start = System.nanoTime();
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            whole += look(settings, id, rows, seed) ? 1 : 0;
            assertThat(System.nanoTime() - start).as("nanoseconds, -Dlookup.damage.first-seed=%s", seed).isLessThan(MAX_NANOS);
            assertThat(THREADS.getCurrentThreadAllocatedBytes() - allocated).as("bytes allocated, -Dlookup.damage.first-seed=%s", seed).isLessThan(MAX_ALLOCATED);
        }
        // damage now and then writes what was there
        assertThat(whole).isLessThan(EXECUTIONS / 4);
        System.out.println("damage: %s executions of %s lookup files from seed %s; used: %s".formatted(EXECUTIONS, compression, FIRST_SEED, whole));
    }

    /**
     * @return whether the file was used to the end
     */
    private static boolean look(LookupFileSettings settings, LookupFileId id, LookupRows rows, long seed)
            throws IOException
    {
        boolean[] whole = {true};
        DataFileLookup fallback = () -> {
            whole[0] = false;
            return new MapLookup(rows, id.file());
        };
        ProbeKeys probes = rows.probes(600);
        LookupHits hits = new LookupHits();
        hits.reset(probes.count());
        try (LocalLookupFiles files = new LocalLookupFiles(settings, new LookupStatistics())) {
            Optional<FileLookup> found = files.find(id, DeletionVector.EMPTY, fallback);
            try (FileLookup lookup = found.isPresent() ? found.get() : fallback.open()) {
                lookup.probe(probes, 0, probes.count(), hits);
            }
        }
        for (int probe = 0; probe < probes.count(); probe++) {
            assertThat(hits.found(probe)).as("-Dlookup.damage.first-seed=%s", seed).isEqualTo(rows.contains(probes.key(probe)));
            if (hits.found(probe)) {
                assertThat(rows.actual(hits.page(probe), hits.position(probe))).as("-Dlookup.damage.first-seed=%s", seed).isEqualTo(rows.expected(probes.key(probe)));
            }
        }
        return whole[0];
    }
}
