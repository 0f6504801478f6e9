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
import io.airlift.slice.Slice;
import io.trino.spi.block.Block;
import io.trino.spi.block.SqlMap;
import io.trino.spi.block.SqlRow;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static java.lang.Float.floatToIntBits;
import static java.lang.Float.intBitsToFloat;
import static java.util.Objects.requireNonNull;

/**
 * Whether two values are the same one, on any level of nesting: null is null, NaN is NaN, 0.0 is not -0.0, bytes are
 * compared by content, and maps whatever the order of their entries. Paimon has this rule for numbers and texts only:
 * for it, bytes differ from any other bytes, and inside of rows, arrays and maps NaN differs from itself and 0.0 is -0.0.
 * Trino's operators see 0.0 in -0.0 everywhere.
 */
public abstract class ValueIdentity
{
    /**
     * Of values that may be null.
     */
    public final boolean same(Block left, int leftPosition, Block right, int rightPosition)
    {
        boolean leftNull = left.isNull(leftPosition);
        boolean rightNull = right.isNull(rightPosition);
        if (leftNull || rightNull) {
            return leftNull && rightNull;
        }
        return equal(left.getUnderlyingValueBlock(), left.getUnderlyingValuePosition(leftPosition), right.getUnderlyingValueBlock(), right.getUnderlyingValuePosition(rightPosition));
    }

    final long hash(Block block, int position)
    {
        return block.isNull(position) ? 0 : hashValue(block.getUnderlyingValueBlock(), block.getUnderlyingValuePosition(position));
    }

    /**
     * Of two values that are not null.
     */
    protected abstract boolean equal(ValueBlock left, int leftPosition, ValueBlock right, int rightPosition);

    /**
     * Of a value that is not null.
     */
    protected abstract long hashValue(ValueBlock block, int position);

    public static ValueIdentity of(Type type)
    {
        return switch (type) {
            case ArrayType arrayType -> new ArrayIdentity(arrayType);
            case MapType mapType -> new MapIdentity(mapType);
            case RowType rowType -> new RowIdentity(rowType, allFields(rowType));
            default -> ofScalar(type);
        };
    }

    /**
     * Rows are the same if these of their fields are.
     */
    static ValueIdentity ofFields(RowType type, List<Integer> fields)
    {
        return new RowIdentity(type, fields);
    }

    private static List<Integer> allFields(RowType type)
    {
        ImmutableList.Builder<Integer> fields = ImmutableList.builder();
        for (int field = 0; field < type.getFields().size(); field++) {
            fields.add(field);
        }
        return fields.build();
    }

    private static ValueIdentity ofScalar(Type type)
    {
        Class<?> javaType = type.getJavaType();
        if (type == RealType.REAL) {
            return new BitsIdentity((block, position) -> floatToIntBits(intBitsToFloat((int) type.getLong(block, position))));
        }
        if (type instanceof TimestampWithTimeZoneType && javaType == long.class) {
            return new BitsIdentity((block, position) -> unpackMillisUtc(type.getLong(block, position)));
        }
        if (javaType == long.class) {
            return new BitsIdentity(type::getLong);
        }
        if (javaType == double.class) {
            return new BitsIdentity((block, position) -> Double.doubleToLongBits(type.getDouble(block, position)));
        }
        if (javaType == boolean.class) {
            return new BitsIdentity((block, position) -> type.getBoolean(block, position) ? 1 : 0);
        }
        return new ObjectIdentity(type);
    }

    private interface Bits
    {
        long get(Block block, int position);
    }

    private static final class BitsIdentity
            extends ValueIdentity
    {
        private final Bits bits;

        private BitsIdentity(Bits bits)
        {
            this.bits = bits;
        }

        @Override
        protected boolean equal(ValueBlock left, int leftPosition, ValueBlock right, int rightPosition)
        {
            return bits.get(left, leftPosition) == bits.get(right, rightPosition);
        }

        @Override
        protected long hashValue(ValueBlock block, int position)
        {
            return bits.get(block, position) + 1;
        }
    }

    private static final class ObjectIdentity
            extends ValueIdentity
    {
        private final Type type;
        private final boolean slice;

        private ObjectIdentity(Type type)
        {
            this.type = type;
            this.slice = type.getJavaType() == Slice.class;
        }

        @Override
        protected boolean equal(ValueBlock left, int leftPosition, ValueBlock right, int rightPosition)
        {
            return get(left, leftPosition).equals(get(right, rightPosition));
        }

        @Override
        protected long hashValue(ValueBlock block, int position)
        {
            return get(block, position).hashCode();
        }

        private Object get(ValueBlock block, int position)
        {
            return slice ? type.getSlice(block, position) : type.getObject(block, position);
        }
    }

    private static final class ArrayIdentity
            extends ValueIdentity
    {
        private final ArrayType type;
        private final ValueIdentity element;

        private ArrayIdentity(ArrayType type)
        {
            this.type = type;
            this.element = of(type.getElementType());
        }

        @Override
        protected boolean equal(ValueBlock left, int leftPosition, ValueBlock right, int rightPosition)
        {
            Block leftElements = type.getObject(left, leftPosition);
            Block rightElements = type.getObject(right, rightPosition);
            if (leftElements.getPositionCount() != rightElements.getPositionCount()) {
                return false;
            }
            for (int index = 0; index < leftElements.getPositionCount(); index++) {
                if (!element.same(leftElements, index, rightElements, index)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        protected long hashValue(ValueBlock block, int position)
        {
            Block elements = type.getObject(block, position);
            long hash = 1;
            for (int index = 0; index < elements.getPositionCount(); index++) {
                hash = 31 * hash + element.hash(elements, index);
            }
            return hash;
        }
    }

    private static final class RowIdentity
            extends ValueIdentity
    {
        private final RowType type;
        private final int[] fields;
        private final List<ValueIdentity> identities;

        private RowIdentity(RowType type, List<Integer> fields)
        {
            this.type = requireNonNull(type, "type is null");
            this.fields = fields.stream().mapToInt(Integer::intValue).toArray();
            this.identities = fields.stream()
                    .map(field -> of(type.getFields().get(field).getType()))
                    .collect(toImmutableList());
        }

        @Override
        protected boolean equal(ValueBlock left, int leftPosition, ValueBlock right, int rightPosition)
        {
            SqlRow leftRow = type.getObject(left, leftPosition);
            SqlRow rightRow = type.getObject(right, rightPosition);
            for (int index = 0; index < fields.length; index++) {
                int field = fields[index];
                if (!identities.get(index).same(leftRow.getRawFieldBlock(field), leftRow.getRawIndex(), rightRow.getRawFieldBlock(field), rightRow.getRawIndex())) {
                    return false;
                }
            }
            return true;
        }

        @Override
        protected long hashValue(ValueBlock block, int position)
        {
            SqlRow row = type.getObject(block, position);
            long hash = 1;
            for (int index = 0; index < fields.length; index++) {
                hash = 31 * hash + identities.get(index).hash(row.getRawFieldBlock(fields[index]), row.getRawIndex());
            }
            return hash;
        }
    }

    private static final class MapIdentity
            extends ValueIdentity
    {
        private final MapType type;
        private final ValueIdentity key;
        private final ValueIdentity value;

        private MapIdentity(MapType type)
        {
            this.type = type;
            this.key = of(type.getKeyType());
            this.value = of(type.getValueType());
        }

        @Override
        protected boolean equal(ValueBlock left, int leftPosition, ValueBlock right, int rightPosition)
        {
            SqlMap leftMap = type.getObject(left, leftPosition);
            SqlMap rightMap = type.getObject(right, rightPosition);
            if (leftMap.getSize() != rightMap.getSize()) {
                return false;
            }
            ElementList rightEntries = new ElementList(2);
            rightEntries.addMap(rightMap);
            ElementIndex rightKeys = new ElementIndex(key);
            rightKeys.putAll(rightEntries);
            ElementList leftEntries = new ElementList(2);
            leftEntries.addMap(leftMap);
            for (int index = 0; index < leftEntries.count(); index++) {
                int found = rightKeys.find(rightEntries, leftEntries, index);
                if (found < 0 || !value.same(leftEntries.block(1, index), leftEntries.position(1, index), rightEntries.block(1, found), rightEntries.position(1, found))) {
                    return false;
                }
            }
            return true;
        }

        @Override
        protected long hashValue(ValueBlock block, int position)
        {
            SqlMap map = type.getObject(block, position);
            long hash = 1;
            for (int index = 0; index < map.getSize(); index++) {
                int raw = map.getRawOffset() + index;
                hash += 31 * key.hash(map.getRawKeyBlock(), raw) ^ value.hash(map.getRawValueBlock(), raw);
            }
            return hash;
        }
    }
}
