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

import com.google.common.collect.ImmutableList;
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

import java.util.HashSet;
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
    // of the time that a commit has been waited for: one that never comes must not cost much
    private static final int POLL_PART = 20;

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

    private final Set<CommitWatch> watches = new HashSet<>();
    private int activeRunners;
    // nothing is taken in any more
    private boolean closing;
    // nothing is begun any more
    private volatile boolean stopped;

    @Inject
    public BackgroundCompactions(LookupTables tables, LookupConfig config)
    {
        this.queue = new BucketQueue(config.getBackgroundCompactionMaxPending());
        this.compactor = new PendingCompactor(tables, () -> stopped);
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
                log.warn("%s buckets, of those that %s wrote or that have waited longer for a commit, are not compacted in the background, since too many are waiting; their rows are left to the next compaction", rejected, statement);
            }
            if (!watched && queue.isExpected(statement)) {
                CommitWatch watch = new CommitWatch(statement, table.snapshots(), baseSnapshotId.orElse(0));
                watches.add(watch);
                watch(watch, FIRST_POLL_MILLIS);
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
        if (isDecided(watch)) {
            unwatch(watch);
            startRunners();
            return;
        }
        long limit = Math.max(MAX_POLL_MILLIS, NANOSECONDS.toMillis(watch.nanos()) / POLL_PART);
        watch(watch, Math.min(limit, delayMillis * 3 / 2));
    }

    /**
     * Whether it is known what comes of the statement's commit.
     */
    private boolean isDecided(CommitWatch watch)
    {
        if (!queue.isExpected(watch.statement)) {
            return true;
        }
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(BackgroundCompactions.class.getClassLoader())) {
            if (watch.hasAppeared()) {
                queue.committed(watch.statement);
                return true;
            }
        }
        catch (Throwable e) {
            // what is not looked for again would keep its place for good
            watch.failedToLook(e);
        }
        if (watch.nanos() > commitTimeout.roundTo(NANOSECONDS)) {
            int given = queue.forget(watch.statement);
            dropped.update(given);
            log.info("The commit of %s has not appeared: %s buckets are not compacted in the background", watch.statement, given);
            return true;
        }
        return false;
    }

    private synchronized void unwatch(CommitWatch watch)
    {
        watches.remove(watch);
    }

    private synchronized void startRunners()
    {
        // those that are active may be busy for long; one too many finds nothing and ends
        int starting = runners.isShutdown() ? 0 : Math.min(threads - activeRunners, queue.queuedCount());
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
        Optional<Batch> batch = stopped ? Optional.empty() : queue.take(threads);
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
     * Takes nothing in any more, and does what statements that have committed have left here, within a bounded time. Drops the rest, which
     * others take along.
     */
    public void shutdown()
    {
        long start = System.nanoTime();
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        watcher.shutdownNow();
        try {
            if (watcher.awaitTermination(shutdownTimeout.toMillis(), MILLISECONDS)) {
                lookOnceMore(start);
            }
            synchronized (this) {
                startRunners();
                runners.shutdown();
            }
            if (!runners.awaitTermination(shutdownTimeout.toMillis() - millisSince(start), MILLISECONDS)) {
                log.warn("Background compactions of %s buckets have not ended within %s and are interrupted", queue.runningCount(), shutdownTimeout);
            }
        }
        catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        finally {
            stopped = true;
            int count = queue.clear();
            dropped.update(count);
            if (count > 0) {
                log.info("%s buckets are not compacted in the background, since the catalog is being closed; their rows are left to the next compaction", count);
            }
            runners.shutdownNow();
        }
    }

    /**
     * For commits that came after the last look.
     */
    private void lookOnceMore(long start)
    {
        List<CommitWatch> waiting;
        synchronized (this) {
            waiting = ImmutableList.copyOf(watches);
        }
        for (CommitWatch watch : waiting) {
            if (millisSince(start) >= shutdownTimeout.toMillis()) {
                return;
            }
            isDecided(watch);
        }
    }

    private static long millisSince(long start)
    {
        return NANOSECONDS.toMillis(System.nanoTime() - start);
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
     * Buckets for which there was no room, whose commit did not appear, or for which closing the catalog left no time.
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

        void failedToLook(Throwable failure)
        {
            if (!failureLogged) {
                failureLogged = true;
                log.warn(failure, "The commit of %s cannot be looked for", statement);
            }
        }

        long nanos()
        {
            return System.nanoTime() - start;
        }
    }
}
