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
import io.airlift.log.Level;
import io.airlift.log.Logger;
import io.airlift.log.Logging;
import io.lookup.storage.filesystem.FaultyFileSystem;
import io.lookup.storage.filesystem.FileFaults;
import io.lookup.storage.filesystem.FileFaults.Fault;
import io.lookup.storage.filesystem.FileFaults.Operation;
import io.lookup.storage.schema.TableFilling;
import io.trino.Session;
import io.trino.execution.QueryManager;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One operation of the file system goes wrong under a statement, at each operation in turn. Afterwards the table is whole: as before the statement or as after it.
 *
 * <p>Thorough runs try every point; others a share of them, which moves with the statement. {@code lookup.faults.step} and {@code lookup.faults.first} choose
 * another share, {@code lookup.faults.statements} and {@code lookup.faults.kinds} a selection.
 */
final class TestFaults
        extends AbstractTestQueryFramework
{
    private static final Logger log = Logger.get(TestFaults.class);

    private static final int STEP = Integer.getInteger("lookup.faults.step", Boolean.getBoolean("lookup.thorough") ? 1 : 397);
    private static final int FIRST = Integer.getInteger("lookup.faults.first", 0);
    private static final String STATEMENTS = System.getProperty("lookup.faults.statements", ".*");
    private static final String KINDS = System.getProperty("lookup.faults.kinds", ".*");

    private static final String RETRIES = "'commit.max-retries=2', 'commit.min-retry-wait=1 ms', 'commit.max-retry-wait=2 ms'";
    private static final String PROPERTIES = "primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 2, changelog_producer = '%s', options = ARRAY[" + RETRIES + "%s]";
    private static final String PLAIN = PROPERTIES.formatted("lookup", "");
    private static final String VECTORS = PROPERTIES.formatted("lookup", ", 'deletion-vectors.enabled=true'");

    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-faults");
    private final FileFaults faults = new FileFaults();
    private final Map<Fault, Integer> tried = new EnumMap<>(Fault.class);
    private final Map<String, Integer> errors = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private int tables;

    /**
     * @param sql with the table's name to be filled in
     * @param between whether states of snapshots between the two are as good
     */
    private record Statement(String name, Session session, String sql, boolean creates, boolean between) {}

    private record Base(String name, String properties) {}

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        FaultyFileSystem.register("disk", faults);
        return LookupQueryRunner.createSingleNode(
                warehouse,
                ImmutableMap.of(
                        "lookup.warehouse", FaultyFileSystem.uri("disk", warehouse).toString(),
                        "hadoop." + FaultyFileSystem.PROPERTY, FaultyFileSystem.class.getName()),
                new LookupPlugin());
    }

    @BeforeAll
    void createTables()
    {
        // each fault writes its stack
        Logging.initialize().setLevel("io.lookup", Level.ERROR);
        for (Base base : bases()) {
            String table = "base_" + base.name();
            assertUpdate("CREATE TABLE %s (k bigint, p varchar, v bigint) WITH (%s)".formatted(table, base.properties()));
            assertUpdate("INSERT INTO " + table + " SELECT n, IF(n % 2 = 0, 'a', 'b'), n FROM UNNEST(sequence(1, 8)) t (n)", 8);
            assertUpdate("UPDATE " + table + " SET v = v + 10 WHERE k < 5", 4);
            assertUpdate("DELETE FROM " + table + " WHERE k = 8", 1);
        }
    }

    private static List<Base> bases()
    {
        return ImmutableList.of(new Base("plain", PLAIN), new Base("vectors", VECTORS));
    }

    private List<Statement> statements(Base base)
    {
        return ImmutableList.of(
                statement("insert", "INSERT INTO %s (k, p, v) VALUES (2, 'a', 100), (9, 'a', 9), (10, 'c', 10)"),
                statement("update", "UPDATE %s SET v = v + 1 WHERE k <= 3"),
                statement("move", "UPDATE %s SET k = k + 100, p = 'd' WHERE k <= 3"),
                statement("delete", "DELETE FROM %s WHERE k IN (1, 2)"),
                statement("merge", "MERGE INTO %s t USING (VALUES (1, 'b', 5), (2, 'a', 6), (50, 'b', 7)) s (k, p, v) ON t.k = s.k AND t.p = s.p " +
                        "WHEN MATCHED AND s.k = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, s.p, s.v)"),
                statement("truncate", "TRUNCATE TABLE %s"),
                new Statement("overwrite", overwriting(), "INSERT INTO %s (k, p, v) VALUES (2, 'a', 7), (20, 'a', 8)", false, false),
                statement("optimize", "ALTER TABLE %s EXECUTE optimize"),
                new Statement("ctas", getSession(), "CREATE TABLE %s WITH (" + base.properties() + ") AS SELECT * FROM base_" + base.name(), true, false),
                statement("expire", "ALTER TABLE %s EXECUTE expire_snapshots(retention_threshold => '0s', retain_last => 2)"),
                new Statement("rollback", getSession(), "ALTER TABLE %s EXECUTE rollback_to_snapshot(snapshot_id => 2)", false, true),
                statement("orphans", "ALTER TABLE %s EXECUTE remove_orphan_files(retention_threshold => '0s')"),
                statement("tag", "ALTER TABLE %s EXECUTE create_tag(tag => 'here')"),
                statement("column", "ALTER TABLE %s ADD COLUMN w bigint"));
    }

    private Statement statement(String name, String sql)
    {
        return new Statement(name, unguarded(), sql, false, false);
    }

    @Test
    void testEachOperation()
            throws Exception
    {
        int offset = FIRST;
        for (Base base : bases()) {
            for (Statement statement : statements(base)) {
                if (statement.name().matches(STATEMENTS)) {
                    offset = tryEach(base, statement, offset);
                }
            }
        }
        System.out.println("Faults tried: %s".formatted(tried));
        errors.forEach((message, count) -> System.out.println("%s times: %s".formatted(count, message)));
        assertThat(violations).isEmpty();
    }

    /**
     * @return where the next statement's share of the points begins
     */
    private int tryEach(Base base, Statement statement, int offset)
            throws Exception
    {
        String clean = prepare(base, statement);
        Set<List<String>> allowed = new LinkedHashSet<>();
        if (!statement.creates()) {
            allowed.add(rows(clean));
            Set<String> files = new TableFolder(folder(clean)).files();
            computeActual(statement.session(), "EXPLAIN " + statement.sql().formatted(clean));
            assertThat(new TableFolder(folder(clean)).files()).as("files after EXPLAIN").isEqualTo(files);
        }
        if (statement.between()) {
            computeActual("SELECT snapshot_id FROM \"" + clean + "$snapshots\"").getOnlyColumnAsSet()
                    .forEach(id -> allowed.add(LogReplay.rows(this::computeActual, "SELECT * FROM " + clean + " FOR VERSION AS OF " + id)));
        }
        faults.arm(Fault.NONE, 0);
        computeActual(statement.session(), statement.sql().formatted(clean));
        List<Operation> operations = faults.operations();
        List<String> after = rows(clean);
        allowed.add(after);
        remove(clean);

        int number = 0;
        int count = 0;
        for (Fault fault : Fault.values()) {
            if (fault == Fault.NONE || !fault.name().matches(KINDS)) {
                continue;
            }
            for (int point = 0; point < operations.size(); point++) {
                if (fault == Fault.TRUNCATE && !operations.get(point).name().matches("read|write|close")) {
                    continue;
                }
                if ((number++ + offset) % STEP == 0) {
                    count++;
                    tried.merge(fault, 1, Integer::sum);
                    String name = "%s %s, %s at %s of %s: %s %s".formatted(base.name(), statement.name(), fault, point, operations.size(), operations.get(point).name(), operations.get(point).path().getName());
                    tryOne(name, base, statement, fault, point, allowed, after);
                }
            }
        }
        System.out.println("%s %s: %s operations, %s points tried".formatted(base.name(), statement.name(), operations.size(), count));
        return (offset + number) % STEP;
    }

    private void tryOne(String name, Base base, Statement statement, Fault fault, int point, Set<List<String>> allowed, List<String> after)
            throws Exception
    {
        String table = prepare(base, statement);
        List<String> openBefore = faults.openStreams();
        faults.arm(fault, point);
        Optional<Throwable> failure = run(statement, table, fault);
        faults.disarm();
        faults.awaitQuiet(10);
        failure.ifPresent(this::count);
        try {
            awaitClosed(openBefore);
            boolean exists = Files.isDirectory(folder(table).resolve("schema")) && tableExists(table);
            if (!exists) {
                assertThat(statement.creates() && failure.isPresent()).as("table is there").isTrue();
                forgetFilling(table);
                computeActual(statement.session(), statement.sql().formatted(table));
            }
            List<String> rows = rows(table);
            if (failure.isEmpty() || !exists) {
                assertThat(rows).as("rows after success").isEqualTo(after);
            }
            else if (!statement.creates() || !rows.isEmpty() || !failure.get().getMessage().contains("the rows were appended as snapshot 1, but are not yet visible")) {
                assertThat(rows).as("rows after %s", failure.get()).isIn(allowed);
            }
            assertReadable(table);
            computeActual("INSERT INTO " + table + " (k, p, v) VALUES (3, 'b', 77), (78, 'a', 78)");
            assertThat(computeActual("SELECT count(*) FROM " + table + " WHERE k IN (3, 78) AND v > 70").getOnlyValue()).isEqualTo(2L);
            assertThat(computeActual("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => '%s'))".formatted(table)).getMaterializedRows()).as("contradictions").isEmpty();
            List<String> last = rows(table);
            Thread.sleep(2);
            computeActual(unguarded(), "ALTER TABLE " + table + " EXECUTE remove_orphan_files(retention_threshold => '0s')");
            assertThat(rows(table)).isEqualTo(last);
            assertThat(new TableFolder(folder(table)).unreferenced()).as("unreferenced").isEmpty();
            assertThat(newlyOpen(openBefore)).isEmpty();
        }
        catch (AssertionError | RuntimeException e) {
            violations.add(name + ": " + e.getMessage());
            log.error(e, "%s (after %s)", name, failure.map(Throwable::toString).orElse("success"));
        }
        remove(table);
    }

    /**
     * Every state that is listed.
     */
    private void assertReadable(String table)
    {
        computeActual("SELECT snapshot_id FROM \"" + table + "$snapshots\"").getOnlyColumnAsSet()
                .forEach(id -> computeActual("SELECT * FROM " + table + " FOR VERSION AS OF " + id));
        computeActual("SELECT * FROM \"" + table + "$audit_log\"");
    }

    /**
     * Lets the time pass after which a statement that was making the table has ended for certain.
     */
    private void forgetFilling(String table)
            throws IOException
    {
        if (!Files.isDirectory(folder(table).resolve("schema"))) {
            return;
        }
        try (Stream<Path> marks = Files.list(folder(table).resolve("schema")).filter(file -> file.getFileName().toString().startsWith(".filling-"))) {
            for (Path mark : marks.toList()) {
                Files.setLastModifiedTime(mark, FileTime.fromMillis(System.currentTimeMillis() - TableFilling.ABANDONED_AFTER_MILLIS - 1000));
            }
        }
    }

    /**
     * The parts of a failed statement end one after the other.
     */
    private void awaitClosed(List<String> openBefore)
            throws InterruptedException
    {
        long start = System.nanoTime();
        while (!newlyOpen(openBefore).isEmpty() && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(5)) {
            Thread.sleep(5);
        }
        assertThat(newlyOpen(openBefore)).as("open streams").isEmpty();
        faults.awaitQuiet(10);
    }

    private List<String> newlyOpen(List<String> before)
    {
        List<String> open = new ArrayList<>(faults.openStreams());
        before.forEach(open::remove);
        return open;
    }

    private Optional<Throwable> run(Statement statement, String table, Fault fault)
            throws Exception
    {
        CompletableFuture<?> done = CompletableFuture.runAsync(() -> computeActual(statement.session(), statement.sql().formatted(table)));
        if (fault == Fault.HANG) {
            while (!done.isDone() && !faults.awaitHanging(5, TimeUnit.MILLISECONDS)) {
                // on its way
            }
            if (!done.isDone()) {
                QueryManager queries = ((DistributedQueryRunner) getQueryRunner()).getCoordinator().getQueryManager();
                queries.getQueries().stream()
                        .filter(query -> !query.getState().isDone())
                        .forEach(query -> queries.cancelQuery(query.getQueryId()));
                Thread.sleep(100);
                faults.disarm();
            }
        }
        try {
            done.get(60, TimeUnit.SECONDS);
            return Optional.empty();
        }
        catch (ExecutionException e) {
            return Optional.of(e.getCause() instanceof CompletionException completion ? completion.getCause() : e.getCause());
        }
    }

    private void count(Throwable failure)
    {
        String message = String.valueOf(failure.getMessage()).lines().findFirst().orElse("").replaceAll("fault://[^ ,;:]+", "<path>").replaceAll("default[.]t[0-9]+", "<table>");
        errors.merge(message, 1, Integer::sum);
    }

    private boolean tableExists(String table)
    {
        return computeActual("SHOW TABLES LIKE '" + table.replace("_", "\\_") + "' ESCAPE '\\'").getRowCount() == 1;
    }

    private List<String> rows(String table)
    {
        return LogReplay.rows(this::computeActual, "SELECT * FROM " + table);
    }

    private String prepare(Base base, Statement statement)
            throws Exception
    {
        String table = "t" + tables++;
        if (!statement.creates()) {
            new TableFolder(folder("base_" + base.name())).copyTo(folder(table));
            if (statement.name().equals("orphans")) {
                Files.writeString(folder(table).resolve("manifest/manifest-left-0"), "left");
                Files.writeString(folder(table).resolve("snapshot/.snapshot-7.left.tmp"), "left");
                Thread.sleep(2);
            }
        }
        return table;
    }

    private void remove(String table)
            throws Exception
    {
        new TableFolder(folder(table)).delete();
    }

    private Path folder(String table)
    {
        return warehouse.resolve("default.db").resolve(table);
    }

    private Session unguarded()
    {
        return Session.builder(getSession())
                .setCatalogSessionProperty(LookupQueryRunner.CATALOG, LookupSessionProperties.EXPIRE_SNAPSHOTS_MIN_RETENTION, "0s")
                .setCatalogSessionProperty(LookupQueryRunner.CATALOG, LookupSessionProperties.REMOVE_ORPHAN_FILES_MIN_RETENTION, "0s")
                .build();
    }

    private Session overwriting()
    {
        return Session.builder(getSession()).setCatalogSessionProperty(LookupQueryRunner.CATALOG, "insert_overwrite", "true").build();
    }
}
