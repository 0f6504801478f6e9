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

import com.google.common.collect.ImmutableSet;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.CoreOptions.MergeEngine;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a table may be. Messages name the option or column, the value and what to do; callers know the table.
 */
public final class SchemaValidation
{
    private static final Set<TypeRoot> NESTED_TYPES = ImmutableSet.of(TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET, TypeRoot.ROW);
    // compared in lower case, since column names of Parquet files are resolved without regard to case
    private static final Set<String> RESERVED_NAMES = ImmutableSet.of("_sequence_number", "_value_kind", "_level", "rowkind", "_row_id");
    private static final String KEY_PREFIX = "_key_";
    private static final String HIDDEN_PREFIX = "$";

    private SchemaValidation() {}

    /**
     * Checks a schema version that is about to be written by CREATE or ALTER: the format's own rules, and that every
     * option is known and supported.
     *
     * @throws StorageException INVALID_SCHEMA, INVALID_OPTION or UNSUPPORTED_FEATURE
     */
    public static void checkNew(TableSchema schema)
    {
        schema.options().forEach(OptionCatalog::check);
        checkColumns(schema);
        checkKeys(schema);
        CoreOptions options = new CoreOptions(schema.options());
        checkBucket(schema, options);
        checkFieldOptions(schema);
        checkSequenceField(schema, options);
        checkRowKindField(schema, options);
        checkChangelog(schema, options);
        checkDeletionVectors(options);
        checkRetention(options);
        checkPartitionNames(schema, options);
        MergeEngineSupport.check(schema, options);
        checkWritable(schema);
    }

    /**
     * Checks what a schema change must leave alone once there is data. Whether {@code deletion-vectors.enabled} may change
     * depends on the data and is not asked here.
     *
     * @throws StorageException INVALID_OPTION or INVALID_SCHEMA naming what cannot change
     */
    public static void checkChange(TableSchema before, TableSchema after, boolean hasSnapshots)
    {
        SchemaChanges.check(before, after, hasSnapshots);
    }

    /**
     * Checks that rows can be written so that every reader of the format understands them as the table says.
     *
     * @throws StorageException UNSUPPORTED_FEATURE naming the option and the value
     */
    public static void checkWritable(TableSchema schema)
    {
        for (Map.Entry<String, String> entry : schema.options().entrySet()) {
            KnownOption option = OptionCatalog.find(entry.getKey()).orElseThrow(() -> new StorageException(
                    StorageErrorCode.UNSUPPORTED_FEATURE,
                    "Option '%s' = '%s' is unknown, so the table can only be read; did you mean '%s'?".formatted(entry.getKey(), entry.getValue(), OptionCatalog.nearest(entry.getKey()))));
            OptionCatalog.checkWritable(option, entry.getKey(), entry.getValue());
        }
        for (DataField field : schema.fields()) {
            if (contains(field.type(), TypeRoot.VARIANT)) {
                throw unsupported("Column '%s' of type %s can only be read".formatted(field.name(), TypeJson.format(field.type())));
            }
        }
        CoreOptions options = new CoreOptions(schema.options());
        if (schema.primaryKeys().isEmpty()) {
            checkAppendOnly(options);
            return;
        }
        if (options.bucket() != -1 && options.bucket() < 1) {
            throw unsupported("Option 'bucket' = '%s' is not supported for writing: rows would wait, unseen, for a compaction that gives them buckets; make a table with a number of buckets from 1, or with -1 for buckets that grow with the keys, and copy the rows".formatted(options.bucket()));
        }
        for (String name : schema.partitionKeys()) {
            if (!schema.primaryKeys().contains(name)) {
                throw unsupported("Writing is not supported where the primary key %s lacks the partition column '%s', since a row could move between partitions; make a table whose primary key has all partition columns, and copy the rows".formatted(schema.primaryKeys(), name));
            }
        }
        if (options.bucket() == -1) {
            DynamicBucketOptions.of(schema);
        }
        MergeEngineSupport.checkSupported(schema, options);
    }

    private static void checkAppendOnly(CoreOptions options)
    {
        if (options.bucket() != -1 && options.bucket() < 1) {
            throw unsupported("Option 'bucket' = '%s' is not supported for writing a table without a primary key; supported are -1 and numbers from 1".formatted(options.bucket()));
        }
        if (options.deletionVectorsEnabled()) {
            throw unsupported("Option 'deletion-vectors.enabled' = 'true' is not supported for writing a table without a primary key");
        }
        options.rowKindField().ifPresent(field -> {
            throw unsupported("Option 'rowkind.field' = '%s' is not supported for writing a table without a primary key, whose rows are all inserts".formatted(field));
        });
    }

    /**
     * Checks that reading gives what the table says. Files in a format that cannot be read are found when they are opened.
     *
     * @throws StorageException UNSUPPORTED_FEATURE naming the option and the value
     */
    public static void checkReadable(TableSchema schema)
    {
        ReadSupport.check(schema);
    }

    /**
     * @throws StorageException INVALID_SCHEMA naming the column
     */
    public static void checkColumnName(String name)
    {
        String lowerCase = name.toLowerCase(Locale.ROOT);
        if (name.isEmpty()) {
            throw invalidSchema("A column name must not be empty");
        }
        if (RESERVED_NAMES.contains(lowerCase) || lowerCase.startsWith(KEY_PREFIX) || name.startsWith(HIDDEN_PREFIX)) {
            throw invalidSchema("Column name '%s' is reserved; choose a name other than %s, and not beginning with %s or %s".formatted(
                    name,
                    String.join(", ", RESERVED_NAMES),
                    KEY_PREFIX,
                    HIDDEN_PREFIX));
        }
    }

    private static void checkColumns(TableSchema schema)
    {
        if (schema.fields().isEmpty()) {
            throw invalidSchema("A table needs at least one column");
        }
        Set<String> names = new HashSet<>();
        for (DataField field : schema.fields()) {
            checkColumnName(field.name());
            if (TypeDepth.of(field.type()) > TypeDepth.MAX) {
                throw invalidSchema("Column '%s' nests types %s deep; the most is %s".formatted(field.name(), TypeDepth.of(field.type()), TypeDepth.MAX));
            }
            if (!names.add(field.name())) {
                throw invalidSchema("Column '%s' is defined twice".formatted(field.name()));
            }
        }
    }

    private static void checkKeys(TableSchema schema)
    {
        checkKey(schema, schema.primaryKeys(), "primary key");
        checkKey(schema, schema.partitionKeys(), "partitioning");
        if (schema.primaryKeys().isEmpty()) {
            return;
        }
        if (schema.trimmedPrimaryKeys().isEmpty()) {
            throw invalidSchema("The primary key %s needs a column besides the partition columns %s".formatted(schema.primaryKeys(), schema.partitionKeys()));
        }
        for (String name : schema.primaryKeys()) {
            if (schema.field(name).type().nullable()) {
                throw invalidSchema("Primary-key column '%s' must be NOT NULL".formatted(name));
            }
        }
        for (String name : schema.partitionKeys()) {
            if (!schema.primaryKeys().contains(name)) {
                throw invalidSchema("Partition column '%s' must be part of the primary key %s when the number of buckets is fixed".formatted(name, schema.primaryKeys()));
            }
        }
    }

    private static void checkPartitionNames(TableSchema schema, CoreOptions options)
    {
        for (DataField field : schema.partitionFields()) {
            TypeRoot root = field.type().root();
            if ((root == TypeRoot.BINARY || root == TypeRoot.VARBINARY) && options.partitionLegacyName()) {
                throw unsupported("Partition column '%s' is of type %s, whose values have no directory names while option 'partition.legacy-name' is true; set it to false".formatted(field.name(), root));
            }
        }
    }

    private static void checkKey(TableSchema schema, List<String> names, String role)
    {
        Set<String> seen = new HashSet<>();
        for (String name : names) {
            DataField field = schema.findField(name)
                    .orElseThrow(() -> invalidSchema("Column '%s' of the %s does not exist".formatted(name, role)));
            if (!seen.add(name)) {
                throw invalidSchema("Column '%s' stands twice in the %s".formatted(name, role));
            }
            if (NESTED_TYPES.contains(field.type().root()) || field.type().root() == TypeRoot.VARIANT) {
                throw invalidSchema("Column '%s' of type %s cannot be part of the %s".formatted(name, TypeJson.format(field.type()), role));
            }
        }
    }

    private static void checkBucket(TableSchema schema, CoreOptions options)
    {
        int bucket = options.bucket();
        List<String> bucketKey = options.bucketKey();
        if (bucket < -2 || bucket == 0 || bucket == -2 && schema.primaryKeys().isEmpty()) {
            throw OptionValues.invalid(CoreOptions.BUCKET, Integer.toString(bucket), "at least 1");
        }
        if (bucket == -1 && !bucketKey.isEmpty()) {
            throw invalidOption("Option 'bucket-key' needs a fixed number of buckets; set 'bucket' to at least 1");
        }
        if (bucket > 0 && schema.primaryKeys().isEmpty() && bucketKey.isEmpty()) {
            throw invalidOption("Option 'bucket' = '%s' on a table without a primary key needs 'bucket-key'".formatted(bucket));
        }
        Set<String> seen = new HashSet<>();
        for (String name : bucketKey) {
            Optional<DataField> field = schema.findField(name);
            if (field.isEmpty() || !seen.add(name)) {
                throw OptionValues.invalid(CoreOptions.BUCKET_KEY, String.join(",", bucketKey), "a list of different columns");
            }
            if (NESTED_TYPES.contains(field.get().type().root())) {
                throw invalidOption("Option 'bucket-key': column '%s' of type %s cannot be a bucket key".formatted(name, TypeJson.format(field.get().type())));
            }
            if (schema.partitionKeys().contains(name) || !schema.primaryKeys().isEmpty() && !schema.primaryKeys().contains(name)) {
                throw invalidOption("Option 'bucket-key': column '%s' must be a primary-key column that is not a partition column".formatted(name));
            }
        }
    }

    private static void checkFieldOptions(TableSchema schema)
    {
        for (String key : schema.options().keySet()) {
            FieldOptionKey.parse(key).ifPresent(fieldKey -> fieldKey.columns().forEach(column -> checkColumnExists(schema, key, column)));
        }
    }

    private static void checkSequenceField(TableSchema schema, CoreOptions options)
    {
        Set<String> seen = new HashSet<>();
        for (String name : options.sequenceField()) {
            DataField field = checkColumnExists(schema, CoreOptions.SEQUENCE_FIELD, name);
            if (!seen.add(name)) {
                throw invalidOption("Option 'sequence.field' names column '%s' twice".formatted(name));
            }
            if (NESTED_TYPES.contains(field.type().root()) || field.type().root() == TypeRoot.VARIANT) {
                throw invalidOption("Option 'sequence.field': column '%s' of type %s cannot be compared".formatted(name, TypeJson.format(field.type())));
            }
            String functionKey = CoreOptions.FIELDS_PREFIX + name + "." + CoreOptions.AGGREGATE_FUNCTION;
            if (options.get(functionKey).isPresent()) {
                throw invalidOption("Option '%s' must not be set, since the column is a sequence field".formatted(functionKey));
            }
        }
        if (!seen.isEmpty() && options.mergeEngine() == MergeEngine.FIRST_ROW) {
            throw invalidOption("Option 'sequence.field' cannot be used with 'merge-engine' = 'first-row'");
        }
    }

    private static void checkRowKindField(TableSchema schema, CoreOptions options)
    {
        options.rowKindField().ifPresent(name -> {
            DataField field = checkColumnExists(schema, CoreOptions.ROW_KIND_FIELD, name);
            if (field.type().root() != TypeRoot.VARCHAR && field.type().root() != TypeRoot.CHAR) {
                throw invalidOption("Option '%s' names column '%s' of type %s, but a row kind is a text".formatted(CoreOptions.ROW_KIND_FIELD, name, TypeJson.format(field.type())));
            }
        });
    }

    private static void checkChangelog(TableSchema schema, CoreOptions options)
    {
        ChangelogProducer producer = options.changelogProducer();
        if (options.mergeEngine() == MergeEngine.FIRST_ROW && producer != ChangelogProducer.NONE && producer != ChangelogProducer.LOOKUP) {
            throw invalidOption("Option 'changelog-producer' = '%s' cannot be used with 'merge-engine' = 'first-row'; use none or lookup".formatted(OptionValues.enumText(producer)));
        }
        if (options.mergeEngine() == MergeEngine.FIRST_ROW && options.deletionVectorsEnabled()) {
            throw invalidOption("Option 'deletion-vectors.enabled' cannot be used with 'merge-engine' = 'first-row', which never replaces a row");
        }
        if (schema.primaryKeys().isEmpty() && producer != ChangelogProducer.NONE) {
            throw invalidOption("Option 'changelog-producer' = '%s' needs a primary key".formatted(OptionValues.enumText(producer)));
        }
        if (options.streamingReadOverwrite() && (producer == ChangelogProducer.LOOKUP || producer == ChangelogProducer.FULL_COMPACTION)) {
            throw invalidOption("Option 'streaming-read-overwrite' cannot be used with 'changelog-producer' = '%s': changes would be read twice".formatted(OptionValues.enumText(producer)));
        }
        if (options.mergeEngine() == MergeEngine.FIRST_ROW && producer != ChangelogProducer.NONE && producer != ChangelogProducer.LOOKUP) {
            throw invalidOption("Option 'changelog-producer' = '%s' cannot be used with 'merge-engine' = 'first-row'; use none or lookup".formatted(OptionValues.enumText(producer)));
        }
        if (options.deletionVectorsEnabled() && producer == ChangelogProducer.FULL_COMPACTION) {
            throw invalidOption("Option 'changelog-producer' = '%s' cannot be used with 'deletion-vectors.enabled'; use none, input or lookup".formatted(OptionValues.enumText(producer)));
        }
        if (options.fullCompactionDeltaCommits().isPresent() && options.fullCompactionDeltaCommits().getAsInt() < 1) {
            throw OptionValues.invalid(CoreOptions.FULL_COMPACTION_DELTA_COMMITS, Integer.toString(options.fullCompactionDeltaCommits().getAsInt()), "at least 1");
        }
        for (String name : options.changelogRowDeduplicateIgnoreFields()) {
            checkColumnExists(schema, "changelog-producer.row-deduplicate-ignore-fields", name);
        }
    }

    private static void checkDeletionVectors(CoreOptions options)
    {
        if (!options.deletionVectorsEnabled()) {
            return;
        }
        if (options.changelogProducer() == ChangelogProducer.FULL_COMPACTION) {
            throw invalidOption("Option 'deletion-vectors.enabled' cannot be used with 'changelog-producer' = 'full-compaction'");
        }
        if (options.mergeEngine() == MergeEngine.FIRST_ROW) {
            throw invalidOption("Option 'deletion-vectors.enabled' cannot be used with 'merge-engine' = 'first-row', which never replaces a row");
        }
    }

    private static void checkRetention(CoreOptions options)
    {
        checkRange("snapshot.num-retained", options.retention().snapshotNumRetainedMin(), options.retention().snapshotNumRetainedMax());
        checkRange("changelog.num-retained", options.retention().changelogNumRetainedMin(), options.retention().changelogNumRetainedMax());
    }

    private static void checkRange(String key, int min, int max)
    {
        if (min < 1) {
            throw OptionValues.invalid(key + ".min", Integer.toString(min), "at least 1");
        }
        if (min > max) {
            throw OptionValues.invalid(key + ".min", Integer.toString(min), "at most '%s.max', which is %s".formatted(key, max));
        }
    }

    private static DataField checkColumnExists(TableSchema schema, String key, String column)
    {
        return schema.findField(column)
                .orElseThrow(() -> invalidOption("Option '%s' names column '%s', which does not exist".formatted(key, column)));
    }

    private static boolean contains(DataType type, TypeRoot root)
    {
        return switch (type) {
            case DataType.ScalarType scalar -> scalar.root() == root;
            case DataType.ArrayType array -> contains(array.element(), root);
            case DataType.MultisetType multiset -> contains(multiset.element(), root);
            case DataType.MapType map -> contains(map.key(), root) || contains(map.value(), root);
            case DataType.RowType row -> row.fields().stream().anyMatch(field -> contains(field.type(), root));
        };
    }

    private static StorageException invalidSchema(String message)
    {
        return new StorageException(StorageErrorCode.INVALID_SCHEMA, message);
    }

    private static StorageException invalidOption(String message)
    {
        return new StorageException(StorageErrorCode.INVALID_OPTION, message);
    }

    private static StorageException unsupported(String message)
    {
        return new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, message);
    }
}
