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

import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

import java.io.IOException;
import java.io.OutputStream;

import static java.util.Objects.requireNonNull;

/**
 * The output as Parquet wants it: a file that is made once, and a stream that knows its position. Closing twice is harmless.
 */
final class CountingOutputStream
        extends PositionOutputStream
        implements OutputFile
{
    private final OutputStream delegate;
    private long position;
    private boolean closed;

    CountingOutputStream(OutputStream delegate)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
    }

    @Override
    public long getPos()
    {
        return position;
    }

    @Override
    public void write(int value)
            throws IOException
    {
        delegate.write(value);
        position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length)
            throws IOException
    {
        delegate.write(bytes, offset, length);
        position += length;
    }

    @Override
    public void flush()
            throws IOException
    {
        delegate.flush();
    }

    @Override
    public void close()
            throws IOException
    {
        if (!closed) {
            closed = true;
            delegate.close();
        }
    }

    @Override
    public PositionOutputStream create(long blockSizeHint)
    {
        return this;
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSizeHint)
    {
        return this;
    }

    @Override
    public boolean supportsBlockSize()
    {
        return false;
    }

    @Override
    public long defaultBlockSize()
    {
        return 0;
    }
}
