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
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FSInputStream;

import java.io.IOException;

import static java.util.Objects.requireNonNull;

/**
 * A file of the local disk whose failures are IOExceptions. Hadoop throws an Error when a read fails, also when the reading thread
 * was interrupted as a cancelled query's are; nobody who cleans up after an IOException would see that.
 */
final class LocalInputStream
        extends FSInputStream
{
    private final FSDataInputStream delegate;

    LocalInputStream(FSDataInputStream delegate)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
    }

    @Override
    public int read()
            throws IOException
    {
        try {
            return delegate.read();
        }
        catch (FSError e) {
            throw failure(e);
        }
    }

    @Override
    public int read(byte[] bytes, int offset, int length)
            throws IOException
    {
        try {
            return delegate.read(bytes, offset, length);
        }
        catch (FSError e) {
            throw failure(e);
        }
    }

    @Override
    public int read(long position, byte[] bytes, int offset, int length)
            throws IOException
    {
        try {
            return delegate.read(position, bytes, offset, length);
        }
        catch (FSError e) {
            throw failure(e);
        }
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
        delegate.close();
    }

    static IOException failure(FSError error)
    {
        return error.getCause() instanceof IOException cause ? cause : new IOException(error);
    }
}
