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
package io.lookup.storage.format.deletion;

import org.roaringbitmap.RoaringBitmap;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32;

import static java.lang.Math.toIntExact;
import static java.lang.String.format;

/**
 * One vector as bytes: a size, that many bytes of body, and the body's CRC-32. A body begins with a number that says
 * whether a bitmap of 32-bit positions follows, or several by the upper half of 64-bit positions.
 */
final class DeletionVectorCodec
{
    private static final int MAGIC_32 = 1581511376;
    private static final int MAGIC_64 = 1681511377;
    private static final int MAX_BITMAPS = 1 << 16;

    private DeletionVectorCodec() {}

    /**
     * @param length what the manifest says of the vector
     */
    record Encoded(byte[] bytes, int length) {}

    static Encoded encode(DeletionVector vector, boolean bitmap64)
    {
        byte[] body = bitmap64 ? encode64(vector) : encode32(vector);
        ByteBuffer buffer = ByteBuffer.allocate(Integer.BYTES + body.length + Integer.BYTES);
        buffer.putInt(body.length);
        buffer.put(body);
        buffer.putInt(checksum(body, 0, body.length));
        return new Encoded(buffer.array(), bitmap64 ? buffer.capacity() : body.length);
    }

    private static byte[] encode32(DeletionVector vector)
    {
        if (vector.last() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(format("Row %s is out of the range of 32-bit deletion vectors; set 'deletion-vectors.bitmap64'", vector.last()));
        }
        RoaringBitmap bitmap = compressed(vector.bitmaps().getOrDefault(0, new RoaringBitmap()));
        ByteBuffer body = ByteBuffer.allocate(Integer.BYTES + bitmap.serializedSizeInBytes());
        body.putInt(MAGIC_32);
        bitmap.serialize(body);
        return body.array();
    }

    private static byte[] encode64(DeletionVector vector)
    {
        // readers index the bitmaps by their number, so gaps are filled
        int count = vector.isEmpty() ? 0 : vector.bitmaps().lastKey() + 1;
        RoaringBitmap[] bitmaps = new RoaringBitmap[count];
        int size = Integer.BYTES + Long.BYTES;
        for (int upper = 0; upper < count; upper++) {
            bitmaps[upper] = compressed(vector.bitmaps().getOrDefault(upper, new RoaringBitmap()));
            size = Math.addExact(size, Integer.BYTES + bitmaps[upper].serializedSizeInBytes());
        }
        ByteBuffer body = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        body.putInt(MAGIC_64);
        body.putLong(count);
        for (int upper = 0; upper < count; upper++) {
            body.putInt(upper);
            bitmaps[upper].serialize(body);
        }
        return body.array();
    }

    private static RoaringBitmap compressed(RoaringBitmap bitmap)
    {
        RoaringBitmap copy = bitmap.clone();
        copy.runOptimize();
        return copy;
    }

    /**
     * @param bytes begin with the vector; what lies behind it is not looked at
     * @param length what the manifest says of the vector
     * @throws IOException if these are not the bytes of a vector of that length
     */
    static DeletionVector decode(byte[] bytes, int length)
            throws IOException
    {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            int size = buffer.getInt();
            int magic = buffer.getInt();
            boolean bitmap64 = magic == Integer.reverseBytes(MAGIC_64);
            if (magic != MAGIC_32 && !bitmap64) {
                throw new IOException(format("it begins with %08x, which is no deletion vector", magic));
            }
            int expectedSize = bitmap64 ? length - 2 * Integer.BYTES : length;
            if (size != expectedSize || size < Integer.BYTES) {
                throw new IOException(format("its size is %s, expected %s", size, expectedSize));
            }
            if (bytes.length < Integer.BYTES + (long) size + Integer.BYTES) {
                throw new IOException(format("it is truncated: %s bytes of %s", bytes.length, Integer.BYTES + (long) size + Integer.BYTES));
            }
            int checksum = buffer.getInt(Integer.BYTES + size);
            if (checksum != checksum(bytes, Integer.BYTES, size)) {
                throw new IOException("its checksum is wrong");
            }
            ByteBuffer body = ByteBuffer.wrap(bytes, 2 * Integer.BYTES, size - Integer.BYTES).slice().order(ByteOrder.LITTLE_ENDIAN);
            return bitmap64 ? decode64(body) : decode32(body);
        }
        catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IOException("it is truncated", e);
        }
        catch (RuntimeException e) {
            // bitmaps complain in several ways of bytes that no writer made
            throw new IOException("it is damaged: " + e.getMessage(), e);
        }
    }

    private static DeletionVector decode32(ByteBuffer body)
            throws IOException
    {
        NavigableMap<Integer, RoaringBitmap> bitmaps = new TreeMap<>();
        RoaringBitmap bitmap = readBitmap(body);
        if (!bitmap.isEmpty()) {
            bitmaps.put(0, bitmap);
        }
        return new DeletionVector(bitmaps);
    }

    private static DeletionVector decode64(ByteBuffer body)
            throws IOException
    {
        long count = body.getLong();
        if (count < 0 || count > MAX_BITMAPS) {
            throw new IOException(format("it has %s bitmaps", count));
        }
        NavigableMap<Integer, RoaringBitmap> bitmaps = new TreeMap<>();
        int last = -1;
        for (int index = 0; index < toIntExact(count); index++) {
            int upper = body.getInt();
            if (upper <= last) {
                throw new IOException(format("bitmap %s follows bitmap %s", upper, last));
            }
            last = upper;
            RoaringBitmap bitmap = readBitmap(body);
            if (!bitmap.isEmpty()) {
                bitmaps.put(upper, bitmap);
            }
        }
        return new DeletionVector(bitmaps);
    }

    private static RoaringBitmap readBitmap(ByteBuffer body)
            throws IOException
    {
        RoaringBitmap bitmap = new RoaringBitmap();
        // leaves the position of the buffer alone
        bitmap.deserialize(body);
        body.position(body.position() + bitmap.serializedSizeInBytes());
        return bitmap;
    }

    private static int checksum(byte[] bytes, int offset, int length)
    {
        CRC32 crc = new CRC32();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
