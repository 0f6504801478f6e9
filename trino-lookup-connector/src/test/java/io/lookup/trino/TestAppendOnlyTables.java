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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.trino.Session;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static io.lookup.storage.oracle.Change.insert;
import static io.trino.spi.StandardErrorCode.CONSTRAINT_VIOLATION;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables without a primary key, on a coordinator and two workers, read and written by both engines.
 */
final class TestAppendOnlyTables
        extends AbstractOracleQueryTest
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create(warehouse, Map.of());
    }

    @Test
    void testInsert()
            throws Exception
    {
        assertUpdate("CREATE TABLE appended (id bigint NOT NULL, p varchar, v decimal(10,2), a array(row(x varchar))) WITH (partitioned_by = ARRAY['p'])");
        assertThat((String) computeScalar("SHOW CREATE TABLE appended")).contains("bucket = -1").doesNotContain("primary_key");
        assertUpdate("INSERT INTO appended VALUES (1, 'a', 1.5, ARRAY[ROW('x')]), (1, 'a', 1.5, ARRAY[ROW('x')]), (2, NULL, NULL, NULL)", 3);
        assertUpdate("INSERT INTO appended (id) VALUES 3", 1);
        assertQuery("SELECT id, p, v FROM appended", "VALUES (1, 'a', 1.5), (1, 'a', 1.5), (2, NULL, NULL), (3, NULL, NULL)");
        assertThat(paimonRows("appended")).containsExactlyElementsOf(rows("appended"));
        paimon.write(new OracleTable("default", "appended"), ImmutableList.of(insert(7L, "b", null, null)));
        assertThat(paimonRows("appended")).hasSize(5).containsExactlyElementsOf(rows("appended"));
        assertQuery("SELECT \"$snapshot_id\", rowkind, id FROM \"appended$audit_log\"", "VALUES (1, '+I', 1), (1, '+I', 1), (1, '+I', 2), (2, '+I', 3), (3, '+I', 7)");
        assertQuery("SELECT \"$user\" FROM \"appended$audit_log\" WHERE id = 3", "VALUES 'user'");
        assertQuery("SELECT count(*) FROM appended FOR VERSION AS OF 1", "VALUES 3");
        assertQuery("SELECT commit_kind, total_record_count, delta_record_count, changelog_record_count FROM \"appended$snapshots\" WHERE snapshot_id = 2", "VALUES ('APPEND', 4, 1, NULL)");
        assertTrinoExceptionThrownBy(() -> computeActual("INSERT INTO appended VALUES (NULL, 'a', 1, NULL)")).hasErrorCode(CONSTRAINT_VIOLATION);
        assertThat(paimon.orphanFiles(new OracleTable("default", "appended"))).isEmpty();
        assertUpdate("DROP TABLE appended");
    }

    /**
     * What Paimon writes of the same rows.
     */
    @Test
    void testSameFilesAsPaimon()
            throws Exception
    {
        for (Map<String, String> options : List.of(ImmutableMap.<String, String>of(), ImmutableMap.of("bucket", "2", "bucket-key", "id"))) {
            PaimonTableDefinition definition = new PaimonTableDefinition(
                    ImmutableList.of(new Column("id", "INT"), new Column("v", "STRING")),
                    ImmutableList.of(),
                    ImmutableList.of(),
                    options);
            OracleTable theirs = paimon.createTable("default", "theirs", definition);
            paimon.createTable("default", "ours", definition);
            for (int round = 0; round < 2; round++) {
                paimon.write(theirs, ImmutableList.of(insert(1, "a"), insert(2, null), insert(3, "c"), insert(1, "d")));
                assertUpdate("INSERT INTO ours VALUES (1, 'a'), (2, NULL), (3, 'c'), (1, 'd')", 4);
            }
            String columns = "partition, bucket, file_format, schema_id, level, record_count, min_key, max_key, null_value_counts, min_value_stats, max_value_stats, min_sequence_number, max_sequence_number, deleterowcount, file_source";
            assertThat(sorted("SELECT " + columns + " FROM \"ours$files\"")).isEqualTo(sorted("SELECT " + columns + " FROM \"theirs$files\""));
            assertThat(paimonRows("ours")).isEqualTo(paimonRows("theirs")).isEqualTo(rows("ours"));
            assertUpdate("DROP TABLE theirs");
            assertUpdate("DROP TABLE ours");
        }
    }

    @Test
    void testCreateTableAs()
            throws Exception
    {
        assertUpdate("CREATE TABLE made WITH (partitioned_by = ARRAY['p']) AS SELECT n id, CAST(n % 3 AS varchar) p FROM UNNEST(sequence(1, 1000)) t (n)", 1000);
        assertQuery("SELECT count(*), sum(id), count(DISTINCT p) FROM made", "VALUES (1000, 500500, 3)");
        assertThat(paimonRows("made")).hasSize(1000);
        assertUpdate("CREATE TABLE bucketed WITH (bucket = 3, bucket_key = ARRAY['id']) AS SELECT * FROM made", 1000);
        assertUpdate("INSERT INTO bucketed SELECT * FROM made", 1000);
        assertQuery("SELECT count(*), sum(id) FROM bucketed", "VALUES (2000, 1001000)");
        assertQuery("SELECT id, p FROM bucketed WHERE id = 77", "VALUES (77, '2'), (77, '2')");
        assertThat(paimonRows("bucketed")).containsExactlyElementsOf(rows("bucketed"));
        assertUpdate("DROP TABLE made");
        assertUpdate("DROP TABLE bucketed");
    }

    @Test
    void testDeleteOfPartitions()
    {
        assertUpdate("CREATE TABLE parts (id bigint, d date, p varchar) WITH (partitioned_by = ARRAY['d', 'p'])");
        assertUpdate("INSERT INTO parts SELECT n, date '2025-01-01' + (n % 3) * interval '1' day, CAST(n % 2 AS varchar) FROM UNNEST(sequence(1, 60)) t (n)", 60);
        assertUpdate("DELETE FROM parts WHERE d = date '2025-01-02' AND p = '0'", 10);
        assertQuery("SELECT count(*) FROM parts WHERE d = date '2025-01-02'", "VALUES 10");
        assertUpdate("DELETE FROM parts WHERE d >= date '2025-01-03'", 20);
        assertUpdate("DELETE FROM parts WHERE d >= date '2025-01-03'", 0);
        assertQuery("SELECT count(*), count(DISTINCT d) FROM parts", "VALUES (30, 2)");
        assertQuery("SELECT commit_kind FROM \"parts$snapshots\"", "VALUES 'APPEND', 'OVERWRITE', 'OVERWRITE'");
        // EXPLAIN deletes nothing
        computeActual("EXPLAIN DELETE FROM parts");
        assertQuery("SELECT count(*) FROM parts", "VALUES 30");
        for (String statement : List.of(
                "DELETE FROM parts WHERE id = 1",
                "DELETE FROM parts WHERE d = date '2025-01-01' AND id = 1",
                "UPDATE parts SET id = 1",
                "MERGE INTO parts t USING (VALUES 1) s (id) ON t.id = s.id WHEN MATCHED THEN DELETE",
                "MERGE INTO parts t USING (VALUES 1) s (id) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, NULL, NULL)")) {
            assertTrinoExceptionThrownBy(() -> computeActual(statement)).as(statement).hasErrorCode(NOT_SUPPORTED).hasMessageContaining("table default.parts has no primary key");
        }
        assertUpdate("DELETE FROM parts", 30);
        assertQueryReturnsEmptyResult("SELECT * FROM parts");
        assertUpdate("DROP TABLE parts");
    }

    @Test
    void testTruncateAndOverwrite()
            throws Exception
    {
        Session overwriting = Session.builder(getSession()).setCatalogSessionProperty(LookupQueryRunner.CATALOG, "insert_overwrite", "true").build();
        assertUpdate("CREATE TABLE replaced (id bigint, p varchar) WITH (partitioned_by = ARRAY['p'])");
        assertUpdate("INSERT INTO replaced VALUES (1, 'a'), (2, 'b'), (3, 'b')", 3);
        assertUpdate(overwriting, "INSERT INTO replaced VALUES (4, 'b'), (5, 'c')", 2);
        assertQuery("SELECT * FROM replaced", "VALUES (1, 'a'), (4, 'b'), (5, 'c')");
        assertThat(paimonRows("replaced")).containsExactlyElementsOf(rows("replaced"));
        assertUpdate("TRUNCATE TABLE replaced");
        assertQueryReturnsEmptyResult("SELECT * FROM replaced");
        // its changes are its inserts
        assertQuery("SELECT rowkind, id FROM \"replaced$audit_log\"", "VALUES ('+I', 1), ('+I', 2), ('+I', 3)");
        assertUpdate("DROP TABLE replaced");
    }

    @Test
    void testOptimize()
            throws Exception
    {
        assertUpdate("CREATE TABLE small (id bigint, p varchar NOT NULL, v bigint) WITH (partitioned_by = ARRAY['p'])");
        for (int round = 0; round < 4; round++) {
            assertUpdate("INSERT INTO small VALUES (%s, 'a', 1), (%s, 'b', 1)".formatted(round, round), 2);
        }
        assertUpdate("INSERT INTO small VALUES (9, 'c', 1)", 1);
        assertUpdate("ALTER TABLE small DROP COLUMN v");
        assertUpdate("ALTER TABLE small ADD COLUMN w bigint");
        List<String> before = rows("small");
        assertUpdate("ALTER TABLE small EXECUTE optimize WHERE p = 'a'");
        assertQuery("SELECT partition, count(*), sum(record_count) FROM \"small$files\" GROUP BY partition", "VALUES ('{a}', 1, 4), ('{b}', 4, 4), ('{c}', 1, 1)");
        assertUpdate("ALTER TABLE small EXECUTE optimize");
        assertQuery("SELECT partition, count(*), sum(record_count) FROM \"small$files\" GROUP BY partition", "VALUES ('{a}', 1, 4), ('{b}', 1, 4), ('{c}', 1, 1)");
        assertThat(rows("small")).isEqualTo(before);
        assertThat(paimonRows("small")).isEqualTo(before);
        // nothing is left to do
        assertUpdate("ALTER TABLE small EXECUTE optimize");
        assertQuery("SELECT count(*), count_if(commit_kind = 'COMPACT') FROM \"small$snapshots\"", "VALUES (7, 2)");
        assertQuery("SELECT count(*) FROM \"small$audit_log\"", "VALUES 9");
        assertUpdate("DROP TABLE small");

        assertUpdate("CREATE TABLE plain AS SELECT 1 id", 1);
        assertUpdate("INSERT INTO plain VALUES 2", 1);
        assertUpdate("ALTER TABLE plain EXECUTE optimize");
        assertQuery("SELECT count(*) FROM \"plain$files\"", "VALUES 1");
        assertQuery("SELECT * FROM plain", "VALUES 1, 2");
        assertUpdate("DROP TABLE plain");

        assertUpdate("CREATE TABLE bucketed (id bigint) WITH (bucket = 2, bucket_key = ARRAY['id'])");
        assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE bucketed EXECUTE optimize")).hasErrorCode(NOT_SUPPORTED).hasMessageContaining("it has buckets and no primary key");
        assertUpdate("DROP TABLE bucketed");
    }

    private List<String> sorted(String query)
    {
        return computeActual(query).getMaterializedRows().stream().map(row -> row.getFields().toString()).sorted().toList();
    }

    private List<String> rows(String table)
    {
        return computeActual("SELECT * FROM " + table).getMaterializedRows().stream().map(row -> row.getFields().toString()).sorted().toList();
    }

    private List<String> paimonRows(String table)
            throws Exception
    {
        return paimon.readTable(new OracleTable("default", table)).stream().map(change -> change.values().toString()).sorted().toList();
    }
}
