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
import io.lookup.storage.lookup.LookupFiles.Row;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupCompression;
import io.lookup.storage.lookup.local.LookupFileSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

import static io.lookup.storage.lookup.LookupFiles.Row.row;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lookups go on without the copies that they ask for, and find the same when these are there.
 */
@Timeout(120)
final class TestLookupsWithCopiesOnTheWay
{
    private static final long NEVER = Long.MAX_VALUE / 2;

    @TempDir
    private Path directory;

    private final ProbeKeys probes = new ProbeKeys();
    private final LookupHits hits = new LookupHits();
    private final LookupStatistics statistics = new LookupStatistics();

    @Test
    void testLookupDoesNotWaitForItsCopy()
            throws Exception
    {
        LookupFiles files = LookupFiles.ofIntegers(2, false);
        files.add(3, row(10, 1), row(20, 2), row(30, 3));
        LookupResources resources = new LookupResources();
        CountDownLatch mayRead = new CountDownLatch(1);
        try (LocalLookupFiles copies = copies(directory)) {
            // the first has not spent as much as a copy costs
            lookUp(files.lookupWithRequests(copies, resources, mayRead), files);
            assertThat(copies.getCopiesQueued() + copies.getCopiesRunning()).isZero();
            // the second has, and the third comes while the copy is being made
            for (int lookup = 0; lookup < 2; lookup++) {
                lookUp(files.lookupWithRequests(copies, resources, mayRead), files);
                assertThat(copies.getCopiesQueued() + copies.getCopiesRunning()).isLessThanOrEqualTo(1);
                assertThat(copies.getFileCount()).isZero();
            }
            assertThat(resources.statistics().getFilesByLocalCopy().getTotalCount()).isZero();
            mayRead.countDown();
            copies.awaitCopies();
            assertThat(copies.getFileCount()).isEqualTo(1);
            assertThat(statistics.getCopiesMade().getTotalCount()).isEqualTo(1);

            lookUp(files.lookupWithRequests(copies, resources, mayRead), files);
            assertThat(resources.statistics().getFilesByLocalCopy().getTotalCount()).isEqualTo(1);
            assertThat(files.open()).isEmpty();
        }
    }

    /**
     * A disk that does not take copies is not tried by each lookup, but as often as a copy would have paid.
     */
    @Test
    void testFailedCopyIsPaidForAgain()
            throws Exception
    {
        LookupFiles files = LookupFiles.ofIntegers(2, false);
        files.add(3, row(10, 1), row(20, 2), row(30, 3));
        LookupResources resources = new LookupResources();
        LookupFileSettings noRoom = new LookupFileSettings(directory, 0, 4_000, NEVER, LookupCompression.LZ4, 256);
        try (LocalLookupFiles copies = new LocalLookupFiles(noRoom, statistics)) {
            for (int lookup = 0; lookup < 12; lookup++) {
                lookUp(files.lookupWithRequests(copies, resources, new CountDownLatch(0)), files);
                copies.awaitCopies();
            }
            assertThat(statistics.getCopiesFailed().getTotalCount()).isEqualTo(6);
            assertThat(copies.getFileCount()).isZero();
        }
    }

    /**
     * Copies appear at any time: between statements, and between the batches of one.
     */
    @Test
    void testSameAnswersWhileCopiesAppear()
            throws Exception
    {
        long filesByCopy = 0;
        long filesOtherwise = 0;
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            LookupFiles files = LookupFiles.ofIntegers(1 + random.nextInt(20), false);
            for (int level : List.of(2, 4, 5)) {
                int key = random.nextInt(10);
                for (int file = 0; file < 1 + random.nextInt(4); file++) {
                    List<Row> rows = new ArrayList<>();
                    for (int row = 0; row < 1 + random.nextInt(100); row++) {
                        rows.add((random.nextInt(5) == 0 ? Row.deletion(key, level) : row(key, level)).withSequence(random.nextInt(1_000)));
                        key += 1 + random.nextInt(6);
                    }
                    DataFileMeta added = files.add(level, rows.toArray(Row[]::new));
                    if (random.nextBoolean()) {
                        files.delete(added, random.nextInt(rows.size()));
                    }
                }
            }
            LookupResources resources = new LookupResources();
            try (LocalLookupFiles copies = copies(directory.resolve("seed-" + seed))) {
                for (int statement = 0; statement < 6; statement++) {
                    List<List<Row>> batches = batches(random);
                    try (KeyLookup expected = files.lookup(); KeyLookup actual = files.lookupWithRequests(copies, resources, new CountDownLatch(0))) {
                        for (List<Row> batch : batches) {
                            if (random.nextInt(4) == 0) {
                                copies.awaitCopies();
                            }
                            files.probe(probes, batch);
                            expected.lookup(probes, hits);
                            List<String> answers = answers(files);
                            actual.lookup(probes, hits);
                            assertThat(answers(files)).as("seed %s, statement %s", seed, statement).isEqualTo(answers);
                        }
                    }
                }
                copies.awaitCopies();
            }
            assertThat(files.open()).isEmpty();
            filesByCopy += resources.statistics().getFilesByLocalCopy().getTotalCount();
            filesOtherwise += resources.statistics().getFilesByScan().getTotalCount() + resources.statistics().getFilesByPages().getTotalCount();
        }
        assertThat(filesByCopy).isPositive();
        assertThat(filesOtherwise).isPositive();
        assertThat(statistics.getCopiesFailed().getTotalCount()).isZero();
    }

    private static List<List<Row>> batches(Random random)
    {
        List<List<Row>> batches = new ArrayList<>();
        List<Row> batch = new ArrayList<>();
        for (int key = random.nextInt(5); key < 1_500; key += 1 + random.nextInt(20)) {
            batch.add(row(key, 0));
            if (random.nextInt(20) == 0) {
                batches.add(ImmutableList.copyOf(batch));
                batch.clear();
            }
        }
        return batches;
    }

    private List<String> answers(LookupFiles files)
    {
        List<String> answers = new ArrayList<>();
        for (int probe = 0; probe < probes.count(); probe++) {
            answers.add(hits.found(probe) ?
                    "%s %s %s at %s in %s".formatted(files.kind(hits, probe), files.values(hits, probe), files.sequence(hits, probe), hits.level(probe), hits.fileName(probe)) :
                    "none");
        }
        return answers;
    }

    private void lookUp(KeyLookup lookup, LookupFiles files)
            throws IOException
    {
        try (lookup) {
            files.probe(probes, List.of(row(20, 0), row(25, 0)));
            lookup.lookup(probes, hits);
            assertThat(hits.found(0)).isTrue();
            assertThat(files.values(hits, 0)).isEqualTo(List.of(20, 2));
            assertThat(hits.found(1)).isFalse();
        }
    }

    private LocalLookupFiles copies(Path folder)
    {
        return new LocalLookupFiles(new LookupFileSettings(folder, Long.MAX_VALUE, 4_000, NEVER, LookupCompression.LZ4, 256), statistics);
    }
}
