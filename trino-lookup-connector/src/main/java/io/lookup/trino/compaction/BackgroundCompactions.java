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
package io.lookup.trino.compaction;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.airlift.stats.CounterStat;
import io.airlift.stats.TimeStat;
import io.airlift.units.Duration;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.LookupConfig;
import io.lookup.trino.changes.SnapshotProperties;
import io.lookup.trino.compaction.WrittenBuckets.Batch;
import io.lookup.trino.compaction.WrittenBuckets.Statement;
import io.lookup.trino.engine.LookupTables;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.airlift.concurrent.Threads.daemonThreadsNamed;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.Executors.newFixedThreadPool;
import static java.util.concurrent.Executors.newSingleThreadScheduledExecutor;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

/**
 * Compactions of this node that no statement waits for. The sinks of a statement on a table with {@code lookup-wait = false}
 * leave what they wrote here; once its commit has appeared the buckets are compacted and published on threads of their own.
 *
 * <p>Nothing depends on it: what is dropped, fails or dies with the node lies at level 0, and the next compaction of the bucket
 * takes it along.
 */
public final class BackgroundCompactions
{
    private static final Logger log = Logger.get(BackgroundCompactions.class);

    private static final long FIRST_POLL_MILLIS = 20;
    private static final long MAX_POLL_MILLIS = 2000;

    private final BucketQueue queue;
    private final PendingCompactor compactor;
    private final int threads;
    private final Duration commitTimeout;
    private final Duration shutdownTimeout;
    private final ExecutorService runners;
    private final ScheduledExecutorService watcher;

    private final CounterStat completed = new CounterStat();
    private final CounterStat failed = new CounterStat();
    private final CounterStat dropped = new CounterStat();
    private final TimeStat time = new TimeStat(MILLISECONDS);

    private int activeRunners;
    private volatile boolean closing;

    @Inject
    public BackgroundCompactions(LookupTables tables, LookupConfig config)
    {
        this.queue = new BucketQueue(config.getBackgroundCompactionMaxPending());
        this.compactor = new PendingCompactor(tables, () -> closing);
        this.threads = config.getBackgroundCompactionThreads();
        this.commitTimeout = config.getBackgroundCompactionCommitTimeout();
        this.shutdownTimeout = config.getBackgroundCompactionShutdownTimeout();
        this.runners = newFixedThreadPool(threads, daemonThreadsNamed("lookup-compaction-%s"));
        this.watcher = newSingleThreadScheduledExecutor(daemonThreadsNamed("lookup-compaction-watch-%s"));
    }

    /**
     * To be called with what a sink has written, before anybody can commit it. Never waits, never throws.
     *
     * @param table as the statement sees it
     * @param baseSnapshotId the snapshot that the statement was planned on; empty if the table had none
     */
    public void expect(ConnectorSession session, SchemaTableName name, StorageTable table, OptionalLong baseSnapshotId, List<CommitMessage> messages)
    {
        if (!table.options().compactsInBackground()) {
            return;
        }
        Map<BucketId, Set<String>> files = new LinkedHashMap<>();
        for (CommitMessage message : messages) {
            if (!message.newFiles().isEmpty()) {
                files.put(new BucketId(message.partition(), message.bucket()), message.newFiles().stream().map(DataFileMeta::fileName).collect(toImmutableSet()));
            }
        }
        if (files.isEmpty()) {
            return;
        }
        Statement statement = statement(session, name);
        synchronized (this) {
            if (closing) {
                dropped.update(files.size());
                return;
            }
            boolean watched = queue.isExpected(statement);
            int rejected = queue.expect(new WrittenBuckets(statement, files));
            if (rejected > 0) {
                dropped.update(rejected);
                log.warn("%s of %s buckets that %s wrote are not compacted in the background, since too many are waiting; their rows are left to the next compaction", rejected, files.size(), statement);
            }
            if (!watched && queue.isExpected(statement)) {
                watch(new CommitWatch(statement, table.snapshots(), baseSnapshotId.orElse(0)), FIRST_POLL_MILLIS);
            }
        }
    }

    /**
     * The statement will not commit.
     */
    public void forget(ConnectorSession session, SchemaTableName name)
    {
        queue.forget(statement(session, name));
    }

    private static Statement statement(ConnectorSession session, SchemaTableName name)
    {
        return new Statement(session.getQueryId(), name, SnapshotProperties.of(session));
    }

    private synchronized void watch(CommitWatch watch, long delayMillis)
    {
        if (!closing) {
            ScheduledFuture<?> _ = watcher.schedule(() -> look(watch, delayMillis), delayMillis, MILLISECONDS);
        }
    }

    private void look(CommitWatch watch, long delayMillis)
    {
        if (!queue.isExpected(watch.statement)) {
            return;
        }
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(BackgroundCompactions.class.getClassLoader())) {
            if (watch.hasAppeared()) {
                queue.committed(watch.statement);
                startRunners();
                return;
            }
        }
        catch (RuntimeException e) {
            watch.failedToLook(e);
        }
        if (watch.isOver(commitTimeout)) {
            int given = queue.forget(watch.statement);
            dropped.update(given);
            log.info("The commit of %s has not appeared: %s buckets are not compacted in the background", watch.statement, given);
            return;
        }
        watch(watch, Math.min(MAX_POLL_MILLIS, delayMillis * 3 / 2));
    }

    private synchronized void startRunners()
    {
        // those that are active may be busy for long; one too many finds nothing and ends
        int starting = closing ? 0 : Math.min(threads - activeRunners, queue.queuedCount());
        for (int runner = 0; runner < starting; runner++) {
            activeRunners++;
            runners.execute(this::run);
        }
    }

    private void run()
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(BackgroundCompactions.class.getClassLoader())) {
            for (Optional<Batch> batch = next(); batch.isPresent(); batch = next()) {
                run(batch.get());
            }
        }
    }

    /**
     * Ends the calling runner if there is nothing to do: a batch that another one works on is followed by that one's next look.
     */
    private synchronized Optional<Batch> next()
    {
        Optional<Batch> batch = closing ? Optional.empty() : queue.take(threads);
        if (batch.isEmpty()) {
            activeRunners--;
        }
        return batch;
    }

    private void run(Batch batch)
    {
        long start = System.nanoTime();
        int failures = batch.buckets().size();
        try {
            failures = compactor.compact(batch).size();
        }
        catch (Throwable e) {
            // the runner and its place must not be lost
            log.error(e, "Background compaction for %s ended unexpectedly", batch.statement());
        }
        finally {
            queue.done(batch);
            time.addNanos(System.nanoTime() - start);
            failed.update(failures);
            completed.update(batch.buckets().size() - failures);
        }
    }

    /**
     * Ends what runs, within a bounded time, and drops what waits. Others take that along.
     */
    public void shutdown()
    {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
            int count = queue.clear();
            dropped.update(count);
            if (count > 0) {
                log.info("%s buckets are not compacted in the background, since the catalog is being closed; their rows are left to the next compaction", count);
            }
        }
        watcher.shutdownNow();
        runners.shutdown();
        try {
            if (!runners.awaitTermination(shutdownTimeout.toMillis(), MILLISECONDS)) {
                log.warn("Background compactions of %s buckets have not ended within %s and are interrupted", queue.runningCount(), shutdownTimeout);
                runners.shutdownNow();
            }
        }
        catch (InterruptedException _) {
            runners.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Buckets that wait for the commit of their statement.
     */
    @Managed
    public int getWaitingForCommit()
    {
        return queue.expectedCount();
    }

    /**
     * Buckets that wait for a thread.
     */
    @Managed
    public int getQueued()
    {
        return queue.queuedCount();
    }

    /**
     * Buckets that are being compacted.
     */
    @Managed
    public int getRunning()
    {
        return queue.runningCount();
    }

    /**
     * Buckets that were looked after; a bucket can turn out to need nothing.
     */
    @Managed
    @Nested
    public CounterStat getCompleted()
    {
        return completed;
    }

    /**
     * Buckets whose compaction failed or was given up.
     */
    @Managed
    @Nested
    public CounterStat getFailed()
    {
        return failed;
    }

    /**
     * Buckets for which there was no room, whose commit did not appear, or that waited when the catalog was closed.
     */
    @Managed
    @Nested
    public CounterStat getDropped()
    {
        return dropped;
    }

    /**
     * How long compactions took, each of one or more buckets of a table.
     */
    @Managed
    @Nested
    public TimeStat getTime()
    {
        return time;
    }

    /**
     * Looks for the statement's snapshot in a table.
     */
    private static final class CommitWatch
    {
        private final Statement statement;
        private final SnapshotManager snapshots;
        private final long start = System.nanoTime();
        private long lastSeenId;
        private boolean failureLogged;

        private CommitWatch(Statement statement, SnapshotManager snapshots, long baseSnapshotId)
        {
            this.statement = requireNonNull(statement, "statement is null");
            this.snapshots = requireNonNull(snapshots, "snapshots is null");
            this.lastSeenId = baseSnapshotId;
        }

        boolean hasAppeared()
        {
            long latest = snapshots.latestId().orElse(0);
            for (long id = lastSeenId + 1; id <= latest; id++) {
                if (snapshots.find(id).flatMap(SnapshotProperties::queryId).filter(statement.queryId()::equals).isPresent()) {
                    return true;
                }
                lastSeenId = id;
            }
            return false;
        }

        void failedToLook(RuntimeException failure)
        {
            if (!failureLogged) {
                failureLogged = true;
                log.warn(failure, "The commit of %s cannot be looked for", statement);
            }
        }

        boolean isOver(Duration timeout)
        {
            return System.nanoTime() - start > timeout.roundTo(NANOSECONDS);
        }
    }
}
