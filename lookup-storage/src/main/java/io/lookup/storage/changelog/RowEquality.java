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
package io.lookup.storage.changelog;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.merge.ValueIdentity;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.function.InvocationConvention;
import io.trino.spi.type.RealType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;

import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Collection;

import static com.google.common.base.Throwables.throwIfUnchecked;
import static io.trino.spi.function.InvocationConvention.InvocationArgumentConvention.BLOCK_POSITION;
import static io.trino.spi.function.InvocationConvention.InvocationReturnConvention.FAIL_ON_NULL;
import static io.trino.spi.function.InvocationConvention.simpleConvention;

/**
 * Whether two rows hold the same values, nulls being equal to nulls, and NaN to NaN, at every depth. The two zeros are one number in a column and two values
 * inside of nested ones, as in Paimon. Row kind and sequence number do not count.
 */
public final class RowEquality
{
    private static final InvocationConvention CONVENTION = simpleConvention(FAIL_ON_NULL, BLOCK_POSITION, BLOCK_POSITION);

    private final int[] channels;
    private final Equality[] equalities;

    /**
     * @param ignoredColumns columns whose change does not count ({@code changelog-producer.row-deduplicate-ignore-fields})
     */
    public RowEquality(KeyValueLayout layout, Collection<String> ignoredColumns)
    {
        ImmutableList.Builder<Equality> equalityBuilder = ImmutableList.builder();
        int[] compared = new int[layout.columns().size()];
        int count = 0;
        for (int channel = 0; channel < layout.columns().size(); channel++) {
            DataField column = layout.columns().get(channel);
            if (layout.keyChannels().contains(channel) || ignoredColumns.contains(column.name())) {
                continue;
            }
            Type type = TrinoTypes.toTrinoType(column.type());
            compared[count] = channel;
            count++;
            equalityBuilder.add(equality(type));
        }
        this.channels = Arrays.copyOf(compared, count);
        this.equalities = equalityBuilder.build().toArray(Equality[]::new);
    }

    /**
     * Of values that are not null.
     */
    private interface Equality
    {
        boolean equal(Block left, int leftPosition, Block right, int rightPosition);
    }

    private static Equality equality(Type type)
    {
        if (!type.getTypeParameters().isEmpty()) {
            return ValueIdentity.of(type)::same;
        }
        // the operator of a type that is not known when this is compiled costs more than these comparisons
        if (type.getJavaType() == long.class && !(type instanceof RealType) && !(type instanceof TimestampWithTimeZoneType)) {
            return (left, leftPosition, right, rightPosition) -> type.getLong(left, leftPosition) == type.getLong(right, rightPosition);
        }
        if (type instanceof VarcharType || type instanceof VarbinaryType) {
            return RowEquality::sameBytes;
        }
        MethodHandle operator = TrinoTypes.typeOperators().getIdenticalOperator(type, CONVENTION);
        return (left, leftPosition, right, rightPosition) -> identical(operator, left, leftPosition, right, rightPosition);
    }

    public boolean equal(Page left, int leftPosition, Page right, int rightPosition)
    {
        for (int index = 0; index < channels.length; index++) {
            Block leftBlock = left.getBlock(channels[index]);
            Block rightBlock = right.getBlock(channels[index]);
            boolean leftNull = leftBlock.isNull(leftPosition);
            if (leftNull != rightBlock.isNull(rightPosition)) {
                return false;
            }
            if (!leftNull && !equalities[index].equal(leftBlock, leftPosition, rightBlock, rightPosition)) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameBytes(Block left, int leftPosition, Block right, int rightPosition)
    {
        VariableWidthBlock leftValues = (VariableWidthBlock) left.getUnderlyingValueBlock();
        VariableWidthBlock rightValues = (VariableWidthBlock) right.getUnderlyingValueBlock();
        int leftIndex = left.getUnderlyingValuePosition(leftPosition);
        int rightIndex = right.getUnderlyingValuePosition(rightPosition);
        int length = leftValues.getSliceLength(leftIndex);
        return length == rightValues.getSliceLength(rightIndex)
                && leftValues.getRawSlice().equals(leftValues.getRawSliceOffset(leftIndex), length, rightValues.getRawSlice(), rightValues.getRawSliceOffset(rightIndex), length);
    }

    private static boolean identical(MethodHandle operator, Block left, int leftPosition, Block right, int rightPosition)
    {
        try {
            return (boolean) operator.invokeExact(left, leftPosition, right, rightPosition);
        }
        catch (Throwable throwable) {
            throwIfUnchecked(throwable);
            throw new StorageException(StorageErrorCode.INTERNAL_ERROR, "Values of a row could not be compared", throwable);
        }
    }
}
