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

import io.lookup.storage.oracle.PaimonOracle;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two tables with {@code lookup_wait = false} on a server that is killed when their statements have come back and the first of many buckets is
 * being compacted. The next statements take along what was left, and a server that is stopped in order leaves nothing.
 * <p>
 * To be used on servers with one thread for these compactions: it compacts all buckets of a statement, and publishes them together.
 */
final class DeferredCompactions
        implements AutoCloseable
{
    private static final long WAIT_SECONDS = 600;

    private final Path scratch;
    private final PaimonOracle paimon;
    private final DeferredTable large = new DeferredTable("large", 12, false);
    // adds up, so that a row that is lifted twice shows
    private final DeferredTable small = new DeferredTable("small", 2, true);
    private long waitingFiles;

    DeferredCompactions(Path warehouse, Path scratch)
    {
        this.scratch = requireNonNull(scratch, "scratch is null");
        this.paimon = new PaimonOracle(warehouse, scratch);
    }

    void createTables(TestingServerProcess server)
            throws SQLException
    {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            large.create(statement);
            small.create(statement);
        }
        writeAgain(server);
    }

    /**
     * Writes both tables, which takes along what waits.
     */
    void writeAgain(TestingServerProcess server)
            throws SQLException
    {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            small.insert(statement);
            large.insert(statement);
        }
    }

    /**
     * The moment comes in the middle of the compaction of the large table. What the tables were given before is logged by then.
     */
    KillMoment moment(TestingServerProcess server)
    {
        return new KillMoment()
        {
            @Override
            public void await(long statementMillis)
                    throws IOException, InterruptedException
            {
                awaitLog();
                long before = large.changelogFiles(paimon);
                try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                    small.insert(statement);
                    large.delete(statement);
                }
                catch (SQLException e) {
                    throw new IllegalStateException("A statement failed before the kill", e);
                }
                awaitTrue(() -> large.changelogFiles(paimon) > before, 0);
            }

            @Override
            public String description()
            {
                return "in a compaction in the background";
            }
        };
    }

    private void awaitLog()
            throws IOException, InterruptedException
    {
        awaitTrue(() -> large.waitingFiles(paimon) + small.waitingFiles(paimon) == 0, 20);
    }

    private static void awaitTrue(Condition condition, long pauseMillis)
            throws IOException, InterruptedException
    {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (!condition.isTrue()) {
            checkState(System.nanoTime() < end, "No compaction came");
            Thread.sleep(pauseMillis);
        }
    }

    /**
     * To be called when the server is gone: the rows of all statements are there.
     */
    void afterKill()
            throws IOException
    {
        waitingFiles += large.waitingFiles(paimon);
        System.out.printf("%s and %s files wait for their compaction%n", large.waitingFiles(paimon), small.waitingFiles(paimon));
        for (DeferredTable table : List.of(large, small)) {
            table.checkRows(paimon);
        }
    }

    /**
     * Whether any of the kills met files whose compaction had not been published. A machine that stands still for a moment may let a compaction end.
     */
    boolean metWaitingFiles()
    {
        return waitingFiles > 0;
    }

    /**
     * Writes both tables and ends the server at once by SIGTERM: nothing waits then, and the logs are exact.
     *
     * @return whether the server was still compacting when it was told to end
     */
    boolean endWhileCompacting(TestingServerProcess server)
            throws IOException, InterruptedException, SQLException
    {
        writeAgain(server);
        Instant told = Instant.now();
        server.terminate();
        for (DeferredTable table : List.of(large, small)) {
            assertThat(table.waitingFiles(paimon)).as("files that wait").isZero();
            table.checkRows(paimon);
            table.checkLog(paimon, scratch);
        }
        Duration late = Duration.between(told, large.lastCommit(paimon, scratch));
        System.out.printf("the last compaction was published %s after SIGTERM%n", late);
        return late.isPositive();
    }

    @Override
    public void close()
            throws Exception
    {
        paimon.close();
    }

    private interface Condition
    {
        boolean isTrue()
                throws IOException;
    }
}
