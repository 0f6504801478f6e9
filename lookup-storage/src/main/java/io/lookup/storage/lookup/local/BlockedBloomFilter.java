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
import io.airlift.slice.Slices;

import static com.google.common.base.Preconditions.checkArgument;
import static java.lang.Math.toIntExact;
import static java.lang.Math.unsignedMultiplyHigh;
import static java.util.Objects.requireNonNull;

/**
 * Tells of most keys that are absent that they are. A key sets one bit in each of the eight words of one block, so that asking for it touches
 * 64 bytes. With twelve bits a key about one absent key in 250 is not told. The hash is 64 bits of the key bytes; its upper
 * bits choose the block, and products with odd numbers the bits.
 */
final class BlockedBloomFilter
{
    private static final int WORDS = 8;
    private static final int BITS_PER_KEY = 12;
    private static final int BIT_SHIFT = Long.SIZE - 6;

    // odd, with bits of both values all over them, and unlike each other
    private static final long SALT_0 = 0x9E37_79B9_7F4A_7C15L;
    private static final long SALT_1 = 0xC2B2_AE3D_27D4_EB4FL;
    private static final long SALT_2 = 0x1656_67B1_9E37_79F9L;
    private static final long SALT_3 = 0x85EB_CA77_C2B2_AE63L;
    private static final long SALT_4 = 0x27D4_EB2F_1656_67C5L;
    private static final long SALT_5 = 0xD6E8_FEB8_6659_FD93L;
    private static final long SALT_6 = 0xFF51_AFD7_ED55_8CCDL;
    private static final long SALT_7 = 0xC4CE_B9FE_1A85_EC53L;

    private final long[] words;
    private final long blockCount;

    private BlockedBloomFilter(long[] words)
    {
        this.words = requireNonNull(words, "words is null");
        this.blockCount = words.length / WORDS;
    }

    static BlockedBloomFilter forKeys(long keyCount)
    {
        return new BlockedBloomFilter(new long[wordCount(keyCount)]);
    }

    /**
     * Bytes of a filter for this many keys.
     */
    static long sizeInBytes(long keyCount)
    {
        return (long) wordCount(keyCount) * Long.BYTES;
    }

    private static int wordCount(long keyCount)
    {
        long blocks = Math.max(1, keyCount * BITS_PER_KEY / (WORDS * Long.SIZE) + 1);
        return toIntExact(blocks * WORDS);
    }

    void add(long hash)
    {
        int start = start(hash);
        words[start] |= bit(hash, SALT_0);
        words[start + 1] |= bit(hash, SALT_1);
        words[start + 2] |= bit(hash, SALT_2);
        words[start + 3] |= bit(hash, SALT_3);
        words[start + 4] |= bit(hash, SALT_4);
        words[start + 5] |= bit(hash, SALT_5);
        words[start + 6] |= bit(hash, SALT_6);
        words[start + 7] |= bit(hash, SALT_7);
    }

    /**
     * @return false if no key with this hash was added
     */
    boolean mightContain(long hash)
    {
        int start = start(hash);
        return (words[start] & bit(hash, SALT_0)) != 0
                && (words[start + 1] & bit(hash, SALT_1)) != 0
                && (words[start + 2] & bit(hash, SALT_2)) != 0
                && (words[start + 3] & bit(hash, SALT_3)) != 0
                && (words[start + 4] & bit(hash, SALT_4)) != 0
                && (words[start + 5] & bit(hash, SALT_5)) != 0
                && (words[start + 6] & bit(hash, SALT_6)) != 0
                && (words[start + 7] & bit(hash, SALT_7)) != 0;
    }

    private int start(long hash)
    {
        return (int) unsignedMultiplyHigh(hash, blockCount) * WORDS;
    }

    private static long bit(long hash, long salt)
    {
        return 1L << ((hash * salt) >>> BIT_SHIFT);
    }

    Slice toSlice()
    {
        Slice slice = Slices.allocate(toIntExact(sizeInBytes()));
        slice.setLongs(0, words);
        return slice;
    }

    static BlockedBloomFilter fromSlice(Slice slice)
    {
        checkArgument(slice.length() > 0 && slice.length() % (WORDS * Long.BYTES) == 0, "A filter cannot have %s bytes", slice.length());
        long[] words = new long[slice.length() / Long.BYTES];
        slice.getLongs(0, words);
        return new BlockedBloomFilter(words);
    }

    long sizeInBytes()
    {
        return (long) words.length * Long.BYTES;
    }
}
