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
package io.lookup.trino.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.filesystem.WarehouseProbe;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What the engine asks of a file system, on an HDFS cluster.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TestFilesOnHdfs
{
    private static final int RACES = Boolean.getBoolean("lookup.thorough") ? 500 : 50;

    private HdfsProcess cluster;
    private Path warehouse;
    private Configuration configuration;
    private HadoopFileIo fileIo;

    @BeforeAll
    void start(@TempDir java.nio.file.Path folder)
            throws Exception
    {
        cluster = HdfsProcess.start(folder);
        warehouse = new Path(cluster.uri() + "/lake/warehouse");
        // small blocks, so that files of more than one are written too
        configuration = configuration(ImmutableMap.of("dfs.blocksize", "1m"));
        fileIo = new HadoopFileIo(configuration);
    }

    @AfterAll
    void stop()
            throws Exception
    {
        fileIo.close();
        cluster.close();
    }

    private static Configuration configuration(Map<String, String> properties)
    {
        return HadoopConfigurations.create(properties, ImmutableList.of());
    }

    private Path file(String name)
    {
        return new Path(warehouse, "files/" + name);
    }

    @Test
    void testRacingCreators()
            throws Exception
    {
        try (ExecutorService executor = Executors.newFixedThreadPool(2);
                HadoopFileIo other = new HadoopFileIo(configuration)) {
            for (int race = 0; race < RACES; race++) {
                Path file = file("races/snapshot-" + race);
                List<Callable<Boolean>> creators = List.of(
                        () -> fileIo.createExclusively(file, "creator 0".getBytes(UTF_8)),
                        () -> other.createExclusively(file, "creator 1".getBytes(UTF_8)));
                List<Boolean> won = new ArrayList<>();
                for (Future<Boolean> result : executor.invokeAll(creators)) {
                    won.add(result.get());
                }
                assertThat(won).as("race %s", race).containsExactlyInAnyOrder(true, false);
                assertThat(fileIo.readFully(file)).asString(UTF_8).isEqualTo("creator " + won.indexOf(true));
            }
        }
        assertThat(names(file("races"))).hasSize(RACES).allMatch(name -> name.startsWith("snapshot-"));
    }

    /**
     * A hint that two replace at once is one of theirs at any time, never missing, empty or refused.
     */
    @Test
    void testReplacingAtOnce()
            throws Exception
    {
        Path hint = file("hints/LATEST");
        fileIo.overwriteHint(hint, "100".getBytes(UTF_8));
        try (ExecutorService executor = Executors.newFixedThreadPool(3);
                HadoopFileIo other = new HadoopFileIo(configuration)) {
            List<Callable<Void>> tasks = List.of(() -> replace(fileIo, hint, 200), () -> replace(other, hint, 300), () -> {
                for (int read = 0; read < RACES; read++) {
                    assertThat(new String(fileIo.readFully(hint), UTF_8)).matches("[123]\\d\\d");
                }
                return null;
            });
            for (Future<Void> task : executor.invokeAll(tasks)) {
                task.get();
            }
        }
        assertThat(names(file("hints"))).containsExactly("LATEST");
    }

    private static Void replace(FileIo fileIo, Path hint, int from)
            throws IOException
    {
        for (int write = 0; write < 50; write++) {
            fileIo.overwriteHint(hint, String.valueOf(from + write).getBytes(UTF_8));
        }
        return null;
    }

    @Test
    void testRenamesWithoutAnswer()
            throws Exception
    {
        Configuration lossy = configuration(ImmutableMap.of("fs.hdfs.impl", LossyHdfs.class.getName()));
        try (HadoopFileIo losing = new HadoopFileIo(lossy)) {
            Path directory = file("lossy");
            fileIo.createDirectories(directory);
            LossyHdfs.next = LossyHdfs.Loss.ANSWER;
            assertThat(losing.createExclusively(new Path(directory, "snapshot-1"), "ours".getBytes(UTF_8))).isTrue();

            LossyHdfs.next = LossyHdfs.Loss.REQUEST;
            assertThatThrownBy(() -> losing.createExclusively(new Path(directory, "snapshot-2"), "ours".getBytes(UTF_8)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no answer");

            // what arrives after the caller was told finds nothing to rename
            LossyHdfs.next = LossyHdfs.Loss.DELAY;
            assertThatThrownBy(() -> losing.createExclusively(new Path(directory, "snapshot-3"), "ours".getBytes(UTF_8)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no answer");
            assertThatThrownBy(LossyHdfs.delayed::call).isInstanceOf(FileNotFoundException.class);

            assertThat(fileIo.createExclusively(new Path(directory, "snapshot-4"), "theirs".getBytes(UTF_8))).isTrue();
            LossyHdfs.next = LossyHdfs.Loss.ANSWER;
            assertThat(losing.createExclusively(new Path(directory, "snapshot-4"), "ours".getBytes(UTF_8))).isFalse();
            assertThat(names(directory)).containsExactlyInAnyOrder("snapshot-1", "snapshot-4");
            assertThat(fileIo.readFully(new Path(directory, "snapshot-4"))).asString(UTF_8).isEqualTo("theirs");
        }
    }

    /**
     * A writer that was killed leaves a file open whose lease nobody renews. It stands in nobody's way.
     */
    @Test
    void testFileOfADeadWriter()
            throws Exception
    {
        Path directory = file("abandoned");
        Path temporary = new Path(directory, ".snapshot-1.f.tmp");
        try (FileSystem dying = FileSystem.newInstance(warehouse.toUri(), configuration)) {
            FSDataOutputStream output = dying.create(temporary, false);
            output.write("half".getBytes(UTF_8));
            output.hflush();

            assertThat(fileIo.createExclusively(new Path(directory, "snapshot-1"), "whole".getBytes(UTF_8))).isTrue();
            fileIo.deleteFile(temporary);
            assertThat(names(directory)).containsExactly("snapshot-1");
            assertThatThrownBy(output::close)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("File does not exist: " + temporary.toUri().getPath());
        }
    }

    @Test
    void testEveryBlockIsSynced()
            throws Exception
    {
        byte[] content = new byte[2_500_000];
        long before = syncs();
        try (OutputStream output = fileIo.create(file("blocks"))) {
            output.write(content);
        }
        waitForSyncs(before + 3);
        assertThat(fileIo.status(file("blocks")).length()).isEqualTo(content.length);
        byte[] part = new byte[10];
        try (FSDataInputStream input = fileIo.open(file("blocks"), content.length)) {
            // across the end of a block
            input.readFully((1 << 20) - 5, part);
        }
        assertThat(part).containsOnly(0);

        before = syncs();
        assertThat(fileIo.createExclusively(file("synced"), "x".getBytes(UTF_8))).isTrue();
        waitForSyncs(before + 1);
    }

    /**
     * The data node's figures lag behind by a second.
     */
    private void waitForSyncs(long expected)
            throws Exception
    {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (syncs() < expected) {
            assertThat(System.nanoTime()).as("%s syncs, expected %s", syncs(), expected).isLessThan(end);
            Thread.sleep(100);
        }
    }

    private long syncs()
            throws IOException
    {
        URI uri = URI.create("http://localhost:%s/jmx?qry=Hadoop:service=DataNode,name=DataNodeActivity*".formatted(cluster.dataNodePort()));
        return new ObjectMapper().readTree(uri.toURL()).get("beans").get(0).get("FsyncCount").asLong();
    }

    @Test
    void testDirectories()
            throws Exception
    {
        Path source = file("moved/source");
        Path target = file("moved/target");
        assertThat(fileIo.renameDirectory(source, target)).isFalse();
        fileIo.createDirectories(new Path(source, "deep/deeper"));
        fileIo.createDirectories(target);
        assertThat(fileIo.renameDirectory(source, target)).isFalse();
        assertThat(names(target)).isEmpty();
        assertThatThrownBy(() -> fileIo.renameDirectory(source, file("nowhere/target"))).isInstanceOf(IOException.class);
        fileIo.deleteRecursively(target);
        assertThat(fileIo.renameDirectory(source, target)).isTrue();
        assertThat(fileIo.list(file("moved"))).extracting(FileIo.FileEntry::path).containsExactly(target);
        fileIo.deleteRecursively(target);
        fileIo.deleteRecursively(target);
        assertThat(fileIo.exists(target)).isFalse();
        assertThat(fileIo.list(target)).isEmpty();
    }

    /**
     * The cluster of the configuration, which the warehouse does not name.
     */
    @Test
    void testDefaultCluster()
            throws Exception
    {
        try (HadoopFileIo unnamed = new HadoopFileIo(configuration(ImmutableMap.of("fs.defaultFS", cluster.uri())))) {
            Path place = new Path("hdfs:///lake/unnamed");
            new WarehouseProbe(unnamed).checkReachable(place);
            new WarehouseProbe(unnamed).checkWritable(place);
            assertThat(unnamed.createExclusively(new Path(place, "x"), "x".getBytes(UTF_8))).isTrue();
            assertThat(unnamed.list(place)).extracting(entry -> entry.path().getName()).containsExactly("x");
        }
    }

    @Test
    void testUsers()
            throws Exception
    {
        Path open = new Path(cluster.uri() + "/open");
        try (FileSystem fileSystem = FileSystem.newInstance(warehouse.toUri(), configuration);
                HadoopFileIo alice = new HadoopFileIo(configuration, Optional.of("alice"))) {
            fileSystem.mkdirs(open);
            fileSystem.setPermission(open, new FsPermission((short) 0777));
            WarehouseProbe probe = new WarehouseProbe(alice);
            probe.checkReachable(new Path(open, "w"));
            probe.checkWritable(new Path(open, "w"));
            try (OutputStream output = alice.create(new Path(open, "w/file"))) {
                output.write(1);
            }
            FileStatus status = fileSystem.getFileStatus(new Path(open, "w/file"));
            assertThat(status.getOwner()).isEqualTo("alice");

            assertThatThrownBy(() -> probe.checkWritable(new Path(cluster.uri() + "/closed")))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.WAREHOUSE_NOT_WRITABLE))
                    .hasMessageContainingAll("/closed", "Permission denied: user=alice");
        }
    }

    @Test
    void testOtherAuthenticationIsRefused()
            throws Exception
    {
        try (HadoopFileIo secure = new HadoopFileIo(configuration(ImmutableMap.of("hadoop.security.authentication", "kerberos")))) {
            assertThatThrownBy(() -> new WarehouseProbe(secure).checkReachable(warehouse))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.WAREHOUSE_UNREACHABLE))
                    .hasMessageContainingAll(warehouse.toString(), "hadoop.security.authentication is kerberos");
        }
    }

    private List<String> names(Path directory)
            throws IOException
    {
        return fileIo.list(directory).stream().map(entry -> entry.path().getName()).collect(toImmutableList());
    }
}
