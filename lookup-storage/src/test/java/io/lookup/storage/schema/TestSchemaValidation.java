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
import io.lookup.storage.schema.KnownOption.Support;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestSchemaValidation
{
    private static final List<DataField> FIELDS = FieldIds.renumber(ImmutableList.of(
            field("k", "INT NOT NULL"),
            field("dt", "DATE NOT NULL"),
            field("v", "DECIMAL(10, 2)"),
            field("s", "STRING"),
            field("b", "BOOLEAN"),
            new DataField(0, "list", new DataType.ArrayType(TypeParser.parse("INT"), true)))).fields();

    private static DataField field(String name, String type)
    {
        return new DataField(0, name, TypeParser.parse(type));
    }

    private static TableSchema schema(List<DataField> fields, List<String> partitionKeys, List<String> primaryKeys, Map<String, String> options)
    {
        return new TableSchema(3, 0, fields, 100, partitionKeys, primaryKeys, options, Optional.empty(), 0);
    }

    private static TableSchema table(String... options)
    {
        ImmutableMap.Builder<String, String> map = ImmutableMap.<String, String>builder().put("bucket", "2");
        for (int index = 0; index < options.length; index += 2) {
            map.put(options[index], options[index + 1]);
        }
        return schema(FIELDS, ImmutableList.of("dt"), ImmutableList.of("dt", "k"), map.buildKeepingLast());
    }

    @Test
    void testSupportedTables()
    {
        for (TableSchema schema : ImmutableList.of(
                table(),
                table("changelog-producer", "lookup", "changelog-producer.row-deduplicate", "true", "changelog-producer.row-deduplicate-ignore-fields", "s,b"),
                table("changelog-producer", "input", "ignore-update-before", "true", "ignore-delete", "true"),
                table("changelog-producer", "full-compaction", "full-compaction.delta-commits", "3", "compaction.optimization-interval", "1 h"),
                table("changelog-producer", "lookup", "lookup-wait", "false", "lookup-compact", "gentle", "lookup-compact.max-interval", "7"),
                table("merge-engine", "aggregation", "fields.v.aggregate-function", "sum", "fields.s.aggregate-function", "max", "fields.default-aggregate-function", "last_value"),
                table("sequence.field", "v,s", "sequence.field.sort-order", "descending"),
                table("merge-engine", "first-row", "changelog-producer", "lookup", "first-row.ignore-delete", "true"),
                table("merge-engine", "partial-update", "sequence.field", "v", "partial-update.remove-record-on-delete", "true"),
                table("merge-engine", "partial-update", "fields.v,s.sequence-group", "list,b", "fields.list.aggregate-function", "last_value", "partial-update.remove-record-on-sequence-group", "s"),
                table("merge-engine", "partial-update", "fields.default-aggregate-function", "last_non_null_value", "ignore-delete", "true"),
                table("rowkind.field", "s", "ignore-update-before", "true", "deduplicate.ignore-delete", "true"),
                table("write-only", "true", "target-file-size", "1 mb", "lookup.cache-max-memory-size", "1 gb", "parquet.page.size", "1000"),
                table("deletion-vectors.enabled", "FALSE", "ignore-delete", "false", "lookup-wait", "true", "lookup-compact", "RADICAL", "file.format", "Parquet"),
                schema(FIELDS, ImmutableList.of(), ImmutableList.of("k"), ImmutableMap.of("bucket", "1", "bucket-key", "k")))) {
            SchemaValidation.checkNew(schema);
            SchemaValidation.checkWritable(schema);
            SchemaValidation.checkReadable(schema);
        }
    }

    @ParameterizedTest
    @CsvSource({
            "buckett, 1, bucket",
            "merge_engine, deduplicate, merge-engine",
            "changelog-produser, lookup, changelog-producer",
            "target-file-sise, 1 mb, target-file-size",
            "fields.v.agregate-function, sum, fields.v.aggregate-function"})
    void testUnknownOptionNamesTheNearest(String key, String value, String nearest)
    {
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(table(key, value)), "'" + key + "'", "'" + nearest + "'");
        // a table that another engine made can be read, and the option is named when it is written
        SchemaValidation.checkReadable(table(key, value));
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaValidation.checkWritable(table(key, value)), "'" + key + "'", "'" + value + "'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "bucket | -2 | yes",
            "bucket-function.type | mod | yes",
            "file.format | avro | yes",
            "file.format | orc | yes",
            "file.format.per.level | 0:avro | yes",
            "record-level.expire-time | 1 h | yes",
            "data-file.external-paths | s3://b/x | yes",
            "data-file.path-directory | data | no",
            "sequence.snapshot-ordering | true | no",
            "deletion-vectors.merge-on-read | true | no",
            "postpone.merge-on-read | true | no",
            "primary-key.nullable | true | no",
            "scan.bucket | 0 | no",
            "fields.list.map.storage-layout | shared-shredding | yes",
            "data-file.thin-mode | true | yes",
            "commit.callback.x.param | 1 | yes",
            "commit.callbacks | x.Y | yes",
            "scan.fallback-branch | b | no",
            "tag.callbacks | x.Y | yes"})
    void testUnsupportedOptionIsNamed(String key, String value, String readable)
    {
        TableSchema schema = table(key, value);
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaValidation.checkWritable(schema), "'" + key + "'", "'" + value + "'");
        assertThatThrownBy(() -> SchemaValidation.checkNew(schema)).isInstanceOf(StorageException.class);
        if (readable.equals("yes")) {
            SchemaValidation.checkReadable(schema);
        }
        else {
            assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaValidation.checkReadable(schema), "'" + key + "'", "'" + value + "'");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "nested_update | nested-sequence-field | v | no",
            "nested_update | nested-key-null-strategy | ignore | no",
            "nested_update | nested-key-null-strategy | ERROR | no",
            "nested_update | nested-key-null-strategy | Merge | yes",
            "nested_partial_update | nested-key-null-strategy | error | no",
            // no function that asks for it
            "nested_partial_update | nested-sequence-field | v | yes",
            "last_value | nested-sequence-field | v | yes",
            "last_value | nested-key-null-strategy | ignore | yes"})
    void testOptionsOfNestedRowsOfAnotherWriter(String function, String suffix, String value, String readable)
    {
        String key = "fields.list." + suffix;
        for (String mergeEngine : ImmutableList.of("aggregation", "partial-update")) {
            TableSchema schema = mergeEngine.equals("aggregation")
                    ? table("merge-engine", mergeEngine, "fields.list.aggregate-function", function, "fields.list.nested-key", "id", key, value)
                    : table("merge-engine", mergeEngine, "fields.v.sequence-group", "list", "fields.list.aggregate-function", function, "fields.list.nested-key", "id", key, value);
            if (readable.equals("yes")) {
                SchemaValidation.checkReadable(schema);
            }
            else {
                assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaValidation.checkReadable(schema), "'" + key + "' = '" + value + "'", "'" + function + "'");
            }
        }
        // nothing is merged by a function
        SchemaValidation.checkReadable(table("fields.list.aggregate-function", function, key, value));
    }

    @Test
    void testUnknownAggregateFunctionOfAnotherWriter()
    {
        TableSchema schema = table("merge-engine", "aggregation", "fields.list.aggregate-function", "median");
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaValidation.checkWritable(schema), "'list'", "'median'");
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaValidation.checkReadable(schema), "'list'", "'median'");
        // a function that the engine does not apply does no harm
        SchemaValidation.checkReadable(table("fields.list.aggregate-function", "median"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "fields.v.aggregate-function | summ | 'summ'",
            "fields.default-aggregate-function | summ | 'summ'",
            "fields.s.aggregate-function | sum | 's'",
            "fields.b.aggregate-function | max | 'b'",
            "fields.list.aggregate-function | min | 'list'",
            "fields.nothing.aggregate-function | sum | 'nothing'"})
    void testBadAggregateFunctions(String key, String function, String named)
    {
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(table("merge-engine", "aggregation", key, function)), named);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "bucket | 0 | 'bucket'",
            "bucket | x | 'x'",
            "bucket-key | dt | 'dt'",
            "bucket-key | v | 'v'",
            "bucket-key | nothing | 'nothing'",
            "bucket-key | k,k | 'k,k'",
            "sequence.field | nothing | 'nothing'",
            "sequence.field | v,v | 'v'",
            "sequence.field | list | 'list'",
            "sequence.field.sort-order | up | 'up'",
            "rowkind.field | nothing | 'nothing'",
            "rowkind.field | v | 'v'",
            "target-file-size | big | 'big'",
            "changelog-producer | lookups | 'lookups'",
            "changelog-producer.row-deduplicate-ignore-fields | nothing | 'nothing'",
            "snapshot.num-retained.min | 0 | 'snapshot.num-retained.min'",
            "primary-key | k | 'primary-key'",
            "partition | dt | 'partition'",
            "scan.mode | sometimes | 'sometimes'"})
    void testBadOptions(String key, String value, String named)
    {
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(table(key, value)), named);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "fields.v.sequence-group | s,nothing | 'nothing'",
            "fields.nothing.sequence-group | s | 'nothing'",
            "fields.v.sequence-group | s, b | ' b'",
            "fields.list.sequence-group | s | 'list'",
            "fields.v.sequence-group | s,s | 's'",
            "fields.v.aggregate-function | max | 'v'",
            "fields.default-aggregate-function | last_value | 'last_value'",
            "partial-update.remove-record-on-sequence-group | v | 'v'"})
    void testBadSequenceGroups(String key, String value, String named)
    {
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(table("merge-engine", "partial-update", key, value)), named);
    }

    @Test
    void testConflictingSequenceGroups()
    {
        assertPartialUpdateFails(new String[] {"fields.v.sequence-group", "b", "fields.s.sequence-group", "b"}, "'b'", "'fields.s.sequence-group'", "'fields.v.sequence-group'");
        // which of two orders would a sequence column have
        assertPartialUpdateFails(new String[] {"fields.v.sequence-group", "b", "fields.v,s.sequence-group", "list"}, "'v'");
        assertPartialUpdateFails(new String[] {"fields.v.sequence-group", "s", "fields.s.sequence-group", "b"}, "'s'");
        assertPartialUpdateFails(new String[] {"fields.v.sequence-group", "b", "partial-update.remove-record-on-sequence-group", "b"}, "'b'");
        assertPartialUpdateFails(
                new String[] {"fields.v.sequence-group", "b", "partial-update.remove-record-on-delete", "true"},
                "'partial-update.remove-record-on-delete'", "'partial-update.remove-record-on-sequence-group'");
        assertPartialUpdateFails(
                new String[] {"ignore-delete", "true", "partial-update.remove-record-on-delete", "true"},
                "'ignore-delete'", "'partial-update.remove-record-on-delete'");
        assertPartialUpdateFails(
                new String[] {"partial-update.ignore-delete", "true", "fields.v.sequence-group", "b", "partial-update.remove-record-on-sequence-group", "v"},
                "'ignore-delete'", "'partial-update.remove-record-on-sequence-group'");
        assertPartialUpdateFails(new String[] {"fields.v.sequence-group", "b,list", "fields.b.aggregate-function", "sum"}, "'b'", "'sum'");
        // the options mean nothing to other merge engines
        SchemaValidation.checkNew(table("fields.v.sequence-group", "b", "partial-update.remove-record-on-delete", "true", "ignore-delete", "true"));
    }

    private static void assertPartialUpdateFails(String[] options, String... parts)
    {
        List<String> all = ImmutableList.<String>builder().add("merge-engine", "partial-update").add(options).build();
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(table(all.toArray(String[]::new))), parts);
    }

    @Test
    void testFirstRow()
    {
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(table("merge-engine", "first-row", "sequence.field", "v")), "'sequence.field'", "'first-row'");
        for (String producer : List.of("input", "full-compaction")) {
            assertThatThrownBy(() -> SchemaValidation.checkNew(table("merge-engine", "first-row", "changelog-producer", producer)))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("'" + producer + "'");
        }
        assertThatThrownBy(() -> SchemaValidation.checkNew(table("merge-engine", "first-row", "deletion-vectors.enabled", "true")))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("'deletion-vectors.enabled'");
    }

    @Test
    void testConflictingOptions()
    {
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(table("sequence.field", "v", "fields.v.aggregate-function", "max")), "'fields.v.aggregate-function'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(table("changelog-producer", "lookup", "streaming-read-overwrite", "true")), "'streaming-read-overwrite'", "'lookup'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(table("snapshot.num-retained.min", "5", "snapshot.num-retained.max", "3")), "'snapshot.num-retained.min'", "'5'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkNew(schema(FIELDS, ImmutableList.of(), ImmutableList.of(), ImmutableMap.of("bucket", "1", "bucket-key", "k", "changelog-producer", "lookup"))), "'changelog-producer'", "primary key");
    }

    @Test
    void testKeys()
    {
        assertKeysFail(ImmutableList.of(), ImmutableList.of("nothing"), "'nothing'", "primary key");
        assertKeysFail(ImmutableList.of("nothing"), ImmutableList.of("k"), "'nothing'", "partitioning");
        assertKeysFail(ImmutableList.of(), ImmutableList.of("k", "k"), "'k'", "twice");
        assertKeysFail(ImmutableList.of("dt"), ImmutableList.of("dt"), "[dt]");
        assertKeysFail(ImmutableList.of("dt"), ImmutableList.of("k"), "'dt'", "[k]");
        assertKeysFail(ImmutableList.of(), ImmutableList.of("s"), "'s'", "NOT NULL");
        assertKeysFail(ImmutableList.of(), ImmutableList.of("list"), "'list'", "ARRAY<INT>");
        assertFails(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                () -> SchemaValidation.checkWritable(schema(FIELDS, ImmutableList.of("dt"), ImmutableList.of("k"), ImmutableMap.of("bucket", "1"))),
                "'dt'");
        assertFails(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                () -> SchemaValidation.checkWritable(schema(FIELDS, ImmutableList.of(), ImmutableList.of(), ImmutableMap.of("bucket", "-1", "deletion-vectors.enabled", "true"))),
                "'deletion-vectors.enabled'", "primary key");
        assertFails(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                () -> SchemaValidation.checkWritable(schema(FIELDS, ImmutableList.of(), ImmutableList.of(), ImmutableMap.of("bucket", "-2"))),
                "'bucket'", "'-2'");
        SchemaValidation.checkWritable(schema(FIELDS, ImmutableList.of(), ImmutableList.of(), ImmutableMap.of("bucket", "-1")));
        SchemaValidation.checkWritable(schema(FIELDS, ImmutableList.of(), ImmutableList.of("k"), ImmutableMap.of()));
        assertFails(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                () -> SchemaValidation.checkWritable(schema(FIELDS, ImmutableList.of(), ImmutableList.of("k"), ImmutableMap.of("bucket", "-2"))),
                "'bucket'", "'-2'", "copy the rows");
        assertFails(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                () -> SchemaValidation.checkWritable(schema(FIELDS, ImmutableList.of("dt"), ImmutableList.of("k"), ImmutableMap.of())),
                "'dt'", "copy the rows");
        for (String option : ImmutableList.of("dynamic-bucket.target-row-num", "dynamic-bucket.initial-buckets", "dynamic-bucket.max-buckets")) {
            assertFails(
                    StorageErrorCode.INVALID_OPTION,
                    () -> SchemaValidation.checkWritable(schema(FIELDS, ImmutableList.of(), ImmutableList.of("k"), ImmutableMap.of(option, "0"))),
                    option, "'0'");
        }
    }

    private static void assertKeysFail(List<String> partitionKeys, List<String> primaryKeys, String... parts)
    {
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> SchemaValidation.checkNew(schema(FIELDS, partitionKeys, primaryKeys, ImmutableMap.of("bucket", "1"))), parts);
    }

    @ParameterizedTest
    @ValueSource(strings = {"_SEQUENCE_NUMBER", "_sequence_number", "_VALUE_KIND", "_LEVEL", "rowkind", "ROWKIND", "_ROW_ID", "_KEY_k", "_key_x", "$snapshot_id", "$", ""})
    void testReservedColumnNames(String name)
    {
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> SchemaValidation.checkNew(schema(
                ImmutableList.of(field("k", "INT NOT NULL"), field(name, "INT")),
                ImmutableList.of(),
                ImmutableList.of("k"),
                ImmutableMap.of("bucket", "1"))));
    }

    @Test
    void testColumns()
    {
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> SchemaValidation.checkNew(schema(ImmutableList.of(), ImmutableList.of(), ImmutableList.of(), ImmutableMap.of())), "column");
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> SchemaValidation.checkNew(schema(ImmutableList.of(field("a", "INT"), field("a", "INT")), ImmutableList.of(), ImmutableList.of(), ImmutableMap.of())), "'a'", "twice");
        TableSchema variant = schema(ImmutableList.of(field("k", "INT NOT NULL"), field("v", "VARIANT")), ImmutableList.of(), ImmutableList.of("k"), ImmutableMap.of("bucket", "1"));
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaValidation.checkWritable(variant), "'v'", "VARIANT");
        SchemaValidation.checkReadable(variant);
    }

    @Test
    void testChanges()
    {
        assertThatCode(() -> SchemaValidation.checkChange(table(), table("changelog-producer", "lookup", "fields.v.aggregate-function", "sum", "num-levels", "4"), true)).doesNotThrowAnyException();
        assertThatCode(() -> SchemaValidation.checkChange(table(), table("merge-engine", "aggregation"), false)).doesNotThrowAnyException();
        assertThatCode(() -> SchemaValidation.checkChange(table(), table("merge-engine", "deduplicate"), true)).doesNotThrowAnyException();
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkChange(table(), table("merge-engine", "aggregation"), true), "'merge-engine'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkChange(table(), table("bucket-key", "k"), true), "'bucket-key'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkChange(table(), table("bucket", "-1"), true), "'bucket'", "'2'", "'-1'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkChange(table(), table("bucket", "4"), true), "'bucket'", "'2'", "'4'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkChange(table(), table("sequence.field", "v"), true), "'sequence.field'", "unset", "'v'");
        // directories are named by these
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkChange(table(), table("partition.default-name", "none"), true), "'partition.default-name'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkChange(table(), table("partition.legacy-name", "false"), true), "'partition.legacy-name'");
        assertThatCode(() -> SchemaValidation.checkChange(table(), table("partition.legacy-name", "TRUE"), true)).doesNotThrowAnyException();
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkChange(table("ignore-delete", "true"), table("ignore-delete", "false"), true), "'ignore-delete'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> SchemaValidation.checkChange(table("first-row.ignore-delete", "true"), table(), true), "'ignore-delete'");
        assertFails(
                StorageErrorCode.INVALID_SCHEMA,
                () -> SchemaValidation.checkChange(table(), schema(FIELDS, ImmutableList.of("dt"), ImmutableList.of("k", "dt"), ImmutableMap.of()), false),
                "primary key", "[dt, k]");
    }

    @Test
    void testBytesAsPartitions()
    {
        List<DataField> columns = FieldIds.renumber(ImmutableList.of(field("k", "INT NOT NULL"), field("p", "BYTES NOT NULL"))).fields();
        TableSchema schema = schema(columns, ImmutableList.of("p"), ImmutableList.of("p", "k"), ImmutableMap.of("bucket", "1"));
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> SchemaValidation.checkNew(schema), "'p'", "'partition.legacy-name'");
        assertThatCode(() -> SchemaValidation.checkNew(SchemaEdits.withOptions(schema, ImmutableMap.of("bucket", "1", "partition.legacy-name", "false")))).doesNotThrowAnyException();
    }

    /**
     * What is listed as unsupported is refused with every value but its default.
     */
    @Test
    void testCatalogIsConsistent()
    {
        for (KnownOption option : OptionCatalog.all()) {
            option.defaultValue().ifPresent(value -> option.checkValue(option.key(), value));
            if (option.support() == Support.UNSUPPORTED || option.support() == Support.LIMITED) {
                option.defaultValue().ifPresent(value -> assertThat(option.isWritable(option.key(), value)).as(option.key()).isTrue());
            }
            for (String writable : option.writableValues()) {
                assertThat(option.isWritable(option.key(), writable)).isTrue();
            }
            assertThat(OptionCatalog.nearest(option.key())).isEqualTo(option.key());
        }
    }

    private static void assertFails(StorageErrorCode code, Runnable runnable, String... parts)
    {
        assertThatThrownBy(runnable::run)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(code))
                .hasMessageContainingAll(parts.length == 0 ? new String[] {""} : parts);
    }
}
