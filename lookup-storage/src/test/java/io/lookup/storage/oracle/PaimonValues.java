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
package io.lookup.storage.oracle;

import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.GenericVariant;
import org.apache.paimon.data.variant.Variant;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.JsonSerdeUtil;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static com.google.common.base.Preconditions.checkArgument;
import static java.lang.Math.toIntExact;

/**
 * Neutral values (see {@link CanonicalValues}) to Paimon's internal values and back.
 */
public final class PaimonValues
{
    private static final int NANOS_PER_MILLI = 1_000_000;

    private PaimonValues() {}

    /**
     * @param type an atomic type, or the JSON object of a nested one
     */
    public static DataType parseType(String type)
    {
        if (!type.startsWith("{")) {
            return DataTypeJsonParser.parseAtomicTypeSQLString(type);
        }
        try {
            return DataTypeJsonParser.parseDataType(JsonSerdeUtil.OBJECT_MAPPER_INSTANCE.readTree(type));
        }
        catch (IOException e) {
            throw new UncheckedIOException("Not a JSON type: " + type, e);
        }
    }

    public static GenericRow toInternalRow(RowType type, Change change)
    {
        GenericRow row = toInternalRow(type, change.values());
        row.setRowKind(RowKind.fromShortString(change.kind().symbol()));
        return row;
    }

    private static GenericRow toInternalRow(RowType type, List<?> values)
    {
        checkArgument(values.size() == type.getFieldCount(), "%s values for %s columns", values.size(), type.getFieldCount());
        GenericRow row = new GenericRow(values.size());
        for (int index = 0; index < values.size(); index++) {
            row.setField(index, toInternal(type.getTypeAt(index), values.get(index)));
        }
        return row;
    }

    public static Object toInternal(DataType type, Object value)
    {
        if (value == null) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN, BINARY, VARBINARY -> value;
            case CHAR, VARCHAR -> BinaryString.fromString((String) value);
            case TINYINT -> ((Number) value).byteValue();
            case SMALLINT -> ((Number) value).shortValue();
            case INTEGER -> ((Number) value).intValue();
            case BIGINT -> ((Number) value).longValue();
            case FLOAT -> (Float) value;
            case DOUBLE -> (Double) value;
            case DECIMAL -> toDecimal((DecimalType) type, (BigDecimal) value);
            case DATE -> toIntExact(((LocalDate) value).toEpochDay());
            case TIME_WITHOUT_TIME_ZONE -> toIntExact(((LocalTime) value).toNanoOfDay() / NANOS_PER_MILLI);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> Timestamp.fromLocalDateTime((LocalDateTime) value);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> Timestamp.fromInstant((Instant) value);
            case ARRAY -> new GenericArray(((List<?>) value).stream()
                    .map(element -> toInternal(((ArrayType) type).getElementType(), element))
                    .toArray());
            case MAP -> toMap(((MapType) type).getKeyType(), ((MapType) type).getValueType(), (Map<?, ?>) value);
            case MULTISET -> toMap(((MultisetType) type).getElementType(), DataTypes.INT().notNull(), (Map<?, ?>) value);
            case ROW -> toInternalRow((RowType) type, (List<?>) value);
            // a value of this type is the text of its JSON
            case VARIANT -> GenericVariant.fromJson((String) value);
            case BLOB, VECTOR -> throw new IllegalArgumentException("Not a type of the oracle: " + type);
        };
    }

    private static Decimal toDecimal(DecimalType type, BigDecimal value)
    {
        Decimal decimal = Decimal.fromBigDecimal(value, type.getPrecision(), type.getScale());
        checkArgument(decimal != null && decimal.toBigDecimal().compareTo(value) == 0, "%s does not fit %s", value, type);
        return decimal;
    }

    private static GenericMap toMap(DataType keyType, DataType valueType, Map<?, ?> values)
    {
        Map<Object, Object> result = new LinkedHashMap<>();
        values.forEach((key, value) -> result.put(toInternal(keyType, key), toInternal(valueType, value)));
        return new GenericMap(result);
    }

    /**
     * Copies, since readers reuse their rows.
     */
    public static List<Object> fromInternalRow(RowType type, InternalRow row)
    {
        List<Object> values = new ArrayList<>(type.getFieldCount());
        for (int index = 0; index < type.getFieldCount(); index++) {
            DataType fieldType = type.getTypeAt(index);
            values.add(fromInternal(fieldType, InternalRow.createFieldGetter(fieldType, index).getFieldOrNull(row)));
        }
        return values;
    }

    public static Object fromInternal(DataType type, Object value)
    {
        if (value == null) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN, INTEGER, BIGINT, FLOAT, DOUBLE -> value;
            case TINYINT, SMALLINT -> ((Number) value).intValue();
            case BINARY, VARBINARY -> ((byte[]) value).clone();
            case CHAR, VARCHAR -> value.toString();
            case DECIMAL -> ((Decimal) value).toBigDecimal();
            case DATE -> LocalDate.ofEpochDay((int) value);
            case TIME_WITHOUT_TIME_ZONE -> LocalTime.ofNanoOfDay((int) value * (long) NANOS_PER_MILLI);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> ((Timestamp) value).toLocalDateTime();
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> ((Timestamp) value).toInstant();
            case ARRAY -> fromArray(((ArrayType) type).getElementType(), (InternalArray) value);
            case MAP -> fromMap(((MapType) type).getKeyType(), ((MapType) type).getValueType(), (InternalMap) value);
            case MULTISET -> fromMap(((MultisetType) type).getElementType(), DataTypes.INT().notNull(), (InternalMap) value);
            case ROW -> fromInternalRow((RowType) type, (InternalRow) value);
            case VARIANT -> ((Variant) value).toJson(ZoneOffset.UTC);
            case BLOB, VECTOR -> throw new IllegalArgumentException("Not a type of the oracle: " + type);
        };
    }

    private static List<Object> fromArray(DataType elementType, InternalArray array)
    {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(elementType);
        List<Object> values = new ArrayList<>(array.size());
        for (int index = 0; index < array.size(); index++) {
            values.add(fromInternal(elementType, getter.getElementOrNull(array, index)));
        }
        return values;
    }

    private static Map<Object, Object> fromMap(DataType keyType, DataType valueType, InternalMap map)
    {
        List<Object> keys = fromArray(keyType, map.keyArray());
        List<Object> values = fromArray(valueType, map.valueArray());
        Map<Object, Object> result = new LinkedHashMap<>();
        for (int index = 0; index < keys.size(); index++) {
            result.put(keys.get(index), values.get(index));
        }
        return result;
    }
}
