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

import io.trino.spi.Page;

import java.util.Arrays;

/**
 * The groups of a batch that a merge function builds results for, as opposed to those whose lone version is passed on.
 */
final class MergedGroups
{
    private MergedGroups() {}

    static int[] select(KeyGroups groups, boolean applyToSingleRows)
    {
        int[] merged = new int[groups.groupCount()];
        int count = 0;
        for (int group = 0; group < groups.groupCount(); group++) {
            if (applyToSingleRows || !groups.isLoneRow(group)) {
                merged[count++] = group;
            }
        }
        return Arrays.copyOf(merged, count);
    }

    /**
     * Where every group has one row.
     */
    static void addAll(KeyGroups groups, RowReferences results)
    {
        for (int row = 0; row < groups.rowCount(); row++) {
            results.add(groups.page(row), groups.position(row));
        }
    }

    /**
     * @param page one row a merged group, in order
     */
    static void addMerged(KeyGroups groups, int[] merged, Page page, RowReferences results)
    {
        int next = 0;
        for (int group = 0; group < groups.groupCount(); group++) {
            if (next < merged.length && merged[next] == group) {
                results.add(page, next);
                next++;
            }
            else {
                int row = groups.start(group);
                results.add(groups.page(row), groups.position(row));
            }
        }
    }
}
