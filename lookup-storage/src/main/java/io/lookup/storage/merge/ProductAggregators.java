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

import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Decimals;
import io.trino.spi.type.Int128;
import io.trino.spi.type.Type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.RealType.REAL;
import static java.lang.Float.floatToRawIntBits;
import static java.lang.Float.intBitsToFloat;

/**
 * {@code product}: nulls are skipped, integers wrap around, a decimal is rounded half up to its scale, and becomes null
 * where it outgrows its precision (the next value starts anew from there). Retracting divides, integers without
 * remainder; nothing is retracted from null. What cannot be divided (by zero, but for floating point) leaves null: which
 * number the zero was multiplied with is not known any more. Paimon fails there, and where the quotient of two decimals
 * has no finite expansion; a table that neither compaction nor reading gets past is worse than a null.
 */
final class ProductAggregators
{
    private ProductAggregators() {}

    /**
     * @param column of a numeric type
     */
    static Aggregator create(DataField column)
    {
        Type type = TrinoTypes.toTrinoType(column.type());
        return switch (column.type().root()) {
            case TINYINT -> new IntegerProduct(type, 56);
            case SMALLINT -> new IntegerProduct(type, 48);
            case INTEGER -> new IntegerProduct(type, 32);
            case BIGINT -> new IntegerProduct(type, 0);
            case FLOAT -> new RealProduct();
            case DOUBLE -> new DoubleProduct();
            case DECIMAL -> ((DecimalType) type).isShort() ? new ShortDecimalProduct((DecimalType) type) : new LongDecimalProduct((DecimalType) type);
            default -> throw new IllegalArgumentException("Not a number: " + column.type().root());
        };
    }

    /**
     * What the kinds of numbers share: whether there is a product yet.
     */
    private abstract static class Product
            implements Aggregator
    {
        private boolean isNull = true;

        @Override
        public void reset()
        {
            isNull = true;
        }

        @Override
        public void add(Block block, int position)
        {
            if (block.isNull(position)) {
                return;
            }
            if (isNull) {
                isNull = false;
                set(block, position);
                return;
            }
            isNull = !multiply(block, position);
        }

        @Override
        public void addReversed(Block block, int position)
        {
            add(block, position);
        }

        @Override
        public void retract(Block block, int position)
        {
            if (!isNull && !block.isNull(position)) {
                isNull = !divide(block, position);
            }
        }

        @Override
        public void replace(Block block, int position)
        {
            isNull = true;
            add(block, position);
        }

        @Override
        public void writeTo(BlockBuilder builder)
        {
            if (isNull) {
                builder.appendNull();
                return;
            }
            writeProduct(builder);
        }

        abstract void set(Block block, int position);

        /**
         * @return false if the product has become null
         */
        abstract boolean multiply(Block block, int position);

        /**
         * @return false if the product has become null
         */
        abstract boolean divide(Block block, int position);

        abstract void writeProduct(BlockBuilder builder);
    }

    private static final class IntegerProduct
            extends Product
    {
        private final Type type;
        private final int unusedBits;
        private long product;

        private IntegerProduct(Type type, int unusedBits)
        {
            this.type = type;
            this.unusedBits = unusedBits;
        }

        @Override
        void set(Block block, int position)
        {
            product = type.getLong(block, position);
        }

        @Override
        boolean multiply(Block block, int position)
        {
            product = wrap(product * type.getLong(block, position));
            return true;
        }

        @Override
        boolean divide(Block block, int position)
        {
            long divisor = type.getLong(block, position);
            if (divisor == 0) {
                return false;
            }
            product = wrap(product / divisor);
            return true;
        }

        @Override
        void writeProduct(BlockBuilder builder)
        {
            type.writeLong(builder, product);
        }

        // a division must begin from the number that the type holds, so each step wraps
        private long wrap(long value)
        {
            return (value << unusedBits) >> unusedBits;
        }
    }

    private static final class RealProduct
            extends Product
    {
        private float product;

        @Override
        void set(Block block, int position)
        {
            product = value(block, position);
        }

        @Override
        boolean multiply(Block block, int position)
        {
            product *= value(block, position);
            return true;
        }

        @Override
        boolean divide(Block block, int position)
        {
            product /= value(block, position);
            return true;
        }

        @Override
        void writeProduct(BlockBuilder builder)
        {
            REAL.writeLong(builder, floatToRawIntBits(product));
        }

        private static float value(Block block, int position)
        {
            return intBitsToFloat((int) REAL.getLong(block, position));
        }
    }

    private static final class DoubleProduct
            extends Product
    {
        private double product;

        @Override
        void set(Block block, int position)
        {
            product = DOUBLE.getDouble(block, position);
        }

        @Override
        boolean multiply(Block block, int position)
        {
            product *= DOUBLE.getDouble(block, position);
            return true;
        }

        @Override
        boolean divide(Block block, int position)
        {
            product /= DOUBLE.getDouble(block, position);
            return true;
        }

        @Override
        void writeProduct(BlockBuilder builder)
        {
            DOUBLE.writeDouble(builder, product);
        }
    }

    private static final class ShortDecimalProduct
            extends Product
    {
        private final DecimalType type;
        private final long unit;
        private long product;

        private ShortDecimalProduct(DecimalType type)
        {
            this.type = type;
            this.unit = Decimals.longTenToNth(type.getScale());
        }

        @Override
        void set(Block block, int position)
        {
            product = type.getLong(block, position);
        }

        @Override
        boolean multiply(Block block, int position)
        {
            return quotient(product, type.getLong(block, position), unit);
        }

        @Override
        boolean divide(Block block, int position)
        {
            long divisor = type.getLong(block, position);
            return divisor != 0 && quotient(product, unit, divisor);
        }

        @Override
        void writeProduct(BlockBuilder builder)
        {
            type.writeLong(builder, product);
        }

        /**
         * Makes {@code left * right / divisor} the product, rounded half up.
         */
        private boolean quotient(long left, long right, long divisor)
        {
            long high = Math.multiplyHigh(left, right);
            long low = left * right;
            if (high != low >> 63) {
                BigInteger result = roundedQuotient(BigInteger.valueOf(left).multiply(BigInteger.valueOf(right)), BigInteger.valueOf(divisor));
                if (result.bitLength() > 63) {
                    return false;
                }
                product = result.longValue();
                return !Decimals.overflows(product, type.getPrecision());
            }
            long result = low / divisor;
            long remainder = low % divisor;
            // 2 * remainder cannot overflow: a divisor has at most 18 digits
            if (Math.abs(remainder) * 2 >= Math.abs(divisor)) {
                result += (low < 0) == (divisor < 0) ? 1 : -1;
            }
            product = result;
            return !Decimals.overflows(product, type.getPrecision());
        }
    }

    private static final class LongDecimalProduct
            extends Product
    {
        private final DecimalType type;
        private final BigInteger unit;
        private BigInteger product = BigInteger.ZERO;

        private LongDecimalProduct(DecimalType type)
        {
            this.type = type;
            this.unit = BigInteger.TEN.pow(type.getScale());
        }

        @Override
        void set(Block block, int position)
        {
            product = value(block, position);
        }

        @Override
        boolean multiply(Block block, int position)
        {
            return set(roundedQuotient(product.multiply(value(block, position)), unit));
        }

        @Override
        boolean divide(Block block, int position)
        {
            BigInteger divisor = value(block, position);
            return divisor.signum() != 0 && set(roundedQuotient(product.multiply(unit), divisor));
        }

        @Override
        void writeProduct(BlockBuilder builder)
        {
            type.writeObject(builder, Int128.valueOf(product));
        }

        private boolean set(BigInteger value)
        {
            product = value;
            return value.bitLength() < Int128.SIZE * Byte.SIZE && !Decimals.overflows(Int128.valueOf(value), type.getPrecision());
        }

        private BigInteger value(Block block, int position)
        {
            return ((Int128) type.getObject(block, position)).toBigInteger();
        }
    }

    private static BigInteger roundedQuotient(BigInteger dividend, BigInteger divisor)
    {
        return new BigDecimal(dividend).divide(new BigDecimal(divisor), 0, RoundingMode.HALF_UP).toBigInteger();
    }
}
