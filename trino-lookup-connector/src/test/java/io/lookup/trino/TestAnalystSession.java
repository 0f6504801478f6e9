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
import io.airlift.units.Duration;
import io.trino.jdbc.TrinoConnection;
import io.trino.testing.DistributedQueryRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import static io.lookup.trino.LookupQueryRunner.CATALOG;
import static io.trino.testing.assertions.Assert.assertEventually;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What tools of analysts send through JDBC: how Metabase, DBeaver, Tableau and Superset look for tables, preview them, and ask.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TestAnalystSession
{
    private static final String SALES = "sales";
    private static final int PATIENCE_SECONDS = 30;

    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");
    private final ExecutorService executor = Executors.newCachedThreadPool();

    private DistributedQueryRunner queryRunner;
    private Connection connection;

    @BeforeAll
    void start()
            throws Exception
    {
        queryRunner = LookupQueryRunner.createSingleNode(warehouse);
        connection = connect();
        execute("CREATE SCHEMA sales");
        execute("""
                CREATE TABLE orders (id bigint COMMENT 'number on the invoice', day date, customer varchar(20), amount decimal(12, 2), at timestamp(3) with time zone, changed timestamp(6))
                COMMENT 'every order'
                WITH (primary_key = ARRAY['id'], bucket = 2, changelog_producer = 'lookup')
                """);
        execute("CREATE TABLE visits (page varchar, day date) WITH (partitioned_by = ARRAY['day'])");
        execute("""
                INSERT INTO orders
                SELECT n, DATE '2025-01-01' + INTERVAL '1' DAY * (n % 59), 'customer ' || CAST(n % 7 AS varchar), CAST(n AS decimal(12, 2)) / 4,
                    TIMESTAMP '2025-01-01 00:00:00 UTC' + INTERVAL '1' HOUR * n, TIMESTAMP '2025-01-01 00:00:00' + INTERVAL '1' MINUTE * n
                FROM UNNEST(sequence(1, 1000)) t (n)
                """);
        // what is asked for lies in several files, and some rows are replaced and gone
        execute("UPDATE orders SET amount = amount + 1000 WHERE id % 10 = 0");
        execute("DELETE FROM orders WHERE id > 990");
        execute("INSERT INTO visits SELECT '/page/' || CAST(n % 5 AS varchar), DATE '2025-01-01' + INTERVAL '1' DAY * (n % 3) FROM UNNEST(sequence(1, 300)) t (n)");
    }

    @AfterAll
    void stop()
            throws Exception
    {
        executor.shutdownNow();
        if (connection != null) {
            connection.close();
        }
        if (queryRunner != null) {
            queryRunner.close();
        }
    }

    private Connection connect()
            throws SQLException
    {
        Properties properties = new Properties();
        properties.setProperty("user", "analyst");
        properties.setProperty("source", "dashboard");
        properties.setProperty("timezone", "Europe/Berlin");
        return DriverManager.getConnection("jdbc:trino://%s/%s/%s".formatted(queryRunner.getCoordinator().getAddress(), CATALOG, SALES), properties);
    }

    /**
     * The tree on the left, and what a tool keeps of it.
     */
    @Test
    void testDiscovery()
            throws Exception
    {
        DatabaseMetaData metadata = connection.getMetaData();
        assertThat(metadata.getDatabaseProductName()).isEqualTo("Trino");
        assertThat(connection.isValid(10)).isTrue();
        assertThat(rows(metadata.getCatalogs(), "TABLE_CAT")).contains(CATALOG);
        assertThat(rows(metadata.getSchemas(CATALOG, null), "TABLE_SCHEM")).containsExactlyInAnyOrder("default", "information_schema", SALES);
        assertThat(rows(metadata.getTableTypes(), "TABLE_TYPE")).contains("TABLE", "VIEW");
        assertThat(rows(metadata.getTables(CATALOG, SALES, "%", new String[] {"TABLE", "VIEW", "MATERIALIZED VIEW"}), "TABLE_NAME", "TABLE_TYPE", "REMARKS")).containsExactly(
                "orders|TABLE|null",
                "visits|TABLE|null");
        assertThat(rows(metadata.getTables(CATALOG, SALES, "%", new String[] {"VIEW"}), "TABLE_NAME")).isEmpty();
        assertThat(rows(metadata.getTables(null, null, "ord%", null), "TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME")).contains("lake|sales|orders");
        assertThat(rows(metadata.getColumns(CATALOG, SALES, "%", "%"), "TABLE_NAME", "COLUMN_NAME", "TYPE_NAME", "IS_NULLABLE", "REMARKS")).containsExactly(
                "orders|id|bigint|NO|number on the invoice",
                "orders|day|date|YES|null",
                "orders|customer|varchar(20)|YES|null",
                "orders|amount|decimal(12,2)|YES|null",
                "orders|at|timestamp(3) with time zone|YES|null",
                "orders|changed|timestamp(6)|YES|null",
                "visits|page|varchar|YES|null",
                "visits|day|date|YES|null");
        assertThat(rows(metadata.getPrimaryKeys(CATALOG, SALES, "orders"), "COLUMN_NAME")).isEmpty();
        assertThat(rows(metadata.getProcedures(CATALOG, SALES, "%"), "PROCEDURE_NAME")).isEmpty();
        assertThat(rows(metadata.getTypeInfo(), "TYPE_NAME")).contains("bigint", "decimal", "varchar");

        assertThat(query("SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'sales'")).containsExactlyInAnyOrder("orders|BASE TABLE", "visits|BASE TABLE");
        assertThat(query("SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'sales' AND table_name = 'visits' ORDER BY ordinal_position")).containsExactly("page|varchar|YES", "day|date|YES");
        assertThat(query("SELECT comment FROM system.metadata.table_comments WHERE catalog_name = 'lake' AND schema_name = 'sales' AND table_name = 'orders'")).containsExactly("every order");
        assertThat(query("SHOW TABLES FROM lake.sales LIKE '%sit%'")).containsExactly("visits");
        assertThat(query("DESCRIBE lake.sales.visits")).hasSize(2);
        assertThat(query("SHOW CREATE TABLE lake.sales.orders").getFirst()).contains("COMMENT 'every order'", "primary_key = ARRAY['id']");
        // of what a table is partitioned by
        assertThat(query("SELECT partition, record_count FROM sales.\"visits$partitions\" ORDER BY partition DESC LIMIT 1")).containsExactly("day=2025-01-03|100");
    }

    /**
     * What is shown of a table that somebody clicks on.
     */
    @Test
    void testPreview()
            throws Exception
    {
        try (Statement statement = connection.createStatement()) {
            statement.setMaxRows(200);
            statement.setFetchSize(50);
            try (ResultSet rows = statement.executeQuery("SELECT x.* FROM lake.sales.orders x")) {
                ResultSetMetaData described = rows.getMetaData();
                assertThat(described.getColumnName(4)).isEqualTo("amount");
                assertThat(described.getPrecision(4)).isEqualTo(12);
                assertThat(described.getScale(4)).isEqualTo(2);
                assertThat(described.getColumnType(5)).isEqualTo(Types.TIMESTAMP_WITH_TIMEZONE);
                assertThat(rows(rows, "id")).hasSize(200).doesNotHaveDuplicates();
            }
        }
        assertThat(query("SELECT * FROM orders LIMIT 1001")).hasSize(990);
        assertThat(query("SELECT * FROM orders OFFSET 980 LIMIT 100")).hasSize(10);
        // the shape of what a question gives
        assertThat(query("SELECT * FROM (SELECT * FROM orders) \"Custom SQL Query\" LIMIT 0")).isEmpty();
        assertThat(query("SELECT id, amount FROM orders ORDER BY amount DESC, id LIMIT 2")).containsExactly("990|1247.50", "980|1245.00");
        assertThat(query("SELECT * FROM orders FETCH FIRST 5 ROWS ONLY")).hasSize(5);
    }

    @Test
    void testQuestions()
            throws Exception
    {
        assertThat(query("""
                SELECT "orders"."customer" AS "customer", count(*) AS "count", sum("orders"."amount") AS "sum"
                FROM "lake"."sales"."orders" "orders"
                WHERE "orders"."day" BETWEEN DATE '2025-02-01' AND DATE '2025-02-28'
                GROUP BY 1 HAVING (COUNT(1) > 0) ORDER BY 1 ASC
                """)).hasSize(7).first().asString().startsWith("customer 0|");
        assertThat(query("SELECT date_trunc('month', day), count(*), count(DISTINCT customer), min(amount), max(amount) FROM orders GROUP BY date_trunc('month', day) ORDER BY 1")).containsExactly(
                "2025-01-01|526|7|0.25|1242.50",
                "2025-02-01|464|7|7.75|1247.50");
        assertThat(query("SELECT CAST(date_trunc('week', CAST(at AS timestamp)) AS date), avg(amount) FROM orders WHERE at >= TIMESTAMP '2025-01-06 00:00:00 UTC' AND at < TIMESTAMP '2025-01-20 00:00:00 UTC' GROUP BY 1 ORDER BY 1"))
                .extracting(row -> row.substring(0, 10)).containsExactly("2025-01-06", "2025-01-13");
        assertThat(query("SELECT count(*) FROM orders WHERE at >= from_iso8601_timestamp('2025-01-02T00:00:00Z') AND CAST(at AS date) = DATE '2025-01-02'")).containsExactly("24");
        assertThat(query("SELECT year(day), quarter(day), count(*) FROM orders WHERE customer IN ('customer 1', 'customer 2') GROUP BY 1, 2")).containsExactly("2025|1|284");
        assertThat(query("SELECT count(*) FROM orders WHERE lower(customer) LIKE '%er 3%'")).containsExactly("142");
        assertThat(query("SELECT v.page, count(*) FROM visits v JOIN orders o ON v.day = o.day WHERE o.id < 60 GROUP BY ROLLUP (v.page) ORDER BY 1 NULLS LAST")).hasSize(6);
        assertThat(query("SELECT id, amount - lag(amount) OVER (PARTITION BY customer ORDER BY id) FROM orders WHERE id IN (1, 8) ORDER BY id")).containsExactly("1|null", "8|1.75");
        assertThat(query("EXPLAIN (TYPE VALIDATE) SELECT * FROM orders")).containsExactly("true");
        assertThat(query("EXPLAIN (TYPE IO, FORMAT JSON) SELECT * FROM visits WHERE day = DATE '2025-01-02'").getFirst()).contains("\"visits\"", "2025-01-02");
        // when a dashboard is not of today
        assertThat(query("SELECT count(*) FROM orders FOR VERSION AS OF 2")).containsExactly("1000");
        assertThat(query("SELECT rowkind, count(*) FROM \"orders$audit_log\" WHERE \"$user\" = 'analyst' GROUP BY rowkind ORDER BY rowkind")).containsExactly("+I|1000", "+U|100", "-D|10", "-U|100");
    }

    @Test
    void testParameters()
            throws Exception
    {
        for (boolean explicitPrepare : List.of(true, false)) {
            try (Connection prepared = DriverManager.getConnection("jdbc:trino://%s/lake/sales?user=analyst&explicitPrepare=%s".formatted(queryRunner.getCoordinator().getAddress(), explicitPrepare));
                    PreparedStatement statement = prepared.prepareStatement("SELECT customer, count(*) c FROM orders WHERE day >= ? AND day < ? AND (customer = ? OR ? IS NULL) AND changed > ? AND amount > ? GROUP BY customer ORDER BY 1 LIMIT ?")) {
                assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(7);
                assertThat(statement.getMetaData().getColumnLabel(2)).isEqualTo("c");
                statement.setDate(1, Date.valueOf("2025-01-10"));
                statement.setDate(2, Date.valueOf("2025-02-10"));
                statement.setString(3, "customer 5");
                statement.setString(4, "customer 5");
                statement.setTimestamp(5, Timestamp.valueOf("2025-01-01 02:00:00"));
                statement.setBigDecimal(6, new BigDecimal("1.5"));
                statement.setLong(7, 10);
                try (ResultSet rows = statement.executeQuery()) {
                    assertThat(rows(rows, "customer", "c")).hasSize(1).first().asString().startsWith("customer 5|");
                }
                statement.setNull(3, Types.VARCHAR);
                statement.setNull(4, Types.VARCHAR);
                try (ResultSet rows = statement.executeQuery()) {
                    assertThat(rows(rows, "customer", "c")).hasSize(7);
                }
            }
        }
    }

    /**
     * Tools that turn auto-commit off read one state until they end the transaction.
     */
    @Test
    void testTransaction()
            throws Exception
    {
        execute("CREATE TABLE moving (k integer) WITH (primary_key = ARRAY['k'])");
        execute("INSERT INTO moving VALUES 1");
        try (Connection reading = connect()) {
            reading.setReadOnly(true);
            reading.setAutoCommit(false);
            assertThat(query(reading, "SELECT count(*) FROM moving")).containsExactly("1");
            execute("INSERT INTO moving VALUES 2");
            assertThat(query(reading, "SELECT count(*) FROM moving")).containsExactly("1");
            reading.commit();
            assertThat(query(reading, "SELECT count(*) FROM moving")).containsExactly("2");
            assertThatThrownBy(() -> query(reading, "INSERT INTO moving VALUES 3")).hasMessageContaining("Cannot execute write in a read-only transaction");
            reading.rollback();
        }
        execute("DROP TABLE moving");
    }

    /**
     * The connection goes on, and nothing runs or lies around that was written.
     */
    @Test
    void testCancel()
            throws Exception
    {
        execute("CREATE TABLE copies (a bigint, b bigint, c bigint) WITH (primary_key = ARRAY['a', 'b', 'c'], bucket = 2)");
        execute("INSERT INTO copies VALUES (0, 0, 0)");
        for (String sql : List.of(
                "SELECT count(*) FROM orders a, orders b, orders c WHERE a.amount + b.amount + c.amount < 0",
                "INSERT INTO copies SELECT a.id, b.id, c.id FROM orders a, orders b, orders c")) {
            try (Statement statement = connection.createStatement()) {
                Future<?> running = executor.submit(() -> consume(statement, sql));
                assertEventually(new Duration(PATIENCE_SECONDS, SECONDS), () -> assertThat(running(sql)).isEqualTo(1));
                // between its answer's head and its rows the driver has nothing that it could cancel, so that one click may do nothing
                assertEventually(new Duration(PATIENCE_SECONDS, SECONDS), () -> {
                    statement.cancel();
                    assertThat(running(sql)).isZero();
                });
                assertThatThrownBy(() -> running.get(PATIENCE_SECONDS, SECONDS)).as(sql).hasCauseInstanceOf(SQLException.class);
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> consume(statement, "SELECT count(*) FROM orders a, orders b, orders c WHERE a.amount + b.amount + c.amount < 0")).hasMessageContaining("exceeded");
        }
        assertThat(connection.unwrap(TrinoConnection.class).isClosed()).isFalse();
        assertThat(query("SELECT * FROM copies")).containsExactly("0|0|0");
        assertThat(query("SELECT count(*) FROM \"copies$snapshots\"")).containsExactly("1");
        assertEventually(new Duration(PATIENCE_SECONDS, SECONDS), () -> assertThat(dataFiles("copies")).isEqualTo(1));
        execute("DROP TABLE copies");
    }

    /**
     * @return the number of rows, if there are any
     */
    private static int consume(Statement statement, String sql)
            throws SQLException
    {
        int count = 0;
        if (statement.execute(sql)) {
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    count++;
                }
            }
        }
        return count;
    }

    private long running(String sql)
    {
        return queryRunner.getCoordinator().getDispatchManager().getQueries().stream()
                .filter(query -> query.getQuery().equals(sql) && query.getState().toString().equals("RUNNING"))
                .count();
    }

    private long dataFiles(String table)
    {
        try (Stream<Path> files = Files.walk(warehouse.resolve("sales.db").resolve(table))) {
            return files.filter(file -> file.toString().endsWith(".parquet")).count();
        }
        catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void execute(String sql)
            throws SQLException
    {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> query(String sql)
            throws SQLException
    {
        return query(connection, sql);
    }

    private static List<String> query(Connection connection, String sql)
            throws SQLException
    {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            ResultSetMetaData described = rows.getMetaData();
            String[] labels = new String[described.getColumnCount()];
            for (int column = 0; column < labels.length; column++) {
                labels[column] = described.getColumnLabel(column + 1);
            }
            return rows(rows, labels);
        }
    }

    private static List<String> rows(ResultSet rows, String... labels)
            throws SQLException
    {
        ImmutableList.Builder<String> result = ImmutableList.builder();
        while (rows.next()) {
            result.add(String.join("|", Stream.of(labels).map(label -> text(rows, label)).toList()));
        }
        return result.build();
    }

    private static String text(ResultSet row, String label)
    {
        try {
            return String.valueOf(row.getString(label));
        }
        catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
