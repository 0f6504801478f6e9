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

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.trino.server.SoakHistory.LogEntry;
import io.lookup.trino.server.SoakHistory.Outcome;
import io.lookup.trino.server.SoakStatement.Kind;
import io.lookup.trino.server.SoakStatement.Row;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static io.trino.spi.StandardErrorCode.TRANSACTION_CONFLICT;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Eight clients on two servers that share a warehouse, each of which is killed now and then, for {@code lookup.soak.seconds}, which is at least 15: a minute
 * in every build, half an hour in thorough runs. {@link SoakHistory} says what must hold.
 */
final class SoakRun
{
    private static final int SECONDS = Integer.getInteger("lookup.soak.seconds", Boolean.getBoolean("lookup.thorough") ? 1800 : 60);
    private static final long SEED = Long.getLong("lookup.seed", System.nanoTime());
    private static final int CLIENTS = 8;
    // who prepares the table, before any server is killed
    private static final int NOBODY = -1;
    private static final int SERVERS = 2;
    // so that nothing expires before it was seen
    private static final int RETAINED = 300;
    // the driver would ask a dead server for minutes
    private static final int IMPATIENT_MILLIS = 10_000;
    private static final int PATIENT_MILLIS = 300_000;
    private static final OracleTable ORACLE_TABLE = new OracleTable("default", SoakStatement.TABLE);

    private final Path folder;
    private final String warehouse;
    private final Path files;
    private final Map<String, String> properties;
    private final SoakHistory history = new SoakHistory();
    private final TestingServerProcess[] servers = new TestingServerProcess[SERVERS];
    private final boolean[] down = new boolean[SERVERS];
    private volatile boolean ended;

    /**
     * @param folder of what the servers and Paimon need besides
     * @param warehouse as the servers name it
     * @param files where the warehouse lies on the local disk, for Paimon
     * @param properties more properties of the catalog
     */
    SoakRun(Path folder, String warehouse, Path files, Map<String, String> properties)
    {
        this.folder = requireNonNull(folder, "folder is null");
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
        this.files = requireNonNull(files, "files is null");
        this.properties = ImmutableMap.copyOf(properties);
    }

    void run()
            throws Exception
    {
        Random random = new Random(SEED);
        System.out.printf("%s seconds, seed %s%n", SECONDS, SEED);
        try {
            startAll();
            run(NOBODY, 0, new SoakStatement("creation", Kind.OPTIMIZE, SoakStatement.createTable(), List.of()));
            run(NOBODY, 0, SoakStatement.first());
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            List<Thread> threads = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                int number = client;
                long seed = random.nextLong();
                threads.add(Thread.ofPlatform().name("client-" + client).start(() -> runClient(number, new Random(seed), end)));
            }
            threads.add(Thread.ofPlatform().name("observer").start(() -> observe(random.nextLong())));
            int kills = 0;
            while (System.nanoTime() < end) {
                Thread.sleep(Math.min(Math.max(0, (end - System.nanoTime()) / 1_000_000), (SECONDS >= 120 ? 5_000 : 2_000) + random.nextInt(10_000)));
                if (System.nanoTime() >= end) {
                    break;
                }
                int server = random.nextInt(SERVERS);
                kill(server);
                kills++;
                start(server);
                down(server, false);
            }
            ended = true;
            for (Thread thread : threads) {
                thread.join();
            }
            finish();
            System.out.printf("%s kills; %s%n", kills, history.summary());
            assertThat(kills).as("kills").isPositive();
        }
        finally {
            ended = true;
            for (TestingServerProcess server : servers) {
                if (server != null) {
                    server.close();
                }
            }
        }
        assertThat(history.violations()).isEmpty();
    }

    private void startAll()
            throws Exception
    {
        try (ExecutorService executor = Executors.newFixedThreadPool(SERVERS)) {
            List<Callable<Void>> starts = new ArrayList<>();
            for (int server = 0; server < SERVERS; server++) {
                int number = server;
                starts.add(() -> {
                    start(number);
                    return null;
                });
            }
            for (Future<Void> started : executor.invokeAll(starts)) {
                started.get();
            }
        }
    }

    private void start(int server)
            throws Exception
    {
        servers[server] = TestingServerProcess.start(folder.resolve("data" + server), warehouse, properties);
    }

    private void kill(int server)
            throws InterruptedException
    {
        down(server, true);
        servers[server].kill();
    }

    private synchronized void down(int server, boolean value)
    {
        down[server] = value;
    }

    /**
     * One that was not killed.
     */
    private synchronized int anyServer(Random random)
    {
        int server = random.nextInt(SERVERS);
        return down[server] ? (server + 1) % SERVERS : server;
    }

    private void runClient(int client, Random random, long end)
    {
        for (int number = 0; System.nanoTime() < end; number++) {
            run(client, anyServer(random), SoakStatement.random("c%s_%s".formatted(client, number), random));
        }
    }

    private void run(int client, int server, SoakStatement statement)
    {
        Set<String> known = history.known();
        boolean killed = isDown(server);
        try (Connection connection = connect(server, statement.name(), client == NOBODY ? PATIENT_MILLIS : IMPATIENT_MILLIS); Statement sql = connection.createStatement()) {
            if (statement.kind() == Kind.READ) {
                history.read(statement.name(), rows(sql, statement.sql()), known);
                history.sent(client, statement, Outcome.SUCCEEDED, 0);
                return;
            }
            int count = Math.max(0, PatientStatements.executeUpdate(sql, statement.sql()));
            history.sent(client, statement, Outcome.SUCCEEDED, statement.effects().isEmpty() ? 0 : count);
        }
        catch (SQLException e) {
            String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            boolean conflict = e.getErrorCode() == TRANSACTION_CONFLICT.toErrorCode().getCode();
            history.sent(client, statement, conflict ? Outcome.FAILED : Outcome.UNKNOWN, 0);
            boolean connection = killed || isDown(server) || message.contains("Error executing query") || message.contains("Error fetching next") || message.contains("Error fetching results");
            history.error("%s: %s".formatted(statement.kind(), connection ? "the server ended" : message.replaceAll("#[0-9a-z_]+", "<query>").replaceAll("[0-9]+", "<n>")));
            if (!conflict && !connection && !allowed(message)) {
                history.violation("%s: %s".formatted(statement.sql(), e.getMessage()));
            }
        }
    }

    private static boolean allowed(String message)
    {
        // a server that has just been started
        return message.contains("Trino server is still initializing") || message.contains("No nodes available") || message.contains("nodes is empty");
    }

    private synchronized boolean isDown(int server)
    {
        return down[server];
    }

    private Connection connect(int server, String user, int timeoutMillis)
            throws SQLException
    {
        Connection connection = servers[server].connect(user);
        connection.setNetworkTimeout(Runnable::run, timeoutMillis);
        return connection;
    }

    /**
     * Reads snapshots and log before they expire.
     */
    private void observe(long seed)
    {
        Random random = new Random(seed);
        while (!ended) {
            try {
                Thread.sleep(500);
                collect(anyServer(random), IMPATIENT_MILLIS);
            }
            catch (SQLException e) {
                history.error("observer: " + String.valueOf(e.getMessage()).lines().findFirst().orElse("").replaceAll("#[0-9a-z_]+", "<query>").replaceAll("[0-9]+", "<n>"));
            }
            catch (InterruptedException e) {
                return;
            }
        }
    }

    private void collect(int server, int timeoutMillis)
            throws SQLException
    {
        try (Connection connection = connect(server, "observer", timeoutMillis); Statement statement = connection.createStatement()) {
            long last = history.lastSnapshot();
            List<List<String>> snapshots = PatientStatements.rows(statement, "SELECT snapshot_id, commit_kind, \"$user\" FROM \"soak$snapshots\" WHERE snapshot_id > %s ORDER BY 1".formatted(last));
            if (!snapshots.isEmpty()) {
                List<List<String>> log = PatientStatements.rows(statement, "SELECT \"$snapshot_id\", rowkind, k, v, token FROM \"soak$audit_log\" WHERE \"$snapshot_id\" > %s AND \"$snapshot_id\" <= %s ORDER BY 1, k, rowkind DESC"
                        .formatted(last, snapshots.getLast().getFirst()));
                snapshots.forEach(row -> history.snapshot(Long.parseLong(row.get(0)), row.get(1).equals("COMPACT") ? Optional.empty() : Optional.of(row.get(2))));
                log.forEach(row -> history.log(new LogEntry(Long.parseLong(row.get(0)), row.get(1), Integer.parseInt(row.get(2)), new Row(Long.parseLong(row.get(3)), row.get(4)))));
            }
            statement.execute("SET SESSION lake.expire_snapshots_min_retention = '0s'");
            statement.execute("ALTER TABLE soak EXECUTE expire_snapshots(retention_threshold => '0s', retain_last => %s)".formatted(RETAINED));
        }
    }

    private void finish()
            throws Exception
    {
        Map<Integer, Row> table;
        try (Connection connection = connect(0, "tester", PATIENT_MILLIS); Statement statement = connection.createStatement()) {
            PatientStatements.execute(statement, "ALTER TABLE soak EXECUTE optimize");
            collect(0, PATIENT_MILLIS);
            table = rows(statement, "SELECT k, v, token FROM soak");
            PatientStatements.rows(statement, "SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'soak'))")
                    .forEach(row -> history.violation("verify_changelog: " + row));
        }
        history.check(table);
        try (PaimonOracle paimon = new PaimonOracle(files, folder.resolve("scratch"))) {
            String expected = table.entrySet().stream()
                    .map(row -> Change.insert(row.getKey(), row.getValue().value(), row.getValue().token()).rowText())
                    .sorted()
                    .collect(joining("\n"));
            String found = paimon.readTable(ORACLE_TABLE).stream().map(Change::rowText).sorted().collect(joining("\n"));
            if (!found.equals(expected)) {
                history.violation("Paimon reads %s instead of %s".formatted(found, expected));
            }
        }
    }

    private static Map<Integer, Row> rows(Statement statement, String sql)
            throws SQLException
    {
        Map<Integer, Row> rows = new TreeMap<>();
        for (List<String> row : PatientStatements.rows(statement, sql)) {
            assertThat(rows.put(Integer.valueOf(row.get(0)), new Row(Long.parseLong(row.get(1)), row.get(2)))).as("key that is there twice").isNull();
        }
        return rows;
    }
}
