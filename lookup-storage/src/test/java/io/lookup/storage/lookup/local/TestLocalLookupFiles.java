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
import io.lookup.storage.lookup.LookupStatistics;
import io.trino.spi.Page;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Whose lookup files there are, and for how long.
 */
final class TestLocalLookupFiles
        extends AbstractLocalLookupFilesTest
{
    @Test
    void testFindsOnlyWhatWasBuilt()
            throws IOException
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            assertThat(find(files, "data-1")).isEmpty();
            build(files, "data-1").orElseThrow().close();
            assertThat(find(files, "data-1")).isPresent();
            assertThat(find(files, "data-2")).isEmpty();
            // another table can have a file of the same name
            LookupFileId elsewhere = new LookupFileId("file:/other/bucket-0/data-1", rows.file("data-1"), rows.lookupLayout());
            assertThat(files.find(elsewhere, DeletionVector.EMPTY, AbstractLocalLookupFilesTest::noFallback)).isEmpty();
            assertThat(files.contains(rows.id("data-1"))).isTrue();
            assertThat(files.contains(elsewhere)).isFalse();
        }
    }

    @Test
    void testWritesBesideTheDataFile()
            throws IOException
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            LocalLookupWriter writer = files.write("file:/table/bucket-0/data-1", rows.lookupLayout()).orElseThrow();
            writeAll(writer);
            assertThat(writer.memoryUsage()).isPositive();
            assertThat(find(files, "data-1")).isEmpty();
            assertThat(writer.finish(rows.count())).isTrue();
            assertThat(writer.memoryUsage()).isZero();
            try (FileLookup lookup = find(files, "data-1").orElseThrow()) {
                assertFindsAll(lookup);
            }
            assertThat(statistics.getFilesWritten().getTotalCount()).isEqualTo(1);

            LocalLookupWriter aborted = files.write("file:/table/bucket-0/data-2", rows.lookupLayout()).orElseThrow();
            writeAll(aborted);
            aborted.abort();
            aborted.abort();
            assertThat(find(files, "data-2")).isEmpty();
            assertOnDisk(files, 1);
        }
    }

    @Test
    void testWriterRefusesWhatIsNotTheDataFile()
            throws IOException
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            LocalLookupWriter counts = files.write("file:/table/bucket-0/data-1", rows.lookupLayout()).orElseThrow();
            writeAll(counts);
            assertThat(counts.finish(rows.count() + 1)).isFalse();

            LocalLookupWriter order = files.write("file:/table/bucket-0/data-2", rows.lookupLayout()).orElseThrow();
            order.write(rows.page(), 100, 1);
            order.write(rows.page(), 99, 1);
            assertThat(order.finish(2)).isFalse();

            assertThat(files.getFileCount()).isZero();
            assertOnDisk(files, 0);
        }
    }

    @Test
    void testSurvivesARestart()
            throws IOException
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            build(files, "data-1").orElseThrow().close();
            build(files, "data-2").orElseThrow().close();
        }
        Path own = directory.resolve("0");
        Files.writeString(own.resolve("data-3-0123.lookup"), "not a lookup file");
        Files.writeString(own.resolve("data-4-0123.77.tmp"), "a write that was killed");
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            assertThat(files.getFileCount()).isEqualTo(2);
            assertOnDisk(files, 2);
            try (FileLookup lookup = find(files, "data-2").orElseThrow()) {
                assertFindsAll(lookup);
            }
            assertThat(statistics.getFilesWritten().getTotalCount()).isEqualTo(2);
        }
        // a smaller bound than that of the last owner
        long size = Files.size(firstFile(own));
        try (LocalLookupFiles files = open(size)) {
            assertThat(files.getFileCount()).isEqualTo(1);
            assertOnDisk(files, 1);
            // the one that was used last
            assertThat(files.contains(rows.id("data-2"))).isTrue();
        }
    }

    @Test
    void testTwoOwnersOfOneDirectory()
            throws IOException
    {
        try (LocalLookupFiles first = open(Long.MAX_VALUE); LocalLookupFiles second = open(Long.MAX_VALUE)) {
            build(first, "data-1").orElseThrow().close();
            build(second, "data-1").orElseThrow().close();
            build(second, "data-2").orElseThrow().close();
            first.drop("file:/table/bucket-0/data-1");
            assertThat(find(first, "data-1")).isEmpty();
            try (FileLookup lookup = find(second, "data-1").orElseThrow()) {
                assertFindsAll(lookup);
            }
        }
        // the only owner takes over what both left
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            assertThat(files.getFileCount()).isEqualTo(2);
            assertThat(directory.resolve("1")).doesNotExist();
            try (FileLookup lookup = find(files, "data-2").orElseThrow()) {
                assertFindsAll(lookup);
            }
            // the next one gets a folder of its own again
            try (LocalLookupFiles other = open(Long.MAX_VALUE)) {
                assertThat(other.getFileCount()).isZero();
                assertThat(directory.resolve("1")).exists();
            }
        }
    }

    @Test
    void testKilledOwnerInAnotherProcess()
            throws Exception
    {
        String javaCommand = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(javaCommand, "-Xmx256m", "--add-modules=jdk.incubator.vector", "-cp", System.getProperty("java.class.path"), OtherOwner.class.getName(), directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(process.inputReader().lines().anyMatch("ready"::equals)).isTrue();
            try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
                assertThat(files.getFileCount()).isZero();
                build(files, "data-2").orElseThrow().close();
            }
        }
        finally {
            process.destroyForcibly().waitFor();
        }
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            assertThat(files.getFileCount()).isEqualTo(2);
            assertThat(files.contains(rows.id("data-1"))).isTrue();
            assertThat(files.contains(rows.id("data-2"))).isTrue();
            // nothing of the file that it was writing
            assertOnDisk(files, 2);
        }
    }

    static final class OtherOwner
    {
        private OtherOwner() {}

        public static void main(String[] arguments)
                throws Exception
        {
            LocalLookupFiles files = new LocalLookupFiles(new LookupFileSettings(Path.of(arguments[0]), Long.MAX_VALUE, 1 << 20, NEVER, LookupCompression.LZ4, 4096), new LookupStatistics());
            LookupRows rows = LookupRows.simple(3, 3_000);
            files.build(rows.id("data-1"), Optional.empty(), rows::openRegularly, DeletionVector.EMPTY, AbstractLocalLookupFilesTest::noFallback).orElseThrow().close();
            LocalLookupWriter writer = files.write("file:/table/bucket-0/data-3", rows.lookupLayout()).orElseThrow();
            writer.write(rows.page(), 0, rows.count());
            System.out.write("ready\n".getBytes(UTF_8));
            System.out.flush();
            Thread.sleep(60_000);
        }
    }

    @Test
    void testDiskBoundHoldsWhileFilesAreInUse()
            throws IOException
    {
        long size;
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            build(files, "data-0").orElseThrow().close();
            size = files.getDiskBytes();
            files.drop("file:/table/bucket-0/data-0");
            assertThat(files.getDiskBytes()).isZero();
        }
        try (LocalLookupFiles files = open(size * 2 + size / 2)) {
            FileLookup first = build(files, "data-1").orElseThrow();
            FileLookup second = build(files, "data-2").orElseThrow();
            // both are in use: there is no room for a third
            assertThat(build(files, "data-3")).isEmpty();
            assertThat(files.getDiskBytes()).isEqualTo(size * 2);
            assertOnDisk(files, 2);
            assertThat(statistics.getFilesRefused().getTotalCount()).isPositive();

            first.close();
            try (FileLookup third = build(files, "data-3").orElseThrow()) {
                assertThat(find(files, "data-1")).isEmpty();
                assertThat(statistics.getFilesEvicted().getTotalCount()).isEqualTo(1);
                assertOnDisk(files, 2);
                assertFindsAll(third);
            }
            assertFindsAll(second);
            second.close();

            // the least recently used one goes
            find(files, "data-2").orElseThrow().close();
            build(files, "data-4").orElseThrow().close();
            assertThat(files.contains(rows.id("data-2"))).isTrue();
            assertThat(files.contains(rows.id("data-3"))).isFalse();
            assertThat(files.getDiskBytes()).isLessThanOrEqualTo(size * 2 + size / 2);
        }
        try (LocalLookupFiles files = open(0)) {
            assertThat(build(files, "data-1")).isEmpty();
            assertThat(files.getDiskBytes()).isZero();
        }
    }

    @Test
    void testDroppedWhileInUse()
            throws IOException
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            FileLookup lookup = build(files, "data-1").orElseThrow();
            long size = files.getDiskBytes();
            files.drop("file:/table/bucket-0/data-1");
            assertThat(find(files, "data-1")).isEmpty();
            assertFindsAll(lookup);
            // its space is taken until it is closed, and a second file of its name is another one
            build(files, "data-1").orElseThrow().close();
            assertThat(files.getDiskBytes()).isEqualTo(size * 2);
            lookup.close();
            lookup.close();
            assertThat(files.getDiskBytes()).isEqualTo(size);
            try (FileLookup again = find(files, "data-1").orElseThrow()) {
                assertFindsAll(again);
            }
            assertOnDisk(files, 1);
        }
    }

    @Test
    void testDropCancelsWhatIsBeingWritten()
            throws IOException
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            AtomicInteger pages = new AtomicInteger();
            Optional<FileLookup> lookup = files.build(
                    rows.id("data-1"),
                    Optional.empty(),
                    () -> onNextPage(rows.openRegularly(), () -> {
                        if (pages.incrementAndGet() == 2) {
                            files.drop("file:/table/bucket-0/data-1");
                        }
                    }),
                    DeletionVector.EMPTY,
                    AbstractLocalLookupFilesTest::noFallback);
            assertThat(lookup).isEmpty();
            // it stopped at once
            assertThat(pages).hasValueLessThan(4);
            assertThat(files.getDiskBytes()).isZero();
            assertOnDisk(files, 0);
        }
    }

    @Test
    void testRequestsForOneFileAreOne()
            throws Exception
    {
        ExecutorService executor = Executors.newFixedThreadPool(8);
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            AtomicInteger opened = new AtomicInteger();
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> futures = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                futures.add(executor.submit(() -> {
                    start.await();
                    try (FileLookup lookup = files.build(
                            rows.id("data-1"),
                            Optional.empty(),
                            () -> {
                                opened.incrementAndGet();
                                return onNextPage(rows.openRegularly(), () -> {});
                            },
                            DeletionVector.EMPTY,
                            AbstractLocalLookupFilesTest::noFallback).orElseThrow()) {
                        assertFindsAll(lookup);
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> future : futures) {
                future.get();
            }
            assertThat(opened).hasValue(1);
            assertThat(statistics.getFilesWritten().getTotalCount()).isEqualTo(1);
            assertOnDisk(files, 1);
        }
        finally {
            executor.shutdownNow();
        }
    }

    @Test
    void testUnreadableDataFileIsAnErrorForEachWhoAsks()
            throws IOException
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> files.build(
                        rows.id("data-1"),
                        Optional.empty(),
                        () -> onNextPage(rows.openRegularly(), () -> {
                            throw new IllegalStateException("the data file is gone");
                        }),
                        DeletionVector.EMPTY,
                        AbstractLocalLookupFilesTest::noFallback))
                        .hasMessage("the data file is gone");
            }
            build(files, "data-1").orElseThrow().close();
            assertOnDisk(files, 1);
        }
    }

    @Test
    void testFailingDiskIsNoError()
            throws IOException
    {
        try (LocalLookupFiles files = open(Long.MAX_VALUE)) {
            disk.failsToCreate = true;
            assertThat(build(files, "data-1")).isEmpty();
            disk.failsToCreate = false;
            disk.failsToWrite = true;
            assertThat(build(files, "data-1")).isEmpty();
            disk.failsToWrite = false;
            disk.failsToMove = true;
            assertThat(build(files, "data-1")).isEmpty();
            disk.failsToMove = false;
            disk.failsToRead = true;
            assertThat(build(files, "data-1")).isEmpty();
            disk.failsToRead = false;
            assertThat(files.getDiskBytes()).isZero();
            assertOnDisk(files, 0);

            // fails when the lookup has begun: the data file is read instead
            MapLookup dataFile = new MapLookup(rows, rows.file("data-1"));
            try (FileLookup lookup = files.build(rows.id("data-1"), Optional.empty(), rows::openRegularly, DeletionVector.EMPTY, () -> dataFile).orElseThrow()) {
                disk.failsToRead = true;
                assertFindsAll(lookup);
                assertFindsAll(lookup);
                assertThat(dataFile.probed()).hasValue(rows.count() * 2);
            }
            disk.failsToRead = false;
            assertThat(files.getDiskBytes()).isZero();
            assertOnDisk(files, 0);
        }
        Path file = Files.writeString(directory.resolve("file"), "");
        try (LocalLookupFiles files = new LocalLookupFiles(settings(file.resolve("folder"), Long.MAX_VALUE, LookupFileSettings.DEFAULT_COPY_THREADS), statistics)) {
            assertThat(build(files, "data-1")).isEmpty();
            assertThat(find(files, "data-1")).isEmpty();
            assertThat(files.write("file:/table/bucket-0/data-1", rows.lookupLayout())).isEmpty();
            files.drop("file:/table/bucket-0/data-1");
        }
    }

    @Test
    void testRandomFailuresNeverChangeTheAnswer()
            throws IOException
    {
        Random random = new Random(9);
        long size = rows.page().getSizeInBytes();
        disk.failureRate = 0.02;
        int local = 0;
        try (LocalLookupFiles files = open(size * 3)) {
            List<FileLookup> open = new ArrayList<>();
            for (int step = 0; step < 600; step++) {
                String name = "data-" + random.nextInt(6);
                LookupFileId id = rows.id(name);
                switch (random.nextInt(8)) {
                    case 0 -> files.drop(id.dataFile());
                    case 1 -> files.write(id.dataFile(), id.layout()).ifPresent(writer -> {
                        writeAll(writer);
                        writer.finish(rows.count());
                    });
                    default -> {
                        FileLookup lookup = files.build(id, Optional.empty(), rows::openRegularly, DeletionVector.EMPTY, () -> new MapLookup(rows, id.file()))
                                .orElse(new MapLookup(rows, id.file()));
                        local += lookup instanceof LocalFileLookup ? 1 : 0;
                        assertFindsAll(lookup);
                        open.add(lookup);
                    }
                }
                while (open.size() > 2) {
                    FileLookup closed = open.remove(random.nextInt(open.size()));
                    assertFindsAll(closed);
                    closed.close();
                }
                assertThat(files.getDiskBytes()).isBetween(0L, size * 3);
            }
            for (FileLookup lookup : open) {
                lookup.close();
            }
            disk.failureRate = 0;
            assertThat(local).isGreaterThan(200);
            assertThat(statistics.getFilesFailed().getTotalCount()).isPositive();
            assertThat(statistics.getFilesCorrupt().getTotalCount()).isPositive();
            for (int file = 0; file < 6; file++) {
                files.drop(rows.id("data-" + file).dataFile());
            }
            assertThat(files.getDiskBytes()).isZero();
            assertThat(files.getMemoryBytes()).isZero();
            assertOnDisk(files, 0);
        }
    }

    @Test
    void testUntouchedFilesExpire()
            throws IOException
    {
        LookupFileSettings settings = new LookupFileSettings(directory, Long.MAX_VALUE, 1 << 20, 1_000, LookupCompression.NONE, 4096);
        try (LocalLookupFiles files = new LocalLookupFiles(settings, statistics, disk, now::get)) {
            build(files, "data-1").orElseThrow().close();
            build(files, "data-2").orElseThrow().close();
            FileLookup open = build(files, "data-3").orElseThrow();
            now.addAndGet(900);
            find(files, "data-2").orElseThrow().close();
            now.addAndGet(200);
            files.expire();
            assertThat(files.contains(rows.id("data-1"))).isFalse();
            assertThat(files.contains(rows.id("data-2"))).isTrue();
            assertThat(files.contains(rows.id("data-3"))).isTrue();
            open.close();
            now.addAndGet(1_001);
            files.expire();
            assertThat(files.getFileCount()).isZero();
            assertOnDisk(files, 0);
            assertThat(statistics.getFilesExpired().getTotalCount()).isEqualTo(3);
        }
    }

    @Test
    void testMemoryIsBounded()
            throws IOException
    {
        LookupFileSettings settings = new LookupFileSettings(directory, Long.MAX_VALUE, 64 << 10, NEVER, LookupCompression.LZ4, 4096);
        try (LocalLookupFiles files = new LocalLookupFiles(settings, statistics)) {
            for (int file = 0; file < 3; file++) {
                try (FileLookup lookup = build(files, "data-" + file).orElseThrow()) {
                    assertFindsAll(lookup);
                    assertThat(files.getMemoryBytes()).isBetween(1L, 64L << 10);
                }
            }
        }
    }

    private LocalLookupFiles open(long maxDiskBytes)
    {
        return new LocalLookupFiles(settings(directory, maxDiskBytes, LookupFileSettings.DEFAULT_COPY_THREADS), statistics, disk, now::incrementAndGet);
    }

    private Optional<FileLookup> build(LocalLookupFiles files, String name)
            throws IOException
    {
        return files.build(rows.id(name), Optional.empty(), rows::openRegularly, DeletionVector.EMPTY, AbstractLocalLookupFilesTest::noFallback);
    }

    private void writeAll(LocalLookupWriter writer)
    {
        for (int offset = 0; offset < rows.count(); offset += 700) {
            writer.write(rows.page(), offset, Math.min(700, rows.count() - offset));
        }
    }

    private static Path firstFile(Path directory)
            throws IOException
    {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().findFirst().orElseThrow();
        }
    }

    private static PageStream onNextPage(PageStream pages, Runnable action)
    {
        return new PageStream()
        {
            @Override
            public Page nextPage()
                    throws IOException
            {
                action.run();
                return pages.nextPage();
            }

            @Override
            public void close()
                    throws IOException
            {
                pages.close();
            }
        };
    }
}
