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
package io.lookup.storage.lsm;

import io.lookup.storage.schema.AggregateFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.SequenceGroups;
import io.lookup.storage.schema.TableSchema;

/**
 * Whether a merge can make something else of a key's only row. A table that looks up logs what the merge makes of it, so
 * a file with such rows must not rise as it is: table and log would differ until the key's next row.
 */
final class LoneRows
{
    private LoneRows() {}

    static boolean mayChange(TableSchema schema, CoreOptions options)
    {
        // a row that another engine wrote can have values of a sequence group of which it says nothing
        if (SequenceGroups.areDefined(options)) {
            return true;
        }
        return options.mergeEngine() == MergeEngine.AGGREGATION && schema.fields().stream()
                .anyMatch(field -> options.distinct(field.name())
                        && options.aggregateFunction(field.name()).flatMap(AggregateFunction::find).filter(AggregateFunction.COLLECT::equals).isPresent());
    }
}
