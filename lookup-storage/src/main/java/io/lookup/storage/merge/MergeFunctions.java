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

import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.TableSchema;

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.StorageErrorCode.UNSUPPORTED_FEATURE;

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
     * @throws StorageException UNSUPPORTED_FEATURE for a merge engine or aggregate function that does not exist here;
     * INVALID_OPTION for options that contradict each other or a column's type
     */
    public static MergeFunction create(TableSchema schema, CoreOptions options, KeyValueLayout layout, boolean completeLevels)
    {
        MergeFunction function = switch (options.mergeEngine()) {
            case DEDUPLICATE -> new DeduplicateMergeFunction(layout, options.ignoreDelete());
            case AGGREGATION -> aggregation(schema, options, layout);
            case PARTIAL_UPDATE -> throw unsupported("partial-update");
            case FIRST_ROW -> throw unsupported("first-row");
        };
        return completeLevels && options.needLookup() ? new LookupMergeFunction(function) : function;
    }

    private static MergeFunction aggregation(TableSchema schema, CoreOptions options, KeyValueLayout layout)
    {
        List<Aggregator> aggregators = layout.columns().stream()
                .map(column -> Aggregators.create(schema, options, column))
                .collect(toImmutableList());
        return new AggregationMergeFunction(layout, aggregators, options.aggregationRemoveRecordOnDelete());
    }

    private static StorageException unsupported(String mergeEngine)
    {
        return new StorageException(UNSUPPORTED_FEATURE, "Option 'merge-engine' = '" + mergeEngine + "' is not supported; supported are deduplicate and aggregation");
    }
}
