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

import io.airlift.slice.Slices;
import io.lookup.storage.schema.AggregateFunction;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;

import java.math.BigInteger;
import java.util.Optional;

import static io.trino.spi.block.MapValueBuilder.buildMapValue;
import static java.lang.Float.floatToIntBits;

/**
 * The value of a column that cannot be null which its aggregate function passes over: combined with any value, it gives that value.
 */
final class PassedOverValue
{
    private PassedOverValue() {}

    /**
     * The native value; empty if there is none.
     */
    static Optional<Object> of(AggregateFunction function, Type type)
    {
        return switch (function) {
            // the negative zero leaves both zeros as they are
            case SUM -> number(type, 0, -0.0);
            case PRODUCT -> number(type, 1, 1.0);
            case MAX -> smallest(type);
            case MIN -> largest(type);
            case BOOL_AND -> Optional.of(true);
            case BOOL_OR -> Optional.of(false);
            case LISTAGG -> Optional.of(Slices.EMPTY_SLICE);
            case COLLECT, NESTED_UPDATE, NESTED_PARTIAL_UPDATE -> Optional.of(((ArrayType) type).getElementType().createBlockBuilder(null, 0).build());
            case MERGE_MAP, MERGE_MAP_WITH_KEYTIME -> Optional.of(buildMapValue((MapType) type, 0, (_, _) -> {}));
            case FIRST_VALUE, FIRST_NON_NULL_VALUE, LAST_VALUE, LAST_NON_NULL_VALUE, PRIMARY_KEY, RBM32, RBM64, HLL_SKETCH, THETA_SKETCH -> Optional.empty();
        };
    }

    private static Optional<Object> number(Type type, int integer, double floating)
    {
        return switch (type) {
            case TinyintType _, SmallintType _, IntegerType _, BigintType _ -> Optional.of((long) integer);
            case RealType _ -> Optional.of((long) floatToIntBits((float) floating));
            case DoubleType _ -> Optional.of(floating);
            case DecimalType decimal -> {
                BigInteger unscaled = BigInteger.TEN.pow(decimal.getScale()).multiply(BigInteger.valueOf(integer));
                // 1 is out of range where all digits are behind the point
                yield unscaled.compareTo(BigInteger.TEN.pow(decimal.getPrecision())) < 0 ? Optional.of(decimalValue(decimal, unscaled)) : Optional.empty();
            }
            default -> Optional.empty();
        };
    }

    private static Optional<Object> smallest(Type type)
    {
        return switch (type) {
            case TinyintType _ -> Optional.of((long) Byte.MIN_VALUE);
            case SmallintType _ -> Optional.of((long) Short.MIN_VALUE);
            case IntegerType _ -> Optional.of((long) Integer.MIN_VALUE);
            case BigintType _ -> Optional.of(Long.MIN_VALUE);
            case RealType _ -> Optional.of((long) floatToIntBits(Float.NEGATIVE_INFINITY));
            case DoubleType _ -> Optional.of(Double.NEGATIVE_INFINITY);
            case DecimalType decimal -> Optional.of(decimalValue(decimal, BigInteger.ONE.subtract(BigInteger.TEN.pow(decimal.getPrecision()))));
            case VarcharType _, VarbinaryType _ -> Optional.of(Slices.EMPTY_SLICE);
            default -> Optional.empty();
        };
    }

    private static Optional<Object> largest(Type type)
    {
        return switch (type) {
            case TinyintType _ -> Optional.of((long) Byte.MAX_VALUE);
            case SmallintType _ -> Optional.of((long) Short.MAX_VALUE);
            case IntegerType _ -> Optional.of((long) Integer.MAX_VALUE);
            case BigintType _ -> Optional.of(Long.MAX_VALUE);
            // above all
            case RealType _ -> Optional.of((long) floatToIntBits(Float.NaN));
            case DoubleType _ -> Optional.of(Double.NaN);
            case DecimalType decimal -> Optional.of(decimalValue(decimal, BigInteger.TEN.pow(decimal.getPrecision()).subtract(BigInteger.ONE)));
            default -> Optional.empty();
        };
    }

    private static Object decimalValue(DecimalType type, BigInteger unscaled)
    {
        return type.isShort() ? (Object) unscaled.longValueExact() : Int128.valueOf(unscaled);
    }
}
