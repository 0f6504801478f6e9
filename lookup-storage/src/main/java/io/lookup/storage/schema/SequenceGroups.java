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

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.CoreOptions.MergeEngine;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The sequence groups of a partial-update table, and what its options may say of them.
 */
public final class SequenceGroups
{
    public static final String SEQUENCE_GROUP = "sequence-group";
    public static final String REMOVE_RECORD_ON_DELETE = "partial-update.remove-record-on-delete";
    public static final String REMOVE_RECORD_ON_SEQUENCE_GROUP = "partial-update.remove-record-on-sequence-group";

    private static final String LAST_NON_NULL_VALUE = "last_non_null_value";
    // as in the format: a blank belongs to the column's name
    private static final Splitter COLUMNS = Splitter.on(',');

    private final List<SequenceGroup> groups;
    private final Map<String, SequenceGroup> groupsByColumn;

    private SequenceGroups(List<SequenceGroup> groups, Map<String, SequenceGroup> groupsByColumn)
    {
        this.groups = ImmutableList.copyOf(groups);
        this.groupsByColumn = ImmutableMap.copyOf(groupsByColumn);
    }

    /**
     * Empty for other merge engines, which pay no attention to the options.
     *
     * @throws StorageException INVALID_OPTION for a column that does not exist or is in two groups, and for options that
     * contradict each other
     */
    public static SequenceGroups of(TableSchema schema, CoreOptions options)
    {
        if (options.mergeEngine() != MergeEngine.PARTIAL_UPDATE) {
            return new SequenceGroups(ImmutableList.of(), ImmutableMap.of());
        }
        Optional<List<String>> removing = options.get(REMOVE_RECORD_ON_SEQUENCE_GROUP).map(COLUMNS::splitToList);
        ImmutableList.Builder<SequenceGroup> groups = ImmutableList.builder();
        Map<String, SequenceGroup> byColumn = new HashMap<>();
        Map<String, String> keysByColumn = new HashMap<>();
        Set<String> sequenceColumns = new HashSet<>();
        // in the order of the keys, so that the first error does not depend on the map
        new TreeMap<>(options.asMap()).forEach((key, value) -> {
            Optional<FieldOptionKey> fieldKey = FieldOptionKey.parse(key).filter(parsed -> parsed.suffix().equals(SEQUENCE_GROUP));
            if (fieldKey.isEmpty()) {
                return;
            }
            List<String> sequence = fieldKey.get().columns();
            List<String> members = COLUMNS.splitToList(value).stream().filter(column -> !sequence.contains(column)).collect(ImmutableList.toImmutableList());
            SequenceGroup group = new SequenceGroup(sequence, members, removing.map(columns -> columns.stream().anyMatch(sequence::contains)).orElse(false));
            groups.add(group);
            sequenceColumns.addAll(sequence);
            for (String column : ImmutableList.<String>builder().addAll(sequence).addAll(members).build()) {
                checkColumn(schema, key, column, sequence.contains(column));
                String other = keysByColumn.put(column, key);
                if (other != null) {
                    throw invalid("Column '%s' is in the sequence groups of '%s' and '%s'; a column can be in one, once".formatted(column, other, key));
                }
                byColumn.put(column, group);
            }
        });
        SequenceGroups result = new SequenceGroups(groups.build(), byColumn);
        result.checkRemoval(options, removing, sequenceColumns);
        result.checkFunctions(schema, options, sequenceColumns);
        return result;
    }

    /**
     * Whether the options name any group, right or wrong.
     */
    public static boolean areDefined(CoreOptions options)
    {
        return options.mergeEngine() == MergeEngine.PARTIAL_UPDATE
                && options.asMap().keySet().stream().anyMatch(key -> FieldOptionKey.parse(key).filter(parsed -> parsed.suffix().equals(SEQUENCE_GROUP)).isPresent());
    }

    public boolean isEmpty()
    {
        return groups.isEmpty();
    }

    public List<SequenceGroup> groups()
    {
        return groups;
    }

    /**
     * The group that the column is in, as one of its sequence columns or as a member.
     */
    public Optional<SequenceGroup> groupOf(String column)
    {
        return Optional.ofNullable(groupsByColumn.get(column));
    }

    /**
     * Whether a -D of some group removes the row of its key.
     */
    public boolean removeRecords()
    {
        return groups.stream().anyMatch(SequenceGroup::removesRecord);
    }

    /**
     * The aggregate function that a member column is combined with; empty for columns that take the newest value.
     */
    public Optional<String> function(TableSchema schema, CoreOptions options, String column)
    {
        SequenceGroup group = groupsByColumn.get(column);
        if (group == null || group.sequenceColumns().contains(column) || schema.primaryKeys().contains(column)) {
            return Optional.empty();
        }
        return options.aggregateFunction(column);
    }

    private void checkRemoval(CoreOptions options, Optional<List<String>> removing, Set<String> sequenceColumns)
    {
        boolean removeOnDelete = options.partialUpdateRemoveRecordOnDelete();
        if (options.ignoreDelete() && removeOnDelete) {
            throw exclusive("ignore-delete", REMOVE_RECORD_ON_DELETE);
        }
        if (options.ignoreDelete() && removing.isPresent()) {
            throw exclusive("ignore-delete", REMOVE_RECORD_ON_SEQUENCE_GROUP);
        }
        if (removeOnDelete && !groups.isEmpty()) {
            throw invalid("Option '%s' cannot be used with sequence groups; use '%s'".formatted(REMOVE_RECORD_ON_DELETE, REMOVE_RECORD_ON_SEQUENCE_GROUP));
        }
        removing.ifPresent(columns -> columns.forEach(column -> {
            if (!sequenceColumns.contains(column)) {
                throw invalid("Option '%s' names column '%s', which is not a sequence column of a sequence group".formatted(REMOVE_RECORD_ON_SEQUENCE_GROUP, column));
            }
        }));
    }

    private void checkFunctions(TableSchema schema, CoreOptions options, Set<String> sequenceColumns)
    {
        for (DataField field : schema.fields()) {
            if (sequenceColumns.contains(field.name()) || schema.primaryKeys().contains(field.name())) {
                continue;
            }
            Optional<String> function = options.aggregateFunction(field.name());
            if (function.isPresent() && !function.get().equals(LAST_NON_NULL_VALUE) && !groupsByColumn.containsKey(field.name())) {
                throw invalid("Column '%s' has the aggregate function '%s', but is in no sequence group; add it to one with 'fields.<sequence column>.%s'".formatted(field.name(), function.get(), SEQUENCE_GROUP));
            }
        }
    }

    private static void checkColumn(TableSchema schema, String key, String column, boolean compared)
    {
        Optional<DataField> field = schema.findField(column);
        if (field.isEmpty()) {
            throw invalid("Option '%s' names column '%s', which does not exist".formatted(key, column));
        }
        if (compared && (!(field.get().type() instanceof DataType.ScalarType) || field.get().type().root() == TypeRoot.VARIANT)) {
            throw invalid("Option '%s': column '%s' of type %s cannot be compared".formatted(key, column, TypeJson.format(field.get().type())));
        }
    }

    private static StorageException exclusive(String first, String second)
    {
        return invalid("Options '%s' and '%s' exclude each other: remove one of them".formatted(first, second));
    }

    private static StorageException invalid(String message)
    {
        return new StorageException(StorageErrorCode.INVALID_OPTION, message);
    }
}
