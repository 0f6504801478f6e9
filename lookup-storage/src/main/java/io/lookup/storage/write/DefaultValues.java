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
package io.lookup.storage.write;

import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slice;
import io.airlift.slice.SliceUtf8;
import io.airlift.slice.Slices;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeJson;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.type.Int128;
import io.trino.spi.type.Type;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

import static io.lookup.storage.StorageErrorCode.UNSUPPORTED_FEATURE;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.lang.Float.floatToIntBits;
import static java.lang.String.format;
import static java.util.Locale.ENGLISH;

/**
 * The default values of a table's columns, which take the place of nulls in rows that are inserted (Paimon 1.4.2: {@code DefaultValueRow}; a
 * NOT NULL column takes no null all the same). A schema has them as texts, possibly in single quotes. Texts that more than one value could be
 * meant by, and types whose texts depend on a time zone or have parts, are not understood: such a table is not written, since
 * other engines would write other rows.
 */
public final class DefaultValues
{
    private final Map<Integer, Block> values;
    private final Map<Integer, Type> types;

    private DefaultValues(Map<Integer, Block> values, Map<Integer, Type> types)
    {
        this.values = ImmutableMap.copyOf(values);
        this.types = ImmutableMap.copyOf(types);
    }

    /**
     * @throws StorageException UNSUPPORTED_FEATURE naming the column whose default is not understood
     */
    public static DefaultValues of(TableSchema schema)
    {
        ImmutableMap.Builder<Integer, Block> values = ImmutableMap.builder();
        ImmutableMap.Builder<Integer, Type> types = ImmutableMap.builder();
        for (DataField column : schema.fields()) {
            if (column.defaultValue().isEmpty()) {
                continue;
            }
            Object value = parse(column).orElseThrow(() -> new StorageException(UNSUPPORTED_FEATURE, format(
                    "The default value %s of column '%s' of type %s is not supported",
                    column.defaultValue().get(),
                    column.name(),
                    TypeJson.format(column.type()))));
            Type type = TrinoTypes.toTrinoType(column.type());
            values.put(schema.fieldIndex(column.name()), writeNativeValue(type, value));
            types.put(schema.fieldIndex(column.name()), type);
        }
        return new DefaultValues(values.buildOrThrow(), types.buildOrThrow());
    }

    /**
     * @param page the table's columns in schema order
     * @param inserted the positions of rows that are inserted
     */
    public Page apply(Page page, IntPredicate inserted)
    {
        Page result = page;
        for (Map.Entry<Integer, Block> value : values.entrySet()) {
            Block block = page.getBlock(value.getKey());
            if (!block.mayHaveNull()) {
                continue;
            }
            boolean[] replaced = new boolean[page.getPositionCount()];
            boolean any = false;
            for (int position = 0; position < replaced.length; position++) {
                replaced[position] = block.isNull(position) && inserted.test(position);
                any |= replaced[position];
            }
            if (any) {
                result = StoredRows.withValue(result, value.getKey(), types.get(value.getKey()), replaced, value.getValue());
            }
        }
        return result;
    }

    /**
     * The native value.
     */
    private static Optional<Object> parse(DataField column)
    {
        String text = column.defaultValue().orElseThrow();
        if (text.length() > 1 && text.startsWith("'") && text.endsWith("'")) {
            text = text.substring(1, text.length() - 1);
        }
        if (!(column.type() instanceof ScalarType type)) {
            return Optional.empty();
        }
        try {
            return parse(type, text);
        }
        catch (NumberFormatException | DateTimeException | ArithmeticException _) {
            return Optional.empty();
        }
    }

    private static Optional<Object> parse(ScalarType type, String text)
    {
        return switch (type.root()) {
            case BOOLEAN -> switch (text.toLowerCase(ENGLISH)) {
                case "t", "true", "y", "yes", "1" -> Optional.of(true);
                case "f", "false", "n", "no", "0" -> Optional.of(false);
                default -> Optional.empty();
            };
            case TINYINT -> Optional.of((long) Byte.parseByte(text));
            case SMALLINT -> Optional.of((long) Short.parseShort(text));
            case INTEGER -> Optional.of((long) Integer.parseInt(text));
            case BIGINT -> Optional.of(Long.parseLong(text));
            case FLOAT -> Optional.of((long) floatToIntBits(Float.parseFloat(text)));
            case DOUBLE -> Optional.of(Double.parseDouble(text));
            case DECIMAL -> decimal(type, new BigDecimal(text).setScale(type.scale(), RoundingMode.HALF_UP));
            case DATE -> Optional.of(LocalDate.parse(text).toEpochDay());
            case CHAR, VARCHAR -> bytes(type, Slices.utf8Slice(text), text.codePointCount(0, text.length()));
            case BINARY, VARBINARY -> bytes(type, Slices.utf8Slice(text), Slices.utf8Slice(text).length());
            case TIME, TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE, VARIANT, ARRAY, MAP, MULTISET, ROW -> Optional.empty();
        };
    }

    private static Optional<Object> decimal(ScalarType type, BigDecimal value)
    {
        if (value.precision() > type.precision()) {
            return Optional.empty();
        }
        // as Trino divides short decimals from long ones
        return Optional.of(type.precision() <= 18 ? (Object) value.unscaledValue().longValueExact() : Int128.valueOf(value.unscaledValue()));
    }

    /**
     * What fits as it is, without being cut or filled up.
     */
    private static Optional<Object> bytes(ScalarType type, Slice value, int length)
    {
        return switch (type.root()) {
            // Trino holds a char without the blanks at its end
            case CHAR -> length == type.precision() ? Optional.of(SliceUtf8.rightTrim(value)) : Optional.empty();
            case BINARY -> length == type.precision() ? Optional.of(value) : Optional.empty();
            default -> length <= type.precision() ? Optional.of(value) : Optional.empty();
        };
    }
}
