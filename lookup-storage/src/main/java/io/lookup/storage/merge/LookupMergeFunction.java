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

import static java.util.Objects.requireNonNull;

/**
 * Merging where levels 1 and up hold complete states (tables that look up): of a key's versions there, only that of the
 * lowest level counts, since it contains the deeper ones; versions in level 0 and in memory are merged onto it. Reads
 * need this as much as compactions do, or a sum would be counted once for every level.
 */
final class LookupMergeFunction
        implements MergeFunction
{
    private final MergeFunction delegate;
    private final KeyGroups reduced = new KeyGroups();

    LookupMergeFunction(MergeFunction delegate)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
    }

    @Override
    public void mergeAll(KeyGroups groups, RowReferences results, boolean applyToSingleRows)
    {
        if (!hasSupersededRows(groups)) {
            delegate.mergeAll(groups, results, applyToSingleRows);
            return;
        }
        reduced.clear();
        for (int group = 0; group < groups.groupCount(); group++) {
            int highLevel = highLevelRow(groups, group);
            reduced.beginGroup(groups, group);
            boolean dropped = false;
            for (int row = groups.start(group); row < groups.end(group); row++) {
                if (groups.level(row) <= 0 || row == highLevel) {
                    reduced.addRow(groups.page(row), groups.position(row), groups.level(row));
                }
                else {
                    dropped = true;
                }
            }
            if (dropped) {
                reduced.markReduced();
            }
        }
        delegate.mergeAll(reduced, results, applyToSingleRows);
        reduced.clear();
    }

    private static boolean hasSupersededRows(KeyGroups groups)
    {
        if (groups.rowCount() == groups.groupCount()) {
            return false;
        }
        for (int group = 0; group < groups.groupCount(); group++) {
            int highLevelRows = 0;
            for (int row = groups.start(group); row < groups.end(group); row++) {
                if (groups.level(row) > 0) {
                    highLevelRows++;
                }
            }
            if (highLevelRows > 1) {
                return true;
            }
        }
        return false;
    }

    private static int highLevelRow(KeyGroups groups, int group)
    {
        int result = -1;
        for (int row = groups.start(group); row < groups.end(group); row++) {
            if (groups.level(row) > 0 && (result < 0 || groups.level(row) < groups.level(result))) {
                result = row;
            }
        }
        return result;
    }
}
