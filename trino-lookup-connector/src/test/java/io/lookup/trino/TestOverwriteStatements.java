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

import io.lookup.storage.oracle.OracleTable;
import io.trino.Session;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * TRUNCATE, and INSERT with {@code insert_overwrite}, on a coordinator and two workers.
 */
final class TestOverwriteStatements
        extends AbstractOracleQueryTest
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create(warehouse, Map.of());
    }

    @Test
    void testTruncate()
            throws Exception
    {
        for (String producer : List.of("lookup", "full-compaction", "input", "none")) {
            assertUpdate("CREATE TABLE truncated (k bigint, p varchar, v bigint) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 3, changelog_producer = '" + producer + "')");
            assertUpdate("TRUNCATE TABLE truncated");
            assertQuery("SELECT count(*) FROM \"truncated$snapshots\"", "VALUES 0");
            assertUpdate("INSERT INTO truncated SELECT n, CAST(n % 4 AS varchar), n FROM UNNEST(sequence(1, 100)) t (n)", 100);
            if (producer.equals("full-compaction")) {
                assertUpdate("ALTER TABLE truncated EXECUTE optimize");
            }
            assertUpdate("TRUNCATE TABLE truncated");
            assertQueryReturnsEmptyResult("SELECT * FROM truncated");
            assertThat(paimon.readTable(new OracleTable("default", "truncated"))).isEmpty();
            assertQuery("SELECT commit_kind, total_record_count FROM \"truncated$snapshots\" ORDER BY snapshot_id DESC LIMIT 1", "VALUES ('OVERWRITE', 0)");
            if (!producer.equals("none")) {
                assertQuery("SELECT rowkind, count(*), sum(v) FROM \"truncated$audit_log\" GROUP BY rowkind", "VALUES ('+I', 100, 5050), ('-D', 100, 5050)");
                assertQuery("SELECT DISTINCT \"$user\", \"$query_id\" IS NOT NULL FROM \"truncated$audit_log\" WHERE rowkind = '-D'", "VALUES ('user', true)");
                if (!producer.equals("input")) {
                    assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'truncated'))");
                }
            }
            else {
                assertQuery("SELECT rowkind, count(*) FROM \"truncated$audit_log\" GROUP BY rowkind", "VALUES ('+I', 100)");
            }
            // a snapshot before still has them
            assertQuery("SELECT count(*) FROM truncated FOR VERSION AS OF 1", "VALUES 100");
            assertUpdate("INSERT INTO truncated VALUES (1, 'x', 1)", 1);
            assertQuery("SELECT * FROM truncated", "VALUES (1, 'x', 1)");
            assertUpdate("DROP TABLE truncated");
        }
    }

    @Test
    void testOverwriteOfPartitionsWithInputLog()
    {
        assertUpdate("CREATE TABLE fed (k bigint, p varchar, v bigint) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 2, changelog_producer = 'input')");
        assertUpdate("INSERT INTO fed VALUES (1, 'a', 10), (2, 'a', 20), (1, 'b', 11)", 3);
        assertUpdate("UPDATE fed SET v = 21 WHERE k = 2", 1);
        assertUpdate(overwriting(), "INSERT INTO fed VALUES (2, 'a', 22), (1, 'c', 13)", 2);
        assertQuery("SELECT * FROM fed", "VALUES (2, 'a', 22), (1, 'b', 11), (1, 'c', 13)");
        assertQuery(
                "SELECT rowkind, k, p, v FROM \"fed$audit_log\" WHERE \"$snapshot_id\" = (SELECT max(snapshot_id) FROM \"fed$snapshots\")",
                "VALUES ('-D', 1, 'a', 10), ('-U', 2, 'a', 21), ('+U', 2, 'a', 22), ('+I', 1, 'c', 13)");
        assertUpdate("DROP TABLE fed");
    }

    @Test
    void testOverwriteOfPartitions()
    {
        assertUpdate("CREATE TABLE parts (k bigint, p varchar, v bigint) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 4, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO parts VALUES (1, 'a', 10), (2, 'a', 20), (3, 'a', 30), (4, 'a', 40), (1, 'b', 11), (2, 'b', 21)", 6);
        assertUpdate(overwriting(), "INSERT INTO parts VALUES (2, 'a', 22), (9, 'a', 90), (1, 'c', 13)", 3);
        assertQuery("SELECT * FROM parts", "VALUES (2, 'a', 22), (9, 'a', 90), (1, 'b', 11), (2, 'b', 21), (1, 'c', 13)");
        assertQuery(
                "SELECT rowkind, k, p, v FROM \"parts$audit_log\" WHERE \"$snapshot_id\" = (SELECT max(snapshot_id) FROM \"parts$snapshots\")",
                "VALUES ('-D', 1, 'a', 10), ('-U', 2, 'a', 20), ('+U', 2, 'a', 22), ('-D', 3, 'a', 30), ('-D', 4, 'a', 40), ('+I', 9, 'a', 90), ('+I', 1, 'c', 13)");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'parts'))");
        // no row, no partition
        assertUpdate(overwriting(), "INSERT INTO parts SELECT * FROM parts WHERE k > 100", 0);
        assertQuery("SELECT count(*) FROM parts", "VALUES 5");
        // an overwrite may read what it replaces
        assertUpdate(overwriting(), "INSERT INTO parts SELECT k, p, v + 1 FROM parts WHERE p = 'a'", 2);
        assertQuery("SELECT * FROM parts", "VALUES (2, 'a', 23), (9, 'a', 91), (1, 'b', 11), (2, 'b', 21), (1, 'c', 13)");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'parts'))");
        assertUpdate("DROP TABLE parts");
    }

    @Test
    void testOverwriteOfTable()
    {
        assertUpdate("CREATE TABLE whole (k bigint, v bigint) WITH (primary_key = ARRAY['k'], bucket = 4, changelog_producer = 'lookup', merge_engine = 'aggregation', options = ARRAY['fields.v.aggregate-function=sum'])");
        assertUpdate(overwriting(), "INSERT INTO whole VALUES (1, 1), (1, 2)", 2);
        assertQuery("SELECT * FROM whole", "VALUES (1, 3)");
        assertUpdate("INSERT INTO whole SELECT n, n FROM UNNEST(sequence(1, 50)) t (n)", 50);
        assertUpdate(overwriting(), "INSERT INTO whole VALUES (1, 5), (1, 6), (77, 7)", 3);
        assertQuery("SELECT * FROM whole", "VALUES (1, 11), (77, 7)");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'whole'))");
        // EXPLAIN says so, and does nothing
        assertThat(computeScalar(overwriting(), "EXPLAIN INSERT INTO whole VALUES (1, 1)")).asString().contains("default.whole overwriting");
        assertThat(computeActual("SELECT count(*) FROM whole").getOnlyValue()).isEqualTo(2L);
        assertUpdate(overwriting(), "INSERT INTO whole SELECT * FROM whole WHERE k > 100", 0);
        assertQueryReturnsEmptyResult("SELECT * FROM whole");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'whole'))");
        // other statements are not concerned
        assertUpdate("INSERT INTO whole VALUES (1, 1), (2, 2)", 2);
        assertUpdate(overwriting(), "MERGE INTO whole t USING (VALUES 3) s (k) ON t.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, 3)", 1);
        assertQuery("SELECT count(*) FROM whole", "VALUES 3");
        assertUpdate("DROP TABLE whole");
    }

    @Test
    void testRefused()
    {
        assertUpdate("CREATE TABLE refused (k bigint) WITH (primary_key = ARRAY['k'])");
        for (String statement : List.of("TRUNCATE TABLE \"refused$files\"", "TRUNCATE TABLE \"refused$audit_log\"")) {
            assertTrinoExceptionThrownBy(() -> computeActual(statement)).hasErrorCode(NOT_SUPPORTED).hasMessageContaining("is read-only");
        }
        assertUpdate("DROP TABLE refused");
    }

    private Session overwriting()
    {
        return Session.builder(getSession()).setCatalogSessionProperty(LookupQueryRunner.CATALOG, "insert_overwrite", "true").build();
    }
}
