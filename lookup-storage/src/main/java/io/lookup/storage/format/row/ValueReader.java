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
package io.lookup.storage.format.row;

import io.airlift.slice.Slice;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.type.CharType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.Type;

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.format.row.ValueWriter.MAX_COMPACT_DECIMAL_PRECISION;
import static io.lookup.storage.format.row.ValueWriter.MAX_COMPACT_TIMESTAMP_PRECISION;
import static io.lookup.storage.format.row.ValueWriter.MAX_INLINE_LENGTH;
import static io.lookup.storage.format.row.ValueWriter.MAX_MICROS_PRECISION;
import static io.lookup.storage.format.row.ValueWriter.PICOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Chars.trimTrailingSpaces;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.TypeUtils.readNativeValue;
import static io.trino.spi.type.TypeUtils.writeNativeValue;

/**
 * Reads one value of one type from its slot in a row or array; the counterpart of {@link ValueWriter}.
 */
interface ValueReader
{
    /**
     * @param container where the row or array begins, which offsets count from
     * @param slot where the value's part of the fixed part begins
     * @return the native value, never null
     */
    Object read(Slice bytes, int container, int slot);

    static ValueReader of(DataType type, boolean trimChars)
    {
        return switch (type) {
            case ScalarType scalar -> ofScalar(scalar, trimChars);
            case ArrayType array -> new ArrayReader(TrinoTypes.toTrinoType(array), new ElementsReader(array.element(), trimChars));
            case MapType map -> new MapReader(TrinoTypes.toTrinoType(map), new ElementsReader(map.key(), trimChars), new ElementsReader(map.value(), trimChars));
            case MultisetType multiset -> new MapReader(
                    TrinoTypes.toTrinoType(multiset),
                    new ElementsReader(multiset.element(), trimChars),
                    new ElementsReader(new ScalarType(TypeRoot.INTEGER, 0, 0, false), trimChars));
            case RowType row -> new RowReader(TrinoTypes.toTrinoType(row), row.fields().stream().map(field -> field.type()).collect(toImmutableList()), trimChars);
        };
    }

    private static ValueReader ofScalar(ScalarType type, boolean trimChars)
    {
        return switch (type.root()) {
            case CHAR -> trimChars && TrinoTypes.toTrinoType(type) instanceof CharType
                    ? (bytes, container, slot) -> trimTrailingSpaces(readBytes(bytes, container, slot))
                    : ValueReader::readBytes;
            case VARCHAR, BINARY, VARBINARY -> ValueReader::readBytes;
            case BOOLEAN -> (bytes, _, slot) -> bytes.getByte(slot) != 0;
            case TINYINT -> (bytes, _, slot) -> (long) bytes.getByte(slot);
            case SMALLINT -> (bytes, _, slot) -> (long) bytes.getShort(slot);
            case INTEGER, DATE, FLOAT -> (bytes, _, slot) -> (long) bytes.getInt(slot);
            case BIGINT -> (bytes, _, slot) -> bytes.getLong(slot);
            case DOUBLE -> (bytes, _, slot) -> bytes.getDouble(slot);
            case TIME -> (bytes, _, slot) -> bytes.getInt(slot) * PICOSECONDS_PER_MILLISECOND;
            case DECIMAL -> {
                if (type.precision() <= MAX_COMPACT_DECIMAL_PRECISION) {
                    yield (bytes, _, slot) -> bytes.getLong(slot);
                }
                yield (bytes, container, slot) -> Int128.fromBigEndian(bytes.slice(container + bytes.getInt(slot + 4), bytes.getInt(slot)).getBytes());
            }
            case TIMESTAMP -> {
                if (type.precision() <= MAX_COMPACT_TIMESTAMP_PRECISION) {
                    yield (bytes, _, slot) -> bytes.getLong(slot) * 1000;
                }
                if (type.precision() <= MAX_MICROS_PRECISION) {
                    yield (bytes, container, slot) -> readMillis(bytes, container, slot) * 1000 + bytes.getInt(slot) / 1000;
                }
                yield (bytes, container, slot) -> {
                    int nanosOfMilli = bytes.getInt(slot);
                    return new LongTimestamp(readMillis(bytes, container, slot) * 1000 + nanosOfMilli / 1000, nanosOfMilli % 1000 * 1000);
                };
            }
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                if (type.precision() <= MAX_COMPACT_TIMESTAMP_PRECISION) {
                    yield (bytes, _, slot) -> packDateTimeWithZone(bytes.getLong(slot), UTC_KEY);
                }
                yield (bytes, container, slot) -> LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                        readMillis(bytes, container, slot),
                        bytes.getInt(slot) * 1000,
                        UTC_KEY);
            }
            case VARIANT, ARRAY, MAP, MULTISET, ROW -> {
                // speaks of the type that has no counterpart
                TrinoTypes.toTrinoType(type);
                throw new IllegalArgumentException("Not a scalar type: " + type.root());
            }
        };
    }

    private static Slice readBytes(Slice bytes, int container, int slot)
    {
        int inlineLength = bytes.getByte(slot + 7);
        if (inlineLength < 0) {
            return bytes.slice(slot, Math.min(inlineLength & 0x7F, MAX_INLINE_LENGTH));
        }
        return bytes.slice(container + bytes.getInt(slot + 4), bytes.getInt(slot));
    }

    private static long readMillis(Slice bytes, int container, int slot)
    {
        return bytes.getLong(container + bytes.getInt(slot + 4));
    }

    /**
     * A value of own structure: appended to a builder of its type, and taken from there.
     */
    abstract class NestedReader
            implements ValueReader
    {
        private final Type type;

        NestedReader(Type type)
        {
            this.type = type;
        }

        abstract void append(Slice bytes, int start, BlockBuilder builder);

        @Override
        public Object read(Slice bytes, int container, int slot)
        {
            BlockBuilder builder = type.createBlockBuilder(null, 1);
            append(bytes, container + bytes.getInt(slot + 4), builder);
            return readNativeValue(type, builder.buildValueBlock(), 0);
        }
    }

    final class ArrayReader
            extends NestedReader
    {
        private final ElementsReader elements;

        ArrayReader(Type type, ElementsReader elements)
        {
            super(type);
            this.elements = elements;
        }

        @Override
        void append(Slice bytes, int start, BlockBuilder builder)
        {
            ((ArrayBlockBuilder) builder).buildEntry(elementBuilder -> elements.append(bytes, start, elementBuilder));
        }
    }

    final class MapReader
            extends NestedReader
    {
        private final ElementsReader keys;
        private final ElementsReader values;

        MapReader(Type type, ElementsReader keys, ElementsReader values)
        {
            super(type);
            this.keys = keys;
            this.values = values;
        }

        @Override
        void append(Slice bytes, int start, BlockBuilder builder)
        {
            int keysStart = start + Integer.BYTES;
            int valuesStart = keysStart + bytes.getInt(start);
            ((MapBlockBuilder) builder).buildEntry((keyBuilder, valueBuilder) -> {
                keys.append(bytes, keysStart, keyBuilder);
                values.append(bytes, valuesStart, valueBuilder);
            });
        }
    }

    final class RowReader
            extends NestedReader
    {
        private final BinaryRowDecoder fields;
        private final int fieldCount;

        RowReader(Type type, List<DataType> fieldTypes, boolean trimChars)
        {
            super(type);
            this.fields = new BinaryRowDecoder(fieldTypes, trimChars);
            this.fieldCount = fieldTypes.size();
        }

        @Override
        void append(Slice bytes, int start, BlockBuilder builder)
        {
            ((RowBlockBuilder) builder).buildEntry(fieldBuilders -> {
                for (int field = 0; field < fieldCount; field++) {
                    fields.append(bytes, start, fieldCount, field, fieldBuilders.get(field));
                }
            });
        }
    }

    /**
     * The elements of an array, or the keys or values of a map.
     */
    final class ElementsReader
    {
        private final Type type;
        private final ValueReader element;
        private final int width;

        ElementsReader(DataType type, boolean trimChars)
        {
            this.type = TrinoTypes.toTrinoType(type);
            this.element = of(type, trimChars);
            this.width = ValueWriter.of(type).width();
        }

        void append(Slice bytes, int start, BlockBuilder builder)
        {
            int count = bytes.getInt(start);
            int nullBits = start + Integer.BYTES;
            int slots = nullBits + (count + 31) / 32 * Integer.BYTES;
            for (int index = 0; index < count; index++) {
                if ((bytes.getByte(nullBits + (index >>> 3)) & (1 << (index & 7))) != 0) {
                    builder.appendNull();
                }
                else {
                    writeNativeValue(type, builder, element.read(bytes, start, slots + index * width));
                }
            }
        }
    }
}
