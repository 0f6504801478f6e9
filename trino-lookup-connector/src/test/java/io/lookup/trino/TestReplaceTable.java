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
import org.junit.jupiter.api.Test;

import java.util.List;

import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * CREATE OR REPLACE TABLE, and rescaling: what gives a table other files in one snapshot.
 */
final class TestReplaceTable
        extends AbstractOracleQueryTest
{
    @Test
    void testReplace()
            throws Exception
    {
        String properties = "COMMENT 'a table' WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 2, changelog_producer = 'lookup')";
        String rows = "SELECT CAST(k AS bigint) k, CAST(p AS varchar) p, CAST(v AS row(a bigint, b varchar)) v FROM (VALUES (2, 'y', ROW(20, 'b')), (4, 'z', ROW(4, 'd'))) t (k, p, v)";
        // not there yet
        assertUpdate("CREATE OR REPLACE TABLE replaced (k bigint, p varchar, v row(a bigint, b varchar)) " + properties);
        assertUpdate("INSERT INTO replaced VALUES (1, 'x', ROW(1, 'a')), (2, 'y', ROW(2, 'b')), (3, 'y', ROW(3, 'c'))", 3);
        assertUpdate("CREATE OR REPLACE TABLE replaced " + properties + " AS " + rows, 2);
        assertQuery("SELECT k, p, v.a FROM replaced", "VALUES (2, 'y', 20), (4, 'z', 4)");
        // one snapshot, with what it changed
        assertQuery("SELECT commit_kind, schema_id FROM \"replaced$snapshots\" WHERE snapshot_id > 2", "VALUES ('OVERWRITE', 0)");
        assertQuery(
                "SELECT rowkind, k, p FROM \"replaced$audit_log\" WHERE \"$snapshot_id\" = 3",
                "VALUES ('-D', 1, 'x'), ('-U', 2, 'y'), ('+U', 2, 'y'), ('-D', 3, 'y'), ('+I', 4, 'z')");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'replaced'))");
        assertSameInPaimon("replaced");
        assertQuery("SELECT count(*) FROM replaced FOR VERSION AS OF 2", "VALUES 3");
        // from its own rows
        assertUpdate("CREATE OR REPLACE TABLE replaced " + properties + " AS SELECT k + 1 k, p, v FROM replaced", 2);
        assertQuery("SELECT k FROM replaced", "VALUES 3, 5");
        // EXPLAIN changes nothing
        computeActual("EXPLAIN CREATE OR REPLACE TABLE replaced " + properties + " AS " + rows);
        assertQuery("SELECT k FROM replaced", "VALUES 3, 5");
        assertUpdate("CREATE OR REPLACE TABLE replaced (k bigint, p varchar, v row(a bigint, b varchar)) " + properties);
        assertQueryReturnsEmptyResult("SELECT * FROM replaced");
        assertLogGivesTable("replaced");

        for (String other : List.of(
                "(k bigint, p varchar, v row(a bigint, c varchar)) " + properties,
                "(k bigint, p varchar) " + properties,
                "(k bigint, p varchar, v row(a bigint, b varchar)) " + properties.replace("bucket = 2", "bucket = 3"),
                "(k bigint, p varchar, v row(a bigint, b varchar)) " + properties.replace("a table", "b table"),
                "(k bigint, p varchar, v row(a bigint, b varchar)) COMMENT 'a table'")) {
            assertTrinoExceptionThrownBy(() -> computeActual("CREATE OR REPLACE TABLE replaced " + other))
                    .hasErrorCode(NOT_SUPPORTED)
                    .hasMessageStartingWith("Table default.replaced cannot be replaced in one step, since its ");
        }
        assertUpdate("DROP TABLE replaced");
    }

    @Test
    void testReplaceAppendOnlyTable()
            throws Exception
    {
        assertUpdate("CREATE TABLE plain AS SELECT CAST(1 AS bigint) a, CAST('x' AS varchar) b", 1);
        assertUpdate("CREATE OR REPLACE TABLE plain AS SELECT CAST(2 AS bigint) a, CAST('y' AS varchar) b", 1);
        assertQuery("SELECT * FROM plain", "VALUES (2, 'y')");
        assertSameInPaimon("plain");
        assertUpdate("CREATE OR REPLACE TABLE plain AS SELECT CAST(2 AS bigint) a, CAST('y' AS varchar) b WITH NO DATA", 0);
        assertQueryReturnsEmptyResult("SELECT * FROM plain");
        assertUpdate("DROP TABLE plain");
    }

    @Test
    void testRescaleWithFewerLevels()
    {
        assertUpdate("CREATE TABLE lowered (id bigint NOT NULL, v bigint) WITH (primary_key = ARRAY['id'], bucket = 2, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO lowered VALUES (1, 1), (2, 2), (3, 3)", 3);
        // what lies at the former highest level stays there
        assertUpdate("ALTER TABLE lowered SET PROPERTIES options = ARRAY['num-levels=4']");
        assertUpdate("UPDATE lowered SET v = 20 WHERE id = 2", 1);
        assertUpdate("ALTER TABLE lowered EXECUTE rescale(bucket_num => 4)");
        assertQuery("SELECT * FROM lowered", "VALUES (1, 1), (2, 20), (3, 3)");
        assertUpdate("UPDATE lowered SET v = 30 WHERE id = 3", 1);
        assertQuery("SELECT * FROM lowered", "VALUES (1, 1), (2, 20), (3, 30)");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'lowered'))");
        assertUpdate("DROP TABLE lowered");
    }

    @Test
    void testRescale()
            throws Exception
    {
        for (boolean call : new boolean[] {false, true}) {
            assertUpdate("CREATE TABLE rescaled (k bigint, p varchar, v bigint) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 2, changelog_producer = 'lookup')");
            assertUpdate("INSERT INTO rescaled SELECT n, CAST(n % 3 AS varchar), n FROM UNNEST(sequence(1, 100)) t (n)", 100);
            assertUpdate("UPDATE rescaled SET v = v + 1 WHERE k <= 10", 10);
            assertThat(computeScalar("EXPLAIN ALTER TABLE rescaled EXECUTE rescale(bucket_num => 5)")).asString().contains("rescale default.rescaled");
            assertUpdate(call ? "CALL lake.system.rescale('default', 'rescaled', 5)" : "ALTER TABLE rescaled EXECUTE rescale(bucket_num => 5)");
            assertThat(computeScalar("SHOW CREATE TABLE rescaled")).asString().contains("bucket = 5");
            assertQuery("SELECT count(*), sum(v) FROM rescaled", "VALUES (100, 5060)");
            assertQuery("SELECT max(bucket), sum(record_count) FROM \"rescaled$buckets\"", "VALUES (4, 100)");
            assertQuery("SELECT commit_kind, delta_record_count, changelog_record_count FROM \"rescaled$snapshots\" ORDER BY snapshot_id DESC LIMIT 1", "VALUES ('OVERWRITE', 0, NULL)");
            assertQuery("SELECT rowkind, count(*) FROM \"rescaled$audit_log\" GROUP BY rowkind", "VALUES ('+I', 100), ('-U', 10), ('+U', 10)");
            assertQuery("SELECT v FROM rescaled WHERE k = 10 AND p = '1'", "VALUES 11");
            assertQuery("SELECT count(*) FROM rescaled FOR VERSION AS OF 2", "VALUES 100");
            assertUpdate("DELETE FROM rescaled WHERE k <= 50", 50);
            assertSameInPaimon("rescaled");
            assertLogGivesTable("rescaled");
            assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'rescaled'))");
            assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE rescaled EXECUTE rescale(bucket_num => 0)"))
                    .hasErrorCode(INVALID_PROCEDURE_ARGUMENT);
            assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE rescaled EXECUTE rescale"))
                    .hasErrorCode(INVALID_PROCEDURE_ARGUMENT)
                    .hasMessage("The argument bucket_num must be given, and be 1 or more");
            assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE rescaled SET PROPERTIES bucket = 3"))
                    .hasErrorCode(INVALID_TABLE_PROPERTY)
                    .hasMessageContaining("ALTER TABLE … EXECUTE rescale(bucket_num => 3)");
            assertThat(paimon.orphanFiles(new OracleTable("default", "rescaled"))).isEmpty();
            assertUpdate("DROP TABLE rescaled");
        }
        assertUpdate("CREATE TABLE appended (k bigint)");
        assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE appended EXECUTE rescale(bucket_num => 3)"))
                .hasErrorCode(NOT_SUPPORTED)
                .hasMessageContaining("only tables with a primary key and a fixed number of buckets can");
        assertUpdate("DROP TABLE appended");
    }
}
