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
package io.lookup.storage.lookup.local;

import io.airlift.compress.v3.Compressor;
import io.airlift.slice.DynamicSliceOutput;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.airlift.slice.XxHash64;
import io.lookup.storage.format.TableBlockEncodings;
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.ValueBlock;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkState;
import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Writes a lookup file from rows in key order, see {@link LookupFileFormat}. Not thread-safe.
 */
final class LookupFileWriter
{
    private static final int MAX_CHUNK_ROWS = 32;

    private final OutputStream output;
    private final LookupLayout layout;
    private final String identity;
    private final int blockBytes;
    private final LookupCompression compression;
    private final Compressor compressor;
    private final TableBlockEncodings encodings;

    // of the open block
    private final BlockBuilder[] builders;
    private final KeyBuffer keys = new KeyBuffer();

    // of the file
    private final KeyBuffer firstKeys = new KeyBuffer();
    private long[] offsets = new long[64];
    private long[] firstRows = new long[64];
    private int[] rawLengths = new int[64];
    private int blockCount;
    private long position;
    private long rowCount;
    private Slice lastKey = Slices.EMPTY_SLICE;
    private BlockedBloomFilter filter;
    private HashList hashes;

    private byte[] compressed = new byte[0];

    /**
     * @param blockBytes a block ends once its rows have this many bytes
     * @param expectedRows the number of rows, if it is known
     */
    LookupFileWriter(
            OutputStream output,
            LookupLayout layout,
            String identity,
            int blockBytes,
            LookupCompression compression,
            OptionalLong expectedRows)
    {
        this.output = requireNonNull(output, "output is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.identity = requireNonNull(identity, "identity is null");
        this.blockBytes = blockBytes;
        this.compression = requireNonNull(compression, "compression is null");
        this.compressor = compression == LookupCompression.NONE ? null : compression.newCompressor();
        this.encodings = layout.encodings();
        this.builders = layout.types().stream()
                .map(type -> type.createBlockBuilder(null, 64))
                .toArray(BlockBuilder[]::new);
        if (expectedRows.isPresent()) {
            filter = BlockedBloomFilter.forKeys(expectedRows.getAsLong());
        }
        else {
            hashes = new HashList();
        }
    }

    /**
     * @throws IllegalStateException if a key is not above the one before it
     */
    void write(Page page, int offset, int count)
            throws IOException
    {
        if (count == 0) {
            return;
        }
        Page region = page.getRegion(offset, count);
        EncodedKeys encoded = layout.keyEncoder().encode(region, layout.keyChannels());
        int chunkRows = chunkRows(region);
        int start = 0;
        while (start < count) {
            int rows = Math.min(chunkRows, count - start);
            for (int channel = 0; channel < builders.length; channel++) {
                append(builders[channel], region.getBlock(channel), start, rows);
            }
            for (int row = start; row < start + rows; row++) {
                addKey(encoded.key(row));
            }
            start += rows;
            if (openBytes() >= blockBytes) {
                writeBlock();
            }
        }
    }

    private int chunkRows(Page page)
    {
        long rowBytes = Math.max(1, page.getSizeInBytes() / page.getPositionCount());
        return (int) Math.clamp(blockBytes / 8 / rowBytes, 1, MAX_CHUNK_ROWS);
    }

    /**
     * Rows come from wherever a merge found them; a block holds plain values.
     */
    private static void append(BlockBuilder builder, Block block, int start, int rows)
    {
        ValueBlock values = block.getUnderlyingValueBlock();
        if (block == values) {
            builder.appendRange(values, start, rows);
            return;
        }
        for (int row = start; row < start + rows; row++) {
            builder.append(values, block.getUnderlyingValuePosition(row));
        }
    }

    private void addKey(Slice key)
    {
        checkState(rowCount == 0 || lastKey.compareTo(key) < 0, "Keys do not ascend at row %s", rowCount);
        lastKey = key;
        long hash = XxHash64.hash(key);
        if (filter != null) {
            filter.add(hash);
        }
        else {
            hashes.add(hash);
        }
        if (keys.count() == 0) {
            startBlock(key);
        }
        keys.add(key);
        rowCount++;
    }

    private void startBlock(Slice key)
    {
        if (blockCount + 1 == offsets.length) {
            int capacity = offsets.length * 2;
            offsets = Arrays.copyOf(offsets, capacity);
            firstRows = Arrays.copyOf(firstRows, capacity);
            rawLengths = Arrays.copyOf(rawLengths, capacity);
        }
        firstKeys.add(key);
        offsets[blockCount] = position;
        firstRows[blockCount] = rowCount;
    }

    private long openBytes()
    {
        long bytes = keys.sizeInBytes();
        for (BlockBuilder builder : builders) {
            bytes += builder.getSizeInBytes();
        }
        return bytes;
    }

    private void writeBlock()
            throws IOException
    {
        Block[] columns = new Block[builders.length];
        for (int channel = 0; channel < columns.length; channel++) {
            columns[channel] = builders[channel].build();
            builders[channel] = builders[channel].newBlockBuilderLike(null);
        }
        DynamicSliceOutput raw = new DynamicSliceOutput(blockBytes * 2);
        LookupBlock.write(keys.bytes(), keys.offsets(), keys.count(), columns, encodings, raw);
        rawLengths[blockCount] = raw.size();
        writeStored(raw.slice());
        blockCount++;
        keys.clear();
    }

    private void writeStored(Slice raw)
            throws IOException
    {
        LookupCompression used = LookupCompression.NONE;
        int length = raw.length();
        int bound = (compressor == null ? length : Math.max(length, compressor.maxCompressedLength(length))) + LookupFileFormat.BLOCK_TRAILER_BYTES;
        if (compressed.length < bound) {
            compressed = new byte[bound];
        }
        if (compressor != null) {
            length = compressor.compress(raw.byteArray(), raw.byteArrayOffset(), raw.length(), compressed, 0, bound);
            used = compression;
        }
        // what shrinks by less than an eighth is not worth the time to expand it
        if (compressor == null || length > raw.length() - raw.length() / 8) {
            length = raw.length();
            raw.getBytes(0, compressed, 0, length);
            used = LookupCompression.NONE;
        }
        compressed[length] = used.code();
        Slice stored = Slices.wrappedBuffer(compressed, 0, length + LookupFileFormat.BLOCK_TRAILER_BYTES);
        stored.setLong(length + 1, XxHash64.hash(stored, 0, length + 1));
        output.write(compressed, 0, stored.length());
        position += stored.length();
    }

    /**
     * Writes what is left and closes the output.
     *
     * @return the number of rows
     */
    long finish()
            throws IOException
    {
        if (keys.count() > 0) {
            writeBlock();
        }
        checkState(blockCount > 0, "no rows");
        offsets[blockCount] = position;
        firstRows[blockCount] = rowCount;
        DynamicSliceOutput index = new DynamicSliceOutput(blockCount * 40);
        SortedKeys.write(firstKeys.bytes(), firstKeys.offsets(), blockCount, index);
        index.writeLongs(offsets, 0, blockCount + 1);
        index.writeLongs(firstRows, 0, blockCount + 1);
        index.writeInts(rawLengths, 0, blockCount);
        if (filter == null) {
            filter = BlockedBloomFilter.forKeys(rowCount);
            hashes.addTo(filter);
        }
        Slice filterSlice = filter.toSlice();
        Slice identitySlice = Slices.utf8Slice(identity);
        LookupFileFormat.Footer footer = new LookupFileFormat.Footer(
                blockCount,
                rowCount,
                position,
                index.size(),
                filterSlice.length(),
                identitySlice.length(),
                XxHash64.hash(index.slice()),
                XxHash64.hash(filterSlice),
                XxHash64.hash(identitySlice));
        writeSlice(index.slice());
        writeSlice(filterSlice);
        writeSlice(identitySlice);
        writeSlice(footer.toSlice());
        output.close();
        return rowCount;
    }

    private void writeSlice(Slice slice)
            throws IOException
    {
        output.write(slice.byteArray(), slice.byteArrayOffset(), slice.length());
    }

    long memoryUsage()
    {
        return openBytes()
                + firstKeys.sizeInBytes()
                + (long) offsets.length * (2 * Long.BYTES + Integer.BYTES)
                + (filter == null ? hashes.sizeInBytes() : filter.sizeInBytes())
                + compressed.length;
    }

    private static final class KeyBuffer
    {
        private byte[] bytes = new byte[4096];
        private int[] offsets = new int[256];
        private int count;

        void add(Slice key)
        {
            int end = Math.addExact(offsets[count], key.length());
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, toIntExact(Math.max(end, Math.min(bytes.length * 2L, Integer.MAX_VALUE - 8))));
            }
            if (count + 1 == offsets.length) {
                offsets = Arrays.copyOf(offsets, offsets.length * 2);
            }
            key.getBytes(0, bytes, offsets[count], key.length());
            count++;
            offsets[count] = end;
        }

        void clear()
        {
            count = 0;
        }

        int count()
        {
            return count;
        }

        Slice bytes()
        {
            return Slices.wrappedBuffer(bytes);
        }

        int[] offsets()
        {
            return offsets;
        }

        long sizeInBytes()
        {
            return offsets[count] + (long) count * Integer.BYTES;
        }
    }

    /**
     * Grows without copying: a data file has millions of keys.
     */
    private static final class HashList
    {
        private static final int CHUNK = 1 << 16;

        private long[][] chunks = new long[16][];
        private long count;

        void add(long hash)
        {
            int chunk = (int) (count / CHUNK);
            if (chunk == chunks.length) {
                chunks = Arrays.copyOf(chunks, chunk * 2);
            }
            if (chunks[chunk] == null) {
                chunks[chunk] = new long[CHUNK];
            }
            chunks[chunk][(int) (count % CHUNK)] = hash;
            count++;
        }

        void addTo(BlockedBloomFilter filter)
        {
            for (long index = 0; index < count; index++) {
                filter.add(chunks[(int) (index / CHUNK)][(int) (index % CHUNK)]);
            }
        }

        long sizeInBytes()
        {
            return (count / CHUNK + 1) * CHUNK * Long.BYTES;
        }
    }
}
