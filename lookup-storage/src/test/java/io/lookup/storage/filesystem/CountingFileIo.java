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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Remembers the name of every file that was read, once for each opening, and counts ranges and bytes that were read.
 */
public final class CountingFileIo
        extends ForwardingFileIo
{
    private final List<String> opened = new CopyOnWriteArrayList<>();
    private final List<ReadRange> ranges = new CopyOnWriteArrayList<>();

    public CountingFileIo(FileIo delegate)
    {
        super(delegate);
    }

    @Override
    public FSDataInputStream open(Path path, long length)
            throws IOException
    {
        opened.add(path.getName());
        return new FSDataInputStream(new CountingStream(path.getName(), super.open(path, length)));
    }

    @Override
    public byte[] readFully(Path path)
            throws IOException
    {
        opened.add(path.getName());
        byte[] content = super.readFully(path);
        ranges.add(new ReadRange(path.getName(), content.length));
        return content;
    }

    public void reset()
    {
        opened.clear();
        ranges.clear();
    }

    /**
     * Ranges that were read of files of such names.
     */
    public List<ReadRange> ranges(Predicate<String> name)
    {
        return ranges.stream().filter(range -> name.test(range.fileName())).collect(toImmutableList());
    }

    public long bytes(Predicate<String> name)
    {
        return ranges(name).stream().mapToLong(ReadRange::bytes).sum();
    }

    public record ReadRange(String fileName, long bytes) {}

    private final class CountingStream
            extends FSInputStream
    {
        private final String fileName;
        private final FSDataInputStream input;

        private CountingStream(String fileName, FSDataInputStream input)
        {
            this.fileName = fileName;
            this.input = input;
        }

        @Override
        public int read()
                throws IOException
        {
            int value = input.read();
            count(value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] buffer, int offset, int length)
                throws IOException
        {
            return count(input.read(buffer, offset, length));
        }

        @Override
        public int read(long position, byte[] buffer, int offset, int length)
                throws IOException
        {
            return count(input.read(position, buffer, offset, length));
        }

        @Override
        public void readFully(long position, byte[] buffer, int offset, int length)
                throws IOException
        {
            input.readFully(position, buffer, offset, length);
            count(length);
        }

        private int count(int bytes)
        {
            if (bytes > 0) {
                ranges.add(new ReadRange(fileName, bytes));
            }
            return bytes;
        }

        @Override
        public void seek(long position)
                throws IOException
        {
            input.seek(position);
        }

        @Override
        public long getPos()
                throws IOException
        {
            return input.getPos();
        }

        @Override
        public boolean seekToNewSource(long target)
                throws IOException
        {
            return input.seekToNewSource(target);
        }

        @Override
        public void close()
                throws IOException
        {
            input.close();
        }
    }

    public List<String> opened()
    {
        return List.copyOf(opened);
    }

    public List<String> opened(Predicate<String> name)
    {
        return opened.stream().filter(name).collect(toImmutableList());
    }
}
