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

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What one schema version may change of the one before it.
 */
final class SchemaChanges
{
    private static final List<String> IMMUTABLE_OPTIONS = ImmutableList.of(
            "type",
            "bucket-key",
            "bucket-function.type",
            "data-file.path-directory",
            "merge-engine",
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
            "pk-clustering-override");

    private SchemaChanges() {}

    static void check(TableSchema before, TableSchema after, boolean hasSnapshots)
    {
        if (!before.primaryKeys().equals(after.primaryKeys())) {
            throw new StorageException(StorageErrorCode.INVALID_SCHEMA, "The primary key %s cannot be changed".formatted(before.primaryKeys()));
        }
        if (!before.partitionKeys().equals(after.partitionKeys())) {
            throw new StorageException(StorageErrorCode.INVALID_SCHEMA, "The partitioning %s cannot be changed".formatted(before.partitionKeys()));
        }
        if (!hasSnapshots) {
            return;
        }
        for (String key : IMMUTABLE_OPTIONS) {
            if (!effective(before, key).equals(effective(after, key))) {
                throw new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' cannot be changed once the table has data".formatted(key));
            }
        }
        int bucketBefore = new CoreOptions(before.options()).bucket();
        int bucketAfter = new CoreOptions(after.options()).bucket();
        if (bucketBefore != bucketAfter && (bucketBefore == -1 || bucketAfter == -1)) {
            throw new StorageException(
                    StorageErrorCode.INVALID_OPTION,
                    "Option 'bucket' cannot be changed from %s to %s once the table has data".formatted(bucketBefore, bucketAfter));
        }
        CoreOptions optionsBefore = new CoreOptions(before.options());
        CoreOptions optionsAfter = new CoreOptions(after.options());
        checkStaysOn("ignore-delete", optionsBefore.ignoreDelete(), optionsAfter.ignoreDelete());
        checkStaysOn("ignore-update-before", optionsBefore.ignoreUpdateBefore(), optionsAfter.ignoreUpdateBefore());
    }

    private static void checkStaysOn(String key, boolean before, boolean after)
    {
        if (before && !after) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' cannot be changed from true to false once the table has data".formatted(key));
        }
    }

    private static Optional<String> effective(TableSchema schema, String key)
    {
        return Optional.ofNullable(schema.options().get(key))
                .or(() -> OptionCatalog.find(key).flatMap(KnownOption::defaultValue))
                .map(value -> value.toLowerCase(Locale.ROOT));
    }
}
