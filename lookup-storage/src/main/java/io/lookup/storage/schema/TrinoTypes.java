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
package io.lookup.storage.schema;

import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.BooleanType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DateType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeOperators;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * The Trino type of each format type. Instants are carried in UTC; TIME is {@code time(3)} since the format
 * keeps milliseconds; MULTISET is a map from element to count; VARIANT is a text in JSON.
 */
public final class TrinoTypes
{
    private static final TypeOperators TYPE_OPERATORS = new TypeOperators();

    private TrinoTypes() {}

    /**
     * Type operators shared by every type that is made here, with their caches.
     */
    public static TypeOperators typeOperators()
    {
        return TYPE_OPERATORS;
    }

    public static Type toTrinoType(DataType type)
    {
        return switch (type) {
            case ScalarType scalar -> scalarType(scalar);
            case ArrayType array -> new io.trino.spi.type.ArrayType(toTrinoType(array.element()));
            case MapType map -> new io.trino.spi.type.MapType(toTrinoType(map.key()), toTrinoType(map.value()), TYPE_OPERATORS);
            case MultisetType multiset -> new io.trino.spi.type.MapType(toTrinoType(multiset.element()), IntegerType.INTEGER, TYPE_OPERATORS);
            case RowType row -> io.trino.spi.type.RowType.from(row.fields().stream()
                    .map(field -> io.trino.spi.type.RowType.field(field.name(), toTrinoType(field.type())))
                    .collect(toImmutableList()));
        };
    }

    private static Type scalarType(ScalarType type)
    {
        return switch (type.root()) {
            // a char longer than Trino's longest is carried as varchar
            case CHAR -> type.precision() <= CharType.MAX_LENGTH ? CharType.createCharType(type.precision()) : VarcharType.createVarcharType(type.precision());
            case VARCHAR -> type.precision() == DataType.UNBOUNDED_LENGTH ? VarcharType.VARCHAR : VarcharType.createVarcharType(type.precision());
            case BOOLEAN -> BooleanType.BOOLEAN;
            case BINARY, VARBINARY -> VarbinaryType.VARBINARY;
            case DECIMAL -> DecimalType.createDecimalType(type.precision(), type.scale());
            case TINYINT -> TinyintType.TINYINT;
            case SMALLINT -> SmallintType.SMALLINT;
            case INTEGER -> IntegerType.INTEGER;
            case BIGINT -> BigintType.BIGINT;
            case FLOAT -> RealType.REAL;
            case DOUBLE -> DoubleType.DOUBLE;
            case DATE -> DateType.DATE;
            case TIME -> TimeType.TIME_MILLIS;
            case TIMESTAMP -> TimestampType.createTimestampType(type.precision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> TimestampWithTimeZoneType.createTimestampWithTimeZoneType(type.precision());
            // the text of a JSON value: Trino's own type for it is not part of its SPI
            case VARIANT -> VarcharType.VARCHAR;
            case ARRAY, MAP, MULTISET, ROW -> throw new IllegalArgumentException("Not a scalar type: " + type.root());
        };
    }
}
