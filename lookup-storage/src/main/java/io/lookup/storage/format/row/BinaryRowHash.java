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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * The hash of binary rows: 32-bit Murmur3 with seed 42 over all bytes of the row, whose length is always a
 * multiple of four.
 */
public final class BinaryRowHash
{
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, LITTLE_ENDIAN);
    private static final int SEED = 42;

    private BinaryRowHash() {}

    public static int hash(BinaryRow row)
    {
        Slice bytes = row.bytes();
        return hash(bytes.byteArray(), bytes.byteArrayOffset(), bytes.length());
    }

    static int hash(byte[] bytes, int offset, int length)
    {
        int hash = SEED;
        int end = offset + length;
        for (int index = offset; index < end; index += Integer.BYTES) {
            int word = (int) INT.get(bytes, index);
            word *= 0xcc9e2d51;
            word = Integer.rotateLeft(word, 15);
            word *= 0x1b873593;
            hash ^= word;
            hash = Integer.rotateLeft(hash, 13);
            hash = hash * 5 + 0xe6546b64;
        }
        hash ^= length;
        hash ^= hash >>> 16;
        hash *= 0x85ebca6b;
        hash ^= hash >>> 13;
        hash *= 0xc2b2ae35;
        hash ^= hash >>> 16;
        return hash;
    }
}
