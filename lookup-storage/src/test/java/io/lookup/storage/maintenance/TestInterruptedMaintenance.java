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
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.table.AbstractOracleTest;
import io.lookup.storage.table.EngineTable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

import static io.lookup.storage.oracle.ChangeKind.DELETE;
import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The process ends before each change of the file system in turn: the table reads in both engines, and the next run ends where an
 * undisturbed one does.
 */
final class TestInterruptedMaintenance
        extends AbstractOracleTest
{
    private int tables;

    @Test
    void testExpiry()
            throws Exception
    {
        checkEachPoint(
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "num-levels", "3"),
                maintenance -> maintenance.createTag("kept", OptionalLong.of(4)),
                maintenance -> maintenance.expireSnapshots(Duration.ZERO, OptionalInt.of(2)));
    }

    @Test
    void testExpiryOfChangelogs()
            throws Exception
    {
        checkEachPoint(
                ImmutableMap.of("bucket", "1", "snapshot.num-retained.min", "2", "snapshot.num-retained.max", "2", "changelog.num-retained.min", "3", "changelog.num-retained.max", "3"),
                _ -> {},
                maintenance -> maintenance.expireSnapshots(Duration.ZERO, OptionalInt.of(2)));
    }

    @Test
    void testRollback()
            throws Exception
    {
        checkEachPoint(
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "num-levels", "3"),
                maintenance -> maintenance.createTag("gone", OptionalLong.of(9)),
                maintenance -> maintenance.rollbackToSnapshot(6));
    }

    @Test
    void testExpiryBesideBranch()
            throws Exception
    {
        checkEachPoint(
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "num-levels", "3"),
                maintenance -> {
                    maintenance.createTag("start", OptionalLong.of(4));
                    maintenance.createBranch("dev", Optional.of("start"));
                    maintenance.deleteTag("start");
                },
                maintenance -> maintenance.expireSnapshots(Duration.ZERO, OptionalInt.of(2)));
    }

    @Test
    void testOrphanFiles()
            throws Exception
    {
        checkEachPoint(
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "num-levels", "3"),
                maintenance -> {
                    maintenance.createTag("kept", OptionalLong.of(4));
                    maintenance.expireSnapshots(Duration.ZERO, OptionalInt.of(8));
                    // what came after is nobody's
                    maintenance.rollbackToSnapshot(10);
                },
                // the copies are as young as the test
                maintenance -> maintenance.removeOrphanFiles(Duration.ofMinutes(-1)));
    }

    private void checkEachPoint(Map<String, String> options, Consumer<TableMaintenance> preparation, Consumer<TableMaintenance> action)
            throws Exception
    {
        OracleTable original = paimon.createTable("default", "original", new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                options));
        EngineTable engine = engine(original, fileIo);
        Random random = new Random(1);
        Map<String, String> keepAll = options.containsKey("snapshot.num-retained.max") ?
                ImmutableMap.of("snapshot.num-retained.min", "99", "snapshot.num-retained.max", "99", "changelog.num-retained.min", "99", "changelog.num-retained.max", "99") :
                ImmutableMap.of();
        for (int commit = 0; commit < 7; commit++) {
            List<Change> changes = new ArrayList<>();
            for (int row = 0; row < 5; row++) {
                changes.add(new Change(random.nextInt(5) == 0 ? DELETE : INSERT, ImmutableList.of(random.nextInt(9), random.nextLong(100))));
            }
            engine.write(changes, keepAll);
        }
        preparation.accept(engine.open().maintenance());

        OracleTable undisturbed = copy(original);
        DyingFileIo counting = new DyingFileIo(fileIo, Integer.MAX_VALUE);
        action.accept(engine(undisturbed, counting).open().maintenance());
        assertThat(counting.changes).isGreaterThan(5);
        for (int point = 0; point < counting.changes; point++) {
            OracleTable table = copy(original);
            DyingFileIo dying = new DyingFileIo(fileIo, point);
            try {
                action.accept(engine(table, dying).open().maintenance());
            }
            catch (ProcessEnd _) {
                // as a kill does
            }
            SnapshotManager snapshots = engine(table, fileIo).open().snapshots();
            List<String> rows = engine(table, fileIo).readRows();
            assertThat(paimon.readTable(table).stream().map(Change::rowText).sorted().toList()).as("point %s", point).isEqualTo(rows);
            assertThat(rows).isEqualTo(engine(original, fileIo).readRows(engine(original, fileIo).open().snapshots().snapshot(snapshots.latestId().orElseThrow())));

            action.accept(engine(table, fileIo).open().maintenance());
            assertThat(files(table)).as("point %s", point).isEqualTo(files(undisturbed));
            engine(table, fileIo).write(ImmutableList.of(new Change(INSERT, ImmutableList.of(1, 1000L))));
            assertThat(paimon.readTable(table).stream().map(Change::rowText).sorted().toList()).isEqualTo(engine(table, fileIo).readRows());
        }
    }

    private OracleTable copy(OracleTable original)
            throws IOException
    {
        OracleTable copy = new OracleTable("default", "copy_" + tables++);
        try (Stream<Path> files = Files.walk(location(original))) {
            for (Path file : files.toList()) {
                Files.copy(file, location(copy).resolve(location(original).relativize(file).toString()));
            }
        }
        return copy;
    }

    private Set<String> files(OracleTable table)
            throws IOException
    {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(location(table))) {
            files.filter(Files::isRegularFile).forEach(file -> names.add(location(table).relativize(file).toString()));
        }
        return names;
    }

    private EngineTable engine(OracleTable table, FileIo io)
    {
        return new EngineTable(io, location(table), directory.resolve("spill"));
    }

    private static final class ProcessEnd
            extends Error
    {
        private static final long serialVersionUID = 1;
    }

    /**
     * Ends the process before the given change, and lets nothing happen afterwards.
     */
    private static final class DyingFileIo
            extends ForwardingFileIo
    {
        private final int last;
        private int changes;

        private DyingFileIo(FileIo delegate, int last)
        {
            super(delegate);
            this.last = last;
        }

        private synchronized void change()
        {
            if (changes >= last) {
                throw new ProcessEnd();
            }
            changes++;
        }

        @Override
        public void deleteFile(org.apache.hadoop.fs.Path path)
                throws IOException
        {
            change();
            super.deleteFile(path);
        }

        @Override
        public void overwrite(org.apache.hadoop.fs.Path path, byte[] content)
                throws IOException
        {
            change();
            super.overwrite(path, content);
        }

        @Override
        public boolean createExclusively(org.apache.hadoop.fs.Path path, byte[] content)
                throws IOException
        {
            change();
            return super.createExclusively(path, content);
        }
    }
}
