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
import io.trino.Session;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Joins and aggregations on the bucket key move no rows, and give what they give without buckets.
 */
final class TestBucketedExecution
        extends AbstractTestQueryFramework
{
    private static final String BUCKETED = "groups of buckets";
    private static final String EXCHANGE = "RemoteSource";

    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create(warehouse, ImmutableMap.of());
    }

    @Test
    void testAggregations()
    {
        createTable("facts", "k bigint, t varchar, v bigint", "'k'", 4);
        insert("facts", "n, 't' || CAST(n % 7 AS varchar), n * 3", 500);
        insert("facts", "n, 'new', n", 100);
        assertBucketed("SELECT k, count(*), sum(v) FROM facts GROUP BY k", 4, 0);
        assertBucketed("SELECT k, t, max(v) FROM facts GROUP BY t, k", 4, 0);
        assertBucketed("SELECT DISTINCT k FROM facts WHERE v > 100", 4, 0);
        assertBucketed("SELECT k, row_number() OVER (PARTITION BY k ORDER BY v) FROM facts", 4, 0);
        // other columns
        assertNotBucketed("SELECT t, count(*) FROM facts GROUP BY t");
        // nobody asks for it
        assertNotBucketed("SELECT count(*) FROM facts");
        assertNotBucketed("SELECT * FROM facts WHERE v > 3");
    }

    @Test
    void testJoins()
    {
        createTable("orders", "k bigint, customer bigint, price decimal(12, 2)", "'k'", 4);
        createTable("deliveries", "k bigint, day date", "'k'", 4);
        createTable("fine", "k bigint, note varchar", "'k'", 8);
        createTable("odd", "k bigint, note varchar", "'k'", 3);
        createTable("narrow", "k integer, note varchar", "'k'", 4);
        insert("orders", "n - 250, n % 13, n * 1.25", 500);
        insert("orders", "n, n % 3, n * 2", 100);
        insert("deliveries", "2 * n - 200, date '2025-01-01' + (n % 50) * interval '1' day", 300);
        insert("fine", "3 * n - 150, 'fine'", 200);
        insert("odd", "5 * n - 150, 'odd'", 100);
        insert("narrow", "5 * n - 150, 'narrow'", 100);

        assertBucketed("SELECT * FROM orders JOIN deliveries USING (k)", 4, 0);
        assertBucketed("SELECT k, count(*), max(day), sum(price) FROM orders JOIN deliveries USING (k) GROUP BY k", 4, 0);
        assertBucketed("SELECT o.k, d.k FROM orders o FULL JOIN deliveries d ON o.k = d.k", 4, 0);
        assertBucketed("SELECT o.k, d.day FROM orders o LEFT JOIN deliveries d ON o.k = d.k AND d.day > date '2025-01-20'", 4, 0);
        assertSameRows("SELECT k FROM orders WHERE k IN (SELECT k FROM deliveries)");
        assertBucketed("SELECT a.k, b.price FROM orders a JOIN orders b ON a.k = b.k AND a.customer = b.customer", 4, 0);
        // the finer buckets are put together
        assertBucketed("SELECT o.k, f.note FROM orders o JOIN fine f ON o.k = f.k", 4, 0);
        assertBucketed("SELECT o.k, f.note, d.day FROM fine f JOIN orders o ON o.k = f.k LEFT JOIN deliveries d ON d.k = o.k", 4, 0);
        assertBucketed("SELECT o.k, f.note FROM fine f LEFT JOIN orders o ON o.k = f.k", 4, 0);
        // one side comes to the other's buckets
        assertBucketed("SELECT o.k, x.note FROM orders o JOIN odd x ON o.k = x.k", 1);
        assertBucketed("SELECT o.k, x.note FROM orders o LEFT JOIN (SELECT nullif(k, 5) AS k, note FROM odd) x ON o.k = x.k", 1);
        assertBucketed("SELECT o.k, x.note FROM orders o FULL JOIN (SELECT nullif(k, 5) AS k, note FROM odd) x ON o.k = x.k", 1);
        assertBucketed("SELECT o.k, x.note FROM orders o JOIN narrow x ON o.k = x.k", 1);
        assertBucketed("SELECT o.k, x.customer FROM orders o JOIN orders x ON o.k = x.customer", 1);
    }

    @Test
    void testKeysOfEachType()
    {
        for (String type : new String[] {"tinyint", "smallint", "integer", "bigint", "decimal(9, 2)", "decimal(30, 4)", "date", "varchar", "varchar(40)", "boolean"}) {
            String name = "typed_" + type.replaceAll("[^a-z0-9]", "_");
            String value = switch (type) {
                case "date" -> "date '2020-01-01' + n * interval '1' day";
                case "boolean" -> "n % 2 = 0";
                default -> "CAST(n - 30 AS %s)".formatted(type);
            };
            createTable(name, "k %s, v bigint".formatted(type), "'k'", 3);
            createTable(name + "_2", "k %s, v bigint".formatted(type), "'k'", 3);
            // the last of a key counts
            assertUpdate("INSERT INTO %s SELECT %s, max(n) FROM UNNEST(sequence(1, 60)) AS t (n) GROUP BY 1".formatted(name, value), "boolean".equals(type) ? 2 : 60);
            assertUpdate("INSERT INTO %s_2 SELECT k, v + 1 FROM %s WHERE v > 20".formatted(name, name), "boolean".equals(type) ? 2 : 40);
            assertBucketed("SELECT a.k, a.v, b.v FROM %s a JOIN %s_2 b ON a.k = b.k".formatted(name, name), 3, 0);
            assertBucketed("SELECT k, count(*) FROM %s GROUP BY k".formatted(name), 3, 0);
        }
        for (String type : new String[] {"double", "real", "char(8)"}) {
            // equal values of these can lie in different buckets
            String name = "unsafe_" + type.replaceAll("[^a-z0-9]", "_");
            createTable(name, "k %s, v bigint".formatted(type), "'k'", 3);
            assertUpdate("INSERT INTO %s SELECT CAST(CAST(n AS varchar) AS %s), n FROM UNNEST(sequence(1, 10)) AS t (n)".formatted(name, type), 10);
            assertNotBucketed("SELECT k, count(*) FROM %s GROUP BY k".formatted(name));
        }
    }

    @Test
    void testCompositeKeysAndPartitions()
    {
        assertUpdate("CREATE TABLE days (d integer, a bigint, b varchar, v bigint) WITH (primary_key = ARRAY['d', 'a', 'b'], partitioned_by = ARRAY['d'], bucket = 4, bucket_key = ARRAY['b', 'a'])");
        insert("days", "CAST(n % 5 AS integer), n % 20, CAST(n % 3 AS varchar), n", 300);
        assertBucketed("SELECT a, b, sum(v) FROM days GROUP BY a, b", 4, 0);
        assertBucketed("SELECT d, a, b, sum(v) FROM days GROUP BY d, a, b", 4, 0);
        assertBucketed("SELECT a, b, sum(v) FROM days WHERE d > 2 GROUP BY a, b", 4, 0);
        assertNotBucketed("SELECT a, sum(v) FROM days GROUP BY a");
        createTable("pairs", "b varchar, a bigint, w bigint", "'b', 'a'", 4);
        insert("pairs", "CAST(n % 3 AS varchar), n, -n", 30);
        assertBucketed("SELECT x.a, x.b, v, w FROM days x JOIN pairs y ON x.a = y.a AND x.b = y.b", 4, 0);
    }

    @Test
    void testOneBucketIsNoReason()
    {
        createTable("single", "k bigint, v bigint", "'k'", 1);
        insert("single", "n, n", 10);
        assertNotBucketed("SELECT k, count(*) FROM single GROUP BY k");
    }

    @Test
    void testBucketCountsThatDiffer()
            throws Exception
    {
        assertUpdate("CREATE TABLE rescaled (d integer, k bigint, v bigint) WITH (primary_key = ARRAY['d', 'k'], partitioned_by = ARRAY['d'], bucket = 2)");
        assertUpdate("INSERT INTO rescaled SELECT 1, n, n FROM UNNEST(sequence(1, 100)) AS t (n)", 100);
        // as other engines can
        Path schema = warehouse.resolve("default.db/rescaled/schema/schema-0");
        Files.writeString(schema, Files.readString(schema).replaceFirst("\"bucket\" *: *\"2\"", "\"bucket\": \"5\""));
        assertUpdate("INSERT INTO rescaled SELECT 2, n, n FROM UNNEST(sequence(1, 100)) AS t (n)", 100);
        assertNotBucketed("SELECT k, count(*), sum(v) FROM rescaled GROUP BY k");
        assertQuery("SELECT count(*), min(n), max(n) FROM (SELECT k, count(*) AS n FROM rescaled GROUP BY k)", "VALUES (100, 2, 2)");
        // the partitions that count have one number
        assertBucketed("SELECT k, count(*) FROM rescaled WHERE d = 2 GROUP BY k", 5, 0);
        assertNotBucketed("SELECT k, count(*) FROM rescaled WHERE d = 1 GROUP BY k");
    }

    private void createTable(String name, String columns, String key, int buckets)
    {
        assertUpdate("CREATE TABLE %s (%s) WITH (primary_key = ARRAY[%s], bucket = %s)".formatted(name, columns, key, buckets));
    }

    private void insert(String table, String values, int count)
    {
        assertUpdate("INSERT INTO %s SELECT %s FROM UNNEST(sequence(1, %s)) AS t (n)".formatted(table, values, count), count);
    }

    /**
     * @param exchanges between stages that read or compute
     */
    private void assertBucketed(String query, int groups, int exchanges)
    {
        assertThat(explain(session(true), query)).contains("in %s %s".formatted(groups, BUCKETED));
        assertBucketed(query, exchanges);
    }

    private void assertBucketed(String query, int exchanges)
    {
        String plan = explain(session(true), query);
        assertThat(plan.split(EXCHANGE, -1)).as(plan).hasSize(exchanges + 1);
        assertThat(plan).contains(BUCKETED);
        assertSameRows(query);
    }

    private void assertNotBucketed(String query)
    {
        assertThat(explain(session(true), query)).doesNotContain(BUCKETED);
        assertSameRows(query);
    }

    private void assertSameRows(String query)
    {
        assertThat(explain(session(false), query)).doesNotContain(BUCKETED);
        assertThat(getQueryRunner().execute(session(true), query).getMaterializedRows())
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(getQueryRunner().execute(session(false), query).getMaterializedRows());
    }

    private String explain(Session session, String query)
    {
        return (String) getQueryRunner().execute(session, "EXPLAIN (TYPE DISTRIBUTED) " + query).getOnlyValue();
    }

    private Session session(boolean bucketed)
    {
        return Session.builder(getSession())
                .setSystemProperty("join_distribution_type", "PARTITIONED")
                .setCatalogSessionProperty(getSession().getCatalog().orElseThrow(), "bucketed_execution_enabled", Boolean.toString(bucketed))
                .build();
    }
}
