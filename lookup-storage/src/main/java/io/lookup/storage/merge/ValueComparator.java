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

import io.airlift.slice.Slice;
import io.trino.spi.block.Block;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;

import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static java.lang.Float.intBitsToFloat;

/**
 * The format's order of two values that are not null: numbers by value, floating point as Java compares it
 * (-0.0 below 0.0, NaN largest), text and binary by unsigned bytes with the shorter first.
 * Trino's own comparison operators differ in the padding of CHAR and in the sign of zero, so they do not serve here.
 */
interface ValueComparator
{
    int compare(Block left, int leftPosition, Block right, int rightPosition);

    static int compareNullsFirst(ValueComparator comparator, Block left, int leftPosition, Block right, int rightPosition)
    {
        boolean leftNull = left.isNull(leftPosition);
        boolean rightNull = right.isNull(rightPosition);
        if (leftNull || rightNull) {
            return Boolean.compare(rightNull, leftNull);
        }
        return comparator.compare(left, leftPosition, right, rightPosition);
    }

    static ValueComparator forType(Type type)
    {
        Class<?> javaType = type.getJavaType();
        if (type == RealType.REAL) {
            return (left, leftPosition, right, rightPosition) -> Float.compare(
                    intBitsToFloat((int) type.getLong(left, leftPosition)),
                    intBitsToFloat((int) type.getLong(right, rightPosition)));
        }
        if (type == DoubleType.DOUBLE) {
            return (left, leftPosition, right, rightPosition) -> Double.compare(type.getDouble(left, leftPosition), type.getDouble(right, rightPosition));
        }
        if (javaType == long.class && type instanceof TimestampWithTimeZoneType) {
            return (left, leftPosition, right, rightPosition) -> Long.compare(
                    unpackMillisUtc(type.getLong(left, leftPosition)),
                    unpackMillisUtc(type.getLong(right, rightPosition)));
        }
        if (javaType == long.class) {
            return (left, leftPosition, right, rightPosition) -> Long.compare(type.getLong(left, leftPosition), type.getLong(right, rightPosition));
        }
        if (javaType == boolean.class) {
            return (left, leftPosition, right, rightPosition) -> Boolean.compare(type.getBoolean(left, leftPosition), type.getBoolean(right, rightPosition));
        }
        if (javaType == Slice.class) {
            return (left, leftPosition, right, rightPosition) -> type.getSlice(left, leftPosition).compareTo(type.getSlice(right, rightPosition));
        }
        if (Comparable.class.isAssignableFrom(javaType)) {
            return (left, leftPosition, right, rightPosition) -> compareObjects(type.getObject(left, leftPosition), type.getObject(right, rightPosition));
        }
        throw new IllegalArgumentException("Type " + type + " has no order");
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static int compareObjects(Object left, Object right)
    {
        return ((Comparable) left).compareTo(right);
    }
}
