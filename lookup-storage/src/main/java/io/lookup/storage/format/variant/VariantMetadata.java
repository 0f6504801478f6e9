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
package io.lookup.storage.format.variant;

import io.airlift.slice.Slice;

import static com.google.common.base.Preconditions.checkArgument;
import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * The dictionary of the names that objects of a variant use (Parquet format, Variant Binary Encoding, "Metadata encoding").
 */
final class VariantMetadata
{
    private static final int VERSION = 1;

    private final Slice bytes;
    private final int size;
    private final int offsetBytes;
    private final int stringsStart;

    /**
     * @throws RuntimeException if it is damaged
     */
    VariantMetadata(Slice bytes)
    {
        this.bytes = requireNonNull(bytes, "bytes is null");
        int header = bytes.getUnsignedByte(0);
        checkArgument((header & 0b1111) == VERSION, "a VARIANT's metadata has version %s, known is %s", header & 0b1111, VERSION);
        this.offsetBytes = (header >>> 6) + 1;
        this.size = unsigned(bytes, 1, offsetBytes);
        this.stringsStart = toIntExact(1 + (size + 2L) * offsetBytes);
        checkArgument(stringsStart <= bytes.length(), "a VARIANT's metadata is cut off");
    }

    Slice name(int id)
    {
        checkArgument(id < size, "a VARIANT has no name %s, only %s", id, size);
        int start = offset(id);
        return bytes.slice(stringsStart + start, offset(id + 1) - start);
    }

    private int offset(int index)
    {
        return unsigned(bytes, 1 + (1 + index) * offsetBytes, offsetBytes);
    }

    /**
     * A little-endian number.
     *
     * @param length bytes, up to four
     */
    static int unsigned(Slice bytes, int position, int length)
    {
        long value = 0;
        for (int index = 0; index < length; index++) {
            value |= (long) bytes.getUnsignedByte(position + index) << (8 * index);
        }
        return toIntExact(value);
    }
}
