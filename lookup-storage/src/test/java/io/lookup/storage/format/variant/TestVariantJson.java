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
import io.airlift.slice.Slices;
import org.apache.paimon.data.variant.GenericVariant;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestVariantJson
{
    @Test
    void testAgainstPaimon()
    {
        VariantJson json = new VariantJson();
        RandomVariants variants = new RandomVariants(new Random(1));
        for (int index = 0; index < 5_000; index++) {
            GenericVariant variant = variants.next();
            assertThat(json.toJson(Slices.wrappedBuffer(variant.metadata()), Slices.wrappedBuffer(variant.value())).toStringUtf8()).isEqualTo(variant.toJson(ZoneOffset.UTC));
        }
    }

    @Test
    void testTypesThatPaimonDoesNotWrite()
    {
        assertThat(primitive(17, little(45_296_000_001L, 8))).isEqualTo("\"12:34:56.000001\"");
        assertThat(primitive(18, little(1_000_000_001L, 8))).isEqualTo("\"1970-01-01 00:00:01.000000001+00:00\"");
        assertThat(primitive(19, little(-1L, 8))).isEqualTo("\"1969-12-31 23:59:59.999999999\"");
        assertThatThrownBy(() -> primitive(21, new byte[16])).hasMessage("a VARIANT has a value of type 21, which is not known");
    }

    /**
     * Each level has its one part twice, so that forty levels would be a million million values.
     */
    @Test
    void testOverlappingParts()
    {
        byte[] value = {0};
        for (int level = 0; level < 40; level++) {
            ByteArrayOutputStream array = new ByteArrayOutputStream();
            // two elements, offsets of two bytes
            array.write(0b00_0001 << 2 | 3);
            array.write(2);
            array.writeBytes(new byte[4]);
            array.writeBytes(little(value.length, 2));
            array.writeBytes(value);
            value = array.toByteArray();
        }
        byte[] overlapping = value;
        assertThatThrownBy(() -> toJson(new byte[] {1, 0, 0}, overlapping)).hasMessage("a VARIANT is cut off, or parts of it overlap");
    }

    @Test
    void testDepth()
    {
        assertThat(toJson(new byte[] {1, 0, 0}, nested(500))).isEqualTo("[".repeat(500) + "null" + "]".repeat(500));
        byte[] deep = nested(501);
        assertThatThrownBy(() -> toJson(new byte[] {1, 0, 0}, deep)).hasMessage("a VARIANT is nested more than 500 levels deep");
        byte[] deeper = nested(100_000);
        assertThatThrownBy(() -> toJson(new byte[] {1, 0, 0}, deeper)).hasMessage("a VARIANT is nested more than 500 levels deep");
    }

    private static byte[] nested(int levels)
    {
        // one element with offsets of four bytes a level; the last offset is not looked at
        byte[] value = new byte[levels * 10 + 1];
        for (int level = 0; level < levels; level++) {
            value[level * 10] = 0b00_0011 << 2 | 3;
            value[level * 10 + 1] = 1;
        }
        return value;
    }

    /**
     * Whatever the bytes are, it ends soon, with text or an error.
     */
    @Test
    void testDamage()
    {
        RandomVariants variants = new RandomVariants(new Random(2));
        Random random = new Random(3);
        int refused = 0;
        for (int index = 0; index < 20_000; index++) {
            GenericVariant variant = variants.next();
            byte[] value = variant.value().clone();
            byte[] metadata = variant.metadata().clone();
            byte[] damaged = random.nextBoolean() ? value : metadata;
            for (int change = random.nextInt(4); change >= 0; change--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            if (random.nextInt(4) == 0) {
                value = Arrays.copyOf(value, random.nextInt(value.length));
            }
            try {
                toJson(metadata, value);
            }
            catch (RuntimeException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(2_000, 19_000);
    }

    private static String primitive(int type, byte[] content)
    {
        byte[] value = new byte[content.length + 1];
        value[0] = (byte) (type << 2);
        System.arraycopy(content, 0, value, 1, content.length);
        return toJson(new byte[] {1, 0, 0}, value);
    }

    private static byte[] little(long value, int length)
    {
        byte[] bytes = new byte[length];
        for (int index = 0; index < length; index++) {
            bytes[index] = (byte) (value >>> (8 * index));
        }
        return bytes;
    }

    private static String toJson(byte[] metadata, byte[] value)
    {
        Slice json = new VariantJson().toJson(Slices.wrappedBuffer(metadata), Slices.wrappedBuffer(value));
        return json.toStringUtf8();
    }
}
