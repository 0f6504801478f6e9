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

import io.airlift.slice.Slices;
import io.trino.spi.block.VariableWidthBlock;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.plain.PlainValuesWriter;
import org.apache.parquet.io.api.Binary;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Against the writer of Parquet's own library.
 */
final class TestPlainValues
{
    private static final int VALUES = 3_000;

    private final Random random = new Random(42);

    @Test
    void testNumbers()
            throws IOException
    {
        PlainValues values = new PlainValues();
        for (int page = 0; page < 3; page++) {
            try (PlainValuesWriter expected = newExpected()) {
                long[] longs = random.longs(VALUES).toArray();
                int[] ints = random.ints(VALUES).toArray();
                values.writeLongs(longs, VALUES - page);
                values.writeInts(ints, VALUES);
                values.writeDouble(-0.0);
                values.writeFloat(Float.NaN);
                for (int index = 0; index < VALUES - page; index++) {
                    expected.writeLong(longs[index]);
                }
                for (int value : ints) {
                    expected.writeInteger(value);
                }
                expected.writeDouble(-0.0);
                expected.writeFloat(Float.NaN);
                assertSame(values, expected);
            }
        }
    }

    @Test
    void testBytes()
            throws IOException
    {
        // a view into a larger array, of which some values are taken, some twice
        byte[] bytes = new byte[40_000];
        random.nextBytes(bytes);
        int[] offsets = new int[VALUES + 1];
        for (int index = 1; index <= VALUES; index++) {
            offsets[index] = offsets[index - 1] + random.nextInt(14);
        }
        VariableWidthBlock block = new VariableWidthBlock(VALUES, Slices.wrappedBuffer(bytes, 100, bytes.length - 100), offsets, Optional.empty()).getRegion(7, VALUES - 7);
        int[] positions = random.ints(VALUES, 0, VALUES - 7).toArray();

        PlainValues values = new PlainValues();
        for (int page = 0; page < 3; page++) {
            try (PlainValuesWriter expected = newExpected()) {
                values.writeBytes(block, positions, VALUES);
                values.writeBytes(Binary.fromString("one more"));
                values.writeBytes(Binary.fromConstantByteBuffer(ByteBuffer.wrap(bytes, 5, 20)));
                for (int position : positions) {
                    expected.writeBytes(Binary.fromConstantByteArray(block.getSlice(position).getBytes()));
                }
                expected.writeBytes(Binary.fromString("one more"));
                expected.writeBytes(Binary.fromConstantByteBuffer(ByteBuffer.wrap(bytes, 5, 20)));
                assertSame(values, expected);
            }
        }
    }

    private static PlainValuesWriter newExpected()
    {
        return new PlainValuesWriter(64, 1 << 20, HeapByteBufferAllocator.getInstance());
    }

    private static void assertSame(PlainValues values, PlainValuesWriter expected)
            throws IOException
    {
        assertThat(values.getBufferedSize()).isEqualTo(expected.getBufferedSize());
        assertThat(values.getEncoding()).isEqualTo(expected.getEncoding());
        assertThat(bytes(values.getBytes().toByteBuffer(HeapByteBufferAllocator.getInstance(), _ -> {})))
                .isEqualTo(bytes(expected.getBytes().toByteBuffer(HeapByteBufferAllocator.getInstance(), _ -> {})));
        values.reset();
        assertThat(values.getBufferedSize()).isZero();
    }

    private static byte[] bytes(ByteBuffer buffer)
    {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
