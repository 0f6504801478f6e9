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

import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.lookup.FileLookup;
import io.trino.spi.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lookup files that are made while nobody waits for them.
 */
@Timeout(120)
final class TestBackgroundCopies
        extends AbstractLocalLookupFilesTest
{
    @Test
    void testAskerDoesNotWait()
            throws Exception
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE, 1)) {
            Gate gate = new Gate();
            assertThat(files.request(rows.id("data-1"), Optional.empty(), gate)).isTrue();
            gate.opened.await();
            // whoever asks now goes on without it
            assertThat(find(files, "data-1")).isEmpty();
            assertThat(files.request(rows.id("data-1"), Optional.empty(), gate)).isTrue();
            assertThat(files.request(rows.id("data-2"), Optional.empty(), rows::openRegularly)).isTrue();
            assertThat(files.getCopiesRunning()).isEqualTo(1);
            assertThat(files.getCopiesQueued()).isEqualTo(1);

            gate.pass.countDown();
            files.awaitCopies();
            assertThat(gate.openings).hasValue(1);
            assertThat(files.getCopiesRunning()).isZero();
            assertThat(files.getCopiesQueued()).isZero();
            for (String name : List.of("data-1", "data-2")) {
                try (FileLookup lookup = find(files, name).orElseThrow()) {
                    assertFindsAll(lookup);
                }
            }
            assertThat(statistics.getCopiesMade().getTotalCount()).isEqualTo(2);
            assertThat(statistics.getFilesWritten().getTotalCount()).isEqualTo(2);
            assertOnDisk(files, 2);
        }
    }

    @Test
    void testManyThreadsAskForOneFile()
            throws Exception
    {
        ExecutorService executor = Executors.newFixedThreadPool(8);
        try (LocalLookupFiles files = open(Long.MAX_VALUE, 3)) {
            AtomicInteger opened = new AtomicInteger();
            DataFileRows counting = () -> {
                opened.incrementAndGet();
                return rows.openRegularly();
            };
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> futures = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                boolean waits = thread % 4 == 3;
                futures.add(executor.submit(() -> {
                    start.await();
                    if (waits) {
                        try (FileLookup lookup = files.build(rows.id("data-1"), Optional.empty(), counting, DeletionVector.EMPTY, AbstractLocalLookupFilesTest::noFallback).orElseThrow()) {
                            assertFindsAll(lookup);
                        }
                        return null;
                    }
                    for (int request = 0; request < 100; request++) {
                        assertThat(files.request(rows.id("data-1"), Optional.empty(), counting)).isTrue();
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> future : futures) {
                future.get();
            }
            files.awaitCopies();
            assertThat(opened).hasValue(1);
            assertThat(statistics.getFilesWritten().getTotalCount()).isEqualTo(1);
            assertOnDisk(files, 1);
        }
        finally {
            executor.shutdownNow();
        }
    }

    @Test
    void testDroppedFileIsNotMade()
            throws Exception
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE, 1)) {
            Gate gate = new Gate();
            AtomicInteger opened = new AtomicInteger();
            files.request(rows.id("data-1"), Optional.empty(), gate);
            files.request(rows.id("data-2"), Optional.empty(), () -> {
                opened.incrementAndGet();
                return rows.openRegularly();
            });
            gate.opened.await();
            files.drop(rows.id("data-1").dataFile());
            files.drop(rows.id("data-2").dataFile());
            assertThat(files.getCopiesQueued()).isZero();
            gate.pass.countDown();
            files.awaitCopies();
            assertThat(find(files, "data-1")).isEmpty();
            assertThat(find(files, "data-2")).isEmpty();
            // of what it had begun to read no more than a page
            assertThat(gate.pages).hasValueLessThan(2);
            assertThat(opened).hasValue(0);
            assertThat(statistics.getCopiesCancelled().getTotalCount()).isEqualTo(2);
            assertThat(statistics.getCopiesFailed().getTotalCount()).isZero();
            assertOnDisk(files, 0);

            // somebody with an older snapshot may still want it
            assertThat(files.request(rows.id("data-1"), Optional.empty(), rows::openRegularly)).isTrue();
            files.awaitCopies();
            assertThat(files.contains(rows.id("data-1"))).isTrue();
        }
    }

    @Test
    void testDeadFilesAreGivenUpAfterAWhile()
            throws Exception
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE, 1)) {
            Gate gate = new Gate();
            files.request(rows.id("data-0"), Optional.empty(), gate);
            files.request(rows.id("data-1"), Optional.empty(), rows::openRegularly);
            files.request(rows.id("data-2"), Optional.empty(), rows::openRegularly);
            gate.opened.await();
            Set<String> live = Set.of(rows.id("data-0").dataFile(), rows.id("data-2").dataFile());
            files.retain("file:/table/bucket-0", live);
            assertThat(files.getCopiesQueued()).isEqualTo(2);
            now.addAndGet(100_000);
            files.retain("file:/table/bucket-1", Set.of());
            assertThat(files.getCopiesQueued()).isEqualTo(2);
            files.retain("file:/table/bucket-0", live);
            assertThat(files.getCopiesQueued()).isEqualTo(1);
            gate.pass.countDown();
            files.awaitCopies();
            assertThat(files.contains(rows.id("data-0"))).isTrue();
            assertThat(files.contains(rows.id("data-1"))).isFalse();
            assertThat(files.contains(rows.id("data-2"))).isTrue();
        }
    }

    @Test
    void testTroubleIsCounted()
            throws Exception
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE, 1)) {
            disk.failsToWrite = true;
            files.request(rows.id("data-1"), Optional.empty(), rows::openRegularly);
            files.awaitCopies();
            disk.failsToWrite = false;
            assertThat(statistics.getCopiesFailed().getTotalCount()).isEqualTo(1);

            files.request(rows.id("data-1"), Optional.empty(), () -> {
                throw new IOException("the data file is gone");
            });
            files.awaitCopies();
            files.request(rows.id("data-1"), Optional.empty(), () -> {
                throw new IllegalStateException("the data file is damaged");
            });
            files.awaitCopies();
            assertThat(statistics.getCopiesFailed().getTotalCount()).isEqualTo(3);
            assertOnDisk(files, 0);

            files.request(rows.id("data-1"), Optional.empty(), rows::openRegularly);
            files.awaitCopies();
            assertThat(files.contains(rows.id("data-1"))).isTrue();
        }
        // a full disk, which the file that is in use does not leave room on
        long size = statistics.getLocalBytesWritten().getTotalCount();
        try (LocalLookupFiles files = open(size + size / 2, 1); FileLookup used = find(files, "data-1").orElseThrow()) {
            files.request(rows.id("data-2"), Optional.empty(), rows::openRegularly);
            files.awaitCopies();
            assertThat(files.contains(rows.id("data-2"))).isFalse();
            assertThat(statistics.getCopiesFailed().getTotalCount()).isEqualTo(4);
            assertThat(statistics.getFilesRefused().getTotalCount()).isEqualTo(1);
            assertFindsAll(used);
            assertOnDisk(files, 1);
        }
        Path file = Files.writeString(directory.resolve("file"), "");
        try (LocalLookupFiles files = new LocalLookupFiles(settings(file.resolve("folder"), Long.MAX_VALUE, 1), statistics)) {
            assertThat(files.makesCopies()).isFalse();
            assertThat(files.request(rows.id("data-1"), Optional.empty(), rows::openRegularly)).isFalse();
        }
    }

    @Test
    void testShutdownWhileFilesAreMade()
            throws Exception
    {
        Gate blocked = new Gate();
        LocalLookupFiles files = open(Long.MAX_VALUE, 2);
        files.request(rows.id("data-1"), Optional.empty(), blocked);
        // reads on whatever happens to its thread, without end
        CountDownLatch reading = new CountDownLatch(1);
        files.request(rows.id("data-2"), Optional.empty(), () -> endless(reading));
        files.request(rows.id("data-3"), Optional.empty(), rows::openRegularly);
        blocked.opened.await();
        reading.await();
        files.close();
        assertThat(statistics.getCopiesCancelled().getTotalCount()).isEqualTo(3);
        assertThat(statistics.getCopiesFailed().getTotalCount()).isZero();
        assertThat(files.request(rows.id("data-4"), Optional.empty(), rows::openRegularly)).isFalse();
        files.awaitCopies();
        try (Stream<Path> left = Files.list(directory.resolve("0"))) {
            assertThat(left).isEmpty();
        }
        try (LocalLookupFiles next = open(Long.MAX_VALUE, 1)) {
            assertThat(next.getFileCount()).isZero();
        }
    }

    @Test
    void testQueueIsBounded()
            throws Exception
    {
        Gate gate = new Gate();
        try (LocalLookupFiles files = open(Long.MAX_VALUE, 1)) {
            files.request(rows.id("first"), Optional.empty(), gate);
            gate.opened.await();
            int accepted = 0;
            while (files.request(rows.id("data-" + accepted), Optional.empty(), rows::openRegularly)) {
                accepted++;
            }
            assertThat(accepted).isEqualTo(1_000);
            assertThat(statistics.getCopiesRejected().getTotalCount()).isEqualTo(1);
            // those are asked for already
            assertThat(files.request(rows.id("data-0"), Optional.empty(), rows::openRegularly)).isTrue();
            files.drop(rows.id("data-0").dataFile());
            assertThat(files.request(rows.id("data-" + accepted), Optional.empty(), rows::openRegularly)).isTrue();
        }
        assertThat(statistics.getCopiesCancelled().getTotalCount()).isEqualTo(1_002);
    }

    @Test
    void testNoThreads()
            throws Exception
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE, 0)) {
            assertThat(files.makesCopies()).isFalse();
            assertThat(files.request(rows.id("data-1"), Optional.empty(), rows::openRegularly)).isFalse();
            files.awaitCopies();
            files.drop(rows.id("data-1").dataFile());
            assertThat(files.getCopiesQueued()).isZero();
            assertOnDisk(files, 0);
        }
    }

    /**
     * Requests, lookups, drops and a failing disk, all at once.
     */
    @Test
    void testRandomRequests()
            throws Exception
    {
        disk.failureRate = 0.01;
        AtomicInteger local = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(3);
        try (LocalLookupFiles files = open(rows.page().getSizeInBytes() * 3, 2)) {
            List<Future<?>> futures = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                Random random = new Random(thread);
                futures.add(executor.submit(() -> {
                    for (int step = 0; step < 150; step++) {
                        LookupFileId id = rows.id("data-" + random.nextInt(6));
                        if (random.nextInt(10) == 0) {
                            files.drop(id.dataFile());
                        }
                        files.request(id, Optional.empty(), rows::openRegularly);
                        if (random.nextInt(3) == 0) {
                            files.awaitCopies();
                        }
                        Optional<FileLookup> lookup = files.find(id, DeletionVector.EMPTY, () -> new MapLookup(rows, id.file()));
                        if (lookup.isPresent()) {
                            try (FileLookup found = lookup.get()) {
                                assertFindsAll(found);
                            }
                            local.incrementAndGet();
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
            disk.failureRate = 0;
            files.awaitCopies();
            assertThat(local).hasPositiveValue();
            assertThat(statistics.getCopiesMade().getTotalCount()).isPositive();
            for (int file = 0; file < 6; file++) {
                files.drop(rows.id("data-" + file).dataFile());
            }
            assertOnDisk(files, 0);
        }
        finally {
            executor.shutdownNow();
        }
    }

    /**
     * Stands before the first page until it is let go on, or interrupted.
     */
    private final class Gate
            implements DataFileRows
    {
        private final CountDownLatch opened = new CountDownLatch(1);
        private final CountDownLatch pass = new CountDownLatch(1);
        private final AtomicInteger openings = new AtomicInteger();
        private final AtomicInteger pages = new AtomicInteger();

        @Override
        public PageStream open()
        {
            openings.incrementAndGet();
            PageStream stream = rows.openRegularly();
            return new PageStream()
            {
                @Override
                public Page nextPage()
                        throws IOException
                {
                    opened.countDown();
                    try {
                        pass.await();
                    }
                    catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    pages.incrementAndGet();
                    return stream.nextPage();
                }

                @Override
                public void close()
                        throws IOException
                {
                    stream.close();
                }
            };
        }
    }

    private PageStream endless(CountDownLatch reading)
    {
        return new PageStream()
        {
            @Override
            public Page nextPage()
            {
                reading.countDown();
                return rows.page().getRegion(0, 0);
            }

            @Override
            public void close() {}
        };
    }

    private LocalLookupFiles open(long maxDiskBytes, int threads)
    {
        return new LocalLookupFiles(settings(directory, maxDiskBytes, threads), statistics, disk, now::get);
    }
}
