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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import org.apache.parquet.schema.MessageType;
import org.junit.jupiter.api.Test;

import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestParquetSchemas
{
    @Test
    void testNamesAnnotationsAndIds()
    {
        DataType string = scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH);
        DataType integer = scalar(TypeRoot.INTEGER, 0);
        TableSchema schema = schema(
                new DataField(0, "id", scalar(TypeRoot.BIGINT, 0).withNullable(false)),
                new DataField(8, "f_dec9", new ScalarType(TypeRoot.DECIMAL, 9, 2, true)),
                new DataField(9, "f_dec18", new ScalarType(TypeRoot.DECIMAL, 18, 4, true)),
                new DataField(10, "f_dec38", new ScalarType(TypeRoot.DECIMAL, 38, 10, true)),
                new DataField(18, "f_time", scalar(TypeRoot.TIME, 0)),
                new DataField(21, "f_ts6", scalar(TypeRoot.TIMESTAMP, 6)),
                new DataField(22, "f_ts9", scalar(TypeRoot.TIMESTAMP, 9)),
                new DataField(23, "f_ltz3", scalar(TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE, 3)),
                new DataField(26, "f_arr", new ArrayType(integer.withNullable(false), true)),
                new DataField(27, "f_arr2", new ArrayType(string, true)),
                new DataField(28, "f_map", new MapType(string, integer, true)),
                new DataField(29, "f_multiset", new MultisetType(string, true)),
                new DataField(30, "f_row", new RowType(ImmutableList.of(
                        new DataField(31, "a", integer.withNullable(false)),
                        new DataField(33, "b", new ArrayType(new RowType(ImmutableList.of(new DataField(32, "c", string)), true), true))), true)));
        MessageType message = ParquetSchemas.messageType(ParquetSchemas.dataFileFields(schema, false));
        // as Paimon 1.4.2 writes it
        assertThat(message.toString()).isEqualToIgnoringWhitespace(
                """
                message paimon_schema {
                  required int64 _KEY_id = 1073741823;
                  required int64 _SEQUENCE_NUMBER = 2147483646;
                  required int32 _VALUE_KIND (INTEGER(8,true)) = 2147483645;
                  required int64 id = 0;
                  optional int32 f_dec9 (DECIMAL(9,2)) = 8;
                  optional int64 f_dec18 (DECIMAL(18,4)) = 9;
                  optional fixed_len_byte_array(16) f_dec38 (DECIMAL(38,10)) = 10;
                  optional int32 f_time (TIME(MILLIS,true)) = 18;
                  optional int64 f_ts6 (TIMESTAMP(MICROS,false)) = 21;
                  optional int96 f_ts9 = 22;
                  optional int64 f_ltz3 (TIMESTAMP(MILLIS,true)) = 23;
                  optional group f_arr (LIST) = 26 { repeated group list { required int32 element = 536897536; } }
                  optional group f_arr2 (LIST) = 27 { repeated group list { optional binary element (STRING) = 536898560; } }
                  optional group f_map (MAP) = 28 { repeated group key_value (MAP_KEY_VALUE) { required binary key (STRING) = 536842238; optional int32 value = 536899584; } }
                  optional group f_multiset (MAP) = 29 { repeated group key_value (MAP_KEY_VALUE) { required binary key (STRING) = 536841214; required int32 value = 536900608; } }
                  optional group f_row = 30 { required int32 a = 31; optional group b (LIST) = 33 { repeated group list { optional group element = 536904704 { optional binary c (STRING) = 32; } } } }
                }
                """);
    }

    @Test
    void testThinFileHasNoKeyColumns()
    {
        TableSchema schema = schema(new DataField(0, "id", scalar(TypeRoot.BIGINT, 0).withNullable(false)));
        assertThat(ParquetSchemas.dataFileFields(schema, true).stream().map(DataField::name)).containsExactly("_SEQUENCE_NUMBER", "_VALUE_KIND", "id");
    }

    @Test
    void testDecimalBytes()
    {
        assertThat(ParquetSchemas.decimalBytes(19)).isEqualTo(9);
        assertThat(ParquetSchemas.decimalBytes(21)).isEqualTo(9);
        assertThat(ParquetSchemas.decimalBytes(22)).isEqualTo(10);
        assertThat(ParquetSchemas.decimalBytes(38)).isEqualTo(16);
    }

    @Test
    void testVariantIsRefused()
    {
        assertThatThrownBy(() -> ParquetSchemas.parquetType(new DataField(1, "v", scalar(TypeRoot.VARIANT, 0))))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("'v'");
    }

    private static TableSchema schema(DataField... fields)
    {
        return new TableSchema(3, 0, ImmutableList.copyOf(fields), 100, ImmutableList.of(), ImmutableList.of("id"), ImmutableMap.of(), Optional.empty(), 0);
    }

    private static ScalarType scalar(TypeRoot root, int precision)
    {
        return new ScalarType(root, precision, 0, true);
    }
}
