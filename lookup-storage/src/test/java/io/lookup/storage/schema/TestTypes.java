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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.JsonFiles;
import io.lookup.storage.schema.DataType.ScalarType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.utils.JsonSerdeUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestTypes
{
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @ParameterizedTest
    @ValueSource(strings = {
            "CHAR", "CHAR(5)", "char ( 5 ) not null", "VARCHAR", "VARCHAR(20)", "VARCHAR(2147483647)", "STRING", "STRING NOT NULL", "BOOLEAN", "BINARY", "BINARY(4)",
            "VARBINARY", "VARBINARY(20)", "VARBINARY(2147483647)", "BYTES", "DECIMAL", "DECIMAL(9)", "DECIMAL(9,2)", "DECIMAL(9, 2)", "DECIMAL(38, 38)", "NUMERIC(5,1)", "DEC",
            "TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT NOT NULL", "FLOAT", "DOUBLE", "DOUBLE PRECISION NOT NULL", "DATE", "TIME", "TIME(3)", "TIME(9) WITHOUT TIME ZONE",
            "TIMESTAMP", "TIMESTAMP(0)", "TIMESTAMP(9) WITHOUT TIME ZONE NOT NULL", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP WITH LOCAL TIME ZONE NOT NULL", "TIMESTAMP_LTZ",
            "TIMESTAMP_LTZ(9) NOT NULL", "VARIANT", "int null", "INT ARRAY", "INT NOT NULL MULTISET NOT NULL", "  int\tNOT\nNULL  "})
    void testTextIsUnderstoodAsByPaimon(String text)
            throws Exception
    {
        DataType type = TypeParser.parse(text);
        org.apache.paimon.types.DataType expected = DataTypeJsonParser.parseAtomicTypeSQLString(text);
        assertThat(json(type)).isEqualTo(MAPPER.readTree(JsonSerdeUtil.toFlatJson(expected)));
        assertThat(DataTypeJsonParser.parseDataType(paimonNode(type))).isEqualTo(expected);
        assertThat(TypeJson.read(json(type))).isEqualTo(type);
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "", "INTT", "INT(5)", "CHAR(0)", "VARCHAR(0)", "CHAR(-1)", "CHAR(99999999999)", "DECIMAL(0)", "DECIMAL(39)", "DECIMAL(5,6)", "DECIMAL(5,", "DECIMAL(a)", "TIME(10)", "TIMESTAMP(10)",
            "INT NOT", "INT NOT NULL NULL", "ARRAY<INT>", "TIMESTAMP WITHOUT ZONE", "INTERVAL", "INT;"})
    void testBadTextIsRefusedAsByPaimon(String text)
    {
        assertThatThrownBy(() -> DataTypeJsonParser.parseAtomicTypeSQLString(text)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> TypeParser.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"BLOB", "VECTOR<FLOAT, 3>", "GEOMETRY"})
    void testOtherTypesOfTheFormat(String text)
    {
        assertThatThrownBy(() -> TypeParser.parse(text))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(text);
    }

    static Stream<org.apache.paimon.types.DataType> nestedTypes()
    {
        return Stream.of(
                DataTypes.ARRAY(DataTypes.INT()),
                DataTypes.ARRAY(DataTypes.INT().notNull()).notNull(),
                DataTypes.MULTISET(DataTypes.STRING()),
                DataTypes.MULTISET(DataTypes.STRING().notNull()).notNull(),
                DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.ARRAY(DataTypes.DECIMAL(20, 3))),
                DataTypes.MAP(DataTypes.DATE(), DataTypes.BYTES()).notNull(),
                DataTypes.ROW(DataTypes.FIELD(3, "a", DataTypes.INT(), "about a"), DataTypes.FIELD(7, "b ü", DataTypes.ROW(DataTypes.FIELD(9, "c", DataTypes.TIMESTAMP(3)))).newDescription(null)),
                DataTypes.ROW(DataTypes.FIELD(0, "x", DataTypes.MAP(DataTypes.INT(), DataTypes.ROW(DataTypes.FIELD(1, "y", DataTypes.VARIANT()))))).notNull());
    }

    @ParameterizedTest
    @MethodSource("nestedTypes")
    void testNestedTypesBothWays(org.apache.paimon.types.DataType expected)
            throws Exception
    {
        DataType type = TypeJson.read(MAPPER.readTree(JsonSerdeUtil.toFlatJson(expected)));
        assertThat(json(type)).isEqualTo(MAPPER.readTree(JsonSerdeUtil.toFlatJson(expected)));
        assertThat(DataTypeJsonParser.parseDataType(paimonNode(type))).isEqualTo(expected);
        assertThat(TypeJson.format(type)).isEqualTo(expected.asSQLString().replaceAll(" COMMENT '[^']*'", ""));
    }

    @Test
    void testDefaults()
    {
        assertThat(TypeParser.parse("STRING")).isEqualTo(new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, true));
        assertThat(TypeParser.parse("DEC NOT NULL")).isEqualTo(new ScalarType(TypeRoot.DECIMAL, 10, 0, false));
        assertThat(TypeParser.parse("TIMESTAMP")).isEqualTo(new ScalarType(TypeRoot.TIMESTAMP, 6, 0, true));
        assertThat(TypeParser.parse("TIME")).isEqualTo(new ScalarType(TypeRoot.TIME, 0, 0, true));
    }

    private static JsonNode json(DataType type)
            throws Exception
    {
        return MAPPER.readTree(JsonFiles.write(generator -> TypeJson.write(generator, type)));
    }

    private static org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode paimonNode(DataType type)
            throws Exception
    {
        return new org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper().readTree(new String(JsonFiles.write(generator -> TypeJson.write(generator, type)), UTF_8));
    }
}
