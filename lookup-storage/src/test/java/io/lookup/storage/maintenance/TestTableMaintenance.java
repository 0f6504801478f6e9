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
import io.lookup.storage.StorageException;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonMaintenance;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.table.AbstractOracleTest;
import io.lookup.storage.table.EngineTable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import static io.lookup.storage.oracle.ChangeKind.DELETE;
import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Each act is done by the engine on one copy of a table, and by Paimon on another: the same files must remain.
 */
final class TestTableMaintenance
        extends AbstractOracleTest
{
    private static final Map<String, String> LOOKUP = ImmutableMap.of("bucket", "2", "changelog-producer", "lookup", "num-levels", "4");

    @Test
    void testExpireSnapshots()
            throws Exception
    {
        for (Map<String, String> options : List.of(
                LOOKUP,
                ImmutableMap.of("bucket", "1", "merge-engine", "aggregation"),
                ImmutableMap.of("bucket", "1", "changelog-producer", "input", "num-sorted-run.compaction-trigger", "3"),
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "deletion-vectors.enabled", "true"))) {
            Tables tables = create("expired", options, 12);
            tables.paimon().expireSnapshots(3, Duration.ZERO);
            assertThat(tables.maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(3))).isGreaterThan(8);
            checkSame(tables);
            // nothing is left to do
            assertThat(tables.maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(3))).isZero();
            checkSame(tables);
            checkWritable(tables);
            drop(tables);
        }
    }

    @Test
    void testNothingIsOldEnough()
            throws Exception
    {
        Tables tables = create("young", LOOKUP, 4);
        Map<String, Long> before = files(tables.ours());
        assertThat(tables.maintenance().expireSnapshots(Duration.ofDays(1), OptionalInt.of(1))).isZero();
        before.put("snapshot/EARLIEST", 1L);
        assertThat(files(tables.ours())).isEqualTo(before);
    }

    @Test
    void testRetainedByOptions()
            throws Exception
    {
        Tables tables = create("options", ImmutableMap.<String, String>builder().putAll(LOOKUP).put("snapshot.num-retained.min", "4").buildOrThrow(), 10);
        tables.paimon().expireSnapshots(4, Duration.ZERO);
        tables.maintenance().expireSnapshots(Duration.ZERO, OptionalInt.empty());
        assertThat(snapshots(tables.ours()).ids()).hasSize(4);
        checkSame(tables);
    }

    @Test
    void testTagsKeepTheirFiles()
            throws Exception
    {
        for (String deletionVectors : List.of("false", "true")) {
            Tables tables = create("tagged", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "deletion-vectors.enabled", deletionVectors), 12);
            List<String> second = rows(tables.ours(), 4);
            tables.paimon().createTag("second", 4);
            tables.paimon().createTag("third", 9);
            tables.paimon().createTag("third too", 9);
            tables.maintenance().createTag("second", OptionalLong.of(4));
            tables.maintenance().createTag("third", OptionalLong.of(9));
            tables.maintenance().createTag("third too", OptionalLong.of(9));
            checkSame(tables);

            tables.paimon().expireSnapshots(2, Duration.ZERO);
            tables.maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(2));
            checkSame(tables);
            EngineTable engine = engine(tables.ours());
            assertThat(engine.readRows(engine.open().snapshots().tag("second").orElseThrow())).isEqualTo(second);

            for (String tag : List.of("third", "second", "third too")) {
                tables.paimon().deleteTag(tag);
                tables.maintenance().deleteTag(tag);
                checkSame(tables);
            }
            checkWritable(tables);
            drop(tables);
        }
    }

    @Test
    void testTagWithTimeToLive()
            throws Exception
    {
        Tables tables = create("aging", ImmutableMap.<String, String>builder().putAll(LOOKUP).put("tag.default-time-retained", "2 h").buildOrThrow(), 2);
        tables.paimon().createTag("t", 2);
        tables.maintenance().createTag("t", OptionalLong.of(2));
        assertThat(snapshots(tables.ours()).findTag("t").orElseThrow().timeRetained()).contains(Duration.ofHours(2));
        String ours = Files.readString(location(tables.ours()).resolve("tag/tag-t"));
        String theirs = Files.readString(location(tables.theirs()).resolve("tag/tag-t"));
        assertThat(ours.replaceAll("\"tagCreateTime\" : \\[[^]]*]", "")).isEqualTo(theirs.replaceAll("\"tagCreateTime\" : \\[[^]]*]", ""));
    }

    @Test
    void testRefusedTags()
            throws Exception
    {
        Tables tables = create("refused", LOOKUP, 2);
        TableMaintenance maintenance = tables.maintenance();
        maintenance.createTag("t", OptionalLong.empty());
        assertThatThrownBy(() -> maintenance.createTag("t", OptionalLong.of(1))).isInstanceOf(StorageException.class).hasMessageContaining("has a tag 't' already");
        assertThatThrownBy(() -> maintenance.createTag("u", OptionalLong.of(77))).isInstanceOf(StorageException.class).hasMessageContaining("has no snapshot 77");
        assertThatThrownBy(() -> maintenance.createTag(" ", OptionalLong.of(1))).isInstanceOf(StorageException.class).hasMessageContaining("cannot be the name of a tag");
        assertThatThrownBy(() -> maintenance.createTag("a/b", OptionalLong.of(1))).isInstanceOf(StorageException.class).hasMessageContaining("cannot be the name of a tag");
        assertThatThrownBy(() -> maintenance.deleteTag("u")).isInstanceOf(StorageException.class).hasMessageContaining("has no tag 'u'");
        assertThatThrownBy(() -> maintenance.rollbackToSnapshot(77)).isInstanceOf(StorageException.class).hasMessageContaining("has no snapshot 77");
    }

    @Test
    void testConsumersKeepWhatTheyHaveNotRead()
            throws Exception
    {
        Tables tables = create("consumed", LOOKUP, 10);
        paimon.maintenance(tables.ours()).consume("reader", 5);
        paimon.maintenance(tables.ours()).consume("other", 9);
        paimon.maintenance(tables.theirs()).consume("reader", 5);
        paimon.maintenance(tables.theirs()).consume("other", 9);
        tables.paimon().expireSnapshots(1, Duration.ZERO);
        tables.maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(1));
        assertThat(snapshots(tables.ours()).earliestId()).hasValue(5);
        checkSame(tables);
    }

    @Test
    void testConsumerFiles()
            throws Exception
    {
        Tables tables = create("reset", LOOKUP, 6);
        for (OracleTable table : List.of(tables.ours(), tables.theirs())) {
            paimon.maintenance(table).consume("moved", 2);
        }
        paimon.maintenance(tables.theirs()).consume("moved", 5);
        tables.maintenance().resetConsumer("moved", 5);
        paimon.maintenance(tables.theirs()).consume("made", 7);
        tables.maintenance().resetConsumer("made", 7);
        for (String consumer : List.of("moved", "made")) {
            assertThat(location(tables.ours()).resolve("consumer/consumer-" + consumer))
                    .hasSameTextualContentAs(location(tables.theirs()).resolve("consumer/consumer-" + consumer));
        }
        assertThatThrownBy(() -> tables.maintenance().resetConsumer("made", 77)).isInstanceOf(StorageException.class).hasMessageContaining("has no snapshot 77");
        assertThatThrownBy(() -> tables.maintenance().resetConsumer("a/b", 7)).isInstanceOf(StorageException.class).hasMessageContaining("cannot be the id of a consumer");
        assertThatThrownBy(() -> tables.maintenance().deleteConsumer("..\n")).isInstanceOf(StorageException.class).hasMessageContaining("cannot be the id of a consumer");
        assertThat(paimon.maintenance(tables.ours()).consumers()).containsExactlyInAnyOrderEntriesOf(ImmutableMap.of("moved", 5L, "made", 7L));

        tables.paimon().expireSnapshots(1, Duration.ZERO);
        tables.maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(1));
        assertThat(snapshots(tables.ours()).earliestId()).hasValue(5);
        checkSame(tables);
        tables.maintenance().deleteConsumer("moved");
        tables.maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(1));
        assertThat(snapshots(tables.ours()).earliestId()).hasValue(7);
        // whatever a file holds, its consumer can be forgotten
        Files.writeString(location(tables.ours()).resolve("consumer/consumer-broken"), "{");
        tables.maintenance().clearConsumers(id -> !id.equals("made"));
        assertThat(paimon.maintenance(tables.ours()).consumers()).containsOnlyKeys("made");
    }

    @Test
    void testLongLivedChangelog()
            throws Exception
    {
        for (String producer : List.of("lookup", "input", "none")) {
            Map<String, String> options = ImmutableMap.of(
                    "bucket", "1",
                    "changelog-producer", producer,
                    "num-sorted-run.compaction-trigger", "3",
                    "snapshot.num-retained.min", "2",
                    "snapshot.num-retained.max", "3",
                    "changelog.num-retained.min", "3",
                    "changelog.num-retained.max", "7");
            // by a writer that leaves everything, until now
            Tables tables = create("decoupled", options, 14);
            long latest = snapshots(tables.ours()).latestId().orElseThrow();
            List<Change> log = log(tables.ours(), latest - 5);
            for (int round = 0; round < 2; round++) {
                tables.paimon().expireByOptions();
                tables.maintenance().expireByOptions();
                checkSame(tables);
            }
            SnapshotManager snapshots = snapshots(tables.ours());
            assertThat(snapshots.ids()).hasSize(3);
            assertThat(snapshots.longLivedChangelog().ids()).hasSize(4);
            assertThat(snapshots.earliestChangelogId()).hasValue(latest - 6);
            assertThat(log(tables.ours(), latest - 5)).isEqualTo(log);
            checkWritable(tables);
            drop(tables);
        }
    }

    @Test
    void testCommitsExpire()
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "ours", definition(ImmutableMap.<String, String>builder().putAll(LOOKUP)
                .put("snapshot.num-retained.min", "2")
                .put("snapshot.num-retained.max", "4")
                .buildOrThrow()));
        EngineTable engine = engine(table);
        Random random = new Random(3);
        for (int commit = 0; commit < 8; commit++) {
            engine.write(randomChanges(random));
        }
        assertThat(snapshots(table).ids()).containsExactly(13L, 14L, 15L, 16L);
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));
        assertThat(paimon.orphanFiles(table)).isEmpty();
    }

    @Test
    void testBranchKeepsItsFiles()
            throws Exception
    {
        Tables tables = create("branched", LOOKUP, 10);
        PaimonMaintenance theirs = paimon.maintenance(tables.ours());
        theirs.createTag("base", 4);
        theirs.createBranch("b", "base");
        OracleTable branch = new OracleTable("default", tables.ours().name() + "$branch_b");
        List<String> rows = texts(paimon.readTable(branch));
        tables.maintenance().deleteTag("base");
        tables.maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(1));
        tables.maintenance().removeOrphanFiles(Duration.ofDays(-1));
        assertThat(snapshots(tables.ours()).ids()).hasSize(1);
        assertThat(texts(paimon.readTable(branch))).isEqualTo(rows);
    }

    @Test
    void testRollback()
            throws Exception
    {
        Tables tables = create("rolled", LOOKUP, 8);
        List<String> rows = rows(tables.ours(), 6);
        for (String tag : List.of("before", "after")) {
            long id = tag.equals("before") ? 4 : 10;
            tables.paimon().createTag(tag, id);
            tables.maintenance().createTag(tag, OptionalLong.of(id));
        }
        tables.paimon().rollbackTo(6);
        tables.maintenance().rollbackToSnapshot(6);
        checkSame(tables);
        assertThat(engine(tables.ours()).readRows()).isEqualTo(rows);
        assertThat(snapshots(tables.ours()).tags()).extracting("name").containsExactly("before");
        checkWritable(tables);
        // what was rolled back is nobody's now
        tables.maintenance().removeOrphanFiles(Duration.ofDays(-1));
        assertThat(paimon.orphanFiles(tables.ours())).isEmpty();
        checkWritable(tables);
    }

    @Test
    void testRollbackToTag()
            throws Exception
    {
        Tables tables = create("revived", LOOKUP, 8);
        List<String> rows = rows(tables.ours(), 4);
        tables.paimon().createTag("kept", 4);
        tables.maintenance().createTag("kept", OptionalLong.of(4));
        tables.paimon().expireSnapshots(2, Duration.ZERO);
        tables.maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(2));
        tables.paimon().rollbackTo(4);
        tables.maintenance().rollbackToSnapshot(4);
        // Paimon brings it back as it was, with a changelog whose files have expired, and its log cannot be read any more
        assertThat(snapshots(tables.theirs()).snapshot(4).changelogManifestList()).isPresent();
        assertThat(snapshots(tables.ours()).snapshot(4)).isEqualTo(snapshots(tables.ours()).tags().getFirst().snapshot().withoutChangelog());
        assertThat(files(tables.ours()).keySet()).isEqualTo(files(tables.theirs()).keySet());
        checkSameRows(tables);
        assertThat(engine(tables.ours()).readRows()).isEqualTo(rows);
        checkWritable(tables);
    }

    @Test
    void testRollbackOfChangelogs()
            throws Exception
    {
        Tables tables = create("unlogged", ImmutableMap.<String, String>builder().putAll(LOOKUP)
                .put("snapshot.num-retained.min", "2")
                .put("snapshot.num-retained.max", "3")
                .put("changelog.num-retained.max", "9")
                .buildOrThrow(), 8);
        tables.paimon().createTag("kept", 10);
        tables.maintenance().createTag("kept", OptionalLong.of(10));
        tables.paimon().expireByOptions();
        tables.maintenance().expireByOptions();
        tables.paimon().rollbackTo(10);
        tables.maintenance().rollbackToSnapshot(10);
        checkSame(tables);
        assertThat(snapshots(tables.ours()).longLivedChangelog().latestId()).hasValue(10);
    }

    @Test
    void testOrphanFiles()
            throws Exception
    {
        Tables tables = create("littered", ImmutableMap.of("bucket", "2", "changelog-producer", "lookup", "deletion-vectors.enabled", "true"), 6);
        Instant longAgo = Instant.now().minus(Duration.ofDays(10));
        for (OracleTable table : List.of(tables.ours(), tables.theirs())) {
            for (String name : List.of("manifest/manifest-left", "index/index-left", "statistics/stat-left", "bucket-0/data-left.parquet", "bucket-1/changelog-left.parquet", "snapshot/.snapshot-9.x.tmp", "changelog/left", "bucket-0/young.parquet")) {
                Path file = location(table).resolve(name);
                Files.createDirectories(file.getParent());
                Files.writeString(file, "left");
            }
            // known and unknown places where nothing is looked for
            for (String name : List.of("schema/left", "notes/left", "bucket-0.bak")) {
                Path file = location(table).resolve(name);
                Files.createDirectories(file.getParent());
                Files.writeString(file, "left");
            }
            try (Stream<Path> files = Files.walk(location(table))) {
                for (Path file : files.filter(Files::isRegularFile).filter(file -> !file.endsWith("young.parquet")).toList()) {
                    Files.setLastModifiedTime(file, FileTime.from(longAgo));
                }
            }
        }
        tables.paimon().removeOrphanFiles(Instant.now().minus(Duration.ofDays(7)).toEpochMilli());
        assertThat(tables.maintenance().removeOrphanFiles(Duration.ofDays(7))).isEqualTo(7);
        checkSame(tables);
        assertThat(location(tables.ours()).resolve("bucket-0/young.parquet")).exists();
        checkWritable(tables);
    }

    @Test
    void testOrphanFilesOfPartitions()
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "parts", new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("p", "STRING NOT NULL"), new Column("q", "INT NOT NULL")),
                ImmutableList.of("id", "p", "q"),
                ImmutableList.of("p", "q"),
                ImmutableMap.of("bucket", "1")));
        paimon.write(table, ImmutableList.of(new Change(INSERT, ImmutableList.of(1, "a/b", 3)), new Change(INSERT, ImmutableList.of(2, "c", 4))));
        Path left;
        try (Stream<Path> files = Files.walk(location(table))) {
            left = files.filter(file -> file.getFileName().toString().equals("bucket-0")).findFirst().orElseThrow().resolve("data-left.parquet");
        }
        Files.writeString(left, "left");
        TableMaintenance maintenance = engine(table).open().maintenance();
        assertThat(maintenance.removeOrphanFiles(Duration.ofDays(1))).isZero();
        assertThat(left).exists();
        assertThat(maintenance.removeOrphanFiles(Duration.ofDays(-1))).isEqualTo(1);
        assertThat(left).doesNotExist();
        assertThat(paimon.readTable(table)).hasSize(2);
    }

    @Test
    void testOrphansOfDamagedTable()
            throws Exception
    {
        Tables tables = create("damaged", LOOKUP, 3);
        Snapshot latest = snapshots(tables.ours()).latest().orElseThrow();
        Files.delete(location(tables.ours()).resolve("manifest").resolve(latest.baseManifestList()));
        Map<String, Long> before = files(tables.ours());
        assertThatThrownBy(() -> tables.maintenance().removeOrphanFiles(Duration.ofDays(-1)))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(latest.baseManifestList());
        assertThat(files(tables.ours())).isEqualTo(before);
    }

    /**
     * One table, and a copy of it for Paimon.
     */
    private record Tables(OracleTable ours, OracleTable theirs, TableMaintenance maintenance, PaimonMaintenance paimon) {}

    private Tables create(String name, Map<String, String> options, int commits)
            throws Exception
    {
        OracleTable ours = paimon.createTable("default", name, definition(options));
        EngineTable engine = engine(ours);
        Random random = new Random(5);
        for (int commit = 0; commit < commits; commit++) {
            // expiry is for the test to do
            if (options.keySet().stream().anyMatch(key -> key.contains("retained.m"))) {
                engine.write(randomChanges(random), ImmutableMap.of("snapshot.num-retained.min", "1000", "snapshot.num-retained.max", "1000", "changelog.num-retained.min", "1000", "changelog.num-retained.max", "1000"));
            }
            else {
                engine.write(randomChanges(random));
            }
        }
        OracleTable theirs = new OracleTable("default", name + "_theirs");
        Path target = location(ours).resolveSibling(theirs.name());
        try (Stream<Path> files = Files.walk(location(ours))) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(location(ours).relativize(file).toString()));
            }
        }
        return new Tables(ours, theirs, engine.open().maintenance(), paimon.maintenance(theirs));
    }

    private void drop(Tables tables)
            throws IOException
    {
        fileIo.deleteRecursively(new org.apache.hadoop.fs.Path(location(tables.ours()).toUri()));
        fileIo.deleteRecursively(new org.apache.hadoop.fs.Path(location(tables.theirs()).toUri()));
    }

    private static PaimonTableDefinition definition(Map<String, String> options)
    {
        return new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                options);
    }

    private static List<Change> randomChanges(Random random)
    {
        List<Change> changes = new ArrayList<>();
        for (int row = 0; row < 8; row++) {
            ChangeKind kind = random.nextInt(6) == 0 ? DELETE : INSERT;
            changes.add(new Change(kind, ImmutableList.of(random.nextInt(20), random.nextLong(1000))));
        }
        return changes;
    }

    private void checkSame(Tables tables)
            throws Exception
    {
        assertThat(files(tables.ours())).isEqualTo(files(tables.theirs()));
        checkSameRows(tables);
    }

    private void checkSameRows(Tables tables)
            throws Exception
    {
        assertThat(engine(tables.ours()).readRows()).isEqualTo(texts(paimon.readTable(tables.ours())));
        assertThat(texts(paimon.readTable(tables.ours()))).isEqualTo(texts(paimon.readTable(tables.theirs())));
        for (long id : snapshots(tables.ours()).ids()) {
            assertThat(rows(tables.ours(), id)).isEqualTo(texts(paimon.readTable(tables.ours(), id)));
        }
    }

    /**
     * Both engines go on with the table.
     */
    private void checkWritable(Tables tables)
            throws Exception
    {
        Random random = new Random(11);
        engine(tables.ours()).write(randomChanges(random));
        paimon.write(tables.ours(), randomChanges(random));
        engine(tables.ours()).write(randomChanges(random));
        assertThat(engine(tables.ours()).readRows()).isEqualTo(texts(paimon.readTable(tables.ours())));
    }

    /**
     * The names and sizes of a table's files, and what hints say.
     */
    private Map<String, Long> files(OracleTable table)
            throws IOException
    {
        Map<String, Long> result = new TreeMap<>();
        try (Stream<Path> files = Files.walk(location(table))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                boolean hint = file.endsWith("LATEST") || file.endsWith("EARLIEST");
                result.put(location(table).relativize(file).toString(), hint ? Long.parseLong(Files.readString(file)) : Files.size(file));
            }
        }
        return result;
    }

    private List<String> rows(OracleTable table, long snapshotId)
    {
        EngineTable engine = engine(table);
        return engine.readRows(engine.open().snapshots().snapshot(snapshotId));
    }

    private List<Change> log(OracleTable table, long fromId)
    {
        EngineTable engine = engine(table);
        return engine.open().snapshots().snapshots(fromId, Long.MAX_VALUE, true).stream()
                .flatMap(snapshot -> engine.readLog(snapshot).stream())
                .toList();
    }

    private static List<String> texts(List<Change> rows)
    {
        return rows.stream().map(Change::rowText).sorted().toList();
    }

    private SnapshotManager snapshots(OracleTable table)
    {
        return engine(table).open().snapshots();
    }
}
