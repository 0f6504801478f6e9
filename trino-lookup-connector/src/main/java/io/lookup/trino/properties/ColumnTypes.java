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
package io.lookup.trino.properties;

import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.TrinoException;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.BooleanType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DateType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.lang.String.format;
import static java.util.Locale.ENGLISH;

/**
 * The format's type of a Trino column, as CREATE TABLE and ADD COLUMN write it. The way back is
 * {@link io.lookup.storage.schema.TrinoTypes}.
 */
public final class ColumnTypes
{
    /**
     * Id of a field before a table gives it one.
     */
    public static final int UNNUMBERED = -1;

    private static final int MAX_TIME_PRECISION = 3;
    private static final int MAX_TIMESTAMP_PRECISION = 9;

    private ColumnTypes() {}

    /**
     * @param column name for messages
     * @return the fields of rows have no ids yet
     * @throws TrinoException NOT_SUPPORTED, naming the column, where the format has no such type
     */
    public static DataType toDataType(String column, Type type, boolean nullable)
    {
        return switch (type) {
            case BooleanType _ -> scalar(TypeRoot.BOOLEAN, nullable);
            case TinyintType _ -> scalar(TypeRoot.TINYINT, nullable);
            case SmallintType _ -> scalar(TypeRoot.SMALLINT, nullable);
            case IntegerType _ -> scalar(TypeRoot.INTEGER, nullable);
            case BigintType _ -> scalar(TypeRoot.BIGINT, nullable);
            case RealType _ -> scalar(TypeRoot.FLOAT, nullable);
            case DoubleType _ -> scalar(TypeRoot.DOUBLE, nullable);
            case DateType _ -> scalar(TypeRoot.DATE, nullable);
            case VarbinaryType _ -> new ScalarType(TypeRoot.VARBINARY, DataType.UNBOUNDED_LENGTH, 0, nullable);
            case DecimalType decimal -> new ScalarType(TypeRoot.DECIMAL, decimal.getPrecision(), decimal.getScale(), nullable);
            case CharType text -> new ScalarType(TypeRoot.CHAR, checkLength(column, type, text.getLength()), 0, nullable);
            case VarcharType text when text.isUnbounded() -> new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, nullable);
            case VarcharType text -> new ScalarType(TypeRoot.VARCHAR, checkLength(column, type, text.getBoundedLength()), 0, nullable);
            case TimeType time -> new ScalarType(TypeRoot.TIME, checkPrecision(column, type, time.getPrecision(), MAX_TIME_PRECISION), 0, nullable);
            case TimestampType timestamp -> new ScalarType(TypeRoot.TIMESTAMP, checkPrecision(column, type, timestamp.getPrecision(), MAX_TIMESTAMP_PRECISION), 0, nullable);
            case TimestampWithTimeZoneType timestamp -> new ScalarType(TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE, checkPrecision(column, type, timestamp.getPrecision(), MAX_TIMESTAMP_PRECISION), 0, nullable);
            case ArrayType array -> new DataType.ArrayType(toDataType(column, array.getElementType(), true), nullable);
            case MapType map -> new DataType.MapType(toDataType(column, map.getKeyType(), true), toDataType(column, map.getValueType(), true), nullable);
            case RowType row -> rowType(column, row, nullable);
            default -> throw unsupported(column, type, "the table format has no such type");
        };
    }

    private static DataType rowType(String column, RowType row, boolean nullable)
    {
        List<DataField> fields = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (RowType.Field field : row.getFields()) {
            String name = field.getName().orElseThrow(() -> unsupported(column, row, "the fields of a row must have names"));
            if (!names.add(name.toLowerCase(ENGLISH))) {
                throw unsupported(column, row, format("field %s occurs twice", name));
            }
            fields.add(new DataField(UNNUMBERED, name, toDataType(column, field.getType(), true)));
        }
        return new DataType.RowType(fields, nullable);
    }

    private static ScalarType scalar(TypeRoot root, boolean nullable)
    {
        return new ScalarType(root, 0, 0, nullable);
    }

    private static int checkLength(String column, Type type, int length)
    {
        if (length < 1) {
            throw unsupported(column, type, "the length must be 1 or more");
        }
        return length;
    }

    private static int checkPrecision(String column, Type type, int precision, int maxPrecision)
    {
        if (precision > maxPrecision) {
            throw unsupported(column, type, "the highest precision is " + maxPrecision);
        }
        return precision;
    }

    private static TrinoException unsupported(String column, Type type, String reason)
    {
        return new TrinoException(NOT_SUPPORTED, format("Type %s of column %s is not supported: %s", type.getDisplayName(), column, reason));
    }
}
