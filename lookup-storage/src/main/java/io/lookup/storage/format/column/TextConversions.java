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
package io.lookup.storage.format.column;

import io.airlift.slice.Slice;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.Type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.Decimals.readBigDecimal;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.Float.floatToIntBits;
import static java.lang.String.format;

/**
 * Columns that were text when a file was written and hold numbers now, and the other way round. Texts are read as Paimon
 * reads them: an integer may have a fraction, which is cut off, and a decimal is rounded.
 */
final class TextConversions
{
    private static final Pattern INTEGER = Pattern.compile("([+-]?[0-9]*)(\\.[0-9]*)?");

    private TextConversions() {}

    /**
     * @param file CHAR or VARCHAR
     * @param target Trino type of the number
     * @return a transform of VARCHAR blocks; throws {@link NumberFormatException} for a text that is no such number
     */
    static BlockTransform toNumber(ScalarType file, ScalarType table, Type target)
    {
        return block -> {
            BlockBuilder builder = target.createBlockBuilder(null, block.getPositionCount());
            for (int position = 0; position < block.getPositionCount(); position++) {
                if (block.isNull(position)) {
                    builder.appendNull();
                }
                else {
                    Slice slice = VARCHAR.getSlice(block, position);
                    String text = slice.toStringUtf8();
                    writeNumber(builder, table, target, file.root() == TypeRoot.CHAR ? text.stripTrailing() : text);
                }
            }
            return builder.build();
        };
    }

    private static void writeNumber(BlockBuilder builder, ScalarType table, Type target, String text)
    {
        switch (table.root()) {
            case TINYINT -> target.writeLong(builder, integer(text, Byte.MIN_VALUE, Byte.MAX_VALUE));
            case SMALLINT -> target.writeLong(builder, integer(text, Short.MIN_VALUE, Short.MAX_VALUE));
            case INTEGER -> target.writeLong(builder, integer(text, Integer.MIN_VALUE, Integer.MAX_VALUE));
            case BIGINT -> target.writeLong(builder, integer(text, Long.MIN_VALUE, Long.MAX_VALUE));
            case FLOAT -> target.writeLong(builder, floatToIntBits(Float.parseFloat(text)));
            case DOUBLE -> target.writeDouble(builder, Double.parseDouble(text));
            case DECIMAL -> writeDecimal(builder, (DecimalType) target, text);
            default -> throw new IllegalArgumentException("Not a number: " + table.root());
        }
    }

    private static long integer(String text, long min, long max)
    {
        Matcher matcher = INTEGER.matcher(text);
        if (!matcher.matches() || text.isEmpty() || text.equals("+") || text.equals("-")) {
            throw noNumber(text);
        }
        String digits = matcher.group(1);
        BigInteger value = digits.isEmpty() || digits.equals("+") || digits.equals("-") ? BigInteger.ZERO : new BigInteger(digits);
        if (value.compareTo(BigInteger.valueOf(min)) < 0 || value.compareTo(BigInteger.valueOf(max)) > 0) {
            throw noNumber(text);
        }
        return value.longValueExact();
    }

    private static void writeDecimal(BlockBuilder builder, DecimalType target, String text)
    {
        BigDecimal exact = new BigDecimal(text);
        // a huge exponent must not become digits
        if (exact.signum() != 0 && (long) exact.precision() - exact.scale() > target.getPrecision() - target.getScale()) {
            throw noNumber(text);
        }
        BigDecimal value = (exact.signum() == 0 ? BigDecimal.ZERO : exact).setScale(target.getScale(), RoundingMode.HALF_UP);
        if (value.precision() > target.getPrecision()) {
            throw noNumber(text);
        }
        if (target.isShort()) {
            target.writeLong(builder, value.unscaledValue().longValueExact());
        }
        else {
            target.writeObject(builder, Int128.valueOf(value.unscaledValue()));
        }
    }

    private static NumberFormatException noNumber(String text)
    {
        return new NumberFormatException(format("For input string: \"%s\"", text));
    }

    /**
     * Type in which a file's numbers are read to be made text.
     */
    static Type numberType(ScalarType file, Type fileType)
    {
        return switch (file.root()) {
            case BOOLEAN, DECIMAL -> fileType;
            default -> BIGINT;
        };
    }

    /**
     * @param file BOOLEAN, DECIMAL or an integer type
     * @param readType as {@link #numberType} says
     */
    static BlockTransform toText(ScalarType file, Type readType, Type target)
    {
        return block -> {
            BlockBuilder builder = target.createBlockBuilder(null, block.getPositionCount());
            for (int position = 0; position < block.getPositionCount(); position++) {
                if (block.isNull(position)) {
                    builder.appendNull();
                }
                else {
                    target.writeSlice(builder, utf8Slice(text(file, readType, block, position)));
                }
            }
            return builder.build();
        };
    }

    private static String text(ScalarType file, Type readType, Block block, int position)
    {
        return switch (file.root()) {
            case BOOLEAN -> Boolean.toString(BOOLEAN.getBoolean(block, position));
            case DECIMAL -> readBigDecimal((DecimalType) readType, block, position).toPlainString();
            default -> Long.toString(BIGINT.getLong(block, position));
        };
    }
}
