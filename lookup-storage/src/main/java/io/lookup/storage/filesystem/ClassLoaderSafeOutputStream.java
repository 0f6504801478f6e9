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

import io.trino.spi.classloader.ThreadContextClassLoader;
import org.apache.hadoop.fs.FSDataOutputStream;

import java.io.IOException;
import java.io.OutputStream;

import static java.util.Objects.requireNonNull;

/**
 * A remote stream whose uploads run with Hadoop's class loader.
 */
final class ClassLoaderSafeOutputStream
        extends OutputStream
{
    private final FSDataOutputStream delegate;
    private final ClassLoader classLoader;
    private boolean closed;

    ClassLoaderSafeOutputStream(FSDataOutputStream delegate, ClassLoader classLoader)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
        this.classLoader = requireNonNull(classLoader, "classLoader is null");
    }

    @Override
    public void write(int value)
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(classLoader)) {
            delegate.write(value);
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length)
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(classLoader)) {
            delegate.write(bytes, offset, length);
        }
    }

    @Override
    public void flush()
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(classLoader)) {
            delegate.flush();
        }
    }

    @Override
    public void close()
            throws IOException
    {
        if (closed) {
            return;
        }
        closed = true;
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(classLoader)) {
            delegate.close();
        }
    }
}
