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
package io.lookup.storage.catalog;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.FieldIds;
import io.lookup.storage.schema.FieldIds.NumberedFields;
import io.lookup.storage.schema.SchemaValidation;
import io.lookup.storage.schema.TableSchema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * What a table is to be.
 *
 * @param fields columns in order; their ids do not matter
 * @param partitionKeys names of columns; empty for an unpartitioned table
 * @param primaryKeys names of columns; empty for an append-only table
 * @param options those that are set
 */
public record TableDefinition(List<DataField> fields, List<String> partitionKeys, List<String> primaryKeys, Map<String, String> options, Optional<String> comment)
{
    public TableDefinition
    {
        fields = ImmutableList.copyOf(fields);
        partitionKeys = ImmutableList.copyOf(partitionKeys);
        primaryKeys = ImmutableList.copyOf(primaryKeys);
        options = ImmutableMap.copyOf(options);
        requireNonNull(comment, "comment is null");
    }

    public static TableDefinition of(TableSchema schema)
    {
        return new TableDefinition(schema.fields(), schema.partitionKeys(), schema.primaryKeys(), schema.options(), schema.comment());
    }

    /**
     * The first version: fields are numbered, key columns are NOT NULL, and {@code bucket} is written even if it was not given, since its absence
     * means something else to other engines.
     *
     * @throws io.lookup.storage.StorageException INVALID_SCHEMA, INVALID_OPTION, UNSUPPORTED_FEATURE
     */
    TableSchema firstVersion()
    {
        NumberedFields numbered = FieldIds.renumber(fields.stream()
                .map(field -> primaryKeys.contains(field.name()) ? notNull(field) : field)
                .collect(toImmutableList()));
        Map<String, String> allOptions = new HashMap<>(options);
        allOptions.putIfAbsent(CoreOptions.BUCKET, primaryKeys.isEmpty() ? "-1" : "1");
        TableSchema schema = new TableSchema(
                TableSchema.CURRENT_VERSION,
                0,
                numbered.fields(),
                numbered.highestFieldId(),
                partitionKeys,
                primaryKeys,
                ImmutableMap.copyOf(allOptions),
                comment,
                System.currentTimeMillis());
        SchemaValidation.checkNew(schema);
        return schema;
    }

    private static DataField notNull(DataField field)
    {
        return new DataField(field.id(), field.name(), field.type().withNullable(false), field.description(), field.defaultValue());
    }
}
