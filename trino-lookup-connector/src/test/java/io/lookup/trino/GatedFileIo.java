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
package io.lookup.trino;

import com.google.common.collect.ImmutableList;
import com.google.inject.Module;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.trino.spi.Plugin;
import io.trino.spi.connector.ConnectorFactory;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Holds up the first who begins a changelog file, or refuses such files.
 */
final class GatedFileIo
        extends ForwardingFileIo
{
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile CountDownLatch arrival = new CountDownLatch(0);
    private volatile boolean failing;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean failingOnce = new AtomicBoolean();

    GatedFileIo()
    {
        super(new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of())));
    }

    /**
     * The connector with this door to the file system.
     */
    Plugin plugin()
    {
        Module overrides = binder -> binder.bind(FileIo.class).toInstance(this);
        return new Plugin()
        {
            @Override
            public Iterable<ConnectorFactory> getConnectorFactories()
            {
                return ImmutableList.of(new LookupConnectorFactory(overrides));
            }
        };
    }

    /**
     * The next one waits.
     */
    void close()
    {
        arrival = new CountDownLatch(1);
        gate = new CountDownLatch(1);
        closed.set(true);
    }

    void open()
    {
        closed.set(false);
        gate.countDown();
    }

    void setFailing(boolean failing)
    {
        this.failing = failing;
    }

    /**
     * The next one is refused, and those after it are not.
     */
    void failOnce()
    {
        failingOnce.set(true);
    }

    boolean hasFailedOnce()
    {
        return !failingOnce.get();
    }

    /**
     * Returns when somebody stands at the closed gate.
     */
    void awaitArrival()
            throws InterruptedException
    {
        if (!arrival.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("nobody came to write a changelog file");
        }
    }

    @Override
    public OutputStream create(Path path)
            throws IOException
    {
        if (path.getName().startsWith("changelog-")) {
            if (closed.compareAndSet(true, false)) {
                passGate();
            }
            if (failing || failingOnce.compareAndSet(true, false)) {
                throw new IOException("refused: " + path);
            }
        }
        return super.create(path);
    }

    private void passGate()
            throws IOException
    {
        CountDownLatch awaited = gate;
        arrival.countDown();
        try {
            if (!awaited.await(120, TimeUnit.SECONDS)) {
                throw new IOException("the gate was never opened");
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted at the gate");
        }
    }
}
