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
package io.lookup.storage.format.avro;

import io.lookup.storage.format.avro.AvroContainer.Header;
import io.lookup.storage.format.column.FileRanges;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileConstants;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;

import static java.util.Objects.requireNonNull;

/**
 * The blocks of an Avro file one after the other, each unpacked. A block may take no more memory than its file's size suggests, see
 * {@link AvroContainer}. Not thread-safe.
 */
final class AvroBlockSource
        implements Closeable
{
    private static final int HEADER_PREFIX = 64 << 10;
    private static final int MAX_HEADER = 4 << 20;
    private static final int MAX_BLOCK_BYTES = 256 << 20;
    // two numbers stand before a block
    private static final int BLOCK_PREFIX = 20;

    private final FileRanges ranges;
    private final long fileSize;
    private byte[] headerBytes;
    private Header header;
    private long position;
    private long recordCount;

    AvroBlockSource(FileRanges ranges, long fileSize)
    {
        this.ranges = requireNonNull(ranges, "ranges is null");
        this.fileSize = fileSize;
    }

    Schema schema()
            throws IOException
    {
        if (header == null) {
            int length = (int) Math.min(fileSize, HEADER_PREFIX);
            while (header == null) {
                headerBytes = read(0, length);
                try {
                    header = AvroContainer.header(headerBytes, length);
                }
                catch (EOFException e) {
                    if (length == fileSize || length >= MAX_HEADER) {
                        throw e;
                    }
                    length = (int) Math.min(fileSize, Math.min(MAX_HEADER, 4L * length));
                }
            }
            position = header.end();
        }
        return header.schema();
    }

    /**
     * @return null at the end
     */
    AvroInput nextBlock()
            throws IOException
    {
        if (position == fileSize) {
            return null;
        }
        byte[] prefix = read(position, (int) Math.min(BLOCK_PREFIX, fileSize - position));
        AvroInput numbers = new AvroInput(prefix, 0, prefix.length);
        recordCount = numbers.readLong();
        int size = numbers.readInt();
        long start = position + numbers.position();
        if (size < 0 || size > MAX_BLOCK_BYTES) {
            throw new IOException("a block of %s bytes".formatted(size));
        }
        byte[] packed = read(start, size + DataFileConstants.SYNC_SIZE);
        AvroContainer.checkMarker(packed, size, headerBytes, header.end() - DataFileConstants.SYNC_SIZE);
        byte[] block = AvroContainer.unpack(header.codec(), packed, 0, size, (int) Math.min(MAX_BLOCK_BYTES, AvroContainer.FREE_BYTES + AvroContainer.MAX_RATIO * size));
        position = start + size + DataFileConstants.SYNC_SIZE;
        return AvroContainer.records(block, recordCount);
    }

    /**
     * Of the last block.
     */
    long recordCount()
    {
        return recordCount;
    }

    private byte[] read(long start, int length)
            throws IOException
    {
        if (start + length > fileSize) {
            throw new EOFException("it is truncated");
        }
        byte[] bytes = new byte[length];
        ranges.read(start, bytes, 0, length);
        return bytes;
    }

    @Override
    public void close()
            throws IOException
    {
        ranges.close();
    }
}
