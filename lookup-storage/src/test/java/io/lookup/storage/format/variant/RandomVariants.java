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

import org.apache.paimon.data.variant.GenericVariant;
import org.apache.paimon.data.variant.GenericVariantBuilder;
import org.apache.paimon.data.variant.GenericVariantBuilder.FieldEntry;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Random;
import java.util.UUID;

import static java.util.Objects.requireNonNull;

/**
 * Variants of every kind, made by Paimon.
 */
public final class RandomVariants
{
    private static final int MAX_DEPTH = 4;

    private final Random random;

    public RandomVariants(Random random)
    {
        this.random = requireNonNull(random, "random is null");
    }

    public GenericVariant next()
    {
        GenericVariantBuilder builder = new GenericVariantBuilder(false);
        append(builder, 0);
        return builder.result();
    }

    private void append(GenericVariantBuilder builder, int depth)
    {
        switch (random.nextInt(depth < MAX_DEPTH ? 20 : 14)) {
            case 0 -> builder.appendNull();
            case 1 -> builder.appendBoolean(random.nextBoolean());
            case 2 -> builder.appendLong(random.nextLong() >> random.nextInt(64));
            case 3 -> builder.appendDouble(random.nextInt(4) > 0 ? random.nextGaussian() * 1e10 : random.nextBoolean() ? Double.NaN : Double.NEGATIVE_INFINITY);
            case 4 -> builder.appendDecimal(new BigDecimal(new BigInteger(random.nextInt(126), random).multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1)), random.nextInt(38)));
            case 5 -> builder.appendDate(random.nextInt(200_000) - 100_000);
            case 6 -> builder.appendTimestamp(random.nextLong() >> 12);
            case 7 -> builder.appendTimestampNtz((random.nextLong() >> 12) / 1_000_000 * 1_000_000);
            case 8 -> builder.appendFloat(random.nextInt(4) > 0 ? random.nextFloat() * 1e6f : Float.POSITIVE_INFINITY);
            case 9 -> builder.appendBinary(bytes(random.nextInt(40)));
            case 10 -> builder.appendUuid(new UUID(random.nextLong(), random.nextLong()));
            case 11 -> builder.appendString(text(random.nextInt(300)));
            case 12, 13 -> builder.appendString(text(random.nextInt(20)));
            case 14, 15, 16 -> {
                int start = builder.getWritePos();
                ArrayList<Integer> offsets = new ArrayList<>();
                // more than 255 now and then, which takes larger numbers
                for (int count = random.nextInt(30) == 0 ? 300 : random.nextInt(5); count > 0; count--) {
                    offsets.add(builder.getWritePos() - start);
                    append(builder, depth + (count > 5 ? MAX_DEPTH : 1));
                }
                builder.finishWritingArray(start, offsets);
            }
            default -> {
                int start = builder.getWritePos();
                ArrayList<FieldEntry> fields = new ArrayList<>();
                int count = random.nextInt(30) == 0 ? 300 : random.nextInt(5);
                for (int index = 0; index < count; index++) {
                    // no two are alike; Paimon orders names as Java does, which differs from the order of their bytes beyond U+FFFF
                    String name = random.nextInt(100) + "\"é\\\n" + index;
                    fields.add(new FieldEntry(name, builder.addKey(name), builder.getWritePos() - start));
                    append(builder, depth + (count > 5 ? MAX_DEPTH : 1));
                }
                builder.finishWritingObject(start, fields);
            }
        }
    }

    private byte[] bytes(int length)
    {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private String text(int length)
    {
        int[] alphabet = {'a', 'z', '"', '\\', '/', '\n', 0x01, 0x7F, 0xE9, 0x20AC, 0x2028, 0xFFFD, 0x1F600};
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < length; index++) {
            text.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
        }
        return text.toString();
    }
}
