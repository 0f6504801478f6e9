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

import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.util.List;

import static java.lang.String.format;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code table_changes} with {@code scan_mode => 'diff'}: two states compared by key.
 */
final class TestTableDifference
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create();
    }

    @Test
    void testStatesThatALogDoesNotKnow()
    {
        // without a producer the log has no old values, and the changes in between are of no interest
        assertUpdate("CREATE TABLE unlogged (k bigint, v varchar, w double) WITH (primary_key = ARRAY['k'])");
        assertUpdate("INSERT INTO unlogged VALUES (1, 'a', nan()), (2, 'b', 0e0), (3, NULL, NULL)", 3);
        assertUpdate("INSERT INTO unlogged VALUES (1, 'x', 1e0), (4, 'd', 4e0), (5, 'e', 5e0)", 3);
        assertUpdate("UPDATE unlogged SET v = 'a', w = nan() WHERE k = 1", 1);
        assertUpdate("DELETE FROM unlogged WHERE k IN (3, 5)", 2);
        assertUpdate("UPDATE unlogged SET v = NULL WHERE k = 2", 1);
        assertQuery(
                "SELECT rowkind, k, v, _snapshot_id, _query_id, _user, _bucket, _sequence_number FROM " + difference("unlogged", "1, 5"),
                """
                VALUES
                    ('-U', 2, 'b', 5, NULL, NULL, 0, NULL),
                    ('+U', 2, NULL, 5, NULL, NULL, 0, NULL),
                    ('-D', 3, NULL, 5, NULL, NULL, 0, NULL),
                    ('+I', 4, 'd', 5, NULL, NULL, 0, NULL)
                """);
        // the whole of what is retained, from the table before its first snapshot on
        assertQuery("SELECT rowkind, k, v FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'unlogged', scan_mode => 'diff'))", "VALUES ('+I', 1, 'a'), ('+I', 2, NULL), ('+I', 4, 'd')");
        assertQueryReturnsEmptyResult("SELECT * FROM " + difference("unlogged", "3, 3"));
        assertUpdate("DROP TABLE unlogged");
    }

    @Test
    void testEveryPairOfVersions()
    {
        for (String properties : List.of(
                "changelog_producer = 'lookup', bucket = 2",
                "changelog_producer = 'lookup', deletion_vectors_enabled = true",
                "changelog_producer = 'lookup', merge_engine = 'first-row'",
                "merge_engine = 'partial-update', options = ARRAY['num-levels=3']")) {
            boolean changesRows = !properties.contains("merge_engine");
            assertUpdate("CREATE TABLE versions (p integer, k bigint, v varchar, a array(bigint)) WITH (primary_key = ARRAY['p', 'k'], partitioned_by = ARRAY['p'], " + properties + ")");
            assertUpdate("INSERT INTO versions SELECT n % 3, n, 'first', ARRAY[n, NULL] FROM UNNEST(sequence(1, 300)) t (n)", 300);
            assertUpdate("INSERT INTO versions SELECT n % 3, n, 'second', ARRAY[n, NULL] FROM UNNEST(sequence(250, 280)) t (n)", 31);
            assertUpdate("INSERT INTO versions SELECT n % 2, n, 'third', ARRAY[] FROM UNNEST(sequence(1, 40)) t (n)", 40);
            if (changesRows) {
                assertUpdate("DELETE FROM versions WHERE k BETWEEN 20 AND 29", 18);
                assertUpdate("UPDATE versions SET v = 'fourth' WHERE k = 33 OR k = 270", 3);
            }
            assertUpdate("ALTER TABLE versions EXECUTE optimize");
            long latest = (long) computeScalar("SELECT max(snapshot_id) FROM \"versions$snapshots\"");
            for (long start = 1; start < latest; start += 3) {
                assertDifference(start, start + 1, "true");
                assertDifference(start, latest, "true");
            }
            assertDifference(1, latest, "k BETWEEN 25 AND 260 AND p = 1");
            assertUpdate("DROP TABLE versions");
        }
    }

    private void assertDifference(long start, long end, String condition)
    {
        String rows = "SELECT p, k, v, a FROM " + difference("versions", start + ", " + end) + " WHERE " + condition + " AND rowkind IN ";
        String before = format("SELECT * FROM versions FOR VERSION AS OF %s WHERE %s", start, condition);
        String after = format("SELECT * FROM versions FOR VERSION AS OF %s WHERE %s", end, condition);
        assertSameRows(rows + "('+I', '+U')", after + " EXCEPT " + before);
        assertSameRows(rows + "('-D', '-U')", before + " EXCEPT " + after);
        assertSameRows(
                "SELECT k FROM " + difference("versions", start + ", " + end) + " WHERE " + condition + " AND rowkind = '+U'",
                "SELECT k FROM " + difference("versions", start + ", " + end) + " WHERE " + condition + " AND rowkind = '-U'");
    }

    private void assertSameRows(@Language("SQL") String actual, @Language("SQL") String expected)
    {
        assertThat(computeActual(actual).getMaterializedRows()).containsExactlyInAnyOrderElementsOf(computeActual(expected).getMaterializedRows());
    }

    @Test
    void testPredicates()
    {
        assertUpdate("CREATE TABLE filtered (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO filtered VALUES (1, 'a'), (2, 'b')", 2);
        assertUpdate("INSERT INTO filtered VALUES (1, 'A'), (3, 'c')", 2);
        String difference = difference("filtered", "2, 4");
        assertQuery("SELECT rowkind, k FROM " + difference + " WHERE v = 'A'", "VALUES ('+U', 1)");
        assertQuery("SELECT rowkind, v FROM " + difference + " WHERE k = 1", "VALUES ('-U', 'a'), ('+U', 'A')");
        assertQuery("SELECT count(*) FROM " + difference + " WHERE _snapshot_id = 4 AND _bucket = 0 AND _user IS NULL AND _commit_time > TIMESTAMP '2001-01-01 00:00:00 UTC'", "VALUES 3");
        for (String condition : List.of("_snapshot_id = 3", "_bucket = 1", "_user = 'user'", "_commit_time < TIMESTAMP '2001-01-01 00:00:00 UTC'", "_sequence_number > 0")) {
            assertQueryReturnsEmptyResult("SELECT * FROM " + difference + " WHERE " + condition);
        }
        assertThat((String) computeScalar("EXPLAIN SELECT * FROM " + difference)).contains("filtered$audit_log changes (2, 4] DIFF");
        assertUpdate("DROP TABLE filtered");
    }

    /**
     * Predicates on changes, and on what two states differ in, where columns have got other types in between.
     */
    @Test
    void testPredicatesAcrossAChangeOfType()
    {
        assertUpdate("CREATE TABLE spanned (k bigint, a varchar, f decimal(6,2), r row(x integer, y varchar), z timestamp(3)) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO spanned VALUES (1, '7', 245.17, ROW(1, '9'), TIMESTAMP '1969-12-31 23:59:59.999'), (2, '70', 300.00, ROW(2, '10'), NULL), (3, '8', 100.00, NULL, TIMESTAMP '2024-01-01 00:00:00.5')", 3);
        assertUpdate("UPDATE spanned SET a = '71' WHERE k = 2", 1);
        assertUpdate("ALTER TABLE spanned ALTER COLUMN a SET DATA TYPE integer");
        assertUpdate("ALTER TABLE spanned ALTER COLUMN f SET DATA TYPE decimal(7,3)");
        assertUpdate("ALTER TABLE spanned ALTER COLUMN r.y SET DATA TYPE bigint");
        assertUpdate("ALTER TABLE spanned ALTER COLUMN z SET DATA TYPE timestamp(6)");
        assertUpdate("UPDATE spanned SET f = 245.171, a = 72 WHERE k = 2", 1);
        assertUpdate("DELETE FROM spanned WHERE k = 3", 1);
        String changes = "TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'spanned', start_snapshot_id => 0, end_snapshot_id => 8))";
        assertQuery("SELECT rowkind, k, a FROM " + changes + " WHERE a > 8", "VALUES ('+I', 2, 70), ('-U', 2, 70), ('+U', 2, 71), ('-U', 2, 71), ('+U', 2, 72)");
        assertQuery("SELECT rowkind, k, a FROM " + changes + " WHERE a = 8", "VALUES ('+I', 3, 8), ('-D', 3, 8)");
        assertQuery("SELECT rowkind, k FROM " + changes + " WHERE f < 245.171", "VALUES ('+I', 1), ('+I', 3), ('-D', 3)");
        assertQuery("SELECT rowkind, k FROM " + changes + " WHERE f = 245.171", "VALUES ('+U', 2)");
        assertQuery("SELECT rowkind, k FROM " + changes + " WHERE r.y > 9", "VALUES ('+I', 2), ('-U', 2), ('+U', 2), ('-U', 2), ('+U', 2)");
        assertQuery("SELECT rowkind, k FROM " + changes + " WHERE z < TIMESTAMP '1970-01-01 00:00:00'", "VALUES ('+I', 1)");
        assertQuery("SELECT rowkind, k, a, f FROM " + difference("spanned", "2, 8"), "VALUES ('-U', 2, 70, 300.000), ('+U', 2, 72, 245.171), ('-D', 3, 8, 100.000)");
        assertQuery("SELECT rowkind, k FROM " + difference("spanned", "2, 8") + " WHERE a > 8 AND f > 245", "VALUES ('-U', 2), ('+U', 2)");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog('default', 'spanned'))");
        LogReplay.assertLogGivesTable(this::computeActual, "spanned");
        assertUpdate("DROP TABLE spanned");
    }

    @Test
    void testRefused()
    {
        assertUpdate("CREATE TABLE refused (k bigint, v varchar) WITH (primary_key = ARRAY['k'])");
        assertQueryFails("SELECT * FROM " + difference("refused", "0, 1"), ".*the state of snapshot 1 is not retained.*");
        assertUpdate("INSERT INTO refused VALUES (1, 'a')", 1);
        assertQuery("SELECT rowkind, k FROM " + difference("refused", "0, 1"), "VALUES ('+I', 1)");
        assertQueryFails("SELECT * FROM " + difference("refused", "1, 9"), "Bad range of changes of table default.refused: the state of snapshot 9 is not retained; snapshots 1 to 1 are, and those of tags");
        assertQueryFails("SELECT * FROM " + difference("refused", "-1, 1"), ".*the state of snapshot -1 is not retained.*");
        assertQueryFails("SELECT * FROM " + difference("refused", "1, 0"), ".*start 1 is past the end 0.*");
        assertUpdate("DROP TABLE refused");
    }

    private static String difference(String table, String range)
    {
        return format("TABLE(lake.system.table_changes(schema_name => 'default', table_name => '%s', incremental_between => '%s', scan_mode => 'diff'))", table, range);
    }
}
