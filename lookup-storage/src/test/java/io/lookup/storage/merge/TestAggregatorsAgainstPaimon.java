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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slices;
import io.lookup.storage.format.TrinoBlocks;
import io.lookup.storage.schema.AggregateFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Decimals;
import io.trino.spi.type.Int128;
import io.trino.spi.type.Type;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.mergetree.compact.aggregate.FieldAggregator;
import org.apache.paimon.mergetree.compact.aggregate.factory.FieldAggregatorFactory;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import static java.lang.Float.floatToRawIntBits;
import static java.lang.Float.intBitsToFloat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of one column, with nulls, retractions and overflows, through our aggregators and Paimon's.
 */
final class TestAggregatorsAgainstPaimon
{
    @Test
    void testTinyint()
    {
        compare(TypeRoot.TINYINT, 0, 0, DataTypes.TINYINT(), random -> (byte) random.nextInt());
    }

    @Test
    void testSmallint()
    {
        compare(TypeRoot.SMALLINT, 0, 0, DataTypes.SMALLINT(), random -> (short) random.nextInt());
    }

    @Test
    void testInteger()
    {
        compare(TypeRoot.INTEGER, 0, 0, DataTypes.INT(), Random::nextInt);
    }

    @Test
    void testBigint()
    {
        compare(TypeRoot.BIGINT, 0, 0, DataTypes.BIGINT(), Random::nextLong);
    }

    @Test
    void testReal()
    {
        compare(TypeRoot.FLOAT, 0, 0, DataTypes.FLOAT(), random -> oneOf(random, 0.0f, -0.0f, Float.NaN, Float.POSITIVE_INFINITY, random.nextFloat(), -random.nextFloat()));
    }

    @Test
    void testDouble()
    {
        compare(TypeRoot.DOUBLE, 0, 0, DataTypes.DOUBLE(), random -> oneOf(random, 0.0, -0.0, Double.NaN, Double.NEGATIVE_INFINITY, random.nextDouble(), -random.nextDouble()));
    }

    @Test
    void testShortDecimal()
    {
        compare(TypeRoot.DECIMAL, 4, 2, DataTypes.DECIMAL(4, 2), random -> decimal(random, 4, 2));
        compare(TypeRoot.DECIMAL, 18, 0, DataTypes.DECIMAL(18, 0), random -> decimal(random, 18, 0));
    }

    @Test
    void testLongDecimal()
    {
        compare(TypeRoot.DECIMAL, 19, 3, DataTypes.DECIMAL(19, 3), random -> decimal(random, 19, 3));
        compare(TypeRoot.DECIMAL, 38, 10, DataTypes.DECIMAL(38, 10), random -> decimal(random, 38, 10));
    }

    @Test
    void testString()
    {
        // U+FFFF sorts behind U+1F600 by UTF-16 units, before it by bytes
        compare(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, DataTypes.STRING(), random -> BinaryString.fromString(oneOf(random, "", "a", "a ", "ab", "\uFFFF", "\uD83D\uDE00", "é")));
    }

    @Test
    void testBoolean()
    {
        compare(TypeRoot.BOOLEAN, 0, 0, DataTypes.BOOLEAN(), Random::nextBoolean);
    }

    private interface ValueSource
    {
        Object next(Random random);
    }

    private static void compare(TypeRoot root, int precision, int scale, org.apache.paimon.types.DataType paimonType, ValueSource values)
    {
        DataField column = new DataField(1, "v", new ScalarType(root, precision, scale, true));
        Type type = TrinoTypes.toTrinoType(column.type());
        List<String> functions = switch (root) {
            case BOOLEAN -> ImmutableList.of("last_value", "last_non_null_value", "bool_and", "bool_or");
            case VARCHAR -> ImmutableList.of("min", "max", "last_value", "last_non_null_value");
            default -> ImmutableList.of("sum", "product", "min", "max", "last_value", "last_non_null_value");
        };
        for (String function : functions) {
            boolean retracting = AggregateFunction.find(function).orElseThrow().isRetracting();
            // those that are compared keep no state of their own
            FieldAggregator ignoring = paimon(paimonType, function, true);
            FieldAggregator refusing = paimon(paimonType, function, false);
            for (int seed = 0; seed < 1000; seed++) {
                Random random = new Random(seed);
                // some functions refuse retractions; with the option they let them pass
                boolean ignoreRetract = !retracting || random.nextInt(5) == 0;
                Map<String, String> options = ImmutableMap.of("fields.v.aggregate-function", function, "fields.v.ignore-retract", String.valueOf(ignoreRetract));
                TableSchema schema = new TableSchema(3, 0, ImmutableList.of(column), 1, ImmutableList.of(), ImmutableList.of("k"), options, Optional.empty(), 0);
                Aggregator aggregator = Aggregators.create(schema, new CoreOptions(options), column);
                FieldAggregator expected = ignoreRetract ? ignoring : refusing;

                aggregator.reset();
                Object state = null;
                int steps = 1 + random.nextInt(6);
                for (int step = 0; step < steps; step++) {
                    Object value = random.nextInt(5) == 0 ? null : values.next(random);
                    BlockBuilder builder = type.createBlockBuilder(null, 1);
                    write(type, builder, value);
                    Block block = builder.build();
                    if (random.nextInt(3) == 0) {
                        aggregator.retract(block, 0);
                        state = retract(expected, state, value);
                    }
                    else if (step > 0 && random.nextInt(3) == 0) {
                        aggregator.addReversed(block, 0);
                        state = expected.aggReversed(state, value);
                    }
                    else {
                        aggregator.add(block, 0);
                        state = expected.agg(state, value);
                    }
                    state = nullIfOverflown(state);
                }
                BlockBuilder builder = type.createBlockBuilder(null, 1);
                aggregator.writeTo(builder);
                Block result = builder.build();
                assertThat(read(type, result, state)).as("%s of %s, seed %s", function, type, seed).isEqualTo(state);
            }
        }
    }

    private static FieldAggregator paimon(org.apache.paimon.types.DataType type, String function, boolean ignoreRetract)
    {
        Map<String, String> options = ImmutableMap.of("fields.v.ignore-retract", String.valueOf(ignoreRetract));
        return FieldAggregatorFactory.create(type, "v", function, new org.apache.paimon.CoreOptions(options));
    }

    // Paimon fails where a product cannot be divided, see TestPaimonDefects.testQuotientsThatFail
    private static Object retract(FieldAggregator aggregator, Object state, Object value)
    {
        try {
            return aggregator.retract(state, value);
        }
        catch (ArithmeticException e) {
            if (state instanceof Decimal dividend && value instanceof Decimal divisor && divisor.toBigDecimal().signum() != 0) {
                BigDecimal quotient = dividend.toBigDecimal().divide(divisor.toBigDecimal(), dividend.scale(), RoundingMode.HALF_UP);
                return Decimal.fromBigDecimal(quotient, dividend.precision(), dividend.scale());
            }
            return null;
        }
    }

    // Paimon checks the precision of a sum only above 18 digits; below, it stores a number that the column's type does
    // not admit. Ours is null in both cases.
    private static Object nullIfOverflown(Object state)
    {
        if (state instanceof Decimal decimal && decimal.toBigDecimal().precision() > decimal.precision()) {
            return null;
        }
        return state;
    }

    private static void write(Type type, BlockBuilder builder, Object value)
    {
        switch (value) {
            case null -> builder.appendNull();
            case Float number -> type.writeLong(builder, floatToRawIntBits(number));
            case Double number -> type.writeDouble(builder, number);
            case Number number -> type.writeLong(builder, number.longValue());
            case Boolean bool -> type.writeBoolean(builder, bool);
            case BinaryString text -> type.writeSlice(builder, Slices.wrappedBuffer(text.toBytes()));
            case Decimal decimal when decimal.precision() <= Decimals.MAX_SHORT_PRECISION -> type.writeLong(builder, decimal.toUnscaledLong());
            case Decimal decimal -> type.writeObject(builder, Int128.valueOf(decimal.toBigDecimal().unscaledValue()));
            default -> throw new IllegalArgumentException("Unexpected value " + value);
        }
    }

    // the stored value as Paimon would hold it
    private static Object read(Type type, Block block, Object like)
    {
        if (block.isNull(0)) {
            return null;
        }
        return switch (like) {
            case null -> TrinoBlocks.objectValue(type, block, 0);
            case Byte _ -> (byte) type.getLong(block, 0);
            case Short _ -> (short) type.getLong(block, 0);
            case Integer _ -> (int) type.getLong(block, 0);
            case Long _ -> type.getLong(block, 0);
            case Float _ -> intBitsToFloat((int) type.getLong(block, 0));
            case Double _ -> type.getDouble(block, 0);
            case Boolean _ -> type.getBoolean(block, 0);
            case BinaryString _ -> BinaryString.fromBytes(type.getSlice(block, 0).getBytes());
            case Decimal decimal -> {
                DecimalType decimalType = (DecimalType) type;
                BigInteger unscaled = decimalType.isShort() ? BigInteger.valueOf(type.getLong(block, 0)) : ((Int128) type.getObject(block, 0)).toBigInteger();
                yield Decimal.fromBigDecimal(new BigDecimal(unscaled, decimalType.getScale()), decimal.precision(), decimal.scale());
            }
            default -> throw new IllegalArgumentException("Unexpected value " + like);
        };
    }

    private static Decimal decimal(Random random, int precision, int scale)
    {
        BigInteger limit = BigInteger.TEN.pow(precision);
        BigInteger unscaled = switch (random.nextInt(3)) {
            case 0 -> limit.subtract(BigInteger.ONE);
            case 1 -> BigInteger.valueOf(random.nextInt(10));
            default -> new BigInteger(130, random).mod(limit);
        };
        return Decimal.fromBigDecimal(new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), scale), precision, scale);
    }

    @SafeVarargs
    private static <T> T oneOf(Random random, T... values)
    {
        return values[random.nextInt(values.length)];
    }
}
