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
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.RetractOptions;

import static io.lookup.storage.StorageErrorCode.UNSUPPORTED_FEATURE;
import static io.trino.spi.type.TinyintType.TINYINT;

/**
 * The oldest version wins. A version above level 0 was already visible and stays, even where a writer that began earlier
 * gave a lower sequence number to a row that came later.
 * <p>
 * Retract rows do not exist here; with {@code ignore-delete}, those that older files still hold are passed over, and a
 * key that has nothing else keeps its newest one, which nobody sees.
 */
final class FirstRowMergeFunction
        implements MergeFunction
{
    private final boolean ignoreDelete;
    private final int kindChannel;

    FirstRowMergeFunction(KeyValueLayout layout, boolean ignoreDelete)
    {
        this.kindChannel = layout.kindChannel();
        this.ignoreDelete = ignoreDelete;
    }

    @Override
    public void mergeAll(KeyGroups groups, RowReferences results, boolean applyToSingleRows)
    {
        for (int group = 0; group < groups.groupCount(); group++) {
            int row = groups.isLoneRow(group) && !applyToSingleRows ? groups.start(group) : firstRow(groups, group);
            results.add(groups.page(row), groups.position(row));
        }
    }

    private int firstRow(KeyGroups groups, int group)
    {
        int first = -1;
        int visible = -1;
        for (int row = groups.start(group); row < groups.end(group); row++) {
            if (!RowKind.isAdd(TINYINT.getByte(groups.page(row).getBlock(kindChannel), groups.position(row)))) {
                if (!ignoreDelete) {
                    throw new StorageException(UNSUPPORTED_FEATURE, "A table holds a -U or -D row that it cannot merge: " + RetractOptions.FIRST_ROW_REFUSAL);
                }
                continue;
            }
            if (first < 0) {
                first = row;
            }
            if (groups.level(row) > 0 && (visible < 0 || groups.level(row) < groups.level(visible))) {
                visible = row;
            }
        }
        if (visible >= 0) {
            return visible;
        }
        return first >= 0 ? first : groups.end(group) - 1;
    }
}
