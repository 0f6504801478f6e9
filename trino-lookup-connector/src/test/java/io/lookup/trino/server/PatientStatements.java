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
package io.lookup.trino.server;

import com.google.common.collect.ImmutableList;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Statements that are repeated when the server has no node to run them on. A server that has just started, or that starves on a busy machine, can lose
 * sight of its own node for some seconds. Such a statement has not begun, so nothing of it is there.
 */
final class PatientStatements
{
    // said by the scheduler of splits and by that of bucketed writes
    private static final List<String> NO_NODES = ImmutableList.of("No nodes available to run query", "nodes is empty");
    private static final int MAX_TRIES = 120;
    private static final long WAIT_MILLIS = 500;

    private PatientStatements() {}

    private interface Action<T>
    {
        T run()
                throws SQLException;
    }

    static void execute(Statement statement, String sql)
            throws SQLException
    {
        repeat(() -> statement.execute(sql));
    }

    /**
     * @return the number of rows that the statement says it changed
     */
    static int executeUpdate(Statement statement, String sql)
            throws SQLException
    {
        return repeat(() -> statement.executeUpdate(sql));
    }

    /**
     * All rows, each value as text; the value NULL is null.
     */
    static List<List<String>> rows(Statement statement, String sql)
            throws SQLException
    {
        return repeat(() -> {
            ImmutableList.Builder<List<String>> result = ImmutableList.builder();
            try (ResultSet rows = statement.executeQuery(sql)) {
                int columns = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    List<String> values = new ArrayList<>(columns);
                    for (int column = 1; column <= columns; column++) {
                        values.add(rows.getString(column));
                    }
                    result.add(Collections.unmodifiableList(values));
                }
            }
            return result.build();
        });
    }

    private static <T> T repeat(Action<T> action)
            throws SQLException
    {
        for (int failures = 1; ; failures++) {
            try {
                return action.run();
            }
            catch (SQLException e) {
                if (failures == MAX_TRIES || NO_NODES.stream().noneMatch(String.valueOf(e.getMessage())::contains)) {
                    throw e;
                }
            }
            try {
                Thread.sleep(WAIT_MILLIS);
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SQLException("Interrupted while waiting for a node", e);
            }
        }
    }
}
