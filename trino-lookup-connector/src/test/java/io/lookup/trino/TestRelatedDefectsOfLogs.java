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

import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Relatives of the defects in {@link TestPeerDefects}, {@link TestPeerDefectsOfEngines} and {@link TestPeerDefectsOfDeletionVectors}: what a
 * log says, and which rows there are.
 */
final class TestRelatedDefectsOfLogs
        extends AbstractOracleQueryTest
{
    /**
     * A value that a row had before, but not last.
     */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true"})
    void testValueThatComesBack(boolean vectors, boolean optimize)
            throws Exception
    {
        assertUpdate("CREATE TABLE back (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', changelog_producer_row_deduplicate = true, deletion_vectors_enabled = %s)".formatted(vectors));
        assertUpdate("INSERT INTO back VALUES (1, 'x'), (2, 'z')", 2);
        for (String value : List.of("y", "x", "x")) {
            if (optimize) {
                assertUpdate("ALTER TABLE back EXECUTE optimize");
            }
            assertUpdate("UPDATE back SET v = '%s' WHERE k = 1".formatted(value), 1);
        }
        assertThat(log("back", "k = 1", "v")).containsExactly("[+I, x]", "[-U, x]", "[+U, y]", "[-U, y]", "[+U, x]");
        assertLogGivesTable("back");
        assertSameInPaimon("back");
        assertUpdate("DROP TABLE back");
    }

    /**
     * A key that comes again begins anew, whatever the dead record would add to it.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testSumThatBeginsAnew(boolean vectors)
            throws Exception
    {
        assertUpdate("CREATE TABLE anew (k bigint, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', merge_engine = 'aggregation', deletion_vectors_enabled = %s, options = ARRAY['fields.v.aggregate-function=sum', 'aggregation.remove-record-on-delete=true'])".formatted(vectors));
        assertUpdate("INSERT INTO anew VALUES (1, 5), (2, 1)", 2);
        assertUpdate("INSERT INTO anew VALUES (1, 6)", 1);
        assertUpdate("DELETE FROM anew WHERE k = 1", 1);
        assertUpdate("INSERT INTO anew VALUES (1, 2)", 1);
        assertUpdate("ALTER TABLE anew EXECUTE optimize");
        assertUpdate("INSERT INTO anew VALUES (1, 2)", 1);
        assertThat(log("anew", "k = 1", "v")).containsExactly("[+I, 5]", "[-U, 5]", "[+U, 11]", "[-D, 11]", "[+I, 2]", "[-U, 2]", "[+U, 4]");
        assertLogGivesTable("anew");
        assertSameInPaimon("anew");
        assertUpdate("DROP TABLE anew");
    }

    /**
     * One statement that deletes, updates and inserts logs the whole old rows, whichever way the log is made.
     */
    @ParameterizedTest
    @ValueSource(strings = {"lookup", "full-compaction", "input"})
    void testOldRowsOfMerge(String producer)
            throws Exception
    {
        assertUpdate("CREATE TABLE merged (k bigint, v bigint, w varchar) WITH (primary_key = ARRAY['k'], changelog_producer = '%s')".formatted(producer));
        assertUpdate("INSERT INTO merged VALUES (5, 50, 'a'), (6, 60, 'b'), (7, 70, NULL)", 3);
        if (producer.equals("full-compaction")) {
            assertUpdate("ALTER TABLE merged EXECUTE optimize");
        }
        assertUpdate(
                """
                MERGE INTO merged t USING (VALUES (5, 51), (6, 0), (8, 80)) n (k, v) ON t.k = n.k
                WHEN MATCHED AND n.v = 0 THEN DELETE
                WHEN MATCHED THEN UPDATE SET v = n.v
                WHEN NOT MATCHED THEN INSERT VALUES (n.k, n.v, 'new')
                """,
                3);
        if (producer.equals("full-compaction")) {
            assertUpdate("ALTER TABLE merged EXECUTE optimize");
        }
        assertQuery(
                "SELECT rowkind, k, v, w FROM \"merged$audit_log\"",
                "VALUES ('+I', 5, 50, 'a'), ('+I', 6, 60, 'b'), ('+I', 7, 70, NULL), ('-U', 5, 50, 'a'), ('+U', 5, 51, 'a'), ('-D', 6, 60, 'b'), ('+I', 8, 80, 'new')");
        assertLogGivesTable("merged");
        assertSameInPaimon("merged");
        assertUpdate("DROP TABLE merged");
    }

    /**
     * The first row stays first while it moves through the levels, and is told once.
     */
    @ParameterizedTest
    @ValueSource(strings = {"", "bucket = 2, "})
    void testFirstRowThroughTheLevels(String properties)
            throws Exception
    {
        assertUpdate("CREATE TABLE firsts (k bigint, v bigint, w varchar) WITH (primary_key = ARRAY['k'], merge_engine = 'first-row', %schangelog_producer = 'lookup')".formatted(properties));
        for (int round = 0; round < 8; round++) {
            assertUpdate("INSERT INTO firsts SELECT i, %1$s, NULL FROM UNNEST(sequence(%1$s, %1$s + 4)) t (i)".formatted(round), 5);
            if (round % 3 == 2) {
                assertUpdate("ALTER TABLE firsts EXECUTE optimize");
            }
        }
        // the first five came together, each later one alone
        assertQuery("SELECT k, v FROM firsts", "SELECT i, CASE WHEN i < 5 THEN 0 ELSE i - 4 END FROM (VALUES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) t (i)");
        assertQuery("SELECT rowkind, count(*), count(DISTINCT k) FROM \"firsts$audit_log\" GROUP BY 1", "VALUES ('+I', 12, 12)");
        assertLogGivesTable("firsts");
        assertSameInPaimon("firsts");
        assertUpdate("DROP TABLE firsts");
    }

    @Test
    void testFirstRowOfPartitions()
            throws Exception
    {
        assertUpdate("CREATE TABLE parts (k bigint, p varchar, v bigint) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], merge_engine = 'first-row', changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO parts VALUES (1, 'a', 1), (1, 'b', 2)", 2);
        assertUpdate("MERGE INTO parts t USING (VALUES (1, 'a', 3), (1, 'c', 4)) n (k, p, v) ON t.k = n.k AND t.p = n.p WHEN NOT MATCHED THEN INSERT VALUES (n.k, n.p, n.v)", 1);
        assertUpdate("INSERT INTO parts VALUES (1, 'b', 5), (1, 'c', 6), (2, 'a', 7)", 3);
        assertQuery("SELECT * FROM parts", "VALUES (1, 'a', 1), (1, 'b', 2), (1, 'c', 4), (2, 'a', 7)");
        assertQuery("SELECT count(*) FROM \"parts$audit_log\"", "VALUES 4");
        assertLogGivesTable("parts");
        assertSameInPaimon("parts");
        assertUpdate("DROP TABLE parts");
    }

    /**
     * A delete whose values would not be taken back, by a function that ignores that.
     */
    @ParameterizedTest
    @ValueSource(strings = {
            "merge_engine = 'aggregation', options = ARRAY['fields.v.aggregate-function=max', 'fields.v.ignore-retract=true']",
            "merge_engine = 'partial-update', options = ARRAY['partial-update.ignore-delete=true']",
            "merge_engine = 'first-row', options = ARRAY['first-row.ignore-delete=true']"})
    void testDeleteThatWouldBeIgnored(String properties)
            throws Exception
    {
        assertUpdate("CREATE TABLE kept (k bigint, v bigint) WITH (primary_key = ARRAY['k'], %s)".formatted(properties));
        assertUpdate("INSERT INTO kept VALUES (1, 1), (2, 2)", 2);
        for (@Language("SQL") String statement : List.of(
                "DELETE FROM kept WHERE k = 1",
                "DELETE FROM kept WHERE v > 100",
                "DELETE FROM kept",
                "MERGE INTO kept t USING (VALUES 1) n (k) ON t.k = n.k WHEN MATCHED THEN DELETE")) {
            assertTrinoExceptionThrownBy(() -> computeActual(statement)).as(statement).hasErrorCode(NOT_SUPPORTED).hasMessageFindingMatch("ignore-delete|remove-record-on-delete|merge-engine");
        }
        assertQuery("SELECT * FROM kept", "VALUES (1, 1), (2, 2)");
        assertSameInPaimon("kept");
        assertUpdate("DROP TABLE kept");
    }

    /**
     * Rows are counted after they are merged, by every engine.
     */
    @ParameterizedTest
    @CsvSource({"aggregation, 3", "partial-update, 2", "first-row, 0", "deduplicate, 2"})
    void testCountsOfUnmergedTable(String engine, long value)
            throws Exception
    {
        String options = engine.equals("aggregation") ? ", 'fields.v.aggregate-function=sum'" : "";
        assertUpdate("CREATE TABLE counted (k bigint, v bigint, p bigint) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 2, merge_engine = '%s', options = ARRAY['write-only=true'%s])".formatted(engine, options));
        for (int round = 0; round < 3; round++) {
            assertUpdate("INSERT INTO counted SELECT i, %s, i %% 2 FROM UNNEST(sequence(1, 100)) t (i)".formatted(round), 100);
        }
        if (engine.equals("first-row")) {
            // which rows came first is known of what has left level 0
            assertQuery("SELECT count(*) FROM counted", "VALUES 0");
            assertUpdate("ALTER TABLE counted EXECUTE optimize");
            assertUpdate("INSERT INTO counted SELECT i, 3, i % 2 FROM UNNEST(sequence(1, 100)) t (i)", 100);
        }
        assertQuery("SELECT count(*), count(DISTINCT k), min(v), max(v) FROM (SELECT * FROM counted LIMIT 80)", "VALUES (80, 80, %1$s, %1$s)".formatted(value));
        assertQuery("SELECT count(*) FROM counted", "VALUES 100");
        assertQuery("SELECT count(*) FROM (SELECT k FROM counted WHERE p = 1 LIMIT 80)", "VALUES 50");
        assertQuery("SELECT count(*) FROM counted WHERE v = 1", "VALUES 0");
        assertQuery("SELECT p, count(*), sum(v) FROM counted GROUP BY p", "VALUES (0, 50, %1$s), (1, 50, %1$s)".formatted(50 * value));
        assertSameInPaimon("counted");
        assertUpdate("DROP TABLE counted");
    }

    /**
     * Changes that take each other back inside a range are told, in the order of the commits, and ranges add up.
     */
    @Test
    void testRangesAddUp()
            throws Exception
    {
        assertUpdate("CREATE TABLE ranges (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 2, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO ranges VALUES (1, 'a'), (2, 'a'), (3, 'a')", 3);
        assertUpdate("UPDATE ranges SET v = 'b' WHERE k < 3", 2);
        assertUpdate("UPDATE ranges SET v = 'a' WHERE k < 3", 2);
        assertUpdate("DELETE FROM ranges WHERE k = 2", 1);
        assertUpdate("INSERT INTO ranges VALUES (2, 'a')", 1);
        assertThat(log("ranges", "k = 2", "v")).containsExactly("[+I, a]", "[-U, a]", "[+U, b]", "[-U, b]", "[+U, a]", "[-D, a]", "[+I, a]");
        long last = (long) computeScalar("SELECT max(snapshot_id) FROM \"ranges$snapshots\"");
        List<String> whole = changes(0, last);
        assertThat(whole).hasSize(13);
        for (long middle = 1; middle < last; middle++) {
            List<String> parts = new ArrayList<>(changes(0, middle));
            parts.addAll(changes(middle, last));
            assertThat(parts).as("cut behind snapshot %s", middle).containsExactlyInAnyOrderElementsOf(whole);
        }
        assertUpdate("DROP TABLE ranges");
    }

    private List<String> changes(long start, long end)
    {
        return LogReplay.rows(this::computeActual, "SELECT _snapshot_id, rowkind, k, v FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'ranges', start_snapshot_id => %s, end_snapshot_id => %s))".formatted(start, end));
    }

    /**
     * An option that changes what levels mean, on a table that has several versions of a key.
     */
    @ParameterizedTest
    @CsvSource({"none, lookup", "none, full-compaction", "input, lookup", "lookup, full-compaction", "full-compaction, lookup"})
    void testAnotherProducer(String before, String after)
            throws Exception
    {
        assertUpdate("CREATE TABLE other (k bigint, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = '%s')".formatted(before));
        assertUpdate("INSERT INTO other VALUES (1, 1), (2, 2), (3, 3)", 3);
        assertUpdate("INSERT INTO other VALUES (2, 10)", 1);
        assertUpdate("INSERT INTO other VALUES (2, 11)", 1);
        assertUpdate("ALTER TABLE other SET PROPERTIES changelog_producer = '%s'".formatted(after));
        assertQuery("SELECT * FROM other", "VALUES (1, 1), (2, 11), (3, 3)");
        long changed = (long) computeScalar("SELECT max(snapshot_id) FROM \"other$snapshots\"");
        assertUpdate("INSERT INTO other VALUES (2, 12), (4, 4)", 2);
        assertUpdate("DELETE FROM other WHERE k = 3", 1);
        assertUpdate("ALTER TABLE other EXECUTE optimize");
        assertQuery("SELECT * FROM other", "VALUES (1, 1), (2, 12), (4, 4)");
        List<String> log = log("other", "\"$snapshot_id\" > " + changed, "k, v");
        if (before.equals("full-compaction")) {
            // which no full compaction has told before
            assertThat(log).containsExactlyInAnyOrder("[+I, 1, 1]", "[+I, 2, 12]", "[+I, 3, 3]", "[-D, 3, 3]", "[+I, 4, 4]");
            assertLogGivesTable("other");
        }
        else {
            assertThat(log).contains("[+U, 2, 12]", "[+I, 4, 4]", "[-D, 3, 3]").doesNotContain("[+I, 2, 12]");
        }
        assertSameInPaimon("other");
        assertUpdate("DROP TABLE other");
    }

    /**
     * Some partitions of a table have several versions of a key, and others are compacted.
     */
    @Test
    void testTurningDeletionVectorsOnWithPartitions()
            throws Exception
    {
        assertUpdate("CREATE TABLE turned (k bigint, p varchar, v bigint) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], changelog_producer = 'lookup', options = ARRAY['deletion-vectors.modifiable=true'])");
        for (int version = 0; version < 3; version++) {
            assertUpdate("INSERT INTO turned VALUES (1, 'a', %1$s), (1, 'b', %1$s), (%1$s, 'c', 0)".formatted(version), 3);
        }
        assertUpdate("ALTER TABLE turned EXECUTE optimize WHERE p = 'a'");
        @Language("SQL") String rows = "VALUES (1, 'a', 2), (1, 'b', 2), (0, 'c', 0), (1, 'c', 0), (2, 'c', 0)";
        boolean turned = true;
        try {
            computeActual("ALTER TABLE turned SET PROPERTIES deletion_vectors_enabled = true");
        }
        catch (RuntimeException e) {
            assertThat(e).hasMessageContaining("deletion-vectors.enabled");
            turned = false;
        }
        assertQuery("SELECT * FROM turned", rows);
        assertSameInPaimon("turned");
        if (!turned) {
            assertUpdate("ALTER TABLE turned EXECUTE optimize");
            assertUpdate("ALTER TABLE turned SET PROPERTIES deletion_vectors_enabled = true");
        }
        assertUpdate("UPDATE turned SET v = 9 WHERE p = 'b'", 1);
        assertUpdate("DELETE FROM turned WHERE k = 0", 1);
        assertQuery("SELECT * FROM turned", "VALUES (1, 'a', 2), (1, 'b', 9), (1, 'c', 0), (2, 'c', 0)");
        assertLogGivesTable("turned");
        assertSameInPaimon("turned");
        assertUpdate("DROP TABLE turned");
    }

    /**
     * An option that ignores deletes must not bring back rows whose deletes wait to be merged.
     */
    @ParameterizedTest
    @CsvSource({"none, false", "lookup, true"})
    void testDeletesThatWaitWhenTheyAreIgnored(String producer, boolean writeOnly)
            throws Exception
    {
        assertUpdate("CREATE TABLE waiting (k bigint, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = '%s', options = ARRAY['write-only=%s'])".formatted(producer, writeOnly));
        assertUpdate("INSERT INTO waiting SELECT n, n FROM UNNEST(sequence(1, 20)) t (n)", 20);
        assertUpdate("ALTER TABLE waiting EXECUTE optimize");
        assertUpdate("DELETE FROM waiting WHERE k <= 2", 2);
        @Language("SQL") String ignoring = "ALTER TABLE waiting SET PROPERTIES options = ARRAY['ignore-delete=true', 'write-only=%s']".formatted(writeOnly);
        assertQueryFails(ignoring, ".*Option 'ignore-delete' of table default.waiting cannot be changed now.*EXECUTE optimize.*");
        assertUpdate("ALTER TABLE waiting EXECUTE optimize");
        assertUpdate(ignoring);
        assertUpdate("INSERT INTO waiting VALUES (3, 30)", 1);
        assertUpdate("ALTER TABLE waiting EXECUTE optimize");
        assertQuery("SELECT count(*), min(k), max(v) FROM waiting", "VALUES (18, 3, 30)");
        if (producer.equals("lookup")) {
            assertLogGivesTable("waiting");
        }
        assertSameInPaimon("waiting");
        assertUpdate("DROP TABLE waiting");
    }

    /**
     * Of a table that is compacted later, the old rows are those that were told last, and what came and went meanwhile is not told.
     */
    @Test
    void testOldRowsOfTableThatIsCompactedLater()
            throws Exception
    {
        assertUpdate("CREATE TABLE later (k bigint, v bigint, w varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', options = ARRAY['write-only=true'])");
        assertUpdate("INSERT INTO later SELECT n, 50, 'a' FROM UNNEST(sequence(1, 30)) t (n)", 30);
        assertUpdate("ALTER TABLE later EXECUTE optimize");
        long told = (long) computeScalar("SELECT max(snapshot_id) FROM \"later$snapshots\"");
        assertUpdate("UPDATE later SET v = 51 WHERE k = 5", 1);
        assertUpdate("UPDATE later SET v = 52 WHERE k = 5", 1);
        assertUpdate("UPDATE later SET w = NULL WHERE k IN (6, 7)", 2);
        assertUpdate("DELETE FROM later WHERE k = 7", 1);
        assertUpdate("MERGE INTO later t USING (VALUES 8, 99) n (k) ON t.k = n.k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (n.k, 1, 'new')", 2);
        assertUpdate("DELETE FROM later WHERE k = 99", 1);
        assertThat(log("later", "\"$snapshot_id\" > " + told, "k")).isEmpty();
        assertUpdate("ALTER TABLE later EXECUTE optimize");
        assertThat(log("later", "\"$snapshot_id\" > " + told, "k, v, w")).containsExactlyInAnyOrder("[-U, 5, 50, a]", "[+U, 5, 52, a]", "[-U, 6, 50, a]", "[+U, 6, 50, null]", "[-D, 7, 50, a]", "[-D, 8, 50, a]");
        assertLogGivesTable("later");
        assertSameInPaimon("later");
        assertUpdate("DROP TABLE later");
    }

    /**
     * The kinds and the columns of the log, in the order of the snapshots, an old row before the new one.
     */
    private List<String> log(String table, String condition, String columns)
    {
        return computeActual("SELECT rowkind, %s FROM \"%s$audit_log\" WHERE %s ORDER BY \"$snapshot_id\", rowkind DESC".formatted(columns, table, condition)).getMaterializedRows().stream()
                .map(row -> row.getFields().toString())
                .toList();
    }
}
