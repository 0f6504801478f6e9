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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.oracle.PaimonValues;
import org.apache.paimon.mergetree.compact.aggregate.factory.FieldAggregatorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Which function fits which type, and its options, here and in Paimon.
 */
final class TestAggregateFunction
{
    private static final String ROW = "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"b\",\"type\":\"STRING\"}]}";
    private static final String ROW_OF_ONE = "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"STRING\"}]}";
    private static final String ROW_WITHOUT_TEXT = "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"},{\"id\":1,\"name\":\"b\",\"type\":\"TIMESTAMP(3)\"}]}";
    private static final String ARRAY_OF_ROW = "{\"type\":\"ARRAY\",\"element\":" + ROW + "}";
    private static final String MAP_OF_ROW_WITHOUT_TEXT = "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":" + ROW_WITHOUT_TEXT + "}";

    private static final List<String> TYPES = ImmutableList.of(
            "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(5, 2)", "DECIMAL(38, 10)", "CHAR(3)", "VARCHAR(20)", "STRING",
            "BINARY(4)", "VARBINARY(20)", "BYTES", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(9)", "TIMESTAMP(6) WITH LOCAL TIME ZONE",
            "{\"type\":\"ARRAY\",\"element\":\"INT\"}",
            ARRAY_OF_ROW,
            "{\"type\":\"ARRAY\",\"element\":{\"type\":\"ARRAY\",\"element\":\"INT\"}}",
            "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":\"STRING\"}",
            "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":" + ROW + "}",
            "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":" + ROW_OF_ONE + "}",
            MAP_OF_ROW_WITHOUT_TEXT,
            "{\"type\":\"MULTISET\",\"element\":\"STRING\"}",
            ROW);

    // Paimon finds out only when it merges
    private static final Set<AggregateFunction> COMPARING = ImmutableSet.of(AggregateFunction.MIN, AggregateFunction.MAX);

    @ParameterizedTest
    @EnumSource
    void testTypes(AggregateFunction function)
            throws IOException
    {
        int fitting = 0;
        for (String type : TYPES) {
            DataField column = column(type);
            CoreOptions options = new CoreOptions(ImmutableMap.of("fields.v.nested-key", "a"));
            boolean fits = fits(() -> function.check(column, options));
            fitting += fits ? 1 : 0;
            if (COMPARING.contains(function)) {
                assertThat(fits).as("%s of %s", function, type).isEqualTo(!type.startsWith("{") && !type.equals("BOOLEAN"));
            }
            else if (function == AggregateFunction.MERGE_MAP_WITH_KEYTIME && type.equals(MAP_OF_ROW_WITHOUT_TEXT)) {
                assertThat(fits).isFalse();
            }
            else {
                assertThat(fits).as("%s of %s", function, type).isEqualTo(fits(() -> FieldAggregatorFactory.create(
                        PaimonValues.parseType(type), "v", function.functionName(), new org.apache.paimon.CoreOptions(options.asMap()))));
            }
            if (!fits) {
                assertThatThrownBy(() -> function.check(column, options))
                        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION))
                        .hasMessageContaining("'v'")
                        .hasMessageContaining("'" + function.functionName() + "'");
            }
        }
        assertThat(fitting).isPositive();
    }

    @Test
    void testMessageNamesColumnTypeAndFunction()
            throws IOException
    {
        DataField column = column("VARCHAR(20)");
        assertThatThrownBy(() -> AggregateFunction.LISTAGG.check(column, new CoreOptions(ImmutableMap.of())))
                .hasMessage("Column 'v' of type VARCHAR(20) cannot have the aggregate function 'listagg', which needs STRING; choose another with 'fields.v.aggregate-function'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "nested_update | nested-key | a,c | names field 'c', which the column's rows do not have; they have [a, b]",
            "nested_partial_update | nested-key | c | names field 'c', which the column's rows do not have; they have [a, b]",
            "nested_partial_update | distinct | true | needs 'fields.v.nested-key'"})
    void testBadNestedKeys(String function, String suffix, String value, String message)
            throws IOException
    {
        DataField column = column(ARRAY_OF_ROW);
        Map<String, String> options = ImmutableMap.of("fields.v." + suffix, value);
        assertThatThrownBy(() -> AggregateFunction.find(function).orElseThrow().check(column, new CoreOptions(options)))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION))
                .hasMessageContaining(message);
    }

    @Test
    void testBadTimestampField()
            throws IOException
    {
        DataField column = column("{\"type\":\"MAP\",\"key\":\"INT\",\"value\":" + ROW + "}");
        assertThatThrownBy(() -> AggregateFunction.MERGE_MAP_WITH_KEYTIME.check(column, new CoreOptions(ImmutableMap.of("fields.v.ts-field", "c"))))
                .hasMessageContaining("Option 'fields.v.ts-field' names field 'c'");
        assertThatThrownBy(() -> AggregateFunction.MERGE_MAP_WITH_KEYTIME.check(column, new CoreOptions(ImmutableMap.of("fields.v.ts-field", "a"))))
                .hasMessageContaining("field 'a', which is of type INT and must be a text");
        assertThat(AggregateFunction.timestampField(column, new CoreOptions(ImmutableMap.of()))).isEqualTo(1);
    }

    @Test
    void testNames()
    {
        for (AggregateFunction function : AggregateFunction.values()) {
            assertThat(AggregateFunction.find(function.functionName())).contains(function);
        }
        assertThat(AggregateFunction.find("first_not_null_value")).contains(AggregateFunction.FIRST_NON_NULL_VALUE);
        assertThat(AggregateFunction.find("SUM")).isEmpty();
    }

    private static boolean fits(Runnable check)
    {
        try {
            check.run();
            return true;
        }
        catch (RuntimeException e) {
            return false;
        }
    }

    private static DataField column(String type)
            throws IOException
    {
        return new DataField(1, "v", type.startsWith("{") ? TypeJson.read(new ObjectMapper().readTree(type)) : TypeParser.parse(type));
    }
}
