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
package io.lookup.storage.lookup;

import com.google.common.base.Throwables;
import io.lookup.storage.format.parquet.PointReader;
import io.lookup.storage.format.parquet.RowSelection;
import io.trino.spi.block.Block;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;

import static java.lang.Math.ceilDiv;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;

/**
 * Reads values of scattered rows of one file, by several threads where there are many: a page of each column is decompressed for nearly every row, and that is
 * most of what a lookup by pages costs. Not thread-safe itself.
 */
final class ValueReaders
        implements Closeable
{
    // about two milliseconds of work
    private static final int MIN_ROWS = 128;
    private static final int MAX_ROWS = 1_024;
    private static final int THREADS = Runtime.getRuntime().availableProcessors();
    // where all are at work, whoever asks does the work itself
    private static final ExecutorService EXECUTOR = new ThreadPoolExecutor(
            0,
            THREADS,
            60,
            SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name("lookup-reader-", 0).factory(),
            new ThreadPoolExecutor.CallerRunsPolicy());

    private final PointReader reader;
    // a file, as it is open, belongs to one thread
    private final List<PointReader> duplicates = new ArrayList<>();

    /**
     * @param reader is not closed
     */
    ValueReaders(PointReader reader)
    {
        this.reader = requireNonNull(reader, "reader is null");
    }

    /**
     * Rows that go into one call of {@link #read} together.
     */
    static int partSize(int rows)
    {
        return Math.clamp(ceilDiv(rows, THREADS), MIN_ROWS, MAX_ROWS);
    }

    /**
     * @return for each part the blocks of the channels
     */
    List<Block[]> read(int group, int[] channels, List<RowSelection> parts)
            throws IOException
    {
        int threads = Math.min(THREADS, parts.size());
        while (duplicates.size() < threads - 1) {
            duplicates.add(reader.duplicate());
        }
        Block[][] results = new Block[parts.size()][];
        List<Future<?>> others = new ArrayList<>();
        ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
        for (int thread = 1; thread < threads; thread++) {
            int first = thread;
            others.add(EXECUTOR.submit(() -> {
                Thread current = Thread.currentThread();
                ClassLoader own = current.getContextClassLoader();
                current.setContextClassLoader(classLoader);
                try {
                    read(duplicates.get(first - 1), group, channels, parts, first, threads, results);
                }
                finally {
                    current.setContextClassLoader(own);
                }
            }));
        }
        Throwable failure = null;
        try {
            read(reader, group, channels, parts, 0, threads, results);
        }
        catch (RuntimeException | Error e) {
            failure = e;
        }
        // even after a failure: nobody may close a file that is being read
        failure = await(others, failure);
        if (failure != null) {
            Throwables.throwIfUnchecked(failure);
            throw new IOException(failure);
        }
        return List.of(results);
    }

    private static void read(PointReader reader, int group, int[] channels, List<RowSelection> parts, int first, int step, Block[][] results)
    {
        for (int part = first; part < parts.size(); part += step) {
            results[part] = reader.read(group, channels, parts.get(part));
        }
    }

    private static Throwable await(List<Future<?>> futures, Throwable failure)
    {
        boolean interrupted = false;
        for (Future<?> future : futures) {
            boolean done = false;
            while (!done) {
                try {
                    future.get();
                    done = true;
                }
                catch (InterruptedException _) {
                    // it takes as long as some pages take
                    interrupted = true;
                }
                catch (ExecutionException e) {
                    done = true;
                    failure = failure == null ? e.getCause() : failure;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return failure;
    }

    @Override
    public void close()
            throws IOException
    {
        IOException failure = null;
        for (PointReader duplicate : duplicates) {
            try {
                duplicate.close();
            }
            catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        duplicates.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
