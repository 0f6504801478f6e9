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
package io.lookup.trino.conformance;

import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import io.trino.testing.sql.TestTable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static io.trino.spi.connector.ConnectorMetadata.MODIFYING_ROWS_MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Trino's suite for connectors on tables without a primary key.
 */
final class TestAppendOnlyConnectorTest
        extends AbstractLookupConnectorTest
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return TpchQueryRunner.createAppendOnly(TABLES);
    }

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior behavior)
    {
        return switch (behavior) {
            // a row has no key by which it could be found and replaced
            case SUPPORTS_ROW_LEVEL_DELETE, SUPPORTS_UPDATE, SUPPORTS_MERGE -> false;
            default -> super.hasBehavior(behavior);
        };
    }

    @Test
    @Override
    public void testShowCreateTable()
    {
        assertThat(computeScalar("SHOW CREATE TABLE orders")).isEqualTo(
                """
                CREATE TABLE lake.tpch.orders (
                   orderkey bigint,
                   custkey bigint,
                   orderstatus varchar(1),
                   totalprice double,
                   orderdate date,
                   orderpriority varchar(15),
                   clerk varchar(15),
                   shippriority integer,
                   comment varchar(79)
                )
                WITH (
                   bucket = -1
                )\
                """);
    }

    @Test
    @Override
    public void testDelete()
    {
        assertRefused(super::testDelete);
    }

    @Test
    @Override
    public void testDeleteWithLike()
    {
        assertRefused(super::testDeleteWithLike);
    }

    @Test
    @Override
    public void testDeleteWithComplexPredicate()
    {
        assertRefused(super::testDeleteWithComplexPredicate);
    }

    @Test
    @Override
    public void testDeleteWithSubquery()
    {
        assertRefused(super::testDeleteWithSubquery);
    }

    @Test
    @Override
    public void testDeleteWithSemiJoin()
    {
        assertRefused(super::testDeleteWithSemiJoin);
    }

    @Test
    @Override
    public void testDeleteWithVarcharPredicate()
    {
        assertRefused(super::testDeleteWithVarcharPredicate);
    }

    @Test
    @Override
    public void testExplainAnalyzeWithDeleteWithSubquery()
    {
        assertRefused(super::testExplainAnalyzeWithDeleteWithSubquery);
    }

    @Test
    @Override
    public void verifySupportsRowLevelDeleteDeclaration()
    {
        assertRefused(super::verifySupportsRowLevelDeleteDeclaration);
    }

    @Test
    @Override
    public void verifySupportsUpdateDeclaration()
    {
        assertRefused(super::verifySupportsUpdateDeclaration);
    }

    @Test
    @Override
    public void verifySupportsRowLevelUpdateDeclaration()
    {
        assertRefused(super::verifySupportsRowLevelUpdateDeclaration);
    }

    /**
     * Newer suites leave their own case out for who cannot update.
     */
    @Test
    @Override
    public void testUpdate()
    {
        assertRefused(() -> computeActual("UPDATE nation SET nationkey = nationkey + 100 WHERE regionkey = 2"));
    }

    @Test
    @Override
    public void testRowLevelUpdate()
    {
        assertRefused(super::testRowLevelUpdate);
    }

    @Test
    @Override
    public void testUpdateWithPredicates()
    {
        assertRefused(super::testUpdateWithPredicates);
    }

    @Test
    @Override
    public void testUpdateRowType()
    {
        assertRefused(super::testUpdateRowType);
    }

    @Test
    @Override
    public void testUpdateAllValues()
    {
        assertRefused(super::testUpdateAllValues);
    }

    /**
     * The suite expects the first half of the message and nothing behind it.
     */
    private static void assertRefused(ThrowingCallable statements)
    {
        assertThatThrownBy(statements).hasStackTraceContaining(MODIFYING_ROWS_MESSAGE).hasStackTraceContaining("has no primary key, so that only whole partitions can be deleted");
    }

    @Test
    void testDeletePartitions()
    {
        try (TestTable table = newTrinoTable("test_delete_partitions", "WITH (partitioned_by = ARRAY['regionkey']) AS SELECT * FROM nation")) {
            assertUpdate("DELETE FROM " + table.getName() + " WHERE regionkey IN (1, 3)", 10);
            assertQuery("SELECT * FROM " + table.getName(), "SELECT * FROM nation WHERE regionkey NOT IN (1, 3)");
            assertUpdate("DELETE FROM " + table.getName() + " WHERE TRUE", 15);
            assertQueryReturnsEmptyResult("SELECT * FROM " + table.getName());
        }
    }
}
