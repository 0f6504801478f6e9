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
import io.trino.spi.type.TimeZoneKey;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import static io.lookup.storage.oracle.Change.insert;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Wrong rows and wrong logs that connectors of this kind have shipped: values and predicates.
 */
final class TestPeerDefects
        extends AbstractOracleQueryTest
{
    /**
     * A delete that reports success and deletes nothing.
     */
    @ParameterizedTest
    @ValueSource(strings = {"ignore-delete", "deduplicate.ignore-delete"})
    void testIgnoredDelete(String option)
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "ignoring", new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "STRING")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "1", option, "true")));
        paimon.write(table, ImmutableList.of(insert(1, "a"), insert(2, "b")));
        for (String statement : List.of(
                "DELETE FROM ignoring WHERE k = 1",
                "DELETE FROM ignoring WHERE k = 99",
                "DELETE FROM ignoring",
                "UPDATE ignoring SET k = 5 WHERE k = 1",
                "MERGE INTO ignoring t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN DELETE",
                "MERGE INTO ignoring t USING (VALUES 1) s (k) ON t.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, 'x') WHEN MATCHED THEN DELETE")) {
            assertTrinoExceptionThrownBy(() -> computeActual(statement))
                    .as(statement)
                    .hasErrorCode(NOT_SUPPORTED)
                    .hasMessageContaining("ignore-delete");
        }
        assertThat(paimon.snapshots(table)).hasSize(1);
        assertThat(paimon.readTable(table)).hasSize(2);
        assertUpdate("DROP TABLE ignoring");
    }

    /**
     * An update of the sequence column that loses against the row it updates.
     */
    @ParameterizedTest
    @CsvSource({"ascending, 15", "descending, 30"})
    void testUpdateOfSequenceColumn(String order, int losing)
    {
        assertUpdate("""
                CREATE TABLE ordered (k bigint, v varchar, s integer) WITH (primary_key = ARRAY['k'], sequence_field = ARRAY['s'], changelog_producer = 'lookup',
                    options = ARRAY['sequence.field.sort-order=%s'])
                """.formatted(order));
        assertUpdate("INSERT INTO ordered VALUES (1, 'a', 20)", 1);
        assertTrinoExceptionThrownBy(() -> computeActual("UPDATE ordered SET s = %s, v = 'b'".formatted(losing))).hasErrorCode(NOT_SUPPORTED).hasMessageContainingAll("sequence.field", "column s");
        assertTrinoExceptionThrownBy(() -> computeActual("MERGE INTO ordered t USING (VALUES 1) n (k) ON t.k = n.k WHEN MATCHED THEN UPDATE SET s = %s".formatted(losing)))
                .hasErrorCode(NOT_SUPPORTED)
                .hasMessageContaining("sequence.field");
        // a late record loses and is no change
        assertUpdate("INSERT INTO ordered VALUES (1, 'late', %s)".formatted(losing), 1);
        assertQuery("SELECT * FROM ordered", "VALUES (1, 'a', 20)");
        // an update of the rest keeps the sequence value, and wins
        assertUpdate("UPDATE ordered SET v = 'b'", 1);
        assertQuery("SELECT * FROM ordered", "VALUES (1, 'b', 20)");
        assertLogGivesTable("ordered");
        assertUpdate("DROP TABLE ordered");
    }

    @Test
    void testNullInSequenceColumn()
    {
        assertUpdate("CREATE TABLE sequences (k bigint, v varchar, s integer, t integer) WITH (primary_key = ARRAY['k'], sequence_field = ARRAY['s', 't'], changelog_producer = 'lookup', changelog_producer_row_deduplicate = true)");
        assertUpdate("INSERT INTO sequences VALUES (1, 'a', 20, 1), (2, 'b', NULL, NULL), (3, 'c', 5, NULL)", 3);
        // null comes before every value
        assertUpdate("INSERT INTO sequences VALUES (1, 'c', NULL, 9)", 1);
        assertUpdate("INSERT INTO sequences VALUES (1, 'd', 20, NULL)", 1);
        assertQuery("SELECT v FROM sequences WHERE k = 1", "VALUES 'a'");
        assertQuery("SELECT count(*) FROM \"sequences$audit_log\" WHERE k = 1", "VALUES 1");
        // of equals the later one wins
        assertUpdate("INSERT INTO sequences VALUES (2, 'B', NULL, NULL), (3, 'C', 5, NULL)", 2);
        assertUpdate("UPDATE sequences SET v = 'x' WHERE k = 2", 1);
        assertQuery("SELECT k, v FROM sequences", "VALUES (1, 'a'), (2, 'x'), (3, 'C')");
        assertLogGivesTable("sequences");
        assertUpdate("DROP TABLE sequences");
    }

    /**
     * Values that hold nulls and are equal.
     */
    @Test
    void testEqualityOfNestedNulls()
    {
        assertUpdate("CREATE TABLE nested (k bigint, a array(integer), m map(integer, integer), r row(x integer, y array(varchar))) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', changelog_producer_row_deduplicate = true)");
        @Language("SQL") String row = "INSERT INTO nested VALUES (1, ARRAY[1, NULL], MAP(ARRAY[1], ARRAY[CAST(NULL AS integer)]), CAST(ROW(NULL, ARRAY['a', NULL]) AS row(x integer, y array(varchar)))), (2, NULL, NULL, NULL)";
        assertUpdate(row, 2);
        assertUpdate(row, 2);
        assertQuery("SELECT count(*) FROM \"nested$audit_log\"", "VALUES 2");
        for (String change : List.of("a = ARRAY[1, 2]", "a = ARRAY[NULL, 1]", "a = ARRAY[1]", "m = MAP(ARRAY[1], ARRAY[1])", "m = MAP(ARRAY[2], ARRAY[CAST(NULL AS integer)])", "r = CAST(ROW(NULL, ARRAY['a', 'b']) AS row(x integer, y array(varchar)))", "r = NULL")) {
            long before = (long) computeScalar("SELECT count(*) FROM \"nested$audit_log\"");
            assertUpdate("UPDATE nested SET " + change + " WHERE k = 1", 1);
            assertThat((long) computeScalar("SELECT count(*) FROM \"nested$audit_log\"")).as(change).isEqualTo(before + 2);
            assertUpdate("UPDATE nested SET " + change + " WHERE k = 1", 1);
            assertThat((long) computeScalar("SELECT count(*) FROM \"nested$audit_log\"")).as(change).isEqualTo(before + 2);
        }
        assertUpdate("DROP TABLE nested");
    }

    /**
     * Floating-point values that are equal, or are not, by their bits.
     */
    @Test
    void testEqualityOfFloatingPoint()
    {
        assertUpdate("CREATE TABLE floats (k bigint, d double, r real) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', changelog_producer_row_deduplicate = true)");
        assertUpdate("INSERT INTO floats VALUES (1, nan(), CAST(nan() AS real))", 1);
        assertUpdate("INSERT INTO floats VALUES (1, nan(), CAST(nan() AS real))", 1);
        assertQuery("SELECT count(*) FROM \"floats$audit_log\"", "VALUES 1");
        assertUpdate("UPDATE floats SET d = 0e0", 1);
        assertQuery("SELECT rowkind FROM \"floats$audit_log\" WHERE \"$snapshot_id\" > 4", "VALUES '-U', '+U'");
        assertUpdate("DROP TABLE floats");
    }

    /**
     * A limit that counts rows before they are merged.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testLimitOfUnmergedTable(boolean writeOnly)
    {
        assertUpdate("CREATE TABLE unmerged (k bigint, v bigint) WITH (primary_key = ARRAY['k'], bucket = 4, options = ARRAY['write-only=%s'])".formatted(writeOnly));
        for (int round = 0; round < 3; round++) {
            assertUpdate("INSERT INTO unmerged SELECT i, %s FROM UNNEST(sequence(1, 100)) t (i)".formatted(round), 100);
        }
        assertQuery("SELECT count(*), count(DISTINCT k), min(v) FROM (SELECT * FROM unmerged LIMIT 80)", "VALUES (80, 80, 2)");
        assertUpdate("DELETE FROM unmerged WHERE k % 2 = 0", 50);
        assertQuery("SELECT count(*) FROM (SELECT * FROM unmerged LIMIT 80)", "VALUES 50");
        assertQuery("SELECT count(*) FROM (SELECT k FROM unmerged WHERE v = 2 LIMIT 40)", "VALUES 40");
        assertQuery("SELECT count(*) FROM (SELECT * FROM unmerged ORDER BY k LIMIT 80)", "VALUES 50");
        assertQuery("SELECT count(*) FROM unmerged WHERE v < 2", "VALUES 0");
        assertQuery("SELECT count(*), sum(v) FROM unmerged", "VALUES (50, 100)");
        assertUpdate("DROP TABLE unmerged");
    }

    /**
     * A range of changes in which a row comes and goes.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testInsertAndDeleteInsideTheRange(boolean again)
            throws Exception
    {
        assertUpdate("CREATE TABLE comings (v bigint) WITH (primary_key = ARRAY['v'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO comings VALUES 10", 1);
        assertUpdate("INSERT INTO comings VALUES 20", 1);
        assertUpdate("DELETE FROM comings WHERE v = 20", 1);
        if (again) {
            assertUpdate("INSERT INTO comings VALUES 20", 1);
        }
        assertUpdate("INSERT INTO comings VALUES 30", 1);
        String expected = "(2, '+I', 10), (4, '+I', 20), (6, '-D', 20), " + (again ? "(8, '+I', 20), (10, '+I', 30)" : "(8, '+I', 30)");
        assertQuery("SELECT \"$snapshot_id\", rowkind, v FROM \"comings$audit_log\"", "VALUES " + expected);
        assertQuery("SELECT _snapshot_id, rowkind, v FROM " + changes("comings", 0, again ? 10 : 8), "VALUES " + expected);
        // the start is excluded, the end included
        assertQuery("SELECT rowkind, v FROM " + changes("comings", 2, 6), "VALUES ('+I', 20), ('-D', 20)");
        assertQueryReturnsEmptyResult("SELECT rowkind, v FROM " + changes("comings", 6, 7));
        // a range that is not retained any more is an error, never a short answer
        Path snapshots = warehouse.resolve("default.db/comings/snapshot");
        Files.delete(snapshots.resolve("snapshot-1"));
        Files.delete(snapshots.resolve("snapshot-2"));
        Files.deleteIfExists(snapshots.resolve("EARLIEST"));
        assertQueryFails("SELECT * FROM " + changes("comings", 1, 6), ".*start 1 is before the oldest retained change.*snapshots 3 to.*");
        assertQuery("SELECT rowkind, v FROM " + changes("comings", 2, 6), "VALUES ('+I', 20), ('-D', 20)");
        assertUpdate("DROP TABLE comings");
    }

    private static String changes(String table, long start, long end)
    {
        return "TABLE(lake.system.table_changes(schema_name => 'default', table_name => '%s', start_snapshot_id => %s, end_snapshot_id => %s))".formatted(table, start, end);
    }

    /**
     * Byte strings are ordered as unsigned bytes, in keys and everywhere.
     */
    @Test
    void testBinaryKeys()
    {
        assertUpdate("CREATE TABLE bytes (k varbinary, v bigint, b varbinary) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO bytes VALUES (X'01', 1, X'FF'), (X'7F', 2, X'80'), (X'80', 3, X'7F'), (X'FF', 4, X'01'), (X'', 5, X'')", 5);
        assertUpdate("ALTER TABLE bytes EXECUTE optimize");
        assertUpdate("INSERT INTO bytes VALUES (X'FF', 40, X'00'), (X'01', 10, X'8000'), (X'7FFF', 6, NULL)", 3);
        assertQuery("SELECT rowkind, to_hex(k), v FROM \"bytes$audit_log\" WHERE v IN (1, 4, 10, 40, 6) AND \"$snapshot_id\" > 2", "VALUES ('-U', 'FF', 4), ('+U', 'FF', 40), ('-U', '01', 1), ('+U', '01', 10), ('+I', '7FFF', 6)");
        assertQuery("SELECT to_hex(k) FROM bytes WHERE k > X'7F'", "VALUES '7FFF', '80', 'FF'");
        assertQuery("SELECT to_hex(k) FROM bytes WHERE k >= X'80'", "VALUES '80', 'FF'");
        assertQuery("SELECT to_hex(k) FROM bytes WHERE k < X'01'", "VALUES ''");
        assertQuery("SELECT to_hex(k) FROM bytes WHERE b > X'7F'", "VALUES '7F', '01'");
        assertThat(computeActual("SELECT to_hex(k) FROM bytes ORDER BY k").getOnlyColumn()).containsExactly("", "01", "7F", "7FFF", "80", "FF");
        assertUpdate("DELETE FROM bytes WHERE k IN (X'80', X'01')", 2);
        LogReplay.assertLogGivesTable(select -> computeActual(select.replace("SELECT *", "SELECT " + (select.contains("audit_log") ? "rowkind, " : "") + "to_hex(k), v, to_hex(b)")), "bytes");
        assertUpdate("DROP TABLE bytes");
    }

    /**
     * Instants in predicates, whatever the session's zone.
     */
    @ParameterizedTest
    @CsvSource({"America/Los_Angeles, 3", "Asia/Kolkata, 6", "America/Los_Angeles, 9"})
    void testZonedTimestamps(String zone, int precision)
    {
        String fraction = "999999999".substring(0, precision);
        assertUpdate("CREATE TABLE instants (k bigint, t timestamp(%1$s) with time zone, p timestamp(%1$s) with time zone) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], changelog_producer = 'lookup')".formatted(precision));
        List<String> texts = List.of("1969-12-31 23:59:59." + fraction + " UTC", "2024-03-10 02:30:00 UTC", "2024-03-10 10:30:00.5 UTC", "2024-11-03 08:30:00 UTC");
        for (int key = 0; key < texts.size(); key++) {
            assertUpdate("INSERT INTO instants SELECT %1$s, t, t FROM (VALUES CAST(timestamp '%2$s' AS timestamp(%3$s) with time zone)) x (t)".formatted(key, texts.get(key), precision), 1);
        }
        Session session = Session.builder(getSession()).setTimeZoneKey(TimeZoneKey.getTimeZoneKey(zone)).build();
        for (String column : List.of("t", "p")) {
            List<String> predicates = texts.stream().flatMap(text -> predicates(text).stream()).toList();
            // nothing is known of the value on the other side of a random number
            @Language("SQL") String evaluated = union(predicates, "instants", "if(random() < 2, " + column + ")");
            List<String> expected = LogReplay.rows(select -> computeActual(session, select), evaluated);
            assertThat(expected).hasSizeGreaterThan(predicates.size());
            assertThat(LogReplay.rows(select -> computeActual(session, select), union(predicates, "instants", column))).containsExactlyElementsOf(expected);
            assertThat(LogReplay.rows(select -> computeActual(session, select), union(predicates, "\"instants$audit_log\"", column))).containsExactlyElementsOf(expected);
        }
        assertQuery("SELECT CAST(t AS varchar) FROM instants WHERE k = 0", "VALUES '%s'".formatted(texts.getFirst()));
        assertQuery("SELECT k FROM instants WHERE t < timestamp '1970-01-01 00:00:00 UTC'", "VALUES 0");
        assertUpdate("DROP TABLE instants");
    }

    private static List<String> predicates(String text)
    {
        String instant = "timestamp '" + text + "'";
        String local = "timestamp '" + text.replace(" UTC", "") + "'";
        return ImmutableList.of(
                "%s = " + instant,
                "%s < " + instant,
                "%s > " + instant,
                "%s BETWEEN " + instant + " AND timestamp '2024-03-10 10:30:00.5 UTC'",
                "%s IN (" + instant + ", timestamp '2024-03-10 02:30:00 UTC')",
                "%s >= " + local,
                "%s < " + local,
                "CAST(%s AS date) = CAST(" + instant + " AS date)");
    }

    /**
     * The keys that match, with the number of the predicate.
     */
    private static @Language("SQL") String union(List<String> predicates, String table, String value)
    {
        return IntStream.range(0, predicates.size())
                .mapToObj(index -> "SELECT %s AS predicate, k FROM %s WHERE %s".formatted(index, table, predicates.get(index).formatted(value)))
                .collect(joining(" UNION ALL "));
    }
}
