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
import io.trino.spi.type.Int128Math;
import io.trino.spi.type.Type;

import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.RealType.REAL;
import static java.lang.Float.floatToRawIntBits;
import static java.lang.Float.intBitsToFloat;

/**
 * {@code sum}: nulls are skipped, integers wrap around, a decimal that outgrows its precision becomes null (and the next
 * value starts anew from there). Retracting from null gives the negated value. Paimon checks the precision only above 18
 * digits and stores a number beyond it below; a column whose values its type does not admit is worse than a null.
 */
final class SumAggregators
{
    private SumAggregators() {}

    /**
     * @param column of a numeric type
     */
    static Aggregator create(DataField column)
    {
        Type type = TrinoTypes.toTrinoType(column.type());
        return switch (column.type().root()) {
            case TINYINT -> new IntegerSum(type, 56);
            case SMALLINT -> new IntegerSum(type, 48);
            case INTEGER -> new IntegerSum(type, 32);
            case BIGINT -> new IntegerSum(type, 0);
            case FLOAT -> new RealSum();
            case DOUBLE -> new DoubleSum();
            case DECIMAL -> ((DecimalType) type).isShort() ? new ShortDecimalSum((DecimalType) type) : new LongDecimalSum((DecimalType) type);
            default -> throw new IllegalArgumentException("Not a number: " + column.type().root());
        };
    }

    /**
     * What the kinds of numbers share: whether there is a sum yet.
     */
    private abstract static class Sum
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
                clear();
            }
            isNull = !accumulate(block, position, false);
        }

        @Override
        public void addReversed(Block block, int position)
        {
            add(block, position);
        }

        @Override
        public void retract(Block block, int position)
        {
            if (block.isNull(position)) {
                return;
            }
            if (isNull) {
                clear();
            }
            isNull = !accumulate(block, position, true);
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
            writeSum(builder);
        }

        abstract void clear();

        /**
         * @return false if the sum has overflowed to null
         */
        abstract boolean accumulate(Block block, int position, boolean subtract);

        abstract void writeSum(BlockBuilder builder);
    }

    private static final class IntegerSum
            extends Sum
    {
        private final Type type;
        private final int unusedBits;
        private long sum;

        private IntegerSum(Type type, int unusedBits)
        {
            this.type = type;
            this.unusedBits = unusedBits;
        }

        @Override
        void clear()
        {
            sum = 0;
        }

        @Override
        boolean accumulate(Block block, int position, boolean subtract)
        {
            long value = type.getLong(block, position);
            sum += subtract ? -value : value;
            return true;
        }

        @Override
        void writeSum(BlockBuilder builder)
        {
            // wrap to the width of the type
            type.writeLong(builder, (sum << unusedBits) >> unusedBits);
        }
    }

    private static final class RealSum
            extends Sum
    {
        private boolean empty;
        private float sum;

        @Override
        void clear()
        {
            empty = true;
        }

        @Override
        boolean accumulate(Block block, int position, boolean subtract)
        {
            float value = intBitsToFloat((int) REAL.getLong(block, position));
            // 0 + -0.0 is 0.0, so the first value is not added but taken
            float signed = subtract ? -value : value;
            sum = empty ? signed : sum + signed;
            empty = false;
            return true;
        }

        @Override
        void writeSum(BlockBuilder builder)
        {
            REAL.writeLong(builder, floatToRawIntBits(sum));
        }
    }

    private static final class DoubleSum
            extends Sum
    {
        private boolean empty;
        private double sum;

        @Override
        void clear()
        {
            empty = true;
        }

        @Override
        boolean accumulate(Block block, int position, boolean subtract)
        {
            double value = DOUBLE.getDouble(block, position);
            double signed = subtract ? -value : value;
            sum = empty ? signed : sum + signed;
            empty = false;
            return true;
        }

        @Override
        void writeSum(BlockBuilder builder)
        {
            DOUBLE.writeDouble(builder, sum);
        }
    }

    private static final class ShortDecimalSum
            extends Sum
    {
        private final DecimalType type;
        private long sum;

        private ShortDecimalSum(DecimalType type)
        {
            this.type = type;
        }

        @Override
        void clear()
        {
            sum = 0;
        }

        @Override
        boolean accumulate(Block block, int position, boolean subtract)
        {
            // two numbers of at most 18 digits cannot overflow a long
            long value = type.getLong(block, position);
            sum += subtract ? -value : value;
            return !Decimals.overflows(sum, type.getPrecision());
        }

        @Override
        void writeSum(BlockBuilder builder)
        {
            type.writeLong(builder, sum);
        }
    }

    private static final class LongDecimalSum
            extends Sum
    {
        private final DecimalType type;
        private Int128 sum = Int128.ZERO;

        private LongDecimalSum(DecimalType type)
        {
            this.type = type;
        }

        @Override
        void clear()
        {
            sum = Int128.ZERO;
        }

        @Override
        boolean accumulate(Block block, int position, boolean subtract)
        {
            Int128 value = (Int128) type.getObject(block, position);
            if (subtract) {
                value = Int128Math.negate(value);
            }
            // two numbers of at most 38 digits can overflow 128 bits, and then the sign tells
            long low = sum.getLow() + value.getLow();
            long carry = Long.compareUnsigned(low, value.getLow()) < 0 ? 1 : 0;
            long high = sum.getHigh() + value.getHigh() + carry;
            boolean overflow = ((sum.getHigh() ^ high) & (value.getHigh() ^ high)) < 0;
            sum = Int128.valueOf(high, low);
            return !overflow && !Decimals.overflows(sum, type.getPrecision());
        }

        @Override
        void writeSum(BlockBuilder builder)
        {
            type.writeObject(builder, sum);
        }
    }
}
