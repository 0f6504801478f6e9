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
package io.lookup.storage.oracle;

import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeChecks;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import static io.lookup.storage.oracle.CanonicalValues.canonicalText;
import static java.lang.Math.floorMod;
import static java.util.Objects.requireNonNull;

/**
 * Neutral values of any type, drawn from a seeded source, with the awkward ones often: extremes, NaN, the negative zero, empty and long
 * texts, characters whose UTF-8 and UTF-16 orders differ, times before 1970.
 */
public final class RandomValues
{
    private static final double NULL_PROBABILITY = 0.15;
    private static final long SECONDS_PER_DAY = 86_400;
    // U+FF5E sorts above the surrogates of U+1F600 in UTF-16, and below it in UTF-8
    private static final int[] ALPHABET = "abcABZ09_-'\"\\,=/% .é本～😀".codePoints().toArray();

    private final Random random;
    private final boolean reflexiveOnly;

    RandomValues(Random random)
    {
        this(random, false);
    }

    /**
     * @param reflexiveOnly leaves out what Paimon's generated code does not find equal to itself (NaN, an array or map that holds a null) or finds
     * equal to another value (the negative zero)
     */
    public RandomValues(Random random, boolean reflexiveOnly)
    {
        this.random = requireNonNull(random, "random is null");
        this.reflexiveOnly = reflexiveOnly;
    }

    Object nullable(DataType type)
    {
        if (type.isNullable() && random.nextDouble() < NULL_PROBABILITY) {
            return null;
        }
        return nonNull(type);
    }

    Object nonNull(DataType type)
    {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (int) integer(Byte.MIN_VALUE, Byte.MAX_VALUE);
            case SMALLINT -> (int) integer(Short.MIN_VALUE, Short.MAX_VALUE);
            case INTEGER -> (int) integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> integer(Long.MIN_VALUE, Long.MAX_VALUE);
            case FLOAT -> (float) floating(Float.MIN_VALUE, Float.MAX_VALUE);
            case DOUBLE -> floating(Double.MIN_VALUE, Double.MAX_VALUE);
            case DECIMAL -> decimal((DecimalType) type);
            case CHAR, VARCHAR -> text(DataTypeChecks.getLength(type));
            case BINARY -> bytes(DataTypeChecks.getLength(type));
            case VARBINARY -> bytes(Math.min(DataTypeChecks.getLength(type), pick(0, 1, 3, 12, random.nextInt(100) == 0 ? 5000 : 8)));
            case DATE -> date();
            case TIME_WITHOUT_TIME_ZONE -> time(DataTypeChecks.getPrecision(type));
            case TIMESTAMP_WITHOUT_TIME_ZONE -> LocalDateTime.ofInstant(instant(DataTypeChecks.getPrecision(type)), ZoneOffset.UTC);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> instant(DataTypeChecks.getPrecision(type));
            case ARRAY -> list(((ArrayType) type).getElementType());
            case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET -> multiset(((MultisetType) type).getElementType());
            case ROW -> row((RowType) type);
            case VARIANT, BLOB, VECTOR -> throw new IllegalArgumentException("Not a type of the oracle: " + type);
        };
    }

    /**
     * A value to be summed up: small enough that a few hundred of them neither overflow nor round, so that the order of addition cannot show.
     */
    Object summand(DataType type)
    {
        if (type.isNullable() && random.nextDouble() < NULL_PROBABILITY) {
            return null;
        }
        int small = random.nextInt(-50, 51);
        return switch (type.getTypeRoot()) {
            case TINYINT -> random.nextInt(-1, 2);
            case SMALLINT, INTEGER -> small;
            case BIGINT -> small * 1_000_000_007L;
            case FLOAT -> (float) floatingSummand(small);
            case DOUBLE -> floatingSummand(small);
            case DECIMAL -> new BigDecimal(BigInteger.valueOf(small), ((DecimalType) type).getScale());
            default -> throw new IllegalArgumentException("Not a type to sum up: " + type);
        };
    }

    private double floatingSummand(int small)
    {
        return switch (reflexiveOnly ? 3 : random.nextInt(40)) {
            case 0 -> Double.NaN;
            case 1, 2 -> -0.0;
            default -> small * 0.25;
        };
    }

    private long integer(long min, long max)
    {
        return switch (random.nextInt(8)) {
            case 0 -> min;
            case 1 -> max;
            case 2 -> 0;
            case 3 -> -1;
            case 4 -> random.nextLong(min, max);
            default -> random.nextInt(-9, 10);
        };
    }

    private double floating(double min, double max)
    {
        return switch (random.nextInt(reflexiveOnly ? 2 : 0, 12)) {
            case 0 -> Double.NaN;
            case 1 -> -0.0;
            case 2 -> 0.0;
            case 3 -> Double.POSITIVE_INFINITY;
            case 4 -> Double.NEGATIVE_INFINITY;
            case 5 -> min;
            case 6 -> -max;
            case 7 -> (float) random.nextGaussian();
            default -> random.nextInt(-9, 10) * 0.5;
        };
    }

    private BigDecimal decimal(DecimalType type)
    {
        BigInteger max = BigInteger.TEN.pow(type.getPrecision()).subtract(BigInteger.ONE);
        BigInteger unscaled = switch (random.nextInt(6)) {
            case 0 -> max;
            case 1 -> max.negate();
            case 2 -> BigInteger.ZERO;
            case 3 -> new BigInteger(max.bitLength() + 8, random).mod(max).negate();
            default -> BigInteger.valueOf(random.nextInt(-9, 10));
        };
        return new BigDecimal(unscaled, type.getScale());
    }

    private String text(int maxLength)
    {
        int length = switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> random.nextInt(20) == 0 ? 4000 : 40;
            default -> random.nextInt(1, 6);
        };
        StringBuilder text = new StringBuilder();
        for (int index = 0; index < Math.min(length, maxLength); index++) {
            text.appendCodePoint(ALPHABET[random.nextInt(ALPHABET.length)]);
        }
        // engines differ in whether a trailing blank of a CHAR is data
        return text.toString().stripTrailing();
    }

    private byte[] bytes(int length)
    {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private LocalDate date()
    {
        return LocalDate.ofEpochDay(switch (random.nextInt(5)) {
            case 0 -> -1;
            case 1 -> -719_162; // 0001-01-01
            case 2 -> 2_932_896; // 9999-12-31
            default -> random.nextInt(-20_000, 40_000);
        });
    }

    private LocalTime time(int precision)
    {
        int millis = pick(0, 86_399_999, random.nextInt(86_400_000));
        return LocalTime.ofNanoOfDay((precision == 0 ? millis / 1000 * 1000 : millis) * 1_000_000L);
    }

    private Instant instant(int precision)
    {
        long second = switch (random.nextInt(5)) {
            case 0 -> -1;
            case 1 -> -2_208_988_800L; // 1900
            case 2 -> 0;
            default -> random.nextLong(-20_000 * SECONDS_PER_DAY, 40_000 * SECONDS_PER_DAY);
        };
        int nano = pick(0, 999_999_999, 1, 123_456_789, random.nextInt(1_000_000_000));
        int unit = 1;
        for (int digit = precision; digit < 9; digit++) {
            unit *= 10;
        }
        return Instant.ofEpochSecond(second, nano - floorMod(nano, unit));
    }

    private List<Object> list(DataType elementType)
    {
        List<Object> values = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            values.add(element(elementType));
        }
        return values;
    }

    private Object element(DataType type)
    {
        return reflexiveOnly ? nonNull(type) : nullable(type);
    }

    private Map<Object, Object> map(DataType keyType, DataType valueType)
    {
        Map<Object, Object> result = new LinkedHashMap<>();
        distinct(keyType, random.nextInt(4)).forEach(key -> result.put(key, element(valueType)));
        return result;
    }

    private Map<Object, Object> multiset(DataType elementType)
    {
        Map<Object, Object> result = new LinkedHashMap<>();
        distinct(elementType, random.nextInt(4)).forEach(element -> result.put(element, random.nextInt(1, 4)));
        return result;
    }

    /**
     * Non-null values, no two with the same canonical text; fewer when the type has fewer.
     */
    public List<Object> distinct(DataType type, int count)
    {
        Set<String> texts = new HashSet<>();
        List<Object> values = new ArrayList<>();
        for (int attempt = 0; attempt < count * 8 && values.size() < count; attempt++) {
            Object value = nonNull(type);
            if (texts.add(canonicalText(value))) {
                values.add(value);
            }
        }
        return values;
    }

    private List<Object> row(RowType type)
    {
        List<Object> values = new ArrayList<>();
        type.getFieldTypes().forEach(fieldType -> values.add(nullable(fieldType)));
        return values;
    }

    private int pick(int... values)
    {
        return values[random.nextInt(values.length)];
    }
}
