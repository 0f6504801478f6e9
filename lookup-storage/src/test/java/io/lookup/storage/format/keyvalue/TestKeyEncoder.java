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
package io.lookup.storage.format.keyvalue;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.format.row.RandomValues;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import org.apache.paimon.codegen.CodeGenUtils;
import org.apache.paimon.codegen.RecordComparator;
import org.apache.paimon.data.GenericRow;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.format.row.RandomValues.ORDERED_TYPES;
import static io.lookup.storage.format.row.RandomValues.scalar;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.lang.Integer.signum;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestKeyEncoder
{
    private static final DataType INT = scalar(TypeRoot.INTEGER, 0);
    private static final DataType STRING = scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH);
    private static final DataType CHAR = scalar(TypeRoot.CHAR, 9);

    @Test
    void testKnownBytes()
    {
        assertThat(hex(KeyEncoder.forKeys(ImmutableList.of(INT, STRING)), 1L, "ab")).isEqualTo("80000001" + "6162");
        assertThat(hex(KeyEncoder.forKeys(ImmutableList.of(STRING, INT)), "a\u0000b", -1L)).isEqualTo("6100ff62" + "0000" + "7fffffff");
        assertThat(hex(new KeyEncoder(ImmutableList.of(INT, INT), true, false), null, 0L)).isEqualTo("00" + "0180000000");
        assertThat(hex(new KeyEncoder(ImmutableList.of(INT, STRING), true, true), null, "a")).isEqualTo("00" + "019effff");
    }

    @Test
    void testKeyOrder()
    {
        Random random = new Random(3);
        for (int round = 0; round < 100; round++) {
            assertOrder(randomTypes(random, round), false, false, random);
        }
    }

    @Test
    void testSequenceFieldOrder()
    {
        Random random = new Random(4);
        for (int round = 0; round < 50; round++) {
            List<DataType> types = randomTypes(random, round);
            assertOrder(types, true, false, random);
            assertOrder(types, true, true, random);
        }
    }

    private static void assertOrder(List<DataType> types, boolean nullable, boolean descending, Random random)
    {
        int count = 40;
        RandomValues randomValues = new RandomValues(random);
        List<List<Object>> rows = new ArrayList<>();
        List<GenericRow> paimonRows = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            List<RandomValues.Value> values = types.stream().map(type -> randomValues.next(type, nullable ? 0.2 : 0)).toList();
            List<Object> trinoValues = new ArrayList<>();
            values.forEach(value -> trinoValues.add(value.trino()));
            rows.add(trinoValues);
            paimonRows.add(GenericRow.of(values.stream().map(RandomValues.Value::paimon).toArray()));
        }

        RecordComparator comparator = CodeGenUtils.newRecordComparator(
                types.stream().map(RandomValues::paimonType).toList(),
                IntStream.range(0, types.size()).toArray(),
                !descending);
        KeyEncoder encoder = new KeyEncoder(types, nullable, descending);
        int[] channels = IntStream.range(0, types.size()).toArray();
        EncodedKeys keys = encoder.encode(page(types, rows, random), channels);
        EncodedKeys sameKeys = encoder.encode(page(types, rows, random), channels);
        BinaryRowEncoder rowEncoder = new BinaryRowEncoder(types);

        assertThat(keys.count()).isEqualTo(count);
        for (int left = 0; left < count; left++) {
            assertThat(encoder.encode(rowEncoder.encodeValues(rows.get(left)))).isEqualTo(keys.key(left));
            for (int right = 0; right < count; right++) {
                if (hasNotANumber(paimonRows.get(left)) || hasNotANumber(paimonRows.get(right))) {
                    // equal to everything for Paimon's comparator, which is no order
                    continue;
                }
                int expected = signum(comparator.compare(paimonRows.get(left), paimonRows.get(right)));
                List<?> description = Arrays.asList(types, rows.get(left), rows.get(right));
                assertThat(signum(keys.compare(left, sameKeys, right))).as("%s", description).isEqualTo(expected);
                assertThat(signum(keys.compare(left, keys.key(right)))).as("%s", description).isEqualTo(expected);
                assertThat(signum(keys.key(left).compareTo(keys.key(right)))).as("%s", description).isEqualTo(expected);
                assertThat(keys.equal(left, sameKeys, right)).as("%s", description).isEqualTo(expected == 0);
                int prefixOrder = Long.compareUnsigned(keys.prefix(left), keys.prefix(right));
                assertThat(prefixOrder == 0 || signum(prefixOrder) == expected).as("%s", description).isTrue();
            }
        }
    }

    private static boolean hasNotANumber(GenericRow row)
    {
        return IntStream.range(0, row.getFieldCount())
                .mapToObj(row::getField)
                .anyMatch(value -> value instanceof Float single && single.isNaN() || value instanceof Double number && number.isNaN());
    }

    @Test
    void testFloatingPointOrder()
    {
        double[] values = {Double.NEGATIVE_INFINITY, -Double.MAX_VALUE, -1.5, -Double.MIN_VALUE, 0.0, Double.MIN_VALUE, 1.5, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NaN};
        DataType number = scalar(TypeRoot.DOUBLE, 0);
        EncodedKeys keys = KeyEncoder.forKeys(ImmutableList.of(number)).encode(page(ImmutableList.of(number), Arrays.stream(values).mapToObj(value -> List.<Object>of(value)).toList(), new Random(0)), new int[] {0});
        for (int index = 1; index < values.length; index++) {
            assertThat(keys.compare(index - 1, keys, index)).isNegative();
        }
        BinaryRowEncoder rows = new BinaryRowEncoder(ImmutableList.of(number));
        assertThat(KeyEncoder.forKeys(ImmutableList.of(number)).encode(rows.encodeValues(List.of(-0.0)))).isEqualTo(keys.key(4));
        assertThat(KeyEncoder.forKeys(ImmutableList.of(number)).encode(rows.encodeValues(List.of(Double.longBitsToDouble(0xFFF8_0000_0000_0001L))))).isEqualTo(keys.key(9));

        float[] singles = {Float.NEGATIVE_INFINITY, -1.5f, -Float.MIN_VALUE, 0.0f, Float.MIN_VALUE, 1.5f, Float.POSITIVE_INFINITY, Float.NaN};
        DataType single = scalar(TypeRoot.FLOAT, 0);
        KeyEncoder singleEncoder = KeyEncoder.forKeys(ImmutableList.of(single));
        List<Slice> singleKeys = new ArrayList<>();
        for (float value : singles) {
            singleKeys.add(singleEncoder.encode(new BinaryRowEncoder(ImmutableList.of(single)).encodeValues(List.of((long) Float.floatToRawIntBits(value)))));
        }
        assertThat(singleKeys).isSorted();
        assertThat(singleKeys).doesNotHaveDuplicates();
    }

    @Test
    void testNullKey()
    {
        Page page = page(ImmutableList.of(INT, STRING), List.of(Arrays.asList(1L, null)), new Random(0));
        assertThatThrownBy(() -> KeyEncoder.forKeys(ImmutableList.of(INT, STRING)).encode(page, new int[] {0, 1}))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                .hasMessageContaining("Column 2");
    }

    @Test
    void testTypesWithoutOrder()
    {
        assertThatThrownBy(() -> KeyEncoder.forKeys(ImmutableList.of(new ArrayType(INT, true))))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_TYPE));
    }

    @Test
    void testChannelsAndEmptyPage()
    {
        KeyEncoder encoder = KeyEncoder.forKeys(ImmutableList.of(STRING, INT));
        Page page = page(ImmutableList.of(INT, CHAR, STRING), List.of(List.of(7L, Slices.utf8Slice("x"), Slices.utf8Slice("s"))), new Random(0));
        assertThat(encoder.encode(page, new int[] {2, 0}).key(0)).isEqualTo(encoder.encode(new BinaryRowEncoder(ImmutableList.of(STRING, INT)).encodeValues(List.of(Slices.utf8Slice("s"), 7L))));
        EncodedKeys none = encoder.encode(page.getRegion(0, 0), new int[] {2, 0});
        assertThat(none.count()).isZero();
    }

    private static List<DataType> randomTypes(Random random, int round)
    {
        if (round < ORDERED_TYPES.size()) {
            return ImmutableList.of(ORDERED_TYPES.get(round));
        }
        return IntStream.range(0, 2 + random.nextInt(2))
                .mapToObj(_ -> ORDERED_TYPES.get(random.nextInt(ORDERED_TYPES.size())))
                .collect(toImmutableList());
    }

    private static Page page(List<DataType> types, List<List<Object>> rows, Random random)
    {
        Block[] blocks = new Block[types.size()];
        for (int channel = 0; channel < blocks.length; channel++) {
            int column = channel;
            Block block = block(types.get(channel), rows.stream().map(row -> row.get(column)).iterator(), rows.size());
            blocks[channel] = switch (random.nextInt(3)) {
                case 0 -> {
                    // reversed, and reversed again by the dictionary
                    List<List<Object>> reversed = rows.reversed();
                    Block dictionary = block(types.get(channel), reversed.stream().map(row -> row.get(column)).iterator(), rows.size());
                    yield DictionaryBlock.create(rows.size(), dictionary, IntStream.range(0, rows.size()).map(row -> rows.size() - 1 - row).toArray());
                }
                case 1 -> rows.size() == 1 ? RunLengthEncodedBlock.create(block, 1) : block.getRegion(0, rows.size());
                default -> block;
            };
        }
        return new Page(rows.size(), blocks);
    }

    private static Block block(DataType type, Iterator<Object> values, int count)
    {
        BlockBuilder builder = TrinoTypes.toTrinoType(type).createBlockBuilder(null, count);
        values.forEachRemaining(value -> writeNativeValue(TrinoTypes.toTrinoType(type), builder, value));
        return builder.build();
    }

    private static String hex(KeyEncoder encoder, Object... values)
    {
        List<DataType> types = new ArrayList<>();
        List<Object> objects = new ArrayList<>();
        for (Object value : values) {
            types.add(value instanceof String ? STRING : INT);
            objects.add(value instanceof String string ? Slices.utf8Slice(string) : value);
        }
        Slice key = encoder.encode(new BinaryRowEncoder(types).encodeValues(objects));
        return HexFormat.of().formatHex(key.getBytes());
    }
}
