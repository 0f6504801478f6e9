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
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.Type;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.DataTypes;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.TypeUtils.readNativeValue;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;

/**
 * Random values of every type, each both as Trino and as Paimon have it in memory. Bounds, neighbours and values that are
 * equal happen often.
 */
public final class RandomValues
{
    /**
     * @param trino native value
     * @param paimon internal value
     */
    public record Value(Object trino, Object paimon) {}

    public static final List<DataType> ORDERED_TYPES = ImmutableList.of(
            scalar(TypeRoot.BOOLEAN, 0),
            scalar(TypeRoot.TINYINT, 0),
            scalar(TypeRoot.SMALLINT, 0),
            scalar(TypeRoot.INTEGER, 0),
            scalar(TypeRoot.BIGINT, 0),
            scalar(TypeRoot.FLOAT, 0),
            scalar(TypeRoot.DOUBLE, 0),
            scalar(TypeRoot.CHAR, 9),
            scalar(TypeRoot.VARCHAR, 20),
            scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH),
            scalar(TypeRoot.BINARY, 12),
            scalar(TypeRoot.VARBINARY, DataType.UNBOUNDED_LENGTH),
            new ScalarType(TypeRoot.DECIMAL, 9, 2, true),
            new ScalarType(TypeRoot.DECIMAL, 18, 0, true),
            new ScalarType(TypeRoot.DECIMAL, 19, 4, true),
            new ScalarType(TypeRoot.DECIMAL, 38, 10, true),
            scalar(TypeRoot.DATE, 0),
            scalar(TypeRoot.TIME, 3),
            scalar(TypeRoot.TIMESTAMP, 0),
            scalar(TypeRoot.TIMESTAMP, 3),
            scalar(TypeRoot.TIMESTAMP, 6),
            scalar(TypeRoot.TIMESTAMP, 9),
            scalar(TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE, 3),
            scalar(TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE, 6),
            scalar(TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE, 9));

    public static final List<DataType> ALL_TYPES = ImmutableList.<DataType>builder()
            .addAll(ORDERED_TYPES)
            .addAll(ORDERED_TYPES.stream().map(type -> new ArrayType(type, true)).toList())
            .add(new ArrayType(scalar(TypeRoot.INTEGER, 0).withNullable(false), true))
            .add(new MapType(scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH).withNullable(false), new ScalarType(TypeRoot.DECIMAL, 30, 3, true), true))
            .add(new MapType(scalar(TypeRoot.INTEGER, 0).withNullable(false), new ArrayType(scalar(TypeRoot.SMALLINT, 0), true), true))
            .add(new MultisetType(scalar(TypeRoot.VARCHAR, 30).withNullable(false), true))
            .add(row(scalar(TypeRoot.INTEGER, 0), scalar(TypeRoot.VARCHAR, 30), scalar(TypeRoot.TIMESTAMP, 9), new ScalarType(TypeRoot.DECIMAL, 25, 5, true)))
            .add(row(new ArrayType(row(scalar(TypeRoot.BOOLEAN, 0), scalar(TypeRoot.VARCHAR, 30)), true), new MapType(scalar(TypeRoot.BIGINT, 0).withNullable(false), scalar(TypeRoot.DOUBLE, 0), true)))
            .build();

    private final Random random;

    public RandomValues(Random random)
    {
        this.random = random;
    }

    public static ScalarType scalar(TypeRoot root, int precision)
    {
        return new ScalarType(root, precision, 0, true);
    }

    public static RowType row(DataType... types)
    {
        return new RowType(
                IntStream.range(0, types.length)
                        .mapToObj(index -> new DataField(index, "f" + index, types[index]))
                        .toList(),
                true);
    }

    public static org.apache.paimon.types.DataType paimonType(DataType type)
    {
        org.apache.paimon.types.DataType nullable = switch (type) {
            case ScalarType scalar -> switch (scalar.root()) {
                case BOOLEAN -> DataTypes.BOOLEAN();
                case TINYINT -> DataTypes.TINYINT();
                case SMALLINT -> DataTypes.SMALLINT();
                case INTEGER -> DataTypes.INT();
                case BIGINT -> DataTypes.BIGINT();
                case FLOAT -> DataTypes.FLOAT();
                case DOUBLE -> DataTypes.DOUBLE();
                case CHAR -> DataTypes.CHAR(scalar.precision());
                case VARCHAR -> DataTypes.VARCHAR(scalar.precision());
                case BINARY -> DataTypes.BINARY(scalar.precision());
                case VARBINARY -> DataTypes.VARBINARY(scalar.precision());
                case DECIMAL -> DataTypes.DECIMAL(scalar.precision(), scalar.scale());
                case DATE -> DataTypes.DATE();
                case TIME -> DataTypes.TIME(scalar.precision());
                case TIMESTAMP -> DataTypes.TIMESTAMP(scalar.precision());
                case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(scalar.precision());
                default -> throw new IllegalArgumentException(scalar.root().toString());
            };
            case ArrayType array -> DataTypes.ARRAY(paimonType(array.element()));
            case MapType map -> DataTypes.MAP(paimonType(map.key()), paimonType(map.value()));
            case MultisetType multiset -> DataTypes.MULTISET(paimonType(multiset.element()));
            case RowType row -> DataTypes.ROW(row.fields().stream()
                    .map(field -> DataTypes.FIELD(field.id(), field.name(), paimonType(field.type())))
                    .toArray(org.apache.paimon.types.DataField[]::new));
        };
        return nullable.copy(type.nullable());
    }

    public Value next(DataType type, double nullRatio)
    {
        if (type.nullable() && random.nextDouble() < nullRatio) {
            return new Value(null, null);
        }
        return switch (type) {
            case ScalarType scalar -> nextScalar(scalar);
            case ArrayType array -> nextArray(array);
            case MapType map -> nextMap(map, map.key(), map.value());
            case MultisetType multiset -> nextMap(multiset, multiset.element(), scalar(TypeRoot.INTEGER, 0).withNullable(false));
            case RowType row -> nextRow(row);
        };
    }

    private Value nextScalar(ScalarType type)
    {
        switch (type.root()) {
            case BOOLEAN -> {
                boolean value = random.nextBoolean();
                return new Value(value, value);
            }
            case TINYINT -> {
                byte value = (byte) nextLong(Byte.MIN_VALUE, Byte.MAX_VALUE);
                return new Value((long) value, value);
            }
            case SMALLINT -> {
                short value = (short) nextLong(Short.MIN_VALUE, Short.MAX_VALUE);
                return new Value((long) value, value);
            }
            case INTEGER -> {
                int value = (int) nextLong(Integer.MIN_VALUE, Integer.MAX_VALUE);
                return new Value((long) value, value);
            }
            case DATE -> {
                int value = (int) nextLong(-700_000, 2_900_000);
                return new Value((long) value, value);
            }
            case BIGINT -> {
                long value = nextLong(Long.MIN_VALUE, Long.MAX_VALUE);
                return new Value(value, value);
            }
            case FLOAT -> {
                float[] special = {Float.NaN, -0.0f, 0.0f, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, Float.MIN_VALUE, -Float.MIN_VALUE, Float.MAX_VALUE, 1.5f, -1.5f};
                float value = random.nextBoolean() ? special[random.nextInt(special.length)] : (float) random.nextGaussian() * 1000;
                return new Value((long) Float.floatToIntBits(value), value);
            }
            case DOUBLE -> {
                double[] special = {Double.NaN, -0.0, 0.0, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, Double.MIN_VALUE, -Double.MIN_VALUE, Double.MAX_VALUE, 1.5, -1.5};
                double value = random.nextBoolean() ? special[random.nextInt(special.length)] : random.nextGaussian() * 1e9;
                return new Value(value, value);
            }
            case CHAR, VARCHAR -> {
                String value = nextString(Math.min(type.precision(), 20));
                if (type.root() == TypeRoot.CHAR) {
                    value = value.stripTrailing();
                }
                return new Value(Slices.utf8Slice(value), BinaryString.fromString(value));
            }
            case BINARY, VARBINARY -> {
                byte[] value = new byte[random.nextInt(Math.min(type.precision(), 20) + 1)];
                for (int index = 0; index < value.length; index++) {
                    value[index] = new byte[] {0, 0, 1, -1, 127, -128}[random.nextInt(6)];
                }
                Slice slice = Slices.wrappedBuffer(value);
                return new Value(slice, value);
            }
            case DECIMAL -> {
                BigInteger limit = BigInteger.TEN.pow(type.precision());
                BigInteger unscaled = switch (random.nextInt(4)) {
                    case 0 -> BigInteger.valueOf(random.nextInt(5) - 2);
                    case 1 -> BigInteger.ONE.shiftLeft(random.nextInt(limit.bitLength() - 1)).subtract(BigInteger.valueOf(random.nextInt(2))).multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1));
                    case 2 -> random.nextBoolean() ? limit.subtract(BigInteger.ONE) : limit.subtract(BigInteger.ONE).negate();
                    default -> new BigInteger(limit.bitLength() + 8, random).mod(limit).multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1));
                };
                Object trino = type.precision() <= 18 ? (Object) unscaled.longValueExact() : Int128.valueOf(unscaled);
                return new Value(trino, Decimal.fromBigDecimal(new BigDecimal(unscaled, type.scale()), type.precision(), type.scale()));
            }
            case TIME -> {
                int millis = (int) nextLong(0, 86_399_999);
                return new Value(millis * 1_000_000_000L, millis);
            }
            case TIMESTAMP -> {
                long unit = (long) Math.pow(10, 9 - type.precision());
                long millis = nextLong(-62_135_596_800_000L, 253_402_300_799_000L);
                int nanosOfMilli = (int) nextLong(0, 999_999);
                if (type.precision() <= 3) {
                    millis = floorDiv(millis, unit / 1_000_000) * (unit / 1_000_000);
                    return new Value(millis * 1000, Timestamp.fromEpochMillis(millis));
                }
                nanosOfMilli -= (int) floorMod(nanosOfMilli, unit);
                Timestamp paimon = Timestamp.fromEpochMillis(millis, nanosOfMilli);
                long micros = millis * 1000 + nanosOfMilli / 1000;
                return new Value(type.precision() <= 6 ? (Object) micros : new LongTimestamp(micros, nanosOfMilli % 1000 * 1000), paimon);
            }
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                long millis = nextLong(-62_135_596_800_000L, 253_402_300_799_000L);
                if (type.precision() <= 3) {
                    return new Value(packDateTimeWithZone(millis, UTC_KEY), Timestamp.fromEpochMillis(millis));
                }
                int nanosOfMilli = (int) nextLong(0, 999_999);
                nanosOfMilli -= (int) floorMod(nanosOfMilli, (long) Math.pow(10, 9 - type.precision()));
                return new Value(LongTimestampWithTimeZone.fromEpochMillisAndFraction(millis, nanosOfMilli * 1000, UTC_KEY), Timestamp.fromEpochMillis(millis, nanosOfMilli));
            }
            default -> throw new IllegalArgumentException(type.root().toString());
        }
    }

    private Value nextArray(ArrayType type)
    {
        Type trinoType = TrinoTypes.toTrinoType(type);
        int size = random.nextInt(40);
        List<Value> values = new ArrayList<>();
        for (int index = 0; index < size; index++) {
            values.add(next(type.element(), 0.2));
        }
        BlockBuilder builder = trinoType.createBlockBuilder(null, 1);
        ((ArrayBlockBuilder) builder).buildEntry(elements -> values.forEach(value -> writeNativeValue(TrinoTypes.toTrinoType(type.element()), elements, value.trino())));
        return new Value(readNativeValue(trinoType, builder.build(), 0), new GenericArray(values.stream().map(Value::paimon).toArray()));
    }

    private Value nextMap(DataType type, DataType keyType, DataType valueType)
    {
        Type trinoType = TrinoTypes.toTrinoType(type);
        int size = random.nextInt(6);
        Map<Object, Object> trino = new LinkedHashMap<>();
        Map<Object, Object> paimon = new LinkedHashMap<>();
        for (int index = 0; index < size; index++) {
            Value key = next(keyType, 0);
            Value value = next(valueType, 0.2);
            trino.put(key.trino(), value.trino());
            paimon.put(key.paimon(), value.paimon());
        }
        BlockBuilder builder = trinoType.createBlockBuilder(null, 1);
        ((MapBlockBuilder) builder).buildEntry((keys, values) -> trino.forEach((key, value) -> {
            writeNativeValue(TrinoTypes.toTrinoType(keyType), keys, key);
            writeNativeValue(TrinoTypes.toTrinoType(valueType), values, value);
        }));
        return new Value(readNativeValue(trinoType, builder.build(), 0), new GenericMap(paimon));
    }

    private Value nextRow(RowType type)
    {
        Type trinoType = TrinoTypes.toTrinoType(type);
        List<Value> values = type.fields().stream().map(field -> next(field.type(), 0.3)).toList();
        BlockBuilder builder = trinoType.createBlockBuilder(null, 1);
        ((RowBlockBuilder) builder).buildEntry(fields -> {
            for (int index = 0; index < values.size(); index++) {
                writeNativeValue(TrinoTypes.toTrinoType(type.fields().get(index).type()), fields.get(index), values.get(index).trino());
            }
        });
        return new Value(readNativeValue(trinoType, builder.build(), 0), GenericRow.of(values.stream().map(Value::paimon).toArray()));
    }

    private String nextString(int maxLength)
    {
        String[] parts = {"", "a", "b", "\u0000", " ", "\u00e9", "\uffee", "\ud83d\ude00", "\u007f", "z", "aaaaaaa", "/", "="};
        StringBuilder value = new StringBuilder();
        int count = random.nextInt(6);
        for (int index = 0; index < count; index++) {
            String part = parts[random.nextInt(parts.length)];
            if ((value + part).getBytes(StandardCharsets.UTF_8).length <= maxLength) {
                value.append(part);
            }
        }
        return value.toString();
    }

    private long nextLong(long min, long max)
    {
        return switch (random.nextInt(5)) {
            case 0 -> min;
            case 1 -> max;
            case 2 -> Math.clamp(random.nextInt(5) - 2, min, max);
            default -> random.nextLong(min, max);
        };
    }
}
