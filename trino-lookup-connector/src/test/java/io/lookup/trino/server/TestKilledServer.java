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
import io.lookup.storage.oracle.PaimonOracle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;

import static com.google.common.base.Preconditions.checkState;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * SIGKILL of the whole server at random moments of a loop of inserts: afterwards the table is what it was between two statements, and the log
 * goes on exactly. The number of kills is the system property {@code lookup.kills}, by default 2, in thorough runs 20; {@code lookup.seed}
 * repeats the choice of keys and moments, though not the exact interleaving.
 */
final class TestKilledServer
{
    private static final int KILLS = Integer.getInteger("lookup.kills", Boolean.getBoolean("lookup.thorough") ? 20 : 2);
    private static final long SEED = Long.getLong("lookup.seed", System.nanoTime());
    private static final int MAX_STATEMENTS = 8;
    private static final int MAX_DELAY_MILLIS = 60;
    private static final int MAX_TRIES = 3;

    @Test
    void testKills(@TempDir Path folder)
            throws Exception
    {
        Random random = new Random(SEED);
        Path data = folder.resolve("data");
        Path warehouse = folder.resolve("warehouse");
        InsertLoop loop = new InsertLoop(random);
        LedgerCheck check = new LedgerCheck(warehouse, folder.resolve("scratch"));
        System.out.printf("%s kills, seed %s%n", KILLS, SEED);

        TestingServerProcess server = TestingServerProcess.start(data, warehouse.toString(), ImmutableMap.of());
        try {
            loop.createTable(server);
            for (int kill = 1; kill <= KILLS; kill++) {
                int statements = 1 + random.nextInt(MAX_STATEMENTS);
                // half of the kills anywhere in a statement, half about when it is published, which is soon over
                KillMoment moment = kill % 2 == 1 ?
                        KillMoment.within(random.nextDouble(1.2)) :
                        KillMoment.afterPublication(warehouse.resolve("default.db").resolve(InsertLoop.TABLE).resolve("snapshot"), random.nextInt(MAX_DELAY_MILLIS));
                InsertLoop.Outcome outcome = loop.runUntilKilled(server, statements, moment);
                server.close();
                server = TestingServerProcess.start(data, warehouse.toString(), ImmutableMap.of());
                String found = check.afterRestart(server, loop, outcome);
                System.out.printf("kill %2d, %s: %s%n", kill, moment.description(), found);
            }
        }
        finally {
            server.close();
        }
        System.out.println(check.summary(loop));
        assertThat(check.violations()).isEmpty();
    }

    /**
     * SIGKILL when statements have come back whose changes are still to be logged in the background: of one table the compaction has begun, the other's waits for it. The
     * next statements take along what was left, and a server that is stopped in an orderly way leaves nothing.
     */
    @Test
    void testKillsBeforeTheLogFollows(@TempDir Path folder)
            throws Exception
    {
        Path data = folder.resolve("data");
        Path warehouse = folder.resolve("warehouse");
        ImmutableMap<String, String> properties = ImmutableMap.of("lookup.background-compaction.threads", "1");
        DeferredTable large = new DeferredTable("large", 32, false);
        DeferredTable small = new DeferredTable("small", 2, true);
        TestingServerProcess server = TestingServerProcess.start(data, warehouse.toString(), properties);
        try {
            try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                large.create(statement);
                small.create(statement);
                for (DeferredTable table : List.of(large, small)) {
                    table.insert(statement);
                    table.awaitLog(statement);
                }
            }
            long waiting = 0;
            // a machine that stands still at the wrong moment may let a compaction end
            for (int attempt = 1; attempt <= MAX_TRIES && waiting == 0; attempt++) {
                try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                    large.insert(statement);
                    large.delete(statement);
                    small.insert(statement);
                    server.kill();
                }
                catch (SQLException e) {
                    // a connection cannot be closed in order whose server is gone
                    checkState(!server.isAlive(), "The statements failed: %s", e);
                }
                server.close();
                server = TestingServerProcess.start(data, warehouse.toString(), properties);
                try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                    for (DeferredTable table : List.of(large, small)) {
                        table.checkRows(statement);
                        waiting += table.waitingFiles(statement);
                        table.insert(statement);
                    }
                    for (DeferredTable table : List.of(large, small)) {
                        table.awaitLog(statement);
                        table.checkRows(statement);
                        table.checkLog(statement);
                    }
                }
            }
            System.out.printf("%s files waited for their compaction when the server was killed%n", waiting);
            assertThat(waiting).isPositive();
            try (PaimonOracle paimon = new PaimonOracle(warehouse, folder.resolve("scratch"))) {
                large.checkWithPaimon(paimon);
                small.checkWithPaimon(paimon);
            }

            try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                large.insert(statement);
                small.insert(statement);
            }
            server.terminate();
            try (PaimonOracle paimon = new PaimonOracle(warehouse, folder.resolve("scratch"))) {
                large.checkWithPaimon(paimon);
                small.checkWithPaimon(paimon);
            }
        }
        finally {
            server.close();
        }
    }
}
