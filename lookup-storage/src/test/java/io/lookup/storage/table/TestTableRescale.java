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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.ChangelogReplay;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.write.WriteMode;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Another number of buckets for a table that has rows: the rows stay what they are, here and in Paimon, and nobody's write is lost.
 */
final class TestTableRescale
        extends AbstractOracleTest
{
    @Test
    void testTables()
            throws Exception
    {
        List<Map<String, String>> tables = List.of(
                ImmutableMap.of("changelog-producer", "lookup"),
                ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "aggregation", "fields.v.aggregate-function", "sum"),
                ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "partial-update", "fields.s.sequence-group", "v"),
                ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "first-row"),
                ImmutableMap.of("changelog-producer", "lookup", "deletion-vectors.enabled", "true"),
                ImmutableMap.of("changelog-producer", "lookup", "write-only", "true"),
                ImmutableMap.of("changelog-producer", "full-compaction", "sequence.field", "s"),
                ImmutableMap.of("changelog-producer", "input"),
                ImmutableMap.of("deletion-vectors.enabled", "true"),
                ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "sum"),
                ImmutableMap.of());
        for (int index = 0; index < tables.size(); index++) {
            for (boolean partitioned : List.of(false, true)) {
                rescale(tables.get(index), partitioned, "t" + index + partitioned);
            }
        }
    }

    private void rescale(Map<String, String> options, boolean partitioned, String name)
            throws Exception
    {
        PaimonTableDefinition definition = definition(options, partitioned);
        OracleTable oracleTable = paimon.createTable("default", name, definition);
        EngineTable table = engine(oracleTable);
        Random random = new Random(name.hashCode());
        int buckets = 2;
        for (int round = 0; round < 4; round++) {
            for (int write = 0; write < 3; write++) {
                table.write(randomChanges(random, options));
            }
            boolean unseen = options.getOrDefault("write-only", "").equals("true");
            List<String> before = table.readRows();
            long logged = table.snapshots().stream().mapToLong(snapshot -> table.readLog(snapshot).size()).sum();
            buckets = 1 + (buckets + 2) % 5;
            OptionalLong id = table.open().rescale(buckets).run(ImmutableMap.of("by", "test"));
            Snapshot snapshot = table.open().snapshots().latest().orElseThrow();
            assertThat(id).hasValue(snapshot.id());
            assertThat(snapshot.commitKind()).isEqualTo(CommitKind.OVERWRITE);
            assertThat(snapshot.changelogManifestList()).isEmpty();
            assertThat(snapshot.properties()).isEqualTo(Map.of("by", "test"));
            assertThat(table.open().schema().options()).containsEntry("bucket", Integer.toString(buckets));
            assertThat(table.readRows()).describedAs("%s", options).isEqualTo(before);
            assertThat(ChangelogReplay.texts(paimon.readTable(oracleTable))).isEqualTo(before);
            assertThat(table.fileLevels(snapshot)).isNotEmpty().allMatch(file -> file.contains(" L3 "));
            int count = buckets;
            assertThat(table.open().liveFiles().liveFiles(snapshot, _ -> true, _ -> true)).allMatch(entry -> entry.totalBuckets() == count && entry.bucket() < count);
            if (!unseen) {
                // what is logged is what a compaction had to log; the rescaling itself logs nothing
                assertThat(table.readLog(snapshot)).isEmpty();
                if (options.getOrDefault("changelog-producer", "").equals("lookup") && !options.containsKey("merge-engine")) {
                    assertThat(table.snapshots().stream().mapToLong(each -> table.readLog(each).size()).sum()).isEqualTo(logged);
                }
            }
            checkLog(table, definition, options);
            // again is nothing
            assertThat(table.open().rescale(buckets).run(ImmutableMap.of())).isEmpty();
            assertThat(table.open().snapshots().latest()).contains(snapshot);
            // Paimon goes on
            paimon.write(oracleTable, randomChanges(random, options));
            assertThat(table.readRows()).isEqualTo(ChangelogReplay.texts(paimon.readTable(oracleTable)));
        }
        assertThat(paimon.orphanFiles(oracleTable)).isEmpty();
    }

    @Test
    void testWithoutRows()
            throws Exception
    {
        EngineTable table = engine(paimon.createTable("default", "empty", definition(ImmutableMap.of(), false)));
        assertThat(table.open().rescale(7).run(ImmutableMap.of())).isEmpty();
        assertThat(table.open().schema().options()).containsEntry("bucket", "7");
        assertThat(table.open().snapshots().latest()).isEmpty();
    }

    /**
     * A statement that commits while rows are moved wins, and one that comes between the new schema version and the snapshot fails.
     */
    @Test
    void testConcurrentWrites()
            throws Exception
    {
        for (boolean early : List.of(true, false)) {
            for (String producer : List.of("none", "lookup")) {
                OracleTable oracleTable = paimon.createTable("default", "raced_" + producer + early, definition(ImmutableMap.of("changelog-producer", producer), false));
                EngineTable others = engine(oracleTable);
                others.write(ImmutableList.of(row(INSERT, 1, 0, 1L, 10L), row(INSERT, 2, 0, 1L, 10L)));
                others.compact(true);
                StorageTable open = others.open();
                OptionalLong base = open.snapshots().latestId();
                AtomicReference<String> outcome = new AtomicReference<>("");
                EngineTable rescaled = new EngineTable(new ForwardingFileIo(fileIo)
                {
                    @Override
                    public boolean createExclusively(Path path, byte[] content)
                            throws IOException
                    {
                        boolean awaited = path.toString().contains("schema/schema-1") && outcome.compareAndSet("", "asked");
                        if (awaited && early) {
                            outcome.set(write(others, open, base));
                        }
                        boolean created = super.createExclusively(path, content);
                        if (awaited && !early) {
                            outcome.set(write(others, open, base));
                        }
                        return created;
                    }
                }, location(oracleTable), directory.resolve("spill"));
                if (early) {
                    assertThatThrownBy(() -> rescaled.open().rescale(3).run(ImmutableMap.of()))
                            .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT));
                    assertThat(outcome.get()).isEqualTo("committed");
                    assertThat(others.readRows()).hasSize(3);
                    // the old number is back, so that everybody can write again
                    assertThat(others.open().schema().options()).containsEntry("bucket", "2");
                    assertThat(paimon.orphanFiles(oracleTable)).isEmpty();
                    others.open().rescale(3).run(ImmutableMap.of());
                }
                else {
                    rescaled.open().rescale(3).run(ImmutableMap.of());
                    // its files were of the old number
                    assertThat(outcome.get()).isEqualTo("COMMIT_CONFLICT");
                    assertThat(others.readRows()).hasSize(2);
                }
                assertThat(others.open().schema().options()).containsEntry("bucket", "3");
                assertThat(ChangelogReplay.texts(paimon.readTable(oracleTable))).isEqualTo(others.readRows());
            }
        }
    }

    private static String write(EngineTable table, StorageTable open, OptionalLong base)
    {
        List<CommitMessage> messages = table.prepare(open, base, ImmutableList.of(row(INSERT, 3, 0, 1L, 30L)), WriteMode.UPSERT);
        try {
            Optional<?> result = table.commit(open, base, WriteMode.UPSERT, messages);
            return result.isPresent() ? "committed" : "nothing";
        }
        catch (StorageException e) {
            open.discard(messages);
            return e.errorCode().name();
        }
    }

    @Test
    void testRefusals()
            throws Exception
    {
        EngineTable table = engine(paimon.createTable("default", "refused", definition(ImmutableMap.of(), false)));
        assertThatThrownBy(() -> table.open().rescale(0)).isInstanceOf(StorageException.class).hasMessageContaining("cannot have 0 buckets");
        EngineTable dynamic = engine(paimon.createTable("default", "dynamic", definition(ImmutableMap.of("bucket", "-1"), false)));
        assertThatThrownBy(() -> dynamic.open().rescale(2)).isInstanceOf(StorageException.class).hasMessageContaining("only tables with a primary key and a fixed number of buckets can");
    }

    private static void checkLog(EngineTable table, PaimonTableDefinition definition, Map<String, String> options)
    {
        String producer = options.getOrDefault("changelog-producer", "none");
        if (producer.equals("lookup") || producer.equals("full-compaction")) {
            ChangelogReplay replay = new ChangelogReplay(definition);
            table.snapshots().forEach(snapshot -> replay.apply(table.readLog(snapshot)));
            assertThat(replay.state()).isEqualTo(table.readRows());
        }
    }

    private static Change row(ChangeKind kind, Object... values)
    {
        return new Change(kind, ImmutableList.copyOf(values));
    }

    private static List<Change> randomChanges(Random random, Map<String, String> options)
    {
        boolean deletes = options.getOrDefault("merge-engine", "deduplicate").equals("deduplicate");
        List<Change> changes = new ArrayList<>();
        changes.add(row(INSERT, 100 + random.nextInt(20), random.nextInt(2), 9L, random.nextLong(1000)));
        for (int row = 0; row < random.nextInt(12); row++) {
            ChangeKind kind = deletes && random.nextInt(6) == 0 ? ChangeKind.DELETE : INSERT;
            changes.add(row(kind, random.nextInt(20), random.nextInt(2), (long) random.nextInt(5), random.nextLong(1000)));
        }
        return changes.stream().collect(toImmutableList());
    }

    private static PaimonTableDefinition definition(Map<String, String> options, boolean partitioned)
    {
        return new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("p", "INT NOT NULL"), new Column("s", "BIGINT"), new Column("v", "BIGINT")),
                partitioned ? ImmutableList.of("id", "p") : ImmutableList.of("id"),
                partitioned ? ImmutableList.of("p") : ImmutableList.of(),
                ImmutableMap.<String, String>builder().put("bucket", "2").put("num-levels", "4").putAll(options).buildKeepingLast());
    }
}
