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

import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

import static java.lang.String.format;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Reads Avro's binary encoding from bytes that nobody vouches for: no length is believed beyond the bytes that are there, and the elements
 * of arrays and maps, which may take no bytes at all, are counted.
 */
final class AvroInput
{
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int MAX_VARINT_BITS = 63;

    private final byte[] bytes;
    private final int end;
    private int position;
    private long elements;

    AvroInput(byte[] bytes, int position, int length)
    {
        this.bytes = bytes;
        this.position = position;
        this.end = position + length;
    }

    int position()
    {
        return position;
    }

    int remaining()
    {
        return end - position;
    }

    boolean readBoolean()
            throws IOException
    {
        int start = position;
        skip(1);
        return bytes[start] != 0;
    }

    int readFloatBits()
            throws IOException
    {
        int start = position;
        skip(Integer.BYTES);
        return (int) INTS.get(bytes, start);
    }

    long readDoubleBits()
            throws IOException
    {
        int start = position;
        skip(Long.BYTES);
        return (long) LONGS.get(bytes, start);
    }

    byte[] bytes()
    {
        return bytes;
    }

    long readLong()
            throws IOException
    {
        long value = 0;
        for (int shift = 0; shift <= MAX_VARINT_BITS; shift += 7) {
            if (position == end) {
                throw truncated();
            }
            byte next = bytes[position];
            position++;
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new IOException("a number has too many bytes");
    }

    int readInt()
            throws IOException
    {
        long value = readLong();
        if ((int) value != value) {
            throw new IOException(format("number %s is out of range", value));
        }
        return (int) value;
    }

    byte[] readBytes()
            throws IOException
    {
        int start = skipBytes();
        return Arrays.copyOfRange(bytes, start, position);
    }

    String readString()
            throws IOException
    {
        int start = skipBytes();
        return new String(bytes, start, position - start, UTF_8);
    }

    /**
     * @return where they begin; they end at the position
     */
    int skipBytes()
            throws IOException
    {
        int length = readInt();
        int start = position;
        skip(length);
        return start;
    }

    void skip(int length)
            throws IOException
    {
        if (length < 0) {
            throw new IOException(format("a length of %s", length));
        }
        if (length > remaining()) {
            throw truncated();
        }
        position += length;
    }

    /**
     * How many elements of an array or a map follow before the next such count; 0 at its end.
     */
    long readElementCount()
            throws IOException
    {
        long count = readLong();
        if (count < 0) {
            // then the size in bytes comes too, for those who want to skip
            readLong();
            count = -count;
        }
        // an honest element takes a byte or more
        if (count < 0 || count > bytes.length - elements) {
            throw new IOException(format("more elements than bytes: %s in %s", count, bytes.length));
        }
        elements += count;
        return count;
    }

    private static EOFException truncated()
    {
        return new EOFException("it is truncated");
    }
}
