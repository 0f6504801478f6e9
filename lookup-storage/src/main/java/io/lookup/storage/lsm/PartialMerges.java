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

import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.SequenceGroups;

/**
 * Whether some neighbouring versions of a key may be merged before the others: whether that gives what a merge of all
 * versions at once gives, which is what a read shows. Where it does not, a compaction that leaves older versions in a
 * deeper level would change rows.
 * <ul>
 * <li>A removal followed by an insert makes one record that says nothing of the removal.
 * <li>A column that keeps its newest value that is not null takes an older value than the newest one where the newest
 * version by {@code sequence.field} has a null, and one that lies between arrives later. The same goes for sequence groups.
 * </ul>
 * Tables that look up do not depend on it: whatever leaves level 0 there is merged with the state of its key.
 */
final class PartialMerges
{
    private PartialMerges() {}

    static boolean areExact(CoreOptions options)
    {
        return switch (options.mergeEngine()) {
            case DEDUPLICATE, FIRST_ROW -> true;
            case AGGREGATION -> options.sequenceField().isEmpty() && !options.aggregationRemoveRecordOnDelete();
            case PARTIAL_UPDATE -> options.sequenceField().isEmpty() && !options.partialUpdateRemoveRecordOnDelete() && !SequenceGroups.areDefined(options);
        };
    }
}
