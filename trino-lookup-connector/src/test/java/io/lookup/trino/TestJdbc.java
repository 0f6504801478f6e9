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
import io.trino.testing.DistributedQueryRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import static io.lookup.trino.LookupQueryRunner.CATALOG;
import static io.lookup.trino.LookupQueryRunner.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What a JDBC client sees: the laboratory, metadata of tables, columns and results, parameters and update counts.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TestJdbc
{
    private DistributedQueryRunner queryRunner;
    private Connection connection;

    @BeforeAll
    void start()
            throws Exception
    {
        queryRunner = LookupQueryRunner.create();
        connection = LookupQueryRunner.connect(queryRunner, SCHEMA, "analyst");
    }

    @AfterAll
    void stop()
            throws Exception
    {
        if (connection != null) {
            connection.close();
        }
        if (queryRunner != null) {
            queryRunner.close();
        }
    }

    @Test
    void testLaboratory()
            throws Exception
    {
        assertThat(Laboratory.run(connection)).isEqualTo(Laboratory.expected());
    }

    @Test
    void testTables()
            throws Exception
    {
        execute("CREATE SCHEMA tables_listed");
        execute("CREATE TABLE tables_listed.orders (k integer) COMMENT 'what was ordered' WITH (primary_key = ARRAY['k'])");
        execute("INSERT INTO tables_listed.orders VALUES 1");
        try (ResultSet tables = connection.getMetaData().getTables(CATALOG, "tables\\_listed", "%", null)) {
            // system tables are not listed
            assertThat(rows(tables, "TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE")).containsExactly("lake|tables_listed|orders|TABLE");
        }
        try (ResultSet tables = connection.getMetaData().getTables(CATALOG, SCHEMA, "%$%", null)) {
            assertThat(rows(tables, "TABLE_NAME")).isEmpty();
        }
        try (ResultSet schemas = connection.getMetaData().getSchemas(CATALOG, "%")) {
            assertThat(rows(schemas, "TABLE_SCHEM")).contains("default", "tables_listed", "information_schema");
        }
        execute("DROP TABLE tables_listed.orders");
        execute("DROP SCHEMA tables_listed");
    }

    @Test
    void testColumnsOfAllScalarTypes()
            throws Exception
    {
        execute("""
                CREATE TABLE scalar_types (
                    k bigint NOT NULL COMMENT 'the key', bo boolean, ti tinyint, sm smallint, i integer, r real, d double, short_decimal decimal(10, 2), long_decimal decimal(38, 5),
                    c char(5), vc varchar(40), v varchar, vb varbinary, da date, t time(3), ts0 timestamp(0), ts3 timestamp(3), ts6 timestamp(6), ts9 timestamp(9),
                    tz3 timestamp(3) with time zone, tz6 timestamp(6) with time zone)
                WITH (primary_key = ARRAY['k'])
                """);
        try (ResultSet columns = connection.getMetaData().getColumns(CATALOG, SCHEMA, "scalar\\_types", "%")) {
            assertThat(rows(columns, "ORDINAL_POSITION", "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "IS_NULLABLE", "REMARKS")).containsExactly(
                    "1|k|-5|bigint|19|null|NO|the key",
                    "2|bo|16|boolean|null|null|YES|null",
                    "3|ti|-6|tinyint|3|null|YES|null",
                    "4|sm|5|smallint|5|null|YES|null",
                    "5|i|4|integer|10|null|YES|null",
                    "6|r|7|real|24|null|YES|null",
                    "7|d|8|double|53|null|YES|null",
                    "8|short_decimal|3|decimal(10,2)|10|2|YES|null",
                    "9|long_decimal|3|decimal(38,5)|38|5|YES|null",
                    "10|c|1|char(5)|5|null|YES|null",
                    "11|vc|12|varchar(40)|40|null|YES|null",
                    "12|v|12|varchar|2147483647|null|YES|null",
                    "13|vb|-3|varbinary|2147483647|null|YES|null",
                    "14|da|91|date|14|null|YES|null",
                    "15|t|92|time(3)|12|3|YES|null",
                    "16|ts0|93|timestamp(0)|21|0|YES|null",
                    "17|ts3|93|timestamp(3)|25|3|YES|null",
                    "18|ts6|93|timestamp(6)|28|6|YES|null",
                    "19|ts9|93|timestamp(9)|31|9|YES|null",
                    "20|tz3|2014|timestamp(3) with time zone|59|3|YES|null",
                    "21|tz6|2014|timestamp(6) with time zone|62|6|YES|null");
        }
        execute("DROP TABLE scalar_types");
    }

    @Test
    void testResultsOfSystemTables()
            throws Exception
    {
        execute("CREATE TABLE described (k integer, amount decimal(12, 2), code char(3), at timestamp(6) with time zone) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        execute("INSERT INTO described VALUES (1, 1.50, 'abc', TIMESTAMP '2024-02-29 12:00:00.123456 UTC')");

        assertThat(labels("SELECT * FROM \"described$audit_log\"")).containsExactly(
                "rowkind varchar 12",
                "k integer 4",
                "amount decimal(12,2) 3",
                "code char(3) 1",
                "at timestamp(6) with time zone 2014");
        assertThat(labels("SELECT rowkind, \"$snapshot_id\", \"$commit_time\", \"$query_id\", \"$user\", \"$bucket\", \"$sequence_number\" FROM \"described$audit_log\"")).containsExactly(
                "rowkind varchar 12",
                "$snapshot_id bigint -5",
                "$commit_time timestamp(3) with time zone 2014",
                "$query_id varchar 12",
                "$user varchar 12",
                "$bucket integer 4",
                "$sequence_number bigint -5");
        assertThat(labels("SELECT * FROM \"described$snapshots\"")).containsExactly(
                "snapshot_id bigint -5",
                "schema_id bigint -5",
                "commit_user varchar 12",
                "commit_identifier bigint -5",
                "commit_kind varchar 12",
                "commit_time timestamp(3) 93",
                "base_manifest_list varchar 12",
                "delta_manifest_list varchar 12",
                "changelog_manifest_list varchar 12",
                "total_record_count bigint -5",
                "delta_record_count bigint -5",
                "changelog_record_count bigint -5",
                "watermark bigint -5",
                "next_row_id bigint -5");
        assertThat(labels("SELECT \"$query_id\" AS statement, \"$user\" FROM \"described$snapshots\"")).containsExactly("statement varchar 12", "$user varchar 12");
        assertThat(labels("SELECT * FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 'described', start_snapshot_id => 0, end_snapshot_id => 2))")).containsExactly(
                "rowkind varchar 12",
                "k integer 4",
                "amount decimal(12,2) 3",
                "code char(3) 1",
                "at timestamp(6) with time zone 2014",
                "_snapshot_id bigint -5",
                "_commit_time timestamp(3) with time zone 2014",
                "_query_id varchar 12",
                "_user varchar 12",
                "_bucket integer 4",
                "_sequence_number bigint -5");

        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT *, \"$user\" FROM \"described$audit_log\"")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString("rowkind")).isEqualTo("+I");
            assertThat(row.getBigDecimal("amount")).isEqualTo(new BigDecimal("1.50"));
            assertThat(row.getString("code")).isEqualTo("abc");
            assertThat(row.getTimestamp("at").toInstant()).hasToString("2024-02-29T12:00:00.123456Z");
            assertThat(row.getString("$user")).isEqualTo("analyst");
            assertThat(row.next()).isFalse();
        }
        execute("DROP TABLE described");
    }

    @Test
    void testParametersAndUpdateCounts()
            throws Exception
    {
        execute("CREATE TABLE parameters (k bigint, amount decimal(12, 2), note varchar, day date) WITH (primary_key = ARRAY['k'], bucket = 2, changelog_producer = 'lookup')");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO parameters VALUES (?, ?, ?, ?), (?, ?, ?, ?)")) {
            for (long key : new long[] {1, 3}) {
                setRow(insert, 1, key, new BigDecimal("10.25"), "it's " + key, Date.valueOf("2024-02-29"));
                setRow(insert, 5, key + 1, null, null, null);
                assertThat(insert.executeUpdate()).isEqualTo(2);
            }
        }
        try (PreparedStatement select = connection.prepareStatement("SELECT k, amount, note, day FROM parameters WHERE k BETWEEN ? AND ? AND note = ?")) {
            ResultSetMetaData described = select.getMetaData();
            assertThat(described.getColumnCount()).isEqualTo(4);
            assertThat(described.getColumnLabel(2)).isEqualTo("amount");
            assertThat(described.getColumnTypeName(2)).isEqualTo("decimal(12,2)");
            select.setLong(1, 2);
            select.setLong(2, 4);
            select.setString(3, "it's 3");
            try (ResultSet row = select.executeQuery()) {
                assertThat(rows(row, "k", "amount", "note", "day")).containsExactly("3|10.25|it's 3|2024-02-29");
            }
        }
        try (PreparedStatement update = connection.prepareStatement("UPDATE parameters SET note = ? WHERE k >= ?")) {
            update.setString(1, "new");
            update.setLong(2, 2);
            assertThat(update.executeUpdate()).isEqualTo(3);
        }
        try (PreparedStatement merge = connection.prepareStatement("""
                MERGE INTO parameters t USING (VALUES (CAST(? AS bigint), CAST(? AS varchar)), (9, 'nine')) s (k, note) ON t.k = s.k
                WHEN MATCHED AND s.note IS NULL THEN DELETE
                WHEN MATCHED THEN UPDATE SET note = s.note
                WHEN NOT MATCHED THEN INSERT (k, note) VALUES (s.k, s.note)
                """)) {
            merge.setLong(1, 4);
            merge.setString(2, "four");
            assertThat(merge.executeUpdate()).isEqualTo(2);
            merge.setString(2, null);
            assertThat(merge.executeUpdate()).isEqualTo(2);
        }
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM parameters WHERE k = ?")) {
            delete.setLong(1, 1);
            assertThat(delete.executeUpdate()).isEqualTo(1);
            assertThat(delete.executeUpdate()).isZero();
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT k, note FROM parameters ORDER BY k")) {
            assertThat(rows(row, "k", "note")).containsExactly("2|new", "3|new", "9|nine");
        }
        execute("DROP TABLE parameters");
    }

    @Test
    void testErrors()
            throws SQLException
    {
        execute("CREATE TABLE refused (k integer) WITH (primary_key = ARRAY['k'])");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO refused VALUES ?")) {
            insert.setNull(1, java.sql.Types.INTEGER);
            assertThatThrownBy(insert::executeUpdate).isInstanceOf(SQLException.class).hasMessageContaining("NULL value not allowed for NOT NULL column: k");
        }
        execute("DROP TABLE refused");
        assertThatThrownBy(() -> execute("SELECT * FROM refused")).isInstanceOf(SQLException.class).hasMessageContaining("'lake.default.refused' does not exist");
    }

    private static void setRow(PreparedStatement insert, int first, long key, BigDecimal amount, String note, Date day)
            throws SQLException
    {
        insert.setLong(first, key);
        insert.setBigDecimal(first + 1, amount);
        insert.setString(first + 2, note);
        insert.setDate(first + 3, day);
    }

    private void execute(String sql)
            throws SQLException
    {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * Label, type name and JDBC type of each column.
     */
    private List<String> labels(String sql)
            throws SQLException
    {
        ImmutableList.Builder<String> labels = ImmutableList.builder();
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            ResultSetMetaData metadata = rows.getMetaData();
            for (int column = 1; column <= metadata.getColumnCount(); column++) {
                labels.add("%s %s %s".formatted(metadata.getColumnLabel(column), metadata.getColumnTypeName(column), metadata.getColumnType(column)));
            }
        }
        return labels.build();
    }

    private static List<String> rows(ResultSet rows, String... labels)
            throws SQLException
    {
        ImmutableList.Builder<String> result = ImmutableList.builder();
        while (rows.next()) {
            String[] values = new String[labels.length];
            for (int column = 0; column < labels.length; column++) {
                values[column] = String.valueOf(rows.getString(labels[column]));
            }
            result.add(String.join("|", values));
        }
        return result.build();
    }
}
