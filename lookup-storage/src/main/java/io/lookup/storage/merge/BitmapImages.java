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
package io.lookup.storage.merge;

import java.nio.ByteBuffer;

import static com.google.common.base.Preconditions.checkArgument;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Checks the counts in a serialized bitmap of 64 bits: the library allocates what they say, however much that is. (Of 32 bits,
 * it cannot be made to allocate much.)
 */
final class BitmapImages
{
    // a key has 48 bits, so no path has more nodes than it has bytes, and the leaf
    private static final int MAX_DEPTH = 7;
    private static final int MAX_CONTAINER_VALUES = 1 << 16;
    private static final int BITMAP_CONTAINER_BYTES = MAX_CONTAINER_VALUES / Byte.SIZE;

    private BitmapImages() {}

    /**
     * @throws RuntimeException if the bytes are no bitmap
     */
    static void check64(byte[] bytes)
    {
        ByteBuffer image = ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN);
        if (image.get() == 0) {
            return;
        }
        image.getLong();
        checkNode(image, 1);
        checkContainers(image);
    }

    private static void checkNode(ByteBuffer image, int depth)
    {
        checkArgument(depth <= MAX_DEPTH, "a bitmap with a tree of keys that is too deep");
        byte type = image.get();
        int children = image.getShort();
        skip(image, image.get());
        int maxChildren = switch (type) {
            case 0 -> {
                skip(image, 4);
                yield 4;
            }
            case 1 -> {
                skip(image, 16);
                yield 16;
            }
            case 2 -> {
                skip(image, 256);
                yield 48;
            }
            case 3 -> {
                skip(image, 32);
                yield 256;
            }
            case 4 -> {
                // six bytes of the key and the number of the container
                skip(image, 14);
                yield 0;
            }
            default -> throw new IllegalArgumentException("a bitmap with a tree of keys that has a node of unknown type " + type);
        };
        if (maxChildren == 0) {
            return;
        }
        checkArgument(children >= 0 && children <= maxChildren, "a bitmap with a tree of keys in which one of %s nodes has %s", maxChildren, children);
        for (int child = 0; child < children; child++) {
            checkNode(image, depth + 1);
        }
    }

    private static void checkContainers(ByteBuffer image)
    {
        int lists = image.getInt();
        checkCount(lists, image.remaining());
        int lastLength = 0;
        for (int list = 0; list < lists; list++) {
            image.get();
            lastLength = image.getInt();
            checkCount(lastLength, image.remaining());
            for (int container = 0; container < lastLength; container++) {
                if (image.get() != 0) {
                    checkContainer(image);
                }
            }
        }
        image.getLong();
        checkArgument(image.getInt() == lists - 1, "a bitmap with %s lists of containers, and another number of them at the end", lists);
        checkCount(image.getInt(), lastLength);
    }

    private static void checkContainer(ByteBuffer image)
    {
        byte type = image.get();
        int values = image.getInt();
        switch (type) {
            case 0 -> skip(image, 2 * Character.BYTES * image.getChar());
            case 1 -> skip(image, BITMAP_CONTAINER_BYTES);
            case 2 -> {
                checkCount(values, MAX_CONTAINER_VALUES);
                skip(image, Character.BYTES * values);
            }
            default -> throw new IllegalArgumentException("a bitmap with a container of unknown type " + type);
        }
    }

    private static void checkCount(int count, int limit)
    {
        checkArgument(count >= 0 && count <= limit, "a bitmap with a count of %s where at most %s are possible", count, limit);
    }

    private static void skip(ByteBuffer image, int bytes)
    {
        image.position(image.position() + bytes);
    }
}
