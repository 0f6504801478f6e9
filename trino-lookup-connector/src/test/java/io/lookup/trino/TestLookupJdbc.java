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

import io.trino.testing.DistributedQueryRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;

/**
 * What a client sees that comes through JDBC, as reporting tools do.
 */
@TestInstance(PER_CLASS)
final class TestLookupJdbc
{
    private DistributedQueryRunner queryRunner;
    private Connection connection;

    @BeforeAll
    void start()
            throws Exception
    {
        queryRunner = LookupQueryRunner.create();
        connection = DriverManager.getConnection("jdbc:trino://%s/lake/default?user=bob".formatted(queryRunner.getCoordinator().getAddress()));
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE sales (id bigint, amount decimal(12, 2), note varchar(20)) WITH (primary_key = ARRAY['id'], changelog_producer = 'lookup')");
            assertThat(statement.executeUpdate("INSERT INTO sales VALUES (1, 10.50, 'first'), (2, 7, NULL)")).isEqualTo(2);
            assertThat(statement.executeUpdate("UPDATE sales SET amount = 8 WHERE id = 2")).isEqualTo(1);
        }
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
    void testPreparedStatements()
            throws SQLException
    {
        try (PreparedStatement statement = connection.prepareStatement("SELECT rowkind, id, amount FROM \"sales$audit_log\" WHERE \"$snapshot_id\" > ? AND \"$snapshot_id\" <= ? ORDER BY rowkind")) {
            statement.setLong(1, 2);
            statement.setLong(2, 4);
            assertThat(rows(statement.executeQuery())).containsExactly("+U 2 8.00", "-U 2 7.00");
        }
    }

    @Test
    void testLabelsAndTypes()
            throws SQLException
    {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT *, \"$snapshot_id\", \"$commit_time\", \"$user\" FROM \"sales$audit_log\"")) {
            ResultSetMetaData metadata = result.getMetaData();
            List<String> columns = new ArrayList<>();
            for (int column = 1; column <= metadata.getColumnCount(); column++) {
                columns.add(metadata.getColumnLabel(column) + " " + metadata.getColumnTypeName(column));
            }
            assertThat(columns).containsExactly(
                    "rowkind varchar", "id bigint", "amount decimal(12,2)", "note varchar(20)",
                    "$snapshot_id bigint", "$commit_time timestamp(3) with time zone", "$user varchar");
            assertThat(result.next()).isTrue();
            assertThat(result.getString("$user")).isEqualTo("bob");
        }
    }

    @Test
    void testDatabaseMetadata()
            throws SQLException
    {
        try (ResultSet schemas = connection.getMetaData().getSchemas("lake", "default")) {
            assertThat(rows(schemas)).containsExactly("default lake");
        }
        List<String> tables = new ArrayList<>();
        try (ResultSet result = connection.getMetaData().getTables("lake", "default", "sales%", null)) {
            while (result.next()) {
                tables.add(result.getString("TABLE_NAME") + " " + result.getString("TABLE_TYPE"));
            }
        }
        assertThat(tables).containsExactly("sales TABLE");
        List<String> columns = new ArrayList<>();
        try (ResultSet result = connection.getMetaData().getColumns("lake", "default", "sales", null)) {
            while (result.next()) {
                columns.add("%s %s %s".formatted(result.getString("COLUMN_NAME"), result.getString("TYPE_NAME"), result.getInt("COLUMN_SIZE")));
            }
        }
        assertThat(columns).containsExactly("id bigint 19", "amount decimal(12,2) 12", "note varchar(20) 20");
    }

    private static List<String> rows(ResultSet result)
            throws SQLException
    {
        List<String> rows = new ArrayList<>();
        while (result.next()) {
            List<String> values = new ArrayList<>();
            for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                values.add(result.getString(column));
            }
            rows.add(String.join(" ", values));
        }
        return rows;
    }
}
