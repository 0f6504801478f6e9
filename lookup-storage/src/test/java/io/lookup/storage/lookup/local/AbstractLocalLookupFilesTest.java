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
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lookup files of 3,000 rows in a folder of the test's own, with a clock and a disk that the test governs.
 */
abstract class AbstractLocalLookupFilesTest
{
    static final long NEVER = Long.MAX_VALUE / 2;

    @TempDir
    Path directory;

    final LookupRows rows = LookupRows.simple(3, 3_000);
    final LookupStatistics statistics = new LookupStatistics();
    final FailingDisk disk = new FailingDisk(1);
    final AtomicLong now = new AtomicLong(1_000_000);

    static LookupFileSettings settings(Path directory, long maxDiskBytes, int copyThreads)
    {
        return new LookupFileSettings(directory, maxDiskBytes, 1 << 20, NEVER, LookupCompression.NONE, 4096, copyThreads);
    }

    Optional<FileLookup> find(LocalLookupFiles files, String name)
    {
        return files.find(rows.id(name), DeletionVector.EMPTY, AbstractLocalLookupFilesTest::noFallback);
    }

    void assertFindsAll(FileLookup lookup)
            throws IOException
    {
        ProbeKeys probes = new ProbeKeys();
        List<Slice> keys = rows.keys();
        for (int row = 0; row < keys.size(); row++) {
            probes.add(0, keys.get(row), rows.page(), row);
        }
        LookupHits hits = new LookupHits();
        hits.reset(probes.count());
        lookup.probe(probes, 0, probes.count(), hits);
        for (int row = 0; row < probes.count(); row++) {
            assertThat(hits.found(row)).isTrue();
            assertThat(hits.rowPosition(row)).isEqualTo(row);
        }
        assertThat(rows.actual(hits.page(17), hits.position(17))).isEqualTo(rows.expected(keys.get(17)));
    }

    void assertOnDisk(LocalLookupFiles files, int count)
            throws IOException
    {
        try (Stream<Path> found = Files.list(directory.resolve("0"))) {
            List<Path> paths = found.toList();
            assertThat(paths).hasSize(count);
            long bytes = 0;
            for (Path path : paths) {
                bytes += Files.size(path);
            }
            assertThat(files.getDiskBytes()).isEqualTo(bytes);
        }
    }

    static FileLookup noFallback()
    {
        throw new AssertionError("the lookup file should be readable");
    }
}
