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

import io.airlift.slice.Slice;
import io.airlift.slice.SliceInput;
import io.airlift.slice.Slices;
import io.airlift.slice.XxHash64;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.Optional;

import static java.lang.Math.toIntExact;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * How the bytes of a local lookup file lie, all numbers little-endian:
 *
 * <pre>
 * block     one behind another: SortedKeys of its rows, then its columns in Trino's block encoding; maybe compressed; then
 *           1 byte of compression and 8 of XXH64 over what goes before
 * index     SortedKeys of the blocks' first keys; for each block and the end: 8 bytes where it begins, 8 the number of its
 *           first row; for each block 4 bytes of length uncompressed
 * filter    words of the Bloom filter
 * identity  UTF-8: what the file was made of
 * footer    {@value #FOOTER_BYTES} bytes: 8 magic, 4 blocks, 4 length of the identity, 8 rows, 8 where the index begins, 4 its length, 4 length of
 *           the filter, 8 each of XXH64 of index, filter and identity, 8 of XXH64 over the footer before it
 * </pre>
 *
 * The encodings belong to a version of Trino, which is part of the identity, as is the version of this format. The row of a key
 * is at the key's place in the data file, so that its position there is the number of the block's first row and its
 * index in the block.
 */
final class LookupFileFormat
{
    static final int FOOTER_BYTES = 72;
    static final int BLOCK_TRAILER_BYTES = 1 + Long.BYTES;

    private static final long MAGIC = 0x314B_4C50_554B_4F4CL; // "LOKUPLK1"
    private static final String VERSION = "1/" + Optional.ofNullable(Page.class.getPackage().getImplementationVersion()).orElse("unversioned");

    private static final String FORMAT_LINE = "format ";
    private static final String FILE_LINE = "file ";
    // no suffix that Paimon knows: its own copies end in .lookup, its indexes in .index
    private static final String REMOTE_SUFFIX = ".trino-lookup";

    private LookupFileFormat() {}

    /**
     * What a file must say that it was made of.
     */
    static String identity(String dataFile, LookupLayout layout)
    {
        return FORMAT_LINE + VERSION + "\n" + FILE_LINE + dataFile + "\n" + layout.fingerprint();
    }

    /**
     * @return the data file, or empty if the identity is of another version of the format
     */
    static Optional<String> dataFile(String identity)
    {
        String[] lines = identity.split("\n", 3);
        if (lines.length < 3 || !lines[0].equals(FORMAT_LINE + VERSION) || !lines[1].startsWith(FILE_LINE)) {
            return Optional.empty();
        }
        return Optional.of(lines[1].substring(FILE_LINE.length()));
    }

    /**
     * What a lookup file is known by: the name of the data file, which is the same in no two buckets of a table, with a hash of all that
     * matters.
     */
    static String name(String dataFile, String identity)
    {
        return "%s-%016x".formatted(fileName(dataFile), XxHash64.hash(Slices.utf8Slice(identity)));
    }

    /**
     * What a copy beside the data file says that it was made of: the name alone, so that it stays good when the table is renamed, or
     * somebody else knows the warehouse by another URI.
     */
    static String remoteIdentity(String dataFile, LookupLayout layout)
    {
        return identity(fileName(dataFile), layout);
    }

    static String remoteName(String dataFile, LookupLayout layout)
    {
        return name(dataFile, remoteIdentity(dataFile, layout)) + REMOTE_SUFFIX;
    }

    private static String fileName(String dataFile)
    {
        return dataFile.substring(dataFile.lastIndexOf('/') + 1);
    }

    /**
     * @param indexOffset where the index begins; filter and identity follow
     */
    record Footer(
            int blockCount,
            long rowCount,
            long indexOffset,
            int indexLength,
            int filterLength,
            int identityLength,
            long indexChecksum,
            long filterChecksum,
            long identityChecksum)
    {
        long filterOffset()
        {
            return indexOffset + indexLength;
        }

        long identityOffset()
        {
            return filterOffset() + filterLength;
        }

        Slice toSlice()
        {
            Slice slice = Slices.allocate(FOOTER_BYTES);
            slice.setLong(0, MAGIC);
            slice.setInt(8, blockCount);
            slice.setInt(12, identityLength);
            slice.setLong(16, rowCount);
            slice.setLong(24, indexOffset);
            slice.setInt(32, indexLength);
            slice.setInt(36, filterLength);
            slice.setLong(40, indexChecksum);
            slice.setLong(48, filterChecksum);
            slice.setLong(56, identityChecksum);
            slice.setLong(64, XxHash64.hash(slice, 0, 64));
            return slice;
        }

        /**
         * @throws CorruptLookupFileException if this is no complete file of this version
         */
        static Footer read(LocalDisk.ReadableFile file)
                throws IOException
        {
            if (file.size() < FOOTER_BYTES) {
                throw new CorruptLookupFileException("it has only %s bytes".formatted(file.size()));
            }
            Slice slice = readSection(file, file.size() - FOOTER_BYTES, FOOTER_BYTES);
            if (slice.getLong(0) != MAGIC || slice.getLong(64) != XxHash64.hash(slice, 0, 64)) {
                throw new CorruptLookupFileException("its footer is not one");
            }
            Footer footer = new Footer(
                    slice.getInt(8),
                    slice.getLong(16),
                    slice.getLong(24),
                    slice.getInt(32),
                    slice.getInt(36),
                    slice.getInt(12),
                    slice.getLong(40),
                    slice.getLong(48),
                    slice.getLong(56));
            if (footer.blockCount < 1 || footer.indexOffset < 0 || footer.indexLength < 0 || footer.filterLength < 0 || footer.identityLength < 0) {
                throw new CorruptLookupFileException("its footer has negative numbers");
            }
            if (footer.identityOffset() + footer.identityLength() + FOOTER_BYTES != file.size()) {
                throw new CorruptLookupFileException("its footer speaks of another length than %s".formatted(file.size()));
            }
            return footer;
        }

        /**
         * The footer of the same file after another identity.
         */
        Footer withIdentity(Slice identity)
        {
            return new Footer(blockCount, rowCount, indexOffset, indexLength, filterLength, identity.length(), indexChecksum, filterChecksum, XxHash64.hash(identity));
        }

        String readIdentity(LocalDisk.ReadableFile file)
                throws IOException
        {
            return readChecked(file, identityOffset(), identityLength, identityChecksum, "identity").toString(UTF_8);
        }
    }

    static Slice readChecked(LocalDisk.ReadableFile file, long offset, int length, long checksum, String what)
            throws IOException
    {
        Slice section = readSection(file, offset, length);
        if (XxHash64.hash(section) != checksum) {
            throw new CorruptLookupFileException("the checksum of its %s does not fit".formatted(what));
        }
        return section;
    }

    private static Slice readSection(LocalDisk.ReadableFile file, long offset, int length)
            throws IOException
    {
        byte[] bytes = new byte[length];
        file.read(offset, bytes);
        return Slices.wrappedBuffer(bytes);
    }

    /**
     * Reads a block of blocks and checks it.
     *
     * @param end where the next one begins
     */
    static Slice readBlock(LocalDisk.ReadableFile file, long offset, long end, int rawLength)
            throws IOException
    {
        byte[] stored = readStored(file, offset, end);
        int checked = stored.length - Long.BYTES;
        Slice slice = Slices.wrappedBuffer(stored);
        LookupCompression compression = LookupCompression.ofCode(stored[checked - 1]);
        if (compression == LookupCompression.NONE) {
            return slice.slice(0, rawLength);
        }
        byte[] raw = new byte[rawLength];
        int length = compression.newDecompressor().decompress(stored, 0, checked - 1, raw, 0, rawLength);
        if (length != rawLength) {
            throw new CorruptLookupFileException("the block at %s has %s bytes instead of %s".formatted(offset, length, rawLength));
        }
        return Slices.wrappedBuffer(raw);
    }

    private static byte[] readStored(LocalDisk.ReadableFile file, long offset, long end)
            throws IOException
    {
        byte[] stored = new byte[toIntExact(end - offset)];
        file.read(offset, stored);
        int checked = stored.length - Long.BYTES;
        Slice slice = Slices.wrappedBuffer(stored);
        if (checked < 1 || slice.getLong(checked) != XxHash64.hash(slice, 0, checked)) {
            throw new CorruptLookupFileException("the checksum of the block at %s does not fit".formatted(offset));
        }
        return stored;
    }

    /**
     * Reads all of a file.
     *
     * @throws CorruptLookupFileException if any of its bytes is another than was written
     */
    static void check(LocalDisk.ReadableFile file)
            throws IOException
    {
        Footer footer = Footer.read(file);
        footer.readIdentity(file);
        long[] offsets = Directory.read(file, footer).offsets();
        for (int block = 0; block < footer.blockCount(); block++) {
            readStored(file, offsets[block], offsets[block + 1]);
        }
    }

    /**
     * Where the blocks are, and a filter for what is in none of them. Immutable.
     *
     * @param offsets where each block begins, and the last one ends
     * @param firstRows number of the first row of each block, then the number of rows
     */
    record Directory(SortedKeys firstKeys, long[] offsets, long[] firstRows, int[] rawLengths, BlockedBloomFilter filter)
            implements BlockCache.Cached
    {
        Directory
        {
            requireNonNull(firstKeys, "firstKeys is null");
            requireNonNull(offsets, "offsets is null");
            requireNonNull(firstRows, "firstRows is null");
            requireNonNull(rawLengths, "rawLengths is null");
            requireNonNull(filter, "filter is null");
        }

        static Directory read(LocalDisk.ReadableFile file, Footer footer)
                throws IOException
        {
            SliceInput input = readChecked(file, footer.indexOffset(), footer.indexLength(), footer.indexChecksum(), "index").getInput();
            SortedKeys firstKeys = SortedKeys.read(input);
            long[] offsets = new long[footer.blockCount() + 1];
            input.readLongs(offsets, 0, offsets.length);
            long[] firstRows = new long[footer.blockCount() + 1];
            input.readLongs(firstRows, 0, firstRows.length);
            int[] rawLengths = new int[footer.blockCount()];
            input.readInts(rawLengths, 0, rawLengths.length);
            Slice filter = readChecked(file, footer.filterOffset(), footer.filterLength(), footer.filterChecksum(), "filter");
            return new Directory(firstKeys, offsets, firstRows, rawLengths, BlockedBloomFilter.fromSlice(filter));
        }

        @Override
        public long sizeInBytes()
        {
            return firstKeys.keyBytes() + (long) offsets.length * (2 * Long.BYTES + Integer.BYTES) + filter.sizeInBytes();
        }
    }
}
