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
package io.lookup.storage.merge;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.AggregateFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeParser;
import io.lookup.storage.table.BlockValues;
import io.trino.spi.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static io.lookup.storage.merge.AggregatedColumn.column;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DecimalType.createDecimalType;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What the records of UPDATE and DELETE hold in tables that combine rows, and when there is none.
 */
final class TestRecordsOfRowChanges
{
    private static final String ARRAY_OF_ROWS = "{\"type\":\"ARRAY\",\"element\":{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"a\",\"type\":\"INT\"}]}}";
    private static final String MAP = "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":\"STRING\"}";
    private static final String MAP_OF_ROWS = "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"v\",\"type\":\"STRING\"},{\"id\":1,\"name\":\"t\",\"type\":\"STRING\"}]}}";

    /**
     * Combined with any value, before it or after it, it gives that value.
     */
    @Test
    void testValueThatIsPassedOver()
    {
        for (String function : List.of("sum", "product", "max", "min")) {
            assertPassedOver(function, "TINYINT", -128, -1, 0, 127);
            assertPassedOver(function, "SMALLINT", -32768, 0, 1, 32767);
            assertPassedOver(function, "INT", Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE);
            assertPassedOver(function, "BIGINT", Long.MIN_VALUE, -1L, 0L, Long.MAX_VALUE);
            assertPassedOver(function, "FLOAT", Float.NEGATIVE_INFINITY, -1.5f, -0.0f, 0.0f, Float.POSITIVE_INFINITY, Float.NaN);
            assertPassedOver(function, "DOUBLE", Double.NEGATIVE_INFINITY, -1.5, -0.0, 0.0, Double.POSITIVE_INFINITY, Double.NaN);
            assertPassedOver(function, "DECIMAL(4, 2)", new BigDecimal("-99.99"), new BigDecimal("0.00"), new BigDecimal("99.99"));
            assertPassedOver(function, "DECIMAL(38, 3)", new BigDecimal("-1.001"), new BigDecimal("9").movePointRight(34).setScale(3));
        }
        assertPassedOver("max", "STRING", "", "a", "\uFFFF");
        assertPassedOver("bool_and", "BOOLEAN", true, false);
        assertPassedOver("bool_or", "BOOLEAN", true, false);
        assertPassedOver("listagg", "STRING", "", "a", "a,b");
        assertPassedOver("collect", "{\"type\":\"ARRAY\",\"element\":\"INT\"}", List.of(), List.of(1, 1, 2));
        assertPassedOver("nested_update", ARRAY_OF_ROWS, List.of(), List.of(List.of(1), List.of(2)));
        assertPassedOver("merge_map", MAP, Map.of(), Map.of(1, "a"));
        assertPassedOver("merge_map_with_keytime", MAP_OF_ROWS, Map.of(), Map.of(1, List.of("a", "2")));
    }

    private static void assertPassedOver(String function, String type, Object... values)
    {
        for (Object value : values) {
            assertThat(column(function, type).add(value).addPassedOver().result()).as("%s of %s", function, value).isEqualTo(value);
            assertThat(column(function, type).addPassedOver().add(value).result()).as("%s of %s", function, value).isEqualTo(value);
        }
    }

    @Test
    void testNoValueThatIsPassedOver()
    {
        for (AggregateFunction function : List.of(
                AggregateFunction.FIRST_VALUE, AggregateFunction.FIRST_NON_NULL_VALUE, AggregateFunction.LAST_VALUE, AggregateFunction.LAST_NON_NULL_VALUE,
                AggregateFunction.PRIMARY_KEY, AggregateFunction.RBM32, AggregateFunction.RBM64, AggregateFunction.HLL_SKETCH, AggregateFunction.THETA_SKETCH)) {
            assertThat(PassedOverValue.of(function, BIGINT)).as("%s", function).isEmpty();
        }
        assertThat(PassedOverValue.of(AggregateFunction.MIN, VARCHAR)).isEmpty();
        // all digits are behind the point
        assertThat(PassedOverValue.of(AggregateFunction.PRODUCT, createDecimalType(4, 4))).isEmpty();
        assertThat(PassedOverValue.of(AggregateFunction.PRODUCT, createDecimalType(5, 4))).isPresent();
        assertThat(PassedOverValue.of(AggregateFunction.SUM, createDecimalType(4, 4))).isPresent();
    }

    @Test
    void testRecordOfADelete()
    {
        // k, nullable a, b NOT NULL, s
        Map<String, String> sums = ImmutableMap.of("merge-engine", "aggregation", "aggregation.remove-record-on-delete", "true", "sequence.field", "s", "fields.b.aggregate-function", "sum");
        DeletedValues record = DeletedValues.of(table(sums), new CoreOptions(sums));
        assertThat(record.refusal()).isEmpty();
        // the key and the order stay
        assertThat(record.values().keySet()).containsExactlyInAnyOrder(1, 2);
        assertThat(record.values().get(1).isNull(0)).isTrue();
        assertThat(BIGINT.getLong(record.values().get(2), 0)).isZero();

        Map<String, String> kept = ImmutableMap.of("merge-engine", "aggregation");
        assertThat(DeletedValues.of(table(kept), new CoreOptions(kept)).values()).isEmpty();
        assertThat(DeletedValues.of(table(ImmutableMap.of()), new CoreOptions(ImmutableMap.of())).values()).isEmpty();

        Map<String, String> parts = ImmutableMap.of("merge-engine", "partial-update", "partial-update.remove-record-on-delete", "true");
        // what cannot be null is replaced by the next record
        assertThat(DeletedValues.of(table(parts), new CoreOptions(parts)).values().keySet()).containsExactlyInAnyOrder(1, 3);
        Map<String, String> groups = ImmutableMap.of("merge-engine", "partial-update", "fields.s.sequence-group", "a", "partial-update.remove-record-on-sequence-group", "s");
        assertThat(DeletedValues.of(table(groups), new CoreOptions(groups)).values().keySet()).containsExactly(1);
    }

    @ParameterizedTest
    @CsvSource({
            "a, first_value, lookup, radical, false, false",
            "a, first_value, lookup, gentle, false, true",
            "a, first_value, none, radical, false, true",
            "a, first_non_null_value, lookup, radical, true, true",
            "a, first_non_null_value, lookup, radical, false, false",
            "b, first_value, lookup, radical, false, false",
            "b, sum, none, radical, true, false",
            "b, max, none, radical, false, false",
            "b, last_value, none, radical, false, false",
            "a, rbm32, none, radical, false, false",
    })
    void testDeleteWithoutARecord(String column, String function, String producer, String compact, boolean writeOnly, boolean refused)
    {
        Map<String, String> options = ImmutableMap.of(
                "merge-engine", "aggregation", "aggregation.remove-record-on-delete", "true", "fields." + column + ".aggregate-function", function,
                "changelog-producer", producer, "lookup-compact", compact, "write-only", String.valueOf(writeOnly));
        Optional<String> refusal = DeletedValues.of(table(options), new CoreOptions(options)).refusal();
        assertThat(refusal.isPresent()).isEqualTo(refused);
        refusal.ifPresent(reason -> assertThat(reason).contains("'" + column + "'", "'" + function + "'"));
    }

    @Test
    void testRecordOfAnUpdate()
    {
        Map<String, String> plain = ImmutableMap.of("merge-engine", "partial-update");
        UpdatedValues values = UpdatedValues.of(table(plain), new CoreOptions(plain), ImmutableSet.of("a"));
        assertThat(values.refusal()).isEmpty();
        // b is NOT NULL and keeps its value
        assertThat(values.values().keySet()).containsExactly(3);
        assertThat(values.values().get(3).isNull(0)).isTrue();
        check(values, row(1, 5L, 7L, 1L), row(1, 4L, 7L, 1L));
        check(values, row(1, null, 7L, 1L), row(1, null, 7L, 1L));
        assertRefused(values, row(1, null, 7L, 1L), row(1, 4L, 7L, 1L), "Column a");

        Map<String, String> ordered = ImmutableMap.of("merge-engine", "partial-update", "sequence.field", "s");
        assertThat(UpdatedValues.of(table(ordered), new CoreOptions(ordered), ImmutableSet.of("a")).values()).isEmpty();
    }

    @Test
    void testUpdateOfAGroup()
    {
        Map<String, String> options = ImmutableMap.of("merge-engine", "partial-update", "fields.s.sequence-group", "a");
        // the whole group is said, whichever of it is set
        for (Set<String> set : List.of(ImmutableSet.of("a"), ImmutableSet.of("s"), ImmutableSet.of("a", "s"))) {
            assertThat(UpdatedValues.of(table(options), new CoreOptions(options), set).values()).as("%s", set).isEmpty();
        }
        UpdatedValues values = UpdatedValues.of(table(options), new CoreOptions(options), ImmutableSet.of("a", "s"));
        check(values, row(1, null, 7L, 3L), row(1, 5L, 7L, 3L));
        check(values, row(1, 6L, 7L, 4L), row(1, 5L, 7L, 3L));
        check(values, row(1, 6L, 7L, 0L), row(1, 5L, 7L, null));
        assertRefused(values, row(1, 6L, 7L, 2L), row(1, 5L, 7L, 3L), "Column s");
        assertRefused(values, row(1, null, 7L, null), row(1, 5L, 7L, 3L), "Column s");
        assertRefused(values, row(1, 6L, 7L, null), row(1, 5L, 7L, null), "Column a", "s is NULL");
        check(values, row(1, null, 7L, null), row(1, 5L, 7L, null));

        // a group that nobody sets is not said
        assertThat(UpdatedValues.of(table(options), new CoreOptions(options), ImmutableSet.of("b")).values().keySet()).containsExactlyInAnyOrder(1, 3);
    }

    @ParameterizedTest
    @CsvSource({"sum, true", "max, true", "last_value, false", "last_non_null_value, false"})
    void testUpdateOfAnAggregate(String function, boolean refused)
    {
        Map<String, String> options = ImmutableMap.of("merge-engine", "partial-update", "fields.s.sequence-group", "a", "fields.a.aggregate-function", function);
        Optional<String> refusal = UpdatedValues.of(table(options), new CoreOptions(options), ImmutableSet.of("a")).refusal();
        assertThat(refusal.isPresent()).isEqualTo(refused);
        refusal.ifPresent(reason -> assertThat(reason).contains("fields.a.aggregate-function", function));
        // set beside it: a sum would count its value twice, of the others the value gives itself
        UpdatedValues beside = UpdatedValues.of(table(options), new CoreOptions(options), ImmutableSet.of("s"));
        assertThat(beside.refusal()).isEmpty();
        assertThat(beside.values().keySet()).isEqualTo(function.equals("sum") ? Set.of(1) : Set.of());
        // a null would be passed over
        if (function.equals("last_non_null_value")) {
            assertRefused(UpdatedValues.of(table(options), new CoreOptions(options), ImmutableSet.of("a")), row(1, null, 7L, 3L), row(1, 5L, 7L, 3L), "Column a");
        }
    }

    private static void check(UpdatedValues values, Page newRow, Page oldRow)
    {
        values.check("t", newRow, 0, oldRow, 0);
    }

    private static void assertRefused(UpdatedValues values, Page newRow, Page oldRow, String... parts)
    {
        assertThatThrownBy(() -> check(values, newRow, oldRow))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                .hasMessageContainingAll(parts);
    }

    private static List<DataField> fields(Map<String, String> options)
    {
        boolean bitmap = options.containsValue("rbm32");
        return ImmutableList.of(
                new DataField(0, "k", TypeParser.parse("INT NOT NULL")),
                new DataField(1, "a", TypeParser.parse(bitmap ? "BYTES" : "BIGINT")),
                new DataField(2, "b", TypeParser.parse("BIGINT NOT NULL")),
                new DataField(3, "s", TypeParser.parse("BIGINT")));
    }

    private static TableSchema table(Map<String, String> options)
    {
        return new TableSchema(TableSchema.CURRENT_VERSION, 0, fields(options), 3, ImmutableList.of(), ImmutableList.of("k"), options, Optional.empty(), 0);
    }

    private static Page row(Object... values)
    {
        return BlockValues.toPage(fields(ImmutableMap.of()), ImmutableList.of(Collections.unmodifiableList(Arrays.asList(values))));
    }
}
