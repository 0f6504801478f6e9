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

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Random;

/**
 * A disk that fails when it is told to, or at random.
 */
final class FailingDisk
        implements LocalDisk
{
    private final LocalDisk delegate = new MappedDisk();
    private final Random random;

    volatile boolean failsToCreate;
    volatile boolean failsToWrite;
    volatile boolean failsToRead;
    volatile boolean failsToMove;
    volatile double failureRate;

    FailingDisk(long seed)
    {
        this.random = new Random(seed);
    }

    private synchronized void fail(boolean always)
            throws IOException
    {
        if (always || random.nextDouble() < failureRate) {
            throw new IOException("The disk failed");
        }
    }

    @Override
    public OutputStream create(Path path)
            throws IOException
    {
        fail(failsToCreate);
        OutputStream output = delegate.create(path);
        return new OutputStream()
        {
            @Override
            public void write(int value)
                    throws IOException
            {
                fail(failsToWrite);
                output.write(value);
            }

            @Override
            public void write(byte[] bytes, int offset, int length)
                    throws IOException
            {
                fail(failsToWrite);
                output.write(bytes, offset, length);
            }

            @Override
            public void close()
                    throws IOException
            {
                output.close();
            }
        };
    }

    @Override
    public ReadableFile open(Path path)
            throws IOException
    {
        fail(failsToRead);
        ReadableFile file = delegate.open(path);
        return new ReadableFile()
        {
            @Override
            public long size()
            {
                return file.size();
            }

            @Override
            public void read(long position, byte[] buffer)
                    throws IOException
            {
                fail(failsToRead);
                file.read(position, buffer);
            }

            @Override
            public void close()
                    throws IOException
            {
                file.close();
            }
        };
    }

    @Override
    public void move(Path source, Path target)
            throws IOException
    {
        fail(failsToMove);
        delegate.move(source, target);
    }

    @Override
    public void delete(Path path)
            throws IOException
    {
        delegate.delete(path);
    }
}
