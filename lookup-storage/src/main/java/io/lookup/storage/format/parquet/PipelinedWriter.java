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
package io.lookup.storage.format.parquet;

import com.google.common.base.Throwables;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import static java.util.Objects.requireNonNull;

/**
 * Encodes rows in another thread while the caller makes the next ones, once they are so many that this pays. Not thread-safe, as any writer: its
 * two threads take turns with the other writer.
 */
final class PipelinedWriter
        implements RollingWriter
{
    private static final int ROWS_AT_ONCE = 1_000;
    private static final int WAITING_PAGES = 4;

    // idle threads end, and what waits is bounded by every writer for itself
    private static final ExecutorService ENCODERS = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("lookup-encoder-", 0).factory());

    private final RollingWriter writer;
    private final Queue<Page> waiting = new ArrayDeque<>();
    private long rows;
    private boolean encoding;
    private Throwable failure;

    PipelinedWriter(RollingWriter writer)
    {
        this.writer = requireNonNull(writer, "writer is null");
    }

    @Override
    public void write(Page page)
            throws IOException
    {
        rows += page.getPositionCount();
        if (rows <= ROWS_AT_ONCE) {
            writer.write(page);
            return;
        }
        boolean start;
        synchronized (this) {
            await(WAITING_PAGES - 1);
            throwFailure();
            waiting.add(page);
            start = !encoding;
            encoding = true;
        }
        if (start) {
            ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
            ENCODERS.execute(() -> encode(classLoader));
        }
    }

    private void encode(ClassLoader classLoader)
    {
        Thread.currentThread().setContextClassLoader(classLoader);
        while (true) {
            Page page;
            synchronized (this) {
                page = waiting.poll();
                if (page == null) {
                    encoding = false;
                    notifyAll();
                    return;
                }
                notifyAll();
            }
            try {
                writer.write(page);
            }
            catch (Throwable e) {
                synchronized (this) {
                    failure = e;
                    waiting.clear();
                }
            }
        }
    }

    /**
     * Waits until no more pages than these wait, and for zero, until none is being encoded. That takes as long as a page takes, so that an interrupt
     * can be kept until then.
     */
    private void await(int pages)
    {
        boolean interrupted = false;
        while (waiting.size() > pages || (pages == 0 && encoding)) {
            try {
                wait();
            }
            catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void throwFailure()
            throws IOException
    {
        if (failure != null) {
            Throwables.throwIfInstanceOf(failure, IOException.class);
            Throwables.throwIfUnchecked(failure);
            throw new IOException(failure);
        }
    }

    @Override
    public long writtenBytes()
    {
        synchronized (this) {
            await(0);
        }
        return writer.writtenBytes();
    }

    @Override
    public long bufferedBytes()
    {
        synchronized (this) {
            await(0);
        }
        return writer.bufferedBytes();
    }

    @Override
    public void completeFile()
            throws IOException
    {
        synchronized (this) {
            await(0);
            throwFailure();
        }
        writer.completeFile();
    }

    @Override
    public List<DataFileMeta> finish()
            throws IOException
    {
        synchronized (this) {
            await(0);
            throwFailure();
        }
        return writer.finish();
    }

    @Override
    public void abort()
    {
        synchronized (this) {
            waiting.clear();
            await(0);
        }
        writer.abort();
    }
}
