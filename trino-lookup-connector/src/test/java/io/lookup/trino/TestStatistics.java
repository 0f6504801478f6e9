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

import io.lookup.storage.oracle.OracleTable;
import io.trino.testing.MaterializedRow;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static io.trino.spi.StandardErrorCode.INVALID_ANALYZE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * ANALYZE, what the planner is told with and without it, and the statistics of other engines.
 */
final class TestStatistics
        extends AbstractOracleQueryTest
{
    @Test
    void testAnalyze()
            throws Exception
    {
        assertUpdate("""
                CREATE TABLE analyzed (k bigint, p varchar, tiny tinyint, small smallint, i integer, r real, d double, n decimal(10,2), wide decimal(30,5), flag boolean, day date,
                    at timestamp(3), fine timestamp(9), instant timestamp(6) with time zone, clock time(3), word varchar, fixed char(4), raw varbinary, list array(bigint))
                WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 2, changelog_producer = 'lookup')
                """);
        assertUpdate("ANALYZE analyzed", 0);
        assertQuery("SELECT count(*) FROM \"analyzed$snapshots\"", "VALUES 0");
        assertUpdate("""
                INSERT INTO analyzed SELECT n, CAST(n % 2 AS varchar), CAST(n AS tinyint), CAST(-n AS smallint), n * 10, CAST(n / 2e0 AS real), if(n = 7, nan(), n), n, n, n % 3 = 0,
                    date '1969-12-31' + n * interval '1' day, CAST(timestamp '2024-02-29 00:00:00.5' + n * interval '1' second AS timestamp(3)), timestamp '1960-01-01 00:00:00.000000001',
                    timestamp '2024-01-01 00:00:00.000001 UTC', time '01:02:03.004', if(n % 4 = 0, NULL, 'w' || CAST(n % 10 AS varchar)), CAST('f' AS char(4)), X'00FF', ARRAY[n]
                FROM (SELECT CAST(n AS integer) n FROM UNNEST(sequence(1, 100)) t (n))
                """, 100);
        assertUpdate("INSERT INTO analyzed (k, p, i) VALUES (1, '1', -5), (1001, '1', 7)", 2);
        assertUpdate("ANALYZE analyzed", 101);

        assertQuery("SELECT commit_kind, delta_record_count, \"$user\" FROM \"analyzed$snapshots\" ORDER BY snapshot_id DESC LIMIT 1", "VALUES ('ANALYZE', 0, 'user')");
        assertSameStatisticsInPaimon("analyzed");
        assertThat(paimon.maintenance(new OracleTable("default", "analyzed")).ranges())
                .containsEntry("k", "1..1001")
                .containsEntry("i", "-5..1000")
                .containsEntry("r", "1.0..50.0")
                .containsEntry("n", "2.00..100.00")
                .containsEntry("wide", "2.00000..100.00000")
                // epoch days
                .containsEntry("day", "1..99")
                .containsEntry("at", "2024-02-29T00:00:02.500..2024-02-29T00:01:40.500")
                .containsEntry("fine", "1960-01-01T00:00:00.000000001..1960-01-01T00:00:00.000000001")
                .containsEntry("instant", "2024-01-01T00:00:00.000001..2024-01-01T00:00:00.000001")
                .containsEntry("clock", "3723004..3723004")
                .containsEntry("word", "..");
        assertQuery("SELECT snapshot_id + 1, schema_id, mergedrecordcount FROM \"analyzed$statistics\"", "VALUES (5, 0, 101)");

        MaterializedRow total = statistics("analyzed", null);
        assertThat(total.getField(4)).isEqualTo(101.0);
        MaterializedRow number = statistics("analyzed", "i");
        assertThat((double) number.getField(2)).isBetween(95.0, 101.0);
        assertThat(number.getField(3)).isEqualTo(0.0);
        assertThat(number.getFields().subList(5, 7)).isEqualTo(List.of("-5", "1000"));
        MaterializedRow word = statistics("analyzed", "word");
        assertThat((double) word.getField(1)).isBetween(140.0, 160.0);
        assertThat(word.getField(2)).isEqualTo(10.0);
        assertThat((double) word.getField(3)).isBetween(0.26, 0.28);
        assertThat(statistics("analyzed", "at").getFields().subList(5, 7)).isEqualTo(List.of("2024-02-29 00:00:02.500", "2024-02-29 00:01:40.500"));
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'analyzed'))");
        assertUpdate("DROP TABLE analyzed");
    }

    @Test
    void testColumns()
    {
        assertUpdate("CREATE TABLE some (k bigint, v bigint, w varchar) WITH (primary_key = ARRAY['k'])");
        assertUpdate("INSERT INTO some VALUES (1, 1, 'a'), (2, 1, 'b')", 2);
        assertUpdate("ANALYZE some WITH (columns = ARRAY['V'])", 2);
        assertQuery("SELECT json_extract_scalar(colstat, '$.v.distinctCount'), colstat LIKE '%colId%' , colstat LIKE '%\"w\"%' FROM \"some$statistics\"", "VALUES ('1', true, false)");
        assertTrinoExceptionThrownBy(() -> computeActual("ANALYZE some WITH (columns = ARRAY['x'])"))
                .hasErrorCode(INVALID_ANALYZE_PROPERTY)
                .hasMessage("Column x of columns is not a column of table default.some");
        assertTrinoExceptionThrownBy(() -> computeActual("ANALYZE some WITH (columns = ARRAY[])"))
                .hasErrorCode(INVALID_ANALYZE_PROPERTY);
        assertTrinoExceptionThrownBy(() -> computeActual("ANALYZE \"some$files\""))
                .hasErrorCode(NOT_SUPPORTED);
        assertUpdate("DROP TABLE some");
    }

    /**
     * A commit carries statistics on as long as the schema version stays.
     */
    @Test
    void testStatisticsStayUntilTheSchemaChanges()
            throws Exception
    {
        assertUpdate("CREATE TABLE kept (k integer, v integer) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO kept VALUES (1, 1), (2, 2)", 2);
        assertUpdate("ANALYZE kept", 2);
        assertUpdate("INSERT INTO kept VALUES (3, 30)", 1);
        assertQuery("SELECT snapshot_id, mergedrecordcount FROM \"kept$statistics\"", "VALUES (2, 2)");
        assertSameStatisticsInPaimon("kept");
        // the rows that came later count, and widen the range
        assertThat(statistics("kept", null).getField(4)).isEqualTo(3.0);
        assertThat(statistics("kept", "v").getFields().subList(5, 7)).isEqualTo(List.of("1", "30"));
        assertQuery("SELECT count(*) FROM \"kept$statistics\" FOR VERSION AS OF 2", "VALUES 0");
        assertUpdate("ALTER TABLE kept ADD COLUMN w integer");
        assertQuery("SELECT count(*) FROM \"kept$statistics\"", "VALUES 1");
        assertUpdate("INSERT INTO kept VALUES (4, 4, 4)", 1);
        assertQuery("SELECT count(*) FROM \"kept$statistics\"", "VALUES 0");
        assertSameStatisticsInPaimon("kept");
        assertUpdate("DROP TABLE kept");
    }

    @Test
    void testAnalyzedByPaimon()
            throws Exception
    {
        assertUpdate("CREATE TABLE foreign_statistics (k integer, v integer) WITH (primary_key = ARRAY['k'], options = ARRAY['metadata.stats-mode=none'])");
        assertUpdate("INSERT INTO foreign_statistics SELECT n, if(n > 50, NULL, n) FROM (SELECT CAST(n AS integer) n FROM UNNEST(sequence(1, 100)) t (n))", 100);
        assertThat(statistics("foreign_statistics", "v").getFields().subList(2, 7)).containsOnlyNulls();
        OracleTable table = new OracleTable("default", "foreign_statistics");
        paimon.maintenance(table).analyze(1, 0, 100, "v", 1, 50, 1, 50, 50);
        assertSameStatisticsInPaimon("foreign_statistics");
        MaterializedRow row = statistics("foreign_statistics", "v");
        assertThat(row.getFields().subList(2, 4)).isEqualTo(List.of(50.0, 0.5));
        assertThat(row.getFields().subList(5, 7)).isEqualTo(List.of("1", "50"));
        assertUpdate("INSERT INTO foreign_statistics VALUES (101, 1)", 1);
        assertSameStatisticsInPaimon("foreign_statistics");
        // a renamed column keeps its statistics, one of another type its range no more
        assertUpdate("ALTER TABLE foreign_statistics RENAME COLUMN v TO x");
        assertThat(statistics("foreign_statistics", "x").getField(2)).isEqualTo(50.0);
        assertUpdate("ALTER TABLE foreign_statistics ALTER COLUMN x SET DATA TYPE double");
        assertThat(statistics("foreign_statistics", "x").getField(2)).isEqualTo(50.0);
        assertThat(statistics("foreign_statistics", "x").getField(5)).isNull();
        assertUpdate("DROP TABLE foreign_statistics");
    }

    /**
     * Manifests know ranges and NULLs, where the merge makes no other values.
     */
    @Test
    void testWithoutAnalyze()
    {
        assertUpdate("CREATE TABLE told (k bigint, p date, v bigint, w varchar) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'])");
        assertUpdate("INSERT INTO told VALUES (1, date '2024-01-01', 10, NULL), (2, date '2024-01-02', 20, 'x'), (3, date '2024-01-03', NULL, 'y'), (4, date '2024-01-03', NULL, 'y')", 4);
        assertThat(statistics("told", "v").getFields().subList(2, 7)).containsExactly(null, 0.5, null, "10", "20");
        assertThat(statistics("told", "w").getField(3)).isEqualTo(0.25);
        assertThat(statistics("told", "p").getFields().subList(2, 7)).containsExactly(3.0, 0.0, null, "2024-01-01", "2024-01-03");
        assertThat(computeActual("SHOW STATS FOR (SELECT * FROM told WHERE p = date '2024-01-02')").getMaterializedRows().stream()
                .filter(row -> "v".equals(row.getField(0)))
                .findFirst().orElseThrow().getFields().subList(2, 7)).containsExactly(1.0, 0.0, null, "20", "20");
        assertUpdate("DROP TABLE told");

        assertUpdate("CREATE TABLE summed (k bigint, v bigint) WITH (primary_key = ARRAY['k'], merge_engine = 'aggregation', options = ARRAY['fields.v.aggregate-function=sum'])");
        assertUpdate("INSERT INTO summed VALUES (1, 10)", 1);
        assertUpdate("INSERT INTO summed VALUES (1, 10)", 1);
        assertThat(statistics("summed", "k").getFields().subList(5, 7)).isEqualTo(List.of("1", "1"));
        assertThat(statistics("summed", "v").getFields().subList(2, 7)).containsOnlyNulls();
        assertUpdate("DROP TABLE summed");
    }

    /**
     * Whether the file of statistics goes with the last snapshot that names it.
     */
    @Test
    void testExpiry()
            throws Exception
    {
        assertUpdate("CREATE TABLE expiring (k bigint) WITH (primary_key = ARRAY['k'], options = ARRAY['snapshot.num-retained.min=1', 'snapshot.num-retained.max=1'])");
        assertUpdate("INSERT INTO expiring VALUES 1", 1);
        assertUpdate("ANALYZE expiring", 1);
        List<String> first = statisticsFiles("expiring");
        assertThat(first).hasSize(1);
        assertUpdate("INSERT INTO expiring VALUES 2", 1);
        assertThat(statisticsFiles("expiring")).isEqualTo(first);
        assertUpdate("ANALYZE expiring", 2);
        assertThat(statisticsFiles("expiring")).hasSize(1).isNotEqualTo(first);
        assertUpdate("ALTER TABLE expiring EXECUTE remove_orphan_files(retention_threshold => '7d')");
        assertQuery("SELECT mergedrecordcount FROM \"expiring$statistics\"", "VALUES 2");
        assertUpdate("DROP TABLE expiring");
    }

    private List<String> statisticsFiles(String table)
            throws IOException
    {
        try (Stream<Path> files = Files.list(warehouse.resolve("default.db").resolve(table).resolve("statistics"))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private MaterializedRow statistics(String table, String column)
    {
        return computeActual("SHOW STATS FOR " + table).getMaterializedRows().stream()
                .filter(row -> column == null ? row.getField(0) == null : column.equals(row.getField(0)))
                .findFirst()
                .orElseThrow();
    }

    private void assertSameStatisticsInPaimon(String table)
            throws Exception
    {
        List<String> expected = paimon.readSystemTable(new OracleTable("default", table), "statistics").stream().map(Object::toString).toList();
        assertThat(computeActual("SELECT * FROM \"%s$statistics\"".formatted(table)).getMaterializedRows().stream().map(row -> row.getFields().toString()).toList()).isEqualTo(expected);
    }
}
