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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.lookup.storage.schema.SchemaEdits.UNNUMBERED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestSchemaEdits
{
    private static final DataType ROW = new RowType(ImmutableList.of(field("a", "INT"), field("B", "STRING")), true);
    private static final List<DataField> FIELDS = FieldIds.renumber(ImmutableList.of(
            field("k", "INT NOT NULL"),
            field("dt", "DATE NOT NULL"),
            field("v", "DECIMAL(6, 2)"),
            field("s", "STRING"),
            field("n", "INT NOT NULL"),
            new DataField(UNNUMBERED, "r", ROW),
            new DataField(UNNUMBERED, "list", new ArrayType(ROW, true)),
            new DataField(UNNUMBERED, "map", new MapType(TypeParser.parse("INT"), ROW, true)))).fields();
    private static final int HIGHEST_ID = 30;

    private static DataField field(String name, String type)
    {
        return new DataField(UNNUMBERED, name, TypeParser.parse(type));
    }

    private static TableSchema table(Map<String, String> options)
    {
        return new TableSchema(3, 4, FIELDS, HIGHEST_ID, ImmutableList.of("dt"), ImmutableList.of("dt", "k"), options, Optional.empty(), 77);
    }

    private static TableSchema table()
    {
        return table(ImmutableMap.of("bucket", "1"));
    }

    private static int id(String column)
    {
        return FIELDS.stream().filter(field -> field.name().equals(column)).findFirst().orElseThrow().id();
    }

    @Test
    void testAddColumn()
    {
        TableSchema added = SchemaEdits.addColumn(table(), new DataField(UNNUMBERED, "x", new RowType(ImmutableList.of(field("y", "INT")), true), Optional.of("new"), Optional.empty()), 2);
        assertThat(added.fields()).extracting(DataField::name).containsExactly("k", "dt", "x", "v", "s", "n", "r", "list", "map");
        DataField column = added.field("x");
        assertThat(column.id()).isEqualTo(31);
        assertThat(((RowType) column.type()).fields().getFirst().id()).isEqualTo(32);
        assertThat(column.description()).contains("new");
        assertThat(added.highestFieldId()).isEqualTo(32);
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> SchemaEdits.addColumn(table(), field("V", "INT"), 0), "'v'", "exists already");
        TableSchema notNull = SchemaEdits.addColumn(table(), field("x", "INT NOT NULL"), 0);
        SchemaValidation.checkChange(table(), notNull, false);
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaValidation.checkChange(table(), notNull, true), "'x'", "NOT NULL");
        // an id is never used twice
        TableSchema again = SchemaEdits.addColumn(SchemaEdits.dropColumn(added, 31), field("x", "INT"), 0);
        assertThat(again.field("x").id()).isEqualTo(33);
        assertThat(again.fields().getFirst().name()).isEqualTo("x");
    }

    @Test
    void testDropColumn()
    {
        assertThat(SchemaEdits.dropColumn(table(), id("s")).findField("s")).isEmpty();
        assertThat(SchemaEdits.dropColumn(table(), id("s")).highestFieldId()).isEqualTo(HIGHEST_ID);
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.dropColumn(table(), id("k")), "'k'", "Primary-key");
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.dropColumn(table(), id("dt")), "'dt'");
        assertFails(StorageErrorCode.COMMIT_CONFLICT, () -> SchemaEdits.dropColumn(table(), 999));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "sequence.field | n, v | n,VALUE",
            "bucket-key | v | VALUE",
            "changelog-producer.row-deduplicate-ignore-fields | s,v | s,VALUE",
            "rowkind.field | v | VALUE",
            "fields.v.aggregate-function | sum | sum",
            "fields.v.ignore-retract | true | true",
            "fields.s,v.sequence-group | n,v | n,VALUE",
            "fields.n.sequence-group | v | VALUE",
            "partial-update.remove-record-on-sequence-group | v | VALUE",
            "file-index.bitmap.columns | s,v | s,VALUE",
            "file-index.bloom-filter.columns | v[a],s | VALUE[a],s",
            "record-level.time-field | v | VALUE"})
    void testOptionsFollowRenamedColumn(String key, String value, String renamedValue)
    {
        TableSchema schema = table(ImmutableMap.of("bucket", "1", key, value, "fields.default-aggregate-function", "sum", "data-file.prefix", "v"));
        TableSchema renamed = SchemaEdits.renameColumn(schema, id("v"), "VALUE");
        assertThat(renamed.field("VALUE").id()).isEqualTo(id("v"));
        assertThat(renamed.options()).containsExactlyInAnyOrderEntriesOf(ImmutableMap.of(
                "bucket", "1",
                key.replace(".v.", ".VALUE.").replace(",v.", ",VALUE."), renamedValue,
                "fields.default-aggregate-function", "sum",
                "data-file.prefix", "v"));
        // what is the same table under another name is no change of an option
        SchemaValidation.checkChange(schema, renamed, true);
        // a column that an option names cannot go
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaEdits.dropColumn(schema, id("v")), "'v'", "'" + key + "'");
    }

    @Test
    void testRenameColumn()
    {
        TableSchema renamed = SchemaEdits.renameColumn(table(), id("k"), "key");
        assertThat(renamed.primaryKeys()).containsExactly("dt", "key");
        SchemaValidation.checkChange(table(), renamed, true);
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.renameColumn(table(), id("dt"), "day"), "'dt'", "directories");
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> SchemaEdits.renameColumn(table(), id("v"), "S"), "'s'", "exists already");
        assertThat(SchemaEdits.renameColumn(table(), id("v"), "v")).isEqualTo(table());
        assertThat(SchemaEdits.renameColumn(table(), id("v"), "V").findField("V")).isPresent();
        // swapping names is no swap of keys
        TableSchema swapped = SchemaEdits.renameColumn(SchemaEdits.renameColumn(SchemaEdits.renameColumn(table(), id("k"), "x"), id("n"), "k"), id("k"), "n");
        assertThat(swapped.primaryKeys()).containsExactly("dt", "n");
        SchemaValidation.checkChange(table(), swapped, true);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "TINYINT | BIGINT | yes",
            "INT | SMALLINT | no",
            "INT | DOUBLE | yes",
            "INT | FLOAT | no",
            "SMALLINT | FLOAT | yes",
            "BIGINT | DOUBLE | no",
            "FLOAT | DOUBLE | yes",
            "DOUBLE | FLOAT | no",
            "INT | DECIMAL(10, 0) | yes",
            "INT | DECIMAL(10, 1) | no",
            "DECIMAL(6, 2) | DECIMAL(7, 3) | yes",
            "DECIMAL(6, 2) | DECIMAL(7, 4) | no",
            "DECIMAL(6, 2) | DECIMAL(6, 1) | no",
            "VARCHAR(5) | STRING | yes",
            "STRING | VARCHAR(5) | no",
            "CHAR(5) | VARCHAR(5) | yes",
            "VARCHAR(5) | CHAR(5) | no",
            "STRING | INT | yes",
            "CHAR(9) | DECIMAL(9, 2) | yes",
            "STRING | DOUBLE | yes",
            "STRING | BOOLEAN | no",
            "STRING | DATE | no",
            "STRING | BYTES | no",
            "INT | VARCHAR(11) | yes",
            "INT | VARCHAR(10) | no",
            "DECIMAL(4, 4) | VARCHAR(7) | yes",
            "DECIMAL(4, 4) | VARCHAR(6) | no",
            "BOOLEAN | STRING | yes",
            "BOOLEAN | INT | no",
            "DATE | TIMESTAMP(3) | no",
            "DOUBLE | STRING | no",
            "TIMESTAMP(3) | TIMESTAMP(9) | yes",
            "TIMESTAMP(6) | TIMESTAMP(3) | no",
            "TIMESTAMP(3) | TIMESTAMP(3) WITH LOCAL TIME ZONE | no",
            "BINARY(4) | BYTES | yes",
            "BYTES | BINARY(4) | no",
            "TIME(0) | TIME(3) | yes"})
    void testTypes(String before, String after, String allowed)
    {
        TableSchema schema = SchemaEdits.addColumn(table(), field("c", before), 0);
        DataType type = TypeParser.parse(after);
        if (allowed.equals("yes")) {
            assertThat(SchemaEdits.changeType(schema, HIGHEST_ID + 1, type).field("c").type()).isEqualTo(type);
            return;
        }
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.changeType(schema, HIGHEST_ID + 1, type), "'c'", TypeJson.format(schema.field("c").type()), TypeJson.format(type));
    }

    @Test
    void testTypesOfColumnsThatDecide()
    {
        DataType number = TypeParser.parse("INT");
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.changeType(table(), id("k"), TypeParser.parse("BIGINT")), "'k'");
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.changeType(table(), id("dt"), TypeParser.parse("STRING")), "'dt'");
        // text has another order than numbers
        assertThat(SchemaEdits.changeType(table(), id("s"), number).field("s").type()).isEqualTo(number);
        assertFails(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                () -> SchemaEdits.changeType(table(ImmutableMap.of("bucket", "1", "sequence.field", "s")), id("s"), number),
                "'s'", "'sequence.field'");
        assertFails(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                () -> SchemaEdits.changeType(table(ImmutableMap.of("bucket", "1", "merge-engine", "aggregation", "fields.s.aggregate-function", "max")), id("s"), number),
                "'s'", "'fields.s.aggregate-function'");
        assertFails(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                () -> SchemaEdits.changeType(table(ImmutableMap.of("bucket", "1", "merge-engine", "partial-update", "fields.s.sequence-group", "v")), id("s"), number),
                "'s'", "'fields.s.sequence-group'");
        assertThat(SchemaEdits.changeType(table(ImmutableMap.of("bucket", "1", "merge-engine", "aggregation", "fields.s.aggregate-function", "last_value")), id("s"), number).field("s").type())
                .isEqualTo(number);
        // a wider type keeps the order, and NOT NULL
        assertThat(SchemaEdits.changeType(table(ImmutableMap.of("bucket", "1", "sequence.field", "n")), id("n"), TypeParser.parse("BIGINT")).field("n").type())
                .isEqualTo(TypeParser.parse("BIGINT NOT NULL"));
    }

    @Test
    void testDropNotNull()
    {
        assertThat(SchemaEdits.dropNotNull(table(), id("n")).field("n").type()).isEqualTo(TypeParser.parse("INT"));
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.dropNotNull(table(), id("k")), "'k'");
    }

    @Test
    void testFieldsOfRows()
    {
        for (List<String> path : ImmutableList.of(ImmutableList.of("r"), ImmutableList.of("list", "element"), ImmutableList.of("map", "value"))) {
            TableSchema added = SchemaEdits.addField(table(), path, field("c", "DATE"));
            assertThat(row(added, path).fields()).extracting(DataField::name).containsExactly("a", "B", "c");
            assertThat(row(added, path).fields().getLast().id()).isEqualTo(31);
            assertThat(added.highestFieldId()).isEqualTo(31);
            TableSchema renamed = SchemaEdits.renameField(table(), append(path, "b"), "bb");
            assertThat(row(renamed, path).fields()).extracting(DataField::name).containsExactly("a", "bb");
            assertThat(row(renamed, path).fields()).extracting(DataField::id).isEqualTo(row(table(), path).fields().stream().map(DataField::id).toList());
            assertThat(row(SchemaEdits.dropField(table(), append(path, "a")), path).fields()).extracting(DataField::name).containsExactly("B");
            assertThat(row(SchemaEdits.changeFieldType(table(), append(path, "a"), TypeParser.parse("BIGINT")), path).fields().getFirst().type()).isEqualTo(TypeParser.parse("BIGINT"));
            assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.changeFieldType(table(), append(path, "a"), TypeParser.parse("DATE")), "a");
            assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.dropField(SchemaEdits.dropField(table(), append(path, "a")), append(path, "b")), "last");
            assertFails(StorageErrorCode.INVALID_SCHEMA, () -> SchemaEdits.addField(table(), path, field("A", "INT")), "'a'");
            assertFails(StorageErrorCode.INVALID_SCHEMA, () -> SchemaEdits.dropField(table(), append(path, "nothing")), "'nothing'");
        }
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.addField(table(), ImmutableList.of("v"), field("c", "INT")), "DECIMAL(6, 2)");
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.addField(table(), ImmutableList.of("map", "key"), field("c", "INT")), "keys of MAP");
    }

    @Test
    void testTypeOfRow()
    {
        int rowId = id("r");
        RowType before = row(table(), ImmutableList.of("r"));
        TableSchema changed = SchemaEdits.changeType(table(), rowId, new RowType(ImmutableList.of(field("b", "STRING"), field("c", "INT"), field("a", "BIGINT")), true));
        RowType after = row(changed, ImmutableList.of("r"));
        // fields keep their ids and names, whatever their place
        assertThat(after.fields()).extracting(DataField::name).containsExactly("B", "c", "a");
        assertThat(after.fields()).extracting(DataField::id).containsExactly(before.fields().get(1).id(), 31, before.fields().getFirst().id());
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.changeType(table(), rowId, new RowType(ImmutableList.of(field("a", "TINYINT")), true)), "'r.a'");
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.changeType(table(), rowId, TypeParser.parse("INT")), "'r'");
        // differing keys of a map must not become equal
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaEdits.changeType(table(), id("map"), new MapType(TypeParser.parse("STRING"), ROW, true)), "'map'", "keys");
    }

    private static RowType row(TableSchema schema, List<String> path)
    {
        return switch (schema.field(path.getFirst()).type()) {
            case RowType row -> row;
            case ArrayType array -> (RowType) array.element();
            case MapType map -> (RowType) map.value();
            default -> throw new IllegalArgumentException(path.toString());
        };
    }

    private static List<String> append(List<String> path, String name)
    {
        return ImmutableList.<String>builder().addAll(path).add(name).build();
    }

    private static void assertFails(StorageErrorCode code, Runnable runnable, String... parts)
    {
        assertThatThrownBy(runnable::run)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(code))
                .hasMessageContainingAll(parts.length == 0 ? new String[] {""} : parts);
    }
}
