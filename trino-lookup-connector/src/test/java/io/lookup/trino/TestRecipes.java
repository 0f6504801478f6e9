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

import com.google.common.collect.ImmutableMap;
import io.trino.testing.DistributedQueryRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static io.lookup.trino.LookupQueryRunner.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the statements of {@code docs/recipes.md} as they stand there, and goes on with other changes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TestRecipes
{
    private static final Pattern BLOCK = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);
    private static final List<String> LATER_CHANGES = List.of(
            "INSERT INTO orders VALUES (4, 'new', 1.00), (3, 'again', 9.00)",
            "UPDATE orders SET status = 'paid' WHERE id IN (1, 4)",
            "UPDATE orders SET amount = amount + 0.50 WHERE id = 1",
            "DELETE FROM orders WHERE id = 2",
            "INSERT INTO orders VALUES (5, 'new', 2.00)",
            "DELETE FROM orders WHERE id = 5",
            "UPDATE orders SET amount = NULL, status = 'lost' WHERE id = 3");

    private DistributedQueryRunner queryRunner;
    private Connection connection;

    @BeforeAll
    void start()
            throws Exception
    {
        queryRunner = LookupQueryRunner.createSingleNode(LookupQueryRunner.temporaryDirectory("lookup-warehouse"));
        queryRunner.createCatalog("copy", LookupConnectorFactory.CONNECTOR_NAME, ImmutableMap.of(
                "lookup.warehouse", LookupQueryRunner.temporaryDirectory("lookup-copies").toUri().toString(),
                "lookup.cache-directory", LookupQueryRunner.temporaryDirectory("lookup-cache").toString()));
        connection = LookupQueryRunner.connect(queryRunner, SCHEMA, "engineer");
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

    @BeforeEach
    void createOrders()
            throws Exception
    {
        assertThat(run("# Recipes for the change feed")).containsExactly("1|6");
    }

    @AfterEach
    void dropOrders()
            throws Exception
    {
        query("DROP TABLE orders");
    }

    @Test
    void testCopy()
            throws Exception
    {
        assertThat(run("## A copy in another catalog")).containsExactly("0");
        assertThat(query("SELECT * FROM copy.default.orders")).isEqualTo(query("SELECT * FROM orders"));
        long last = change();
        query("EXECUTE copy_orders USING 6, " + last);
        // a job that died before it said how far it had come
        query("EXECUTE copy_orders USING 6, " + last);
        query("EXECUTE copied_orders USING " + last);
        assertThat(query("SELECT * FROM copy.default.orders ORDER BY id"))
                .containsExactly("1|paid|10.50", "3|lost|null", "4|paid|1.00")
                .isEqualTo(query("SELECT * FROM orders ORDER BY id"));
        assertThat(query("SELECT snapshot_id FROM copy.default.progress")).containsExactly(String.valueOf(last));
    }

    @Test
    void testAggregate()
            throws Exception
    {
        assertThat(run("## An aggregate that is kept up to date")).containsExactly("0", "new|1|10.00", "paid|1|25.50");
        assertTotals();
        long last = change();
        query("EXECUTE add_changes USING %1$s, 6, %1$s".formatted(last));
        assertTotals();
        assertThat(query("SELECT max(upto) FROM totals")).containsExactly(String.valueOf(last));
        query("DROP TABLE totals");
    }

    private void assertTotals()
            throws Exception
    {
        assertThat(query("SELECT status, orders, coalesce(amount, 0) FROM totals WHERE orders > 0 ORDER BY 1"))
                .isEqualTo(query("SELECT status, count(*), coalesce(sum(amount), 0.00) FROM orders GROUP BY status ORDER BY 1"));
    }

    @Test
    void testVersions()
            throws Exception
    {
        List<String> results = run("## Every version of a row");
        assertThat(results).hasSize(4 + 1 + 4);
        assertThat(results.subList(5, 9)).containsExactly("1|new|10.00|true", "2|new|25.50|false", "2|paid|25.50|true", "3|new|7.20|false");
        long middle = change(LATER_CHANGES.subList(0, 3));
        long last = change(LATER_CHANGES.subList(3, LATER_CHANGES.size()));
        query("EXECUTE keep_history USING 6, " + middle);
        query("EXECUTE keep_history USING %s, %s".formatted(middle, last));
        String versions = block("## Every version of a row", 0).strip().replaceAll(";$", "");
        assertThat(query("SELECT id, status, amount, valid_from, valid_to FROM order_history ORDER BY id, valid_from"))
                .isEqualTo(query("SELECT * FROM (" + versions + ") ORDER BY id, valid_from"));
        assertThat(query("SELECT id, status, amount FROM order_history WHERE valid_to IS NULL ORDER BY id")).isEqualTo(query("SELECT * FROM orders ORDER BY id"));
        query("DROP TABLE order_history");
    }

    @Test
    void testWhoChangedARow()
            throws Exception
    {
        assertThat(run("## Who changed this row")).hasSize(3).allMatch(row -> row.contains("|engineer|"));
    }

    private long change()
            throws Exception
    {
        return change(LATER_CHANGES);
    }

    /**
     * @return the newest snapshot
     */
    private long change(List<String> statements)
            throws Exception
    {
        for (String statement : statements) {
            query(statement);
        }
        return Long.parseLong(query("SELECT max(snapshot_id) FROM \"orders$snapshots\"").getFirst());
    }

    /**
     * Runs the statements below a heading.
     *
     * @return the rows of all of its queries
     */
    private List<String> run(String heading)
            throws Exception
    {
        List<String> rows = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(section(heading));
        while (blocks.find()) {
            for (String statement : blocks.group(1).split(";[^\n]*(\n|$)")) {
                if (!statement.isBlank()) {
                    rows.addAll(query(statement));
                }
            }
        }
        return rows;
    }

    private static String block(String heading, int number)
            throws IOException
    {
        return BLOCK.matcher(section(heading)).results().toList().get(number).group(1);
    }

    private static String section(String heading)
            throws IOException
    {
        String page = Files.readString(Repository.root().resolve("docs/recipes.md"));
        String section = page.substring(page.indexOf(heading + "\n") + heading.length());
        int end = section.indexOf("\n## ");
        return end < 0 ? section : section.substring(0, end);
    }

    /**
     * @return rows of a query, nothing for other statements
     */
    private List<String> query(String sql)
            throws SQLException
    {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return rows;
            }
            try (ResultSet result = statement.getResultSet()) {
                while (result.next()) {
                    List<String> values = new ArrayList<>();
                    for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                        values.add(String.valueOf(result.getObject(column)));
                    }
                    rows.add(String.join("|", values));
                }
            }
        }
        return rows;
    }
}
