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
package io.lookup.storage.write;

import com.google.common.base.Throwables;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static com.google.common.base.Preconditions.checkState;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Spills of one sink, one at a time, beside the thread that takes rows. Not thread-safe itself.
 */
final class BackgroundSpill
{
    // idle threads end; a sink has at most one at work
    private static final ExecutorService SPILLERS = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("lookup-spill-", 0).factory());

    private final String tableName;
    private final Path directory;

    private Future<?> running;
    private long bytes;

    BackgroundSpill(String tableName, Path directory)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.directory = requireNonNull(directory, "directory is null");
    }

    /**
     * @param bytes memory that is in use until the spill has ended
     */
    void start(StatementBuffer.Spill spill, long bytes)
    {
        checkState(running == null, "a spill is running");
        this.bytes = bytes;
        ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
        running = SPILLERS.submit(() -> {
            Thread.currentThread().setContextClassLoader(classLoader);
            spill.run();
            return null;
        });
    }

    boolean isBusy()
    {
        return running != null;
    }

    boolean isDone()
    {
        return running != null && running.isDone();
    }

    long bytes()
    {
        return bytes;
    }

    /**
     * Waits for the spill that is running. An interrupt is kept until then: what is spilled must not be touched by two threads.
     *
     * @throws StorageException FILE_SYSTEM_ERROR if the local disk did not take the rows
     */
    void await()
    {
        if (running == null) {
            return;
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    running.get();
                    return;
                }
                catch (InterruptedException _) {
                    interrupted = true;
                }
                catch (ExecutionException e) {
                    if (e.getCause() instanceof IOException failure) {
                        throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Rows for table %s could not be spilled to %s: %s", tableName, directory, failure.getMessage()), failure);
                    }
                    Throwables.throwIfUnchecked(e.getCause());
                    throw new IllegalStateException(e.getCause());
                }
            }
        }
        finally {
            running = null;
            bytes = 0;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * As {@link #await}, whatever comes of the spill.
     */
    void abort()
    {
        try {
            await();
        }
        catch (RuntimeException | Error e) {
            // its rows are not wanted any more
        }
    }
}
