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
package io.lookup.storage.table;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.block.SqlMap;
import io.trino.spi.block.SqlRow;
import io.trino.spi.type.DateTimeEncoding;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.TimeZoneKey;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;

/**
 * Neutral values (see {@code CanonicalValues}) to Trino's blocks and back.
 */
public final class BlockValues
{
    private static final int PICOSECONDS_PER_NANOSECOND = 1_000;

    private static final ScalarType COUNT_TYPE = new ScalarType(TypeRoot.INTEGER, 0, 0, false);

    private BlockValues() {}

    public static Page toPage(List<DataField> fields, List<List<Object>> rows)
    {
        List<Type> types = fields.stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList());
        PageBuilder page = new PageBuilder(types);
        for (List<Object> row : rows) {
            page.declarePosition();
            for (int column = 0; column < fields.size(); column++) {
                append(fields.get(column).type(), page.getBlockBuilder(column), row.get(column));
            }
        }
        return page.build();
    }

    public static List<Object> toRow(List<DataField> fields, Page page, int position)
    {
        List<Object> row = new ArrayList<>();
        for (int column = 0; column < fields.size(); column++) {
            row.add(read(fields.get(column).type(), page.getBlock(column), position));
        }
        return row;
    }

    private static void append(DataType type, BlockBuilder builder, Object value)
    {
        if (value == null) {
            builder.appendNull();
            return;
        }
        switch (type) {
            case ArrayType array -> ((ArrayBlockBuilder) builder).buildEntry(elements ->
                    ((List<?>) value).forEach(element -> append(array.element(), elements, element)));
            case MapType map -> appendMap(map.key(), map.value(), builder, (Map<?, ?>) value);
            case MultisetType multiset -> appendMap(multiset.element(), COUNT_TYPE, builder, (Map<?, ?>) value);
            case RowType row -> ((RowBlockBuilder) builder).buildEntry(fields -> {
                for (int index = 0; index < fields.size(); index++) {
                    append(row.fields().get(index).type(), fields.get(index), ((List<?>) value).get(index));
                }
            });
            case ScalarType scalar -> TypeUtils.writeNativeValue(TrinoTypes.toTrinoType(scalar), builder, toNative(scalar, value));
        }
    }

    private static void appendMap(DataType keyType, DataType valueType, BlockBuilder builder, Map<?, ?> map)
    {
        ((MapBlockBuilder) builder).buildEntry((keys, values) -> map.forEach((key, value) -> {
            append(keyType, keys, key);
            append(valueType, values, value);
        }));
    }

    private static Object toNative(ScalarType type, Object value)
    {
        return switch (type.root()) {
            case BOOLEAN, DOUBLE -> value;
            case TINYINT, SMALLINT, INTEGER, BIGINT -> ((Number) value).longValue();
            case FLOAT -> (long) Float.floatToRawIntBits((Float) value);
            case CHAR -> Slices.utf8Slice(((String) value).stripTrailing());
            case VARCHAR -> Slices.utf8Slice((String) value);
            case BINARY, VARBINARY -> Slices.wrappedBuffer((byte[]) value);
            case DECIMAL -> {
                BigInteger unscaled = ((BigDecimal) value).setScale(type.scale()).unscaledValue();
                yield ((DecimalType) TrinoTypes.toTrinoType(type)).isShort() ? (Object) unscaled.longValueExact() : Int128.valueOf(unscaled);
            }
            case DATE -> ((LocalDate) value).toEpochDay();
            case TIME -> ((LocalTime) value).toNanoOfDay() * PICOSECONDS_PER_NANOSECOND;
            case TIMESTAMP -> {
                LocalDateTime time = (LocalDateTime) value;
                long micros = time.toEpochSecond(ZoneOffset.UTC) * 1_000_000 + time.getNano() / 1_000;
                yield type.precision() <= 6 ? (Object) micros : new LongTimestamp(micros, time.getNano() % 1_000 * PICOSECONDS_PER_NANOSECOND);
            }
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                Instant instant = (Instant) value;
                long millis = floorDiv(instant.getEpochSecond() * 1_000_000_000 + instant.getNano(), 1_000_000L);
                yield type.precision() <= 3
                        ? (Object) DateTimeEncoding.packDateTimeWithZone(millis, TimeZoneKey.UTC_KEY)
                        : LongTimestampWithTimeZone.fromEpochMillisAndFraction(millis, instant.getNano() % 1_000_000 * PICOSECONDS_PER_NANOSECOND, TimeZoneKey.UTC_KEY);
            }
            case VARIANT, ARRAY, MAP, MULTISET, ROW -> throw new IllegalArgumentException(type.toString());
        };
    }

    private static Object read(DataType type, Block block, int position)
    {
        if (block.isNull(position)) {
            return null;
        }
        Object value = TypeUtils.readNativeValue(TrinoTypes.toTrinoType(type), block, position);
        return switch (type) {
            case ArrayType array -> elements(array.element(), (Block) value, 0, ((Block) value).getPositionCount());
            case MapType map -> readMap(map.key(), map.value(), (SqlMap) value);
            case MultisetType multiset -> readMap(multiset.element(), COUNT_TYPE, (SqlMap) value);
            case RowType row -> {
                SqlRow sqlRow = (SqlRow) value;
                List<Object> fields = new ArrayList<>();
                for (int index = 0; index < row.fields().size(); index++) {
                    fields.add(read(row.fields().get(index).type(), sqlRow.getRawFieldBlock(index), sqlRow.getRawIndex()));
                }
                yield fields;
            }
            case ScalarType scalar -> fromNative(scalar, value);
        };
    }

    private static List<Object> elements(DataType type, Block block, int offset, int length)
    {
        List<Object> values = new ArrayList<>();
        for (int index = 0; index < length; index++) {
            values.add(read(type, block, offset + index));
        }
        return values;
    }

    private static Map<Object, Object> readMap(DataType keyType, DataType valueType, SqlMap map)
    {
        List<Object> keys = elements(keyType, map.getRawKeyBlock(), map.getRawOffset(), map.getSize());
        List<Object> values = elements(valueType, map.getRawValueBlock(), map.getRawOffset(), map.getSize());
        Map<Object, Object> result = new LinkedHashMap<>();
        for (int index = 0; index < keys.size(); index++) {
            result.put(keys.get(index), values.get(index));
        }
        return result;
    }

    private static Object fromNative(ScalarType type, Object value)
    {
        return switch (type.root()) {
            case BOOLEAN, DOUBLE, BIGINT -> value;
            case TINYINT, SMALLINT, INTEGER -> ((Long) value).intValue();
            case FLOAT -> Float.intBitsToFloat(((Long) value).intValue());
            case CHAR, VARCHAR -> ((Slice) value).toStringUtf8();
            case BINARY, VARBINARY -> ((Slice) value).getBytes();
            case DECIMAL -> value instanceof Int128 large ? new BigDecimal(large.toBigInteger(), type.scale()) : BigDecimal.valueOf((Long) value, type.scale());
            case DATE -> LocalDate.ofEpochDay((Long) value);
            case TIME -> LocalTime.ofNanoOfDay((Long) value / PICOSECONDS_PER_NANOSECOND);
            case TIMESTAMP -> {
                long micros = value instanceof LongTimestamp timestamp ? timestamp.getEpochMicros() : (Long) value;
                int nanos = value instanceof LongTimestamp timestamp ? timestamp.getPicosOfMicro() / PICOSECONDS_PER_NANOSECOND : 0;
                yield LocalDateTime.ofEpochSecond(floorDiv(micros, 1_000_000L), (int) floorMod(micros, 1_000_000L) * 1_000 + nanos, ZoneOffset.UTC);
            }
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> value instanceof LongTimestampWithTimeZone timestamp
                    ? Instant.ofEpochMilli(timestamp.getEpochMillis()).plusNanos(timestamp.getPicosOfMilli() / PICOSECONDS_PER_NANOSECOND)
                    : Instant.ofEpochMilli(DateTimeEncoding.unpackMillisUtc((Long) value));
            case VARIANT, ARRAY, MAP, MULTISET, ROW -> throw new IllegalArgumentException(type.toString());
        };
    }
}
