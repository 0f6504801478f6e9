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

import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.AfterAll;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A coordinator that is its only worker, on a warehouse that Paimon reads and writes too.
 */
abstract class AbstractOracleQueryTest
        extends AbstractTestQueryFramework
{
    protected final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");
    protected final PaimonOracle paimon = new PaimonOracle(warehouse, LookupQueryRunner.temporaryDirectory("lookup-scratch"));

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.createSingleNode(warehouse);
    }

    @AfterAll
    void closePaimon()
            throws Exception
    {
        paimon.close();
    }

    /**
     * Checks that Paimon sees the same rows.
     */
    protected void assertSameInPaimon(String table)
            throws Exception
    {
        assertThat(LogReplay.rows(this::computeActual, "SELECT * FROM " + table)).containsExactlyElementsOf(paimon.readTable(new OracleTable("default", table)).stream()
                .map(Change::values)
                .map(Object::toString)
                .sorted()
                .toList());
    }

    /**
     * Checks that the log, applied to nothing, gives the table's rows.
     */
    protected void assertLogGivesTable(String table)
    {
        LogReplay.assertLogGivesTable(this::computeActual, table);
    }
}
