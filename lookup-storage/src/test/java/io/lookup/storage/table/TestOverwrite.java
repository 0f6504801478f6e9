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
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.OverwriteScope;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.ChangelogReplay;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.lookup.storage.oracle.ChangeKind.DELETE;
import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Rows that take the place of others, and what the log says of it.
 */
final class TestOverwrite
        extends AbstractOracleTest
{
    private static final int PARTITION = 1;

    @Test
    void testDeduplicate()
            throws Exception
    {
        overwriteRandomly(ImmutableMap.of("changelog-producer", "lookup"));
        overwriteRandomly(ImmutableMap.of("changelog-producer", "lookup", "deletion-vectors.enabled", "true"));
        overwriteRandomly(ImmutableMap.of("changelog-producer", "lookup", "changelog-producer.row-deduplicate", "true"));
        overwriteRandomly(ImmutableMap.of("changelog-producer", "lookup", "sequence.field", "s"));
    }

    @Test
    void testFullCompactionProducer()
            throws Exception
    {
        overwriteRandomly(ImmutableMap.of("changelog-producer", "full-compaction"));
        overwriteRandomly(ImmutableMap.of("changelog-producer", "full-compaction", "merge-engine", "aggregation", "fields.v.aggregate-function", "sum"));
        overwriteRandomly(ImmutableMap.of("changelog-producer", "full-compaction", "full-compaction.delta-commits", "2"));
    }

    @Test
    void testOtherEngines()
            throws Exception
    {
        overwriteRandomly(ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "aggregation", "fields.v.aggregate-function", "sum", "fields.s.aggregate-function", "max"));
        overwriteRandomly(ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "partial-update", "fields.s.sequence-group", "v"));
        overwriteRandomly(ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "first-row"));
    }

    @Test
    void testWriteOnly()
            throws Exception
    {
        overwriteRandomly(ImmutableMap.of("changelog-producer", "lookup", "write-only", "true"));
    }

    @Test
    void testWithoutLog()
            throws Exception
    {
        overwriteRandomly(ImmutableMap.of());
        overwriteRandomly(ImmutableMap.of("changelog-producer", "input"));
        overwriteRandomly(ImmutableMap.of("deletion-vectors.enabled", "true"));
        overwriteRandomly(ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "sum"));
    }

    private void overwriteRandomly(Map<String, String> options)
            throws Exception
    {
        for (boolean partitioned : List.of(false, true)) {
            PaimonTableDefinition definition = definition(options, partitioned);
            OracleTable oracleTable = paimon.createTable("default", "t" + UUID.randomUUID().toString().replace('-', '_'), definition);
            EngineTable table = engine(oracleTable);
            Random random = new Random(options.hashCode());
            for (int step = 0; step < 12; step++) {
                List<String> before = table.readRows();
                int action = random.nextInt(5);
                if (action < 2) {
                    table.write(randomChanges(random, options));
                }
                else if (action == 2) {
                    if (table.open().snapshots().latestId().isPresent()) {
                        table.compact(random.nextBoolean());
                    }
                }
                else {
                    List<Change> rows = random.nextInt(4) == 0 ? ImmutableList.of() : randomChanges(random, options);
                    OptionalLong base = table.open().snapshots().latestId();
                    table.overwrite(rows);
                    assertThat(table.readRows()).isEqualTo(expected(before, rows, definition, partitioned));
                    Optional<Snapshot> latest = table.open().snapshots().latest();
                    if (latest.isPresent() && latest.get().id() > base.orElse(0)) {
                        assertThat(latest.get().id()).isEqualTo(base.orElse(0) + 1);
                        assertThat(latest.get().commitKind()).isEqualTo(CommitKind.OVERWRITE);
                        // nothing of it is left for a compaction to do
                        if (rows.isEmpty() || !partitioned) {
                            assertThat(table.fileLevels(latest.get())).allMatch(file -> file.contains(" L3 "));
                            checkLog(table, definition, options);
                        }
                    }
                }
                assertThat(ChangelogReplay.texts(paimon.readTable(oracleTable))).isEqualTo(table.readRows());
            }
            if (table.open().snapshots().latestId().isPresent()) {
                table.compact(true);
                checkLog(table, definition, options);
            }
            assertThat(paimon.orphanFiles(oracleTable)).isEmpty();
        }
    }

    /**
     * The rows that a table without others would have.
     */
    private List<String> expected(List<String> before, List<Change> rows, PaimonTableDefinition definition, boolean partitioned)
            throws Exception
    {
        if (rows.isEmpty()) {
            return ImmutableList.of();
        }
        EngineTable fresh = engine(paimon.createTable("default", "f" + UUID.randomUUID().toString().replace('-', '_'), definition));
        fresh.write(rows);
        fresh.compact(true);
        List<String> expected = new ArrayList<>(fresh.readRows());
        if (partitioned) {
            Set<Object> overwritten = rows.stream().map(row -> row.values().get(PARTITION)).collect(toImmutableSet());
            before.stream()
                    .filter(row -> !overwritten.contains(Integer.parseInt(row.split(",")[PARTITION].replaceAll("[^0-9]", ""))))
                    .forEach(expected::add);
        }
        return expected.stream().sorted().toList();
    }

    private static void checkLog(EngineTable table, PaimonTableDefinition definition, Map<String, String> options)
    {
        String producer = options.getOrDefault("changelog-producer", "none");
        if (!producer.equals("lookup") && !producer.equals("full-compaction")) {
            return;
        }
        ChangelogReplay replay = new ChangelogReplay(definition);
        table.snapshots().forEach(snapshot -> replay.apply(table.readLog(snapshot)));
        assertThat(replay.state()).isEqualTo(table.readRows());
    }

    @Test
    void testLogOfOneStatement()
            throws Exception
    {
        EngineTable table = engine(paimon.createTable("default", "logged", definition(ImmutableMap.of("changelog-producer", "lookup"), false)));
        table.write(ImmutableList.of(row(INSERT, 1, 0, 1L, 10L), row(INSERT, 2, 0, 1L, 20L), row(INSERT, 3, 0, 1L, 30L)));
        table.overwrite(ImmutableList.of(row(INSERT, 2, 0, 1L, 21L), row(INSERT, 3, 0, 1L, 30L), row(INSERT, 4, 0, 1L, 40L)));
        Snapshot snapshot = table.open().snapshots().latest().orElseThrow();
        assertThat(snapshot.commitKind()).isEqualTo(CommitKind.OVERWRITE);
        assertThat(snapshot.changelogRecordCount()).hasValue(6);
        assertThat(table.readLog(snapshot)).extracting(change -> change.kind() + " " + change.values().getFirst() + " " + change.values().getLast()).containsExactlyInAnyOrder(
                "DELETE 1 10", "UPDATE_BEFORE 2 20", "UPDATE_AFTER 2 21", "UPDATE_BEFORE 3 30", "UPDATE_AFTER 3 30", "INSERT 4 40");

        table.overwrite(ImmutableList.of());
        snapshot = table.open().snapshots().latest().orElseThrow();
        assertThat(table.readLog(snapshot)).extracting(change -> change.kind() + " " + change.values().getFirst()).containsExactlyInAnyOrder("DELETE 2", "DELETE 3", "DELETE 4");
        assertThat(snapshot.totalRecordCount()).isZero();

        // what is empty already is not emptied
        table.overwrite(ImmutableList.of());
        assertThat(table.open().snapshots().latest()).contains(snapshot);
    }

    @Test
    void testConcurrentChange()
            throws Exception
    {
        for (String producer : List.of("lookup", "none")) {
            EngineTable table = engine(paimon.createTable("default", "raced_" + producer, definition(ImmutableMap.of("changelog-producer", producer), false)));
            table.write(ImmutableList.of(row(INSERT, 1, 0, 1L, 10L)));
            StorageTable opened = table.open();
            OptionalLong base = opened.snapshots().latestId();
            TableOverwrite overwrite = opened.newOverwrite(base);
            List<CommitMessage> messages = overwrite.retractOthers(OverwriteScope.wholeTable(), ImmutableList.of());
            table.write(ImmutableList.of(row(INSERT, 2, 0, 1L, 20L)));
            CommitRequest request = new CommitRequest(base, messages, overwrite.dependsOnRows(), ImmutableMap.of(), ImmutableMap.of(), UUID.randomUUID().toString(), Optional.of(OverwriteScope.wholeTable()));
            if (producer.equals("none")) {
                // as the format has it: what is there goes
                opened.commit(request);
                assertThat(table.readRows()).isEmpty();
                continue;
            }
            assertThatThrownBy(() -> opened.commit(request))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT));
            assertThat(table.readRows()).hasSize(2);
            overwrite.abort();
            assertThat(paimon.orphanFiles(new OracleTable("default", "raced_" + producer))).isEmpty();
        }
    }

    @Test
    void testStaticPartitions()
            throws Exception
    {
        EngineTable table = engine(paimon.createTable("default", "static", definition(ImmutableMap.of("changelog-producer", "lookup", "dynamic-partition-overwrite", "false"), true)));
        table.write(ImmutableList.of(row(INSERT, 1, 0, 1L, 10L), row(INSERT, 1, 1, 1L, 20L)));
        table.overwrite(ImmutableList.of(row(INSERT, 2, 1, 1L, 30L)));
        assertThat(table.readRows()).hasSize(1);
        assertThat(table.readLog(table.open().snapshots().latest().orElseThrow())).extracting(Change::kind).containsExactlyInAnyOrder(DELETE, DELETE, INSERT);
    }

    private static Change row(ChangeKind kind, Object... values)
    {
        return new Change(kind, ImmutableList.copyOf(values));
    }

    private static List<Change> randomChanges(Random random, Map<String, String> options)
    {
        boolean deletes = options.getOrDefault("merge-engine", "deduplicate").equals("deduplicate");
        List<Change> changes = new ArrayList<>();
        for (int row = 0; row < 1 + random.nextInt(8); row++) {
            ChangeKind kind = deletes && random.nextInt(6) == 0 ? DELETE : INSERT;
            changes.add(row(kind, random.nextInt(10), random.nextInt(3), (long) random.nextInt(5), random.nextLong(1000)));
        }
        return changes;
    }

    private static PaimonTableDefinition definition(Map<String, String> options, boolean partitioned)
    {
        return new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("p", "INT NOT NULL"), new Column("s", "BIGINT"), new Column("v", "BIGINT")),
                partitioned ? ImmutableList.of("id", "p") : ImmutableList.of("id"),
                partitioned ? ImmutableList.of("p") : ImmutableList.of(),
                ImmutableMap.<String, String>builder().putAll(options).put("bucket", "2").put("num-levels", "4").buildOrThrow());
    }
}
