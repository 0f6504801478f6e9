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
 * Checks that a serialized sketch has the length that its head says. The library reads without bounds, so bytes that are
 * none must not get to it.
 */
final class SketchImages
{
    private static final int SERIAL_VERSION_HLL = 1;
    private static final int FAMILY_HLL = 7;
    private static final int MODE_LIST = 0;
    private static final int MODE_SET = 1;
    private static final int MODE_HLL = 2;
    private static final int MIN_LOG_BUCKETS = 4;
    private static final int MAX_LOG_BUCKETS = 21;
    private static final int FLAG_COMPACT = 8;

    private static final int SERIAL_VERSION_THETA = 3;
    private static final int FAMILY_ALPHA = 1;
    private static final int FAMILY_QUICK_SELECT = 2;
    private static final int FAMILY_COMPACT = 3;
    private static final int FLAG_BIG_ENDIAN = 1;
    private static final int FLAG_SINGLE_ITEM = 32;
    private static final int MAX_LOG_ARRAY = 26;

    private SketchImages() {}

    /**
     * @throws IllegalArgumentException if the bytes are no HLL sketch
     */
    static void checkHll(byte[] bytes)
    {
        checkArgument(bytes.length >= Long.BYTES && bytes[1] == SERIAL_VERSION_HLL && bytes[2] == FAMILY_HLL, "no HLL sketch");
        ByteBuffer image = ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN);
        int headInts = bytes[0] & 0x3F;
        int logBuckets = bytes[3];
        int logArray = bytes[4];
        boolean compact = (bytes[5] & FLAG_COMPACT) != 0;
        int mode = bytes[7] & 3;
        int width = (bytes[7] >> 2) & 3;
        checkArgument(logBuckets >= MIN_LOG_BUCKETS && logBuckets <= MAX_LOG_BUCKETS && logArray >= 0 && logArray <= MAX_LOG_BUCKETS, "an HLL sketch of 2^%s buckets and an array of 2^%s", logBuckets, logArray);
        checkArgument(width <= 2, "an HLL sketch of unknown type %s", width);
        switch (mode) {
            case MODE_LIST -> {
                int count = bytes[6] & 0xFF;
                checkHead(headInts, 2);
                checkLength(bytes, 8 + 4L * (compact ? count : 1 << logArray));
                checkArgument(count <= 8, "an HLL sketch with a list of %s", count);
            }
            case MODE_SET -> {
                checkHead(headInts, 3);
                checkLength(bytes, 12);
                int count = image.getInt(8);
                checkArgument(count >= 0 && count <= 1 << logBuckets, "an HLL sketch with a set of %s", count);
                checkLength(bytes, 12 + 4L * (compact ? count : 1 << logArray));
            }
            case MODE_HLL -> {
                checkHead(headInts, 10);
                checkLength(bytes, 40);
                int buckets = 1 << logBuckets;
                int exceptions = image.getInt(36);
                checkArgument(exceptions >= 0 && exceptions <= buckets, "an HLL sketch with %s exceptions", exceptions);
                long bucketBytes = switch (width) {
                    case 0 -> buckets / 2;
                    case 1 -> buckets * 3L / 4 + 1;
                    default -> buckets;
                };
                long exceptionBytes = exceptions == 0 ? 0 : 4L * (compact ? exceptions : 1 << logArray);
                checkLength(bytes, 40 + bucketBytes + exceptionBytes);
            }
            default -> throw new IllegalArgumentException("an HLL sketch of unknown mode " + mode);
        }
    }

    /**
     * @throws IllegalArgumentException if the bytes are no theta sketch of the current serial version
     */
    static void checkTheta(byte[] bytes)
    {
        checkArgument(bytes.length >= Long.BYTES && bytes[1] == SERIAL_VERSION_THETA, "no theta sketch of serial version %s", SERIAL_VERSION_THETA);
        int headLongs = bytes[0] & 0x3F;
        checkArgument((bytes[5] & FLAG_BIG_ENDIAN) == 0, "a theta sketch in big-endian order");
        switch (bytes[2]) {
            case FAMILY_COMPACT -> {
                checkArgument(headLongs >= 1 && headLongs <= 3, "a theta sketch with a head of %s longs", headLongs);
                checkLength(bytes, 8L * headLongs);
                long count = headLongs > 1 ? ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).getInt(8) : (bytes[5] & FLAG_SINGLE_ITEM) != 0 ? 1 : 0;
                checkArgument(count >= 0, "a theta sketch with %s values", count);
                checkLength(bytes, 8 * (headLongs + count));
            }
            case FAMILY_ALPHA, FAMILY_QUICK_SELECT -> {
                int logArray = bytes[4];
                checkArgument(headLongs == 3, "a theta sketch with a head of %s longs", headLongs);
                checkArgument(logArray > 0 && logArray <= MAX_LOG_ARRAY, "a theta sketch with an array of 2^%s", logArray);
                checkLength(bytes, 24 + (8L << logArray));
            }
            default -> throw new IllegalArgumentException("a sketch of unknown family " + bytes[2]);
        }
    }

    private static void checkHead(int actual, int expected)
    {
        checkArgument(actual == expected, "an HLL sketch with a head of %s ints instead of %s", actual, expected);
    }

    private static void checkLength(byte[] bytes, long needed)
    {
        checkArgument(bytes.length >= needed, "a sketch of %s bytes that should have %s", bytes.length, needed);
    }
}
