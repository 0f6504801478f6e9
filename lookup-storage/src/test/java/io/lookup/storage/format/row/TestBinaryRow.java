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

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slices;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.Type;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.utils.SerializationUtils;
import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.format.row.RandomValues.ALL_TYPES;
import static io.lookup.storage.format.row.RandomValues.row;
import static io.lookup.storage.format.row.RandomValues.scalar;
import static io.trino.spi.type.TypeUtils.readNativeValue;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;

final class TestBinaryRow
{
    private static final ScalarType INT = scalar(TypeRoot.INTEGER, 0);
    private static final ScalarType BIGINT = scalar(TypeRoot.BIGINT, 0);
    private static final ScalarType STRING = scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH);

    @Test
    void testKnownRows()
    {
        assertRow("0000000000000000 0100000000000000 6100000000000081", -948407462, values(INT, 1L), values(STRING, "a"));
        assertRow("0000000000000000 0100000000000000 6162636465666787", 835687960, values(INT, 1L), values(STRING, "abcdefg"));
        assertRow("0000000000000000 0100000000000000 0800000018000000 6162636465666768", 577775525, values(INT, 1L), values(STRING, "abcdefgh"));
        assertRow("0001000000000000 0000000000000000 0b00000018000000 68656c6c6f20776f 726c640000000000", -1265422445, values(INT, null), values(STRING, "hello world"));
        assertRow("0002000000000000 0100000000000000 0000000000000000 0300000000000000", 176582196, values(INT, 1L), values(INT, null), values(INT, 3L));
        assertRow("0000000000000000 0000000000000080", 302122119, values(STRING, ""));
        assertRow("0000000000000000 c3a9000000000082", -1531579217, values(STRING, "\u00e9"));
        assertRow("0000000000000000 0c00000010000000 6f726465722d3030 3030303100000000", 809088606, values(STRING, "order-000001"));
        assertRow("0000000000000000 0000000000000000", -300363099, values(INT, 0L));
        assertRow("0000000000000000 0100000000000000", 1465514398, values(INT, 1L));
        assertRow("0000000000000000 ffffffff00000000", 1133687267, values(INT, -1L));
        assertRow("0000000000000000 cb04fb711f010000", -1873221036, values(BIGINT, 1234567890123L));
        assertRow(
                "0000000000000000 0100000000000000 fe00000000000000 0300000000000000 0000c03f00000000 00000000000004c0 384a000000000000",
                1524981460,
                values(scalar(TypeRoot.BOOLEAN, 0), true),
                values(scalar(TypeRoot.TINYINT, 0), -2L),
                values(scalar(TypeRoot.SMALLINT, 0), 3L),
                values(scalar(TypeRoot.FLOAT, 0), (long) Float.floatToIntBits(1.5f)),
                values(scalar(TypeRoot.DOUBLE, 0), -2.5),
                values(scalar(TypeRoot.DATE, 0), 19000L));
        assertRow("0000000000000000 3930000000000000", 767607022, values(new ScalarType(TypeRoot.DECIMAL, 10, 2, true), 12345L));
        ScalarType decimal = new ScalarType(TypeRoot.DECIMAL, 20, 2, true);
        assertRow("0000000000000000 0200000010000000 3039000000000000 0000000000000000", -118192725, values(decimal, Int128.valueOf(12345)));
        assertRow("0000000000000000 0100000010000000 9c00000000000000 0000000000000000", -2092338868, values(decimal, Int128.valueOf(-100)));
        assertRow("0001000000000000 0000000010000000 0000000000000000 0000000000000000", null, values(decimal, null));
        assertRow("0000000000000000 7b68e5cf8b010000", -1285420957, values(scalar(TypeRoot.TIMESTAMP, 3), 1700000000123_000L));
        assertRow("0000000000000000 55f8060010000000 7b68e5cf8b010000", -71831406, values(scalar(TypeRoot.TIMESTAMP, 9), new LongTimestamp(1700000000123_456L, 789_000)));
        assertRow("0001000000000000 0000000010000000 0000000000000000", null, values(scalar(TypeRoot.TIMESTAMP, 6), null));
        assertRow("0000000000000000 0102030000000083", 1066645297, values(scalar(TypeRoot.VARBINARY, DataType.UNBOUNDED_LENGTH), Slices.wrappedBuffer((byte) 1, (byte) 2, (byte) 3)));
    }

    @Test
    void testKnownNestedRows()
    {
        ArrayType integers = new ArrayType(INT, true);
        assertRow(
                "0000000000000000 1800000010000000 0300000002000000 0100000000000000 0300000000000000",
                null,
                values(integers, nested(integers, builder -> ((ArrayBlockBuilder) builder).buildEntry(elements -> {
                    writeNativeValue(TrinoTypes.toTrinoType(INT), elements, 1L);
                    elements.appendNull();
                    writeNativeValue(TrinoTypes.toTrinoType(INT), elements, 3L);
                }))));
        MapType map = new MapType(STRING.withNullable(false), INT, true);
        assertRow(
                "0000000000000000 2400000010000000 1000000001000000 000000006b000000 0000008101000000 0000000007000000 0000000000000000",
                null,
                values(map, nested(map, builder -> ((MapBlockBuilder) builder).buildEntry((keys, values) -> {
                    writeNativeValue(TrinoTypes.toTrinoType(STRING), keys, Slices.utf8Slice("k"));
                    writeNativeValue(TrinoTypes.toTrinoType(INT), values, 7L);
                }))));
        DataType row = row(INT, STRING);
        assertRow(
                "0000000000000000 1800000010000000 0000000000000000 0500000000000000 7a00000000000081",
                null,
                values(row, nested(row, builder -> ((RowBlockBuilder) builder).buildEntry(fields -> {
                    writeNativeValue(TrinoTypes.toTrinoType(INT), fields.get(0), 5L);
                    writeNativeValue(TrinoTypes.toTrinoType(STRING), fields.get(1), Slices.utf8Slice("z"));
                }))));
    }

    @Test
    void testWideHeader()
    {
        List<DataType> types = nCopies(57, INT);
        List<Object> values = new ArrayList<>(nCopies(56, 1L));
        values.add(null);
        BinaryRow row = new BinaryRowEncoder(types).encodeValues(values);
        assertThat(hex(row)).startsWith("0000000000000000" + "0100000000000000" + "0100000000000000");
        assertThat(row.bytes().length()).isEqualTo(16 + 57 * 8);
        assertThat(row.isNull(56)).isTrue();
        assertThat(row.isNull(55)).isFalse();
        BinaryRow narrow = new BinaryRowEncoder(nCopies(56, INT)).encodeValues(values.subList(0, 56));
        assertThat(narrow.bytes().length()).isEqualTo(8 + 56 * 8);
    }

    @Test
    void testEmptyRow()
    {
        assertThat(new BinaryRowEncoder(ImmutableList.of()).encodeValues(ImmutableList.of())).isEqualTo(BinaryRow.EMPTY);
        assertThat(BinaryRow.fromBytesWithArity(BinaryRow.EMPTY.toBytesWithArity())).isEqualTo(BinaryRow.EMPTY);
    }

    @Test
    void testSameBytesAndHashAsPaimon()
    {
        Random random = new Random(20240229);
        RandomValues randomValues = new RandomValues(random);
        for (int round = 0; round < 3000; round++) {
            List<DataType> types = randomTypes(random, round);
            List<RandomValues.Value> values = types.stream().map(type -> randomValues.next(type, 0.2)).toList();

            InternalRowSerializer serializer = new InternalRowSerializer(types.stream().map(RandomValues::paimonType).toArray(org.apache.paimon.types.DataType[]::new));
            org.apache.paimon.data.BinaryRow expected = serializer.toBinaryRow(GenericRow.of(values.stream().map(RandomValues.Value::paimon).toArray()));

            List<Object> trinoValues = trinoValues(values);
            BinaryRowEncoder encoder = new BinaryRowEncoder(types);
            BinaryRow row = encoder.encodeValues(trinoValues);
            assertThat(row.bytes().getBytes()).as("%s", types).isEqualTo(expected.toBytes());
            assertThat(row.toBytesWithArity()).isEqualTo(SerializationUtils.serializeBinaryRow(expected));
            assertThat(BinaryRow.fromBytesWithArity(row.toBytesWithArity())).isEqualTo(row);
            assertThat(BinaryRowHash.hash(row)).isEqualTo(expected.hashCode());

            // the same from a page, behind dictionaries and runs
            Page page = page(types, trinoValues, random);
            int[] channels = IntStream.range(0, types.size()).toArray();
            assertThat(encoder.encode(page, channels, 1)).isEqualTo(row);
            assertThat(encoder.hash(page, channels, 1)).isEqualTo(expected.hashCode());
        }
    }

    @Test
    void testDecoding()
    {
        Random random = new Random(7);
        RandomValues randomValues = new RandomValues(random);
        for (int round = 0; round < 2000; round++) {
            List<DataType> types = randomTypes(random, round);
            List<Object> values = trinoValues(types.stream().map(type -> randomValues.next(type, 0.2)).toList());
            BinaryRowEncoder encoder = new BinaryRowEncoder(types);
            BinaryRow row = encoder.encodeValues(values);
            BinaryRowDecoder decoder = new BinaryRowDecoder(types);

            List<Object> decoded = new ArrayList<>();
            Block[] blocks = new Block[types.size()];
            for (int field = 0; field < types.size(); field++) {
                Object value = decoder.value(row, field);
                decoded.add(value);
                if (types.get(field) instanceof ScalarType) {
                    assertThat(value).as("%s", types.get(field)).isEqualTo(values.get(field));
                }
                BlockBuilder builder = TrinoTypes.toTrinoType(types.get(field)).createBlockBuilder(null, 1);
                decoder.appendTo(row, field, builder);
                blocks[field] = builder.build();
            }
            // nested values have no equality of their own, their bytes do
            assertThat(encoder.encodeValues(decoded)).isEqualTo(row);
            assertThat(encoder.encode(new Page(1, blocks), IntStream.range(0, types.size()).toArray(), 0)).isEqualTo(row);
        }
    }

    @Test
    void testDecimalsOfEveryLength()
    {
        ScalarType type = new ScalarType(TypeRoot.DECIMAL, 38, 0, true);
        BinaryRowEncoder encoder = new BinaryRowEncoder(ImmutableList.of(type));
        BinaryRowDecoder decoder = new BinaryRowDecoder(ImmutableList.of(type));
        for (int bits = 0; bits < 126; bits++) {
            for (BigInteger value : List.of(BigInteger.ONE.shiftLeft(bits), BigInteger.ONE.shiftLeft(bits).negate(), BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE), BigInteger.ONE.shiftLeft(bits).negate().subtract(BigInteger.ONE))) {
                BinaryRow row = encoder.encodeValues(Collections.singletonList(Int128.valueOf(value)));
                int length = row.bytes().getInt(8);
                assertThat(row.bytes().getBytes(16, length)).isEqualTo(value.toByteArray());
                assertThat(decoder.value(row, 0)).isEqualTo(Int128.valueOf(value));
            }
        }
    }

    @Test
    void testCharBlanks()
    {
        // other programs may store blanks at the end, Trino does not have them in memory
        BinaryRow row = new BinaryRowEncoder(ImmutableList.of(STRING)).encodeValues(ImmutableList.of(Slices.utf8Slice("ab  ")));
        List<DataType> types = ImmutableList.of(scalar(TypeRoot.CHAR, 5));
        assertThat(new BinaryRowDecoder(types).value(row, 0)).isEqualTo(Slices.utf8Slice("ab"));
        assertThat(BinaryRowDecoder.keepingBlanks(types).value(row, 0)).isEqualTo(Slices.utf8Slice("ab  "));
    }

    private static List<DataType> randomTypes(Random random, int round)
    {
        if (round < ALL_TYPES.size()) {
            return ImmutableList.of(ALL_TYPES.get(round));
        }
        return IntStream.range(0, 1 + random.nextInt(5))
                .mapToObj(_ -> ALL_TYPES.get(random.nextInt(ALL_TYPES.size())))
                .collect(toImmutableList());
    }

    private static List<Object> trinoValues(List<RandomValues.Value> values)
    {
        List<Object> trinoValues = new ArrayList<>();
        values.forEach(value -> trinoValues.add(value.trino()));
        return trinoValues;
    }

    /**
     * Three rows, the values in the one in the middle.
     */
    private static Page page(List<DataType> types, List<Object> values, Random random)
    {
        Block[] blocks = new Block[types.size()];
        for (int channel = 0; channel < blocks.length; channel++) {
            Type type = TrinoTypes.toTrinoType(types.get(channel));
            ValueBlock single = writeNativeValue(type, values.get(channel));
            BlockBuilder builder = type.createBlockBuilder(null, 3);
            builder.appendNull();
            builder.append(single, 0);
            builder.appendNull();
            ValueBlock flat = builder.buildValueBlock();
            blocks[channel] = switch (random.nextInt(4)) {
                case 0 -> RunLengthEncodedBlock.create(single, 3);
                case 1 -> DictionaryBlock.create(3, flat, new int[] {2, 1, 1});
                case 2 -> flat.getRegion(0, 3);
                default -> flat;
            };
        }
        return new Page(3, blocks);
    }

    private static Object nested(DataType type, Consumer<BlockBuilder> writer)
    {
        Type trinoType = TrinoTypes.toTrinoType(type);
        BlockBuilder builder = trinoType.createBlockBuilder(null, 1);
        writer.accept(builder);
        return readNativeValue(trinoType, builder.build(), 0);
    }

    private record TypedValue(DataType type, Object value) {}

    private static TypedValue values(DataType type, Object value)
    {
        return new TypedValue(type, value instanceof String string ? Slices.utf8Slice(string) : value);
    }

    private static void assertRow(String expected, Integer hash, TypedValue... values)
    {
        BinaryRowEncoder encoder = new BinaryRowEncoder(Arrays.stream(values).map(TypedValue::type).collect(toImmutableList()));
        List<Object> objects = new ArrayList<>();
        Arrays.stream(values).forEach(value -> objects.add(value.value()));
        BinaryRow row = encoder.encodeValues(objects);
        assertThat(hex(row)).isEqualTo(expected.replace(" ", ""));
        if (hash != null) {
            assertThat(BinaryRowHash.hash(row)).isEqualTo(hash);
        }
    }

    private static String hex(BinaryRow row)
    {
        return HexFormat.of().formatHex(row.bytes().getBytes());
    }
}
