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

import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.Path;

import java.io.IOException;

import static java.util.Objects.requireNonNull;

/**
 * A file that is read: each read can go wrong. After an early end nothing more comes.
 */
final class FaultyInputStream
        extends FSInputStream
{
    private final FileFaults faults;
    private final Path path;
    private final FSDataInputStream delegate;
    private boolean ended;
    private boolean closed;

    FaultyInputStream(FileFaults faults, Path path, FSDataInputStream delegate)
    {
        this.faults = requireNonNull(faults, "faults is null");
        this.path = requireNonNull(path, "path is null");
        this.delegate = requireNonNull(delegate, "delegate is null");
        faults.streamOpened(this, path);
    }

    @Override
    public int read()
            throws IOException
    {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length)
            throws IOException
    {
        if (ended) {
            return -1;
        }
        return faults.run("read", path, () -> delegate.read(bytes, offset, length), () -> end(delegate.read(bytes, offset, length)));
    }

    @Override
    public int read(long position, byte[] bytes, int offset, int length)
            throws IOException
    {
        if (ended) {
            return -1;
        }
        return faults.run("read", path, () -> delegate.read(position, bytes, offset, length), () -> end(delegate.read(position, bytes, offset, length)));
    }

    private int end(int count)
    {
        ended = true;
        return count <= 1 ? -1 : count / 2;
    }

    @Override
    public void seek(long position)
            throws IOException
    {
        delegate.seek(position);
    }

    @Override
    public long getPos()
            throws IOException
    {
        return delegate.getPos();
    }

    @Override
    public boolean seekToNewSource(long position)
    {
        return false;
    }

    @Override
    public void close()
            throws IOException
    {
        if (closed) {
            return;
        }
        closed = true;
        faults.streamClosed(this);
        delegate.close();
    }
}
