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
package io.lookup.benchmark;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

import static java.lang.String.format;

/**
 * What statements cost, by statement and table, in the order in which they were first measured.
 */
final class SqlMeasurements
{
    private static final double MEGABYTE = 1e6;

    private final Map<String, Map<SqlTable, List<Cost>>> costs = new LinkedHashMap<>();

    void add(String statement, SqlTable table, Cost cost)
    {
        costs.computeIfAbsent(statement, _ -> new TreeMap<>())
                .computeIfAbsent(table, _ -> new ArrayList<>())
                .add(cost);
    }

    /**
     * A table of medians, in Markdown. The last columns are the ratio of the seconds to Iceberg's, and all seconds.
     */
    String toMarkdown()
    {
        StringBuilder text = new StringBuilder();
        text.append("| statement | table | seconds | CPU seconds | MB read | MB written | of Iceberg's seconds | seconds of each |\n");
        text.append("|---|---|---|---|---|---|---|---|\n");
        costs.forEach((statement, tables) -> tables.forEach((table, measured) -> {
            double seconds = median(measured, Cost::seconds);
            List<Cost> peer = tables.get(SqlTable.ICEBERG);
            text.append(format(
                    Locale.ENGLISH,
                    "| %s | %s | %.3f | %.2f | %.1f | %.1f | %s | %s |%n",
                    statement,
                    table.text(),
                    seconds,
                    median(measured, Cost::cpuSeconds),
                    median(measured, Cost::bytesRead) / MEGABYTE,
                    median(measured, Cost::bytesWritten) / MEGABYTE,
                    peer == null || table == SqlTable.ICEBERG ? "" : format(Locale.ENGLISH, "%.2f", seconds / median(peer, Cost::seconds)),
                    texts(measured)));
        }));
        return text.toString();
    }

    private static String texts(List<Cost> measured)
    {
        List<String> texts = measured.stream().limit(9).map(cost -> format(Locale.ENGLISH, "%.3f", cost.seconds())).toList();
        return String.join(" ", texts) + (measured.size() > texts.size() ? format(" … (%s)", measured.size()) : "");
    }

    private static double median(List<Cost> measured, ToDoubleFunction<Cost> value)
    {
        double[] sorted = measured.stream().mapToDouble(value).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /**
     * One run of a statement: time at the client, processor time of the server's process (whatever it did), and what
     * the connector told Trino that it has read and written.
     */
    record Cost(double seconds, double cpuSeconds, long bytesRead, long bytesWritten) {}

    /**
     * Whether two results are the same but for the order of additions of floating-point numbers.
     */
    static boolean sameRows(List<List<Object>> first, List<List<Object>> second)
    {
        if (first.size() != second.size()) {
            return false;
        }
        for (int row = 0; row < first.size(); row++) {
            for (int column = 0; column < first.get(row).size(); column++) {
                if (!sameValue(first.get(row).get(column), second.get(row).get(column))) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean sameValue(Object first, Object second)
    {
        if (first instanceof Double one && second instanceof Double other) {
            BigDecimal difference = BigDecimal.valueOf(one).subtract(BigDecimal.valueOf(other)).abs();
            return difference.doubleValue() <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
        }
        return Objects.equals(first, second);
    }
}
