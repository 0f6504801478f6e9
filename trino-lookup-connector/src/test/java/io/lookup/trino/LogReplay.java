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

import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import org.intellij.lang.annotations.Language;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applies a table's whole log to nothing, snapshot by snapshot.
 */
final class LogReplay
{
    private LogReplay() {}

    /**
     * Checks that every old row of the log was there, that no new row was, and that what is left are the rows of the table.
     *
     * @param select runs a query
     */
    static void assertLogGivesTable(Function<String, MaterializedResult> select, String table)
    {
        TreeMap<Long, List<MaterializedRow>> changes = new TreeMap<>();
        select.apply("SELECT *, \"$snapshot_id\" FROM \"%s$audit_log\"".formatted(table)).getMaterializedRows()
                .forEach(row -> changes.merge((Long) row.getField(row.getFieldCount() - 1), List.of(row), LogReplay::concat));
        Set<String> rows = new HashSet<>();
        changes.forEach((snapshot, changesThen) -> {
            for (MaterializedRow change : changesThen) {
                if (change.getField(0).toString().equals("-U") || change.getField(0).toString().equals("-D")) {
                    assertThat(rows.remove(values(change))).as("snapshot %s: %s, rows %s", snapshot, change, rows).isTrue();
                }
            }
            for (MaterializedRow change : changesThen) {
                if (change.getField(0).toString().equals("+U") || change.getField(0).toString().equals("+I")) {
                    assertThat(rows.add(values(change))).as("snapshot %s: %s, rows %s", snapshot, change, rows).isTrue();
                }
            }
        });
        assertThat(new TreeSet<>(rows)).containsExactlyElementsOf(rows(select, "SELECT * FROM " + table));
    }

    /**
     * The texts of the rows, sorted.
     */
    static List<String> rows(Function<String, MaterializedResult> select, @Language("SQL") String sql)
    {
        return select.apply(sql).getMaterializedRows().stream()
                .map(row -> row.getFields().toString())
                .sorted()
                .collect(toImmutableList());
    }

    private static String values(MaterializedRow change)
    {
        return change.getFields().subList(1, change.getFieldCount() - 1).toString();
    }

    private static List<MaterializedRow> concat(List<MaterializedRow> first, List<MaterializedRow> second)
    {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
