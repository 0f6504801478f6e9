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
package io.lookup.storage.filesystem;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestHadoopFileIo
{
    @TempDir
    private java.nio.file.Path directory;

    private HadoopFileIo fileIo;
    private Path root;

    @BeforeEach
    void setUp()
    {
        fileIo = new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of()));
        root = new Path(directory.toUri());
    }

    @AfterEach
    void tearDown()
            throws IOException
    {
        fileIo.close();
    }

    /**
     * By a second name of the same bytes on a local disk, by a copy elsewhere.
     */
    @Test
    void testDuplicatesLiveAlone()
            throws Exception
    {
        byte[] content = new byte[200_000];
        new Random(1).nextBytes(content);
        for (FileIo files : List.of(fileIo, new ForwardingFileIo(fileIo))) {
            Path file = new Path(root, "original");
            Path duplicate = new Path(root, "duplicate");
            try (OutputStream output = files.create(file)) {
                output.write(content);
            }
            assertThat(files.duplicate(file, duplicate, content.length)).isEqualTo(content.length);
            assertThat(files.readFully(duplicate)).isEqualTo(content);
            assertThat(Files.isSameFile(directory.resolve("original"), directory.resolve("duplicate"))).isEqualTo(files == fileIo);
            assertThatThrownBy(() -> files.duplicate(new Path(root, "missing"), new Path(root, "other"), 1))
                    .isInstanceOf(IOException.class);
            files.deleteFile(file);
            assertThat(files.readFully(duplicate)).isEqualTo(content);
            files.deleteFile(duplicate);
        }
        assertThat(directory).isEmptyDirectory();
    }

    /**
     * Both ways of exclusive creation: hard links on the local disk, and what other file systems get.
     */
    @Test
    void testOneExclusiveCreatorWins()
            throws Exception
    {
        int creators = 6;
        try (ExecutorService executor = Executors.newFixedThreadPool(creators)) {
            CyclicBarrier barrier = new CyclicBarrier(creators);
            for (int round = 0; round < 200; round++) {
                Path file = new Path(root, "snapshot/snapshot-" + round);
                List<Future<Boolean>> results = new ArrayList<>();
                for (int creator = 0; creator < creators; creator++) {
                    byte[] content = ("creator " + creator + " ").repeat(500).getBytes(UTF_8);
                    results.add(executor.submit(() -> {
                        barrier.await();
                        return fileIo.createExclusively(file, content);
                    }));
                }
                int winner = -1;
                for (int creator = 0; creator < creators; creator++) {
                    if (results.get(creator).get()) {
                        assertThat(winner).as("second winner in round %s", round).isEqualTo(-1);
                        winner = creator;
                    }
                }
                assertThat(winner).isNotEqualTo(-1);
                assertThat(fileIo.readFully(file)).isEqualTo(("creator " + winner + " ").repeat(500).getBytes(UTF_8));
            }
        }
        try (Stream<java.nio.file.Path> files = Files.list(directory.resolve("snapshot"))) {
            assertThat(files.filter(path -> !path.getFileName().toString().startsWith("snapshot-"))).isEmpty();
        }
    }

    @Test
    void testExclusiveCreationDoesNotTouchWhatIsThere()
            throws Exception
    {
        Path file = new Path(root, "a");
        assertThat(fileIo.createExclusively(file, bytes("same"))).isTrue();
        assertThat(fileIo.createExclusively(file, bytes("same"))).isFalse();
        assertThat(fileIo.createExclusively(file, bytes("other"))).isFalse();
        assertThat(fileIo.readFully(file)).isEqualTo(bytes("same"));
        Files.createDirectories(directory.resolve("d"));
        assertThat(fileIo.createExclusively(new Path(root, "d"), bytes("x"))).isFalse();
    }

    @Test
    void testCreateAndRead()
            throws Exception
    {
        byte[] content = new byte[300_001];
        new Random(7).nextBytes(content);
        Path file = new Path(root, "pt=a%2Fb ü/bucket-0/data-1.parquet");
        try (OutputStream output = fileIo.create(file)) {
            output.write(content[0]);
            output.write(content, 1, 1000);
            output.flush();
            output.write(content, 1001, 200_000);
            output.write(content, 201_001, 99_000);
        }
        assertThat(fileIo.readFully(file)).isEqualTo(content);
        assertThat(fileIo.exists(file)).isTrue();
        FileEntry entry = fileIo.status(file);
        assertThat(entry.length()).isEqualTo(content.length);
        assertThat(entry.directory()).isFalse();
        assertThat(entry.path()).isEqualTo(file);
        assertThat(entry.modificationTimeMillis()).isCloseTo(System.currentTimeMillis(), Offset.offset(60_000L));
        for (long length : new long[] {content.length, -1}) {
            try (FSDataInputStream input = fileIo.open(file, length)) {
                byte[] part = new byte[50];
                input.readFully(250_000, part);
                assertThat(part).isEqualTo(Arrays.copyOfRange(content, 250_000, 250_050));
            }
        }
        // no checksum files
        assertThat(fileIo.list(file.getParent())).containsExactly(entry);
        assertThatThrownBy(() -> fileIo.create(file)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void testMissingFiles()
            throws Exception
    {
        Path missing = new Path(root, "x/y");
        assertThatThrownBy(() -> fileIo.open(missing, 5)).isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> fileIo.readFully(missing)).isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> fileIo.status(missing)).isInstanceOf(FileNotFoundException.class);
        assertThat(fileIo.exists(missing)).isFalse();
        assertThat(fileIo.list(missing)).isEmpty();
        fileIo.deleteFile(missing);
        fileIo.deleteRecursively(missing);
        assertThat(fileIo.renameDirectory(missing, new Path(root, "z"))).isFalse();
    }

    @Test
    void testOverwriteIsNeverSeenHalf()
            throws Exception
    {
        Path file = new Path(root, "LATEST");
        fileIo.overwrite(file, bytes("1".repeat(5000)));
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<?> writer = executor.submit(() -> {
                for (int round = 0; round < 300; round++) {
                    fileIo.overwrite(file, bytes(Integer.toString(round % 10).repeat(5000)));
                }
                return null;
            });
            while (!writer.isDone()) {
                String content = new String(fileIo.readFully(file), UTF_8);
                assertThat(content).hasSize(5000);
                assertThat(content.chars().distinct().count()).isEqualTo(1);
            }
            writer.get();
        }
        assertThat(fileIo.list(root)).hasSize(1);
    }

    @Test
    void testDirectories()
            throws Exception
    {
        Path source = new Path(root, "s.db/a");
        Path target = new Path(root, "other.db/b");
        fileIo.createExclusively(new Path(source, "schema/schema-0"), bytes("0"));
        fileIo.createDirectories(new Path(root, "full"));
        fileIo.createDirectories(new Path(root, "full"));
        assertThat(fileIo.status(new Path(root, "full")).directory()).isTrue();
        assertThat(fileIo.renameDirectory(source, new Path(root, "full"))).isFalse();
        assertThat(fileIo.renameDirectory(source, target)).isTrue();
        assertThat(fileIo.exists(source)).isFalse();
        assertThat(fileIo.readFully(new Path(target, "schema/schema-0"))).isEqualTo(bytes("0"));
        assertThatThrownBy(() -> fileIo.deleteFile(target)).isInstanceOf(IOException.class);
        fileIo.deleteRecursively(target);
        assertThat(fileIo.exists(target)).isFalse();
        fileIo.overwrite(new Path(root, "file"), bytes("x"));
        assertThatThrownBy(() -> fileIo.createDirectories(new Path(root, "file/below"))).isInstanceOf(IOException.class);
    }

    /**
     * In a server, threads carry loaders that do not see Hadoop.
     */
    @Test
    void testForeignContextClassLoader()
            throws Exception
    {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader foreign = new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader());
                HadoopFileIo other = withLoader(foreign)) {
            assertThat(other.createExclusively(new Path(root, "a"), bytes("x"))).isTrue();
            assertThat(other.readFully(new Path(root, "a"))).isEqualTo(bytes("x"));
            assertThat(other.list(root)).hasSize(1);
            assertThat(thread.getContextClassLoader()).isSameAs(foreign);
        }
        finally {
            thread.setContextClassLoader(before);
        }
    }

    private static HadoopFileIo withLoader(ClassLoader loader)
    {
        Thread.currentThread().setContextClassLoader(loader);
        return new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of()));
    }

    @Test
    void testInterruptedReadIsAnIoException()
            throws Exception
    {
        Path file = new Path(root, "interrupted");
        fileIo.overwrite(file, bytes("content"));
        try (FSDataInputStream input = fileIo.open(file, 7)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> input.readFully(1, new byte[3])).isInstanceOf(IOException.class);
        }
        finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        try (FSDataInputStream input = fileIo.open(file, 7)) {
            assertThat(input.readNBytes(9)).isEqualTo(bytes("content"));
        }
    }

    /**
     * File systems other than the local disk get a rename that must fail on an existing target.
     */
    @Test
    void testCreateByRename()
            throws Exception
    {
        try (RenamingFileSystem fileSystem = new RenamingFileSystem()) {
            fileSystem.initialize(URI.create("file:///"), new Configuration());
            Path file = new Path(root, "r/snapshot-1");
            assertThat(RemoteExclusiveFiles.createByRename(fileSystem, file, bytes("first"))).isTrue();
            assertThat(RemoteExclusiveFiles.createByRename(fileSystem, file, bytes("second"))).isFalse();

            // the name is taken between looking and renaming
            Path raced = new Path(root, "r/snapshot-2");
            fileSystem.beforeRename = () -> Files.write(directory.resolve("r/snapshot-2"), bytes("theirs"));
            assertThat(RemoteExclusiveFiles.createByRename(fileSystem, raced, bytes("ours"))).isFalse();

            // the rename happened, but its answer was lost
            Path lost = new Path(root, "r/snapshot-3");
            fileSystem.beforeRename = () -> {
                Files.write(directory.resolve("r/snapshot-3"), bytes("ours"));
                throw new IOException("connection lost");
            };
            assertThat(RemoteExclusiveFiles.createByRename(fileSystem, lost, bytes("ours"))).isTrue();

            // nothing happened
            fileSystem.beforeRename = () -> {
                throw new IOException("connection lost");
            };
            assertThatThrownBy(() -> RemoteExclusiveFiles.createByRename(fileSystem, new Path(root, "r/snapshot-4"), bytes("ours")))
                    .isInstanceOf(IOException.class)
                    .hasMessage("connection lost");
        }
        assertThat(fileIo.list(new Path(root, "r"))).extracting(entry -> entry.path().getName())
                .containsExactlyInAnyOrder("snapshot-1", "snapshot-2", "snapshot-3");
    }

    /**
     * A store that cannot promise conditional creation must refuse, not overwrite.
     */
    @Test
    void testConditionalCreationIsDemanded()
            throws Exception
    {
        try (RawLocalFileSystem fileSystem = new RawLocalFileSystem()) {
            fileSystem.initialize(URI.create("file:///"), new Configuration());
            assertThatThrownBy(() -> RemoteExclusiveFiles.createConditionally(fileSystem, new Path(root, "c"), bytes("x")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("fs.option.create.conditional.overwrite");
            assertThat(fileIo.exists(new Path(root, "c"))).isFalse();
        }
    }

    @Test
    void testProbe()
            throws Exception
    {
        WarehouseProbe probe = new WarehouseProbe(fileIo);
        Path warehouse = new Path(root, "warehouse");
        probe.checkReachable(warehouse);
        probe.checkWritable(warehouse);
        assertThat(fileIo.list(warehouse)).isEmpty();

        Files.writeString(directory.resolve("file"), "x");
        assertThatThrownBy(() -> probe.checkReachable(new Path(root, "file")))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.WAREHOUSE_UNREACHABLE))
                .hasMessageContaining(directory + "/file");
        assertThatThrownBy(() -> probe.checkReachable(new Path(root, "file/below/deep")))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.WAREHOUSE_UNREACHABLE))
                .hasMessageContaining(directory + "/file/below/deep cannot be made");
        assertThatThrownBy(() -> probe.checkWritable(new Path(root, "file/below")))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.WAREHOUSE_NOT_WRITABLE))
                .hasMessageContaining(directory + "/file/below");
        assertThatThrownBy(() -> probe.checkReachable(new Path("nosuch://host/path")))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.WAREHOUSE_UNREACHABLE))
                .hasMessageContaining("nosuch://host/path");
    }

    @Test
    void testProbeFindsAStoreWhereBothWin()
    {
        WarehouseProbe probe = new WarehouseProbe(new OverwritingFileIo(fileIo));
        assertThatThrownBy(() -> probe.checkWritable(root))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.WAREHOUSE_NOT_WRITABLE))
                .hasMessageContainingAll(root.toString(), "two creators");
    }

    @Test
    void testConfigurations()
            throws Exception
    {
        java.nio.file.Path first = Files.writeString(directory.resolve("one.xml"), "<configuration><property><name>a</name><value>1</value></property><property><name>b</name><value>1</value></property></configuration>");
        java.nio.file.Path second = Files.writeString(directory.resolve("two.xml"), "<configuration><property><name>b</name><value>2</value></property><property><name>c</name><value>2</value></property></configuration>");
        Configuration configuration = HadoopConfigurations.create(ImmutableMap.of("c", "3"), ImmutableList.of(first.toString(), second.toString()));
        assertThat(configuration.get("a")).isEqualTo("1");
        assertThat(configuration.get("b")).isEqualTo("2");
        assertThat(configuration.get("c")).isEqualTo("3");
        assertThat(configuration.get("fs.s3a.input.stream.type")).isEqualTo("classic");
        assertThat(HadoopConfigurations.create(ImmutableMap.of("fs.s3a.input.stream.type", "analytics"), ImmutableList.of()).get("fs.s3a.input.stream.type")).isEqualTo("analytics");
        // S3A buffers uploads on the local file system, and insists on the usual one
        assertThat(FileSystem.getLocal(configuration)).isInstanceOf(LocalFileSystem.class);

        java.nio.file.Path broken = Files.writeString(directory.resolve("broken.xml"), "<configuration><property>");
        for (String bad : ImmutableList.of(broken.toString(), directory.resolve("missing.xml").toString(), directory.toString())) {
            assertThatThrownBy(() -> HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of(bad)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(bad);
        }
    }

    @Test
    void testFileNumbers()
    {
        assertThat(FileNumber.parse("snapshot-12", "snapshot-")).hasValue(12);
        for (String name : ImmutableList.of("snapshot-", "snapshot", "snapshot-1x", "snapshot--1", ".snapshot-1.u.tmp", "snapshot-9999999999999999999", "LATEST", "")) {
            assertThat(FileNumber.parse(name, "snapshot-")).isEmpty();
        }
    }

    private static byte[] bytes(String text)
    {
        return text.getBytes(UTF_8);
    }

    private interface Action
    {
        void run()
                throws IOException;
    }

    /**
     * Like HDFS: rename reports false if the target exists.
     */
    private static final class RenamingFileSystem
            extends RawLocalFileSystem
    {
        private Action beforeRename = () -> {};

        @Override
        public boolean rename(Path source, Path target)
                throws IOException
        {
            beforeRename.run();
            return !exists(target) && super.rename(source, target);
        }
    }
}
