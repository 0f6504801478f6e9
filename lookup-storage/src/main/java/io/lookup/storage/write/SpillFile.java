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
package io.lookup.storage.write;

import io.airlift.slice.InputStreamSliceInput;
import io.airlift.slice.OutputStreamSliceOutput;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.PageStream;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockEncodingSerde;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

import static java.lang.String.format;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.Objects.requireNonNull;

/**
 * Sorted runs of rows on a local disk, of all buckets of a sink in one file: there can be thousands of buckets with many small runs
 * each. The file is made with the first run and is gone when this is closed. Not thread-safe.
 */
final class SpillFile
        implements Closeable
{
    private static final int BUFFER_SIZE = 1 << 16;
    private static final int MIN_BUFFER_SIZE = 1 << 10;

    private final Path directory;
    private final BlockEncodingSerde encodings;

    // absent until something is spilled
    private Path path;
    private FileChannel channel;
    private OutputStreamSliceOutput output;
    private long runStart;
    private long runPages;

    /**
     * A run that is complete.
     *
     * @param offset in the file
     * @param length in bytes
     */
    record Run(long offset, long length, long pageCount) {}

    /**
     * @param directory an existing or missing folder on a local disk
     */
    SpillFile(Path directory, BlockEncodingSerde encodings)
    {
        this.directory = requireNonNull(directory, "directory is null");
        this.encodings = requireNonNull(encodings, "encodings is null");
    }

    private void open()
    {
        try {
            Files.createDirectories(directory);
            path = Files.createTempFile(directory, "spill-", ".run");
            // where the system can, the file loses its name at once: a writer that is killed or forgotten leaves nothing
            channel = FileChannel.open(path, READ, WRITE, DELETE_ON_CLOSE);
            output = new OutputStreamSliceOutput(Channels.newOutputStream(channel), BUFFER_SIZE);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("No spill file can be made in %s; give the server a local folder with free space", directory), e);
        }
    }

    /**
     * Adds a page to the run that is being written.
     */
    void write(Page page)
            throws IOException
    {
        if (channel == null) {
            open();
        }
        try {
            output.writeInt(page.getPositionCount());
            for (int index = 0; index < page.getChannelCount(); index++) {
                encodings.writeBlock(output, page.getBlock(index));
            }
        }
        catch (RuntimeException e) {
            throw full(e);
        }
        runPages++;
    }

    /**
     * Ends the run.
     */
    Run finishRun()
            throws IOException
    {
        if (channel != null) {
            try {
                output.flush();
            }
            catch (RuntimeException e) {
                throw full(e);
            }
        }
        long end = channel == null ? 0 : channel.position();
        Run run = new Run(runStart, end - runStart, runPages);
        runStart = end;
        runPages = 0;
        return run;
    }

    private StorageException full(RuntimeException cause)
    {
        return new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Rows could not be spilled to %s; is the local disk full?", path), cause);
    }

    /**
     * Reads a run from its start; any number may be read at a time.
     */
    PageStream read(Run run, int channelCount)
    {
        InputStreamSliceInput input = new InputStreamSliceInput(new RunInputStream(run), (int) Math.clamp(run.length(), MIN_BUFFER_SIZE, BUFFER_SIZE));
        return new PageStream()
        {
            private long remaining = run.pageCount();

            @Override
            public Page nextPage()
            {
                if (remaining == 0) {
                    return null;
                }
                remaining--;
                int positionCount = input.readInt();
                Block[] blocks = new Block[channelCount];
                for (int index = 0; index < channelCount; index++) {
                    blocks[index] = encodings.readBlock(input);
                }
                return new Page(positionCount, blocks);
            }

            @Override
            public void close()
            {
                input.close();
            }
        };
    }

    @Override
    public void close()
            throws IOException
    {
        if (channel != null) {
            // what is left in the output's buffer is not wanted any more
            channel.close();
        }
    }

    private final class RunInputStream
            extends InputStream
    {
        private final long end;
        private long position;

        private RunInputStream(Run run)
        {
            this.position = run.offset();
            this.end = run.offset() + run.length();
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
            if (position >= end) {
                return -1;
            }
            int count = channel.read(ByteBuffer.wrap(bytes, offset, (int) Math.min(length, end - position)), position);
            if (count > 0) {
                position += count;
            }
            return count;
        }
    }
}
