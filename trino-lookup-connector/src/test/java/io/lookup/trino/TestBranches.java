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
import io.trino.spi.ErrorCodeSupplier;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.util.List;

import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_FOUND;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Branches that Trino makes and Paimon writes into, and the other way round.
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
                "INSERT INTO \"t$branch_dev\" VALUES (5, 'x')",
                "DELETE FROM \"t$branch_dev\" WHERE k = 1",
                "UPDATE \"t$branch_dev\" SET v = 'x'",
                "TRUNCATE TABLE \"t$branch_dev\"",
                "DROP TABLE \"t$branch_dev\"",
                "ALTER TABLE \"t$branch_dev\" ADD COLUMN x bigint",
                "ALTER TABLE \"t$branch_dev\" RENAME TO u",
                "ALTER TABLE \"t$branch_dev\" EXECUTE optimize",
                "ALTER TABLE \"t$branch_dev\" EXECUTE create_tag(tag => 'x')")) {
            assertRefused(statement, NOT_SUPPORTED, "read-only");
        }
        assertRefused("CALL lake.system.create_tag('default', 't$branch_dev', 'x')", NOT_FOUND, "t$branch_dev");

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
