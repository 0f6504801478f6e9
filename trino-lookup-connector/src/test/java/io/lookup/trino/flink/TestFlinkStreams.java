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
package io.lookup.trino.flink;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.trino.LookupQueryRunner;
import io.lookup.trino.flink.FlinkStream.Change;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Locale.ENGLISH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Streaming queries of Flink follow tables while statements of Trino write them: the table's changes as they are, and an aggregate over them.
 * They keep no state of the table of their own (the operator ChangelogNormalize), so both are right only if the log holds the old values.
 */
final class TestFlinkStreams
        extends AbstractTestQueryFramework
{
    private static final String COLUMNS = "(id bigint, dt date, region varchar, amount decimal(12,2))";
    private static final String HINT = " /*+ OPTIONS('continuous.discovery-interval' = '100 ms') */";
    private static final String GROUPED = " GROUP BY region";

    private static final List<String> ROW_CHANGES = ImmutableList.of(
            "UPDATE %s SET amount = amount + 1 WHERE region = 'north'",
            "DELETE FROM %s WHERE id = 2",
            "INSERT INTO %s VALUES (1, DATE '2026-01-01', 'south', 5.00), (5, DATE '2026-01-02', 'west', NULL)",
            """
            MERGE INTO %s t USING (VALUES (3, DATE '2026-01-01', 0.07), (4, DATE '2026-01-02', NULL), (6, DATE '2026-01-03', 60)) s (id, dt, amount)
                ON t.id = s.id AND t.dt = s.dt
                WHEN MATCHED AND s.amount IS NULL THEN DELETE
                WHEN MATCHED THEN UPDATE SET amount = s.amount
                WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.dt, 'south', s.amount)""",
            "UPDATE %s SET dt = DATE '2026-01-03' WHERE id = 3",
            "UPDATE %s SET region = 'north' WHERE region = 'south'",
            "INSERT INTO %s VALUES (2, DATE '2026-01-01', NULL, 2.50)",
            "ALTER TABLE %s EXECUTE optimize",
            "DELETE FROM %s",
            "INSERT INTO %s SELECT id, DATE '2026-01-01', 'r' || CAST(id %% 7 AS varchar), id FROM UNNEST(sequence(1, 500)) u (id)",
            "UPDATE %s SET region = 'r3' WHERE id %% 5 = 0");

    private final Path warehouse = FlinkProcess.temporaryWarehouse();
    private FlinkProcess flink;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        flink = FlinkProcess.start("streams", warehouse);
        return LookupQueryRunner.create(warehouse, ImmutableMap.of());
    }

    @AfterAll
    void closeFlink()
            throws Exception
    {
        flink.close();
    }

    private enum FollowedTable
    {
        LOOKUP("bucket = 2, partitioned_by = ARRAY['dt'], changelog_producer = 'lookup'", ROW_CHANGES),
        DELETION_VECTORS("bucket = 2, deletion_vectors_enabled = true, changelog_producer = 'lookup'", ROW_CHANGES),
        FULL_COMPACTION("bucket = 2, partitioned_by = ARRAY['dt'], changelog_producer = 'full-compaction', options = ARRAY['full-compaction.delta-commits=1']", ROW_CHANGES),
        ROW_DEDUPLICATE("changelog_producer = 'lookup', changelog_producer_row_deduplicate = true, file_compression = 'snappy'", ROW_CHANGES),
        AGGREGATION(
                """
                merge_engine = 'aggregation', changelog_producer = 'lookup',
                options = ARRAY['fields.amount.aggregate-function=sum', 'fields.region.aggregate-function=last_value', 'aggregation.remove-record-on-delete=true']""",
                ImmutableList.of(
                        "INSERT INTO %s VALUES (1, DATE '2026-01-01', 'north', 1.25), (2, DATE '2026-01-01', 'east', NULL), (7, DATE '2026-01-01', 'east', 7)",
                        "INSERT INTO %s VALUES (1, DATE '2026-01-01', 'west', -3), (4, DATE '2026-01-02', NULL, 0.5), (7, DATE '2026-01-01', 'east', 7)",
                        "DELETE FROM %s WHERE id = 3",
                        "INSERT INTO %s SELECT id, dt, region, amount FROM %s")),
        PARTIAL_UPDATE(
                "merge_engine = 'partial-update', changelog_producer = 'lookup', options = ARRAY['partial-update.remove-record-on-delete=true']",
                ImmutableList.of(
                        "INSERT INTO %s (id, dt, amount) VALUES (1, DATE '2026-01-01', 11), (7, DATE '2026-01-01', 70)",
                        "INSERT INTO %s (id, dt, region) VALUES (1, DATE '2026-01-01', 'west'), (2, DATE '2026-01-01', 'north'), (7, DATE '2026-01-01', 'west')",
                        "DELETE FROM %s WHERE id = 3",
                        "INSERT INTO %s (id, dt, amount) VALUES (3, DATE '2026-01-01', 33)")),
        FIRST_ROW(
                "merge_engine = 'first-row', changelog_producer = 'lookup'",
                ImmutableList.of(
                        "INSERT INTO %s VALUES (1, DATE '2026-01-01', 'west', 99), (7, DATE '2026-01-01', 'west', 70)",
                        "INSERT INTO %s VALUES (7, DATE '2026-01-01', 'east', 71), (8, DATE '2026-01-01', NULL, NULL)"));

        private final String properties;
        private final List<String> statements;

        FollowedTable(String properties, List<String> statements)
        {
            this.properties = properties;
            this.statements = statements;
        }

        String tableName()
        {
            return "f_" + name().toLowerCase(ENGLISH);
        }
    }

    @ParameterizedTest
    @EnumSource(FollowedTable.class)
    void testStreamsFollowStatements(FollowedTable definition)
            throws Exception
    {
        String table = definition.tableName();
        create(table, definition.properties);
        assertUpdate("INSERT INTO " + table + " VALUES (1, DATE '2026-01-01', 'north', 10.50), (2, DATE '2026-01-01', 'south', 20)", 2);
        String rows = "SELECT id, dt, region, amount FROM " + flinkTable(table) + HINT;
        String groups = "SELECT region, count(*), sum(amount) FROM " + flinkTable(table) + HINT + GROUPED;
        String kinds = definition == FollowedTable.FIRST_ROW ? "[I]" : "[I,UB,UA,D]";
        assertThat(flink.explain(rows)).doesNotContain("ChangelogNormalize").containsPattern("TableSourceScan.*changelogMode=" + Pattern.quote(kinds));
        assertThat(flink.explain(groups)).doesNotContain("ChangelogNormalize").containsPattern("TableSourceScan.*changelogMode=" + Pattern.quote(kinds));
        FlinkStream rowStream = flink.stream(table, 2, rows);
        FlinkStream groupStream = flink.stream(table + " grouped", 1, groups);
        checkCaughtUp(table, rowStream, groupStream);

        computeActual("INSERT INTO " + table + " VALUES (3, DATE '2026-01-01', 'north', 30), (4, DATE '2026-01-02', 'east', 40)");
        checkCaughtUp(table, rowStream, groupStream);
        for (String statement : definition.statements) {
            computeActual(statement.formatted(table, table));
            checkCaughtUp(table, rowStream, groupStream);
        }
        // The streams saw all that the log holds, from the first statement on, which began them.
        assertThat(kindsAndRows(rowStream.changes())).containsExactlyInAnyOrderElementsOf(log(table, 1));
        if (definition != FollowedTable.FIRST_ROW) {
            assertThat(changeKinds(rowStream)).containsExactlyInAnyOrder("+I", "-U", "+U", "-D");
            assertThat(changeKinds(groupStream)).contains("-U", "+U");
        }
        flink.cancel(rowStream);
        flink.cancel(groupStream);
    }

    @Test
    void testWithoutProducerFlinkNormalizes()
    {
        create("f_none", "changelog_producer = 'none'");
        assertThat(flink.explain("SELECT * FROM " + flinkTable("f_none"))).contains("ChangelogNormalize").containsPattern("TableSourceScan.*changelogMode=\\[I,UA,D]");
        create("f_lookup_plan", "changelog_producer = 'lookup'");
        assertThat(flink.explain("SELECT * FROM " + flinkTable("f_lookup_plan"))).doesNotContain("ChangelogNormalize");
    }

    /**
     * The producer input does not look at what was there. Flink believes it all the same, so that an INSERT over a row is counted twice.
     */
    @Test
    void testLogWithoutOldValuesMisleads()
            throws Exception
    {
        create("f_input", "changelog_producer = 'input'");
        assertUpdate("INSERT INTO f_input VALUES (1, DATE '2026-01-01', 'north', 10)", 1);
        String groups = "SELECT region, count(*), sum(amount) FROM " + flinkTable("f_input") + HINT + GROUPED;
        assertThat(flink.explain(groups)).doesNotContain("ChangelogNormalize");
        FlinkStream rowStream = flink.stream("f_input", 2, "SELECT id, dt, region, amount FROM " + flinkTable("f_input") + HINT);
        FlinkStream groupStream = flink.stream("f_input grouped", 1, groups);
        checkCaughtUp("f_input", rowStream, groupStream);
        assertUpdate("UPDATE f_input SET amount = 11 WHERE id = 1", 1);
        checkCaughtUp("f_input", rowStream, groupStream);
        assertUpdate("INSERT INTO f_input VALUES (1, DATE '2026-01-01', 'north', 12)", 1);
        groupStream.awaitRows(ImmutableList.of(ImmutableList.of("north", "2", "23.00")));
        assertThat(rows("f_input")).containsExactly(ImmutableList.of("1", "2026-01-01", "north", "12.00"));
        assertThatThrownBy(() -> rowStream.awaitRows(rows("f_input"))).isInstanceOf(AssertionError.class).hasMessageContaining("what stands in the way of +I");
        flink.cancel(rowStream);
        flink.cancel(groupStream);
    }

    @Test
    void testStreamBeginsWithSnapshot()
            throws Exception
    {
        String table = "f_resumed";
        create(table, "bucket = 2, changelog_producer = 'lookup'");
        assertUpdate("INSERT INTO " + table + " VALUES (1, DATE '2026-01-01', 'north', 10), (2, DATE '2026-01-01', 'south', 20), (3, DATE '2026-01-01', 'north', 30), (4, DATE '2026-01-02', 'east', 40)", 4);
        ROW_CHANGES.subList(0, 4).forEach(statement -> computeActual(statement.formatted(table)));
        List<Long> appends = computeActual("SELECT snapshot_id FROM \"" + table + "$snapshots\" WHERE commit_kind = 'APPEND' ORDER BY snapshot_id").getOnlyColumn().map(Long.class::cast).toList();
        long newest = (long) computeScalar("SELECT max(snapshot_id) FROM \"" + table + "$snapshots\"");
        ImmutableList.Builder<FlinkStream> streams = ImmutableList.builder();
        // the first statement, one in the middle by its APPEND and by its COMPACT, and one that is yet to come
        List<Long> starts = ImmutableList.of(1L, appends.get(2), appends.get(2) + 1, newest + 1);
        for (long start : starts) {
            streams.add(flink.stream(table + " from " + start, 2, "SELECT id, dt, region, amount FROM " + flinkTable(table)
                    + " /*+ OPTIONS('continuous.discovery-interval' = '100 ms', 'scan.mode' = 'from-snapshot', 'scan.snapshot-id' = '" + start + "') */"));
        }
        ROW_CHANGES.subList(4, 8).forEach(statement -> computeActual(statement.formatted(table)));

        for (int i = 0; i < starts.size(); i++) {
            FlinkStream stream = streams.build().get(i);
            List<String> expected = log(table, starts.get(i));
            stream.awaitChanges(expected.size());
            assertThat(kindsAndRows(stream.changes())).as(stream.name()).containsExactlyInAnyOrderElementsOf(expected);
            // What the log before a COMPACT tells is the state before its APPEND.
            long before = starts.get(i) - (i == 2 ? 2 : 1);
            List<List<String>> state = before == 0 ? ImmutableList.of() : RowText.rows(computeActual("SELECT id, dt, region, amount FROM " + table + " FOR VERSION AS OF " + before));
            assertThat(stream.replay(state)).as(stream.name()).containsExactlyInAnyOrderElementsOf(rows(table));
            flink.cancel(stream);
        }
        assertThat(log(table, newest + 1)).isNotEmpty().hasSizeLessThan(log(table, 1).size());
    }

    @Test
    void testOnlyNewChanges()
            throws Exception
    {
        String table = "f_latest";
        create(table, "bucket = 1, changelog_producer = 'lookup'");
        assertUpdate("INSERT INTO " + table + " VALUES (1, DATE '2026-01-01', 'north', 10), (2, DATE '2026-01-01', 'south', 20)", 2);
        FlinkStream stream = flink.stream(table, 2, "SELECT id, dt, region, amount FROM " + flinkTable(table) + " /*+ OPTIONS('continuous.discovery-interval' = '100 ms', 'scan.mode' = 'latest') */");
        // It starts when its job does, so that the first change that it sees is one of these.
        int updates = 0;
        while (stream.changes().isEmpty() && updates < 100) {
            assertUpdate("UPDATE " + table + " SET amount = amount + 1 WHERE id = 1", 1);
            updates++;
        }
        List<List<String>> first = ImmutableList.of(stream.changes().getFirst().row());
        assertUpdate("DELETE FROM " + table + " WHERE id = 2", 1);
        stream.awaitRowsAfter(ImmutableList.of(first.getFirst(), ImmutableList.of("2", "2026-01-01", "south", "20.00")), rows(table));
        assertThat(stream.changes().getFirst().kind()).isEqualTo("-U");
        assertThat(kindsAndRows(stream.changes())).contains("-D [2, 2026-01-01, south, 20.00]").doesNotContain("+I [2, 2026-01-01, south, 20.00]");
        flink.cancel(stream);
    }

    /**
     * A stream can begin between a statement's APPEND and its COMPACT, with rows in the table that are not in the log yet.
     */
    @Test
    void testStreamsThatBeginAmidWrites()
            throws Exception
    {
        String table = "f_amid";
        create(table, "bucket = 2, changelog_producer = 'lookup'");
        assertUpdate("INSERT INTO " + table + " SELECT id, DATE '2026-01-01', 'north', 0 FROM UNNEST(sequence(1, 20)) u (id)", 20);
        AtomicBoolean ended = new AtomicBoolean();
        List<FlinkStream> streams = new ArrayList<>();
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<Integer> writes = executor.submit(() -> {
                int count = 0;
                while (!ended.get()) {
                    computeActual("UPDATE " + table + " SET amount = amount + 1 WHERE id % 5 = " + count % 5);
                    count++;
                }
                return count;
            });
            try {
                for (int i = 0; i < 4; i++) {
                    streams.add(flink.stream(table + " " + i, 2, "SELECT id, dt, region, amount FROM " + flinkTable(table) + HINT));
                    streams.getLast().awaitChanges(30);
                }
            }
            finally {
                ended.set(true);
            }
            assertThat(writes.get()).isGreaterThan(4);
        }
        for (FlinkStream stream : streams) {
            stream.awaitRows(rows(table));
            flink.cancel(stream);
        }
    }

    @Test
    void testStreamFollowsBothEngines()
            throws Exception
    {
        String table = "f_both";
        create(table, "bucket = 2, changelog_producer = 'lookup'");
        assertUpdate("INSERT INTO " + table + " VALUES (1, DATE '2026-01-01', 'north', 10), (2, DATE '2026-01-01', 'south', 20)", 2);
        FlinkStream rowStream = flink.stream(table, 2, "SELECT id, dt, region, amount FROM " + flinkTable(table) + HINT);
        FlinkStream groupStream = flink.stream(table + " grouped", 1, "SELECT region, count(*), sum(amount) FROM " + flinkTable(table) + HINT + GROUPED);
        checkCaughtUp(table, rowStream, groupStream);
        assertThat(flink.batch("INSERT INTO " + flinkTable(table) + " VALUES (1, DATE '2026-01-01', 'south', 11.00), (3, DATE '2026-01-01', 'west', 30.00), (4, DATE '2026-01-01', 'west', 40.00)")).isNotEmpty();
        assertThat(rows(table)).containsExactlyInAnyOrder(
                ImmutableList.of("1", "2026-01-01", "south", "11.00"), ImmutableList.of("2", "2026-01-01", "south", "20.00"),
                ImmutableList.of("3", "2026-01-01", "west", "30.00"), ImmutableList.of("4", "2026-01-01", "west", "40.00"));
        checkCaughtUp(table, rowStream, groupStream);
        assertUpdate("UPDATE " + table + " SET amount = amount * 2 WHERE region = 'west'", 2);
        checkCaughtUp(table, rowStream, groupStream);
        flink.batch("DELETE FROM " + flinkTable(table) + " WHERE id = 3");
        assertThat(rows(table)).hasSize(3);
        assertUpdate("INSERT INTO " + table + " VALUES (3, DATE '2026-01-01', 'east', 1)", 1);
        checkCaughtUp(table, rowStream, groupStream);
        assertThat(kindsAndRows(rowStream.changes())).containsExactlyInAnyOrderElementsOf(log(table, 1)).contains("-D [3, 2026-01-01, west, 60.00]", "-U [1, 2026-01-01, north, 10.00]");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => '" + table + "'))");
        flink.cancel(rowStream);
        flink.cancel(groupStream);
    }

    private void checkCaughtUp(String table, FlinkStream rowStream, FlinkStream groupStream)
            throws InterruptedException
    {
        rowStream.awaitRows(rows(table));
        groupStream.awaitRows(RowText.rows(computeActual("SELECT region, count(*), sum(amount) FROM " + table + GROUPED)));
    }

    private void create(String table, String properties)
    {
        assertUpdate("CREATE TABLE " + table + " " + COLUMNS + " WITH (primary_key = ARRAY['id', 'dt'], " + properties + ")");
    }

    private List<List<String>> rows(String table)
    {
        return RowText.rows(computeActual("SELECT id, dt, region, amount FROM " + table));
    }

    private List<String> log(String table, long start)
    {
        return RowText.rows(computeActual("SELECT rowkind, id, dt, region, amount FROM \"" + table + "$audit_log\" WHERE \"$snapshot_id\" >= " + start)).stream()
                .map(row -> new Change(row.getFirst(), row.subList(1, row.size())).toString())
                .toList();
    }

    private static List<String> kindsAndRows(List<Change> changes)
    {
        return changes.stream().map(Change::toString).toList();
    }

    private static Set<String> changeKinds(FlinkStream stream)
    {
        return stream.changes().stream().map(Change::kind).collect(toImmutableSet());
    }

    private static String flinkTable(String table)
    {
        return "`default`." + table;
    }
}
