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

import com.google.common.collect.ImmutableSortedMap;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

/**
 * A client that inserts several keys a statement into the table {@code ledger}, and knows which statements succeeded.
 */
final class InsertLoop
{
    static final String TABLE = "ledger";
    private static final int KEYS = 60;
    private static final int MAX_KEYS_OF_STATEMENT = 12;
    // so many that each bucket is hit
    private static final int KEYS_OF_LARGE_STATEMENT = 30;

    private final Random random;
    // what the statements that succeeded have left
    private final SortedMap<Integer, String> confirmed = new TreeMap<>();
    private int statements;

    InsertLoop(Random random)
    {
        this.random = requireNonNull(random, "random is null");
    }

    /**
     * @param inFlight rows of the statement that did not come back
     */
    record Outcome(SortedMap<Integer, String> inFlight) {}

    void createTable(TestingServerProcess server)
            throws SQLException
    {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            PatientStatements.execute(statement, "CREATE TABLE %s (k integer, v varchar) WITH (primary_key = ARRAY['k'], bucket = 2, changelog_producer = 'lookup')".formatted(TABLE));
        }
    }

    /**
     * Inserts until the server is killed.
     *
     * @param statements how many succeed before
     */
    Outcome runUntilKilled(TestingServerProcess server, int statements, KillMoment moment)
            throws IOException, InterruptedException
    {
        Inserter inserter = new Inserter(server, statements);
        inserter.setDaemon(true);
        inserter.start();
        checkState(inserter.succeeded.await(600, TimeUnit.SECONDS), "The statements did not succeed (%s):\n%s", inserter.failure, server.log());
        moment.await(inserter.lastMillis);
        checkState(inserter.isAlive(), "A statement failed before the kill: %s", inserter.failure);
        server.kill();
        // the driver would ask the dead server again and again
        while (inserter.isAlive()) {
            inserter.interrupt();
            inserter.join(100);
        }
        return new Outcome(inserter.inFlight.orElseThrow(() -> new IllegalStateException("The client ended without a failure")));
    }

    /**
     * One more statement, over all buckets, on a server that lives.
     *
     * @return its rows
     */
    SortedMap<Integer, String> insertMany(Statement statement)
            throws SQLException
    {
        SortedMap<Integer, String> rows = nextRows(KEYS_OF_LARGE_STATEMENT);
        PatientStatements.execute(statement, insert(rows));
        confirm(rows);
        return rows;
    }

    /**
     * Takes the rows of a statement as written.
     */
    synchronized void confirm(Map<Integer, String> rows)
    {
        confirmed.putAll(rows);
    }

    synchronized SortedMap<Integer, String> confirmed()
    {
        return ImmutableSortedMap.copyOf(confirmed);
    }

    int statements()
    {
        return statements;
    }

    private SortedMap<Integer, String> nextRows(int count)
    {
        int number = ++statements;
        SortedMap<Integer, String> rows = new TreeMap<>();
        while (rows.size() < count) {
            int key = random.nextInt(KEYS);
            rows.put(key, "s%s k%s".formatted(number, key));
        }
        return rows;
    }

    private static String insert(SortedMap<Integer, String> rows)
    {
        return rows.entrySet().stream()
                .map(row -> "(%s, '%s')".formatted(row.getKey(), row.getValue()))
                .collect(Collectors.joining(", ", "INSERT INTO " + TABLE + " VALUES ", ""));
    }

    private final class Inserter
            extends Thread
    {
        private final TestingServerProcess server;
        private final CountDownLatch succeeded;
        // read by others once this thread has ended
        private Optional<SortedMap<Integer, String>> inFlight = Optional.empty();
        private volatile SQLException failure;
        private volatile long lastMillis;

        private Inserter(TestingServerProcess server, int statements)
        {
            super("inserter");
            this.succeeded = new CountDownLatch(statements);
            this.server = requireNonNull(server, "server is null");
        }

        @Override
        public void run()
        {
            try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                while (true) {
                    SortedMap<Integer, String> rows = nextRows(1 + random.nextInt(MAX_KEYS_OF_STATEMENT));
                    inFlight = Optional.of(rows);
                    long start = System.nanoTime();
                    PatientStatements.execute(statement, insert(rows));
                    confirm(rows);
                    lastMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                    succeeded.countDown();
                }
            }
            catch (SQLException e) {
                failure = e;
            }
        }
    }
}
