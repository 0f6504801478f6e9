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

import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.Int128Math;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.RealType;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarcharType;

import static io.trino.spi.type.Chars.truncateToLengthAndTrimSpaces;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.Float.intBitsToFloat;

/**
 * Changes to a type that has all values of the former one. Parquet's decoders do these themselves.
 */
final class Widening
{
    private Widening() {}

    /**
     * @param from as {@link ColumnEvolution#plainType}
     */
    static BlockTransform between(Type from, Type to)
    {
        if (from.equals(to)) {
            return BlockTransform.IDENTITY;
        }
        return switch (to) {
            case VarcharType varchar when from instanceof VarcharType && !varchar.isUnbounded() -> new VarcharLimit(varchar, BlockTransform.IDENTITY);
            case CharType character when from instanceof VarcharType -> BlockTransform.ofValues(to, (block, position, builder) ->
                    to.writeSlice(builder, truncateToLengthAndTrimSpaces(VARCHAR.getSlice(block, position), character)));
            case DoubleType _ when from instanceof RealType -> BlockTransform.ofValues(to, (block, position, builder) ->
                    to.writeDouble(builder, intBitsToFloat((int) from.getLong(block, position))));
            case DecimalType decimal when from instanceof DecimalType former -> BlockTransform.ofValues(to, (block, position, builder) ->
                    writeDecimal(decimal, Int128Math.rescale(decimal(former, block, position), decimal.getScale() - former.getScale()), builder));
            case TimestampType timestamp when from instanceof TimestampType former && former.isShort() && !timestamp.isShort() -> BlockTransform.ofValues(to, (block, position, builder) ->
                    to.writeObject(builder, new LongTimestamp(from.getLong(block, position), 0)));
            // both keep their values alike
            case TimestampType _, TimestampWithTimeZoneType _, TimeType _ -> BlockTransform.IDENTITY;
            default -> BlockTransform.ofValues(to, (block, position, builder) -> to.writeLong(builder, from.getLong(block, position)));
        };
    }

    private static Int128 decimal(DecimalType type, Block block, int position)
    {
        return type.isShort() ? Int128.valueOf(type.getLong(block, position)) : (Int128) type.getObject(block, position);
    }

    private static void writeDecimal(DecimalType type, Int128 value, BlockBuilder builder)
    {
        if (type.isShort()) {
            type.writeLong(builder, value.toLongExact());
        }
        else {
            type.writeObject(builder, value);
        }
    }
}
