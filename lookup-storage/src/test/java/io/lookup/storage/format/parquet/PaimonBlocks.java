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
package io.lookup.storage.format.parquet;

import io.airlift.slice.Slices;
import io.lookup.storage.format.TrinoBlocks;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.Type;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.Variant;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static java.lang.Float.floatToRawIntBits;

/**
 * Turns Paimon's rows into Trino's blocks, by other code than the engine's.
 */
final class PaimonBlocks
{
    private PaimonBlocks() {}

    static Page toPage(List<DataField> fields, List<? extends InternalRow> rows, org.apache.paimon.types.RowType rowType)
    {
        PageBuilder builder = new PageBuilder(fields.stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList()));
        for (InternalRow row : rows) {
            builder.declarePosition();
            for (int channel = 0; channel < fields.size(); channel++) {
                Object value = InternalRow.createFieldGetter(rowType.getTypeAt(channel), channel).getFieldOrNull(row);
                append(fields.get(channel).type(), rowType.getTypeAt(channel), value, builder.getBlockBuilder(channel));
            }
        }
        return builder.build();
    }

    private static void append(DataType type, org.apache.paimon.types.DataType paimonType, Object value, BlockBuilder builder)
    {
        if (value == null) {
            builder.appendNull();
            return;
        }
        Type trinoType = TrinoTypes.toTrinoType(type);
        switch (type) {
            case ScalarType scalar -> appendScalar(scalar, trinoType, value, builder);
            case ArrayType array -> {
                org.apache.paimon.types.DataType elementType = ((org.apache.paimon.types.ArrayType) paimonType).getElementType();
                ((ArrayBlockBuilder) builder).buildEntry(elements -> appendAll(array.element(), elementType, (InternalArray) value, elements));
            }
            case MapType map -> {
                org.apache.paimon.types.MapType paimonMap = (org.apache.paimon.types.MapType) paimonType;
                ((MapBlockBuilder) builder).buildEntry((keys, values) -> {
                    appendAll(map.key(), paimonMap.getKeyType(), ((InternalMap) value).keyArray(), keys);
                    appendAll(map.value(), paimonMap.getValueType(), ((InternalMap) value).valueArray(), values);
                });
            }
            case MultisetType multiset -> {
                org.apache.paimon.types.DataType elementType = ((org.apache.paimon.types.MultisetType) paimonType).getElementType();
                ((MapBlockBuilder) builder).buildEntry((keys, values) -> {
                    appendAll(multiset.element(), elementType, ((InternalMap) value).keyArray(), keys);
                    InternalArray counts = ((InternalMap) value).valueArray();
                    for (int index = 0; index < counts.size(); index++) {
                        io.trino.spi.type.IntegerType.INTEGER.writeLong(values, counts.getInt(index));
                    }
                });
            }
            case RowType row -> {
                org.apache.paimon.types.RowType paimonRow = (org.apache.paimon.types.RowType) paimonType;
                ((RowBlockBuilder) builder).buildEntry(fields -> {
                    for (int index = 0; index < fields.size(); index++) {
                        Object field = InternalRow.createFieldGetter(paimonRow.getTypeAt(index), index).getFieldOrNull((InternalRow) value);
                        append(row.fields().get(index).type(), paimonRow.getTypeAt(index), field, fields.get(index));
                    }
                });
            }
        }
    }

    private static void appendAll(DataType type, org.apache.paimon.types.DataType paimonType, InternalArray array, BlockBuilder builder)
    {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(paimonType);
        for (int index = 0; index < array.size(); index++) {
            append(type, paimonType, getter.getElementOrNull(array, index), builder);
        }
    }

    private static void appendScalar(ScalarType type, Type trinoType, Object value, BlockBuilder builder)
    {
        switch (type.root()) {
            case CHAR, VARCHAR -> trinoType.writeSlice(builder, Slices.wrappedBuffer(((BinaryString) value).toBytes()));
            case VARIANT -> trinoType.writeSlice(builder, Slices.utf8Slice(((Variant) value).toJson(ZoneOffset.UTC)));
            case BINARY, VARBINARY -> trinoType.writeSlice(builder, Slices.wrappedBuffer((byte[]) value));
            case BOOLEAN -> trinoType.writeBoolean(builder, (Boolean) value);
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE -> trinoType.writeLong(builder, ((Number) value).longValue());
            case TIME -> trinoType.writeLong(builder, (Integer) value * 1_000_000_000L);
            case FLOAT -> trinoType.writeLong(builder, floatToRawIntBits((Float) value));
            case DOUBLE -> trinoType.writeDouble(builder, (Double) value);
            case DECIMAL -> {
                Decimal decimal = (Decimal) value;
                if (type.precision() <= 18) {
                    trinoType.writeLong(builder, decimal.toUnscaledLong());
                }
                else {
                    trinoType.writeObject(builder, Int128.valueOf(decimal.toBigDecimal().unscaledValue()));
                }
            }
            case TIMESTAMP -> {
                Timestamp timestamp = (Timestamp) value;
                long micros = timestamp.getMillisecond() * 1000 + timestamp.getNanoOfMillisecond() / 1000;
                if (type.precision() <= 6) {
                    trinoType.writeLong(builder, micros);
                }
                else {
                    trinoType.writeObject(builder, new LongTimestamp(micros, timestamp.getNanoOfMillisecond() % 1000 * 1000));
                }
            }
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                Timestamp timestamp = (Timestamp) value;
                if (type.precision() <= 3) {
                    trinoType.writeLong(builder, packDateTimeWithZone(timestamp.getMillisecond(), UTC_KEY));
                }
                else {
                    trinoType.writeObject(builder, LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                            timestamp.getMillisecond(), timestamp.getNanoOfMillisecond() * 1000, UTC_KEY));
                }
            }
            default -> throw new IllegalArgumentException("Not a scalar type: " + type);
        }
    }

    /**
     * Values of a page, row by row, as objects that compare by value.
     */
    static List<List<Object>> values(List<Type> types, Page page)
    {
        List<List<Object>> rows = new ArrayList<>();
        for (int position = 0; position < page.getPositionCount(); position++) {
            List<Object> row = new ArrayList<>();
            for (int channel = 0; channel < types.size(); channel++) {
                Block block = page.getBlock(channel);
                row.add(TrinoBlocks.objectValue(types.get(channel), block, position));
            }
            rows.add(row);
        }
        return rows;
    }
}
