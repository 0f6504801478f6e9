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
package io.lookup.storage.format.row;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * A growing array of zeros that rows are written into; every number is little-endian.
 */
final class BinaryBuffer
{
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);

    private byte[] bytes = new byte[128];
    private int size;

    void reset()
    {
        size = 0;
    }

    int size()
    {
        return size;
    }

    /**
     * Appends zeros.
     *
     * @return where they begin
     */
    int allocate(int length)
    {
        int start = size;
        int end = Math.addExact(start, length);
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(end, bytes.length * 2L)));
        }
        Arrays.fill(bytes, start, end, (byte) 0);
        size = end;
        return start;
    }

    void setBit(int start, int bit)
    {
        bytes[start + (bit >>> 3)] |= (byte) (1 << (bit & 7));
    }

    void setByte(int offset, byte value)
    {
        bytes[offset] = value;
    }

    void setShort(int offset, short value)
    {
        SHORT.set(bytes, offset, value);
    }

    void setInt(int offset, int value)
    {
        INT.set(bytes, offset, value);
    }

    void setLong(int offset, long value)
    {
        LONG.set(bytes, offset, value);
    }

    void setBytes(int offset, Slice source, int sourceOffset, int length)
    {
        source.getBytes(sourceOffset, bytes, offset, length);
    }

    int hash()
    {
        return BinaryRowHash.hash(bytes, 0, size);
    }

    Slice copy()
    {
        return Slices.wrappedBuffer(Arrays.copyOf(bytes, size));
    }

    static int roundToWord(int length)
    {
        return (length + 7) & ~7;
    }
}
