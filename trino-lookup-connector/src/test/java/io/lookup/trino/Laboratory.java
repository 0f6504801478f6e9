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
import io.trino.jdbc.TrinoStatement;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import static com.google.common.base.Preconditions.checkState;

/**
 * The laboratory of {@code bin/demo} through JDBC: its statements, and the text that {@code bin/demo --check} compares.
 */
public final class Laboratory
{
    private static final String TITLE = "-- ";

    private Laboratory() {}

    /**
     * @param statements without their semicolons
     */
    public record Section(String title, List<String> statements)
    {
        public Section
        {
            statements = ImmutableList.copyOf(statements);
        }
    }

    public static List<Section> sections()
            throws IOException
    {
        ImmutableList.Builder<Section> sections = ImmutableList.builder();
        String title = null;
        StringBuilder text = new StringBuilder();
        for (String line : Files.readAllLines(Repository.root().resolve("bin/lib/laboratory.sql"))) {
            if (!line.startsWith(TITLE)) {
                text.append(line).append('\n');
                continue;
            }
            if (title != null) {
                sections.add(new Section(title, statements(text.toString())));
            }
            title = line.substring(TITLE.length());
            text.setLength(0);
        }
        checkState(title != null, "laboratory.sql has no title");
        sections.add(new Section(title, statements(text.toString())));
        return sections.build();
    }

    private static List<String> statements(String text)
    {
        // no value of the laboratory has a semicolon at the end of a line
        ImmutableList.Builder<String> statements = ImmutableList.builder();
        for (String statement : text.split(";\n")) {
            if (!statement.isBlank()) {
                statements.add(statement.strip());
            }
        }
        return statements.build();
    }

    public static String expected()
            throws IOException
    {
        return Files.readString(Repository.root().resolve("bin/lib/laboratory.expected"));
    }

    /**
     * Runs all statements and returns what the Trino CLI would print of them as CSV, below their titles.
     */
    public static String run(Connection connection)
            throws IOException, SQLException
    {
        StringBuilder output = new StringBuilder();
        for (Section section : sections()) {
            output.append("# ").append(section.title()).append('\n');
            for (String sql : section.statements()) {
                execute(connection, sql, output);
            }
            output.append('\n');
        }
        return output.toString();
    }

    private static void execute(Connection connection, String sql, StringBuilder output)
            throws SQLException
    {
        try (TrinoStatement statement = connection.createStatement().unwrap(TrinoStatement.class)) {
            if (!statement.execute(sql)) {
                output.append(statement.getUpdateType());
                if (!sql.startsWith("CREATE TABLE")) {
                    long count = statement.getLargeUpdateCount();
                    output.append(": ").append(count).append(count == 1 ? " row" : " rows");
                }
                output.append('\n');
                return;
            }
            ResultSet rows = statement.getResultSet();
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (int column = 1; column <= columns; column++) {
                    String value = rows.getString(column);
                    values.add('"' + (value == null ? "" : value.replace("\"", "\"\"")) + '"');
                }
                output.append(String.join(",", values)).append('\n');
            }
        }
    }
}
