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

import io.lookup.storage.format.variant.RandomVariants;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.CharType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.IntType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;
import org.apache.paimon.types.VarCharType;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/**
 * Random values of every type, with the ones that tend to break things among them.
 */
final class RandomPaimonRows
{
    private final Random random;
    private final int nullPercent;
    private final RandomVariants variants;

    RandomPaimonRows(long seed, int nullPercent)
    {
        this.random = new Random(seed);
        this.nullPercent = nullPercent;
        this.variants = new RandomVariants(random);
    }

    Object value(DataType type)
    {
        if (type.isNullable() && random.nextInt(100) < nullPercent) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) random.nextInt();
            case SMALLINT -> (short) random.nextInt();
            case INTEGER -> pick(random.nextInt(), Integer.MIN_VALUE, Integer.MAX_VALUE, 0);
            case BIGINT -> pick(random.nextLong(), Long.MIN_VALUE, Long.MAX_VALUE, 0L);
            case FLOAT -> pick(random.nextFloat() - 0.5f, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, -0.0f);
            case DOUBLE -> pick(random.nextDouble() - 0.5, Double.MIN_VALUE, -Double.MAX_VALUE, 0.0);
            case DATE -> random.nextInt(200_000) - 100_000;
            case TIME_WITHOUT_TIME_ZONE -> random.nextInt(86_400_000);
            case CHAR -> BinaryString.fromString(text(((CharType) type).getLength(), false));
            case VARCHAR -> BinaryString.fromString(text(Math.min(60, ((VarCharType) type).getLength()), true));
            case BINARY, VARBINARY -> bytes(random.nextInt(5));
            case DECIMAL -> decimal((DecimalType) type);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestamp(((LocalZonedTimestampType) type).getPrecision());
            case ARRAY -> {
                Object[] elements = new Object[random.nextInt(4)];
                for (int index = 0; index < elements.length; index++) {
                    elements[index] = value(((ArrayType) type).getElementType());
                }
                yield new GenericArray(elements);
            }
            case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET -> map(((MultisetType) type).getElementType(), new IntType(false));
            case ROW -> row((RowType) type);
            case VARIANT -> variants.next();
            default -> throw new IllegalArgumentException("Unknown type: " + type);
        };
    }

    GenericRow row(RowType type)
    {
        GenericRow row = new GenericRow(type.getFieldCount());
        for (int index = 0; index < type.getFieldCount(); index++) {
            row.setField(index, value(type.getTypeAt(index)));
        }
        return row;
    }

    private GenericMap map(DataType keyType, DataType valueType)
    {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int index = random.nextInt(4); index > 0; index--) {
            map.put(value(keyType.notNull()), value(valueType));
        }
        return new GenericMap(map);
    }

    @SafeVarargs
    private <T> T pick(T usual, T... special)
    {
        return random.nextInt(10) > 0 ? usual : special[random.nextInt(special.length)];
    }

    private String text(int maxLength, boolean spaces)
    {
        int[] alphabet = {'a', 'b', 'z', '~', 0x7F, 0xE9, 0x20AC, 0xD7FF, 0xFFFD, 0x1F600, 0x10FFFF, ' '};
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(maxLength + 1); length > 0; length--) {
            text.appendCodePoint(alphabet[random.nextInt(alphabet.length - (spaces ? 0 : 1))]);
        }
        return text.toString();
    }

    private byte[] bytes(int length)
    {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private Decimal decimal(DecimalType type)
    {
        BigInteger bound = BigInteger.TEN.pow(type.getPrecision());
        BigInteger unscaled = pick(new BigInteger(bound.bitLength() - 1, random), bound.subtract(BigInteger.ONE), BigInteger.ZERO);
        return Decimal.fromBigDecimal(
                new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.getScale()), type.getPrecision(), type.getScale());
    }

    private Timestamp timestamp(int precision)
    {
        long millis = random.nextLong(-4_000_000_000_000L, 4_000_000_000_000L);
        if (precision == 0) {
            return Timestamp.fromEpochMillis(Math.floorDiv(millis, 1000) * 1000);
        }
        if (precision <= 3) {
            return Timestamp.fromEpochMillis(millis);
        }
        return Timestamp.fromEpochMillis(millis, precision <= 6 ? random.nextInt(1000) * 1000 : random.nextInt(1_000_000));
    }
}
