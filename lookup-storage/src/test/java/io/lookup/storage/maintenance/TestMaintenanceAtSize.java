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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangelogReplay;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.table.AbstractOracleTest;
import io.lookup.storage.table.EngineTable;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Expiry of many snapshots and removal of many files: nothing that is in use goes, and the number of operations is in proportion.
 * The thorough run has 1,000 snapshots and 100,000 files, and prints what it took.
 */
final class TestMaintenanceAtSize
        extends AbstractOracleTest
{
    private static final boolean THOROUGH = Boolean.getBoolean("lookup.thorough");
    private static final int SNAPSHOTS = THOROUGH ? 1_000 : 60;
    private static final int ORPHANS = THOROUGH ? 100_000 : 2_000;
    private static final int KEPT = 20;

    @Test
    void testExpiry()
            throws Exception
    {
        OracleTable table = create();
        Map<Long, List<String>> states = new HashMap<>();
        EngineTable writer = engine(table);
        for (int statement = 0; writer.open().snapshots().latestId().orElse(0) < SNAPSHOTS; statement++) {
            writer.write(ImmutableList.of(new Change(INSERT, ImmutableList.of(statement % 50, (long) statement))));
            long latest = writer.open().snapshots().latestId().orElseThrow();
            if (latest > SNAPSHOTS - KEPT - 4 || latest % (SNAPSHOTS / 4) < 2) {
                states.put(latest, writer.readRows());
            }
        }
        long tagged = states.keySet().stream().mapToLong(Long::longValue).min().orElseThrow();
        writer.open().maintenance().createTag("kept", OptionalLong.of(tagged));
        long before = writer.open().snapshots().ids().size();

        Operations operations = new Operations();
        EngineTable maintained = new EngineTable(operations, location(table), directory.resolve("spill"));
        long start = System.nanoTime();
        long expired = maintained.open().maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(KEPT));
        print("expiry of %s snapshots", expired, start, operations);
        assertThat(expired).isEqualTo(before - KEPT);
        // a snapshot has some ten files
        assertThat(operations.total()).isLessThan(40 * expired);

        List<Snapshot> remaining = writer.snapshots();
        assertThat(remaining).hasSize(KEPT);
        for (Snapshot snapshot : remaining) {
            List<String> rows = ChangelogReplay.texts(paimon.readTable(table, snapshot.id()));
            assertThat(rows).isEqualTo(writer.readRows(snapshot));
            if (states.containsKey(snapshot.id())) {
                assertThat(rows).isEqualTo(states.get(snapshot.id()));
            }
        }
        assertThat(writer.readRows(writer.open().snapshots().tag("kept").orElseThrow())).isEqualTo(states.get(tagged));
        assertThat(paimon.orphanFiles(table)).isEmpty();
        writer.write(ImmutableList.of(new Change(INSERT, ImmutableList.of(1, 1L))));
    }

    @Test
    void testOrphans()
            throws Exception
    {
        OracleTable table = create();
        EngineTable writer = engine(table);
        for (long statement = 0; statement < 5; statement++) {
            writer.write(ImmutableList.of(new Change(INSERT, ImmutableList.of(1, statement))));
        }
        List<String> rows = writer.readRows();
        FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofDays(10)));
        for (int orphan = 0; orphan < ORPHANS; orphan++) {
            java.nio.file.Path file = location(table).resolve(switch (orphan % 3) {
                case 0 -> "bucket-0/data-left" + orphan + ".parquet";
                case 1 -> "bucket-1/changelog-left" + orphan + ".parquet";
                default -> "manifest/manifest-left" + orphan;
            });
            Files.createDirectories(file.getParent());
            Files.createFile(file);
            Files.setLastModifiedTime(file, longAgo);
        }
        Operations operations = new Operations();
        EngineTable maintained = new EngineTable(operations, location(table), directory.resolve("spill"));
        long start = System.nanoTime();
        assertThat(maintained.open().maintenance().removeOrphanFiles(Duration.ofDays(7))).isEqualTo(ORPHANS);
        print("removal of %s orphan files", ORPHANS, start, operations);
        assertThat(operations.deleted.get()).isEqualTo(ORPHANS);
        assertThat(operations.total()).isLessThan(ORPHANS + 200);
        assertThat(writer.readRows()).isEqualTo(rows);
        assertThat(ChangelogReplay.texts(paimon.readTable(table))).isEqualTo(rows);
        assertThat(paimon.orphanFiles(table)).isEmpty();
    }

    private OracleTable create()
            throws Exception
    {
        return paimon.createTable("default", "sized", new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "2", "changelog-producer", "lookup")));
    }

    private static void print(String what, long count, long start, Operations operations)
    {
        System.out.println("maintenance: %s: %s ms, %s lists and questions, %s read, %s deleted, %s written".formatted(
                what.formatted(count), (System.nanoTime() - start) / 1_000_000, operations.listed, operations.read, operations.deleted, operations.written));
    }

    private final class Operations
            extends ForwardingFileIo
    {
        private final AtomicLong listed = new AtomicLong();
        private final AtomicLong read = new AtomicLong();
        private final AtomicLong deleted = new AtomicLong();
        private final AtomicLong written = new AtomicLong();

        Operations()
        {
            super(fileIo);
        }

        long total()
        {
            return listed.get() + read.get() + deleted.get() + written.get();
        }

        @Override
        public FSDataInputStream open(Path path, long length)
                throws IOException
        {
            read.incrementAndGet();
            return super.open(path, length);
        }

        @Override
        public byte[] readFully(Path path)
                throws IOException
        {
            read.incrementAndGet();
            return super.readFully(path);
        }

        @Override
        public List<FileEntry> list(Path directory)
                throws IOException
        {
            listed.incrementAndGet();
            return super.list(directory);
        }

        @Override
        public boolean exists(Path path)
                throws IOException
        {
            listed.incrementAndGet();
            return super.exists(path);
        }

        @Override
        public void deleteFile(Path path)
                throws IOException
        {
            deleted.incrementAndGet();
            super.deleteFile(path);
        }

        @Override
        public void overwrite(Path path, byte[] content)
                throws IOException
        {
            written.incrementAndGet();
            super.overwrite(path, content);
        }
    }
}
