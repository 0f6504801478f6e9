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

import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;

import static io.trino.spi.type.TinyintType.TINYINT;

/**
 * The newest version wins, with the kind it was stored with. With {@code ignore-delete}, retract rows that older files
 * still hold are passed over; only a key that has nothing else keeps its newest one.
 */
final class DeduplicateMergeFunction
        implements MergeFunction
{
    private final boolean ignoreDelete;
    private final int kindChannel;

    DeduplicateMergeFunction(KeyValueLayout layout, boolean ignoreDelete)
    {
        this.kindChannel = layout.kindChannel();
        this.ignoreDelete = ignoreDelete;
    }

    @Override
    public void mergeAll(KeyGroups groups, RowReferences results, boolean applyToSingleRows)
    {
        for (int group = 0; group < groups.groupCount(); group++) {
            int row = groups.end(group) - 1;
            if (ignoreDelete) {
                row = newestAdd(groups, group);
            }
            results.add(groups.page(row), groups.position(row));
        }
    }

    private int newestAdd(KeyGroups groups, int group)
    {
        int newest = groups.end(group) - 1;
        for (int row = newest; row >= groups.start(group); row--) {
            if (RowKind.isAdd(TINYINT.getByte(groups.page(row).getBlock(kindChannel), groups.position(row)))) {
                return row;
            }
        }
        return newest;
    }
}
