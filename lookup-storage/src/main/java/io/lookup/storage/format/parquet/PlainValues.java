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
package io.lookup.storage.format.parquet;

import io.airlift.slice.Slice;
import io.trino.spi.block.VariableWidthBlock;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import static java.lang.Math.addExact;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Parquet's PLAIN encoding of numbers and of byte arrays with their lengths (Parquet format, Encodings), a batch at a time and into one array that is kept from page
 * to page, where Parquet's own writer takes a call a value and a list of arrays a page. Not for booleans and byte arrays of one length, which are encoded otherwise.
 */
final class PlainValues
        extends ValuesWriter
{
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);
    private static final int INITIAL_BYTES = 1 << 10;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int size;

    static boolean isFor(PrimitiveTypeName type)
    {
        return switch (type) {
            case INT32, INT64, FLOAT, DOUBLE, BINARY -> true;
            case BOOLEAN, INT96, FIXED_LEN_BYTE_ARRAY -> false;
        };
    }

    void writeInts(int[] values, int count)
    {
        ensureRoom(count * Integer.BYTES);
        for (int index = 0; index < count; index++) {
            INT.set(bytes, size + index * Integer.BYTES, values[index]);
        }
        size += count * Integer.BYTES;
    }

    void writeLongs(long[] values, int count)
    {
        ensureRoom(count * Long.BYTES);
        for (int index = 0; index < count; index++) {
            LONG.set(bytes, size + index * Long.BYTES, values[index]);
        }
        size += count * Long.BYTES;
    }

    void writeBytes(VariableWidthBlock block, int[] positions, int count)
    {
        int length = count * Integer.BYTES;
        for (int index = 0; index < count; index++) {
            length = addExact(length, block.getSliceLength(positions[index]));
        }
        ensureRoom(length);
        Slice raw = block.getRawSlice();
        byte[] source = raw.byteArray();
        int base = raw.byteArrayOffset();
        int target = size;
        for (int index = 0; index < count; index++) {
            int valueLength = block.getSliceLength(positions[index]);
            INT.set(bytes, target, valueLength);
            target += Integer.BYTES;
            System.arraycopy(source, base + block.getRawSliceOffset(positions[index]), bytes, target, valueLength);
            target += valueLength;
        }
        size = target;
    }

    @Override
    public void writeInteger(int value)
    {
        ensureRoom(Integer.BYTES);
        INT.set(bytes, size, value);
        size += Integer.BYTES;
    }

    @Override
    public void writeLong(long value)
    {
        ensureRoom(Long.BYTES);
        LONG.set(bytes, size, value);
        size += Long.BYTES;
    }

    @Override
    public void writeFloat(float value)
    {
        writeInteger(Float.floatToRawIntBits(value));
    }

    @Override
    public void writeDouble(double value)
    {
        writeLong(Double.doubleToRawLongBits(value));
    }

    @Override
    public void writeBytes(Binary value)
    {
        writeInteger(value.length());
        ensureRoom(value.length());
        value.toByteBuffer().get(bytes, size, value.length());
        size += value.length();
    }

    private void ensureRoom(int length)
    {
        int needed = addExact(size, length);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(bytes.length * 2L, Integer.MAX_VALUE - Long.BYTES)));
        }
    }

    @Override
    public long getBufferedSize()
    {
        return size;
    }

    /**
     * A view that holds until {@link #reset}.
     */
    @Override
    public BytesInput getBytes()
    {
        return BytesInput.from(bytes, 0, size);
    }

    @Override
    public Encoding getEncoding()
    {
        return Encoding.PLAIN;
    }

    @Override
    public void reset()
    {
        size = 0;
    }

    @Override
    public long getAllocatedSize()
    {
        return bytes.length;
    }

    @Override
    public String memUsageString(String prefix)
    {
        return "%s PlainValues %s bytes, %s allocated".formatted(prefix, size, bytes.length);
    }
}
