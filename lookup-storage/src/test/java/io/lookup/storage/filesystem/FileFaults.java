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
package io.lookup.storage.filesystem;

import org.apache.hadoop.fs.Path;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * Says which operation of a {@link FaultyFileSystem} goes wrong, and how. Operations are numbered from 0 when a fault is armed.
 */
public final class FileFaults
{
    /**
     * What happens at the chosen operation.
     */
    public enum Fault
    {
        /** Nothing. */
        NONE,
        /** It fails, and nothing was done. */
        BEFORE,
        /** It is done, and reported as failed. */
        AFTER,
        /** Half of it is done: a write or a close leaves half of the bytes and fails, a read meets an early end. Other operations go well. */
        TRUNCATE,
        /** It waits until its thread is interrupted or the test lets go, then fails, and nothing was done. */
        HANG,
        /** It fails as do all that follow, as after the end of the process. */
        FREEZE,
    }

    private final List<Operation> operations = new ArrayList<>();
    private Fault fault = Fault.NONE;
    private long point;
    private boolean fired;
    private CountDownLatch arrival = new CountDownLatch(1);
    private CountDownLatch release = new CountDownLatch(1);
    private final Map<Object, String> openStreams = new IdentityHashMap<>();
    private int running;
    private long lastActivityNanos = System.nanoTime();

    public record Operation(String name, Path path)
    {
        public Operation
        {
            requireNonNull(name, "name is null");
            requireNonNull(path, "path is null");
        }
    }

    public synchronized void arm(Fault fault, long point)
    {
        this.fault = requireNonNull(fault, "fault is null");
        this.point = point;
        operations.clear();
        fired = false;
        arrival = new CountDownLatch(1);
        release = new CountDownLatch(1);
    }

    /**
     * Nothing goes wrong from here on. Whoever hangs fails.
     *
     * @return whether the fault came to pass
     */
    public synchronized boolean disarm()
    {
        fault = Fault.NONE;
        release.countDown();
        return fired;
    }

    /**
     * What was done since the last call of {@link #arm}.
     */
    public synchronized List<Operation> operations()
    {
        return List.copyOf(operations);
    }

    /**
     * @return false if nobody came to hang in that time
     */
    public boolean awaitHanging(long timeout, TimeUnit unit)
            throws InterruptedException
    {
        CountDownLatch awaited;
        synchronized (this) {
            awaited = arrival;
        }
        return awaited.await(timeout, unit);
    }

    /**
     * Returns when no operation ran for the given time.
     */
    public void awaitQuiet(long quietMillis)
            throws InterruptedException
    {
        while (true) {
            synchronized (this) {
                if (running == 0 && System.nanoTime() - lastActivityNanos > TimeUnit.MILLISECONDS.toNanos(quietMillis)) {
                    return;
                }
            }
            Thread.sleep(5);
        }
    }

    /**
     * The files of streams that are open, each with the calls that opened it; sorted.
     */
    public synchronized List<String> openStreams()
    {
        return openStreams.values().stream().sorted().toList();
    }

    synchronized void streamOpened(Object stream, Path path)
    {
        String calls = Stream.of(new Throwable().getStackTrace())
                .map(StackTraceElement::toString)
                .filter(call -> call.contains("io.lookup.") && !call.contains("Fault"))
                .limit(15)
                .collect(joining("\n    ", "\n    ", ""));
        openStreams.put(stream, path + calls);
    }

    synchronized void streamClosed(Object stream)
    {
        openStreams.remove(stream);
    }

    interface Action<T>
    {
        T run()
                throws IOException;
    }

    <T> T run(String name, Path path, Action<T> action)
            throws IOException
    {
        return run(name, path, action, action);
    }

    /**
     * @param truncated what is done instead if half of it is to be done
     */
    <T> T run(String name, Path path, Action<T> action, Action<T> truncated)
            throws IOException
    {
        Fault now = next(name, path);
        try {
            return switch (now) {
                case NONE -> action.run();
                case BEFORE, FREEZE -> throw failure(now, name, path);
                case TRUNCATE -> truncated.run();
                case AFTER -> {
                    // nobody has the stream of an opening that was reported as failed
                    if (action.run() instanceof Closeable stream) {
                        stream.close();
                    }
                    throw failure(now, name, path);
                }
                case HANG -> {
                    hang();
                    throw failure(now, name, path);
                }
            };
        }
        finally {
            ended();
        }
    }

    private synchronized Fault next(String name, Path path)
    {
        running++;
        lastActivityNanos = System.nanoTime();
        int number = operations.size();
        operations.add(new Operation(name, path));
        if (number == point || (fault == Fault.FREEZE && number > point)) {
            fired |= fault != Fault.NONE;
            return fault;
        }
        return Fault.NONE;
    }

    private synchronized void ended()
    {
        running--;
        lastActivityNanos = System.nanoTime();
    }

    private void hang()
            throws IOException
    {
        CountDownLatch awaited;
        synchronized (this) {
            awaited = release;
        }
        arrival.countDown();
        try {
            awaited.await();
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while hanging");
        }
    }

    static IOException failure(Fault fault, String name, Path path)
    {
        return new IOException("injected: %s %s %s".formatted(fault, name, path));
    }
}
