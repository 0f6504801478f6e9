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
package io.lookup.storage.commit;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.MergeRules;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.SchemaValidation;
import io.lookup.storage.schema.TableSchema;

import java.util.List;
import java.util.Optional;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Whether the table is still the one that a statement wrote for.
 */
final class SchemaCheck
{
    /**
     * Options that decide where rows go, what they mean or where their changes are logged. Were one to change
     * between writing and committing, a change could be logged twice or not at all.
     */
    private static final List<String> DECISIVE_OPTIONS = ImmutableList.of(
            "bucket",
            "bucket-key",
            "bucket-function.type",
            "merge-engine",
            "changelog-producer",
            "sequence.field",
            "sequence.field.sort-order",
            "deletion-vectors.enabled");

    private final String tableName;
    private final TableSchema written;
    private final SchemaManager schemas;

    SchemaCheck(String tableName, TableSchema written, SchemaManager schemas)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.written = requireNonNull(written, "written is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
    }

    /**
     * @return id of the latest schema
     * @throws StorageException COMMIT_CONFLICT if the table was dropped or changed
     */
    long latestCompatible()
    {
        TableSchema latest = schemas.latest()
                .orElseThrow(() -> conflict("it was dropped"));
        if (latest.id() == written.id() && latest.timeMillis() == written.timeMillis()) {
            return latest.id();
        }
        if (latest.id() < written.id() || (latest.id() == written.id() && !latest.equals(written))) {
            throw conflict("it was dropped and created again");
        }
        if (!columns(latest).equals(columns(written))) {
            throw conflict(format("its columns changed (schema %s is now %s)", written.id(), latest.id()));
        }
        if (!latest.primaryKeys().equals(written.primaryKeys()) || !latest.partitionKeys().equals(written.partitionKeys())) {
            throw conflict(format("its keys changed (schema %s is now %s)", written.id(), latest.id()));
        }
        for (String option : DECISIVE_OPTIONS) {
            Optional<String> before = Optional.ofNullable(written.options().get(option));
            Optional<String> after = Optional.ofNullable(latest.options().get(option));
            if (!before.equals(after)) {
                throw conflict(format("its option %s changed from %s to %s", option, before.orElse("unset"), after.orElse("unset")));
            }
        }
        // of a table that has just become one with rows: where they lie and what they mean
        try {
            SchemaValidation.checkChange(written, latest, true);
        }
        catch (StorageException e) {
            throw conflict(format("it was altered (schema %s is now %s): %s", written.id(), latest.id(), e.getMessage()));
        }
        // a delete that was written for another rule might delete nothing
        MergeRules.changes(written, latest).stream().findFirst().ifPresent(key -> {
            throw conflict(format("its option %s changed (schema %s is now %s)", key, written.id(), latest.id()));
        });
        return latest.id();
    }

    private StorageException conflict(String reason)
    {
        return new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Table %s: %s while the statement ran; nothing was committed, run the statement again", tableName, reason));
    }

    private static List<DataField> columns(TableSchema schema)
    {
        // comments and defaults do not touch written rows
        return schema.fields().stream()
                .map(field -> new DataField(field.id(), field.name(), field.type()))
                .collect(ImmutableList.toImmutableList());
    }
}
