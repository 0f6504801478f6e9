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
package io.lookup.trino;

import com.google.common.collect.ImmutableMap;
import io.airlift.units.Duration;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

import javax.management.ObjectName;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static io.lookup.trino.LogReplay.assertLogGivesTable;
import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/**
 * Tables with {@code lookup_wait = false}: statements end with their APPEND, and the log follows. The catalog {@code idle} is on
 * the same warehouse, and compacts nothing in the background: what it wrote looks as if its server had died. The catalog {@code second} is
 * another server on it.
 */
@Execution(SAME_THREAD)
final class TestBackgroundCompactions
        extends AbstractTestQueryFramework
{
    private static final Duration PATIENCE = new Duration(60, TimeUnit.SECONDS);

    private final GatedFileIo files = new GatedFileIo();
    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        DistributedQueryRunner queryRunner = LookupQueryRunner.createSingleNode(warehouse, ImmutableMap.of(), files.plugin());
        queryRunner.createCatalog("idle", LookupConnectorFactory.CONNECTOR_NAME, ImmutableMap.of(
                "lookup.warehouse", warehouse.toUri().toString(),
                "lookup.cache-directory", LookupQueryRunner.temporaryDirectory("lookup-cache").toString(),
                "lookup.background-compaction.max-pending", "0"));
        queryRunner.createCatalog("second", LookupConnectorFactory.CONNECTOR_NAME, ImmutableMap.of(
                "lookup.warehouse", warehouse.toUri().toString(),
                "lookup.cache-directory", LookupQueryRunner.temporaryDirectory("lookup-cache").toString()));
        return queryRunner;
    }

    @AfterEach
    void openGate()
    {
        assertThat(files.hasFailedOnce()).isTrue();
        files.setFailing(false);
        files.open();
    }

    @Test
    void testLogFollowsTheStatement()
            throws Exception
    {
        create("follows", "bucket = 1");
        files.close();
        // at the gate nobody can compact, and the statement ends all the same
        assertUpdate("INSERT INTO follows VALUES (1, 'a'), (2, 'b'), (3, 'c')", 3);
        files.awaitArrival();
        assertQuery("SELECT count(*) FROM follows", "VALUES 3");
        assertThat(kinds("follows")).containsExactly("APPEND");
        assertQueryReturnsEmptyResult("SELECT * FROM \"follows$audit_log\"");
        assertThat(bean("Running")).isEqualTo(1);
        long completed = (long) bean("Completed.TotalCount");
        files.open();
        assertEventually(PATIENCE, () -> assertThat(kinds("follows")).containsExactly("APPEND", "COMPACT"));
        assertEventually(PATIENCE, () -> assertThat((long) bean("Completed.TotalCount")).isEqualTo(completed + 1));
        assertThat(bean("Running")).isEqualTo(0);
        assertThat((double) bean("Time.AllTime.Count")).isPositive();

        // both snapshots speak of the statement, since the compaction lifted nothing else
        assertQuery("SELECT count(*), count(DISTINCT \"$query_id\"), count(\"$user\") FROM \"follows$snapshots\"", "VALUES (2, 1, 2)");
        assertQuery("SELECT rowkind, k, v FROM \"follows$audit_log\"", "VALUES ('+I', 1, 'a'), ('+I', 2, 'b'), ('+I', 3, 'c')");

        assertUpdate("UPDATE follows SET v = v || '!' WHERE k < 3", 2);
        awaitLog("follows", 2);
        assertUpdate("DELETE FROM follows WHERE k = 3", 1);
        awaitLog("follows", 3);
        assertUpdate("MERGE INTO follows t USING (VALUES (1, 'm'), (7, 'n')) s(k, v) ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)", 2);
        awaitLog("follows", 4);
        assertThat(kinds("follows")).containsExactly("APPEND", "COMPACT", "APPEND", "COMPACT", "APPEND", "COMPACT", "APPEND", "COMPACT");
        assertQuery("SELECT rowkind, k, v FROM \"follows$audit_log\" WHERE \"$snapshot_id\" > 6", "VALUES ('-U', 1, 'a!'), ('+U', 1, 'm'), ('+I', 7, 'n')");
        assertExact("follows");
    }

    /**
     * Statements that come while a bucket is being compacted are one compaction more.
     */
    @Test
    void testStatementsAreCoalesced()
            throws Exception
    {
        create("coalesced", "bucket = 1");
        files.close();
        assertUpdate("INSERT INTO coalesced VALUES (1, 'a')", 1);
        files.awaitArrival();
        for (int statement = 0; statement < 5; statement++) {
            assertUpdate("INSERT INTO coalesced VALUES (1, 's%1$s'), (%1$s + 10, 'x')".formatted(statement), 2);
        }
        assertEventually(PATIENCE, () -> assertThat(bean("Queued")).isEqualTo(1));
        assertThat(bean("Running")).isEqualTo(1);
        // the watch of the last statements learns of their commits a moment later than the queue of the first one's
        assertEventually(PATIENCE, () -> assertThat(bean("WaitingForCommit")).isEqualTo(0));
        files.open();
        awaitLog("coalesced", 6);
        awaitIdle();
        assertThat(kinds("coalesced").stream().filter("COMPACT"::equals).count()).isBetween(1L, 2L);
        assertExact("coalesced");
    }

    /**
     * A compaction that takes long holds up its own bucket alone, while there is a thread for another one.
     */
    @Test
    void testLongCompactionHoldsUpNobody()
            throws Exception
    {
        create("long_one", "bucket = 1");
        create("short_one", "bucket = 1");
        files.close();
        assertUpdate("INSERT INTO long_one VALUES (1, 'a')", 1);
        files.awaitArrival();
        assertUpdate("INSERT INTO short_one VALUES (1, 'a')", 1);
        awaitLog("short_one", 1);
        assertThat(kinds("long_one")).containsExactly("APPEND");
        files.open();
        awaitLog("long_one", 1);
    }

    @Test
    void testBucketsAndPartitions()
    {
        assertUpdate("CREATE TABLE parts (p integer, k bigint, v varchar) WITH (primary_key = ARRAY['p', 'k'], partitioned_by = ARRAY['p'], bucket = 4, changelog_producer = 'lookup', lookup_wait = false)");
        assertUpdate("INSERT INTO parts SELECT n % 3, n, 'a' FROM UNNEST(sequence(1, 300)) t(n)", 300);
        assertUpdate("UPDATE parts SET v = 'b' WHERE p = 1", 100);
        assertEventually(PATIENCE, () -> {
            assertQuery("SELECT count(*) FROM \"parts$audit_log\" WHERE rowkind IN ('+I', '+U')", "VALUES 400");
            assertQuery("SELECT count(*) FROM \"parts$files\" WHERE level = 0", "VALUES 0");
        });
        assertLogGivesTable(this::computeActual, "parts");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(system.verify_changelog('default', 'parts'))");
    }

    /**
     * What a server left when it died is taken along by the next statement on the bucket, whose name is not put to it.
     */
    @Test
    void testNextStatementTakesOver()
    {
        create("orphaned", "bucket = 1");
        long dropped = droppedByIdle();
        assertUpdate("INSERT INTO idle.default.orphaned VALUES (1, 'a'), (2, 'b')", 2);
        assertUpdate("UPDATE idle.default.orphaned SET v = 'c' WHERE k = 2", 1);
        assertThat(kinds("orphaned")).containsExactly("APPEND", "APPEND");
        assertThat(droppedByIdle()).isEqualTo(dropped + 2);

        assertUpdate("INSERT INTO orphaned VALUES (3, 'd')", 1);
        awaitLog("orphaned", 3);
        assertThat(kinds("orphaned")).containsExactly("APPEND", "APPEND", "APPEND", "COMPACT");
        assertQuery("SELECT rowkind, k, v, \"$query_id\", \"$user\" FROM \"orphaned$audit_log\"", "VALUES ('+I', 1, 'a', NULL, NULL), ('+I', 2, 'c', NULL, NULL), ('+I', 3, 'd', NULL, NULL)");
        assertExact("orphaned");

        // a statement that waits does the same
        assertUpdate("INSERT INTO idle.default.orphaned VALUES (4, 'e')", 1);
        assertUpdate("ALTER TABLE orphaned SET PROPERTIES lookup_wait = true");
        assertUpdate("INSERT INTO idle.default.orphaned VALUES (5, 'f')", 1);
        assertQuery("SELECT rowkind, k FROM \"orphaned$audit_log\" WHERE \"$snapshot_id\" > 4", "VALUES ('+I', 4), ('+I', 5)");
        assertExact("orphaned");
    }

    /**
     * Servers that compact one bucket at the same time log each change once.
     */
    @Test
    void testTwoServers()
    {
        create("shared", "bucket = 1");
        long failed = (long) bean("Failed.TotalCount") + (long) attribute("second", "Failed.TotalCount");
        for (int statement = 0; statement < 6; statement++) {
            assertUpdate("INSERT INTO shared VALUES (0, 'a%1$s'), (%1$s + 1, 'a')".formatted(statement), 2);
            assertUpdate("INSERT INTO second.default.shared VALUES (0, 'b%1$s'), (%1$s + 101, 'b')".formatted(statement), 2);
        }
        awaitLog("shared", 12);
        awaitIdle();
        assertEventually(PATIENCE, () -> assertThat(attribute("second", "Running")).isEqualTo(0));
        assertThat((long) bean("Failed.TotalCount") + (long) attribute("second", "Failed.TotalCount")).isEqualTo(failed);
        assertQuery("SELECT count(*), max(IF(k = 0, v)) FROM shared", "VALUES (13, 'b5')");
        assertExact("shared");
    }

    /**
     * Engines that combine records: none is lifted twice, and a statement that comes before the log of the last one sees its rows.
     */
    @Test
    void testCombinedRows()
    {
        assertUpdate("CREATE TABLE sums (k bigint, v bigint) WITH (primary_key = ARRAY['k'], bucket = 1, merge_engine = 'aggregation', changelog_producer = 'lookup', lookup_wait = false, options = ARRAY['fields.v.aggregate-function=sum', 'aggregation.remove-record-on-delete=true'])");
        for (int statement = 1; statement <= 5; statement++) {
            assertUpdate("INSERT INTO sums VALUES (1, 10), (%s, 1), (9, 7)".formatted(statement + 1), 3);
        }
        assertUpdate("DELETE FROM sums WHERE k = 9", 1);
        assertUpdate("INSERT INTO sums VALUES (9, 2)", 1);
        assertQuery("SELECT * FROM sums", "VALUES (1, 50), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (9, 2)");
        awaitLog("sums", 7);
        assertQuery("SELECT * FROM sums", "VALUES (1, 50), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (9, 2)");
        assertExact("sums");

        assertUpdate("CREATE TABLE parts_of_rows (k bigint, a varchar, b varchar) WITH (primary_key = ARRAY['k'], bucket = 1, merge_engine = 'partial-update', changelog_producer = 'lookup', lookup_wait = false)");
        assertUpdate("INSERT INTO parts_of_rows VALUES (1, 'a', NULL), (2, 'a', NULL)", 2);
        assertUpdate("INSERT INTO parts_of_rows VALUES (1, NULL, 'b')", 1);
        assertUpdate("UPDATE parts_of_rows SET a = 'c' WHERE k = 1", 1);
        awaitLog("parts_of_rows", 3);
        assertQuery("SELECT * FROM parts_of_rows", "VALUES (1, 'c', 'b'), (2, 'a', NULL)");
        assertExact("parts_of_rows");
    }

    @Test
    void testFailureIsTheNextOnesWork()
    {
        create("failing", "bucket = 1");
        long failed = (long) bean("Failed.TotalCount");
        files.setFailing(true);
        assertUpdate("INSERT INTO failing VALUES (1, 'a')", 1);
        assertEventually(PATIENCE, () -> assertThat((long) bean("Failed.TotalCount")).isEqualTo(failed + 1));
        assertThat(kinds("failing")).containsExactly("APPEND");
        assertQuery("SELECT * FROM failing", "VALUES (1, 'a')");
        files.setFailing(false);
        assertUpdate("INSERT INTO failing VALUES (1, 'b')", 1);
        awaitLog("failing", 2);
        assertQuery("SELECT rowkind, k, v FROM \"failing$audit_log\"", "VALUES ('+I', 1, 'b')");
        assertExact("failing");
    }

    /**
     * A store that fails for a moment: the log follows without another statement.
     */
    @Test
    void testFailureIsTriedAgain()
    {
        create("recovering", "bucket = 1");
        long failed = (long) bean("Failed.TotalCount");
        files.failOnce();
        assertUpdate("INSERT INTO recovering VALUES (1, 'a')", 1);
        awaitLog("recovering", 1);
        assertThat(files.hasFailedOnce()).isTrue();
        awaitIdle();
        assertThat((long) bean("Failed.TotalCount")).isEqualTo(failed);
        assertThat(kinds("recovering")).containsExactly("APPEND", "COMPACT");
        assertExact("recovering");
    }

    @Test
    void testCreateTableAsSelect()
    {
        assertUpdate("CREATE TABLE selected WITH (primary_key = ARRAY['k'], bucket = 2, changelog_producer = 'lookup', lookup_wait = false) AS SELECT CAST(n AS bigint) k, 'v' v FROM UNNEST(sequence(1, 20)) t(n)", 20);
        awaitLog("selected", 1);
        assertQuery("SELECT count(*) FROM \"selected$audit_log\"", "VALUES 20");
        assertExact("selected");
    }

    @Test
    void testStatementThatFails()
    {
        create("refused", "bucket = 1");
        assertQueryFails("INSERT INTO refused SELECT n, CAST(1 / (n - 9) AS varchar) FROM UNNEST(sequence(1, 10)) t(n)", "Division by zero");
        assertThat(kinds("refused")).isEmpty();
    }

    @Test
    void testTableIsDroppedMeanwhile()
            throws Exception
    {
        create("vanishing", "bucket = 1");
        long failed = (long) bean("Failed.TotalCount");
        files.close();
        assertUpdate("INSERT INTO vanishing VALUES (1, 'a')", 1);
        files.awaitArrival();
        assertUpdate("DROP TABLE vanishing");
        files.open();
        awaitIdle();
        assertThat((long) bean("Failed.TotalCount")).isEqualTo(failed);
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).doesNotContain("vanishing");
        assertThat(filesBelow(warehouse.resolve("default.db").resolve("vanishing"))).isEmpty();
        create("vanishing", "bucket = 2");
        assertUpdate("INSERT INTO vanishing VALUES (2, 'b')", 1);
        awaitLog("vanishing", 1);
        assertExact("vanishing");
    }

    /**
     * The table of the new name keeps the rows, and its next statement logs them. Nothing appears at the old name.
     */
    @Test
    void testTableIsRenamedMeanwhile()
            throws Exception
    {
        create("old_name", "bucket = 1");
        files.close();
        assertUpdate("INSERT INTO old_name VALUES (1, 'a')", 1);
        files.awaitArrival();
        assertUpdate("ALTER TABLE old_name RENAME TO new_name");
        files.open();
        awaitIdle();
        assertThat(filesBelow(warehouse.resolve("default.db").resolve("old_name"))).isEmpty();
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).contains("new_name").doesNotContain("old_name");
        assertQuery("SELECT * FROM new_name", "VALUES (1, 'a')");
        assertUpdate("INSERT INTO new_name VALUES (1, 'b')", 1);
        awaitLog("new_name", 2);
        assertExact("new_name");
    }

    @Test
    void testTableIsAlteredMeanwhile()
            throws Exception
    {
        create("altered", "bucket = 1");
        files.close();
        assertUpdate("INSERT INTO altered VALUES (1, 'a')", 1);
        files.awaitArrival();
        assertUpdate("ALTER TABLE altered ADD COLUMN w integer");
        files.open();
        assertEventually(PATIENCE, () -> assertThat(kinds("altered")).containsExactly("APPEND", "COMPACT"));
        assertQuery("SELECT rowkind, k, v, w FROM \"altered$audit_log\"", "VALUES ('+I', 1, 'a', NULL)");
        assertUpdate("INSERT INTO altered VALUES (1, 'b', 5)", 1);
        awaitLog("altered", 2);
        assertExact("altered");
    }

    /**
     * Another compaction comes first: there is nothing left to do.
     */
    @Test
    void testAnotherCompactionComesFirst()
            throws Exception
    {
        create("overtaken", "bucket = 1");
        long failed = (long) bean("Failed.TotalCount");
        files.close();
        assertUpdate("INSERT INTO overtaken VALUES (1, 'a'), (2, 'b')", 2);
        files.awaitArrival();
        // the gate holds up one at a time
        assertUpdate("ALTER TABLE overtaken EXECUTE optimize");
        files.open();
        awaitIdle();
        assertThat((long) bean("Failed.TotalCount")).isEqualTo(failed);
        assertThat(kinds("overtaken")).containsExactly("APPEND", "COMPACT");
        assertExact("overtaken");
        assertThat(filesBelow(warehouse.resolve("default.db").resolve("overtaken"))).filteredOn(file -> file.getFileName().toString().startsWith("changelog-")).hasSize(1);
    }

    @Test
    void testDeletionVectors()
    {
        create("vectors", "bucket = 1, deletion_vectors_enabled = true");
        assertUpdate("INSERT INTO vectors VALUES (1, 'a'), (2, 'b')", 2);
        awaitLog("vectors", 1);
        assertQuery("SELECT * FROM vectors", "VALUES (1, 'a'), (2, 'b')");
        assertUpdate("UPDATE vectors SET v = 'c' WHERE k = 1", 1);
        awaitLog("vectors", 2);
        assertQuery("SELECT * FROM vectors", "VALUES (1, 'c'), (2, 'b')");

        // rows that wait are seen by nobody, and not written over by a statement that has not seen them
        assertUpdate("INSERT INTO idle.default.vectors VALUES (2, 'waits')", 1);
        assertQuery("SELECT v FROM vectors WHERE k = 2", "VALUES 'b'");
        assertQueryFails("UPDATE vectors SET v = 'blind' WHERE k = 2", ".*appended but not yet visible.*");
        assertUpdate("INSERT INTO vectors VALUES (3, 'd')", 1);
        awaitLog("vectors", 4);
        assertQuery("SELECT * FROM vectors", "VALUES (1, 'c'), (2, 'waits'), (3, 'd')");
        assertExact("vectors");
    }

    @Test
    void testFirstRow()
    {
        create("first_rows", "bucket = 1, merge_engine = 'first-row'");
        assertUpdate("INSERT INTO first_rows VALUES (1, 'a')", 1);
        awaitLog("first_rows", 1);
        assertUpdate("INSERT INTO first_rows VALUES (1, 'later'), (2, 'b')", 2);
        awaitLog("first_rows", 2);
        assertQuery("SELECT * FROM first_rows", "VALUES (1, 'a'), (2, 'b')");
        assertQuery("SELECT rowkind, k, v FROM \"first_rows$audit_log\"", "VALUES ('+I', 1, 'a'), ('+I', 2, 'b')");
    }

    /**
     * Gentle: the background compaction, too, passes level 0 over until it is due.
     */
    @Test
    void testGentle()
    {
        create("gentle", "bucket = 1, lookup_compact = 'gentle', lookup_compact_max_interval = 3, options = ARRAY['num-sorted-run.compaction-trigger=3']");
        for (int statement = 1; statement <= 2; statement++) {
            assertUpdate("INSERT INTO gentle SELECT n, 's%s' FROM UNNEST(sequence(1, 10)) t(n)".formatted(statement), 10);
            awaitIdle();
        }
        assertThat(kinds("gentle")).containsExactly("APPEND", "APPEND");
        assertUpdate("INSERT INTO gentle VALUES (1, 's3')", 1);
        awaitLog("gentle", 3);
        assertThat(kinds("gentle")).containsExactly("APPEND", "APPEND", "APPEND", "COMPACT");
        assertExact("gentle");
    }

    private void create(String table, String properties)
    {
        assertUpdate("CREATE TABLE %s (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', lookup_wait = false, %s)".formatted(table, properties));
    }

    /**
     * Waits until the changes of so many statements are logged.
     */
    private void awaitLog(String table, int statements)
    {
        assertEventually(PATIENCE, () -> {
            assertThat(kinds(table).stream().filter("APPEND"::equals).count()).isEqualTo(statements);
            assertQuery("SELECT count(*) FROM \"%s$files\" WHERE level = 0".formatted(table), "VALUES 0");
        });
    }

    private void awaitIdle()
    {
        assertEventually(PATIENCE, () -> {
            assertThat(bean("WaitingForCommit")).isEqualTo(0);
            assertThat(bean("Queued")).isEqualTo(0);
            assertThat(bean("Running")).isEqualTo(0);
        });
    }

    private void assertExact(String table)
    {
        assertLogGivesTable(this::computeActual, table);
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(system.verify_changelog('default', '%s'))".formatted(table));
    }

    private List<String> kinds(String table)
    {
        return computeActual("SELECT commit_kind FROM \"%s$snapshots\" ORDER BY snapshot_id".formatted(table)).getOnlyColumn()
                .map(String.class::cast)
                .toList();
    }

    private static Object bean(String attribute)
    {
        return attribute(LookupQueryRunner.CATALOG, attribute);
    }

    private static long droppedByIdle()
    {
        return (long) attribute("idle", "Dropped.TotalCount");
    }

    private static Object attribute(String catalog, String attribute)
    {
        try {
            return ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName("trino.plugin.lookup.compaction:name=%s,type=BackgroundCompactions".formatted(catalog)), attribute);
        }
        catch (Exception e) {
            throw new AssertionError("Cannot read " + attribute, e);
        }
    }

    private static List<Path> filesBelow(Path directory)
            throws IOException
    {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.filter(Files::isRegularFile).toList();
        }
    }
}
