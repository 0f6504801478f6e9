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
 * What the log says of each kind of statement under each changelog producer.
 */
final class TestChangelogProducers
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create();
    }

    @Test
    void testInput()
    {
        create("p_input", "changelog_producer = 'input', bucket = 2");
        runStatements("p_input");
        assertThat(log("p_input", 0)).containsExactly(
                "1 APPEND +I 1 a", "1 APPEND +I 2 b", "1 APPEND +I 3 c",
                "2 APPEND +I 1 A",
                "3 APPEND +U 1 A!", "3 APPEND +U 2 b!", "3 APPEND -U 1 A", "3 APPEND -U 2 b",
                "4 APPEND -D 3 c",
                "5 APPEND +I 3 b!", "5 APPEND +U 2 A!", "5 APPEND -D 1 A!", "5 APPEND -U 2 b!",
                "6 APPEND +I 9 z", "6 APPEND +U 2 merged", "6 APPEND -D 3 b!", "6 APPEND -U 2 A!");
        assertQuery("SELECT sum(changelog_record_count), count(changelog_record_count) FROM \"p_input$snapshots\"", "VALUES (17, 6)");
    }

    @Test
    void testNone()
    {
        create("p_none", "changelog_producer = 'none', bucket = 1");
        runStatements("p_none");
        assertThat(log("p_none", 1).stream().filter(line -> line.contains("APPEND")).limit(4)).containsExactly("2 APPEND +I 1 A", "3 APPEND +U 1 A!", "3 APPEND +U 2 b!", "4 APPEND -D 3 c");
    }

    @Test
    void testFullCompaction()
    {
        create("p_full", "changelog_producer = 'full-compaction', bucket = 1, options = ARRAY['num-sorted-run.compaction-trigger=100']");
        runStatements("p_full");
        assertThat(log("p_full", 0)).isEmpty();
        assertUpdate("ALTER TABLE p_full EXECUTE optimize");
        assertThat(log("p_full", 0)).containsExactly("7 COMPACT +I 2 merged", "7 COMPACT +I 9 z");
        assertUpdate("UPDATE p_full SET v = 'y' WHERE k = 9", 1);
        assertUpdate("DELETE FROM p_full WHERE k = 2", 1);
        assertUpdate("ALTER TABLE p_full EXECUTE optimize");
        assertThat(log("p_full", 7)).containsExactly("10 COMPACT +U 9 y", "10 COMPACT -D 2 merged", "10 COMPACT -U 9 z");
    }

    @Test
    void testDeltaCommits()
    {
        create("p_delta", "changelog_producer = 'full-compaction', bucket = 1, options = ARRAY['full-compaction.delta-commits=2']");
        assertUpdate("INSERT INTO p_delta VALUES (1, 'a')", 1);
        assertUpdate("INSERT INTO p_delta VALUES (1, 'b')", 1);
        assertUpdate("INSERT INTO p_delta VALUES (1, 'c')", 1);
        assertUpdate("INSERT INTO p_delta VALUES (2, 'd')", 1);
        assertThat(log("p_delta", 0)).containsExactly("3 COMPACT +I 1 b", "6 COMPACT +I 2 d", "6 COMPACT +U 1 c", "6 COMPACT -U 1 b");
        // they log what two statements did, so that neither is named
        assertQuery("SELECT count(\"$query_id\"), count(\"$user\") FROM \"p_delta$audit_log\"", "VALUES (0, 0)");
    }

    @Test
    void testIgnoreDelete()
    {
        create("p_ignore", "changelog_producer = 'input', bucket = 1, options = ARRAY['ignore-delete=true']");
        assertUpdate("INSERT INTO p_ignore VALUES (1, 'a'), (2, 'b')", 2);
        assertQueryFails("DELETE FROM p_ignore WHERE k = 1", ".*the option ignore-delete is on");
        assertQueryFails("MERGE INTO p_ignore USING (VALUES 1) s(k) ON p_ignore.k = s.k WHEN MATCHED THEN DELETE", ".*the option ignore-delete is on");
        assertQueryFails("UPDATE p_ignore SET k = 7 WHERE k = 1", ".*the option ignore-delete is on");
        assertUpdate("UPDATE p_ignore SET v = 'A' WHERE k = 1", 1);
        assertThat(log("p_ignore", 1)).containsExactly("2 APPEND +U 1 A");
        assertQuery("SELECT * FROM p_ignore", "VALUES (1, 'A'), (2, 'b')");
    }

    private void create(String table, String properties)
    {
        assertUpdate("CREATE TABLE %s (k bigint, v varchar) WITH (primary_key = ARRAY['k'], %s)".formatted(table, properties));
    }

    private void runStatements(String table)
    {
        assertUpdate("INSERT INTO " + table + " VALUES (1, 'a'), (2, 'b'), (3, 'c')", 3);
        assertUpdate("INSERT INTO " + table + " VALUES (1, 'A')", 1);
        assertUpdate("UPDATE " + table + " SET v = v || '!' WHERE k < 3", 2);
        assertUpdate("DELETE FROM " + table + " WHERE k = 3", 1);
        // each row moves to another key, one of them to one that is there
        assertUpdate("UPDATE " + table + " SET k = k + 1", 2);
        assertUpdate("""
                MERGE INTO %s t USING (VALUES (2, 'merged'), (3, 'gone'), (9, 'z')) s(k, v) ON t.k = s.k
                WHEN MATCHED AND s.v = 'gone' THEN DELETE
                WHEN MATCHED THEN UPDATE SET v = s.v
                WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)
                """.formatted(table), 3);
        assertQuery("SELECT * FROM " + table, "VALUES (2, 'merged'), (9, 'z')");
    }

    /**
     * Snapshot, kind of commit, kind of row and values, sorted within a snapshot.
     */
    private List<String> log(String table, long afterSnapshotId)
    {
        return computeActual("""
                SELECT concat_ws(' ', CAST(l."$snapshot_id" AS varchar), s.commit_kind, l.rowkind, CAST(l.k AS varchar), l.v)
                FROM "%1$s$audit_log" l JOIN "%1$s$snapshots" s ON l."$snapshot_id" = s.snapshot_id
                WHERE l."$snapshot_id" > %2$s
                ORDER BY l."$snapshot_id", l.rowkind, l.k
                """.formatted(table, afterSnapshotId)).getOnlyColumn()
                .map(String.class::cast)
                .toList();
    }
}
