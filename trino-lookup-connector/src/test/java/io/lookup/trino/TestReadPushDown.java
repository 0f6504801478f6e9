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
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What of a query the connector takes over, and what it tells of it.
 */
final class TestReadPushDown
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create(LookupQueryRunner.temporaryDirectory("lookup-warehouse"), ImmutableMap.of());
    }

    @Test
    void testLimitCountsMergedRows()
    {
        assertUpdate("CREATE TABLE limited (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1)");
        assertUpdate("INSERT INTO limited SELECT n, 'old' FROM UNNEST(sequence(1, 20)) AS t (n)", 20);
        assertUpdate("INSERT INTO limited SELECT n, 'new' FROM UNNEST(sequence(1, 10)) AS t (n)", 10);
        assertUpdate("DELETE FROM limited WHERE k BETWEEN 8 AND 17", 10);
        for (int limit : new int[] {1, 7, 9, 10}) {
            assertQuery("SELECT count(*), count(DISTINCT k) FROM (SELECT k FROM limited LIMIT %s)".formatted(limit), "VALUES (%s, %s)".formatted(limit, limit));
            assertQuery("SELECT count(*) FROM (SELECT * FROM limited LIMIT %s) WHERE (v = 'new') <> (k <= 7)".formatted(limit), "VALUES 0");
        }
        assertQuery("SELECT count(*) FROM (SELECT k FROM limited LIMIT 11)", "VALUES 10");
        assertQuery("SELECT count(*) FROM (SELECT k FROM limited LIMIT 5) WHERE k > 0", "VALUES 5");
        // a filter above the limit is none of the scan
        assertQuery("SELECT count(*) <= 5 FROM (SELECT k FROM limited LIMIT 5) WHERE k > 5", "VALUES true");
        assertQuery("SELECT k FROM limited WHERE v = 'old' LIMIT 3", "VALUES 18, 19, 20");
        assertQuery("SELECT count(*) FROM (SELECT v FROM limited LIMIT 0)", "VALUES 0");
        assertQuery("SELECT count(*) FROM limited JOIN (SELECT k FROM limited LIMIT 4) USING (k)", "VALUES 4");

        assertThat(explain("SELECT * FROM limited LIMIT 3")).contains("limited limit 3").contains("Limit[count = 3");
        assertThat(explain("SELECT * FROM (SELECT * FROM limited LIMIT 3) LIMIT 9")).contains("limited limit 3");
        // which rows remain is decided by the engine
        assertThat(explain("SELECT * FROM limited WHERE v = 'old' LIMIT 3")).doesNotContain("limited limit").contains("limited skips by v [old]");
    }

    /**
     * Files count the rows that deletion vectors name.
     */
    @Test
    void testLimitCountsRowsThatAreThere()
    {
        assertUpdate("CREATE TABLE marked (k bigint, v bigint) WITH (primary_key = ARRAY['k'], bucket = 2, changelog_producer = 'lookup', deletion_vectors_enabled = true)");
        assertUpdate("INSERT INTO marked SELECT i, 0 FROM UNNEST(sequence(1, 1000)) t (i)", 1000);
        assertUpdate("DELETE FROM marked WHERE k % 2 = 0 AND k <= 200", 100);
        assertUpdate("UPDATE marked SET v = 1 WHERE k <= 20", 10);
        for (int limit : new int[] {5, 899, 900, 901, 2000}) {
            assertQuery("SELECT count(*), count(DISTINCT k) FROM (SELECT k FROM marked LIMIT %s)".formatted(limit), "VALUES (%1$s, %1$s)".formatted(Math.min(limit, 900)));
        }
        assertQuery("SELECT count(*) FROM (SELECT k FROM marked WHERE k <= 200 LIMIT 101)", "VALUES 100");
        assertQuery("SELECT count(*) FROM (SELECT * FROM marked FOR VERSION AS OF 2 LIMIT 950)", "VALUES 950");
        // ten rows stand below the highest level
        assertQuery("SELECT count(*) FROM (SELECT * FROM \"marked$ro\" LIMIT 950)", "VALUES 890");
        assertQuery("SELECT count(*) FROM (SELECT * FROM \"marked$audit_log\" LIMIT 5000)", "VALUES 1120");
        assertUpdate("DROP TABLE marked");
    }

    @Test
    void testLimitEndsPlanning()
    {
        assertUpdate("CREATE TABLE days (d date, k bigint) WITH (primary_key = ARRAY['d', 'k'], partitioned_by = ARRAY['d'], bucket = 1)");
        assertUpdate("INSERT INTO days SELECT date '2025-01-01' + (n % 10) * interval '1' day, n FROM UNNEST(sequence(1, 100)) AS t (n)", 100);
        assertThat(analyze("SELECT * FROM days LIMIT 15")).contains("splits read plainly' = LongCount{total=2}");
        assertThat(analyze("SELECT * FROM days")).contains("splits read plainly' = LongCount{total=10}");
        assertThat(explain("SELECT * FROM days WHERE d > date '2025-01-08' LIMIT 15")).contains("limit 15");
        assertQuery("SELECT count(*) FROM (SELECT * FROM days WHERE d > date '2025-01-08' LIMIT 15)", "VALUES 15");
        assertQuery("SELECT count(*) FROM (SELECT * FROM days WHERE d > date '2025-01-09' LIMIT 15)", "VALUES 10");
    }

    @Test
    void testLimitOfChanges()
    {
        assertUpdate("CREATE TABLE logged (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO logged SELECT n, 'a' FROM UNNEST(sequence(1, 20)) AS t (n)", 20);
        assertUpdate("INSERT INTO logged SELECT n, 'b' FROM UNNEST(sequence(1, 20)) AS t (n)", 20);
        assertThat(explain("SELECT * FROM \"logged$audit_log\" LIMIT 3")).contains("limit 3");
        assertQuery("SELECT count(*) FROM (SELECT * FROM \"logged$audit_log\" LIMIT 25)", "VALUES 25");
        assertQuery("SELECT count(*) FROM (SELECT * FROM \"logged$audit_log\" LIMIT 100)", "VALUES 60");
        assertQuery("SELECT count(*) FROM (SELECT * FROM \"logged$binlog\" LIMIT 30)", "VALUES 30");
        assertQuery("SELECT count(*) FROM (SELECT * FROM \"logged$binlog\" LIMIT 100)", "VALUES 40");
    }

    @Test
    void testMetricsOfAPlan()
    {
        assertUpdate("CREATE TABLE planned (d date, k bigint) WITH (primary_key = ARRAY['d', 'k'], partitioned_by = ARRAY['d'], bucket = 1, changelog_producer = 'lookup')");
        for (int day = 1; day <= 3; day++) {
            assertUpdate("INSERT INTO planned VALUES (DATE '2025-01-0%s', 1)".formatted(day), 1);
        }
        // two snapshots a statement, each with a manifest
        assertThat(analyze("SELECT * FROM planned WHERE d = DATE '2025-01-02'"))
                .contains("manifests read' = LongCount{total=2}")
                .contains("manifests skipped' = LongCount{total=4}")
                .contains("files to read' = LongCount{total=1}")
                .contains("files skipped' = LongCount{total=2}");
        assertThat(analyze("SELECT * FROM \"planned$audit_log\" WHERE d = DATE '2025-01-02'"))
                .contains("manifests read' = LongCount{total=1}")
                .contains("manifests skipped' = LongCount{total=2}")
                .contains("files to read' = LongCount{total=1}")
                .contains("files skipped' = LongCount{total=2}");
        // what the snapshots do not hold is not even known
        assertThat(analyze("SELECT * FROM \"planned$audit_log\" WHERE \"$snapshot_id\" > 4"))
                .contains("manifests read' = LongCount{total=1}")
                .contains("manifests skipped' = LongCount{total=0}");
    }

    @Test
    void testMetricsOfAScan()
    {
        assertUpdate("CREATE TABLE measured (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1)");
        assertUpdate("INSERT INTO measured SELECT n, 'old' FROM UNNEST(sequence(1, 20)) AS t (n)", 20);
        assertThat(analyze("SELECT * FROM measured"))
                .contains("splits read plainly' = LongCount{total=1}")
                .contains("sections read plainly' = LongCount{total=1}")
                .contains("superseded rows' = LongCount{total=0}");
        assertUpdate("INSERT INTO measured SELECT n, 'new' FROM UNNEST(sequence(5, 10)) AS t (n)", 6);
        assertThat(analyze("SELECT * FROM measured"))
                .contains("splits merged' = LongCount{total=1}")
                .contains("sections merged' = LongCount{total=1}")
                .contains("files' = LongCount{total=2}")
                .contains("superseded rows' = LongCount{total=6}");
        assertThat(analyze("SELECT * FROM measured WHERE k = 12"))
                .contains("row groups read' = LongCount{total=1}")
                .contains("superseded rows' = LongCount{total=0}");
    }

    @Test
    void testFieldsOfRows()
    {
        for (String engine : new String[] {"deduplicate", "partial-update", "aggregation"}) {
            String table = "nested_" + engine.replace('-', '_');
            assertUpdate("CREATE TABLE %s (k bigint, r row(a bigint, s row(x varchar, y bigint, z double), b varchar), other varchar) WITH (primary_key = ARRAY['k'], bucket = 1, merge_engine = '%s')".formatted(table, engine));
            assertUpdate("INSERT INTO %s VALUES (1, row(10, row('x1', 100, 1e0), 'b1'), 'o'), (2, row(20, NULL, 'b2'), 'o'), (3, NULL, 'o')".formatted(table), 3);
            assertUpdate("INSERT INTO %s VALUES (2, row(21, row('x2', 201, NULL), NULL), 'p'), (4, row(NULL, row(NULL, 400, 4e0), 'b4'), NULL)".formatted(table), 2);
            assertQuery("SELECT k, r.a FROM " + table, "VALUES (1, 10), (2, 21), (3, NULL), (4, NULL)");
            assertQuery("SELECT r.s.y, k, r.b FROM " + table, "VALUES (100, 1, 'b1'), (201, 2, NULL), (NULL, 3, NULL), (400, 4, 'b4')");
            assertQuery("SELECT r.s.z, r.s.x, r.s.y + r.a FROM " + table, "VALUES (1e0, 'x1', 110), (NULL, 'x2', 222), (NULL, NULL, NULL), (4e0, NULL, NULL)");
            assertQuery("SELECT r.s.y, r.s.x, r.s IS NULL FROM " + table, "VALUES (100, 'x1', false), (201, 'x2', false), (NULL, NULL, true), (400, NULL, false)");
            assertQuery("SELECT k FROM %s WHERE r.s.y > 150 AND r.b IS NOT NULL".formatted(table), "VALUES 4");
            assertQuery("SELECT sum(r.a), count(r.s.y) FROM " + table, "VALUES (31, 3)");
            assertQuery("SELECT count(*) FROM (SELECT r.a FROM %s LIMIT 3)".formatted(table), "VALUES 3");
            assertThat(explain("SELECT r.s.y FROM " + table)).contains("r#s#y:bigint").doesNotContain("row(");
        }
        assertUpdate("UPDATE nested_deduplicate SET other = r.b WHERE r.a = 10", 1);
        assertQuery("SELECT other, r.s.x FROM nested_deduplicate WHERE k = 1", "VALUES ('b1', 'x1')");
        assertUpdate("CREATE TABLE nested_log (k bigint, r row(a bigint, b varchar)) WITH (primary_key = ARRAY['k'], bucket = 1, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO nested_log VALUES (1, row(1, 'x'))", 1);
        assertUpdate("INSERT INTO nested_log VALUES (1, row(2, NULL))", 1);
        assertQuery("SELECT rowkind, r.b, r.a FROM \"nested_log$audit_log\"", "VALUES ('+I', 'x', 1), ('-U', 'x', 1), ('+U', NULL, 2)");
    }

    private String explain(String query)
    {
        return (String) computeScalar("EXPLAIN " + query);
    }

    private String analyze(String query)
    {
        return (String) computeScalar("EXPLAIN ANALYZE VERBOSE " + query);
    }
}
