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

import io.trino.Session;
import io.trino.spi.security.Identity;
import io.trino.spi.type.TimeZoneKey;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.MaterializedRow;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static io.lookup.trino.LookupQueryRunner.CATALOG;
import static io.trino.testing.TestingAccessControlManager.TestingPrivilegeType.SELECT_COLUMN;
import static io.trino.testing.TestingAccessControlManager.privilege;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/**
 * The tables that tell of a table, and the function that reads its changes.
 */
@TestInstance(PER_CLASS)
final class TestLookupAuditLog
        extends AbstractTestQueryFramework
{
    private String updateQueryId;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create();
    }

    @BeforeAll
    void createLaboratory()
    {
        assertUpdate("CREATE TABLE cl_lookup (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1, changelog_producer = 'lookup')");
        assertUpdate("CREATE TABLE cl_none (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1)");
        for (String table : List.of("cl_lookup", "cl_none")) {
            assertUpdate("INSERT INTO " + table + " VALUES (1, 'a'), (2, 'b'), (3, 'c')", 3);
        }
        updateQueryId = getDistributedQueryRunner().executeWithPlan(user("alice"), "INSERT INTO cl_lookup VALUES (1, 'A'), (2, 'B')").queryId().toString();
        assertUpdate("INSERT INTO cl_none VALUES (1, 'A'), (2, 'B')", 2);
        for (String table : List.of("cl_lookup", "cl_none")) {
            assertUpdate("INSERT INTO " + table + " VALUES (4, 'd')", 1);
        }
    }

    @Test
    void testSnapshots()
    {
        assertQuery(
                "SELECT snapshot_id, commit_kind, changelog_record_count FROM \"cl_lookup$snapshots\"",
                "VALUES (1, 'APPEND', NULL), (2, 'COMPACT', 3), (3, 'APPEND', NULL), (4, 'COMPACT', 4), (5, 'APPEND', NULL), (6, 'COMPACT', 1)");
        assertQuery("SELECT snapshot_id, commit_kind, changelog_record_count FROM \"cl_none$snapshots\"", "VALUES (1, 'APPEND', NULL), (2, 'APPEND', NULL), (3, 'APPEND', NULL)");
        assertQuery("SELECT snapshot_id FROM \"cl_lookup$snapshots\" WHERE \"$user\" = 'alice' AND \"$query_id\" = '" + updateQueryId + "'", "VALUES 3, 4");
        assertQuery("SELECT max(snapshot_id) FROM \"cl_lookup$snapshots\" FOR VERSION AS OF 2", "VALUES 2");
        assertQuery("DESCRIBE \"cl_none$snapshots\"", """
                VALUES
                    ('snapshot_id', 'bigint', '', ''), ('schema_id', 'bigint', '', ''), ('commit_user', 'varchar', '', ''), ('commit_identifier', 'bigint', '', ''),
                    ('commit_kind', 'varchar', '', ''), ('commit_time', 'timestamp(3)', '', ''), ('base_manifest_list', 'varchar', '', ''), ('delta_manifest_list', 'varchar', '', ''),
                    ('changelog_manifest_list', 'varchar', '', ''), ('total_record_count', 'bigint', '', ''), ('delta_record_count', 'bigint', '', ''),
                    ('changelog_record_count', 'bigint', '', ''), ('watermark', 'bigint', '', ''), ('next_row_id', 'bigint', '', '')
                """);
    }

    @Test
    void testFiles()
    {
        assertQuery("SELECT level, record_count, min_key, max_key FROM \"cl_lookup$files\"", "VALUES (5, 3, '[1]', '[3]'), (4, 2, '[1]', '[2]'), (3, 1, '[4]', '[4]')");
        assertQuery("SELECT level, record_count FROM \"cl_none$files\"", "VALUES (0, 3), (0, 2), (0, 1)");
        assertQuery("SELECT level, record_count FROM \"cl_lookup$files\" FOR VERSION AS OF 3", "VALUES (5, 3), (0, 2)");
        assertQuery(
                "SELECT partition, bucket, file_format, file_source, null_value_counts, min_value_stats, max_value_stats, deleterowcount FROM \"cl_lookup$files\" WHERE level = 4",
                "VALUES ('{}', 0, 'parquet', 'APPEND', '{k=0, v=0}', '{k=1, v=A}', '{k=2, v=B}', 0)");
    }

    @Test
    void testAuditLog()
    {
        assertLog("SELECT * FROM \"cl_lookup$audit_log\" WHERE \"$snapshot_id\" > 2 AND \"$snapshot_id\" <= 4", "[-U, 1, a]", "[+U, 1, A]", "[-U, 2, b]", "[+U, 2, B]");
        assertLog("SELECT * FROM \"cl_lookup$audit_log\" WHERE \"$snapshot_id\" = 6", "[+I, 4, d]");
        assertLog("SELECT rowkind, k, \"$snapshot_id\", \"$user\", \"$bucket\" FROM \"cl_lookup$audit_log\" WHERE rowkind = '+U'", "[+U, 1, 4, alice, 0]", "[+U, 2, 4, alice, 0]");
        assertLog("SELECT rowkind, k, \"$snapshot_id\" FROM \"cl_none$audit_log\" WHERE k IN (1, 4)", "[+I, 1, 1]", "[+I, 1, 2]", "[+I, 4, 3]");
        assertQuery("SELECT count(*) FROM \"cl_lookup$audit_log\"", "VALUES 8");
        assertQuery("SELECT count(DISTINCT \"$sequence_number\") FROM \"cl_lookup$audit_log\"", "VALUES 6");
        assertLog("SELECT k FROM \"cl_lookup$audit_log\" WHERE \"$query_id\" = '" + updateQueryId + "' AND rowkind = '-U'", "[1]", "[2]");
        assertQueryReturnsEmptyResult("SELECT * FROM \"cl_lookup$audit_log\" WHERE \"$commit_time\" < TIMESTAMP '2001-01-01 00:00:00 UTC'");
        assertQuery("SELECT count(*) FROM \"cl_lookup$audit_log\" WHERE year(\"$commit_time\") >= 2024 AND CAST(\"$commit_time\" AS date) > DATE '2024-01-01'", "VALUES 8");
        assertQueryReturnsEmptyResult("SELECT * FROM \"cl_lookup$audit_log\" WHERE \"$snapshot_id\" > 100");
        assertQueryReturnsEmptyResult("SELECT * FROM \"cl_lookup$audit_log\" WHERE \"$bucket\" = 1");
    }

    @Test
    void testPairsStandTogether()
    {
        List<MaterializedRow> rows = computeActual("SELECT rowkind, k FROM \"cl_lookup$audit_log\" WHERE \"$snapshot_id\" = 4").getMaterializedRows();
        assertThat(rows.stream().map(Object::toString)).containsExactly("[-U, 1]", "[+U, 1]", "[-U, 2]", "[+U, 2]");
    }

    @Test
    void testExplainShowsTheRange()
    {
        assertExplained("\"$snapshot_id\" > 2 AND \"$snapshot_id\" <= 4", "snapshots (2, 4]");
        assertExplained("\"$snapshot_id\" BETWEEN 2 AND 4 AND \"$user\" = 'alice'", "snapshots [2, 4]");
        assertExplained("\"$snapshot_id\" IN (2, 4)", "snapshots [2] or [4]");
        assertExplained("CAST(\"$commit_time\" AS date) = DATE '2024-05-06'", "[2024-05-06 00:00:00.000 UTC, 2024-05-07 00:00:00.000 UTC)");
        assertExplained("date_trunc('month', \"$commit_time\") = TIMESTAMP '2024-05-01 00:00:00.000 UTC'", "[2024-05-01 00:00:00.000 UTC, 2024-06-01 00:00:00.000 UTC)");
        assertExplained("year(\"$commit_time\") = 2024", "[2024-01-01 00:00:00.000 UTC, 2025-01-01 00:00:00.000 UTC)");
        assertExplained("\"$query_id\" IS NULL", "$query_id IS NULL");
        assertThat((String) computeScalar("EXPLAIN SELECT * FROM \"cl_lookup$audit_log\" WHERE \"$snapshot_id\" > 2 AND v = 'a'")).contains("snapshots (2, +∞)").contains("ilter");
    }

    @Test
    void testValuesThatArriveByAJoin()
    {
        assertLog(
                "SELECT l.* FROM \"cl_lookup$audit_log\" l JOIN \"cl_lookup$snapshots\" s ON l.\"$snapshot_id\" = s.snapshot_id WHERE s.\"$user\" = 'alice' AND s.commit_kind = 'COMPACT'",
                "[-U, 1, a]",
                "[+U, 1, A]",
                "[-U, 2, b]",
                "[+U, 2, B]");
    }

    @Test
    void testTableChanges()
    {
        assertLog(
                "SELECT rowkind, k, v FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'cl_lookup', start_snapshot_id => 2, end_snapshot_id => 4, scan_mode => 'changelog'))",
                "[-U, 1, a]",
                "[+U, 1, A]",
                "[-U, 2, b]",
                "[+U, 2, B]");
        assertLog("SELECT k, _snapshot_id, _user, _bucket FROM TABLE(lake.system.table_changes('default', 'cl_lookup', 4))", "[4, 6, user, 0]");
        assertLog("SELECT k FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'cl_none', incremental_between => '1,2'))", "[1]", "[2]");
        assertLog("SELECT k FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'cl_none', start_snapshot_id => NULL, end_snapshot_id => 1)) WHERE k > 1", "[2]", "[3]");
        assertLog("SELECT k FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'cl_lookup')) WHERE _snapshot_id = 6", "[4]");
        assertLog(
                "SELECT rowkind, k, v, _snapshot_id FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'cl_lookup', start_snapshot_id => 2, end_snapshot_id => 4, scan_mode => 'delta'))",
                "[+I, 1, A, 3]",
                "[+I, 2, B, 3]");
        assertQuery("SELECT count(*) FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'cl_none', scan_mode => 'changelog'))", "VALUES 0");
        assertQuery("SELECT count(*) FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'cl_lookup', start_snapshot_id => 4, end_snapshot_id => 4))", "VALUES 0");
        assertQuery(
                "SELECT count(*) FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'cl_lookup', start_timestamp => TIMESTAMP '2001-01-01 00:00:00.123456 UTC'))",
                "VALUES 8");
        assertThat(computeActual("SELECT * FROM TABLE(lake.system.table_changes('default', 'cl_lookup'))").getColumnNames())
                .containsExactly("rowkind", "k", "v", "_snapshot_id", "_commit_time", "_query_id", "_user", "_bucket", "_sequence_number");
        assertThat((String) computeScalar("EXPLAIN SELECT * FROM TABLE(lake.system.table_changes('default', 'cl_lookup', 2, 4))")).contains("cl_lookup$audit_log changes (2, 4]");
    }

    /**
     * A time of a commit is an instant, in whatever zone the session and the literal are.
     */
    @Test
    void testCommitTimesInOtherZones()
    {
        Session session = Session.builder(getSession()).setTimeZoneKey(TimeZoneKey.getTimeZoneKey("America/Los_Angeles")).build();
        assertUpdate(session, "CREATE TABLE timed (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        List<String> times = new ArrayList<>();
        for (String value : List.of("a", "b", "c")) {
            assertUpdate(session, "INSERT INTO timed VALUES (1, '%s')".formatted(value), 1);
            times.add((String) computeActual(session, "SELECT CAST(max(\"$commit_time\") AS varchar) FROM \"timed$audit_log\"").getOnlyValue());
        }
        String instant = "CAST('%s' AS timestamp(3) with time zone)".formatted(times.get(1));
        String local = "CAST(%s AT TIME ZONE 'America/Los_Angeles' AS timestamp(3))".formatted(instant);
        for (String time : List.of(instant, "(%s AT TIME ZONE 'Asia/Tokyo')".formatted(instant), local)) {
            for (Map.Entry<String, List<String>> expected : Map.of("=", List.of("[+U, b]", "[-U, a]"), "<", List.of("[+I, a]"), ">", List.of("[+U, c]", "[-U, b]")).entrySet()) {
                @Language("SQL") String sql = "SELECT rowkind, v FROM \"timed$audit_log\" WHERE \"$commit_time\" %s %s".formatted(expected.getKey(), time);
                assertThat(LogReplay.rows(select -> computeActual(session, select), sql)).as(sql).containsExactlyElementsOf(expected.getValue());
            }
        }
        for (String time : List.of(times.get(1), (String) computeActual(session, "SELECT CAST(%s AS varchar)".formatted(local)).getOnlyValue())) {
            @Language("SQL") String state = "SELECT v FROM timed FOR TIMESTAMP AS OF TIMESTAMP '" + time + "'";
            assertThat(computeActual(session, state).getOnlyValue()).as(state).isEqualTo("b");
        }
        @Language("SQL") String changes = "SELECT rowkind, v FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'timed', start_timestamp => TIMESTAMP '%s', end_timestamp => TIMESTAMP '%s'))".formatted(times.get(0), times.get(1));
        assertThat(LogReplay.rows(select -> computeActual(session, select), changes)).containsExactly("[+U, b]", "[-U, a]");
        assertUpdate(session, "DROP TABLE timed");
    }

    @Test
    void testBadTableChanges()
    {
        assertChangesFail("start_snapshot_id => 2, end_snapshot_id => 7", ".*end 7 is past the newest change; changes of the snapshots 1 to 6 are retained.*");
        assertChangesFail("start_snapshot_id => -1", ".*start -1 is before the oldest retained change.*");
        assertChangesFail("start_snapshot_id => 4, end_snapshot_id => 2", ".*start 4 is past the end 2.*");
        assertChangesFail("scan_mode => 'forward'", ".*Bad scan_mode 'forward': must be one of auto, changelog, delta, diff.*");
        assertChangesFail("start_tag => 'x'", ".*has no tag 'x'.*");
        assertChangesFail("incremental_between => '2'", ".*Bad incremental_between '2'.*");
        assertChangesFail("incremental_between => '2,4', end_snapshot_id => 4", ".*incremental_between excludes.*");
        assertChangesFail("start_snapshot_id => 1, start_tag => 'x'", ".*Give only one of start_snapshot_id.*");
        assertQueryFails("SELECT * FROM TABLE(lake.system.table_changes('default', 'nothing'))", ".*Table 'default.nothing' not found.*");
        assertAccessDenied(
                "SELECT * FROM TABLE(lake.system.table_changes('default', 'cl_lookup'))",
                "Cannot select from columns \\[k, v] in table or view lake.default.cl_lookup",
                privilege("cl_lookup", SELECT_COLUMN));
    }

    @Test
    void testVerifyChangelog()
    {
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(system.verify_changelog(schema_name => 'default', table_name => 'cl_lookup'))");
        assertQuery("SELECT count(*), count(found) FROM TABLE(system.verify_changelog('default', 'cl_lookup')) WHERE snapshot_id > 2 AND key = '[1]'", "VALUES (0, 0)");
        assertQueryFails(
                "SELECT * FROM TABLE(system.verify_changelog(schema_name => 'default', table_name => 'cl_none'))",
                "The changelog of table default.cl_none cannot be verified: with 'changelog-producer' = 'none' it is what was written, not what changed; only lookup and full-compaction log changes");
        assertQueryFails("SELECT * FROM TABLE(system.verify_changelog('default', 'absent'))", ".*'default.absent'.*(not found|does not exist).*");
        // what the function reads is no table that SQL could name
        assertQueryFails("SELECT * FROM \"cl_lookup$contradictions\"", ".*does not exist.*");
        assertAccessDenied("SELECT * FROM TABLE(system.verify_changelog('default', 'cl_lookup'))", "Cannot select from columns .*", privilege("cl_lookup", SELECT_COLUMN));
    }

    @Test
    void testVerifyChangelogFindsContradiction()
            throws Exception
    {
        assertUpdate("CREATE TABLE doubted (k bigint, p integer, v varchar) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 2, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO doubted SELECT n, p, 'a' FROM UNNEST(sequence(1, 50)) t (n), (VALUES 1, 2) u (p)", 100);
        assertUpdate("UPDATE doubted SET v = 'b' WHERE k % 5 = 0", 20);
        assertUpdate("DELETE FROM doubted WHERE k % 10 = 1", 10);
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(system.verify_changelog('default', 'doubted'))");
        // the log of the delete takes the place of that of the update
        Path table = Path.of(URI.create((String) computeScalar("SELECT regexp_replace(file_path, '/p=.*', '') FROM \"doubted$files\" LIMIT 1")));
        String list = (String) computeScalar("SELECT changelog_manifest_list FROM \"doubted$snapshots\" WHERE snapshot_id = 4");
        String other = (String) computeScalar("SELECT changelog_manifest_list FROM \"doubted$snapshots\" WHERE snapshot_id = 6");
        Path snapshot = table.resolve("snapshot/snapshot-4");
        Files.writeString(snapshot, Files.readString(snapshot)
                .replace(list, other)
                .replaceAll("\"changelogManifestListSize\"\\s*:\\s*\\d+", "\"changelogManifestListSize\" : " + Files.size(table.resolve("manifest/" + other))));
        assertQuery(
                "SELECT snapshot_id, partition, key, expected, found FROM TABLE(system.verify_changelog('default', 'doubted')) WHERE key IN ('[5]', '[11]') AND partition = '{1}'",
                """
                VALUES
                    (4, '{1}', '[5]', '{k=5, p=1, v=b}', '{k=5, p=1, v=a}'),
                    (6, '{1}', '[11]', NULL, '-D {k=11, p=1, v=a}')
                """);
        assertUpdate("DROP TABLE doubted");
    }

    @Test
    void testReadOnly()
    {
        for (String table : List.of("\"cl_none$audit_log\"", "\"cl_none$snapshots\"", "\"cl_none$files\"")) {
            assertQueryFails("DROP TABLE " + table, ".*is read-only: it tells of table default.cl_none.*");
            assertQueryFails("DELETE FROM " + table, ".*is read-only.*");
            assertQueryFails("INSERT INTO " + table + " SELECT * FROM " + table, ".*is read-only.*");
            assertQueryFails("ALTER TABLE " + table + " RENAME TO x", ".*is read-only.*");
            assertQueryFails("COMMENT ON TABLE " + table + " IS 'x'", ".*is read-only.*");
        }
        assertQueryFails("UPDATE \"cl_none$audit_log\" SET v = 'x'", ".*is read-only.*");
        assertQueryFails("SELECT * FROM \"cl_none$audit_log\" FOR VERSION AS OF 1", ".*has no versions.*");
        assertQueryFails("SELECT * FROM \"cl_none$nothing\"", ".*does not exist.*");
        assertQueryFails("INSERT INTO cl_none FOR VERSION AS OF 1 VALUES (9, 'x')", ".*mismatched input.*");
        assertQuery("SHOW TABLES", "VALUES 'cl_lookup', 'cl_none'");
        assertQuery("SELECT column_name FROM information_schema.columns WHERE table_name = 'cl_none'", "VALUES 'k', 'v'");
    }

    private void assertExplained(String condition, String handle)
    {
        assertThat((String) computeScalar("EXPLAIN SELECT * FROM \"cl_lookup$audit_log\" WHERE " + condition))
                .contains(handle)
                .doesNotContain("ilter");
    }

    private void assertChangesFail(String arguments, String message)
    {
        assertQueryFails("SELECT * FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'cl_lookup', " + arguments + "))", message);
    }

    private void assertLog(@Language("SQL") String query, String... rows)
    {
        assertThat(computeActual(query).getMaterializedRows().stream().map(Object::toString)).containsExactlyInAnyOrder(rows);
    }

    private static Session user(String name)
    {
        return Session.builder(LookupQueryRunner.session())
                .setIdentity(Identity.ofUser(name))
                .setCatalog(CATALOG)
                .build();
    }
}
