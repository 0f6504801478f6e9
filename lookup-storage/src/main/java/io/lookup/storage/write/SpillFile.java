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
 * A sorted run of rows on local disk, written once and read once.
 */
final class SpillFile
        implements Closeable
{
    private final Path path;
    private final BlockEncodingSerde encodings;
    private final FileChannel channel;
    private final OutputStreamSliceOutput output;
    private long pageCount;

    /**
     * @param directory an existing or missing folder on a local disk
     */
    SpillFile(Path directory, BlockEncodingSerde encodings)
    {
        this.encodings = requireNonNull(encodings, "encodings is null");
        try {
            Files.createDirectories(directory);
            this.path = Files.createTempFile(directory, "spill-", ".run");
            // where the system can, the file loses its name at once: a writer that is killed or forgotten leaves nothing
            this.channel = FileChannel.open(path, READ, WRITE, DELETE_ON_CLOSE);
            this.output = new OutputStreamSliceOutput(Channels.newOutputStream(channel), 1 << 16);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("No spill file can be made in %s; give the server a local folder with free space", directory), e);
        }
    }

    void write(Page page)
            throws IOException
    {
        try {
            output.writeInt(page.getPositionCount());
            for (int channel = 0; channel < page.getChannelCount(); channel++) {
                encodings.writeBlock(output, page.getBlock(channel));
            }
        }
        catch (RuntimeException e) {
            throw full(e);
        }
        pageCount++;
    }

    /**
     * Ends writing.
     */
    void finish()
            throws IOException
    {
        try {
            output.flush();
        }
        catch (RuntimeException e) {
            throw full(e);
        }
    }

    private StorageException full(RuntimeException cause)
    {
        return new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Rows could not be spilled to %s; is the local disk full?", path), cause);
    }

    /**
     * Reads the finished run from its start, once: the stream ends the file with itself.
     */
    PageStream read(int channelCount)
            throws IOException
    {
        channel.position(0);
        InputStreamSliceInput input = new InputStreamSliceInput(Channels.newInputStream(channel), 1 << 16);
        return new PageStream()
        {
            private long remaining = pageCount;

            @Override
            public Page nextPage()
            {
                if (remaining == 0) {
                    return null;
                }
                remaining--;
                int positionCount = input.readInt();
                Block[] blocks = new Block[channelCount];
                for (int channel = 0; channel < channelCount; channel++) {
                    blocks[channel] = encodings.readBlock(input);
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
        // what is left in the output's buffer is not wanted any more
        channel.close();
    }
}
