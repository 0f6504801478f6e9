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

import io.airlift.compress.v3.lz4.Lz4Compressor;
import io.airlift.compress.v3.lz4.Lz4Decompressor;
import io.airlift.slice.BasicSliceInput;
import io.airlift.slice.DynamicSliceOutput;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.PageStream;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockEncodingSerde;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
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
 * each. Pages are compressed with LZ4, which takes less time than to write what it saves. The file is made with the first run and is gone when this is closed. Not thread-safe.
 */
final class SpillFile
        implements Closeable
{
    // of compressed and of plain bytes
    private static final int HEADER_BYTES = 2 * Integer.BYTES;
    private static final int INITIAL_BYTES = 1 << 16;

    private final Path directory;
    private final BlockEncodingSerde encodings;

    // absent until something is spilled
    private Path path;
    private FileChannel channel;
    private Lz4Compressor compressor;
    private Lz4Decompressor decompressor;
    private DynamicSliceOutput plain;
    // of the page that is written, or of one that is read
    private byte[] compressed = new byte[0];
    private long end;
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
            compressor = Lz4Compressor.create();
            decompressor = Lz4Decompressor.create();
            plain = new DynamicSliceOutput(INITIAL_BYTES);
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
        plain.reset();
        plain.writeInt(page.getPositionCount());
        for (int index = 0; index < page.getChannelCount(); index++) {
            encodings.writeBlock(plain, page.getBlock(index));
        }
        Slice bytes = plain.slice();
        ensureCompressed(HEADER_BYTES + compressor.maxCompressedLength(bytes.length()));
        int length = compressor.compress(bytes.byteArray(), bytes.byteArrayOffset(), bytes.length(), compressed, HEADER_BYTES, compressed.length - HEADER_BYTES);
        ByteBuffer buffer = ByteBuffer.wrap(compressed, 0, HEADER_BYTES + length);
        buffer.putInt(0, length).putInt(Integer.BYTES, bytes.length());
        try {
            while (buffer.hasRemaining()) {
                end += channel.write(buffer, end);
            }
        }
        catch (IOException e) {
            throw full(e);
        }
        runPages++;
    }

    private void ensureCompressed(int length)
    {
        if (compressed.length < length) {
            compressed = new byte[length];
        }
    }

    /**
     * Ends the run.
     */
    Run finishRun()
    {
        Run run = new Run(runStart, end - runStart, runPages);
        runStart = end;
        runPages = 0;
        return run;
    }

    private StorageException full(IOException cause)
    {
        return new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Rows could not be spilled to %s; is the local disk full?", path), cause);
    }

    /**
     * Reads a run from its start. Any number may be read at a time, in one thread, once nothing is written any more.
     */
    PageStream read(Run run, int channelCount)
    {
        return new PageStream()
        {
            private long remaining = run.pageCount();
            private long position = run.offset();

            @Override
            public Page nextPage()
                    throws IOException
            {
                if (remaining == 0) {
                    return null;
                }
                remaining--;
                readFully(HEADER_BYTES, position);
                int length = ByteBuffer.wrap(compressed).getInt(0);
                byte[] bytes = new byte[ByteBuffer.wrap(compressed).getInt(Integer.BYTES)];
                position += HEADER_BYTES;
                readFully(length, position);
                position += length;
                decompressor.decompress(compressed, 0, length, bytes, 0, bytes.length);
                return decode(bytes, channelCount);
            }

            @Override
            public void close() {}
        };
    }

    private Page decode(byte[] bytes, int channelCount)
    {
        BasicSliceInput input = Slices.wrappedBuffer(bytes).getInput();
        int positionCount = input.readInt();
        Block[] blocks = new Block[channelCount];
        for (int index = 0; index < channelCount; index++) {
            blocks[index] = encodings.readBlock(input);
        }
        return new Page(positionCount, blocks);
    }

    private void readFully(int length, long position)
            throws IOException
    {
        ensureCompressed(length);
        ByteBuffer buffer = ByteBuffer.wrap(compressed, 0, length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, position + buffer.position()) < 0) {
                throw new EOFException(format("Spill file %s ends at %s", path, position + buffer.position()));
            }
        }
    }

    @Override
    public void close()
            throws IOException
    {
        if (channel != null) {
            channel.close();
        }
    }
}
