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
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * UPDATE, DELETE and MERGE.
 */
final class TestLookupRowChanges
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create();
    }

    @Test
    void testUpdateLogsOldAndNewRow()
    {
        assertUpdate("CREATE TABLE updates (id bigint, v varchar, n integer) WITH (primary_key = ARRAY['id'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO updates VALUES (1, 'a', 10), (2, 'b', 20)", 2);
        assertUpdate("UPDATE updates SET v = upper(v) WHERE id = 2", 1);
        assertUpdate("UPDATE updates SET v = 'x' WHERE id = 7", 0);
        assertQuery("SELECT * FROM updates", "VALUES (1, 'a', 10), (2, 'B', 20)");
        assertThat(log("updates", "rowkind, id, v, n"))
                .containsExactlyInAnyOrder("[+I, 1, a, 10]", "[+I, 2, b, 20]", "[-U, 2, b, 20]", "[+U, 2, B, 20]");
        assertUpdate("DROP TABLE updates");
    }

    @Test
    void testUpdateMovesKeys()
    {
        assertUpdate("CREATE TABLE moves (id bigint, v varchar) WITH (primary_key = ARRAY['id'], bucket = 4, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO moves SELECT n, 'v' || CAST(n AS varchar) FROM UNNEST(sequence(1, 50)) t (n)", 50);
        // deletes and inserts of one key arrive in no order
        assertUpdate("UPDATE moves SET id = id + 1", 50);
        assertQuery("SELECT count(*), min(id), max(id) FROM moves", "VALUES (50, 2, 51)");
        assertQuery("SELECT count(*) FROM moves WHERE v = 'v' || CAST(id - 1 AS varchar)", "VALUES 50");
        assertQuery("SELECT rowkind, count(*) FROM \"moves$audit_log\" GROUP BY rowkind", "VALUES ('+I', 51), ('-D', 1), ('-U', 49), ('+U', 49)");
        assertUpdate("DROP TABLE moves");
    }

    @Test
    void testUpdateMovesPartitions()
    {
        assertUpdate("CREATE TABLE travels (id bigint, dt date, v varchar) WITH (primary_key = ARRAY['id', 'dt'], partitioned_by = ARRAY['dt'], bucket = 2, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO travels VALUES (1, date '2024-01-01', 'a'), (2, date '2024-01-02', 'b')", 2);
        assertUpdate("UPDATE travels SET dt = date '2024-01-03'", 2);
        assertQuery("SELECT id, CAST(dt AS varchar), v FROM travels", "VALUES (1, '2024-01-03', 'a'), (2, '2024-01-03', 'b')");
        assertThat(log("travels", "rowkind, id, dt, v"))
                .containsExactlyInAnyOrder(
                        "[+I, 1, 2024-01-01, a]", "[+I, 2, 2024-01-02, b]",
                        "[-D, 1, 2024-01-01, a]", "[+I, 1, 2024-01-03, a]",
                        "[-D, 2, 2024-01-02, b]", "[+I, 2, 2024-01-03, b]");
        assertUpdate("DROP TABLE travels");
    }

    @Test
    void testDelete()
    {
        assertUpdate("CREATE TABLE deletes (id bigint, v varchar) WITH (primary_key = ARRAY['id'], bucket = 3, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO deletes SELECT n, 'v' || CAST(n % 3 AS varchar) FROM UNNEST(sequence(1, 30)) t (n)", 30);
        assertUpdate("DELETE FROM deletes WHERE v = 'v1'", 10);
        assertQuery("SELECT count(*) FROM deletes", "VALUES 20");
        assertQuery("SELECT count(*), count(v) FROM \"deletes$audit_log\" WHERE rowkind = '-D'", "VALUES (10, 10)");
        assertUpdate("DELETE FROM deletes", 20);
        assertQueryReturnsEmptyResult("SELECT * FROM deletes");
        assertUpdate("INSERT INTO deletes VALUES (1, 'again')", 1);
        assertQuery("SELECT rowkind, v FROM \"deletes$audit_log\" WHERE id = 1 AND \"$snapshot_id\" > 6", "VALUES ('+I', 'again')");
        assertUpdate("DROP TABLE deletes");
    }

    @Test
    void testMerge()
    {
        assertUpdate("CREATE TABLE merges (id bigint, v varchar) WITH (primary_key = ARRAY['id'], bucket = 2, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO merges VALUES (1, 'a'), (2, 'b'), (3, 'c')", 3);
        assertUpdate(
                """
                MERGE INTO merges t USING (VALUES (1, 'delete'), (2, 'update'), (4, 'insert')) s (id, what) ON t.id = s.id
                WHEN MATCHED AND s.what = 'delete' THEN DELETE
                WHEN MATCHED THEN UPDATE SET v = s.what
                WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.what)
                """,
                3);
        assertQuery("SELECT * FROM merges", "VALUES (2, 'update'), (3, 'c'), (4, 'insert')");
        assertThat(log("merges", "rowkind, id, v"))
                .containsExactlyInAnyOrder(
                        "[+I, 1, a]", "[+I, 2, b]", "[+I, 3, c]",
                        "[-D, 1, a]", "[-U, 2, b]", "[+U, 2, update]", "[+I, 4, insert]");
        assertUpdate("DROP TABLE merges");
    }

    @Test
    void testTwoInsertsOfOneKey()
    {
        assertUpdate("CREATE TABLE twice (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
        assertUpdate("INSERT INTO twice VALUES (1, 'a'), (2, 'b')", 2);
        assertQueryFails("UPDATE twice SET id = 3", "Two rows with the key \\(id=3\\) would be written to table default.twice.*");
        assertQueryFails("MERGE INTO twice t USING (VALUES 5, 5) s (id) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'x')", "Two rows with the key \\(id=5\\).*");
        assertQuery("SELECT * FROM twice", "VALUES (1, 'a'), (2, 'b')");
        assertQuery("SELECT count(*) FROM \"twice$snapshots\"", "VALUES 1");
        assertUpdate("DROP TABLE twice");
    }

    @Test
    void testEngineThatCannotUpdate()
    {
        assertUpdate("CREATE TABLE sums (id bigint, n bigint) WITH (primary_key = ARRAY['id'], merge_engine = 'aggregation', options = ARRAY['fields.n.aggregate-function=sum'])");
        assertUpdate("INSERT INTO sums VALUES (1, 10)", 1);
        assertUpdate("INSERT INTO sums VALUES (1, 5)", 1);
        assertQueryFails("UPDATE sums SET n = 3", ".*UPDATE of table default.sums is not supported: its merge-engine is aggregation.*");
        assertQueryFails("DELETE FROM sums", ".*cannot be deleted: its merge-engine is aggregation.*aggregation.remove-record-on-delete is off.*");
        assertQuery("SELECT * FROM sums", "VALUES (1, 15)");
        assertUpdate("DROP TABLE sums");
    }

    @Test
    void testUpdateOfSequenceField()
    {
        assertUpdate("CREATE TABLE ordered (id bigint, v varchar, s integer) WITH (primary_key = ARRAY['id'], sequence_field = ARRAY['s'])");
        assertUpdate("INSERT INTO ordered VALUES (1, 'a', 20)", 1);
        assertUpdate("INSERT INTO ordered VALUES (1, 'late', 15)", 1);
        assertQuery("SELECT * FROM ordered", "VALUES (1, 'a', 20)");
        assertQueryFails("UPDATE ordered SET s = 15", ".*UPDATE of column s of table default.ordered is not supported: it is in sequence.field.*");
        assertUpdate("UPDATE ordered SET v = 'b'", 1);
        assertQuery("SELECT * FROM ordered", "VALUES (1, 'b', 20)");
        assertUpdate("DROP TABLE ordered");
    }

    private List<String> log(String table, String columns)
    {
        return computeActual("SELECT " + columns + " FROM \"" + table + "$audit_log\"").getMaterializedRows().stream()
                .map(Object::toString)
                .toList();
    }
}
