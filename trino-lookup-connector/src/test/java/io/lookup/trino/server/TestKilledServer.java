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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * SIGKILL of the whole server at random moments of a loop of inserts: afterwards the table is what it was between two statements, and the log
 * goes on exactly. Some kills come when statements that do not wait for their log have come back and it is being written. In the end SIGTERM comes then, and leaves nothing unwritten. The number of kills is the system property {@code lookup.kills}, by default 2, in thorough runs 20; {@code lookup.seed}
 * repeats the choice of keys and moments, though not the exact interleaving.
 */
final class TestKilledServer
{
    private static final int KILLS = Integer.getInteger("lookup.kills", Boolean.getBoolean("lookup.thorough") ? 20 : 2);
    private static final long SEED = Long.getLong("lookup.seed", System.nanoTime());
    private static final int MAX_STATEMENTS = 8;
    private static final int MAX_DELAY_MILLIS = 60;
    private static final int MAX_MORE_KILLS = 4;

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

        ImmutableMap<String, String> properties = ImmutableMap.of("lookup.background-compaction.threads", "1");
        TestingServerProcess server = TestingServerProcess.start(data, warehouse.toString(), properties);
        try (DeferredCompactions deferred = new DeferredCompactions(warehouse, folder.resolve("scratch"))) {
            loop.createTable(server);
            deferred.createTables(server);
            for (int kill = 1; kill <= KILLS || (!deferred.metWaitingFiles() && kill <= KILLS + MAX_MORE_KILLS); kill++) {
                int statements = 1 + random.nextInt(MAX_STATEMENTS);
                // of four kills one while rows wait for their compaction, one anywhere in a statement, two about when it is published, which is soon over
                KillMoment moment = switch (kill > KILLS ? 1 : kill % 4) {
                    case 1 -> deferred.moment(server);
                    case 3 -> KillMoment.within(random.nextDouble(1.2));
                    default -> KillMoment.afterPublication(warehouse.resolve("default.db").resolve(InsertLoop.TABLE).resolve("snapshot"), random.nextInt(MAX_DELAY_MILLIS));
                };
                InsertLoop.Outcome outcome = loop.runUntilKilled(server, statements, moment);
                server.close();
                deferred.afterKill();
                server = TestingServerProcess.start(data, warehouse.toString(), properties);
                String found = check.afterRestart(server, loop, outcome);
                deferred.writeAgain(server);
                System.out.printf("kill %2d, %s: %s%n", kill, moment.description(), found);
            }
            // a server that is stopped in order ends what it has begun
            boolean drained = deferred.endWhileCompacting(server);
            for (int end = 1; end <= MAX_MORE_KILLS && !drained; end++) {
                server.close();
                server = TestingServerProcess.start(data, warehouse.toString(), properties);
                drained = deferred.endWhileCompacting(server);
            }
            assertThat(drained).as("SIGTERM came while rows waited for their compaction").isTrue();
            assertThat(deferred.metWaitingFiles()).as("a kill came while rows waited for their compaction").isTrue();
        }
        finally {
            server.close();
        }
        System.out.println(check.summary(loop));
        assertThat(check.violations()).isEmpty();
    }
}
