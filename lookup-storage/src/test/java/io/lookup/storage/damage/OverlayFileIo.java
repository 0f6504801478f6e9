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
package io.lookup.storage.damage;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;

/**
 * A file system in which one file has another content.
 */
final class OverlayFileIo
        extends ForwardingFileIo
{
    private String replacedPath = "";
    private byte[] replacement = new byte[0];

    OverlayFileIo(FileIo delegate)
    {
        super(delegate);
    }

    void replace(Path path, byte[] content)
    {
        replacedPath = path.toUri().getPath();
        replacement = content;
    }

    @Override
    public FSDataInputStream open(Path path, long length)
            throws IOException
    {
        return path.toUri().getPath().equals(replacedPath) ? new FSDataInputStream(new SeekableBytes(replacement)) : super.open(path, length);
    }

    @Override
    public byte[] readFully(Path path)
            throws IOException
    {
        return path.toUri().getPath().equals(replacedPath) ? replacement.clone() : super.readFully(path);
    }

    private static final class SeekableBytes
            extends ByteArrayInputStream
            implements Seekable, PositionedReadable
    {
        private SeekableBytes(byte[] bytes)
        {
            super(bytes);
        }

        @Override
        public void seek(long position)
                throws IOException
        {
            if (position < 0 || position > count) {
                throw new EOFException("position " + position + " of " + count);
            }
            pos = (int) position;
        }

        @Override
        public long getPos()
        {
            return pos;
        }

        @Override
        public boolean seekToNewSource(long target)
        {
            return false;
        }

        @Override
        public int read(long position, byte[] target, int offset, int length)
        {
            if (position < 0 || position >= count) {
                return -1;
            }
            int read = (int) Math.min(length, count - position);
            System.arraycopy(buf, (int) position, target, offset, read);
            return read;
        }

        @Override
        public void readFully(long position, byte[] target, int offset, int length)
                throws IOException
        {
            if (read(position, target, offset, length) < length) {
                throw new EOFException("position " + position + " of " + count);
            }
        }

        @Override
        public void readFully(long position, byte[] target)
                throws IOException
        {
            readFully(position, target, 0, target.length);
        }
    }
}
