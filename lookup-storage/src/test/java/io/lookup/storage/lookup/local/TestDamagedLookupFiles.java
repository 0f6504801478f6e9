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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.damage.Damage;
import io.lookup.storage.damage.DamageRun;
import io.lookup.storage.damage.FileDamage;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.DataFileListener;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.ProbeKeys;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import static java.nio.file.Files.readAllBytes;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever is in a local lookup file, or in one that another node has left beside the data file, lookups end soon, take bounded memory, and find what the data
 * file has. Everything in such a file is under a checksum, so that damage is always noticed.
 */
final class TestDamagedLookupFiles
{
    private static final int SHARE = 20;
    private static final long MAX_ALLOCATED = 64L << 20;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void testAnyDamage(LookupCompression compression)
            throws Exception
    {
        LookupRows rows = LookupRows.simple(5, 300);
        LookupFileId id = rows.id("data-0.parquet");
        LookupFileSettings settings = settings("cache", compression);
        try (LocalLookupFiles files = new LocalLookupFiles(settings, new LookupStatistics())) {
            files.build(id, Optional.empty(), rows::open, DeletionVector.EMPTY, () -> new MapLookup(rows, id.file())).orElseThrow().close();
        }
        Path file = TestLookupFileContent.onlyFile(settings.directory().resolve("0"));
        byte[] content = readAllBytes(file);
        Map<String, Integer> outcomes = new DamageRun("local lookup files, " + compression, SHARE, MAX_ALLOCATED).run(random -> {
            Files.write(file, damage(random, content));
            return look(settings, id, rows) ? "used" : "given up";
        });
        // damage now and then writes what was there
        assertThat(outcomes.getOrDefault("used", 0)).isLessThan(1 + outcomes.getOrDefault("given up", 0));
    }

    private static byte[] damage(Random random, byte[] content)
    {
        return random.nextInt(5) == 0 ?
                new FileDamage(random).whole(content, ImmutableList.of(new byte[0], new byte[100])) :
                new Damage(random).apply(content, false, random.nextBoolean());
    }

    /**
     * What comes from another node is checked before it is taken over.
     */
    @ParameterizedTest
    @EnumSource
    void testAnyDamageOnTheWay(LookupCompression compression)
            throws Exception
    {
        LookupRows rows = LookupRows.simple(5, 300);
        Path bucket = Files.createDirectories(directory.resolve("bucket-0"));
        String dataFile = "file:" + bucket.resolve("data-0.parquet");
        LookupStatistics statistics = new LookupStatistics();
        try (HadoopFileIo fileIo = new HadoopFileIo(new Configuration(false));
                LocalLookupFiles taker = new LocalLookupFiles(settings("taker", compression), statistics)) {
            LookupFileId id;
            try (LocalLookupFiles maker = new LocalLookupFiles(settings("maker", compression), new LookupStatistics())) {
                DataFileListener listener = maker.feed(rows.lookupLayout(), Optional.of(fileIo));
                listener.started(new org.apache.hadoop.fs.Path(dataFile));
                listener.written(rows.page(), 0, rows.count());
                DataFileMeta meta = rows.file("data-0.parquet");
                id = new LookupFileId(dataFile, meta.withExtraFiles(listener.finished(meta)), rows.lookupLayout());
            }
            Path copy = bucket.resolve(id.file().extraFiles().getFirst());
            byte[] content = readAllBytes(copy);
            new DamageRun("remote lookup files, " + compression, SHARE, MAX_ALLOCATED).run(random -> {
                byte[] damaged = damage(random, content);
                Files.write(copy, damaged);
                long before = statistics.getFilesDownloaded().getTotalCount();
                try (FileLookup lookup = taker.build(id, Optional.of(fileIo), rows::openRegularly, DeletionVector.EMPTY, () -> new MapLookup(rows, id.file())).orElseThrow()) {
                    check(lookup, rows);
                }
                taker.drop(dataFile);
                boolean taken = statistics.getFilesDownloaded().getTotalCount() > before;
                assertThat(taken).isEqualTo(Arrays.equals(damaged, content));
                return taken ? "taken over" : "made anew";
            });
        }
    }

    private LookupFileSettings settings(String folder, LookupCompression compression)
    {
        return new LookupFileSettings(directory.resolve(folder), Long.MAX_VALUE, 1 << 20, Long.MAX_VALUE / 2, compression, 1024);
    }

    /**
     * @return whether the file was used to the end
     */
    private static boolean look(LookupFileSettings settings, LookupFileId id, LookupRows rows)
            throws IOException
    {
        boolean[] whole = {true};
        DataFileLookup fallback = () -> {
            whole[0] = false;
            return new MapLookup(rows, id.file());
        };
        try (LocalLookupFiles files = new LocalLookupFiles(settings, new LookupStatistics())) {
            Optional<FileLookup> found = files.find(id, DeletionVector.EMPTY, fallback);
            try (FileLookup lookup = found.isPresent() ? found.get() : fallback.open()) {
                check(lookup, rows);
            }
        }
        return whole[0];
    }

    private static void check(FileLookup lookup, LookupRows rows)
            throws IOException
    {
        ProbeKeys probes = rows.probes(600);
        LookupHits hits = new LookupHits();
        hits.reset(probes.count());
        lookup.probe(probes, 0, probes.count(), hits);
        for (int probe = 0; probe < probes.count(); probe++) {
            assertThat(hits.found(probe)).isEqualTo(rows.contains(probes.key(probe)));
            if (hits.found(probe)) {
                assertThat(rows.actual(hits.page(probe), hits.position(probe))).isEqualTo(rows.expected(probes.key(probe)));
            }
        }
    }
}
