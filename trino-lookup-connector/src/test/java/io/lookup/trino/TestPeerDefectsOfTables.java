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
import io.trino.spi.TrinoException;
import io.trino.testing.QueryFailedException;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
 * Wrong rows and wrong logs that connectors of this kind have shipped: partitions, concurrent writers, changed types.
 */
final class TestPeerDefectsOfTables
        extends AbstractOracleQueryTest
{
    // on columns that have got another type
    private static final List<String> PREDICATES = List.of("a > 8", "a = 8", "f < 245.171 AND f > 245", "f = 245.170", "n = '5'", "n > '3'", "n IS NULL", "x BETWEEN 9 AND 10");

    /**
     * Partition values that mean something in paths.
     */
    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void testPartitionTexts(String legacyName)
            throws Exception
    {
        List<String> values = List.of("2026-01-01 00:00", "a/b", "x=y", "50%", "50%25", "blank ", " blank", "é", "日本", "..", "%", "a:b", "q'q", "[1]", "{x}", "null", "a,b", "", "__DEFAULT_PARTITION__", "A", "a");
        assertUpdate("CREATE TABLE places (k bigint, p varchar, v varchar) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], changelog_producer = 'lookup', options = ARRAY['partition.legacy-name=%s'])".formatted(legacyName));
        assertUpdate("INSERT INTO places VALUES " + IntStream.range(0, values.size()).mapToObj(key -> "(%s, %s, 'v')".formatted(key, literal(values.get(key)))).collect(joining(", ")), values.size());
        List<String> expected = IntStream.range(0, values.size()).mapToObj(key -> List.of(key, (long) key, values.get(key)).toString()).sorted().toList();
        assertThat(LogReplay.rows(this::computeActual, filters(values, "places"))).containsExactlyElementsOf(expected);
        assertThat(LogReplay.rows(this::computeActual, filters(values, "\"places$audit_log\""))).containsExactlyElementsOf(expected);
        assertThat(LogReplay.rows(this::computeActual, "SELECT partition, record_count, file_count FROM \"places$partitions\""))
                .containsExactlyElementsOf(values.stream().map(value -> List.of("p=" + value, 1L, 1L).toString()).sorted().toList());
        for (String kind : List.of("files", "buckets")) {
            assertThat(LogReplay.rows(this::computeActual, "SELECT partition, bucket, record_count FROM \"places$%s\"".formatted(kind)))
                    .containsExactlyElementsOf(values.stream().map(value -> List.of("{" + value + "}", 0, 1L).toString()).sorted().toList());
        }
        // a second engine finds the same directories
        assertThat(paimon.readTable(new OracleTable("default", "places"))).extracting(change -> change.values().get(1)).containsExactlyInAnyOrderElementsOf(values);
        assertUpdate("UPDATE places SET v = 'w' WHERE p IN (%s)".formatted(values.stream().map(TestPeerDefectsOfTables::literal).collect(joining(", "))), values.size());
        assertUpdate("ALTER TABLE places EXECUTE optimize WHERE p IN ('a/b', '50%', '')");
        assertThat(paimon.readTable(new OracleTable("default", "places"))).extracting(change -> change.values().get(2)).hasSize(values.size()).containsOnly("w");
        for (String value : List.of("2026-01-01 00:00", "a/b", "x=y", "50%", "blank ", "é", "", "__DEFAULT_PARTITION__")) {
            assertUpdate("DELETE FROM places WHERE p = " + literal(value), 1);
            assertQueryReturnsEmptyResult("SELECT * FROM places WHERE p = " + literal(value));
        }
        assertQuery("SELECT count(*), count(DISTINCT p) FROM places", "VALUES (%1$s, %1$s)".formatted(values.size() - 8));
        assertLogGivesTable("places");
        assertUpdate("DROP TABLE places");
    }

    private static @Language("SQL") String filters(List<String> values, String table)
    {
        return IntStream.range(0, values.size())
                .mapToObj(index -> "SELECT %s, k, p FROM %s WHERE p = %s".formatted(index, table, literal(values.get(index))))
                .collect(joining(" UNION ALL "));
    }

    private static String literal(String text)
    {
        return "'" + text.replace("'", "''") + "'";
    }

    /**
     * Two writers of one key that began at the same state.
     */
    @ParameterizedTest
    @ValueSource(strings = {"lookup", "none"})
    void testTwoWritersOfOneKey(String producer)
            throws Exception
    {
        assertUpdate("CREATE TABLE raced (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = '%s')".formatted(producer));
        CyclicBarrier barrier = new CyclicBarrier(2);
        int updates = 0;
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 6; round++) {
                List<Future<?>> writers = new ArrayList<>();
                for (String side : List.of("l", "r")) {
                    // an update looks the row up before it is changed
                    @Language("SQL") String statement = round < 3 ? "INSERT INTO raced VALUES (1, '%s%s')".formatted(side, round) : "UPDATE raced SET v = v || '%s' WHERE k = 1".formatted(side);
                    writers.add(executor.submit(() -> {
                        barrier.await();
                        return computeActual(statement);
                    }));
                }
                int succeeded = 0;
                for (Future<?> writer : writers) {
                    try {
                        writer.get();
                        succeeded++;
                    }
                    catch (ExecutionException e) {
                        assertThat(e.getCause()).isInstanceOfAny(QueryFailedException.class, TrinoException.class).hasMessageMatching("(?s).*Table default\\.raced.*nothing was committed.*");
                    }
                }
                assertThat(succeeded).isPositive();
                Object before = computeScalar("SELECT v FROM raced");
                assertThat(paimon.readTable(new OracleTable("default", "raced"))).extracting(Change::values).containsExactly(List.of(1L, before));
                if (round >= 3) {
                    // no update is lost
                    updates += succeeded;
                    assertThat((String) before).hasSize(2 + updates);
                }
                assertUpdate("ALTER TABLE raced EXECUTE optimize");
                assertThat(computeScalar("SELECT v FROM raced")).isEqualTo(before);
                if (producer.equals("lookup")) {
                    assertLogGivesTable("raced");
                }
            }
        }
        assertUpdate("DROP TABLE raced");
    }

    /**
     * A predicate on a column that had another type when a file was written.
     */
    @ParameterizedTest
    @ValueSource(strings = {"lookup", "none"})
    void testPredicateAfterChangeOfType(String producer)
            throws Exception
    {
        assertUpdate("CREATE TABLE changed (k bigint, a varchar, f decimal(6,2), n integer, x varchar) WITH (primary_key = ARRAY['k'], changelog_producer = '%s')".formatted(producer));
        assertUpdate("INSERT INTO changed VALUES (1, '7', 245.17, 2147483647, '0010'), (2, '70', 300.00, 5, '9.5'), (3, '8', 100.00, NULL, '-3')", 3);
        assertUpdate("ALTER TABLE changed ALTER COLUMN a SET DATA TYPE integer");
        assertUpdate("ALTER TABLE changed ALTER COLUMN f SET DATA TYPE decimal(7,3)");
        assertUpdate("ALTER TABLE changed ALTER COLUMN n SET DATA TYPE varchar");
        assertUpdate("ALTER TABLE changed ALTER COLUMN x SET DATA TYPE decimal(10,1)");
        for (int pass = 0; pass < 3; pass++) {
            for (String table : List.of("changed", "\"changed$audit_log\"")) {
                assertQuery(
                        IntStream.range(0, PREDICATES.size())
                                .mapToObj(index -> "SELECT DISTINCT %s, k FROM %s WHERE k < 4 AND %s".formatted(index, table, PREDICATES.get(index)))
                                .collect(joining(" UNION ALL ")),
                        "VALUES (0, 2), (1, 3), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 1), (7, 2)");
            }
            assertThat(LogReplay.rows(this::computeActual, "SELECT * FROM changed")).containsExactlyElementsOf(paimon.readTable(new OracleTable("default", "changed")).stream()
                    .map(change -> change.values().toString())
                    .sorted()
                    .toList());
            if (pass == 0) {
                assertUpdate("INSERT INTO changed VALUES (4, 9, 245.171, 'text', 0.5), (2, 70, 300, '5', 9.5)", 2);
            }
            if (pass == 1) {
                assertUpdate("ALTER TABLE changed EXECUTE optimize");
            }
        }
        if (producer.equals("lookup")) {
            assertLogGivesTable("changed");
            // old values of changes behind the change of type are of the new type
            assertUpdate("DELETE FROM changed WHERE a = 7", 1);
            assertQuery("SELECT k, a, f, n, x FROM \"changed$audit_log\" WHERE rowkind = '-D' AND a < 8", "VALUES (1, 7, 245.170, '2147483647', 10.0)");
        }
        assertUpdate("DROP TABLE changed");
    }

    @Test
    void testValueThatFitsNoNewType()
    {
        assertUpdate("CREATE TABLE misfit (k bigint, a varchar, b bigint) WITH (primary_key = ARRAY['k'])");
        assertUpdate("INSERT INTO misfit VALUES (1, 'seven', 7)", 1);
        assertUpdate("ALTER TABLE misfit ALTER COLUMN a SET DATA TYPE integer");
        assertQueryFails("SELECT * FROM misfit", ".*Column 'a' was written as VARCHAR and is INTEGER now, but a value in file .* is none.*seven.*");
        assertQuery("SELECT b FROM misfit", "VALUES 7");
        assertUpdate("ALTER TABLE misfit ALTER COLUMN a SET DATA TYPE varchar");
        assertQuery("SELECT a FROM misfit", "VALUES 'seven'");
        assertUpdate("DROP TABLE misfit");
    }

    /**
     * Changes of rows of a partitioned table, some of whose key columns stand last.
     */
    @ParameterizedTest
    @ValueSource(strings = {"lookup", "none"})
    void testRowChangesOfPartitionedTable(String producer)
            throws Exception
    {
        assertUpdate("CREATE TABLE composite (k bigint, v varchar, w bigint, pt varchar) WITH (primary_key = ARRAY['pt', 'k'], partitioned_by = ARRAY['pt'], bucket_key = ARRAY['k'], bucket = 2, changelog_producer = '%s')".formatted(producer));
        assertUpdate("INSERT INTO composite VALUES (1, 'x', 1, 'p1'), (2, 'a', 2, 'p1'), (3, 'b', 3, 'p1'), (1, 'c', 4, 'p2'), (2, 'x', 5, 'p2'), (3, 'd', 6, 'p2')", 6);
        assertUpdate("DELETE FROM composite WHERE v = 'x'", 2);
        assertQuery("SELECT pt, k, v, w FROM composite", "VALUES ('p1', 2, 'a', 2), ('p1', 3, 'b', 3), ('p2', 1, 'c', 4), ('p2', 3, 'd', 6)");
        assertUpdate("UPDATE composite SET v = 'y' WHERE pt = 'p1'", 2);
        assertQuery("SELECT pt, k, v, w FROM composite", "VALUES ('p1', 2, 'y', 2), ('p1', 3, 'y', 3), ('p2', 1, 'c', 4), ('p2', 3, 'd', 6)");
        assertUpdate(
                """
                MERGE INTO composite t USING (VALUES (2, 'p1', 'd'), (3, 'p1', 'u'), (3, 'p2', 'd'), (1, 'p2', 'u'), (9, 'p3', 'i')) s (k, pt, what) ON t.k = s.k AND t.pt = s.pt
                WHEN MATCHED AND s.what = 'd' THEN DELETE
                WHEN MATCHED THEN UPDATE SET v = 'z'
                WHEN NOT MATCHED THEN INSERT VALUES (s.k, 'new', 0, s.pt)
                """,
                5);
        assertQuery("SELECT pt, k, v, w FROM composite", "VALUES ('p1', 3, 'z', 3), ('p2', 1, 'z', 4), ('p3', 9, 'new', 0)");
        assertQuery("SELECT partition FROM \"composite$partitions\"", "VALUES 'pt=p1', 'pt=p2', 'pt=p3'");
        assertQuery(
                "SELECT pt, k, v, w FROM \"composite$audit_log\" WHERE rowkind = '-D'",
                "VALUES ('p1', 1, 'x', 1), ('p2', 2, 'x', 5), ('p1', 2, 'y', 2), ('p2', 3, 'd', 6)");
        if (producer.equals("lookup")) {
            assertQuery(
                    "SELECT pt, k, v, w FROM \"composite$audit_log\" WHERE rowkind = '-U'",
                    "VALUES ('p1', 2, 'a', 2), ('p1', 3, 'b', 3), ('p1', 3, 'y', 3), ('p2', 1, 'c', 4)");
            assertLogGivesTable("composite");
        }
        // a row that changes its partition
        assertUpdate("UPDATE composite SET pt = 'p1' WHERE pt = 'p2'", 1);
        assertQuery("SELECT pt, k, v, w FROM composite", "VALUES ('p1', 3, 'z', 3), ('p1', 1, 'z', 4), ('p3', 9, 'new', 0)");
        assertUpdate("DELETE FROM composite WHERE pt = 'p1'", 2);
        assertQuery("SELECT count(*), count(pt) FROM composite", "VALUES (1, 1)");
        assertThat(paimon.readTable(new OracleTable("default", "composite"))).extracting(Change::rowText).containsExactly("(9, 'new', 0, 'p3')");
        assertUpdate("DROP TABLE composite");
    }
}
