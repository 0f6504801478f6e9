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
package io.lookup.storage.snapshot;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.tag.Tag;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestSnapshotFiles
{
    private static final Path FILE = new Path("file:///warehouse/s.db/t/snapshot/snapshot-7");

    @TempDir
    private java.nio.file.Path directory;

    private SnapshotManager manager;
    private org.apache.paimon.utils.SnapshotManager paimon;

    @BeforeEach
    void setUp()
    {
        HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of()));
        manager = new SnapshotManager(fileIo, new Path(directory.toUri()));
        paimon = new org.apache.paimon.utils.SnapshotManager(LocalFileIO.create(), new org.apache.paimon.fs.Path(directory.toUri()), "main", null, null);
    }

    static Snapshot snapshot(long id, long timeMillis)
    {
        return new Snapshot(
                3, id, 0, "manifest-list-a-0", OptionalLong.of(100), "manifest-list-a-1", OptionalLong.of(200), Optional.empty(), OptionalLong.empty(), Optional.empty(),
                "user", Long.MAX_VALUE, CommitKind.APPEND, timeMillis, 10, 10, OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), ImmutableMap.of(), OptionalLong.empty());
    }

    private static Snapshot fullSnapshot(Map<String, String> properties)
    {
        return new Snapshot(
                3, 7, 2, "manifest-list-a-0", OptionalLong.of(100), "manifest-list-a-1", OptionalLong.of(200), Optional.of("manifest-list-a-2"), OptionalLong.of(300),
                Optional.of("index-manifest-b-0"), "user \"ü\"", 5, CommitKind.COMPACT, 1_796_014_505_848L, 12, -3, OptionalLong.of(4), OptionalLong.of(Long.MIN_VALUE),
                Optional.of("stat-c-0"), properties, OptionalLong.of(0));
    }

    @Test
    void testFilesAreThoseOfPaimon()
    {
        for (Snapshot snapshot : ImmutableList.of(snapshot(7, 1), fullSnapshot(ImmutableMap.of()), fullSnapshot(ImmutableMap.of("trino.query-id", "q", "trino.user", "u")))) {
            String json = new String(SnapshotJson.write(snapshot), UTF_8);
            org.apache.paimon.Snapshot expected = org.apache.paimon.Snapshot.fromJson(json);
            assertThat(expected.toJson()).isEqualTo(json);
            assertThat(SnapshotJson.read(FILE, expected.toJson().getBytes(UTF_8))).isEqualTo(snapshot);
        }
        org.apache.paimon.Snapshot full = org.apache.paimon.Snapshot.fromJson(new String(SnapshotJson.write(fullSnapshot(ImmutableMap.of("a", "b"))), UTF_8));
        assertThat(full.id()).isEqualTo(7);
        assertThat(full.schemaId()).isEqualTo(2);
        assertThat(full.baseManifestListSize()).isEqualTo(100);
        assertThat(full.changelogManifestList()).isEqualTo("manifest-list-a-2");
        assertThat(full.changelogManifestListSize()).isEqualTo(300);
        assertThat(full.indexManifest()).isEqualTo("index-manifest-b-0");
        assertThat(full.commitUser()).isEqualTo("user \"ü\"");
        assertThat(full.commitKind().name()).isEqualTo("COMPACT");
        assertThat(full.deltaRecordCount()).isEqualTo(-3);
        assertThat(full.changelogRecordCount()).isEqualTo(4);
        assertThat(full.watermark()).isEqualTo(Long.MIN_VALUE);
        assertThat(full.statistics()).isEqualTo("stat-c-0");
        assertThat(full.properties()).containsEntry("a", "b");
    }

    @Test
    void testEveryTruncationIsNoticed()
    {
        byte[] whole = SnapshotJson.write(fullSnapshot(ImmutableMap.of("a", "b")));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> SnapshotJson.read(FILE, cut))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                    .hasMessageContaining("snapshot-7");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "schemaId", "baseManifestList", "deltaManifestList", "commitUser", "commitIdentifier", "commitKind", "timeMillis", "totalRecordCount", "deltaRecordCount"})
    void testMissingMemberIsNamed(String member)
    {
        String json = new String(SnapshotJson.write(snapshot(7, 1)), UTF_8);
        String renamed = json.replace("\"%s\"".formatted(member), "\"other\"");
        assertThatThrownBy(() -> SnapshotJson.read(FILE, renamed.getBytes(UTF_8)))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContainingAll("snapshot-7", "'" + member + "'");
    }

    @Test
    void testBadMembers()
    {
        String json = new String(SnapshotJson.write(snapshot(7, 1)), UTF_8);
        for (String bad : ImmutableList.of(
                json.replace("\"APPEND\"", "\"SHRINK\""),
                json.replace("\"timeMillis\" : 1", "\"timeMillis\" : \"now\""),
                json.replace("\"timeMillis\" : 1", "\"timeMillis\" : 1.5"),
                json.replace("\"timeMillis\" : 1", "\"timeMillis\" : 99999999999999999999"),
                json.replace("\"user\"", "{}"),
                "[" + json + "]",
                "[".repeat(100_000),
                "\u0000".repeat(500))) {
            assertThatThrownBy(() -> SnapshotJson.read(FILE, bad.getBytes(UTF_8)))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                    .hasMessageContaining("snapshot-7");
        }
        assertThatThrownBy(() -> SnapshotJson.read(FILE, new byte[65 * 1024 * 1024]))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContaining("68157440 bytes");
    }

    @Test
    void testUnknownMembersAndOldVersions()
    {
        String json = new String(SnapshotJson.write(snapshot(7, 1)), UTF_8);
        String newer = json.replace("\"version\" : 3,", "\"version\" : 4, \"uuid\" : \"x\", \"operation\" : \"WRITE\", \"nested\" : { \"a\" : [ 1 ] },");
        assertThat(SnapshotJson.read(FILE, newer.getBytes(UTF_8)).version()).isEqualTo(4);
        String older = json.replace("\"version\" : 3,", "").replace("\"totalRecordCount\" : 10,", "").replaceAll(",\\s*\"deltaRecordCount\" : 10", "");
        assertThat(SnapshotJson.read(FILE, older.getBytes(UTF_8)).version()).isEqualTo(1);
        assertThat(SnapshotJson.read(FILE, older.getBytes(UTF_8)).totalRecordCount()).isZero();
    }

    @Test
    void testEmptyTable()
    {
        assertThat(manager.latestId()).isEmpty();
        assertThat(manager.earliestId()).isEmpty();
        assertThat(manager.latest()).isEmpty();
        assertThat(manager.earliestChangelogId()).isEmpty();
        assertThat(manager.snapshots(1, 100)).isEmpty();
        assertThat(manager.asOfTimeMillis(Long.MAX_VALUE)).isEmpty();
        assertThat(manager.tags()).isEmpty();
        assertThat(manager.tag("x")).isEmpty();
        assertThatThrownBy(() -> manager.snapshot(1))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.SNAPSHOT_NOT_FOUND))
                .hasMessageContaining("no snapshots");
    }

    @Test
    void testPublishing()
            throws Exception
    {
        assertThat(manager.tryPublish(snapshot(1, 10))).isTrue();
        assertThat(manager.tryPublish(snapshot(1, 11))).isFalse();
        assertThat(manager.snapshot(1).timeMillis()).isEqualTo(10);
        assertThat(manager.tryPublish(snapshot(2, 20))).isTrue();

        assertThat(Files.readString(directory.resolve("snapshot/LATEST"))).isEqualTo("2");
        assertThat(paimon.latestSnapshotId()).isEqualTo(2);
        assertThat(paimon.earliestSnapshotId()).isEqualTo(1);
        assertThat(paimon.latestSnapshot().timeMillis()).isEqualTo(20);
        try (Stream<java.nio.file.Path> files = Files.list(directory.resolve("snapshot"))) {
            assertThat(files.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder("snapshot-1", "snapshot-2", "LATEST");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "2", "3", "x", "3\n", "-5", "0", "none"})
    void testLatestDespiteItsHint(String hint)
            throws Exception
    {
        for (long id = 1; id <= 3; id++) {
            writeSnapshot(snapshot(id, id));
        }
        if (!hint.equals("none")) {
            Files.writeString(directory.resolve("snapshot/LATEST"), hint);
        }
        assertThat(manager.latestId()).hasValue(3);
        assertThat(paimon.latestSnapshotId()).isEqualTo(3);
    }

    @Test
    void testLatestHintIsBelievedIfNothingFollows()
            throws Exception
    {
        // as in the middle of Paimon's rollback to 2, which writes the hint and then deletes from the newest on
        for (long id = 1; id <= 2; id++) {
            writeSnapshot(snapshot(id, id));
        }
        writeSnapshot(snapshot(4, 4));
        Files.writeString(directory.resolve("snapshot/LATEST"), "2");
        assertThat(manager.latestId()).hasValue(2);
        assertThat(paimon.latestSnapshotId()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "2", "5", "x", "none"})
    void testEarliestDespiteItsHint(String hint)
            throws Exception
    {
        for (long id = 2; id <= 4; id++) {
            writeSnapshot(snapshot(id, id));
        }
        if (!hint.equals("none")) {
            Files.writeString(directory.resolve("snapshot/EARLIEST"), hint);
        }
        assertThat(manager.earliestId()).hasValue(2);
        assertThat(paimon.earliestSnapshotId()).isEqualTo(2);
    }

    @Test
    void testMissingSnapshotNamesTheRetainedRange()
            throws Exception
    {
        writeSnapshot(snapshot(3, 3));
        writeSnapshot(snapshot(4, 4));
        for (long id : new long[] {1, 5}) {
            assertThatThrownBy(() -> manager.snapshot(id))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.SNAPSHOT_NOT_FOUND))
                    .hasMessageContainingAll("snapshot " + id, "3 to 4", directory.getFileName().toString());
        }
        assertThat(manager.snapshots(1, 100)).extracting(Snapshot::id).containsExactly(3L, 4L);
        assertThat(manager.snapshots(4, 4)).extracting(Snapshot::id).containsExactly(4L);
        assertThat(manager.snapshots(Long.MIN_VALUE, Long.MAX_VALUE)).hasSize(2);
        assertThat(manager.snapshots(5, 4)).isEmpty();
    }

    @Test
    void testSnapshotOfAnotherId()
            throws Exception
    {
        writeSnapshot(snapshot(3, 3));
        Files.copy(directory.resolve("snapshot/snapshot-3"), directory.resolve("snapshot/snapshot-4"));
        assertThatThrownBy(() -> manager.snapshot(4))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContainingAll("snapshot-4", "3");
    }

    @Test
    void testAsOfTime()
            throws Exception
    {
        for (long id = 5; id <= 25; id++) {
            // pairs share a time: the newest of them counts
            writeSnapshot(snapshot(id, id / 2 * 100));
        }
        for (long time = 0; time < 1500; time += 50) {
            org.apache.paimon.Snapshot expected = paimon.earlierOrEqualTimeMills(time);
            boolean before = expected == null || expected.timeMillis() > time;
            // among snapshots of one time Paimon takes any
            assertThat(manager.asOfTimeMillis(time).map(Snapshot::timeMillis)).isEqualTo(before ? Optional.empty() : Optional.of(expected.timeMillis()));
        }
        assertThat(manager.asOfTimeMillis(199)).isEmpty();
        assertThat(manager.asOfTimeMillis(200).orElseThrow().id()).isEqualTo(5);
        assertThat(manager.asOfTimeMillis(300).orElseThrow().id()).isEqualTo(7);
    }

    @Test
    void testLongLivedChangelog()
            throws Exception
    {
        writeSnapshot(snapshot(3, 3));
        writeSnapshot(snapshot(4, 4));
        Files.createDirectories(directory.resolve("changelog"));
        Files.write(directory.resolve("changelog/changelog-1"), SnapshotJson.write(snapshot(1, 1)));
        Files.write(directory.resolve("changelog/changelog-2"), SnapshotJson.write(snapshot(2, 2)));
        Files.writeString(directory.resolve("changelog/EARLIEST"), "1");

        assertThat(manager.earliestId()).hasValue(3);
        assertThat(manager.earliestChangelogId()).hasValue(1);
        assertThat(manager.snapshots(1, 4, true)).extracting(Snapshot::id).containsExactly(1L, 2L, 3L, 4L);
        assertThat(manager.snapshots(1, 4)).extracting(Snapshot::id).containsExactly(3L, 4L);
        assertThat(manager.findWithChangelog(2).orElseThrow().timeMillis()).isEqualTo(2);
        assertThat(manager.find(2)).isEmpty();
    }

    @Test
    void testTags()
            throws Exception
    {
        Files.createDirectories(directory.resolve("tag"));
        Files.write(directory.resolve("tag/tag-b"), SnapshotJson.write(snapshot(3, 3)));
        Files.write(directory.resolve("tag/tag-a"), SnapshotJson.write(snapshot(9, 9)));
        org.apache.paimon.Snapshot snapshot = org.apache.paimon.Snapshot.fromJson(new String(SnapshotJson.write(snapshot(3, 3)), UTF_8));
        LocalDateTime created = LocalDateTime.of(2026, 11, 30, 4, 58, 0, 830_882_169);
        Files.writeString(directory.resolve("tag/tag-5"), Tag.fromSnapshotAndTagTtl(snapshot, Duration.ofHours(2).plusNanos(7), created).toJson());
        Files.writeString(directory.resolve("tag/tag-6"), Tag.fromSnapshotAndTagTtl(snapshot, Duration.ofDays(1), LocalDateTime.of(2026, 1, 1, 0, 0)).toJson());

        assertThat(manager.tags()).extracting(io.lookup.storage.snapshot.Tag::name).containsExactly("5", "6", "b", "a");
        assertThat(manager.tag("a")).contains(snapshot(9, 9));
        assertThat(manager.findTag("5").orElseThrow().createTime()).contains(created);
        assertThat(manager.findTag("5").orElseThrow().timeRetained()).contains(Duration.ofHours(2).plusNanos(7));
        assertThat(manager.findTag("6").orElseThrow().createTime()).contains(LocalDateTime.of(2026, 1, 1, 0, 0));
        assertThat(manager.findTag("b").orElseThrow().createTime()).isEmpty();
        for (String name : ImmutableList.of("", " ", "c", "../snapshot/snapshot-1", "x/y")) {
            assertThat(manager.tag(name)).isEmpty();
        }
    }

    /**
     * Longer than nanoseconds can count: such a tag must not be taken for one whose time has passed.
     */
    @Test
    void testTagsThatLiveForAges()
            throws Exception
    {
        Files.createDirectories(directory.resolve("tag"));
        org.apache.paimon.Snapshot snapshot = org.apache.paimon.Snapshot.fromJson(new String(SnapshotJson.write(snapshot(3, 3)), UTF_8));
        for (Duration retained : ImmutableList.of(Duration.ofDays(400_000), Duration.ofDays(100_000_000), Duration.ofDays(1L << 40), Duration.ofSeconds(-5, 250_000_000))) {
            Files.writeString(directory.resolve("tag/tag-old"), Tag.fromSnapshotAndTagTtl(snapshot, retained, LocalDateTime.of(2026, 1, 1, 0, 0)).toJson());
            assertThat(manager.findTag("old").orElseThrow().timeRetained()).contains(retained);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "\"tagTimeRetained\": 1e400", "\"tagTimeRetained\": 1e300", "\"tagTimeRetained\": 9223372036854775808", "\"tagTimeRetained\": \"5\"",
            "\"tagCreateTime\": [2026, 1]", "\"tagCreateTime\": [2026, 13, 1]", "\"tagCreateTime\": [2026, \"1\", 1]", "\"tagCreateTime\": [2026, 1.5, 1]",
            "\"tagCreateTime\": [4294969322, 1, 1]", "\"tagCreateTime\": [999999999, 1, 1]", "\"tagCreateTime\": {}"})
    void testTagsWithDamagedTimes(String member)
            throws Exception
    {
        Files.createDirectories(directory.resolve("tag"));
        String text = new String(SnapshotJson.write(snapshot(3, 3)), UTF_8);
        Files.writeString(directory.resolve("tag/tag-bad"), "{" + member + "," + text.substring(text.indexOf('{') + 1));
        assertThatThrownBy(manager::tags)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContaining("tag-bad")
                .hasMessageContaining(member.substring(1, member.indexOf('"', 1)));
    }

    private void writeSnapshot(Snapshot snapshot)
            throws IOException
    {
        Files.createDirectories(directory.resolve("snapshot"));
        Files.write(directory.resolve("snapshot/snapshot-" + snapshot.id()), SnapshotJson.write(snapshot));
    }
}
