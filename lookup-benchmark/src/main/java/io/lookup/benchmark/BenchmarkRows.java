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
package io.lookup.benchmark;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TypeParser;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.VariableWidthBlock;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * The rows that both engines write: a bigint key, bigint, double, two strings of 12 and 40 characters, timestamp(3).
 * A row's values follow from its key and a version, so that both engines get the same ones and no run differs from
 * another.
 */
final class BenchmarkRows
{
    static final List<DataField> COLUMNS = List.of(
            new DataField(0, "id", TypeParser.parse("BIGINT NOT NULL")),
            new DataField(1, "amount", TypeParser.parse("BIGINT")),
            new DataField(2, "price", TypeParser.parse("DOUBLE")),
            new DataField(3, "code", TypeParser.parse("VARCHAR(12)")),
            new DataField(4, "note", TypeParser.parse("VARCHAR(40)")),
            new DataField(5, "changed_at", TypeParser.parse("TIMESTAMP(3)")));

    private static final int PAGE_ROWS = 8192;
    private static final int CODE_LENGTH = 12;
    private static final int NOTE_LENGTH = 40;
    private static final byte[] LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_ABCDEFGHIJKLMNOPQRSTUVWXYZ".getBytes(US_ASCII);

    private BenchmarkRows() {}

    /**
     * Every key from 0 on once, in random order.
     */
    static List<Page> load(int rows)
    {
        int[] keys = new int[rows];
        for (int index = 0; index < rows; index++) {
            keys[index] = index;
        }
        Random random = new Random(1);
        for (int index = rows - 1; index > 0; index--) {
            int other = random.nextInt(index + 1);
            int key = keys[index];
            keys[index] = keys[other];
            keys[other] = key;
        }
        return pages(keys, 0);
    }

    /**
     * Keys that the table does not have, in random order between those it has if the table was loaded with gaps.
     *
     * @param firstKey lowest key
     */
    static List<Page> inserts(int firstKey, int rows, int version)
    {
        Random random = new Random(version);
        int[] keys = new int[rows];
        for (int index = 0; index < rows; index++) {
            int other = random.nextInt(index + 1);
            keys[index] = keys[other];
            keys[other] = firstKey + index;
        }
        return pages(keys, version);
    }

    /**
     * New values for random keys; a key may come twice.
     *
     * @param version 1 and up, another one for each commit
     */
    static List<Page> updates(int tableRows, int rows, int version)
    {
        Random random = new Random(1 + version);
        int[] keys = new int[rows];
        for (int index = 0; index < rows; index++) {
            keys[index] = random.nextInt(tableRows);
        }
        return pages(keys, version);
    }

    /**
     * Each page is made when it is taken: a large load does not fit in memory.
     */
    private static List<Page> pages(int[] keys, int version)
    {
        return new AbstractList<>()
        {
            @Override
            public Page get(int index)
            {
                int from = index * PAGE_ROWS;
                return page(Arrays.copyOfRange(keys, from, Math.min(keys.length, from + PAGE_ROWS)), version);
            }

            @Override
            public int size()
            {
                return (keys.length + PAGE_ROWS - 1) / PAGE_ROWS;
            }
        };
    }

    private static Page page(int[] keys, int version)
    {
        int count = keys.length;
        long[] ids = new long[count];
        long[] amounts = new long[count];
        long[] prices = new long[count];
        byte[] codes = new byte[count * CODE_LENGTH];
        byte[] notes = new byte[count * NOTE_LENGTH];
        long[] times = new long[count];
        for (int row = 0; row < count; row++) {
            long seed = mix(keys[row] + ((long) version << 40));
            ids[row] = keys[row];
            amounts[row] = seed >>> 24;
            prices[row] = Double.doubleToLongBits((mix(seed) >>> 40) / 100.0);
            letters(codes, row * CODE_LENGTH, CODE_LENGTH, seed + 1);
            letters(notes, row * NOTE_LENGTH, NOTE_LENGTH, seed + 2);
            times[row] = (1_700_000_000_000L + (mix(seed + 3) >>> 32)) * 1000;
        }
        return new Page(count, longs(ids), longs(amounts), longs(prices), strings(codes, CODE_LENGTH), strings(notes, NOTE_LENGTH), longs(times));
    }

    private static void letters(byte[] target, int offset, int length, long seed)
    {
        long bits = 0;
        for (int index = 0; index < length; index++) {
            if (index % 10 == 0) {
                bits = mix(seed + index);
            }
            target[offset + index] = LETTERS[(int) (bits & 63)];
            bits >>>= 6;
        }
    }

    private static Block longs(long[] values)
    {
        return new LongArrayBlock(values.length, Optional.empty(), values);
    }

    private static Block strings(byte[] bytes, int length)
    {
        Slice slice = Slices.wrappedBuffer(bytes);
        int[] offsets = new int[bytes.length / length + 1];
        for (int index = 0; index < offsets.length; index++) {
            offsets[index] = index * length;
        }
        return new VariableWidthBlock(offsets.length - 1, slice, offsets, Optional.empty());
    }

    static boolean isString(int channel)
    {
        return channel == 3 || channel == 4;
    }

    static long hash(long start, byte[] bytes)
    {
        long hash = start;
        for (byte value : bytes) {
            hash = hash * 31 + value;
        }
        return mix(hash);
    }

    static long mix(long value)
    {
        long mixed = value + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
