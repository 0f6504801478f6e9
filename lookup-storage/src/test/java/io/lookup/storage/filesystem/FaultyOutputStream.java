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
import org.apache.hadoop.fs.Syncable;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;

import static java.util.Objects.requireNonNull;

/**
 * A file that is written: its first write, each sync and its close can go wrong. A stream counts as open until it was told to
 * close, whatever came of that.
 */
final class FaultyOutputStream
        extends FilterOutputStream
        implements Syncable
{
    private final FileFaults faults;
    private final Path path;
    private final java.nio.file.Path file;
    private boolean written;
    private boolean closed;

    FaultyOutputStream(FileFaults faults, Path path, OutputStream delegate, java.nio.file.Path file)
    {
        super(delegate);
        this.faults = requireNonNull(faults, "faults is null");
        this.path = requireNonNull(path, "path is null");
        this.file = requireNonNull(file, "file is null");
        faults.streamOpened(this, path);
    }

    @Override
    public void write(int value)
            throws IOException
    {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length)
            throws IOException
    {
        if (written) {
            out.write(bytes, offset, length);
            return;
        }
        written = true;
        faults.run("write", path, () -> {
            out.write(bytes, offset, length);
            return null;
        }, () -> {
            out.write(bytes, offset, length / 2);
            throw FaultyFileSystem.truncated("write", path);
        });
    }

    @Override
    public void hflush()
            throws IOException
    {
        hsync();
    }

    @Override
    public void hsync()
            throws IOException
    {
        faults.run("sync", path, () -> {
            out.flush();
            return null;
        });
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
        try {
            faults.run("close", path, () -> {
                out.close();
                return null;
            }, () -> {
                out.close();
                try (RandomAccessFile half = new RandomAccessFile(file.toFile(), "rw")) {
                    half.setLength(half.length() / 2);
                }
                throw FaultyFileSystem.truncated("close", path);
            });
        }
        finally {
            // the descriptor of this process, whatever the store says
            out.close();
        }
    }
}
