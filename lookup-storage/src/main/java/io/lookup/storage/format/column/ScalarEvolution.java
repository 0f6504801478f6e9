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

import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeChanges;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.Int128Math;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.Type;

import java.util.Optional;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.Decimals.longTenToNth;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.Float.floatToIntBits;
import static java.util.Objects.requireNonNull;

/**
 * How a column is read whose type has changed since its file was written. Known are changes to a wider type, and between text
 * and numbers; the format also permits lossy ones.
 *
 * @param readType type to read the file's values as; Parquet's decoders do the simple widenings
 */
public record ScalarEvolution(Type readType, BlockTransform transform)
{
    public ScalarEvolution
    {
        requireNonNull(readType, "readType is null");
        requireNonNull(transform, "transform is null");
    }

    /**
     * Whether values of both types look the same in files and in blocks.
     */
    public static boolean sameType(ScalarType file, ScalarType table)
    {
        return file.withNullable(true).equals(table.withNullable(true));
    }

    /**
     * @return empty if such a change is not supported
     */
    public static Optional<ScalarEvolution> find(ScalarType file, ScalarType table)
    {
        Type target = TrinoTypes.toTrinoType(table);
        if (sameType(file, table)) {
            return Optional.of(new ScalarEvolution(target, BlockTransform.IDENTITY));
        }
        if (TypeChanges.isConversion(file, table)) {
            if (table.root() != TypeRoot.VARCHAR) {
                return transformed(VARCHAR, TextConversions.toNumber(file, table, target));
            }
            Type readType = TextConversions.numberType(file, TrinoTypes.toTrinoType(file));
            return transformed(readType, TextConversions.toText(file, readType, target));
        }
        return switch (table.root()) {
            case SMALLINT, INTEGER, BIGINT -> integerDigits(file) > 0 && integerDigits(file) < integerDigits(table) ? decoded(target) : Optional.empty();
            case FLOAT -> integerDigits(file) > 0 ? transformed(BIGINT, toReal(target)) : Optional.empty();
            case DOUBLE -> {
                if (file.root() == TypeRoot.FLOAT) {
                    yield decoded(target);
                }
                yield integerDigits(file) > 0 ? transformed(BIGINT, toDouble(target)) : Optional.empty();
            }
            case DECIMAL -> toDecimal(file, table);
            case CHAR -> file.root() == TypeRoot.CHAR && file.precision() <= table.precision() ? decoded(target) : Optional.empty();
            case VARCHAR -> (file.root() == TypeRoot.CHAR || file.root() == TypeRoot.VARCHAR) && file.precision() <= table.precision() ? decoded(target) : Optional.empty();
            case BINARY, VARBINARY -> (file.root() == TypeRoot.BINARY || file.root() == TypeRoot.VARBINARY) && file.precision() <= table.precision() ? decoded(target) : Optional.empty();
            case TIMESTAMP -> file.root() == TypeRoot.TIMESTAMP && file.precision() <= table.precision() ? decoded(target) : Optional.empty();
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> toInstant(file, table);
            // TIME keeps milliseconds whatever its precision
            case TIME -> file.root() == TypeRoot.TIME && file.precision() <= table.precision() ? decoded(target) : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static Optional<ScalarEvolution> decoded(Type target)
    {
        return Optional.of(new ScalarEvolution(target, BlockTransform.IDENTITY));
    }

    private static Optional<ScalarEvolution> transformed(Type readType, BlockTransform transform)
    {
        return Optional.of(new ScalarEvolution(readType, transform));
    }

    /**
     * Decimal digits of an integer type, 0 for another.
     */
    private static int integerDigits(ScalarType type)
    {
        return switch (type.root()) {
            case TINYINT -> 3;
            case SMALLINT -> 5;
            case INTEGER -> 10;
            case BIGINT -> 19;
            default -> 0;
        };
    }

    private static Optional<ScalarEvolution> toDecimal(ScalarType file, ScalarType table)
    {
        DecimalType target = (DecimalType) TrinoTypes.toTrinoType(table);
        int targetDigits = table.precision() - table.scale();
        if (file.root() == TypeRoot.DECIMAL) {
            return file.scale() <= table.scale() && file.precision() - file.scale() <= targetDigits ? decoded(target) : Optional.empty();
        }
        if (integerDigits(file) == 0 || integerDigits(file) > targetDigits) {
            return Optional.empty();
        }
        return transformed(BIGINT, toDecimal(target));
    }

    private static Optional<ScalarEvolution> toInstant(ScalarType file, ScalarType table)
    {
        if (file.root() != TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE || file.precision() > table.precision()) {
            return Optional.empty();
        }
        Type target = TrinoTypes.toTrinoType(table);
        if (file.precision() > 3 || table.precision() <= 3) {
            return decoded(target);
        }
        // Parquet's decoder knows milliseconds as a short type only
        return transformed(TrinoTypes.toTrinoType(file), toLongInstant(target));
    }

    private static BlockTransform toDouble(Type target)
    {
        return BlockTransform.ofValues(target, (block, position, builder) -> target.writeDouble(builder, BIGINT.getLong(block, position)));
    }

    private static BlockTransform toReal(Type target)
    {
        return BlockTransform.ofValues(target, (block, position, builder) -> target.writeLong(builder, floatToIntBits((float) BIGINT.getLong(block, position))));
    }

    private static BlockTransform toDecimal(DecimalType target)
    {
        if (target.isShort()) {
            return BlockTransform.ofValues(target, (block, position, builder) -> target.writeLong(builder, BIGINT.getLong(block, position) * longTenToNth(target.getScale())));
        }
        return BlockTransform.ofValues(target, (block, position, builder) -> target.writeObject(builder, Int128Math.rescale(Int128.valueOf(BIGINT.getLong(block, position)), target.getScale())));
    }

    private static BlockTransform toLongInstant(Type target)
    {
        return BlockTransform.ofValues(target, (block, position, builder) ->
                target.writeObject(builder, LongTimestampWithTimeZone.fromEpochMillisAndFraction(unpackMillisUtc(BIGINT.getLong(block, position)), 0, UTC_KEY)));
    }
}
