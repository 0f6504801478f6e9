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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.column.SystemFields;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import org.apache.parquet.schema.ConversionPatterns;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;

import java.util.List;

import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BOOLEAN;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.DOUBLE;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FLOAT;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT64;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT96;

/**
 * The Parquet schema of data and changelog files: names, order, annotations, repetition and field ids as other
 * programs that know the table format write them (docs/file-layout.md). Readers resolve columns by name; the
 * ids serve engines that resolve by id.
 */
public final class ParquetSchemas
{
    public static final String KEY_PREFIX = "_KEY_";
    public static final String SEQUENCE_NUMBER = SystemFields.SEQUENCE_NUMBER.name();
    public static final String VALUE_KIND = SystemFields.VALUE_KIND.name();

    static final String MESSAGE_NAME = "paimon_schema";

    private static final int KEY_FIELD_ID_BASE = Integer.MAX_VALUE / 2;
    private static final int NESTED_FIELD_ID_BASE = Integer.MAX_VALUE / 4;
    private static final int NESTED_FIELD_ID_STEP = 1024;

    private ParquetSchemas() {}

    /**
     * Columns of a data file in file order.
     *
     * @param thin leaves the {@code _KEY_} columns out; they repeat value columns
     */
    public static List<DataField> dataFileFields(TableSchema schema, boolean thin)
    {
        ImmutableList.Builder<DataField> fields = ImmutableList.builder();
        if (!thin) {
            for (DataField key : schema.trimmedPrimaryKeyFields()) {
                fields.add(new DataField(KEY_FIELD_ID_BASE + key.id(), KEY_PREFIX + key.name(), key.type().withNullable(false)));
            }
        }
        return fields
                .add(SystemFields.SEQUENCE_NUMBER)
                .add(SystemFields.VALUE_KIND)
                .addAll(schema.fields())
                .build();
    }

    public static MessageType messageType(List<DataField> fields)
    {
        Type[] types = new Type[fields.size()];
        for (int index = 0; index < types.length; index++) {
            types[index] = parquetType(fields.get(index));
        }
        return new MessageType(MESSAGE_NAME, types);
    }

    static Type parquetType(DataField field)
    {
        return parquetType(field.name(), field.type(), field.id(), 0).withId(field.id());
    }

    /**
     * @param fieldId id of the nearest column or row field, which the ids of elements, keys and values derive from
     * @param depth number of collections between that field and this type
     */
    private static Type parquetType(String name, DataType type, int fieldId, int depth)
    {
        Repetition repetition = type.nullable() ? Repetition.OPTIONAL : Repetition.REQUIRED;
        return switch (type) {
            case ScalarType scalar -> scalarType(name, scalar, repetition);
            case ArrayType array -> ConversionPatterns.listOfElements(
                    repetition,
                    name,
                    parquetType("element", array.element(), fieldId, depth + 1).withId(valueFieldId(fieldId, depth + 1)));
            case MapType map -> mapType(name, repetition, map.key(), map.value(), fieldId, depth + 1);
            case MultisetType multiset -> mapType(name, repetition, multiset.element(), new ScalarType(TypeRoot.INTEGER, 0, 0, false), fieldId, depth + 1);
            case RowType row -> Types.buildGroup(repetition)
                    .addFields(row.fields().stream().map(ParquetSchemas::parquetType).toArray(Type[]::new))
                    .named(name);
        };
    }

    private static Type mapType(String name, Repetition repetition, DataType key, DataType value, int fieldId, int depth)
    {
        return ConversionPatterns.mapType(
                repetition,
                name,
                "key_value",
                // a Parquet map has no null keys, whatever the type says
                parquetType("key", key.withNullable(false), fieldId, depth).withId(keyFieldId(fieldId, depth)),
                parquetType("value", value, fieldId, depth).withId(valueFieldId(fieldId, depth)));
    }

    private static Type scalarType(String name, ScalarType type, Repetition repetition)
    {
        return switch (type.root()) {
            case CHAR, VARCHAR -> primitive(name, BINARY, repetition, LogicalTypeAnnotation.stringType());
            case BINARY, VARBINARY -> primitive(name, BINARY, repetition, null);
            case BOOLEAN -> primitive(name, BOOLEAN, repetition, null);
            case TINYINT -> primitive(name, INT32, repetition, LogicalTypeAnnotation.intType(8, true));
            case SMALLINT -> primitive(name, INT32, repetition, LogicalTypeAnnotation.intType(16, true));
            case INTEGER -> primitive(name, INT32, repetition, null);
            case BIGINT -> primitive(name, INT64, repetition, null);
            case FLOAT -> primitive(name, FLOAT, repetition, null);
            case DOUBLE -> primitive(name, DOUBLE, repetition, null);
            case DATE -> primitive(name, INT32, repetition, LogicalTypeAnnotation.dateType());
            // the format says "adjusted to UTC" although its TIME has no zone
            case TIME -> primitive(name, INT32, repetition, LogicalTypeAnnotation.timeType(true, TimeUnit.MILLIS));
            case DECIMAL -> decimalType(name, type, repetition);
            case TIMESTAMP -> timestampType(name, type.precision(), repetition, false);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestampType(name, type.precision(), repetition, true);
            case VARIANT -> throw new StorageException(
                    StorageErrorCode.UNSUPPORTED_TYPE, "Column '%s' has type VARIANT, which cannot be written; drop the column or use STRING".formatted(name));
            case ARRAY, MAP, MULTISET, ROW -> throw new IllegalArgumentException("Not a scalar type: " + type.root());
        };
    }

    private static Type decimalType(String name, ScalarType type, Repetition repetition)
    {
        LogicalTypeAnnotation annotation = LogicalTypeAnnotation.decimalType(type.scale(), type.precision());
        if (type.precision() <= 9) {
            return primitive(name, INT32, repetition, annotation);
        }
        if (type.precision() <= 18) {
            return primitive(name, INT64, repetition, annotation);
        }
        return Types.primitive(FIXED_LEN_BYTE_ARRAY, repetition)
                .length(decimalBytes(type.precision()))
                .as(annotation)
                .named(name);
    }

    private static Type timestampType(String name, int precision, Repetition repetition, boolean adjustedToUtc)
    {
        if (precision <= 3) {
            return primitive(name, INT64, repetition, LogicalTypeAnnotation.timestampType(adjustedToUtc, TimeUnit.MILLIS));
        }
        if (precision <= 6) {
            return primitive(name, INT64, repetition, LogicalTypeAnnotation.timestampType(adjustedToUtc, TimeUnit.MICROS));
        }
        return primitive(name, INT96, repetition, null);
    }

    private static Type primitive(String name, PrimitiveTypeName primitive, Repetition repetition, LogicalTypeAnnotation annotation)
    {
        return Types.primitive(primitive, repetition).as(annotation).named(name);
    }

    /**
     * Bytes of the shortest two's complement number that holds every value of the precision.
     */
    static int decimalBytes(int precision)
    {
        int bytes = 1;
        while (Math.pow(2, 8 * bytes - 1) < Math.pow(10, precision)) {
            bytes++;
        }
        return bytes;
    }

    private static int keyFieldId(int fieldId, int depth)
    {
        return NESTED_FIELD_ID_BASE - NESTED_FIELD_ID_STEP * fieldId - depth;
    }

    private static int valueFieldId(int fieldId, int depth)
    {
        return NESTED_FIELD_ID_BASE + NESTED_FIELD_ID_STEP * fieldId + depth;
    }
}
