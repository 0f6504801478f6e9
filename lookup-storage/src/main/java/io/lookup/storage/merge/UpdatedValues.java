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
package io.lookup.storage.merge;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.AggregateFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SequenceGroup;
import io.lookup.storage.schema.SequenceGroups;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.lookup.storage.StorageErrorCode.INVALID_ROW;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.lang.String.format;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * What the +U record of an UPDATE holds in a partial-update table, so that its merge with the older records of the key is the row
 * that the statement says: the key, {@code sequence.field}, the columns that were set, and all of their sequence groups, since a record
 * that advances a group sets all of it. The rest is null, which says nothing, so that the record stands in nobody's way; a column that cannot
 * be null keeps its value. In a group that the record sets, a column with a function holds what that passes over.
 */
public final class UpdatedValues
{
    private final Map<Integer, Block> values;
    private final Optional<String> refusal;
    private final List<Column> newestNonNull;
    private final List<Group> groups;

    private record Column(int channel, String name) {}

    /**
     * A group of which columns are set.
     */
    private record Group(List<Column> sequence, List<ValueComparator> comparators, List<Column> setMembers) {}

    private UpdatedValues(Map<Integer, Block> values, Optional<String> refusal, List<Column> newestNonNull, List<Group> groups)
    {
        this.values = ImmutableMap.copyOf(values);
        this.refusal = requireNonNull(refusal, "refusal is null");
        this.newestNonNull = ImmutableList.copyOf(newestNonNull);
        this.groups = ImmutableList.copyOf(groups);
    }

    /**
     * @param schema of a partial-update table
     * @param updatedColumns the columns that the statement sets, in lower case; no key columns
     */
    public static UpdatedValues of(TableSchema schema, CoreOptions options, Set<String> updatedColumns)
    {
        Set<String> set = schema.fields().stream()
                .map(DataField::name)
                .filter(name -> updatedColumns.contains(name.toLowerCase(ENGLISH)))
                .collect(toImmutableSet());
        SequenceGroups sequenceGroups = SequenceGroups.of(schema, options);
        ImmutableMap.Builder<Integer, Block> values = ImmutableMap.builder();
        ImmutableList.Builder<Column> newestNonNull = ImmutableList.builder();
        Optional<String> refusal = Optional.empty();
        for (DataField column : schema.fields()) {
            String name = column.name();
            if (schema.primaryKeys().contains(name) || options.sequenceField().contains(name)) {
                continue;
            }
            Type type = TrinoTypes.toTrinoType(column.type());
            Optional<SequenceGroup> group = sequenceGroups.groupOf(name);
            Optional<AggregateFunction> function = sequenceGroups.function(schema, options, name).flatMap(AggregateFunction::find);
            if (set.contains(name)) {
                boolean takesNewest = function.isEmpty() || function.get() == AggregateFunction.LAST_VALUE || function.get() == AggregateFunction.LAST_NON_NULL_VALUE;
                if (!takesNewest && refusal.isEmpty()) {
                    refusal = Optional.of("'fields.%s.aggregate-function' = '%s' would combine the new value with the old one".formatted(name, function.get().functionName()));
                }
                if (group.isEmpty() || function.filter(AggregateFunction.LAST_NON_NULL_VALUE::equals).isPresent()) {
                    newestNonNull.add(new Column(schema.fieldIndex(name), name));
                }
                continue;
            }
            if (group.isEmpty() || !isSaid(schema, group.get(), set)) {
                if (column.type().nullable()) {
                    values.put(schema.fieldIndex(name), writeNativeValue(type, null));
                }
                continue;
            }
            if (function.isEmpty() || keepsValue(function.get())) {
                continue;
            }
            Optional<Object> passedOver = PassedOverValue.of(function.get(), type);
            if (column.type().nullable()) {
                values.put(schema.fieldIndex(name), writeNativeValue(type, null));
            }
            else if (passedOver.isPresent()) {
                values.put(schema.fieldIndex(name), writeNativeValue(type, passedOver.get()));
            }
            else if (refusal.isEmpty()) {
                refusal = Optional.of("column %s of the same sequence group is NOT NULL, and 'fields.%s.aggregate-function' = '%s' would combine its value with itself".formatted(name, name, function.get().functionName()));
            }
        }
        List<Group> groups = sequenceGroups.groups().stream()
                .filter(group -> isSet(group, set))
                .map(group -> new Group(
                        columns(schema, group.sequenceColumns()),
                        group.sequenceColumns().stream().map(name -> ValueComparator.forType(TrinoTypes.toTrinoType(schema.field(name).type()))).collect(toImmutableList()),
                        columns(schema, group.members().stream().filter(set::contains).toList())))
                .collect(toImmutableList());
        return new UpdatedValues(values.buildOrThrow(), refusal, newestNonNull.build(), groups);
    }

    /**
     * Blocks of one position by channel; other columns have the values of the new row.
     */
    public Map<Integer, Block> values()
    {
        return values;
    }

    /**
     * Why no record makes such an update; empty if one does.
     */
    public Optional<String> refusal()
    {
        return refusal;
    }

    /**
     * Refuses a row that a merge would not become.
     *
     * @param newRow all columns of the table
     * @throws StorageException INVALID_ROW naming the column
     */
    public void check(String tableName, Page newRow, int newPosition, Page oldRow, int oldPosition)
    {
        for (Column column : newestNonNull) {
            if (newRow.getBlock(column.channel()).isNull(newPosition) && !oldRow.getBlock(column.channel()).isNull(oldPosition)) {
                throw new StorageException(INVALID_ROW, format(
                        "Column %s of table %s cannot be set to NULL where it has a value: its merge-engine is partial-update, to which NULL says that the value stays",
                        column.name(),
                        tableName));
            }
        }
        for (Group group : groups) {
            if (isOlder(group, newRow, newPosition, oldRow, oldPosition)) {
                throw new StorageException(INVALID_ROW, format(
                        "Column %s of table %s cannot be set to a smaller value than it has: it is the sequence of a sequence group, in which the larger one wins",
                        names(group.sequence()),
                        tableName));
            }
            boolean unsaid = group.sequence().stream().allMatch(column -> newRow.getBlock(column.channel()).isNull(newPosition));
            Optional<Column> lost = group.setMembers().stream().filter(column -> unsaid && !newRow.getBlock(column.channel()).isNull(newPosition)).findFirst();
            if (lost.isPresent()) {
                throw new StorageException(INVALID_ROW, format(
                        "Column %s of table %s cannot be set in a row in which %s is NULL: that is the sequence of its sequence group, without which a value does not count; set it too",
                        lost.get().name(),
                        tableName,
                        names(group.sequence())));
            }
        }
    }

    private static boolean isOlder(Group group, Page newRow, int newPosition, Page oldRow, int oldPosition)
    {
        for (int index = 0; index < group.sequence().size(); index++) {
            int channel = group.sequence().get(index).channel();
            int result = ValueComparator.compareNullsFirst(group.comparators().get(index), newRow.getBlock(channel), newPosition, oldRow.getBlock(channel), oldPosition);
            if (result != 0) {
                return result < 0;
            }
        }
        return false;
    }

    private static boolean isSet(SequenceGroup group, Set<String> set)
    {
        return group.sequenceColumns().stream().anyMatch(set::contains) || group.members().stream().anyMatch(set::contains);
    }

    /**
     * A group that has a column which cannot be null is in every record.
     */
    private static boolean isSaid(TableSchema schema, SequenceGroup group, Set<String> set)
    {
        return isSet(group, set)
                || group.sequenceColumns().stream().anyMatch(name -> !schema.field(name).type().nullable())
                || group.members().stream().anyMatch(name -> !schema.field(name).type().nullable() && !schema.primaryKeys().contains(name));
    }

    /**
     * Of these, the value that is there already gives the value that is there.
     */
    private static boolean keepsValue(AggregateFunction function)
    {
        return switch (function) {
            case FIRST_VALUE, FIRST_NON_NULL_VALUE, LAST_VALUE, LAST_NON_NULL_VALUE, PRIMARY_KEY, MIN, MAX, BOOL_AND, BOOL_OR, RBM32, RBM64, HLL_SKETCH, THETA_SKETCH -> true;
            case SUM, PRODUCT, LISTAGG, COLLECT, MERGE_MAP, MERGE_MAP_WITH_KEYTIME, NESTED_UPDATE, NESTED_PARTIAL_UPDATE -> false;
        };
    }

    private static List<Column> columns(TableSchema schema, List<String> names)
    {
        return names.stream().map(name -> new Column(schema.fieldIndex(name), name)).collect(toImmutableList());
    }

    private static String names(List<Column> columns)
    {
        return columns.stream().map(Column::name).collect(joining(", "));
    }
}
