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
package io.lookup.storage.damage;

import com.google.common.collect.ImmutableList;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Damages bytes: what disks and networks do to them, and what somebody would who knows the formats.
 */
public final class Damage
{
    private static final List<String> TOKENS = ImmutableList.of(
            "null", "true", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e400", "99999999999999999999", "\"\"", "{}", "[]",
            "[[[[[[[[", "{\"a\":", "\"../../x\"", "\"/etc/passwd\"", "\"file:/x\"", "\\u0000", "\"ROW\"", "ARRAY<INT>", "DECIMAL(99, 99)", "\uFFFF");
    private static final long[] NUMBERS = {0, 1, -1, 127, 128, 255, 256, 65535, 65536, Integer.MAX_VALUE, Integer.MIN_VALUE, 0xFFFFFFFFL, Long.MAX_VALUE, Long.MIN_VALUE};

    private final Random random;

    public Damage(Random random)
    {
        this.random = random;
    }

    /**
     * @param text whether pieces of JSON go in, else numbers in their binary forms
     * @param sameLength whether offsets behind the damage stay right
     */
    public byte[] apply(byte[] original, boolean text, boolean sameLength)
    {
        byte[] bytes = original.clone();
        int steps = random.nextInt(4) == 0 ? 1 + random.nextInt(8) : 1;
        for (int step = 0; step < steps && bytes.length > 0; step++) {
            bytes = sameLength || random.nextInt(3) > 0 ? overwrite(bytes, text) : resize(bytes, text);
        }
        return bytes;
    }

    private byte[] overwrite(byte[] bytes, boolean text)
    {
        int position = random.nextInt(bytes.length);
        switch (random.nextInt(5)) {
            case 0 -> bytes[position] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[position] = (byte) random.nextInt(256);
            case 2 -> put(bytes, position, piece(text));
            case 3 -> {
                int length = Math.min(bytes.length - position, 1 + random.nextInt(16));
                Arrays.fill(bytes, position, position + length, (byte) (random.nextBoolean() ? 0 : 0xFF));
            }
            default -> {
                int from = random.nextInt(bytes.length);
                int length = Math.min(bytes.length - Math.max(position, from), 1 + random.nextInt(32));
                System.arraycopy(bytes, from, bytes, position, length);
            }
        }
        return bytes;
    }

    private byte[] resize(byte[] bytes, boolean text)
    {
        int position = random.nextInt(bytes.length);
        int end = Math.min(bytes.length, position + 1 + random.nextInt(32));
        return switch (random.nextInt(5)) {
            case 0 -> Arrays.copyOf(bytes, position);
            case 1 -> concat(bytes, position, new byte[0], end);
            case 2 -> concat(bytes, position, piece(text), position);
            case 3 -> concat(bytes, position, piece(text), end);
            default -> concat(bytes, position, Arrays.copyOfRange(bytes, position, end), position);
        };
    }

    private byte[] piece(boolean text)
    {
        if (text) {
            return TOKENS.get(random.nextInt(TOKENS.size())).getBytes(UTF_8);
        }
        long number = NUMBERS[random.nextInt(NUMBERS.length)];
        int width = 1 << random.nextInt(4);
        boolean littleEndian = random.nextBoolean();
        if (random.nextInt(3) == 0) {
            return variableLength(number);
        }
        byte[] piece = new byte[width];
        for (int index = 0; index < width; index++) {
            piece[littleEndian ? index : width - 1 - index] = (byte) (number >>> (8 * index));
        }
        return piece;
    }

    private static byte[] variableLength(long number)
    {
        ByteArrayOutputStream piece = new ByteArrayOutputStream();
        long rest = (number << 1) ^ (number >> 63);
        while ((rest & ~0x7FL) != 0) {
            piece.write((int) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        piece.write((int) rest);
        return piece.toByteArray();
    }

    private static void put(byte[] bytes, int position, byte[] piece)
    {
        System.arraycopy(piece, 0, bytes, position, Math.min(piece.length, bytes.length - position));
    }

    private static byte[] concat(byte[] bytes, int headEnd, byte[] middle, int tailStart)
    {
        byte[] result = new byte[headEnd + middle.length + bytes.length - tailStart];
        System.arraycopy(bytes, 0, result, 0, headEnd);
        System.arraycopy(middle, 0, result, headEnd, middle.length);
        System.arraycopy(bytes, tailStart, result, headEnd + middle.length, bytes.length - tailStart);
        return result;
    }
}
