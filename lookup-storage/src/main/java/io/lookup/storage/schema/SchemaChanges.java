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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * What one schema version may change of the one before it.
 */
final class SchemaChanges
{
    // what stored rows mean, and where they lie
    private static final List<String> IMMUTABLE_OPTIONS = ImmutableList.of(
            "type",
            CoreOptions.BUCKET,
            CoreOptions.BUCKET_KEY,
            "bucket-function.type",
            "data-file.path-directory",
            CoreOptions.MERGE_ENGINE,
            CoreOptions.SEQUENCE_FIELD,
            "sequence.field.sort-order",
            "aggregation.remove-record-on-delete",
            "partial-update.remove-record-on-delete",
            "partial-update.remove-record-on-sequence-group",
            "rowkind.field",
            "dynamic-bucket.initial-buckets",
            "force-lookup",
            "row-tracking.enabled",
            "data-evolution.enabled",
            "index-file-in-data-file-dir",
            "blob-field",
            "blob-descriptor-field",
            "pk-clustering-override",
            "manifest.format");
    // names of partition directories
    private static final List<String> PATH_OPTIONS = ImmutableList.of("partition.default-name", "partition.legacy-name");

    private SchemaChanges() {}

    static void check(TableSchema before, TableSchema after, boolean hasSnapshots)
    {
        // the same table with its columns called as they are called afterwards
        Map<String, String> newNames = newNames(before, after);
        List<String> primaryKeys = rename(before.primaryKeys(), newNames);
        if (!primaryKeys.equals(after.primaryKeys())) {
            throw new StorageException(StorageErrorCode.INVALID_SCHEMA, "The primary key %s cannot be changed".formatted(before.primaryKeys()));
        }
        if (!rename(before.partitionKeys(), newNames).equals(after.partitionKeys())) {
            throw new StorageException(StorageErrorCode.INVALID_SCHEMA, "The partitioning %s cannot be changed".formatted(before.partitionKeys()));
        }
        if (!hasSnapshots) {
            return;
        }
        Map<String, String> optionsBefore = ColumnReferences.rename(before.options(), newNames);
        IMMUTABLE_OPTIONS.forEach(key -> checkSame(key, optionsBefore, after.options()));
        if (!before.partitionKeys().isEmpty()) {
            PATH_OPTIONS.forEach(key -> checkSame(key, optionsBefore, after.options()));
        }
        if (new CoreOptions(before.options()).ignoreDelete() && !new CoreOptions(after.options()).ignoreDelete()) {
            throw notOff("ignore-delete");
        }
        if (new CoreOptions(before.options()).ignoreUpdateBefore() && !new CoreOptions(after.options()).ignoreUpdateBefore()) {
            throw notOff("ignore-update-before");
        }
        for (DataField column : after.fields()) {
            if (!column.type().nullable() && before.findField(column.id()).isEmpty()) {
                throw new StorageException(
                        StorageErrorCode.UNSUPPORTED_FEATURE,
                        "Column '%s' cannot be added as NOT NULL: the table has snapshots, whose rows have no value of it".formatted(column.name()));
            }
        }
    }

    private static void checkSame(String key, Map<String, String> before, Map<String, String> after)
    {
        Optional<String> valueBefore = effective(before, key);
        Optional<String> valueAfter = effective(after, key);
        if (!valueBefore.equals(valueAfter)) {
            throw new StorageException(
                    StorageErrorCode.INVALID_OPTION,
                    "Option '%s' cannot be changed from %s to %s once the table has data; %s".formatted(key, text(valueBefore), text(valueAfter), remedy(key, valueAfter)));
        }
    }

    private static String remedy(String key, Optional<String> wanted)
    {
        if (key.equals(CoreOptions.BUCKET) && wanted.isPresent() && !wanted.get().startsWith("-")) {
            return "its rows would have to move: ALTER TABLE … EXECUTE rescale(bucket_num => %s)".formatted(wanted.get());
        }
        return "make a new table with it";
    }

    private static StorageException notOff(String key)
    {
        return new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' cannot be changed from 'true' to 'false' once the table has data".formatted(key));
    }

    private static String text(Optional<String> value)
    {
        return value.map("'%s'"::formatted).orElse("unset");
    }

    static Map<String, String> newNames(TableSchema before, TableSchema after)
    {
        Map<String, String> newNames = new HashMap<>();
        for (DataField field : before.fields()) {
            after.findField(field.id()).ifPresent(renamed -> newNames.put(field.name(), renamed.name()));
        }
        return newNames;
    }

    private static List<String> rename(List<String> columns, Map<String, String> newNames)
    {
        return columns.stream()
                .map(column -> newNames.getOrDefault(column, column))
                .collect(toImmutableList());
    }

    private static Optional<String> effective(Map<String, String> options, String key)
    {
        return Optional.ofNullable(options.get(key))
                .or(() -> OptionCatalog.find(key).flatMap(KnownOption::defaultValue))
                .map(value -> value.trim().toLowerCase(Locale.ROOT));
    }
}
