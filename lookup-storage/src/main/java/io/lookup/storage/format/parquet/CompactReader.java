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

import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Reads structures of Thrift's compact protocol, in which Parquet has its metadata, field by field and without an object for each. Pages and their
 * places in a file are so many that this matters. Reading behind the end throws an IndexOutOfBoundsException. Not thread-safe.
 */
final class CompactReader
{
    static final int STOP = 0;
    static final int TRUE = 1;
    static final int FALSE = 2;
    static final int LIST = 9;
    static final int STRUCT = 12;

    private static final int BYTE = 3;
    private static final int DOUBLE = 7;
    private static final int BINARY = 8;
    private static final int SET = 10;
    private static final int MAP = 11;

    private final Slice input;
    private int position;
    private int fieldId;
    private int fieldType;

    CompactReader(Slice input)
    {
        this.input = requireNonNull(input, "input is null");
    }

    /**
     * Begins a structure; to be given back at its end.
     *
     * @return what {@link #endStruct} needs
     */
    int beginStruct()
    {
        int outer = fieldId;
        fieldId = 0;
        return outer;
    }

    void endStruct(int outer)
    {
        fieldId = outer;
    }

    /**
     * Moves to the next field, whose value has to be read or skipped.
     *
     * @return false at the end of the structure
     */
    boolean nextField()
    {
        int header = input.getUnsignedByte(position);
        position++;
        fieldType = header & 0x0F;
        if (fieldType == STOP) {
            return false;
        }
        int delta = header >>> 4;
        fieldId = delta == 0 ? toIntExact(readLong()) : fieldId + delta;
        return true;
    }

    int fieldId()
    {
        return fieldId;
    }

    int fieldType()
    {
        return fieldType;
    }

    /**
     * A number of any width but a byte.
     */
    long readLong()
    {
        long value = readUnsigned();
        return (value >>> 1) ^ -(value & 1);
    }

    int readInt()
    {
        return toIntExact(readLong());
    }

    /**
     * Begins a list.
     *
     * @return number of elements, which follow without headers
     */
    int readListSize()
    {
        int header = input.getUnsignedByte(position);
        position++;
        int size = header >>> 4;
        return size == 0x0F ? toIntExact(readUnsigned()) : size;
    }

    void skipField()
    {
        skip(fieldType);
    }

    int position()
    {
        return position;
    }

    private long readUnsigned()
    {
        long value = 0;
        int shift = 0;
        while (true) {
            byte next = input.getByte(position);
            position++;
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
            shift += 7;
            if (shift >= Long.SIZE) {
                throw new IllegalArgumentException("A number has more than 64 bits");
            }
        }
    }

    private void skip(int type)
    {
        switch (type) {
            case TRUE, FALSE -> {
                // the type is the value
            }
            case BYTE -> position++;
            case DOUBLE -> position += Double.BYTES;
            case BINARY -> position += toIntExact(readUnsigned());
            case LIST, SET -> {
                int elementType = input.getUnsignedByte(position) & 0x0F;
                int size = readListSize();
                for (int element = 0; element < size; element++) {
                    skipElement(elementType);
                }
            }
            case MAP -> {
                int size = toIntExact(readUnsigned());
                if (size > 0) {
                    int types = input.getUnsignedByte(position);
                    position++;
                    for (int entry = 0; entry < size; entry++) {
                        skipElement(types >>> 4);
                        skipElement(types & 0x0F);
                    }
                }
            }
            case STRUCT -> {
                int outer = beginStruct();
                while (nextField()) {
                    skipField();
                }
                endStruct(outer);
            }
            default -> readUnsigned();
        }
    }

    /**
     * Truth values are a byte where they are no field.
     */
    private void skipElement(int type)
    {
        skip(type == TRUE || type == FALSE ? BYTE : type);
    }
}
