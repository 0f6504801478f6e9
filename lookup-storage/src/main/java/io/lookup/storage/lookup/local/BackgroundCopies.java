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
package io.lookup.storage.lookup.local;

import io.airlift.log.Logger;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.lookup.LookupStatistics;
import io.trino.spi.Page;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import static io.airlift.concurrent.Threads.daemonThreadsNamed;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;

/**
 * Lookup files that are made while statements go on without them: one request a file, one file a thread, and only so many that wait. What
 * goes wrong is counted and logged, and nobody waits for it. Thread-safe.
 */
final class BackgroundCopies
        implements Closeable
{
    private static final Logger log = Logger.get(BackgroundCopies.class);

    private static final int MAX_QUEUED = 1_000;
    private static final long IDLE_THREAD_SECONDS = 60;
    private static final long CLOSE_SECONDS = 10;

    private final Maker maker;
    private final LookupStatistics statistics;
    private final LongSupplier clock;
    private final Optional<ThreadPoolExecutor> executor;
    // those that wait and those that are being made, by the names of their files
    private final ConcurrentMap<String, Copy> copies = new ConcurrentHashMap<>();
    private final AtomicInteger running = new AtomicInteger();
    private volatile boolean closed;

    /**
     * @param threads 0 if none is made
     */
    BackgroundCopies(int threads, Maker maker, LookupStatistics statistics, LongSupplier clock)
    {
        this.maker = requireNonNull(maker, "maker is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.executor = threads == 0 ? Optional.empty() : Optional.of(newExecutor(threads));
    }

    private static ThreadPoolExecutor newExecutor(int threads)
    {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(threads, threads, IDLE_THREAD_SECONDS, SECONDS, new LinkedBlockingQueue<>(MAX_QUEUED), daemonThreadsNamed("lookup-file-copy-%s"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    boolean isEnabled()
    {
        return executor.isPresent();
    }

    /**
     * @param rows must stay usable after the statement that asks
     * @return whether the file is going to be made, or is being made
     */
    boolean request(LookupFileId id, Optional<FileIo> remote, DataFileRows rows)
    {
        if (executor.isEmpty() || closed) {
            return false;
        }
        Copy copy = new Copy(id, remote, rows, clock.getAsLong());
        if (copies.putIfAbsent(id.localName(), copy) != null) {
            return true;
        }
        try {
            executor.get().execute(copy);
            return true;
        }
        catch (RejectedExecutionException _) {
            statistics.getCopiesRejected().update(1);
            copy.end();
            return false;
        }
    }

    /**
     * Gives up requests.
     */
    void cancel(Predicate<Request> requests)
    {
        for (Copy copy : copies.values()) {
            if (requests.test(copy.request())) {
                copy.cancel();
            }
        }
    }

    /**
     * Waits for what has been asked for so far.
     */
    void await()
            throws InterruptedException
    {
        for (Copy copy : copies.values()) {
            copy.ended.await();
        }
    }

    int queued()
    {
        return executor.map(pool -> pool.getQueue().size()).orElse(0);
    }

    int running()
    {
        return running.get();
    }

    /**
     * Ends what is being made; what was not begun is not.
     */
    @Override
    public void close()
    {
        closed = true;
        cancel(_ -> true);
        if (executor.isPresent()) {
            executor.get().shutdownNow().forEach(copy -> ((Copy) copy).end());
            try {
                if (!executor.get().awaitTermination(CLOSE_SECONDS, SECONDS)) {
                    log.warn("A lookup file is still being made; what is left of it is removed at the next start");
                }
            }
            catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    interface Maker
    {
        /**
         * @return whether there is a lookup file now
         */
        boolean make(LookupFileId id, Optional<FileIo> remote, DataFileRows rows)
                throws IOException;

        /**
         * What was made is not wanted any more.
         */
        void drop(LookupFileId id);

        void failed(LookupFileId id, Exception cause);
    }

    /**
     * @param dataFile full path of the data file
     * @param timeMillis when it was asked for
     */
    record Request(String dataFile, long timeMillis) {}

    private final class Copy
            implements Runnable
    {
        private final LookupFileId id;
        private final Optional<FileIo> remote;
        private final DataFileRows rows;
        private final long timeMillis;
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile boolean cancelled;

        private Copy(LookupFileId id, Optional<FileIo> remote, DataFileRows rows, long timeMillis)
        {
            this.id = requireNonNull(id, "id is null");
            this.remote = requireNonNull(remote, "remote is null");
            this.rows = requireNonNull(rows, "rows is null");
            this.timeMillis = timeMillis;
        }

        private Request request()
        {
            return new Request(id.dataFile(), timeMillis);
        }

        private void cancel()
        {
            cancelled = true;
            if (executor.orElseThrow().remove(this)) {
                statistics.getCopiesCancelled().update(1);
                end();
            }
        }

        @Override
        public void run()
        {
            running.incrementAndGet();
            try {
                make();
            }
            finally {
                running.decrementAndGet();
                end();
            }
        }

        private void make()
        {
            try {
                boolean made = !cancelled && maker.make(id, remote, () -> open(rows));
                if (cancelled) {
                    if (!closed) {
                        maker.drop(id);
                    }
                    statistics.getCopiesCancelled().update(1);
                }
                else {
                    (made ? statistics.getCopiesMade() : statistics.getCopiesFailed()).update(1);
                }
            }
            catch (IOException | RuntimeException e) {
                if (cancelled) {
                    statistics.getCopiesCancelled().update(1);
                    log.debug(e, "The lookup file of %s is not made any more", id.dataFile());
                }
                else {
                    statistics.getCopiesFailed().update(1);
                    maker.failed(id, e);
                }
            }
        }

        private PageStream open(DataFileRows rows)
                throws IOException
        {
            checkWanted();
            PageStream pages = rows.open();
            return new PageStream()
            {
                @Override
                public Page nextPage()
                        throws IOException
                {
                    checkWanted();
                    return pages.nextPage();
                }

                @Override
                public long memoryUsage()
                {
                    return pages.memoryUsage();
                }

                @Override
                public void close()
                        throws IOException
                {
                    pages.close();
                }
            };
        }

        private void checkWanted()
                throws IOException
        {
            if (cancelled) {
                throw new IOException("The lookup file of %s is not wanted any more".formatted(id.dataFile()));
            }
        }

        private void end()
        {
            copies.remove(id.localName(), this);
            ended.countDown();
        }
    }
}
