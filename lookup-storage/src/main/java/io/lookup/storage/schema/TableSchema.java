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

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * One version of a table's schema, as in {@code schema/schema-<id>}.
 *
 * @param version format version of the schema file, 3 for files written today
 * @param id number of this version, from 0
 * @param fields the columns in order
 * @param highestFieldId highest field id ever used, nested and dropped fields included
 * @param partitionKeys partition column names; empty for an unpartitioned table
 * @param primaryKeys primary-key column names; empty for an append-only table
 * @param options the explicitly set options only
 * @param timeMillis creation time of this version, epoch milliseconds
 */
public record TableSchema(
        int version,
        long id,
        List<DataField> fields,
        int highestFieldId,
        List<String> partitionKeys,
        List<String> primaryKeys,
        Map<String, String> options,
        Optional<String> comment,
        long timeMillis)
{
    public static final int CURRENT_VERSION = 3;

    public TableSchema
    {
        fields = ImmutableList.copyOf(fields);
        partitionKeys = ImmutableList.copyOf(partitionKeys);
        primaryKeys = ImmutableList.copyOf(primaryKeys);
        options = ImmutableMap.copyOf(options);
        requireNonNull(comment, "comment is null");
    }

    /**
     * The primary key without the partition columns, in primary-key order: what files are sorted by.
     */
    public List<String> trimmedPrimaryKeys()
    {
        return primaryKeys.stream()
                .filter(name -> !partitionKeys.contains(name))
                .collect(toImmutableList());
    }

    public List<DataField> trimmedPrimaryKeyFields()
    {
        return trimmedPrimaryKeys().stream().map(this::field).collect(toImmutableList());
    }

    public List<DataField> partitionFields()
    {
        return partitionKeys.stream().map(this::field).collect(toImmutableList());
    }

    public DataField field(String name)
    {
        return findField(name).orElseThrow(() -> new IllegalArgumentException("No column " + name));
    }

    public Optional<DataField> findField(String name)
    {
        return fields.stream()
                .filter(field -> field.name().equals(name))
                .findFirst();
    }

    public Optional<DataField> findField(int fieldId)
    {
        return fields.stream()
                .filter(field -> field.id() == fieldId)
                .findFirst();
    }

    /**
     * Position of the column among {@link #fields()}, or -1.
     */
    public int fieldIndex(String name)
    {
        for (int index = 0; index < fields.size(); index++) {
            if (fields.get(index).name().equals(name)) {
                return index;
            }
        }
        return -1;
    }
}
