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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.trino.Session;
import io.trino.spi.ErrorCodeSupplier;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_FOUND;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.Assert.assertEventually;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Branches that Trino makes and writes, and Paimon too, and the other way round.
 */
final class TestBranches
        extends AbstractOracleQueryTest
{
    @Test
    void testBranch()
            throws Exception
    {
        assertUpdate("CREATE TABLE t (k integer, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO t VALUES (1, 'one'), (2, 'two')", 2);
        assertUpdate("ALTER TABLE t EXECUTE create_tag(tag => 'start')");
        assertUpdate("ALTER TABLE t EXECUTE create_branch(branch => 'dev', tag => 'start')");
        assertUpdate("INSERT INTO t VALUES (3, 'of main')", 1);
        assertQuery("SELECT * FROM \"t$branch_dev\"", "VALUES (1, 'one'), (2, 'two')");
        assertQuery("SELECT branch_name FROM \"t$branches\"", "VALUES 'dev'");
        assertThat(texts("t$branch_dev")).containsExactly("(1, 'one')", "(2, 'two')");

        OracleTable branch = new OracleTable("default", "t$branch_dev");
        paimon.write(branch, ImmutableList.of(Change.insert(2, "two of dev"), Change.insert(4, "of dev")));
        assertQuery("SELECT * FROM \"t$branch_dev\"", "VALUES (1, 'one'), (2, 'two of dev'), (4, 'of dev')");
        assertQuery("SELECT * FROM t", "VALUES (1, 'one'), (2, 'two'), (3, 'of main')");
        assertQuery("SELECT * FROM \"t$branch_dev\" FOR VERSION AS OF 'start'", "VALUES (1, 'one'), (2, 'two')");
        assertQuery("SELECT k, v FROM \"t$branch_dev$audit_log\" WHERE rowkind = '+U'", "VALUES (2, 'two of dev')");
        assertQuery("SELECT count(*) > 2 FROM \"t$branch_dev$snapshots\"", "VALUES true");
        assertQuery("SELECT count(*) FROM \"t$branch_dev$schemas\"", "VALUES 1");

        // the branch's files stay whatever happens to the table
        assertUpdate("ALTER TABLE t EXECUTE delete_tag(tag => 'start')");
        assertQuery("SELECT * FROM \"t$branch_dev\"", "VALUES (1, 'one'), (2, 'two of dev'), (4, 'of dev')");

        for (@Language("SQL") String statement : List.of(
                "DROP TABLE \"t$branch_dev\"",
                "ALTER TABLE \"t$branch_dev\" RENAME TO u",
                "ALTER TABLE \"t$branch_dev\" EXECUTE create_branch(branch => 'x')",
                "ALTER TABLE \"t$branch_dev\" EXECUTE remove_orphan_files",
                "CALL lake.system.fast_forward('default', 't$branch_dev', 'dev')",
                "CALL lake.system.delete_branch('default', 't$branch_dev', 'dev')")) {
            assertRefused(statement, NOT_SUPPORTED, "branch");
        }
        assertRefused("CALL lake.system.create_tag('default', 't$branch_none', 'x')", NOT_FOUND, "t$branch_none");

        assertUpdate("CALL lake.system.fast_forward('default', 't', 'dev')");
        assertQuery("SELECT * FROM t", "VALUES (1, 'one'), (2, 'two of dev'), (4, 'of dev')");
        assertSameInPaimon("t");
        assertUpdate("UPDATE t SET v = 'again' WHERE k = 4", 1);
        assertSameInPaimon("t");
        assertLogGivesTable("t");
        // and once more, over what the table did since
        assertUpdate("ALTER TABLE t EXECUTE fast_forward(branch => 'dev')");
        assertQuery("SELECT * FROM t", "VALUES (1, 'one'), (2, 'two of dev'), (4, 'of dev')");
        assertSameInPaimon("t");

        assertUpdate("CALL lake.system.delete_branch('default', 't', 'dev')");
        assertQueryFails("SELECT * FROM \"t$branch_dev\"", ".*branch_dev.* does not exist");
        assertUpdate("DROP TABLE t");
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "changelog_producer = 'lookup'",
            "changelog_producer = 'lookup', deletion_vectors_enabled = true",
            "changelog_producer = 'lookup', bucket = -1",
            "changelog_producer = 'lookup', options = ARRAY['changelog.num-retained.max=1000']",
            "changelog_producer = 'lookup', lookup_wait = false",
            "changelog_producer = 'none', options = ARRAY['changelog.num-retained.max=1000']"})
    void testWriting(String properties)
            throws Exception
    {
        assertUpdate("DROP TABLE IF EXISTS w");
        assertUpdate("CREATE TABLE w (k integer, v varchar) WITH (primary_key = ARRAY['k'], " + properties + ")");
        assertUpdate("INSERT INTO w VALUES (1, 'one'), (2, 'two'), (3, 'three')", 3);
        assertUpdate("UPDATE w SET v = 'zwei' WHERE k = 2", 1);
        assertUpdate("ALTER TABLE w EXECUTE create_tag(tag => 'start')");
        assertUpdate("ALTER TABLE w EXECUTE create_branch(branch => 'dev', tag => 'start')");

        assertUpdate("INSERT INTO \"w$branch_dev\" VALUES (4, 'of dev'), (5, 'of dev')", 2);
        assertUpdate("UPDATE \"w$branch_dev\" SET v = 'one of dev' WHERE k = 1", 1);
        assertUpdate("INSERT INTO w VALUES (6, 'of main')", 1);
        assertUpdate("DELETE FROM \"w$branch_dev\" WHERE k = 3", 1);
        assertUpdate("UPDATE w SET v = 'drei' WHERE k = 3", 1);
        assertUpdate("""
                MERGE INTO "w$branch_dev" t USING (VALUES (5, 'x'), (7, 'new')) s (k, v) ON t.k = s.k
                WHEN MATCHED THEN DELETE
                WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)
                """, 2);
        for (String history : List.of("w", "w$branch_dev")) {
            if (properties.contains("lookup_wait")) {
                assertEventually(() -> assertQuery("SELECT count(*) FROM \"" + history + "$files\" WHERE level = 0", "VALUES 0"));
            }
            else {
                assertUpdate("ALTER TABLE \"" + history + "\" EXECUTE optimize");
            }
        }
        String ofMain = "VALUES (1, 'one'), (2, 'zwei'), (3, 'drei'), (6, 'of main')";
        String ofBranch = "VALUES (1, 'one of dev'), (2, 'zwei'), (4, 'of dev'), (7, 'new')";
        assertHistories(ofMain, ofBranch);
        assertQuery("SELECT * FROM \"w$branch_dev\" FOR VERSION AS OF 'start'", "VALUES (1, 'one'), (2, 'zwei'), (3, 'three')");
        if (properties.contains("lookup'") && !properties.contains("lookup_wait")) {
            assertQuery(
                    "SELECT rowkind, k, v FROM \"w$branch_dev$audit_log\" WHERE \"$snapshot_id\" > (SELECT min(snapshot_id) FROM \"w$branch_dev$snapshots\")",
                    """
                    VALUES ('+I', 4, 'of dev'), ('+I', 5, 'of dev'), ('-U', 1, 'one'), ('+U', 1, 'one of dev'), ('-D', 3, 'three'), ('-D', 5, 'of dev'), ('+I', 7, 'new')
                    """);
            assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'w$branch_dev'))");
        }

        // neither history takes files that the other needs
        Session session = Session.builder(getSession())
                .setCatalogSessionProperty("lake", "expire_snapshots_min_retention", "0s")
                .setCatalogSessionProperty("lake", "remove_orphan_files_min_retention", "0s")
                .build();
        List<String> histories = properties.length() % 2 == 0 ? List.of("w", "\"w$branch_dev\"") : List.of("\"w$branch_dev\"", "w");
        for (String history : histories) {
            assertUpdate("ALTER TABLE " + history + " EXECUTE delete_tag(tag => 'start')");
            assertHistories(ofMain, ofBranch);
        }
        for (String history : histories) {
            assertUpdate(session, "ALTER TABLE " + history + " EXECUTE expire_snapshots(retention_threshold => '0s', retain_last => 1)");
            assertHistories(ofMain, ofBranch);
        }
        assertQuery("SELECT count(*) FROM \"w$branch_dev$snapshots\"", "VALUES 1");
        List<String> files = filesOf("w");
        assertUpdate(session, "ALTER TABLE w EXECUTE remove_orphan_files(retention_threshold => '0s')");
        assertHistories(ofMain, ofBranch);
        // expiry has left nothing that nobody needs
        assertThat(filesOf("w")).containsExactlyElementsOf(files);

        assertUpdate("ALTER TABLE w EXECUTE fast_forward(branch => 'dev')");
        assertHistories(ofBranch, ofBranch);
        assertUpdate("INSERT INTO w VALUES (8, 'after')", 1);
        assertUpdate("DELETE FROM \"w$branch_dev\" WHERE k = 7", 1);
        assertHistories(ofBranch + ", (8, 'after')", ofBranch.replace(", (7, 'new')", ""));
        assertUpdate("DROP TABLE w");
    }

    @Test
    void testStatements()
            throws Exception
    {
        assertUpdate("CREATE TABLE s (k integer NOT NULL, p varchar NOT NULL, v varchar) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO s VALUES (1, 'a', 'one'), (2, 'b', 'two')", 2);
        assertUpdate("ALTER TABLE s EXECUTE create_tag(tag => 'start')");
        assertUpdate("ALTER TABLE s EXECUTE create_branch(branch => 'dev', tag => 'start')");

        assertUpdate("ALTER TABLE \"s$branch_dev\" ADD COLUMN w bigint");
        assertUpdate("ALTER TABLE \"s$branch_dev\" RENAME COLUMN v TO x");
        assertUpdate("COMMENT ON TABLE \"s$branch_dev\" IS 'of dev'");
        assertUpdate("ALTER TABLE \"s$branch_dev\" SET PROPERTIES target_file_size = '64MB'");
        assertUpdate("INSERT INTO \"s$branch_dev\" VALUES (3, 'a', 'three', 33)", 1);
        assertQuery("SELECT * FROM s", "VALUES (1, 'a', 'one'), (2, 'b', 'two')");
        assertQuery("SELECT k, p, x, w FROM \"s$branch_dev\"", "VALUES (1, 'a', 'one', NULL), (2, 'b', 'two', NULL), (3, 'a', 'three', 33)");
        assertThat((String) computeScalar("SHOW CREATE TABLE s")).doesNotContain("of dev").doesNotContain("w bigint");

        Session overwriting = Session.builder(getSession()).setCatalogSessionProperty("lake", "insert_overwrite", "true").build();
        assertUpdate(overwriting, "INSERT INTO \"s$branch_dev\" VALUES (4, 'b', 'four', 44)", 1);
        assertQuery("SELECT k FROM \"s$branch_dev\"", "VALUES 1, 3, 4");
        assertQuery("SELECT * FROM s", "VALUES (1, 'a', 'one'), (2, 'b', 'two')");

        assertUpdate("ANALYZE \"s$branch_dev\"", 3);
        assertQuery("SELECT count(*) FROM \"s$branch_dev$statistics\"", "VALUES 1");
        assertQuery("SELECT count(*) FROM \"s$statistics\"", "VALUES 0");
        assertUpdate("CALL lake.system.create_tag('default', 's$branch_dev', 'before')");
        assertUpdate("TRUNCATE TABLE \"s$branch_dev\"");
        assertQueryReturnsEmptyResult("SELECT * FROM \"s$branch_dev\"");
        assertQuery("SELECT k FROM \"s$branch_dev\" FOR VERSION AS OF 'before'", "VALUES 1, 3, 4");
        // a branch has consumers of its own
        assertUpdate("ALTER TABLE \"s$branch_dev\" EXECUTE reset_consumer(consumer_id => 'reader', next_snapshot_id => " + computeScalar("SELECT max(snapshot_id) FROM \"s$branch_dev$snapshots\"") + ")");
        assertQuery("SELECT consumer_id FROM \"s$branch_dev$consumers\"", "VALUES 'reader'");
        assertThat(paimon.maintenance(new OracleTable("default", "s$branch_dev")).consumers()).containsOnlyKeys("reader");
        assertQueryReturnsEmptyResult("SELECT * FROM \"s$consumers\"");
        assertUpdate("CALL lake.system.clear_consumers('default', 's$branch_dev')");
        assertQueryReturnsEmptyResult("SELECT * FROM \"s$branch_dev$consumers\"");
        assertQuery("SELECT tag_name FROM \"s$tags\"", "VALUES 'start'");
        long before = (long) computeScalar("SELECT snapshot_id FROM \"s$branch_dev$tags\" WHERE tag_name = 'before'");
        assertUpdate("ALTER TABLE \"s$branch_dev\" EXECUTE rollback_to_snapshot(snapshot_id => " + before + ")");
        assertUpdate("ALTER TABLE \"s$branch_dev\" EXECUTE rescale(bucket_num => 2)");
        assertQuery("SELECT k FROM \"s$branch_dev\"", "VALUES 1, 3, 4");
        assertQuery("SELECT * FROM s", "VALUES (1, 'a', 'one'), (2, 'b', 'two')");
        assertThat(texts("s$branch_dev")).containsExactly("(1, 'a', 'one', null)", "(3, 'a', 'three', 33)", "(4, 'b', 'four', 44)");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 's$branch_dev'))");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 's'))");

        assertUpdate("ALTER TABLE s EXECUTE fast_forward(branch => 'dev')");
        assertQuery("SELECT k, p, x, w FROM s", "VALUES (1, 'a', 'one', NULL), (3, 'a', 'three', 33), (4, 'b', 'four', 44)");
        assertUpdate("UPDATE s SET w = 1 WHERE k = 1", 1);
        assertSameInPaimon("s");
        assertUpdate("DROP TABLE s");
    }

    @Test
    void testRulesOfTable()
    {
        assertUpdate("CREATE TABLE counts (k integer, v varchar) WITH (primary_key = ARRAY['k'], merge_engine = 'aggregation', options = ARRAY['fields.v.aggregate-function=last_value'])");
        assertUpdate("INSERT INTO counts VALUES (1, 'one')", 1);
        assertUpdate("ALTER TABLE counts EXECUTE create_branch(branch => 'empty')");
        // rules of the table hold for its branches
        assertRefused("UPDATE \"counts$branch_empty\" SET v = 'x'", NOT_SUPPORTED, "counts$branch_empty");
        assertRefused("DELETE FROM \"counts$branch_empty\" WHERE k = 1", NOT_SUPPORTED, "counts$branch_empty");
        assertUpdate("INSERT INTO \"counts$branch_empty\" VALUES (2, 'two')", 1);
        assertQuery("SELECT * FROM \"counts$branch_empty\"", "VALUES (2, 'two')");
        assertQuery("SELECT * FROM counts", "VALUES (1, 'one')");
        assertUpdate("DROP TABLE counts");
    }

    private void assertHistories(String ofMain, String ofBranch)
            throws Exception
    {
        assertQuery("SELECT * FROM w", ofMain);
        assertQuery("SELECT * FROM \"w$branch_dev\"", ofBranch);
        for (String table : List.of("w", "w$branch_dev")) {
            assertThat(texts(table)).containsExactlyElementsOf(computeActual("SELECT format('(%s, ''%s'')', k, v) FROM \"" + table + "\" ORDER BY 1").getOnlyColumnAsSet().stream().map(String.class::cast).sorted().toList());
        }
    }

    @Test
    void testSchemaOfBranch()
            throws Exception
    {
        assertUpdate("CREATE TABLE evolved (k integer, v varchar) WITH (primary_key = ARRAY['k'])");
        assertUpdate("INSERT INTO evolved VALUES (1, 'one')", 1);
        assertUpdate("ALTER TABLE evolved EXECUTE create_tag(tag => 'start')");
        assertUpdate("ALTER TABLE evolved EXECUTE create_branch(branch => 'old', tag => 'start')");
        assertUpdate("ALTER TABLE evolved ADD COLUMN w bigint");
        assertUpdate("INSERT INTO evolved VALUES (2, 'two', 2)", 1);
        assertQuery("SELECT * FROM \"evolved$branch_old\"", "VALUES (1, 'one')");
        assertUpdate("ALTER TABLE evolved EXECUTE fast_forward(branch => 'old')");
        assertQuery("SELECT * FROM evolved", "VALUES (1, 'one')");
        assertQuery("SELECT count(*) FROM \"evolved$schemas\"", "VALUES 1");
        assertUpdate("INSERT INTO evolved VALUES (3, 'three')", 1);
        assertSameInPaimon("evolved");
        assertUpdate("DROP TABLE evolved");
    }

    @Test
    void testBranchOfPaimon()
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "theirs", new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "STRING")), ImmutableList.of("k"), ImmutableList.of(), ImmutableMap.of("bucket", "1")));
        paimon.write(table, ImmutableList.of(Change.insert(1, "one")));
        paimon.maintenance(table).createTag("start", 1);
        paimon.maintenance(table).createBranch("b1", "start");
        paimon.write(new OracleTable("default", "theirs$branch_b1"), ImmutableList.of(Change.insert(2, "two")));
        assertQuery("SELECT * FROM \"theirs$branch_b1\"", "VALUES (1, 'one'), (2, 'two')");
        assertUpdate("ALTER TABLE theirs EXECUTE fast_forward(branch => 'b1')");
        assertSameInPaimon("theirs");
        assertQuery("SELECT count(*) FROM theirs", "VALUES 2");
        assertUpdate("DROP TABLE theirs");
    }

    @Test
    void testRefused()
    {
        assertUpdate("CREATE TABLE plain (k integer) WITH (primary_key = ARRAY['k'])");
        for (String name : List.of("main", "12", " ", "a/b", "../b", "a$b", "a:b")) {
            assertRefused("ALTER TABLE plain EXECUTE create_branch(branch => '" + name + "')", INVALID_TABLE_PROPERTY, "'" + name + "'");
        }
        assertRefused("ALTER TABLE plain EXECUTE create_branch(branch => 'b', tag => 'none')", INVALID_ARGUMENTS, "'none'");
        assertRefused("ALTER TABLE plain EXECUTE create_branch(tag => 'b')", INVALID_PROCEDURE_ARGUMENT, "branch");
        assertRefused("ALTER TABLE plain EXECUTE delete_branch(branch => 'b')", INVALID_ARGUMENTS, "'b'");
        assertRefused("ALTER TABLE plain EXECUTE fast_forward(branch => 'b')", INVALID_ARGUMENTS, "'b'");
        assertUpdate("ALTER TABLE plain EXECUTE create_branch(branch => 'b')");
        assertQueryReturnsEmptyResult("SELECT * FROM \"plain$branch_b\"");
        assertRefused("ALTER TABLE plain EXECUTE create_branch(branch => 'b')", INVALID_TABLE_PROPERTY, "'b'");
        assertRefused("ALTER TABLE plain EXECUTE fast_forward(branch => 'b')", INVALID_ARGUMENTS, "no snapshot");
        assertUpdate("DROP TABLE plain");
    }

    private List<String> filesOf(String table)
            throws IOException
    {
        Path folder = warehouse.resolve("default.db").resolve(table);
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).map(file -> folder.relativize(file).toString()).sorted().toList();
        }
    }

    private List<String> texts(String table)
            throws Exception
    {
        return paimon.readTable(new OracleTable("default", table)).stream().map(Change::rowText).sorted().toList();
    }

    private void assertRefused(@Language("SQL") String sql, ErrorCodeSupplier code, String part)
    {
        assertTrinoExceptionThrownBy(() -> computeActual(sql))
                .as(sql)
                .hasErrorCode(code)
                .hasMessageContaining(part);
    }
}
