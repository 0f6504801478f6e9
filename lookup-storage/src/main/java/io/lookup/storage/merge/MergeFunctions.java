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
import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.merge.PartialUpdateMergeFunction.ColumnRule;
import io.lookup.storage.merge.PartialUpdateMergeFunction.Retraction;
import io.lookup.storage.merge.UnsortedMergePageStream.VersionRule;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SequenceGroup;
import io.lookup.storage.schema.SequenceGroups;
import io.lookup.storage.schema.TableSchema;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Makes the merge function that a table's options ask for.
 */
public final class MergeFunctions
{
    private MergeFunctions() {}

    /**
     * @param layout may carry some of the table's columns only; columns that it leaves out are not computed
     * @param completeLevels under a table that looks up: whether each record above level 0 is known to be its key's
     * complete state, so that only the lowest of them counts; false: every record counts
     * @throws StorageException UNSUPPORTED_FEATURE for an aggregate function that does not exist here; INVALID_OPTION
     * for options that contradict each other or a column's type
     */
    public static MergeFunction create(TableSchema schema, CoreOptions options, KeyValueLayout layout, boolean completeLevels)
    {
        MergeFunction function = switch (options.mergeEngine()) {
            case DEDUPLICATE -> new DeduplicateMergeFunction(layout, options.ignoreDelete());
            case AGGREGATION -> aggregation(schema, options, layout);
            case PARTIAL_UPDATE -> partialUpdate(schema, options, layout);
            // chooses among the levels by itself
            case FIRST_ROW -> new FirstRowMergeFunction(layout, options.ignoreDelete());
        };
        boolean lookup = completeLevels && options.needLookup() && options.mergeEngine() != MergeEngine.FIRST_ROW;
        return lookup ? new LookupMergeFunction(function) : function;
    }

    /**
     * Parameters as of {@link #create}.
     *
     * @return how the result of a key is chosen where it is one of its versions
     */
    public static VersionRule versionRule(CoreOptions options, boolean completeLevels)
    {
        if (options.mergeEngine() != MergeEngine.DEDUPLICATE || options.ignoreDelete()) {
            return VersionRule.MERGED;
        }
        return completeLevels && options.needLookup() ? VersionRule.NEWEST_OF_LOWEST_LEVEL : VersionRule.NEWEST;
    }

    private static MergeFunction aggregation(TableSchema schema, CoreOptions options, KeyValueLayout layout)
    {
        List<Aggregator> aggregators = layout.columns().stream()
                .map(column -> Aggregators.create(schema, options, column))
                .collect(toImmutableList());
        return new AggregationMergeFunction(layout, aggregators, options.aggregationRemoveRecordOnDelete());
    }

    private static MergeFunction partialUpdate(TableSchema schema, CoreOptions options, KeyValueLayout layout)
    {
        List<String> names = layout.columns().stream().map(DataField::name).collect(toImmutableList());
        SequenceGroups groups = SequenceGroups.of(schema, options);
        Map<SequenceGroup, SequenceGroupMerge> merges = new LinkedHashMap<>();
        for (SequenceGroup group : groups.groups()) {
            // a projection may leave out whole groups
            if (names.containsAll(group.sequenceColumns())) {
                merges.put(group, new SequenceGroupMerge(
                        layout.types(),
                        group.sequenceColumns().stream().map(names::indexOf).collect(toImmutableList()),
                        group.removesRecord()));
            }
        }
        List<ColumnRule> rules = layout.columns().stream()
                .map(column -> columnRule(schema, options, groups, merges, column))
                .collect(toImmutableList());
        return new PartialUpdateMergeFunction(layout, rules, ImmutableList.copyOf(merges.values()), retraction(options, groups));
    }

    private static ColumnRule columnRule(TableSchema schema, CoreOptions options, SequenceGroups groups, Map<SequenceGroup, SequenceGroupMerge> merges, DataField column)
    {
        if (schema.primaryKeys().contains(column.name())) {
            return new ColumnRule.Key();
        }
        Optional<SequenceGroup> group = groups.groupOf(column.name());
        if (group.isEmpty()) {
            return new ColumnRule.NewestNonNull();
        }
        SequenceGroupMerge merge = merges.get(group.get());
        checkArgument(merge != null, "Column '%s' is read without the sequence columns %s of its group", column.name(), group.get().sequenceColumns());
        if (group.get().sequenceColumns().contains(column.name())) {
            return new ColumnRule.GroupSequence(merge);
        }
        if (groups.function(schema, options, column.name()).isPresent()) {
            return new ColumnRule.GroupAggregate(merge, Aggregators.create(schema, options, column));
        }
        return new ColumnRule.GroupMember(merge);
    }

    private static Retraction retraction(CoreOptions options, SequenceGroups groups)
    {
        if (options.ignoreDelete()) {
            return Retraction.IGNORED;
        }
        if (!groups.isEmpty()) {
            return Retraction.BY_SEQUENCE_GROUP;
        }
        return options.partialUpdateRemoveRecordOnDelete() ? Retraction.REMOVES_RECORD : Retraction.REFUSED;
    }
}
