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
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.util.List;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;

/**
 * Wrong rows and wrong logs that connectors of this kind have shipped: merge engines.
 */
final class TestPeerDefectsOfEngines
        extends AbstractOracleQueryTest
{
    /**
     * Updates and deletes are logged with the whole old row, on every engine that admits them.
     */
    @Test
    void testOldRowsOfEveryEngine()
            throws Exception
    {
        for (String properties : List.of(
                "merge_engine = 'partial-update', options = ARRAY['partial-update.remove-record-on-delete=true']",
                "merge_engine = 'aggregation', options = ARRAY['aggregation.remove-record-on-delete=true']",
                "merge_engine = 'deduplicate'")) {
            assertUpdate("CREATE TABLE olds (k bigint, v bigint, w varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', %s)".formatted(properties));
            assertUpdate("INSERT INTO olds VALUES (5, 50, 'a'), (6, 60, 'b')", 2);
            assertUpdate("DELETE FROM olds WHERE k = 6", 1);
            assertQuery("SELECT rowkind, k, v, w FROM \"olds$audit_log\" WHERE \"$snapshot_id\" > 2", "VALUES ('-D', 6, 60, 'b')");
            if (!properties.contains("aggregation")) {
                assertUpdate("UPDATE olds SET v = 51 WHERE k = 5", 1);
                assertQuery("SELECT rowkind, k, v, w FROM \"olds$audit_log\" WHERE \"$snapshot_id\" > 4", "VALUES ('-U', 5, 50, 'a'), ('+U', 5, 51, 'a')");
            }
            else {
                // a null is no value here
                assertUpdate("INSERT INTO olds VALUES (5, 51, NULL)", 1);
                assertQuery("SELECT rowkind, k, v, w FROM \"olds$audit_log\" WHERE \"$snapshot_id\" > 4", "VALUES ('-U', 5, 50, 'a'), ('+U', 5, 51, 'a')");
            }
            assertUpdate("INSERT INTO olds VALUES (6, 61, NULL)", 1);
            assertQuery("SELECT rowkind, k, v, w FROM \"olds$audit_log\" WHERE \"$snapshot_id\" > 6", "VALUES ('+I', 6, 61, NULL)");
            assertLogGivesTable("olds");
            assertSameInPaimon("olds");
            assertUpdate("DROP TABLE olds");
        }
    }

    /**
     * A delete must not lose against the row that it deletes because that has no sequence value.
     */
    @Test
    void testDeleteOfRowWithoutSequenceValue()
            throws Exception
    {
        for (String properties : List.of(
                "merge_engine = 'partial-update', options = ARRAY['fields.s.sequence-group=v', 'partial-update.remove-record-on-sequence-group=s']",
                "merge_engine = 'aggregation', sequence_field = ARRAY['s'], options = ARRAY['aggregation.remove-record-on-delete=true']",
                "merge_engine = 'deduplicate', sequence_field = ARRAY['s']",
                "merge_engine = 'deduplicate', sequence_field = ARRAY['s'], options = ARRAY['sequence.field.sort-order=descending']")) {
            assertUpdate("CREATE TABLE unordered (k bigint, v bigint, s bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', %s)".formatted(properties));
            assertUpdate("INSERT INTO unordered VALUES (1, 10, NULL), (2, 20, 2)", 2);
            if (properties.contains("sequence-group")) {
                // the group says nothing of such a row, so that there is no record which would remove it
                assertQueryFails("DELETE FROM unordered WHERE k = 1", ".*partial-update.remove-record-on-sequence-group.*");
                assertQuery("SELECT k FROM unordered", "VALUES 1, 2");
            }
            else {
                assertUpdate("DELETE FROM unordered WHERE k = 1", 1);
                assertQuery("SELECT k FROM unordered", "VALUES 2");
            }
            assertUpdate("DELETE FROM unordered WHERE k = 2", 1);
            assertQueryReturnsEmptyResult("SELECT * FROM unordered WHERE k = 2");
            assertLogGivesTable("unordered");
            assertSameInPaimon("unordered");
            assertUpdate("DROP TABLE unordered");
        }
    }

    /**
     * The first row of a key stays, and nothing else is said to happen.
     */
    @Test
    void testFirstRow()
            throws Exception
    {
        assertUpdate("CREATE TABLE firsts (k bigint, v bigint) WITH (primary_key = ARRAY['k'], merge_engine = 'first-row', changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO firsts VALUES (1, 1), (2, 2)", 2);
        for (@Language("SQL") String statement : ImmutableList.of(
                "DELETE FROM firsts WHERE k = 1",
                "UPDATE firsts SET v = 5 WHERE k = 1",
                "MERGE INTO firsts t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN DELETE",
                "MERGE INTO firsts t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 7")) {
            assertTrinoExceptionThrownBy(() -> computeActual("EXPLAIN " + statement)).as(statement).hasErrorCode(NOT_SUPPORTED).hasMessageContaining("first-row");
        }
        assertQuery("SELECT * FROM firsts", "VALUES (1, 1), (2, 2)");
        assertUpdate("DROP TABLE firsts");

        assertUpdate("CREATE TABLE firsts (k bigint, v bigint) WITH (primary_key = ARRAY['k'], merge_engine = 'first-row', changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO firsts SELECT * FROM (VALUES (1, 7), (1, 8)) t (k, v) ORDER BY v LIMIT 2", 2);
        assertQuery("SELECT * FROM firsts", "VALUES (1, 7)");
        assertQuery("SELECT rowkind, k, v FROM \"firsts$audit_log\"", "VALUES ('+I', 1, 7)");
        assertUpdate("INSERT INTO firsts VALUES (1, 9), (2, 1)", 2);
        assertUpdate("ALTER TABLE firsts EXECUTE optimize");
        assertQuery("SELECT rowkind, k, v FROM \"firsts$audit_log\"", "VALUES ('+I', 1, 7), ('+I', 2, 1)");
        assertLogGivesTable("firsts");
        assertSameInPaimon("firsts");
        assertUpdate("DROP TABLE firsts");
    }
}
