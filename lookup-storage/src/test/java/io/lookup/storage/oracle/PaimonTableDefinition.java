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
package io.lookup.storage.oracle;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

import java.util.List;
import java.util.Map;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * A table as a CREATE TABLE would state it, free of any engine's types.
 */
public record PaimonTableDefinition(List<Column> columns, List<String> primaryKey, List<String> partitionKeys, Map<String, String> options)
{
    public PaimonTableDefinition
    {
        columns = ImmutableList.copyOf(columns);
        primaryKey = ImmutableList.copyOf(primaryKey);
        partitionKeys = ImmutableList.copyOf(partitionKeys);
        options = ImmutableMap.copyOf(options);
    }

    /**
     * The same table with more options.
     */
    public PaimonTableDefinition withOptions(Map<String, String> more)
    {
        return new PaimonTableDefinition(columns, primaryKey, partitionKeys, ImmutableMap.<String, String>builder().putAll(options).putAll(more).buildKeepingLast());
    }

    public int columnIndex(String name)
    {
        for (int index = 0; index < columns.size(); index++) {
            if (columns.get(index).name().equals(name)) {
                return index;
            }
        }
        throw new IllegalArgumentException("No such column: " + name);
    }

    /**
     * The positions of the primary-key columns, in primary-key order.
     */
    public List<Integer> keyIndexes()
    {
        return primaryKey.stream()
                .map(this::columnIndex)
                .collect(ImmutableList.toImmutableList());
    }

    /**
     * @param type the type as a Paimon schema file writes it: an atomic type such as {@code DECIMAL(9, 2) NOT NULL}, or the JSON object of an
     * array, map, multiset or row
     */
    public record Column(String name, String type)
    {
        public Column
        {
            requireNonNull(name, "name is null");
            requireNonNull(type, "type is null");
            checkArgument(!name.isEmpty(), "name is empty");
        }
    }
}
