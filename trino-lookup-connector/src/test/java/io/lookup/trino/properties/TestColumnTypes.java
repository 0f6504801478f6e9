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

import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import io.trino.spi.type.UuidType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.stream.Stream;

import static io.lookup.trino.properties.ColumnTypes.toDataType;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.CharType.createCharType;
import static io.trino.spi.type.DateType.DATE;
import static io.trino.spi.type.DecimalType.createDecimalType;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.TimeType.TIME_MICROS;
import static io.trino.spi.type.TimeType.TIME_MILLIS;
import static io.trino.spi.type.TimestampType.TIMESTAMP_PICOS;
import static io.trino.spi.type.TimestampType.createTimestampType;
import static io.trino.spi.type.TimestampWithTimeZoneType.createTimestampWithTimeZoneType;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.VarbinaryType.VARBINARY;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static io.trino.spi.type.VarcharType.createVarcharType;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

final class TestColumnTypes
{
    static Stream<Type> supportedTypes()
    {
        return Stream.of(
                BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, DATE, VARBINARY, VARCHAR, TIME_MILLIS,
                createVarcharType(1), createCharType(7), createDecimalType(1, 1), createDecimalType(38, 10),
                createTimestampType(0), createTimestampType(3), createTimestampType(6), createTimestampType(9),
                createTimestampWithTimeZoneType(0), createTimestampWithTimeZoneType(3), createTimestampWithTimeZoneType(9),
                new ArrayType(new ArrayType(INTEGER)),
                new MapType(VARCHAR, new ArrayType(DOUBLE), TrinoTypes.typeOperators()),
                RowType.from(List.of(RowType.field("x", BIGINT), RowType.field("y", RowType.from(List.of(RowType.field("z", DATE)))))));
    }

    @ParameterizedTest
    @MethodSource("supportedTypes")
    void testThereAndBack(Type type)
    {
        DataType nullable = toDataType("c", type, true);
        assertThat(TrinoTypes.toTrinoType(nullable)).isEqualTo(type);
        assertThat(nullable.nullable()).isTrue();
        assertThat(toDataType("c", type, false)).isEqualTo(nullable.withNullable(false));
    }

    @Test
    void testRefusedTypesNameTheColumn()
    {
        for (Type type : List.of(
                UuidType.UUID,
                TIME_MICROS,
                TIMESTAMP_PICOS,
                createTimestampWithTimeZoneType(10),
                createVarcharType(0),
                RowType.anonymous(List.of(BIGINT)),
                RowType.from(List.of(RowType.field("a", BIGINT), RowType.field("A", BIGINT))),
                new ArrayType(UuidType.UUID))) {
            assertTrinoExceptionThrownBy(() -> toDataType("the_column", type, true))
                    .hasErrorCode(NOT_SUPPORTED)
                    .hasMessageContaining("column the_column is not supported");
        }
    }
}
