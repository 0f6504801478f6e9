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
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.DataFileListener;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.ProbeKeys;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lookup files that one node makes and another one takes over.
 */
final class TestRemoteLookupFiles
{
    private static final long NEVER = Long.MAX_VALUE / 2;

    @TempDir
    private java.nio.file.Path directory;

    private final LookupRows rows = LookupRows.simple(7, 3_000);
    private final FailingDisk disk = new FailingDisk(1);
    private final LookupStatistics maker = new LookupStatistics();
    private final LookupStatistics taker = new LookupStatistics();
    private HadoopFileIo fileIo;
    private java.nio.file.Path bucket;
    private int reads;

    @BeforeEach
    void setUp()
            throws IOException
    {
        fileIo = new HadoopFileIo(new Configuration(false));
        bucket = Files.createDirectories(directory.resolve("table/p=a%3Ab/bucket-0"));
    }

    @AfterEach
    void tearDown()
            throws IOException
    {
        fileIo.close();
    }

    @Test
    void testIsTakenOverInsteadOfMade()
            throws IOException
    {
        for (LookupLayout layout : List.of(rows.lookupLayout(), rows.keyLayout())) {
            LookupFileId id = upload("data-1.parquet", layout, fileIo);
            assertThat(id.file().extraFiles()).hasSize(1);
            assertThat(id.file().extraFiles().getFirst()).startsWith("data-1.parquet-").endsWith(".trino-lookup");
            assertThat(copyOf(id)).exists();
        }
        assertThat(maker.getFilesUploaded().getTotalCount()).isEqualTo(2);
        assertThat(maker.getRemoteBytesWritten().getTotalCount()).isPositive();

        LookupFileId id = upload("data-2.parquet", rows.lookupLayout(), fileIo);
        try (LocalLookupFiles files = openTaker(Long.MAX_VALUE)) {
            assertFindsAll(files, id);
            assertFindsAll(files, id);
            assertThat(reads).isZero();
            assertThat(taker.getFilesDownloaded().getTotalCount()).isEqualTo(1);
            assertThat(taker.getFilesWritten().getTotalCount()).isZero();
            assertThat(taker.getRemoteBytesRead().getTotalCount()).isEqualTo(files.getDiskBytes());
            assertOnDisk(files, 1);
        }
        // it is a lookup file as any other
        try (LocalLookupFiles files = openTaker(Long.MAX_VALUE)) {
            assertThat(files.contains(id)).isTrue();
            assertFindsAll(files, id);
        }
        assertThat(reads).isZero();
        assertThat(taker.getTransfersFailed().getTotalCount()).isZero();
    }

    @Test
    void testOfARenamedTable()
            throws IOException
    {
        LookupFileId id = upload("data-1.parquet", rows.lookupLayout(), fileIo);
        java.nio.file.Path renamed = Files.move(bucket, directory.resolve("renamed"));
        try (LocalLookupFiles files = openTaker(Long.MAX_VALUE)) {
            assertFindsAll(files, new LookupFileId(new Path(new Path(renamed.toUri()), "data-1.parquet").toString(), id.file(), id.layout()));
        }
        assertThat(reads).isZero();
    }

    @Test
    void testWhoDoesNotWantItMakesIt()
            throws IOException
    {
        LookupFileId id = upload("data-1.parquet", rows.lookupLayout(), fileIo);
        try (LocalLookupFiles files = openTaker(Long.MAX_VALUE);
                FileLookup lookup = files.build(id, Optional.empty(), this::readDataFile, DeletionVector.EMPTY, TestRemoteLookupFiles::noFallback).orElseThrow()) {
            assertFindsAll(lookup);
        }
        assertThat(reads).isEqualTo(1);
        assertThat(taker.getFilesDownloaded().getTotalCount()).isZero();
    }

    @Test
    void testBadCopyIsNoError()
            throws IOException
    {
        LookupFileId id = upload("data-1.parquet", rows.lookupLayout(), fileIo);
        byte[] good = Files.readAllBytes(copyOf(id));
        byte[] otherFile = Files.readAllBytes(copyOf(upload("data-2.parquet", rows.lookupLayout(), fileIo)));
        byte[] otherLayout = Files.readAllBytes(copyOf(upload("data-1.parquet", rows.keyLayout(), fileIo)));
        List<byte[]> bad = new ArrayList<>(List.of(
                new byte[0],
                new byte[100],
                Arrays.copyOf(good, good.length / 2),
                Arrays.copyOf(good, good.length - 1),
                Arrays.copyOf(good, good.length + 1),
                otherFile,
                otherLayout));
        Random random = new Random(3);
        for (int flip = 0; flip < 60; flip++) {
            byte[] flipped = good.clone();
            // the end has everything but the blocks
            int index = flip % 2 == 0 ? random.nextInt(good.length) : good.length - 1 - random.nextInt(300);
            flipped[index] ^= (byte) (1 << random.nextInt(8));
            bad.add(flipped);
        }
        for (int index = 0; index < bad.size(); index++) {
            Files.write(copyOf(id), bad.get(index));
            reads = 0;
            try (LocalLookupFiles files = openTaker(Long.MAX_VALUE)) {
                assertFindsAll(files, id);
                assertThat(reads).as("copy %s", index).isEqualTo(1);
                assertOnDisk(files, 1);
                files.drop(id.dataFile());
                assertOnDisk(files, 0);
            }
            assertThat(taker.getTransfersFailed().getTotalCount()).isEqualTo(index + 1);
        }
        Files.delete(copyOf(id));
        try (LocalLookupFiles files = openTaker(Long.MAX_VALUE)) {
            assertFindsAll(files, id);
        }
        assertThat(taker.getFilesDownloaded().getTotalCount()).isZero();
        assertThat(taker.getTransfersFailed().getTotalCount()).isEqualTo(bad.size() + 1);
        Files.write(copyOf(id), good);
        try (LocalLookupFiles files = openTaker(Long.MAX_VALUE)) {
            files.drop(id.dataFile());
            reads = 0;
            assertFindsAll(files, id);
        }
        assertThat(reads).isZero();
    }

    @Test
    void testFailingStoreIsNoError()
            throws IOException
    {
        for (String step : List.of("create", "write", "close", "open", "status", "read")) {
            FileIo failing = new FailingStore(fileIo, step);
            LookupFileId id = upload("data-%s.parquet".formatted(step), rows.lookupLayout(), failing);
            boolean uploads = step.equals("create") || step.equals("write") || step.equals("close");
            if (uploads) {
                assertThat(id.file().extraFiles()).as(step).isEmpty();
                assertThat(listed(bucket)).as(step).isEmpty();
                continue;
            }
            assertThat(id.file().extraFiles()).as(step).hasSize(1);
            reads = 0;
            try (LocalLookupFiles files = openTaker(Long.MAX_VALUE)) {
                FileLookup lookup = files.build(id, Optional.of(failing), this::readDataFile, DeletionVector.EMPTY, TestRemoteLookupFiles::noFallback).orElseThrow();
                assertFindsAll(lookup);
                lookup.close();
                assertThat(reads).as(step).isEqualTo(1);
                files.drop(id.dataFile());
                assertOnDisk(files, 0);
            }
        }
    }

    @Test
    void testFailingDiskIsNoError()
            throws IOException
    {
        LookupFileId id = upload("data-1.parquet", rows.lookupLayout(), fileIo);
        try (LocalLookupFiles files = openTaker(Long.MAX_VALUE)) {
            for (Runnable failure : List.<Runnable>of(() -> disk.failsToCreate = true, () -> disk.failsToWrite = true, () -> disk.failsToRead = true, () -> disk.failsToMove = true)) {
                failure.run();
                assertThat(files.build(id, Optional.of(fileIo), this::readDataFile, DeletionVector.EMPTY, TestRemoteLookupFiles::noFallback)).isEmpty();
                disk.failsToCreate = false;
                disk.failsToWrite = false;
                disk.failsToRead = false;
                disk.failsToMove = false;
                assertOnDisk(files, 0);
            }
            reads = 0;
            assertFindsAll(files, id);
            assertThat(reads).isZero();
        }
        try (LocalLookupFiles files = openTaker(10_000)) {
            // the bound is smaller than the file
            assertThat(files.build(id, Optional.of(fileIo), this::readDataFile, DeletionVector.EMPTY, TestRemoteLookupFiles::noFallback)).isEmpty();
            assertOnDisk(files, 0);
        }
    }

    /**
     * As a compaction would.
     */
    private LookupFileId upload(String name, LookupLayout layout, FileIo target)
            throws IOException
    {
        Path dataFile = new Path(new Path(bucket.toUri()), name);
        DataFileMeta file = rows.file(name);
        try (LocalLookupFiles files = new LocalLookupFiles(settings(directory.resolve("maker"), Long.MAX_VALUE), maker)) {
            DataFileListener listener = files.feed(layout, Optional.of(target));
            listener.started(dataFile);
            listener.written(rows.page(), 0, rows.count());
            LookupFileId id = new LookupFileId(dataFile.toString(), file.withExtraFiles(listener.finished(file)), layout);
            // what became of the copy is nothing to the maker
            assertThat(files.contains(id)).isTrue();
            return id;
        }
    }

    private LocalLookupFiles openTaker(long maxDiskBytes)
    {
        return new LocalLookupFiles(settings(directory.resolve("taker"), maxDiskBytes), taker, disk, () -> 1_000);
    }

    private static LookupFileSettings settings(java.nio.file.Path directory, long maxDiskBytes)
    {
        return new LookupFileSettings(directory, maxDiskBytes, 1 << 20, NEVER, LookupCompression.LZ4, 4096);
    }

    private static java.nio.file.Path copyOf(LookupFileId id)
    {
        java.nio.file.Path dataFile = java.nio.file.Path.of(new Path(id.dataFile()).toUri().getPath());
        return dataFile.resolveSibling(id.file().extraFiles().getFirst());
    }

    private PageStream readDataFile()
    {
        reads++;
        return rows.openRegularly();
    }

    private void assertFindsAll(LocalLookupFiles files, LookupFileId id)
            throws IOException
    {
        try (FileLookup lookup = files.build(id, Optional.of(fileIo), this::readDataFile, DeletionVector.EMPTY, TestRemoteLookupFiles::noFallback).orElseThrow()) {
            assertFindsAll(lookup);
        }
    }

    private void assertFindsAll(FileLookup lookup)
            throws IOException
    {
        ProbeKeys probes = new ProbeKeys();
        for (int row = 0; row < rows.count(); row++) {
            probes.add(0, rows.key(row), rows.page(), row);
        }
        LookupHits hits = new LookupHits();
        hits.reset(probes.count());
        lookup.probe(probes, 0, probes.count(), hits);
        for (int row = 0; row < probes.count(); row++) {
            assertThat(hits.rowPosition(row)).isEqualTo(row);
            assertThat(rows.actual(hits.page(row), hits.position(row))).isEqualTo(rows.expected(rows.key(row)));
        }
    }

    private void assertOnDisk(LocalLookupFiles files, int count)
            throws IOException
    {
        List<java.nio.file.Path> found = listed(directory.resolve("taker/0"));
        assertThat(found).hasSize(count);
        long bytes = 0;
        for (java.nio.file.Path path : found) {
            bytes += Files.size(path);
        }
        assertThat(files.getDiskBytes()).isEqualTo(bytes);
    }

    private static List<java.nio.file.Path> listed(java.nio.file.Path directory)
            throws IOException
    {
        try (Stream<java.nio.file.Path> found = Files.list(directory)) {
            // Hadoop keeps checksums of its own
            return found.filter(path -> !path.getFileName().toString().endsWith(".crc")).collect(ImmutableList.toImmutableList());
        }
    }

    private static FileLookup noFallback()
    {
        throw new AssertionError("the lookup file should be readable");
    }

    private static final class FailingStore
            extends ForwardingFileIo
    {
        private final String step;

        private FailingStore(FileIo delegate, String step)
        {
            super(delegate);
            this.step = step;
        }

        private void fail(String current)
                throws IOException
        {
            if (step.equals(current)) {
                throw new IOException("The store failed to " + current);
            }
        }

        @Override
        public OutputStream create(Path path)
                throws IOException
        {
            fail("create");
            return new FilterOutputStream(super.create(path))
            {
                @Override
                public void write(byte[] bytes, int offset, int length)
                        throws IOException
                {
                    fail("write");
                    out.write(bytes, offset, length);
                }

                @Override
                public void close()
                        throws IOException
                {
                    out.close();
                    fail("close");
                }
            };
        }

        @Override
        public FileEntry status(Path path)
                throws IOException
        {
            fail("status");
            return super.status(path);
        }

        @Override
        public FSDataInputStream open(Path path, long length)
                throws IOException
        {
            fail("open");
            FSDataInputStream input = super.open(path, length);
            if (step.equals("read")) {
                input.close();
            }
            return input;
        }
    }
}
