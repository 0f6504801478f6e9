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
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables that show a table's state say what Paimon's say.
 */
final class TestStateTables
        extends AbstractOracleQueryTest
{
    @ParameterizedTest
    @ValueSource(strings = {"partitions", "buckets", "manifests", "schemas", "options", "tags", "aggregation_fields"})
    void testSameAsPaimon(String kind)
            throws Exception
    {
        createTable("described");
        compare("described", kind);
        compareColumns("described", kind);
        assertUpdate("CREATE TABLE IF NOT EXISTS plain (k bigint, v bigint) WITH (primary_key = ARRAY['k'], bucket = 3)");
        compare("plain", kind);
        assertUpdate("INSERT INTO plain VALUES (1, 1), (2, 2), (3, 3), (4, 4)", 4);
        compare("plain", kind);
        assertUpdate("DROP TABLE plain");
    }

    private void createTable(String name)
    {
        if (computeActual("SHOW TABLES LIKE '" + name + "'").getRowCount() > 0) {
            return;
        }
        assertUpdate("""
                CREATE TABLE %s (k bigint, d date, p varchar, n decimal(10,2) COMMENT 'how much', b array(row(x integer)), t timestamp(3))
                COMMENT 'a table'
                WITH (primary_key = ARRAY['k', 'd', 'p'], partitioned_by = ARRAY['d', 'p'], bucket = 2, merge_engine = 'aggregation', changelog_producer = 'lookup',
                    options = ARRAY['fields.n.aggregate-function=sum', 'fields.t.aggregate-function=max', 'fields.t.stats-mode=full'])
                """.formatted(name));
        assertUpdate("INSERT INTO %s SELECT i, date '1969-12-31' + (i %% 3) * interval '1' day, 'p' || CAST(i %% 2 AS varchar), i, NULL, NULL FROM UNNEST(sequence(1, 60)) t (i)".formatted(name), 60);
        assertUpdate("INSERT INTO %s VALUES (1, date '1970-01-01', 'p1', 5, NULL, timestamp '2024-01-01 00:00:00'), (99, date '2024-02-29', 'x y', 5, NULL, NULL)".formatted(name), 2);
        assertUpdate("ALTER TABLE %s ADD COLUMN extra varchar COMMENT 'more'".formatted(name));
        assertUpdate("ALTER TABLE %s EXECUTE optimize WHERE d = date '1970-01-01'".formatted(name));
    }

    private void compare(String table, String kind)
            throws Exception
    {
        List<String> expected = paimon.readSystemTable(new OracleTable("default", table), kind).stream()
                .map(row -> row.stream().map(value -> text(kind, value)).toList().toString())
                .sorted()
                .collect(toImmutableList());
        List<String> actual = computeActual("SELECT * FROM \"%s$%s\"".formatted(table, kind)).getMaterializedRows().stream()
                .map(row -> row.getFields().stream().map(value -> text("", value)).toList().toString())
                .sorted()
                .collect(toImmutableList());
        assertThat(actual).containsExactlyElementsOf(expected);
    }

    /**
     * Paimon shows instants as wall time in its own zone, where this connector shows them in UTC. What files are told to have been made at is wall time in both.
     */
    private static String text(String kind, Object value)
    {
        if (value instanceof LocalDateTime time && (kind.equals("schemas") || kind.equals("tags"))) {
            return time.atZone(ZoneId.systemDefault()).withZoneSameInstant(ZoneOffset.UTC).toLocalDateTime().toString();
        }
        // the order of options is that of a hash map there
        if (value instanceof String text && text.startsWith("{\"")) {
            return text.chars().sorted().mapToObj(Character::toString).toList().toString();
        }
        return String.valueOf(value);
    }

    private void compareColumns(String table, String kind)
    {
        assertThat(computeActual("SHOW COLUMNS FROM \"%s$%s\"".formatted(table, kind)).getRowCount()).isEqualTo(switch (kind) {
            case "partitions", "manifests" -> 9;
            case "schemas", "tags" -> 7;
            case "buckets" -> 6;
            case "aggregation_fields" -> 5;
            case "options" -> 2;
            default -> throw new IllegalArgumentException(kind);
        });
    }

    @Test
    void testVersions()
    {
        assertUpdate("CREATE TABLE history (k bigint, p varchar) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'])");
        assertUpdate("INSERT INTO history VALUES (1, 'a')", 1);
        assertUpdate("ALTER TABLE history ADD COLUMN v bigint");
        assertUpdate("INSERT INTO history VALUES (2, 'b', 1), (3, 'a', 1)", 2);
        assertUpdate("ALTER TABLE history SET PROPERTIES target_file_size = '1 mb'");
        assertQuery("SELECT partition, record_count FROM \"history$partitions\"", "VALUES ('p=a', 2), ('p=b', 1)");
        assertQuery("SELECT partition, record_count FROM \"history$partitions\" FOR VERSION AS OF 1", "VALUES ('p=a', 1)");
        assertQuery("SELECT partition, bucket, record_count FROM \"history$buckets\" FOR VERSION AS OF 1", "VALUES ('{a}', 0, 1)");
        assertQuery("SELECT count(*) FROM \"history$manifests\" FOR VERSION AS OF 1", "VALUES 1");
        assertQuery("SELECT count(*) FROM \"history$schemas\"", "VALUES 3");
        assertQuery("SELECT count(*) FROM \"history$schemas\" FOR VERSION AS OF 2", "VALUES 2");
        assertQuery("SELECT key FROM \"history$options\" FOR VERSION AS OF 2", "VALUES 'bucket'");
        assertQuery("SELECT sum(record_count), sum(file_count) FROM \"history$partitions\" WHERE partition LIKE '%a'", "VALUES (2, 2)");
        assertUpdate("DROP TABLE history");
    }

    @Test
    void testConsumersAndBranches()
            throws Exception
    {
        assertUpdate("CREATE TABLE followed (k bigint) WITH (primary_key = ARRAY['k'])");
        assertQueryReturnsEmptyResult("SELECT * FROM \"followed$consumers\"");
        assertQueryReturnsEmptyResult("SELECT * FROM \"followed$branches\"");
        assertUpdate("INSERT INTO followed VALUES 1", 1);
        OracleTable table = new OracleTable("default", "followed");
        paimon.maintenance(table).consume("reader", 7);
        paimon.maintenance(table).consume("other", 2);
        assertQuery("SELECT * FROM \"followed$consumers\"", "VALUES ('reader', 7), ('other', 2)");
        compare("followed", "consumers");
        paimon.maintenance(table).createTag("t", 1);
        paimon.maintenance(table).createBranch("b", "t");
        assertQuery("SELECT branch_name FROM \"followed$branches\"", "VALUES 'b'");
        assertThat(paimon.readSystemTable(table, "branches")).hasSize(1);
        assertQuery("SELECT create_time > now() - interval '1' day AND create_time <= now() FROM \"followed$branches\"", "VALUES true");
        assertUpdate("DROP TABLE followed");
    }

    @Test
    void testReadOptimized()
            throws Exception
    {
        assertUpdate("CREATE TABLE optimized (k bigint, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertQueryReturnsEmptyResult("SELECT * FROM \"optimized$ro\"");
        assertUpdate("INSERT INTO optimized VALUES (1, 1), (2, 2)", 2);
        assertUpdate("ALTER TABLE optimized EXECUTE optimize");
        assertUpdate("INSERT INTO optimized VALUES (2, 20), (3, 30)", 2);
        compare("optimized", "ro");
        assertQuery("SELECT count(*) FROM \"optimized$ro\"", "VALUES " + paimon.readSystemTable(new OracleTable("default", "optimized"), "ro").size());
        assertUpdate("ALTER TABLE optimized EXECUTE optimize");
        assertQuery("SELECT * FROM \"optimized$ro\" WHERE v > 1", "VALUES (2, 20), (3, 30)");
        compare("optimized", "ro");
        assertQuery("SELECT count(*) FROM \"optimized$ro\" FOR VERSION AS OF 1", "VALUES 0");
        assertUpdate("DROP TABLE optimized");
    }

    @Test
    void testBinlog()
    {
        assertUpdate("CREATE TABLE logged (k bigint, v varchar, a array(bigint)) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO logged VALUES (1, 'a', ARRAY[1]), (2, 'b', NULL)", 2);
        assertUpdate("UPDATE logged SET v = NULL, a = ARRAY[2, 3] WHERE k = 1", 1);
        assertUpdate("DELETE FROM logged WHERE k = 2", 1);
        assertThat(computeActual("SELECT * FROM \"logged$binlog\"").getMaterializedRows().stream().map(row -> row.getFields().toString()).toList())
                .containsExactlyInAnyOrder("[+I, [1], [a], [[1]]]", "[+I, [2], [b], [null]]", "[+U, [1, 1], [a, null], [[1], [2, 3]]]", "[-D, [2], [b], [null]]");
        assertQuery("SELECT v[1], v[2] FROM \"logged$binlog\" WHERE rowkind = '+U'", "VALUES ('a', NULL)");
        assertQuery("SELECT count(*) FROM \"logged$binlog\"", "VALUES 4");
        assertTrinoExceptionThrownBy(() -> computeActual("SELECT * FROM \"logged$binlog\" FOR VERSION AS OF 1")).hasErrorCode(NOT_SUPPORTED);
        assertUpdate("DROP TABLE logged");
    }

    @Test
    void testEmptyTable()
    {
        assertUpdate("CREATE TABLE nothing (k bigint) WITH (primary_key = ARRAY['k'])");
        for (String kind : List.of("partitions", "buckets", "manifests", "tags", "files", "snapshots")) {
            assertQueryReturnsEmptyResult("SELECT * FROM \"nothing$" + kind + "\"");
        }
        assertQuery("SELECT schema_id, partition_keys, primary_keys, comment FROM \"nothing$schemas\"", "VALUES (0, '[]', '[\"k\"]', NULL)");
        assertQuery("SELECT * FROM \"nothing$options\"", "VALUES ('bucket', '1')");
        assertUpdate("DROP TABLE nothing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"partitions", "buckets", "manifests", "schemas", "options", "tags", "aggregation_fields", "consumers", "branches", "ro", "binlog"})
    void testReadOnly(String kind)
    {
        createTable("described");
        String name = "\"described$" + kind + "\"";
        for (@Language("SQL") String statement : List.of("DELETE FROM " + name, "INSERT INTO " + name + " SELECT * FROM " + name, "DROP TABLE " + name, "ALTER TABLE " + name + " ADD COLUMN x bigint", "TRUNCATE TABLE " + name)) {
            assertTrinoExceptionThrownBy(() -> computeActual(statement)).as(statement).hasErrorCode(NOT_SUPPORTED);
        }
        assertTrinoExceptionThrownBy(() -> computeActual("SELECT * FROM \"described$" + kind + "x\"")).hasErrorCode(TABLE_NOT_FOUND);
        assertTrinoExceptionThrownBy(() -> computeActual("SELECT * FROM \"missing$" + kind + "\"")).hasErrorCode(TABLE_NOT_FOUND);
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).allMatch(table -> !table.toString().contains("$"));
    }
}
