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
import io.trino.Session;
import io.trino.spi.type.TimeZoneKey;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Relatives of the defects in {@link TestPeerDefects} and {@link TestPeerDefectsOfTables}: values, keys, partitions and writers.
 */
final class TestRelatedDefectsOfTables
        extends AbstractOracleQueryTest
{
    /**
     * Equal values deep inside, whoever makes the log.
     */
    @ParameterizedTest
    @ValueSource(strings = {"lookup", "full-compaction"})
    void testEqualityInsideNestedValues(String producer)
    {
        assertUpdate("CREATE TABLE deep (k bigint, a array(double), m map(varchar, row(x integer, y double)), b array(varbinary), d decimal(30, 2)) WITH (primary_key = ARRAY['k'], changelog_producer = '%s', changelog_producer_row_deduplicate = true)".formatted(producer));
        String type = "CAST(%s AS map(varchar, row(x integer, y double)))";
        String columns = "1, ARRAY[nan(), NULL], " + type.formatted("MAP(ARRAY['p', 'q'], ARRAY[ROW(NULL, nan()), NULL])") + ", ARRAY[X'00', X'', NULL], DECIMAL '1.10'";
        String otherOrder = "1, ARRAY[nan(), NULL], " + type.formatted("MAP(ARRAY['q', 'p'], ARRAY[NULL, ROW(NULL, nan())])") + ", ARRAY[X'00', X'', NULL], DECIMAL '1.1'";
        String other = "1, ARRAY[nan(), NULL], " + type.formatted("MAP(ARRAY['p', 'q'], ARRAY[ROW(0, nan()), NULL])") + ", ARRAY[X'00', X'', NULL], DECIMAL '1.10'";
        List<Long> counts = new ArrayList<>();
        for (String values : List.of(columns, columns, otherOrder, other, other, columns)) {
            assertUpdate("INSERT INTO deep VALUES (%s)".formatted(values), 1);
            assertUpdate("ALTER TABLE deep EXECUTE optimize");
            counts.add((long) computeScalar("SELECT count(*) FROM \"deep$audit_log\""));
        }
        assertThat(counts).containsExactly(1L, 1L, 1L, 3L, 3L, 5L);
        assertUpdate("DROP TABLE deep");
    }

    /**
     * Texts are ordered by code points and end where they end.
     */
    @Test
    void testTextKeys()
            throws Exception
    {
        List<String> ascending = List.of("", " ", "A", "a", "a ", "aa", "ab", "z", "é", "\uFFFF", "\uD83D\uDE00");
        assertUpdate("CREATE TABLE texts (k varchar, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO texts VALUES " + IntStream.range(0, ascending.size()).mapToObj(index -> "('%s', %s)".formatted(ascending.get(index), index)).collect(joining(", ")), ascending.size());
        assertUpdate("ALTER TABLE texts EXECUTE optimize");
        for (int index = 0; index < ascending.size(); index++) {
            assertQuery("SELECT count(*), min(v) FROM texts WHERE k >= '%s'".formatted(ascending.get(index)), "VALUES (%s, %s)".formatted(ascending.size() - index, index));
        }
        assertUpdate("INSERT INTO texts SELECT k, v + 100 FROM texts", ascending.size());
        assertQuery("SELECT rowkind, count(*) FROM \"texts$audit_log\" GROUP BY 1", "VALUES ('+I', 11), ('-U', 11), ('+U', 11)");
        assertThat(computeActual("SELECT k FROM texts ORDER BY v").getOnlyColumn()).containsExactlyElementsOf(ascending);
        assertLogGivesTable("texts");
        assertSameInPaimon("texts");
        assertUpdate("DROP TABLE texts");
    }

    /**
     * Keys below zero come first, in every type.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "bigint | -9223372036854775808, -1, 0, 1, 9223372036854775807",
            "tinyint | TINYINT '-128', TINYINT '-1', TINYINT '0', TINYINT '127'",
            "decimal(5, 2) | DECIMAL '-999.99', DECIMAL '-0.01', DECIMAL '0.00', DECIMAL '0.01'",
            "decimal(38, 0) | DECIMAL '-99999999999999999999999999999999999999', DECIMAL '-1', DECIMAL '0', DECIMAL '18446744073709551616'",
            "date | DATE '0001-01-01', DATE '1969-12-31', DATE '1970-01-01', DATE '9999-12-31'",
            "timestamp(6) | TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMP '1970-01-01 00:00:00.000000', TIMESTAMP '2024-03-10 02:30:00.000001'",
            "boolean | false, true"})
    void testNegativeKeys(String type, String values)
            throws Exception
    {
        List<String> ascending = List.of(values.split(", "));
        assertUpdate("CREATE TABLE negative (k %s, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')".formatted(type));
        assertUpdate("INSERT INTO negative VALUES " + IntStream.range(0, ascending.size()).mapToObj(index -> "(CAST(%s AS %s), %s)".formatted(ascending.get(index), type, index)).collect(joining(", ")), ascending.size());
        assertUpdate("ALTER TABLE negative EXECUTE optimize");
        for (int index = 0; index < ascending.size(); index++) {
            assertQuery("SELECT count(*), min(v) FROM negative WHERE k >= %s".formatted(ascending.get(index)), "VALUES (%s, %s)".formatted(ascending.size() - index, index));
        }
        assertUpdate("INSERT INTO negative VALUES (CAST(%s AS %s), 99)".formatted(ascending.getFirst(), type), 1);
        assertQuery("SELECT rowkind, v FROM \"negative$audit_log\" WHERE rowkind <> '+I'", "VALUES ('-U', 0), ('+U', 99)");
        assertLogGivesTable("negative");
        assertSameInPaimon("negative");
        assertUpdate("DROP TABLE negative");
    }

    /**
     * Times without a zone are what they say in every session, and digits below zero count upwards.
     */
    @ParameterizedTest
    @CsvSource({"America/Los_Angeles, 0", "Asia/Kolkata, 3", "America/Los_Angeles, 6", "Asia/Kolkata, 9"})
    void testTimestampsWithoutZone(String zone, int precision)
    {
        Session session = Session.builder(getSession()).setTimeZoneKey(TimeZoneKey.getTimeZoneKey(zone)).build();
        String fraction = precision == 0 ? "" : "." + "9".repeat(precision);
        List<String> ascending = List.of("1969-12-31 23:59:58" + fraction, "1969-12-31 23:59:59" + fraction, "2024-03-10 02:30:00" + fraction, "2024-11-03 01:30:00" + fraction);
        assertUpdate(session, "CREATE TABLE local (k timestamp(%1$s), v bigint, t timestamp(%1$s)) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')".formatted(precision));
        for (int index = 0; index < ascending.size(); index++) {
            assertUpdate(session, "INSERT INTO local VALUES (TIMESTAMP '%1$s', %2$s, TIMESTAMP '%1$s')".formatted(ascending.get(index), index), 1);
        }
        for (int index = 0; index < ascending.size(); index++) {
            for (String column : List.of("k", "t")) {
                String literal = "TIMESTAMP '" + ascending.get(index) + "'";
                assertThat(computeActual(session, "SELECT v FROM local WHERE %s = %s".formatted(column, literal)).getOnlyColumn()).containsExactly((long) index);
                assertThat(computeActual(session, "SELECT v FROM local WHERE %s < %s".formatted(column, literal)).getRowCount()).isEqualTo(index);
                assertThat(computeActual(session, "SELECT v FROM \"local$audit_log\" WHERE %s >= %s".formatted(column, literal)).getRowCount()).isEqualTo(ascending.size() - index);
            }
        }
        assertThat(computeActual(session, "SELECT CAST(k AS varchar) FROM local ORDER BY v").getOnlyColumn()).containsExactlyElementsOf(ascending);
        assertUpdate("DROP TABLE local");
    }

    /**
     * One instant, written in two zones, is one key.
     */
    @Test
    void testZonedKeys()
            throws Exception
    {
        assertUpdate("CREATE TABLE zoned (k timestamp(3) with time zone, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO zoned VALUES (TIMESTAMP '2024-03-10 10:30:00.000 UTC', 1), (TIMESTAMP '1969-12-31 23:59:59.999 UTC', 2)", 2);
        assertUpdate("INSERT INTO zoned VALUES (TIMESTAMP '2024-03-10 03:30:00.000 America/Los_Angeles', 10), (TIMESTAMP '1970-01-01 05:29:59.999 Asia/Kolkata', 20)", 2);
        assertQuery("SELECT rowkind, v FROM \"zoned$audit_log\"", "VALUES ('+I', 1), ('+I', 2), ('-U', 1), ('+U', 10), ('-U', 2), ('+U', 20)");
        assertUpdate("DELETE FROM zoned WHERE k < TIMESTAMP '1970-01-01 01:00:00.000 Europe/Berlin'", 1);
        assertQuery("SELECT v FROM zoned", "VALUES 10");
        assertLogGivesTable("zoned");
        assertUpdate("DROP TABLE zoned");
    }

    @Test
    void testPartitionsOfOtherTypes()
            throws Exception
    {
        assertUpdate("CREATE TABLE typed (k bigint, d date, n integer, b boolean, v varchar) WITH (primary_key = ARRAY['k', 'd', 'n', 'b'], partitioned_by = ARRAY['d', 'n', 'b'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO typed VALUES (1, DATE '1969-12-31', -1, true, 'a'), (1, DATE '0001-01-01', 0, false, 'b'), (1, DATE '9999-12-31', 2147483647, true, 'c'), (2, DATE '1969-12-31', -2147483648, true, 'd')", 4);
        assertQuery("SELECT v FROM typed WHERE d < DATE '1970-01-01' AND n < 0", "VALUES 'a', 'd'");
        assertQuery("SELECT v FROM typed WHERE NOT b", "VALUES 'b'");
        assertQuery("SELECT v FROM \"typed$audit_log\" WHERE n > 0", "VALUES 'c'");
        assertQuery("SELECT count(*), count(DISTINCT partition) FROM \"typed$partitions\"", "VALUES (4, 4)");
        assertUpdate("UPDATE typed SET v = 'A' WHERE n = -1", 1);
        assertUpdate("DELETE FROM typed WHERE d = DATE '0001-01-01'", 1);
        assertQuery("SELECT v FROM typed", "VALUES 'A', 'c', 'd'");
        assertLogGivesTable("typed");
        assertThat(paimon.readTable(new OracleTable("default", "typed"))).extracting(change -> change.values().getLast()).containsExactlyInAnyOrder("A", "c", "d");
        assertUpdate("DROP TABLE typed");
    }

    /**
     * Names of folders that would be the same if their parts ran together, or were read as paths.
     */
    @Test
    void testTwoPartitionColumns()
            throws Exception
    {
        assertUpdate("CREATE TABLE pairs (k bigint, p varchar, q varchar) WITH (primary_key = ARRAY['k', 'p', 'q'], partitioned_by = ARRAY['p', 'q'], changelog_producer = 'lookup')");
        List<String> values = List.of("('a', 'b/c')", "('a/b', 'c')", "('a/q=b', 'c')", "('a', 'b')", "('a%2Fb', 'c')", "('..', '.')", "('', '')");
        for (int key = 0; key < values.size(); key++) {
            assertUpdate("INSERT INTO pairs SELECT %s, p, q FROM (VALUES %s) t (p, q)".formatted(key, values.get(key)), 1);
        }
        for (int key = 0; key < values.size(); key++) {
            assertQuery("SELECT k FROM pairs WHERE (p, q) IN (%s)".formatted(values.get(key)), "VALUES " + key);
        }
        assertQuery("SELECT count(DISTINCT partition) FROM \"pairs$partitions\"", "VALUES " + values.size());
        assertUpdate("DELETE FROM pairs WHERE p = 'a' AND q = 'b/c'", 1);
        assertQuery("SELECT k FROM pairs", "VALUES 1, 2, 3, 4, 5, 6");
        assertLogGivesTable("pairs");
        assertSameInPaimon("pairs");
        assertUpdate("DROP TABLE pairs");
    }

    /**
     * One writer deletes a row that another changes: whichever is first, the log tells what the table became.
     */
    @Test
    void testDeleteAgainstUpdate()
            throws Exception
    {
        assertUpdate("CREATE TABLE contested (k bigint, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        for (int round = 0; round < 4; round++) {
            assertUpdate("INSERT INTO contested VALUES (1, %1$s), (2, %1$s)".formatted(round), 2);
            int succeeded = together("DELETE FROM contested WHERE k = 1", "UPDATE contested SET v = v + 100");
            assertThat(succeeded).isPositive();
            // the row that only one of them touches
            assertThat((long) computeScalar("SELECT v FROM contested WHERE k = 2")).isIn((long) round, round + 100L);
            List<String> before = LogReplay.rows(this::computeActual, "SELECT * FROM contested");
            assertUpdate("ALTER TABLE contested EXECUTE optimize");
            assertThat(LogReplay.rows(this::computeActual, "SELECT * FROM contested")).isEqualTo(before);
            assertLogGivesTable("contested");
            assertSameInPaimon("contested");
        }
        assertUpdate("DROP TABLE contested");
    }

    /**
     * What two writers add at once is added twice, once for each that succeeded.
     */
    @Test
    void testSumOfTwoWriters()
            throws Exception
    {
        assertUpdate("CREATE TABLE added (k bigint, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', merge_engine = 'aggregation', options = ARRAY['fields.v.aggregate-function=sum'])");
        long expected = 0;
        for (int round = 0; round < 4; round++) {
            expected += together("INSERT INTO added VALUES (1, 1)", "INSERT INTO added VALUES (1, 1)");
            assertThat(computeScalar("SELECT v FROM added")).isEqualTo(expected);
            if (round == 2) {
                assertUpdate("ALTER TABLE added EXECUTE optimize");
            }
        }
        assertUpdate("ALTER TABLE added EXECUTE optimize");
        assertThat(computeScalar("SELECT v FROM added")).isEqualTo(expected);
        assertThat(paimon.readTable(new OracleTable("default", "added"))).extracting(Change::values).containsExactly(List.of(1L, expected));
        assertLogGivesTable("added");
        assertUpdate("DROP TABLE added");
    }

    /**
     * Runs two statements that begin at once.
     *
     * @return how many succeeded; the others said that nothing was committed
     */
    private int together(@Language("SQL") String first, @Language("SQL") String second)
            throws Exception
    {
        CyclicBarrier barrier = new CyclicBarrier(2);
        int succeeded = 0;
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            List<Future<?>> writers = new ArrayList<>();
            for (String statement : List.of(first, second)) {
                writers.add(executor.submit(() -> {
                    barrier.await();
                    return computeActual(statement);
                }));
            }
            for (Future<?> writer : writers) {
                try {
                    writer.get();
                    succeeded++;
                }
                catch (ExecutionException e) {
                    assertThat(e.getCause()).hasMessageMatching("(?s).*nothing was committed.*");
                }
            }
        }
        return succeeded;
    }

    /**
     * Predicates find a column by what it is, not by its name or place when a file was written.
     */
    @ParameterizedTest
    @ValueSource(strings = {"lookup", "none"})
    void testPredicateAfterRename(String producer)
            throws Exception
    {
        assertUpdate("CREATE TABLE renamed (k bigint, a integer, b integer) WITH (primary_key = ARRAY['k'], changelog_producer = '%s')".formatted(producer));
        assertUpdate("INSERT INTO renamed VALUES (1, 10, 100), (2, 20, 200)", 2);
        assertUpdate("ALTER TABLE renamed RENAME COLUMN a TO c");
        assertUpdate("ALTER TABLE renamed RENAME COLUMN b TO a");
        assertUpdate("ALTER TABLE renamed ADD COLUMN b integer");
        for (int pass = 0; pass < 2; pass++) {
            for (String table : List.of("renamed", "\"renamed$audit_log\"")) {
                assertQuery("SELECT k, a, b, c FROM %s WHERE a = 100".formatted(table), "VALUES (1, 100, NULL, 10)");
                assertQueryReturnsEmptyResult("SELECT k FROM %s WHERE a = 10".formatted(table));
                assertQuery("SELECT k FROM %s WHERE c >= 20 AND k < 3".formatted(table), "VALUES 2");
                assertQuery("SELECT k FROM %s WHERE b IS NULL".formatted(table), "VALUES 1, 2");
                assertQuery("SELECT k FROM %s WHERE b > 0".formatted(table), pass == 0 ? "SELECT 1 WHERE false" : "VALUES 3");
            }
            if (pass == 0) {
                assertUpdate("INSERT INTO renamed (k, a, b, c) VALUES (3, 300, 3, 30)", 1);
            }
        }
        assertSameInPaimon("renamed");
        // a column that is gone, and one that has its name
        assertUpdate("ALTER TABLE renamed DROP COLUMN c");
        assertUpdate("ALTER TABLE renamed ADD COLUMN c varchar");
        assertQuery("SELECT k FROM renamed WHERE c IS NULL", "VALUES 1, 2, 3");
        assertQueryReturnsEmptyResult("SELECT k FROM renamed WHERE c >= '1'");
        assertUpdate("DROP TABLE renamed");
    }

    /**
     * Keys whose parts would be the same if they ran together.
     */
    @Test
    void testKeysOfSeveralParts()
            throws Exception
    {
        assertUpdate("CREATE TABLE parts (v bigint, b varchar, a varchar, n integer) WITH (primary_key = ARRAY['a', 'n', 'b'], bucket_key = ARRAY['b'], bucket = 3, changelog_producer = 'lookup')");
        List<String> keys = List.of("'a', 1, 'bc'", "'ab', 1, 'c'", "'', 1, 'abc'", "'abc', 1, ''", "'a', -1, 'bc'", "'a', 256, 'bc'", "'a', 65536, 'bc'");
        for (int index = 0; index < keys.size(); index++) {
            assertUpdate("INSERT INTO parts (a, n, b, v) VALUES (%s, %s)".formatted(keys.get(index), index), 1);
        }
        assertUpdate("UPDATE parts SET v = v + 10 WHERE a = 'a'", 4);
        assertUpdate("DELETE FROM parts WHERE v = 1", 1);
        assertUpdate("MERGE INTO parts t USING (VALUES ('', 1, 'abc'), ('abc', 1, ''), ('', 1, 'ab')) s (a, n, b) ON t.a = s.a AND t.n = s.n AND t.b = s.b WHEN MATCHED AND s.a = '' THEN DELETE WHEN MATCHED THEN UPDATE SET v = 33 WHEN NOT MATCHED THEN INSERT (a, n, b, v) VALUES (s.a, s.n, s.b, 77)", 3);
        assertQuery("SELECT a, n, b, v FROM parts", "VALUES ('a', 1, 'bc', 10), ('a', -1, 'bc', 14), ('a', 256, 'bc', 15), ('a', 65536, 'bc', 16), ('abc', 1, '', 33), ('', 1, 'ab', 77)");
        assertQuery("SELECT a, b, v FROM \"parts$audit_log\" WHERE rowkind = '-D'", "VALUES ('ab', 'c', 1), ('', 'abc', 2)");
        assertLogGivesTable("parts");
        assertSameInPaimon("parts");
        assertUpdate("DROP TABLE parts");
    }

    /**
     * A statement that moves rows into the places of each other, across buckets and partitions.
     */
    @ParameterizedTest
    @ValueSource(strings = {"bucket = 2, deletion_vectors_enabled = true", "bucket = -1"})
    void testRowsThatChangePlaces(String properties)
            throws Exception
    {
        assertUpdate("CREATE TABLE moved (k bigint, v varchar, p varchar) WITH (primary_key = ARRAY['p', 'k'], partitioned_by = ARRAY['p'], changelog_producer = 'lookup', %s)".formatted(properties));
        // enough rows that what is moved is no whole file
        assertUpdate("INSERT INTO moved VALUES (1, 'one', 'x'), (2, 'two', 'x'), (1, 'uno', 'y'), (11, 'stays', 'x'), (12, 'stays', 'x'), (13, 'stays', 'y'), (14, 'stays', 'x'), (15, 'stays', 'y')", 8);
        assertUpdate("UPDATE moved SET p = CASE p WHEN 'x' THEN 'y' ELSE 'x' END WHERE k = 1", 2);
        assertQuery("SELECT p, k, v FROM moved WHERE k < 10", "VALUES ('y', 1, 'one'), ('x', 2, 'two'), ('x', 1, 'uno')");
        assertUpdate("UPDATE moved SET k = 3 - k WHERE p = 'x' AND k < 10", 2);
        assertQuery("SELECT p, k, v FROM moved WHERE k < 10", "VALUES ('y', 1, 'one'), ('x', 1, 'two'), ('x', 2, 'uno')");
        assertUpdate("UPDATE moved SET p = 'z' || p, k = k + 100 WHERE k < 10 OR k = 13", 4);
        assertQuery("SELECT p, k, v FROM moved WHERE k > 20", "VALUES ('zy', 101, 'one'), ('zx', 101, 'two'), ('zx', 102, 'uno'), ('zy', 113, 'stays')");
        assertQuery("SELECT count(*) FROM moved WHERE k < 20", "VALUES 4");
        assertLogGivesTable("moved");
        assertSameInPaimon("moved");
        assertUpdate("DROP TABLE moved");
    }

    /**
     * Indexes of keys and of deleted rows find the partitions of such names too, and a partition is overwritten alone.
     */
    @Test
    void testPartitionTextsOfOtherTables()
            throws Exception
    {
        List<String> values = List.of("2026-01-01 00:00", "a/b", "x=y", "50%", "50%25", "blank ", "é", "..", "a:b", "q'q", "null", "", "__DEFAULT_PARTITION__", "A", "a");
        String rows = values.stream().map(value -> "'" + value.replace("'", "''") + "'").collect(joining(", "));
        assertUpdate("CREATE TABLE spots (k bigint, p varchar, v varchar) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = -1, changelog_producer = 'lookup', deletion_vectors_enabled = true)");
        for (String version : List.of("v0", "v1")) {
            assertUpdate("INSERT INTO spots SELECT k, p, '%s' FROM UNNEST(sequence(1, %s)) t (k), UNNEST(ARRAY[%s]) u (p)".formatted(version, version.equals("v0") ? 4 : 1, rows), version.equals("v0") ? 4 * values.size() : values.size());
        }
        assertUpdate("DELETE FROM spots WHERE k = 2", values.size());
        assertQuery("SELECT count(*), count(DISTINCT p), count(IF(v = 'v1', 1)) FROM spots", "VALUES (%s, %2$s, %2$s)".formatted(3 * values.size(), values.size()));
        assertSameInPaimon("spots");
        Session overwriting = Session.builder(getSession()).setCatalogSessionProperty(LookupQueryRunner.CATALOG, "insert_overwrite", "true").build();
        for (String value : List.of("a/b", "50%", "blank ", "", "__DEFAULT_PARTITION__", "..")) {
            assertUpdate(overwriting, "INSERT INTO spots VALUES (7, '%s', 'over')".formatted(value), 1);
            assertQuery("SELECT k, v FROM spots WHERE p = '%s'".formatted(value), "VALUES (7, 'over')");
        }
        assertUpdate("INSERT INTO spots SELECT 2, p, 'again' FROM UNNEST(ARRAY[%s]) u (p)".formatted(rows), values.size());
        assertQuery("SELECT count(*), count(IF(v = 'again', 1)) FROM spots", "VALUES (%s, %s)".formatted(6 + 3 * (values.size() - 6) + values.size(), values.size()));
        assertLogGivesTable("spots");
        assertSameInPaimon("spots");
        assertUpdate("DROP TABLE spots");
    }
}
