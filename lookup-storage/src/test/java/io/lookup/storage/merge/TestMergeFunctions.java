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
import io.airlift.slice.Slices;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.MergeRows.Row;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import static io.lookup.storage.format.row.RowKind.DELETE;
import static io.lookup.storage.format.row.RowKind.INSERT;
import static io.lookup.storage.format.row.RowKind.UPDATE_AFTER;
import static io.lookup.storage.format.row.RowKind.UPDATE_BEFORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestMergeFunctions
{
    private static final MergeRows ROWS = MergeRows.create(false, false, false);

    @Test
    void testDeduplicateKeepsNewestWithItsKind()
    {
        Map<String, String> options = ImmutableMap.of();
        assertThat(merge(options, false, row(1, 1L, "a", INSERT), row(1, 2L, "b", UPDATE_AFTER))).isEqualTo(row(1, 2L, "b", UPDATE_AFTER));
        assertThat(merge(options, true, row(1, 1L, "a", INSERT), row(1, null, null, DELETE))).isEqualTo(row(1, null, null, DELETE));
        assertThat(merge(options, true, row(1, 1L, "a", DELETE))).isEqualTo(row(1, 1L, "a", DELETE));
    }

    @Test
    void testDeduplicateIgnoringDeletes()
    {
        Map<String, String> options = ImmutableMap.of("ignore-delete", "true");
        assertThat(merge(options, false, row(1, 1L, "a", INSERT), row(1, 2L, "b", DELETE), row(1, 3L, "c", UPDATE_BEFORE))).isEqualTo(row(1, 1L, "a", INSERT));
        assertThat(merge(options, false, row(1, 2L, "b", DELETE), row(1, 3L, "c", UPDATE_BEFORE))).isEqualTo(row(1, 3L, "c", UPDATE_BEFORE));
    }

    @Test
    void testAggregationResultKindAndSequenceNumber()
    {
        Map<String, String> options = ImmutableMap.of("merge-engine", "aggregation", "fields.s.aggregate-function", "sum", "fields.v.aggregate-function", "max");
        assertThat(merge(options, false, new Row(1, 3L, "a", 10, UPDATE_AFTER), new Row(1, 4L, "c", 12, INSERT), new Row(1, null, "b", 20, UPDATE_AFTER)))
                .isEqualTo(new Row(1, 7L, "c", 20, INSERT));
    }

    @Test
    void testLoneRowPassesThroughUnlessAsked()
    {
        Map<String, String> options = ImmutableMap.of("merge-engine", "aggregation", "fields.s.aggregate-function", "sum");
        Row delete = row(1, 7L, "x", DELETE);
        assertThat(merge(options, false, delete)).isEqualTo(delete);
        // the last_non_null_value of v is taken back, the sum of s negated
        assertThat(merge(options, true, delete)).isEqualTo(row(1, -7L, null, INSERT));
    }

    @Test
    void testRemoveRecordOnDelete()
    {
        Map<String, String> options = ImmutableMap.of("merge-engine", "aggregation", "fields.s.aggregate-function", "sum", "aggregation.remove-record-on-delete", "true");
        assertThat(merge(options, false, row(1, 3L, "a", INSERT), row(1, 7L, "b", DELETE))).isEqualTo(row(1, 7L, "b", DELETE));
        // what comes after the delete is combined with its values, as in Paimon; a delete without values leaves nothing behind
        assertThat(merge(options, false, row(1, 3L, "a", INSERT), row(1, 7L, "b", DELETE), row(1, 10L, null, INSERT))).isEqualTo(row(1, 17L, "b", INSERT));
        assertThat(merge(options, false, row(1, 3L, "a", INSERT), row(1, null, null, DELETE), row(1, 10L, null, INSERT))).isEqualTo(row(1, 10L, null, INSERT));
        assertThat(merge(options, false, row(1, 7L, "b", DELETE), row(1, 10L, "c", UPDATE_BEFORE))).isEqualTo(row(1, -3L, null, INSERT));
        assertThat(merge(options, false, row(1, 7L, "b", DELETE), row(1, 8L, "c", DELETE))).isEqualTo(row(1, 8L, "c", DELETE));
        assertThat(merge(options, false, row(1, 7L, "b", DELETE), row(1, 8L, "c", DELETE), row(1, 1L, null, INSERT))).isEqualTo(row(1, 9L, "c", INSERT));
        // -U is a retraction still
        assertThat(merge(options, false, row(1, 3L, "a", INSERT), row(1, 2L, "a", UPDATE_BEFORE))).isEqualTo(row(1, 1L, null, INSERT));
    }

    @Test
    void testSequenceFieldsTakeTheLastValue()
    {
        Map<String, String> options = ImmutableMap.of("merge-engine", "aggregation", "sequence.field", "s", "fields.default-aggregate-function", "max");
        assertThat(merge(options, false, row(1, 9L, "b", INSERT), row(1, null, "a", INSERT))).isEqualTo(row(1, null, "b", INSERT));
    }

    @Test
    void testRetractionThatCannotBe()
    {
        Map<String, String> options = ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "min");
        assertThatThrownBy(() -> merge(options, false, row(1, 1L, "a", INSERT), row(1, 1L, "a", DELETE)))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("'min' of column 'v'")
                .hasMessageContaining("fields.v.ignore-retract");
        Map<String, String> ignoring = ImmutableMap.<String, String>builder().putAll(options).put("fields.v.ignore-retract", "true").buildOrThrow();
        assertThat(merge(ignoring, false, row(1, 1L, "a", INSERT), row(1, null, "a", DELETE))).isEqualTo(row(1, 1L, "a", INSERT));
    }

    @Test
    void testMixedBatchKeepsTheOrderOfGroups()
    {
        MergeFunction function = function(ImmutableMap.of("merge-engine", "aggregation", "fields.s.aggregate-function", "sum"), ROWS.layout());
        KeyGroups groups = new KeyGroups();
        for (int key = 0; key < 5000; key++) {
            int versions = 1 + key % 3;
            int number = key;
            Page page = ROWS.page(IntStream.range(0, versions).mapToObj(i -> row(number, 1L, "v" + i, INSERT)).toList());
            groups.beginGroup(key, Slices.utf8Slice("" + key));
            for (int i = 0; i < versions; i++) {
                groups.addRow(page, i, 0);
            }
        }
        RowReferences results = new RowReferences(ROWS.layout());
        function.mergeAll(groups, results, false);
        List<Row> rows = ROWS.rows(results.toPage());
        assertThat(rows).hasSize(5000);
        for (int key = 0; key < 5000; key++) {
            assertThat(rows.get(key)).isEqualTo(row(key, 1L + key % 3, "v" + key % 3, INSERT));
        }
        assertThat(groups.key(4711).toStringUtf8()).isEqualTo("4711");
    }

    @Test
    void testLookupTablesTakeOneStateFromTheLevels()
    {
        Map<String, String> options = ImmutableMap.of("merge-engine", "aggregation", "fields.s.aggregate-function", "sum", "changelog-producer", "lookup");
        MergeFunction function = function(options, ROWS.layout());
        KeyGroups groups = new KeyGroups();
        // 10 at level 5 is contained in 15 at level 4
        group(groups, new Row(1, 10L, "a", 1, INSERT), 5, new Row(1, 15L, "b", 2, INSERT), 4, new Row(1, 1L, "c", 3, INSERT), 0);
        // after the superseded row is gone, one is left, and it still goes through the function
        group(groups, new Row(2, 10L, "a", 1, UPDATE_AFTER), 5, new Row(2, 15L, "b", 2, UPDATE_AFTER), 4);
        // a lone row does not
        group(groups, new Row(3, 10L, "a", 1, UPDATE_AFTER), 5);
        // rows in memory count like level 0
        group(groups, new Row(4, 10L, "a", 1, INSERT), 0, new Row(4, 5L, "b", 2, INSERT), -1);
        RowReferences results = new RowReferences(ROWS.layout());
        function.mergeAll(groups, results, false);
        assertThat(ROWS.rows(results.toPage())).containsExactly(
                new Row(1, 16L, "c", 3, INSERT),
                new Row(2, 15L, "b", 2, INSERT),
                new Row(3, 10L, "a", 1, UPDATE_AFTER),
                new Row(4, 15L, "b", 2, INSERT));
    }

    @Test
    void testProjectionLeavesColumnsOut()
    {
        // a function that does not exist is not looked for where its column is not read
        Map<String, String> options = ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "sum");
        KeyValueLayout projection = new KeyValueLayout(ROWS.layout().columns().subList(0, 2), ImmutableList.of(0), ImmutableList.of(), false);
        assertThat(function(options, projection)).isNotNull();
        assertThatThrownBy(() -> function(options, ROWS.layout())).hasMessageContaining("Column 'v' of type STRING cannot have the aggregate function 'sum'");
    }

    @Test
    void testUnsupportedIsRefusedByName()
    {
        assertThatThrownBy(() -> function(ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "median"), ROWS.layout()))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                .hasMessageContaining("'fields.v.aggregate-function' = 'median'");
        assertThatThrownBy(() -> function(ImmutableMap.of("merge-engine", "aggregation", "fields.default-aggregate-function", "median"), ROWS.layout()))
                .hasMessageContaining("'fields.default-aggregate-function' = 'median'");
        assertThatThrownBy(() -> function(ImmutableMap.of("merge-engine", "aggregation", "fields.v.ignore-retract", "true", "aggregation.remove-record-on-delete", "true"), ROWS.layout()))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION));
    }

    private static Row row(long key, Long field, String value, RowKind kind)
    {
        return new Row(key, field, value, 5, kind);
    }

    private static Row merge(Map<String, String> options, boolean applyToSingleRows, Row... versions)
    {
        KeyGroups groups = new KeyGroups();
        groups.beginGroup(1, Slices.utf8Slice("k"));
        for (Row version : versions) {
            groups.addRow(ROWS.page(ImmutableList.of(version)), 0, 0);
        }
        RowReferences results = new RowReferences(ROWS.layout());
        function(options, ROWS.layout()).mergeAll(groups, results, applyToSingleRows);
        assertThat(results.count()).isEqualTo(1);
        return ROWS.row(results.page(0), results.position(0));
    }

    private static void group(KeyGroups groups, Object... rowsAndLevels)
    {
        groups.beginGroup(((Row) rowsAndLevels[0]).key(), Slices.EMPTY_SLICE);
        for (int i = 0; i < rowsAndLevels.length; i += 2) {
            groups.addRow(ROWS.page(ImmutableList.of((Row) rowsAndLevels[i])), 0, (int) rowsAndLevels[i + 1]);
        }
    }

    private static MergeFunction function(Map<String, String> options, KeyValueLayout layout)
    {
        List<DataField> fields = ImmutableList.<DataField>builder()
                .addAll(ROWS.layout().columns())
                .add(new DataField(3, "unread", new ScalarType(TypeRoot.DATE, 0, 0, true)))
                .build();
        TableSchema schema = new TableSchema(TableSchema.CURRENT_VERSION, 0, fields, 3, ImmutableList.of(), ImmutableList.of("k"), options, Optional.empty(), 0);
        return MergeFunctions.create(schema, new CoreOptions(options), layout, true);
    }
}
