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
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Tag;
import io.lookup.storage.table.AbstractOracleTest;
import io.lookup.storage.table.EngineTable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The tags that commits make by themselves: those that Paimon's commits make of the same snapshots.
 */
final class TestAutomaticTags
        extends AbstractOracleTest
{
    private static final int SNAPSHOTS = 14;

    @Test
    void testSameTagsAsPaimon()
            throws Exception
    {
        List<Map<String, String>> settings = List.of(
                ImmutableMap.of("tag.automatic-creation", "process-time"),
                ImmutableMap.of("tag.automatic-creation", "process-time", "tag.creation-period", "hourly", "sink.process-time-zone", "Asia/Kolkata"),
                ImmutableMap.of("tag.automatic-creation", "process-time", "tag.creation-period", "two-hours", "tag.creation-delay", "30 min"),
                ImmutableMap.of("tag.automatic-creation", "process-time", "tag.creation-period", "hourly", "tag.period-formatter", "without_dashes"),
                ImmutableMap.of("tag.automatic-creation", "process-time", "tag.creation-period", "hourly", "tag.period-formatter", "without_dashes_and_spaces", "tag.num-retained-max", "2"),
                ImmutableMap.of("tag.automatic-creation", "process-time", "tag.creation-period-duration", "45 min"),
                ImmutableMap.of("tag.automatic-creation", "process-time", "tag.automatic-completion", "true", "tag.period-formatter", "without_dashes"),
                ImmutableMap.of("tag.automatic-creation", "watermark", "tag.creation-period", "hourly"),
                ImmutableMap.of("tag.automatic-creation", "watermark", "tag.creation-period", "hourly", "sink.watermark-time-zone", "America/Lima", "tag.automatic-completion", "true"),
                ImmutableMap.of("tag.automatic-creation", "batch"),
                ImmutableMap.of());
        Random random = new Random(7);
        for (int index = 0; index < settings.size(); index++) {
            Map<String, String> options = settings.get(index);
            OracleTable ours = new OracleTable("default", "ours" + index);
            OracleTable theirs = new OracleTable("default", "theirs" + index);
            create(ours);
            spreadTimes(ours, random);
            for (Map.Entry<String, String> option : options.entrySet()) {
                paimon.setOption(ours, option.getKey(), option.getValue());
            }
            // a part of the history first, then the rest, as commit by commit
            hideSnapshots(ours, SNAPSHOTS / 2);
            copy(location(ours), location(theirs));
            for (int round = 0; round < 2; round++) {
                paimon.maintenance(theirs).createAutomaticTags();
                engine(ours).open().maintenance().expireByOptions();
                assertThat(tags(ours)).describedAs("%s", options).isEqualTo(tags(theirs));
                if (options.containsValue("process-time")) {
                    assertThat(tags(ours)).isNotEmpty();
                }
                showSnapshots(ours);
                showSnapshots(theirs);
            }
            assertThat(tags(ours)).describedAs("%s", options).isEqualTo(tags(theirs));
        }
    }

    @Test
    void testTimeToLive()
            throws Exception
    {
        OracleTable table = new OracleTable("default", "living");
        create(table);
        paimon.setOption(table, "tag.default-time-retained", "2 h");
        paimon.maintenance(table).createTag("brief", 3, Duration.ofMillis(1));
        paimon.maintenance(table).createTag("forever", 4);
        TableMaintenance maintenance = engine(table).open().maintenance();
        maintenance.createTag("longer", OptionalLong.of(5));
        Thread.sleep(5);
        maintenance.expireByOptions();
        assertThat(engine(table).open().snapshots().tags()).extracting(Tag::name).containsExactlyInAnyOrder("forever", "longer");
    }

    @Test
    void testDelayLongerThanAPeriod()
            throws Exception
    {
        OracleTable table = new OracleTable("default", "late");
        create(table);
        paimon.setOption(table, "tag.automatic-creation", "process-time");
        paimon.setOption(table, "tag.creation-delay", "1 d");
        assertThatThrownBy(() -> engine(table).open().maintenance().expireByOptions())
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("'tag.creation-delay' is PT24H");
        // the statement is true all the same
        engine(table).write(ImmutableList.of(new Change(INSERT, ImmutableList.of(1, 1L))));
    }

    private void create(OracleTable table)
            throws Exception
    {
        paimon.createTable(table.database(), table.name(), new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "1", "num-sorted-run.compaction-trigger", "100")));
        for (long value = 0; value < SNAPSHOTS; value++) {
            engine(table).write(ImmutableList.of(new Change(INSERT, ImmutableList.of(1, value))));
        }
    }

    private void spreadTimes(OracleTable table, Random random)
            throws IOException
    {
        long time = Instant.parse("2024-02-28T21:17:00Z").toEpochMilli();
        long watermark = time - Duration.ofHours(5).toMillis();
        for (int id = 1; id <= SNAPSHOTS; id++) {
            Path file = location(table).resolve("snapshot/snapshot-" + id);
            String watermarks = id < 3 ? "" : "\n  \"watermark\" : " + watermark + ",";
            Files.writeString(file, Files.readString(file).replaceAll("\"timeMillis\" : [0-9]+,", "\"timeMillis\" : " + time + "," + watermarks));
            time += Duration.ofMinutes(random.nextInt(600)).toMillis();
            watermark += Duration.ofMinutes(random.nextInt(100)).toMillis();
        }
    }

    private void hideSnapshots(OracleTable table, int above)
            throws IOException
    {
        Path folder = location(table).resolve("snapshot");
        Files.createDirectories(location(table).resolve("hidden"));
        for (int id = above + 1; id <= SNAPSHOTS; id++) {
            Files.move(folder.resolve("snapshot-" + id), location(table).resolve("hidden/snapshot-" + id));
        }
        Files.writeString(folder.resolve("LATEST"), Integer.toString(above));
    }

    private void showSnapshots(OracleTable table)
            throws IOException
    {
        for (int id = 1; id <= SNAPSHOTS; id++) {
            Path hidden = location(table).resolve("hidden/snapshot-" + id);
            if (Files.exists(hidden)) {
                Files.move(hidden, location(table).resolve("snapshot/snapshot-" + id));
            }
        }
        Files.writeString(location(table).resolve("snapshot/LATEST"), Integer.toString(SNAPSHOTS));
    }

    private static void copy(Path source, Path target)
            throws IOException
    {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(source.relativize(file).toString()));
            }
        }
    }

    /**
     * Snapshots by the names of their tags.
     */
    private Map<String, Long> tags(OracleTable table)
    {
        EngineTable engine = engine(table);
        Map<String, Long> tags = new TreeMap<>();
        engine.open().snapshots().tags().forEach(tag -> tags.put(tag.name(), tag.snapshot().id()));
        return tags;
    }
}
