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

import io.trino.spi.ErrorCodeSupplier;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import static io.trino.spi.StandardErrorCode.CONSTRAINT_VIOLATION;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A statement does to a table's rows what it says, or is refused with the option that forbids it.
 */
final class TestRowChangeRules
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create();
    }

    @Test
    void testAggregation()
    {
        assertUpdate("""
                CREATE TABLE sums (k bigint, n bigint, v varchar)
                WITH (primary_key = ARRAY['k'], merge_engine = 'aggregation', changelog_producer = 'lookup',
                    options = ARRAY['fields.n.aggregate-function=sum', 'fields.v.aggregate-function=last_value'])
                """);
        assertUpdate("INSERT INTO sums VALUES (1, 10, 'a'), (2, 20, 'b')", 2);
        assertUnchanged("sums", "UPDATE sums SET n = 1 WHERE k = 1", "default.sums", "merge-engine", "aggregation");
        assertUnchanged("sums", "UPDATE sums SET k = 3 WHERE k = 1", "default.sums", "merge-engine", "aggregation");
        assertUnchanged("sums", "DELETE FROM sums WHERE k = 1", "default.sums", "aggregation.remove-record-on-delete");
        assertUnchanged("sums", "DELETE FROM sums", "default.sums", "aggregation.remove-record-on-delete");
        assertUnchanged("sums", "MERGE INTO sums t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET n = 7", "default.sums", "merge-engine", "aggregation");
        assertUnchanged("sums", "MERGE INTO sums t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN DELETE", "default.sums", "aggregation.remove-record-on-delete");
        assertUnchanged(
                "sums",
                "MERGE INTO sums t USING (VALUES 1, 5) s (k) ON t.k = s.k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.k, 50, 'e')",
                "default.sums", "aggregation.remove-record-on-delete");
        // inserts merge as they do everywhere
        assertUpdate("MERGE INTO sums t USING (VALUES 3) s (k) ON t.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, 30, 'c')", 1);
        assertUpdate("INSERT INTO sums VALUES (1, 5, 'A')", 1);
        assertQuery("SELECT * FROM sums", "VALUES (1, 15, 'A'), (2, 20, 'b'), (3, 30, 'c')");
        assertUpdate("DROP TABLE sums");
    }

    @Test
    void testSequenceField()
    {
        for (String order : new String[] {"ascending", "descending"}) {
            assertUpdate("""
                    CREATE TABLE ordered (k bigint, p varchar, v varchar, s bigint)
                    WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], sequence_field = ARRAY['s'], changelog_producer = 'lookup',
                        options = ARRAY['sequence.field.sort-order=%s'])
                    """.formatted(order));
            assertUpdate("INSERT INTO ordered VALUES (1, 'x', 'a', 20), (2, 'x', 'b', 30)", 2);
            assertUnchanged("ordered", "UPDATE ordered SET s = 15, v = 'b' WHERE k = 1", "default.ordered", "column s", "sequence.field");
            assertUnchanged("ordered", "UPDATE ordered SET s = 30 WHERE k = 1", "default.ordered", "sequence.field");
            assertUnchanged("ordered", "UPDATE ordered SET k = k + 1", "default.ordered", "sequence.field", "s");
            assertUnchanged("ordered", "UPDATE ordered SET p = 'y' WHERE k = 1", "default.ordered", "sequence.field", "s");
            assertUnchanged("ordered", "MERGE INTO ordered t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET s = 99", "default.ordered", "sequence.field");
            assertUnchanged("ordered", "MERGE INTO ordered t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED AND t.v = 'q' THEN DELETE WHEN MATCHED THEN UPDATE SET k = 9", "default.ordered", "sequence.field");
            // the rest does what it says
            assertUpdate("UPDATE ordered SET v = 'A' WHERE k = 1", 1);
            assertQuery("SELECT * FROM ordered", "VALUES (1, 'x', 'A', 20), (2, 'x', 'b', 30)");
            assertUpdate("DELETE FROM ordered WHERE k = 2", 1);
            assertQuery("SELECT * FROM ordered", "VALUES (1, 'x', 'A', 20)");
            assertUpdate("DROP TABLE ordered");
        }
    }

    @Test
    void testFirstRow()
    {
        assertUpdate("CREATE TABLE firsts (k bigint, v bigint) WITH (primary_key = ARRAY['k'], merge_engine = 'first-row', changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO firsts VALUES (1, 1), (2, 2)", 2);
        assertUnchanged("firsts", "DELETE FROM firsts WHERE k = 1", "default.firsts", "first-row");
        assertUnchanged("firsts", "UPDATE firsts SET v = 5 WHERE k = 1", "default.firsts", "first-row");
        assertUnchanged("firsts", "MERGE INTO firsts t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN DELETE", "default.firsts", "first-row");
        assertUpdate("MERGE INTO firsts t USING (VALUES 1, 3) s (k) ON t.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, 3)", 1);
        assertUpdate("INSERT INTO firsts VALUES (1, 9), (4, 4)", 2);
        assertQuery("SELECT * FROM firsts", "VALUES (1, 1), (2, 2), (3, 3), (4, 4)");
        assertQuery("SELECT count(*) FROM firsts", "VALUES 4");
        assertUpdate("DROP TABLE firsts");
    }

    @Test
    void testPartialUpdate()
    {
        assertUpdate("CREATE TABLE parts (k bigint, v bigint, w varchar) WITH (primary_key = ARRAY['k'], merge_engine = 'partial-update', changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO parts VALUES (1, 1, NULL), (2, 2, 'b')", 2);
        assertUpdate("INSERT INTO parts (k, w) VALUES (1, 'a')", 1);
        assertQuery("SELECT * FROM parts", "VALUES (1, 1, 'a'), (2, 2, 'b')");
        assertUnchanged("parts", CONSTRAINT_VIOLATION, "UPDATE parts SET v = NULL WHERE k = 1", "default.parts", "Column v", "partial-update");
        assertUnchanged("parts", "UPDATE parts SET k = 3 WHERE k = 1", "default.parts", "key column", "partial-update");
        assertUpdate("UPDATE parts SET v = v + 10, w = 'A' WHERE k = 1", 1);
        assertQuery("SELECT * FROM parts", "VALUES (1, 11, 'A'), (2, 2, 'b')");
        assertQuery("SELECT rowkind, v, w FROM \"parts$audit_log\" WHERE \"$snapshot_id\" > 4", "VALUES ('-U', 1, 'a'), ('+U', 11, 'A')");
        assertUpdate("MERGE INTO parts t USING (VALUES (1, 21), (3, 3)) s (k, v) ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v, 'c')", 2);
        assertQuery("SELECT * FROM parts", "VALUES (1, 21, 'A'), (2, 2, 'b'), (3, 3, 'c')");
        // one case sets what another leaves alone
        assertUpdate("MERGE INTO parts t USING (VALUES 1, 2) s (k) ON t.k = s.k WHEN MATCHED AND t.k = 1 THEN UPDATE SET v = 31 WHEN MATCHED THEN UPDATE SET w = 'B'", 2);
        assertUnchanged("parts", CONSTRAINT_VIOLATION, "MERGE INTO parts t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET w = NULL", "Column w");
        assertQuery("SELECT * FROM parts", "VALUES (1, 31, 'A'), (2, 2, 'B'), (3, 3, 'c')");
        assertUnchanged("parts", "DELETE FROM parts WHERE k = 1", "default.parts", "partial-update.remove-record-on-delete");
        assertUpdate("DROP TABLE parts");

        assertUpdate("""
                CREATE TABLE parts (k bigint, v bigint, w varchar)
                WITH (primary_key = ARRAY['k'], merge_engine = 'partial-update', changelog_producer = 'lookup',
                    options = ARRAY['partial-update.remove-record-on-delete=true'])
                """);
        assertUpdate("INSERT INTO parts VALUES (5, 50, 'a'), (6, 60, 'b')", 2);
        assertUpdate("DELETE FROM parts WHERE k = 6", 1);
        assertUpdate("INSERT INTO parts (k, v) VALUES (6, 61)", 1);
        assertQuery("SELECT * FROM parts", "VALUES (5, 50, 'a'), (6, 61, NULL)");
        assertQuery("SELECT rowkind, v, w FROM \"parts$audit_log\" WHERE k = 6", "VALUES ('+I', 60, 'b'), ('-D', 60, 'b'), ('+I', 61, NULL)");
        assertUpdate("DROP TABLE parts");
    }

    @Test
    void testUpdateOfSequenceGroups()
    {
        assertUpdate("""
                CREATE TABLE grouped (k bigint, a bigint, n bigint, g bigint, b varchar, h bigint)
                WITH (primary_key = ARRAY['k'], merge_engine = 'partial-update', changelog_producer = 'lookup',
                    options = ARRAY['fields.g.sequence-group=a,n', 'fields.n.aggregate-function=sum', 'fields.h.sequence-group=b'])
                """);
        assertUpdate("INSERT INTO grouped VALUES (1, 10, 100, 5, 'x', 1), (2, 20, 200, 5, NULL, NULL)", 2);
        assertUnchanged("grouped", "UPDATE grouped SET n = 7 WHERE k = 1", "default.grouped", "fields.n.aggregate-function", "sum");
        assertUnchanged("grouped", CONSTRAINT_VIOLATION, "UPDATE grouped SET g = 4 WHERE k = 1", "default.grouped", "Column g", "smaller");
        assertUnchanged("grouped", CONSTRAINT_VIOLATION, "UPDATE grouped SET g = NULL, a = 3 WHERE k = 1", "default.grouped", "Column g");
        assertUnchanged("grouped", CONSTRAINT_VIOLATION, "UPDATE grouped SET b = 'y' WHERE k = 2", "default.grouped", "Column b", "h is NULL");
        // the sum of the group is not added to itself
        assertUpdate("UPDATE grouped SET a = 11 WHERE k = 1", 1);
        assertUpdate("UPDATE grouped SET a = NULL WHERE k = 2", 1);
        assertUpdate("UPDATE grouped SET b = 'y', h = 1 WHERE k = 2", 1);
        assertUpdate("UPDATE grouped SET g = 9 WHERE k = 1", 1);
        assertQuery("SELECT * FROM grouped", "VALUES (1, 11, 100, 9, 'x', 1), (2, NULL, 200, 5, 'y', 1)");
        assertUpdate("INSERT INTO grouped VALUES (1, 0, 1, 8, 'z', 2)", 1);
        assertQuery("SELECT * FROM grouped", "VALUES (1, 11, 101, 9, 'z', 2), (2, NULL, 200, 5, 'y', 1)");
        assertUpdate("DROP TABLE grouped");
    }

    /**
     * What cannot be taken back, or leaves something behind, is known when the statement is planned.
     */
    @Test
    void testDeletesThatWouldLeaveSomething()
    {
        for (String properties : new String[] {
                "merge_engine = 'aggregation', options = ARRAY['aggregation.remove-record-on-delete=true', 'fields.v.aggregate-function=first_value']",
                "merge_engine = 'aggregation', changelog_producer = 'lookup', options = ARRAY['aggregation.remove-record-on-delete=true', 'lookup-compact=gentle', 'fields.v.aggregate-function=first_value']",
                "merge_engine = 'aggregation', changelog_producer = 'lookup', options = ARRAY['aggregation.remove-record-on-delete=true', 'fields.v.aggregate-function=min']",
                "merge_engine = 'partial-update', changelog_producer = 'lookup', options = ARRAY['fields.s.sequence-group=v', 'partial-update.remove-record-on-sequence-group=s']",
                "merge_engine = 'partial-update', changelog_producer = 'lookup', options = ARRAY['fields.s.sequence-group=v', 'fields.v.aggregate-function=max', 'partial-update.remove-record-on-sequence-group=s']",
        }) {
            assertUpdate("CREATE TABLE leaving (k bigint, v varchar NOT NULL, s bigint) WITH (primary_key = ARRAY['k'], %s)".formatted(properties));
            assertUpdate("INSERT INTO leaving VALUES (1, 'a', 1)", 1);
            for (String statement : new String[] {"DELETE FROM leaving WHERE k = 1", "DELETE FROM leaving WHERE k = 7", "EXPLAIN DELETE FROM leaving WHERE k = 1"}) {
                assertUnchanged("leaving", statement, "default.leaving", "'v'");
            }
            assertUpdate("DROP TABLE leaving");
        }
        assertUpdate("""
                CREATE TABLE leaving (k bigint, v bigint NOT NULL, w varchar, f varchar)
                WITH (primary_key = ARRAY['k'], merge_engine = 'aggregation', changelog_producer = 'lookup',
                    options = ARRAY['aggregation.remove-record-on-delete=true', 'fields.v.aggregate-function=sum', 'fields.w.aggregate-function=listagg', 'fields.f.aggregate-function=first_value'])
                """);
        assertUpdate("INSERT INTO leaving VALUES (1, 5, 'a', 'x')", 1);
        assertUpdate("DELETE FROM leaving", 1);
        assertUpdate("INSERT INTO leaving VALUES (1, 6, 'b', 'y')", 1);
        assertQuery("SELECT * FROM leaving", "VALUES (1, 6, 'b', 'y')");
        assertQuery("SELECT rowkind, v, w, f FROM \"leaving$audit_log\"", "VALUES ('+I', 5, 'a', 'x'), ('-D', 5, 'a', 'x'), ('+I', 6, 'b', 'y')");
        assertUpdate("DROP TABLE leaving");
    }

    @Test
    void testIgnoreDelete()
    {
        assertUpdate("CREATE TABLE keeps (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', options = ARRAY['ignore-delete=true'])");
        assertUpdate("INSERT INTO keeps VALUES (1, 'a')", 1);
        assertUnchanged("keeps", "DELETE FROM keeps WHERE k = 1", "default.keeps", "ignore-delete");
        assertUnchanged("keeps", "MERGE INTO keeps t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN DELETE", "default.keeps", "ignore-delete");
        assertUnchanged("keeps", "UPDATE keeps SET k = 2", "default.keeps", "ignore-delete");
        assertUpdate("DROP TABLE keeps");
    }

    @Test
    void testRowKindField()
    {
        assertUpdate("CREATE TABLE kinds (k bigint, v varchar, kind varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', options = ARRAY['rowkind.field=kind'])");
        assertUpdate("INSERT INTO kinds VALUES (1, 'a', '+I'), (2, 'b', '+I')", 2);
        assertUpdate("INSERT INTO kinds VALUES (1, 'a', '-D')", 1);
        assertUnchanged("kinds", "DELETE FROM kinds", "default.kinds", "rowkind.field");
        assertUnchanged("kinds", "UPDATE kinds SET v = 'x'", "default.kinds", "rowkind.field");
        assertQuery("SELECT * FROM kinds", "VALUES (2, 'b', '+I')");
        assertUpdate("DROP TABLE kinds");
    }

    @Test
    void testOptionsThatAreNotSupported()
    {
        for (String properties : new String[] {
                "options = ARRAY['sequence.snapshot-ordering=true']"}) {
            String option = properties.replaceAll("^.*?'([a-z.-]+)(=true)?'\\]?$", "$1");
            assertTrinoExceptionThrownBy(() -> computeActual("CREATE TABLE refused (k bigint, v varchar) WITH (primary_key = ARRAY['k'], %s)".formatted(properties)))
                    .hasErrorCode(NOT_SUPPORTED)
                    .hasMessageContaining("'" + option + "'");
        }
        assertQueryReturnsEmptyResult("SHOW TABLES LIKE 'refused'");
    }

    @Test
    void testAggregationThatRemovesRecords()
    {
        assertUpdate("""
                CREATE TABLE removing (k bigint, n bigint, tags array(varchar))
                WITH (primary_key = ARRAY['k'], merge_engine = 'aggregation', changelog_producer = 'lookup',
                    options = ARRAY['aggregation.remove-record-on-delete=true', 'fields.n.aggregate-function=sum', 'fields.tags.aggregate-function=collect'])""");
        assertUpdate("INSERT INTO removing VALUES (1, 3, ARRAY['a']), (2, 5, NULL), (3, 6, ARRAY['x'])", 3);
        assertUpdate("INSERT INTO removing VALUES (1, 4, ARRAY['b', NULL])", 1);
        assertQuery("SELECT k, n, array_join(tags, '-', '?') FROM removing", "VALUES (1, 7, 'a-b-?'), (2, 5, NULL), (3, 6, 'x')");
        assertUnchanged("removing", "UPDATE removing SET n = 1 WHERE k = 1", "default.removing", "merge-engine", "aggregation");
        assertUpdate("DELETE FROM removing WHERE k = 1", 1);
        assertUpdate("MERGE INTO removing t USING (VALUES 3) s (k) ON t.k = s.k WHEN MATCHED THEN DELETE", 1);
        assertUpdate("DELETE FROM removing WHERE k = 1", 0);
        assertQuery("SELECT k, n FROM removing", "VALUES (2, 5)");
        assertUpdate("INSERT INTO removing VALUES (1, 10, ARRAY['c'])", 1);
        assertQuery("SELECT k, n, array_join(tags, '-') FROM removing", "VALUES (1, 10, 'c'), (2, 5, NULL)");
        assertQuery(
                "SELECT rowkind, k, n, array_join(tags, '-', '?') FROM \"removing$audit_log\"",
                """
                VALUES ('+I', 1, 3, 'a'), ('+I', 2, 5, NULL), ('+I', 3, 6, 'x'), ('-U', 1, 3, 'a'), ('+U', 1, 7, 'a-b-?'),
                    ('-D', 1, 7, 'a-b-?'), ('-D', 3, 6, 'x'), ('+I', 1, 10, 'c')""");
        assertUpdate("DROP TABLE removing");
    }

    @Test
    void testDeduplicate()
    {
        assertUpdate("CREATE TABLE plain (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO plain VALUES (1, 'a'), (2, 'b'), (3, 'c')", 3);
        assertUpdate("UPDATE plain SET k = k + 1", 3);
        assertQuery("SELECT * FROM plain", "VALUES (2, 'a'), (3, 'b'), (4, 'c')");
        assertUnchanged("plain", CONSTRAINT_VIOLATION, "UPDATE plain SET k = 7", "default.plain", "7");
        assertUpdate("DELETE FROM plain WHERE k = 99", 0);
        assertUpdate("MERGE INTO plain t USING (VALUES 2, 3, 9) s (k) ON t.k = s.k WHEN MATCHED AND t.k = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'B' WHEN NOT MATCHED THEN INSERT VALUES (s.k, 'n')", 3);
        assertQuery("SELECT * FROM plain", "VALUES (3, 'B'), (4, 'c'), (9, 'n')");
        assertUpdate("DROP TABLE plain");
    }

    private void assertUnchanged(String table, @Language("SQL") String sql, String... parts)
    {
        assertUnchanged(table, NOT_SUPPORTED, sql, parts);
    }

    private void assertUnchanged(String table, ErrorCodeSupplier code, @Language("SQL") String sql, String... parts)
    {
        Object rows = computeActual("SELECT * FROM %s ORDER BY 1".formatted(table)).getMaterializedRows();
        Object snapshots = computeScalar("SELECT count(*) FROM \"%s$snapshots\"".formatted(table));
        assertTrinoExceptionThrownBy(() -> computeActual(sql))
                .as(sql)
                .hasErrorCode(code)
                .hasMessageContainingAll(parts);
        assertThat(computeScalar("SELECT count(*) FROM \"%s$snapshots\"".formatted(table))).as(sql).isEqualTo(snapshots);
        assertThat((Object) computeActual("SELECT * FROM %s ORDER BY 1".formatted(table)).getMaterializedRows()).as(sql).isEqualTo(rows);
    }
}
