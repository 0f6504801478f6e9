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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Every merge engine with every changelog producer and each option that decides over rows, under every statement: it does what it says, or is refused while it
 * is planned and names an option of the table. {@link TestRefusalMatrix} says which of both; this is about what nobody thought of. A build takes some
 * of the tables, {@code -Pthorough} all.
 */
final class TestStatementMatrix
        extends AbstractOracleQueryTest
{
    // a prime, so that the tables of a build differ in engine, producer and option
    private static final int STEP = Integer.getInteger("lookup.matrix.step", Boolean.getBoolean("lookup.thorough") ? 1 : 61);
    private static final int FIRST = Integer.getInteger("lookup.matrix.first", 9);

    private static final List<Map<String, String>> ENGINES = ImmutableList.of(
            ImmutableMap.of("merge-engine", "deduplicate"),
            ImmutableMap.of("merge-engine", "aggregation"),
            ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "sum", "aggregation.remove-record-on-delete", "true"),
            ImmutableMap.of("merge-engine", "partial-update"),
            ImmutableMap.of("merge-engine", "partial-update", "partial-update.remove-record-on-delete", "true"),
            ImmutableMap.of("merge-engine", "partial-update", "fields.s.sequence-group", "v", "partial-update.remove-record-on-sequence-group", "s"),
            ImmutableMap.of("merge-engine", "first-row"));
    private static final List<String> PRODUCERS = ImmutableList.of("none", "input", "lookup", "full-compaction");
    private static final List<Map<String, String>> OPTIONS = ImmutableList.of(
            ImmutableMap.of(),
            ImmutableMap.of("deletion-vectors.enabled", "true"),
            ImmutableMap.of("write-only", "true"),
            ImmutableMap.of("sequence.field", "s"),
            ImmutableMap.of("rowkind.field", "kind"),
            ImmutableMap.of("ignore-delete", "true"),
            ImmutableMap.of("ignore-update-before", "true"),
            ImmutableMap.of("bucket", "-1"),
            ImmutableMap.of("bucket", "-2"));

    // what becomes of (1, 10, 1) and (2, 20, 2), whatever the merge engine; all but one can be explained
    private static final List<Statement> STATEMENTS = ImmutableList.of(
            new Statement("INSERT INTO t VALUES (3, 30, 3, '+I')", false, "[1, 10, 1, +I]", "[2, 20, 2, +I]", "[3, 30, 3, +I]"),
            new Statement("UPDATE t SET v = 11 WHERE k = 1", false, "[1, 11, 1, +I]", "[2, 20, 2, +I]"),
            new Statement("UPDATE t SET k = 5 WHERE k = 1", false, "[2, 20, 2, +I]", "[5, 10, 1, +I]"),
            new Statement("DELETE FROM t WHERE k = 1", false, "[2, 20, 2, +I]"),
            new Statement("DELETE FROM t", false),
            new Statement("MERGE INTO t USING (VALUES 1, 3) n (k) ON t.k = n.k WHEN NOT MATCHED THEN INSERT VALUES (n.k, 30, 3, '+I')", false, "[1, 10, 1, +I]", "[2, 20, 2, +I]", "[3, 30, 3, +I]"),
            new Statement("MERGE INTO t USING (VALUES 1, 3) n (k) ON t.k = n.k WHEN MATCHED THEN UPDATE SET v = 11", false, "[1, 11, 1, +I]", "[2, 20, 2, +I]"),
            new Statement("MERGE INTO t USING (VALUES 1, 3) n (k) ON t.k = n.k WHEN MATCHED THEN DELETE", false, "[2, 20, 2, +I]"),
            new Statement("TRUNCATE TABLE t", false),
            new Statement("INSERT INTO t VALUES (2, 21, 1, '+I'), (3, 30, 3, '+I')", true, "[2, 21, 1, +I]", "[3, 30, 3, +I]"));

    private record Statement(@Language("SQL") String sql, boolean overwrites, List<String> rows)
    {
        private Statement(@Language("SQL") String sql, boolean overwrites, String... rows)
        {
            this(sql, overwrites, ImmutableList.copyOf(rows));
        }
    }

    static List<Map<String, String>> tables()
    {
        List<Map<String, String>> tables = new ArrayList<>();
        for (Map<String, String> engine : ENGINES) {
            for (String producer : PRODUCERS) {
                for (Map<String, String> option : OPTIONS) {
                    Map<String, String> table = new LinkedHashMap<>();
                    table.put("bucket", "1");
                    table.putAll(engine);
                    table.put("changelog-producer", producer);
                    table.putAll(option);
                    tables.add(table);
                }
            }
        }
        List<Map<String, String>> chosen = new ArrayList<>();
        for (int index = FIRST % STEP; index < tables.size(); index += STEP) {
            chosen.add(tables.get(index));
        }
        return chosen;
    }

    @ParameterizedTest
    @MethodSource("tables")
    void testTable(Map<String, String> options)
            throws Exception
    {
        Optional<OracleTable> table = create(options);
        if (table.isEmpty()) {
            checkCreateRefused(options);
            return;
        }
        int done = 0;
        for (Statement statement : STATEMENTS) {
            if (runs(options, table.get(), statement)) {
                done++;
                table = create(options);
            }
        }
        // a table that takes rows takes them by INSERT, and gives them up by TRUNCATE
        assertThat(done).isIn(options.get("bucket").equals("-2") ? 0 : 3, 4, 5, 6, 7, 8, 9, 10);
        computeActual("DROP TABLE t");
    }

    /**
     * @return whether the statement did what it says; else it was refused and has changed nothing
     */
    private boolean runs(Map<String, String> options, OracleTable table, Statement statement)
            throws Exception
    {
        Session session = !statement.overwrites() ? getSession() : Session.builder(getSession())
                .setCatalogSessionProperty(LookupQueryRunner.CATALOG, "insert_overwrite", "true")
                .build();
        String name = options + ": " + statement.sql();
        int snapshots = paimon.snapshots(table).size();
        List<String> before = paimonRows(table);
        try {
            computeActual(session, statement.sql());
        }
        catch (QueryFailedException e) {
            assertTrinoExceptionThrownBy(() -> {
                throw e;
            }).as(name).hasErrorCode(NOT_SUPPORTED);
            assertThat(new TreeSet<>(options.keySet())).as("%s: %s", name, e.getMessage()).anyMatch(option -> e.getMessage().contains(option));
            if (!statement.sql().startsWith("TRUNCATE")) {
                assertThatThrownBy(() -> computeActual(session, "EXPLAIN " + statement.sql()), "%s", name).hasMessage(e.getMessage());
            }
            assertThat(paimon.snapshots(table)).as(name).hasSize(snapshots);
            assertThat(paimonRows(table)).as(name).isEqualTo(before);
            return false;
        }
        boolean compacted = !options.containsKey("write-only") && !options.get("changelog-producer").equals("full-compaction");
        if (!compacted) {
            computeActual("ALTER TABLE t EXECUTE optimize");
        }
        assertThat(LogReplay.rows(this::computeActual, "SELECT * FROM t")).as(name).containsExactlyElementsOf(statement.rows());
        assertThat(paimonRows(table)).as(name).containsExactlyElementsOf(statement.rows());
        if (options.get("changelog-producer").equals("lookup") || options.get("changelog-producer").equals("full-compaction")) {
            assertLogGivesTable("t");
        }
        return true;
    }

    /**
     * With two rows that everybody sees; empty if Paimon refuses such a table.
     */
    private Optional<OracleTable> create(Map<String, String> options)
            throws Exception
    {
        computeActual("DROP TABLE IF EXISTS t");
        OracleTable table;
        try {
            table = paimon.createTable("default", "t", new PaimonTableDefinition(
                    ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "INT"), new Column("s", "INT"), new Column("kind", "STRING")),
                    ImmutableList.of("k"),
                    ImmutableList.of(),
                    ImmutableMap.copyOf(options)));
        }
        catch (RuntimeException _) {
            return Optional.empty();
        }
        if (!options.get("bucket").equals("-2")) {
            paimon.write(table, ImmutableList.of(Change.insert(1, 10, 1, "+I"), Change.insert(2, 20, 2, "+I")));
            if (options.containsKey("write-only") || options.get("changelog-producer").equals("full-compaction")) {
                computeActual("ALTER TABLE t EXECUTE optimize");
            }
            assertThat(paimonRows(table)).as("%s", options).containsExactly("[1, 10, 1, +I]", "[2, 20, 2, +I]");
        }
        return Optional.of(table);
    }

    private void checkCreateRefused(Map<String, String> options)
    {
        List<String> others = options.entrySet().stream()
                .filter(option -> !List.of("bucket", "merge-engine", "changelog-producer", "sequence.field", "deletion-vectors.enabled").contains(option.getKey()))
                .map(option -> "'%s=%s'".formatted(option.getKey(), option.getValue()))
                .toList();
        @Language("SQL") String sql = "CREATE TABLE t (k integer, v integer, s integer, kind varchar) WITH (primary_key = ARRAY['k'], bucket = %s, merge_engine = '%s', changelog_producer = '%s', deletion_vectors_enabled = %s%s, options = ARRAY[%s])".formatted(
                options.get("bucket"),
                options.get("merge-engine"),
                options.get("changelog-producer"),
                options.containsKey("deletion-vectors.enabled"),
                options.containsKey("sequence.field") ? ", sequence_field = ARRAY['s']" : "",
                String.join(", ", others));
        assertThatThrownBy(() -> computeActual(sql)).as(sql).isInstanceOf(QueryFailedException.class).satisfies(e ->
                assertThat(options.keySet().stream().filter(option -> !option.equals("bucket"))).as(e.getMessage()).anyMatch(option -> e.getMessage().contains(option) || e.getMessage().contains(option.replaceAll("[.-]", "_"))));
    }

    private List<String> paimonRows(OracleTable table)
            throws Exception
    {
        return paimon.readTable(table).stream()
                .map(Change::values)
                .map(Object::toString)
                .sorted()
                .collect(toImmutableList());
    }
}
