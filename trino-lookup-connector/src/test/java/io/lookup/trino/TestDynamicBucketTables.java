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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import org.junit.jupiter.api.Test;

import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Statements on tables whose buckets grow with their keys, in turns with Paimon.
 */
final class TestDynamicBucketTables
        extends AbstractOracleQueryTest
{
    @Test
    void testStatements()
            throws Exception
    {
        assertUpdate("CREATE TABLE growing (k bigint, p varchar, v bigint) WITH (" +
                "primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = -1, changelog_producer = 'lookup', options = ARRAY['dynamic-bucket.target-row-num=10'])");
        assertThat((String) computeScalar("SHOW CREATE TABLE growing")).contains("bucket = -1", "dynamic-bucket.target-row-num=10");
        assertUpdate("INSERT INTO growing SELECT n, IF(n % 3 = 0, 'a', 'b'), n FROM UNNEST(sequence(1, 90)) t (n)", 90);
        // every bucket is full before the next one begins
        assertQuery("SELECT count(DISTINCT bucket), max(bucket) FROM \"growing$files\" WHERE partition = '{a}'", "VALUES (3, 2)");
        assertQuery("SELECT count(DISTINCT bucket), max(bucket) FROM \"growing$files\" WHERE partition = '{b}'", "VALUES (6, 5)");
        check("growing", 90);
        assertUpdate("UPDATE growing SET v = v + 1000 WHERE k % 5 = 0", 18);
        assertUpdate("UPDATE growing SET k = k + 500, p = 'c' WHERE k BETWEEN 10 AND 19", 10);
        assertUpdate("DELETE FROM growing WHERE k IN (1, 3, 4, 30)", 4);
        assertUpdate("MERGE INTO growing t USING (VALUES (2, 'b', 5), (6, 'a', 6), (1, 'b', 7), (700, 'a', 8)) s (k, p, v) ON t.k = s.k AND t.p = s.p " +
                "WHEN MATCHED AND s.k = 6 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.p, s.v)", 4);
        check("growing", 87);
        paimon.write(new OracleTable("default", "growing"), ImmutableList.of(Change.insert(700L, "a", 9L), Change.insert(701L, "a", 9L), Change.insert(2L, "b", 6L), Change.insert(800L, "d", 1L)));
        check("growing", 89);
        assertUpdate("INSERT INTO growing VALUES (701, 'a', 10), (800, 'd', 2), (801, 'd', 3)", 3);
        check("growing", 90);
        assertUpdate("ALTER TABLE growing EXECUTE optimize");
        assertQuery("SELECT DISTINCT level FROM \"growing$files\"", "VALUES 5");
        check("growing", 90);
        assertUpdate("TRUNCATE TABLE growing");
        check("growing", 0);
        assertUpdate("INSERT INTO growing VALUES (1, 'a', 1)", 1);
        check("growing", 1);
        assertUpdate("CREATE TABLE grown WITH (primary_key = ARRAY['n'], bucket = -1, changelog_producer = 'lookup', options = ARRAY['dynamic-bucket.target-row-num=1000']) AS SELECT n, n v FROM UNNEST(sequence(1, 10000)) t (n)", 10_000);
        assertQuery("SELECT count(DISTINCT bucket) FROM \"grown$files\"", "VALUES 10");
        check("grown", 10_000);
        assertUpdate("DROP TABLE growing");
        assertUpdate("DROP TABLE grown");
    }

    @Test
    void testRefused()
    {
        assertQueryFails("CREATE TABLE refused (k bigint, p varchar) WITH (primary_key = ARRAY['k'], partitioned_by = ARRAY['p'], bucket = -1)", ".*Partition column p must be part of primary_key.*");
        assertTrinoOptionRefused("dynamic-bucket.max-buckets=40000");
        assertTrinoOptionRefused("dynamic-bucket.target-row-num=0");
    }

    private void assertTrinoOptionRefused(String option)
    {
        assertTrinoExceptionThrownBy(() -> computeActual("CREATE TABLE refused (k bigint) WITH (primary_key = ARRAY['k'], bucket = -1, options = ARRAY['" + option + "'])"))
                .hasErrorCode(INVALID_TABLE_PROPERTY)
                .hasMessageContaining(option.substring(0, option.indexOf('=')));
    }

    private void check(String table, int rows)
            throws Exception
    {
        assertQuery("SELECT count(*) FROM " + table, "VALUES " + rows);
        assertSameInPaimon(table);
        assertLogGivesTable(table);
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => '%s'))".formatted(table));
    }
}
