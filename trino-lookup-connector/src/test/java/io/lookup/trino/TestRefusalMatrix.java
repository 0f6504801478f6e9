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

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.trino.Session;
import io.trino.testing.QueryFailedException;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static com.google.common.base.Verify.verify;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static io.lookup.storage.oracle.Change.insert;
import static io.trino.spi.StandardErrorCode.CONSTRAINT_VIOLATION;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every cell of the matrix in {@code docs/row-changes.md}: a statement does what it says, or is refused while it is planned, with the option that is in the way.
 */
final class TestRefusalMatrix
        extends AbstractOracleQueryTest
{
    private static final String YES = "yes";
    private static final String YES_BY_ROW = "yes ¹";
    private static final String OVERWRITE = "overwrite";
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Splitter CELLS = Splitter.on('|').trimResults();

    // by the matrix's headings; the rows are (1, 10, 1) and (2, 20, 2)
    private static final Map<String, List<Statement>> STATEMENTS = ImmutableMap.<String, List<Statement>>builder()
            .put("INSERT", ImmutableList.of(
                    new Statement("INSERT INTO t VALUES (3, 30, 3)", "[1, 10, 1]", "[2, 20, 2]", "[3, 30, 3]")))
            .put("UPDATE", ImmutableList.of(
                    new Statement("UPDATE t SET v = 11 WHERE k = 1", "[1, 11, 1]", "[2, 20, 2]"),
                    new Statement("UPDATE t SET v = NULL WHERE k = 1", "[1, null, 1]", "[2, 20, 2]"),
                    new Statement("UPDATE t SET v = v WHERE k = 99", "[1, 10, 1]", "[2, 20, 2]")))
            .put("UPDATE `s`", ImmutableList.of(
                    new Statement("UPDATE t SET s = 0, v = 11 WHERE k = 1", "[1, 11, 0]", "[2, 20, 2]"),
                    new Statement("UPDATE t SET s = 5 WHERE k = 1", "[1, 10, 5]", "[2, 20, 2]"),
                    new Statement("UPDATE t SET s = NULL WHERE k = 1", "[1, 10, null]", "[2, 20, 2]"),
                    new Statement("MERGE INTO t USING (VALUES 1) n (k) ON t.k = n.k WHEN MATCHED THEN UPDATE SET s = 0", "[1, 10, 0]", "[2, 20, 2]")))
            .put("UPDATE key", ImmutableList.of(
                    new Statement("UPDATE t SET k = 5 WHERE k = 1", "[2, 20, 2]", "[5, 10, 1]"),
                    new Statement("UPDATE t SET k = k + 1", "[2, 10, 1]", "[3, 20, 2]"),
                    new Statement("MERGE INTO t USING (VALUES 1) n (k) ON t.k = n.k WHEN MATCHED THEN UPDATE SET k = 7, v = 0", "[2, 20, 2]", "[7, 0, 1]")))
            .put("DELETE", ImmutableList.of(
                    new Statement("DELETE FROM t WHERE k = 1", "[2, 20, 2]"),
                    new Statement("DELETE FROM t WHERE v > 10", "[1, 10, 1]"),
                    new Statement("DELETE FROM t WHERE k = 99", "[1, 10, 1]", "[2, 20, 2]"),
                    new Statement("DELETE FROM t")))
            .put("MERGE insert", ImmutableList.of(
                    new Statement("MERGE INTO t USING (VALUES 1, 3) n (k) ON t.k = n.k WHEN NOT MATCHED THEN INSERT VALUES (n.k, 30, 3)", "[1, 10, 1]", "[2, 20, 2]", "[3, 30, 3]")))
            .put("MERGE update", ImmutableList.of(
                    new Statement("MERGE INTO t USING (VALUES 1, 3) n (k) ON t.k = n.k WHEN MATCHED THEN UPDATE SET v = 11", "[1, 11, 1]", "[2, 20, 2]"),
                    new Statement("MERGE INTO t USING (VALUES 1, 3) n (k) ON t.k = n.k WHEN MATCHED THEN UPDATE SET v = NULL WHEN NOT MATCHED THEN INSERT VALUES (n.k, 30, 3)", "[1, null, 1]", "[2, 20, 2]", "[3, 30, 3]")))
            .put("MERGE delete", ImmutableList.of(
                    new Statement("MERGE INTO t USING (VALUES 1, 3) n (k) ON t.k = n.k WHEN MATCHED THEN DELETE", "[2, 20, 2]"),
                    new Statement("MERGE INTO t USING (VALUES 3) n (k) ON t.k = n.k WHEN MATCHED THEN DELETE", "[1, 10, 1]", "[2, 20, 2]"),
                    new Statement("MERGE INTO t USING (VALUES 1, 3) n (k) ON t.k = n.k WHEN NOT MATCHED THEN INSERT VALUES (n.k, 30, 3) WHEN MATCHED THEN DELETE", "[2, 20, 2]", "[3, 30, 3]")))
            .put("TRUNCATE", ImmutableList.of(
                    new Statement("TRUNCATE TABLE t")))
            .put(OVERWRITE, ImmutableList.of(
                    new Statement("INSERT INTO t VALUES (2, 21, 1), (3, 30, 3)", "[2, 21, 1]", "[3, 30, 3]"),
                    new Statement("INSERT INTO t SELECT * FROM t WHERE k = 1", "[1, 10, 1]"),
                    new Statement("INSERT INTO t SELECT * FROM t WHERE k = 9")))
            .buildOrThrow();

    private record Statement(@Language("SQL") String sql, List<String> rows)
    {
        private Statement(@Language("SQL") String sql, String... rows)
        {
            this(sql, ImmutableList.copyOf(rows));
        }
    }

    /**
     * @param cells by heading
     */
    private record MatrixRow(String mergeEngine, Map<String, String> options, Map<String, String> cells)
    {
        @Override
        public String toString()
        {
            return mergeEngine + " " + options;
        }
    }

    static List<MatrixRow> matrix()
            throws IOException
    {
        List<List<String>> lines = Files.readAllLines(Repository.root().resolve("docs/row-changes.md")).stream()
                // the first table of the page
                .dropWhile(line -> !line.startsWith("|"))
                .takeWhile(line -> line.startsWith("|"))
                .filter(line -> !line.startsWith("|-"))
                .map(CELLS::splitToList)
                .map(cells -> cells.subList(1, cells.size() - 1))
                .toList();
        List<String> headings = lines.getFirst();
        assertThat(headings.subList(2, headings.size())).containsExactlyElementsOf(STATEMENTS.keySet());
        return lines.subList(1, lines.size()).stream()
                .map(cells -> new MatrixRow(
                        codes(cells.getFirst()).getFirst(),
                        codes(cells.get(1)).stream().map(option -> Splitter.on('=').limit(2).splitToList(option)).collect(toImmutableMap(List::getFirst, List::getLast)),
                        STATEMENTS.keySet().stream().collect(toImmutableMap(heading -> heading, heading -> cells.get(headings.indexOf(heading))))))
                .collect(toImmutableList());
    }

    private static List<String> codes(String cell)
    {
        return CODE.matcher(cell).results().map(result -> result.group(1)).toList();
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void testMatrix(MatrixRow row)
            throws Exception
    {
        OracleTable table = create(row);
        Optional<String> unsupported = whyNotWritten();
        List<String> before = paimonRows(table);
        int snapshots = paimon.snapshots(table).size();
        for (Map.Entry<String, String> cell : row.cells().entrySet()) {
            if (isDone(cell.getValue()) && unsupported.isEmpty()) {
                continue;
            }
            String named = unsupported.orElseGet(() -> codes(cell.getValue()).getFirst());
            for (Statement statement : STATEMENTS.get(cell.getKey())) {
                // there is no plan that would begin to write
                checkRefused(session(cell.getKey()), "EXPLAIN " + statement.sql(), named);
            }
            checkRefused(session(cell.getKey()), STATEMENTS.get(cell.getKey()).getFirst().sql(), named);
        }
        assertThat(paimon.snapshots(table)).hasSize(snapshots);
        assertThat(paimonRows(table)).isEqualTo(before);
        for (Map.Entry<String, String> cell : row.cells().entrySet()) {
            if (isDone(cell.getValue()) && unsupported.isEmpty()) {
                int refused = 0;
                for (Statement statement : STATEMENTS.get(cell.getKey())) {
                    if (cell.getValue().equals(YES_BY_ROW) && isRefusedByRow(row, table, statement)) {
                        refused++;
                        continue;
                    }
                    checkDone(table, session(cell.getKey()), statement);
                    table = create(row);
                }
                assertThat(refused > 0).as("%s %s", row, cell.getKey()).isEqualTo(cell.getValue().equals(YES_BY_ROW));
            }
        }
        computeActual("DROP TABLE t");
    }

    private static boolean isDone(String cell)
    {
        return cell.equals(YES) || cell.equals(YES_BY_ROW);
    }

    /**
     * Whether the statement would set what has a value to NULL, or make a sequence smaller. Then it must be refused for that, and change nothing. Else nothing happens.
     */
    private boolean isRefusedByRow(MatrixRow row, OracleTable table, Statement statement)
            throws Exception
    {
        boolean group = row.options().containsKey("fields.s.sequence-group");
        boolean setsNull = statement.sql().contains("s = NULL") || !group && statement.sql().contains("v = NULL");
        if (!setsNull && !(group && statement.sql().contains("s = 0"))) {
            return false;
        }
        List<String> before = paimonRows(table);
        int snapshots = paimon.snapshots(table).size();
        assertTrinoExceptionThrownBy(() -> computeActual(statement.sql())).as(statement.sql())
                .hasErrorCode(CONSTRAINT_VIOLATION)
                .hasMessageContaining("default.t")
                .hasMessageContaining(statement.sql().contains("v = NULL") ? "Column v" : "Column s");
        assertThat(paimon.snapshots(table)).hasSize(snapshots);
        assertThat(paimonRows(table)).isEqualTo(before);
        return true;
    }

    private OracleTable create(MatrixRow row)
            throws Exception
    {
        computeActual("DROP TABLE IF EXISTS t");
        OracleTable table = paimon.createTable("default", "t", new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "INT"), new Column("s", "INT")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder().put("bucket", "1").put("changelog-producer", "lookup").put("merge-engine", row.mergeEngine()).putAll(row.options()).buildOrThrow()));
        paimon.write(table, ImmutableList.of(insert(1, 10, 1), insert(2, 20, 2)));
        return table;
    }

    /**
     * The option because of which the table cannot be written at all; empty if it can.
     */
    private Optional<String> whyNotWritten()
    {
        try {
            computeActual("EXPLAIN INSERT INTO t VALUES (1, 1, 1)");
            return Optional.empty();
        }
        catch (QueryFailedException e) {
            Matcher matcher = Pattern.compile("Table default\\.t cannot be written: Option '([^']+)'.*").matcher(e.getMessage());
            verify(matcher.matches(), "%s", e.getMessage());
            return Optional.of(matcher.group(1));
        }
    }

    private Session session(String heading)
    {
        return heading.equals(OVERWRITE) ?
                Session.builder(getSession()).setCatalogSessionProperty(LookupQueryRunner.CATALOG, "insert_overwrite", "true").build() :
                getSession();
    }

    private void checkDone(OracleTable table, Session session, Statement statement)
            throws Exception
    {
        computeActual(session, statement.sql());
        assertThat(LogReplay.rows(this::computeActual, "SELECT * FROM t")).as(statement.sql()).containsExactlyElementsOf(statement.rows());
        assertThat(paimonRows(table)).as(statement.sql()).containsExactlyElementsOf(statement.rows());
        assertLogGivesTable("t");
    }

    private void checkRefused(Session session, @Language("SQL") String sql, String named)
    {
        assertTrinoExceptionThrownBy(() -> computeActual(session, sql)).as(sql).hasErrorCode(NOT_SUPPORTED).hasMessageContaining(named);
    }

    private List<String> paimonRows(OracleTable table)
            throws Exception
    {
        return paimon.readTable(table).stream()
                .map(Change::values)
                .map(Object::toString)
                .sorted()
                .toList();
    }
}
