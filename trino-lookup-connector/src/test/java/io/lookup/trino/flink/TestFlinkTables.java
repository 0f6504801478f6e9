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
package io.lookup.trino.flink;

import com.google.common.collect.ImmutableList;
import io.lookup.trino.LookupQueryRunner;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bounded statements of Flink on tables that Trino made, and Trino's on what Flink wrote.
 */
final class TestFlinkTables
        extends AbstractTestQueryFramework
{
    private static final String TYPES =
            """
            (id bigint, a_boolean boolean, a_tinyint tinyint, a_smallint smallint, an_integer integer, a_real real, a_double double,
            a_short_decimal decimal(10,3), a_long_decimal decimal(30,5), a_varchar varchar(20), a_text varchar, a_binary varbinary, a_date date,
            millis timestamp(3), micros timestamp(6), nanos timestamp(9), an_instant timestamp(3) with time zone,
            an_array array(varchar), a_map map(integer, varchar), a_row row(x bigint, y array(integer)))
            WITH (primary_key = ARRAY['id'], bucket = 2, changelog_producer = 'lookup', %s)""";
    private static final int WIDTH = 20;

    private final Path warehouse = FlinkProcess.temporaryWarehouse();
    private FlinkProcess flink;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        flink = FlinkProcess.start("tables", warehouse);
        return LookupQueryRunner.createSingleNode(warehouse);
    }

    @AfterAll
    void closeFlink()
            throws Exception
    {
        flink.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testTypes(boolean deletionVectors)
    {
        String table = deletionVectors ? "types_with_vectors" : "types";
        assertUpdate("CREATE TABLE " + table + " " + TYPES.formatted("deletion_vectors_enabled = " + deletionVectors));
        assertUpdate("INSERT INTO " + table + " VALUES " +
                """
                (1, true, -128, 32767, -2147483648, REAL '1.5', -0.0e0, 1234567.891, 1234567890123456789012345.67891, 'straße', 'tab\tand \\ 𝄞', X'00ff',
                DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999', TIMESTAMP '2026-02-28 01:02:03.000001', TIMESTAMP '2026-02-28 01:02:03.123456789',
                TIMESTAMP '2026-02-28 01:02:03.004 +02:00', ARRAY['a', NULL, ''], MAP(ARRAY[1], ARRAY['one']), ROW(7, ARRAY[1, NULL])),
                (2""" + ", NULL".repeat(WIDTH - 1) + "), (3" + ", NULL".repeat(WIDTH - 1) + ")", 3);
        assertUpdate("UPDATE " + table + " SET a_double = nan(), a_real = REAL '-0.25', a_text = '' WHERE id = 2", 1);
        assertUpdate("DELETE FROM " + table + " WHERE id = 3", 1);
        checkSame(table, 2);

        // and the other way: what Flink writes of the same values
        assertUpdate("CREATE TABLE " + table + "_by_flink " + TYPES.formatted("deletion_vectors_enabled = " + deletionVectors));
        flink.batch("INSERT INTO `default`." + table + "_by_flink SELECT * FROM `default`." + table);
        flink.batch("INSERT INTO `default`." + table + "_by_flink SELECT * FROM `default`." + table + " WHERE id = 1");
        checkSame(table + "_by_flink", 2);
        assertThat(trino("SELECT * FROM " + table + "_by_flink")).containsExactlyInAnyOrderElementsOf(trino("SELECT * FROM " + table));
        assertUpdate("UPDATE " + table + "_by_flink SET a_text = 'by Trino' WHERE id = 1", 1);
        assertThat(flink.batch("SELECT a_text, a_date FROM `default`." + table + "_by_flink WHERE id = 1")).containsExactly(ImmutableList.of("by Trino", "1969-12-31"));
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => '" + table + "_by_flink'))");
    }

    @Test
    void testChangedTable()
    {
        assertUpdate("CREATE TABLE changed (id bigint, v integer, note varchar) WITH (primary_key = ARRAY['id'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO changed VALUES (1, 10, 'a'), (2, 20, 'b')", 2);
        assertUpdate("ALTER TABLE changed ADD COLUMN more varchar AFTER id");
        assertUpdate("ALTER TABLE changed RENAME COLUMN note TO remark");
        assertUpdate("ALTER TABLE changed ALTER COLUMN v SET DATA TYPE bigint");
        assertUpdate("INSERT INTO changed VALUES (2, 'm', 4000000000, 'B'), (3, NULL, NULL, NULL)", 2);
        checkSame("changed", 3);
        flink.batch("ALTER TABLE `default`.changed ADD flag BOOLEAN");
        flink.batch("INSERT INTO `default`.changed VALUES (3, 'f', 3, 'c', TRUE)");
        checkSame("changed", 3);
        assertThat(trino("SELECT id, flag, remark FROM changed WHERE id = 3")).containsExactly(ImmutableList.of("3", "true", "c"));
    }

    @Test
    void testTimeTravel()
    {
        assertUpdate("CREATE TABLE travelled (id bigint, v varchar) WITH (primary_key = ARRAY['id'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO travelled VALUES (1, 'a'), (2, 'b')", 2);
        assertUpdate("UPDATE travelled SET v = 'B' WHERE id = 2", 1);
        assertUpdate("DELETE FROM travelled WHERE id = 1", 1);
        List<List<String>> snapshots = trino("SELECT snapshot_id FROM \"travelled$snapshots\"");
        assertThat(snapshots).hasSizeGreaterThanOrEqualTo(3);
        for (List<String> snapshot : snapshots) {
            String id = snapshot.getFirst();
            assertThat(flink.batch("SELECT * FROM `default`.travelled /*+ OPTIONS('scan.snapshot-id' = '" + id + "') */"))
                    .as("rows of snapshot %s", id)
                    .containsExactlyInAnyOrderElementsOf(trino("SELECT * FROM travelled FOR VERSION AS OF " + id));
        }
        assertThat(flink.batch("SELECT rowkind, id, v FROM `default`.`travelled$audit_log` /*+ OPTIONS('incremental-between' = '2,6') */"))
                .containsExactlyInAnyOrderElementsOf(trino("SELECT rowkind, id, v FROM \"travelled$audit_log\" WHERE \"$snapshot_id\" BETWEEN 3 AND 6"))
                .contains(ImmutableList.of("-D", "1", "a"));
    }

    @Test
    void testPartitionsAndFilters()
    {
        assertUpdate("CREATE TABLE parted (id bigint, dt date, v varchar) WITH (primary_key = ARRAY['id', 'dt'], partitioned_by = ARRAY['dt'], bucket = 3, changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO parted SELECT id, date_add('day', id % 5, DATE '2026-01-01'), 'v' || CAST(id AS varchar) FROM UNNEST(sequence(1, 1000)) u (id)", 1000);
        assertUpdate("UPDATE parted SET v = 'even' WHERE id % 2 = 0", 500);
        assertUpdate("DELETE FROM parted WHERE dt = DATE '2026-01-02'", 200);
        for (String condition : List.of("dt = DATE '2026-01-03'", "dt = DATE '2026-01-02'", "id = 8", "id = 9 AND v <> 'even'", "v = 'even' AND id BETWEEN 100 AND 120")) {
            assertThat(flink.batch("SELECT id, dt, v FROM `default`.parted WHERE " + condition))
                    .as(condition)
                    .containsExactlyInAnyOrderElementsOf(trino("SELECT id, dt, v FROM parted WHERE " + condition));
        }
        assertThat(flink.batch("SELECT dt, count(*), min(id), max(v) FROM `default`.parted GROUP BY dt"))
                .containsExactlyInAnyOrderElementsOf(trino("SELECT dt, count(*), min(id), max(v) FROM parted GROUP BY dt"))
                .hasSize(4);
    }

    private void checkSame(String table, int count)
    {
        assertThat(flink.batch("SELECT * FROM `default`." + table))
                .as("rows of %s", table)
                .hasSize(count)
                .containsExactlyInAnyOrderElementsOf(trino("SELECT * FROM " + table));
    }

    private List<List<String>> trino(String sql)
    {
        return RowText.rows(computeActual(sql));
    }
}
