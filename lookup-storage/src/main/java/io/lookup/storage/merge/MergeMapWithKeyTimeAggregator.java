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

import io.lookup.storage.schema.AggregateFunction;
import io.trino.spi.block.Block;
import io.trino.spi.block.SqlRow;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;

import static java.util.Objects.requireNonNull;

/**
 * {@code merge_map_with_keytime}: the entries of all maps, whose values are rows with a time as text; of one key the one
 * with the larger time, and of equal times the older entry. A null row removes its key, and a row without a time counts
 * for nothing where there is a state already. What an entry has replaced is not known, so retraction is refused.
 */
final class MergeMapWithKeyTimeAggregator
        extends CollectionAggregator
{
    private final String column;
    private final RowType rowType;
    private final int timeField;
    private final Type timeType;
    private final ElementIndex index;
    private final ElementIndex removedIndex;
    private boolean indexed;

    /**
     * @param timeField see {@link AggregateFunction#timestampField}
     */
    MergeMapWithKeyTimeAggregator(String column, MapType type, int timeField)
    {
        super(type);
        this.column = requireNonNull(column, "column is null");
        this.rowType = (RowType) type.getValueType();
        this.timeField = timeField;
        this.timeType = rowType.getFields().get(timeField).getType();
        ValueIdentity identity = ValueIdentity.of(type.getKeyType());
        this.index = new ElementIndex(identity);
        this.removedIndex = new ElementIndex(identity);
    }

    @Override
    public void retract(Block block, int position)
    {
        throw Aggregators.cannotRetract(AggregateFunction.MERGE_MAP_WITH_KEYTIME, column);
    }

    @Override
    protected void stateReplaced()
    {
        if (indexed) {
            indexed = false;
            index.clear();
        }
    }

    @Override
    protected void merge(ElementList state, ElementList input)
    {
        if (!indexed) {
            index.putAll(state);
            indexed = true;
        }
        boolean removes = false;
        for (int entry = 0; entry < input.count(); entry++) {
            if (input.isNull(1, entry)) {
                removes = true;
                continue;
            }
            String time = time(input, entry);
            if (time == null) {
                continue;
            }
            int found = index.find(state, input, entry);
            if (found < 0) {
                state.add(input, entry);
                index.put(state, state.count() - 1);
                continue;
            }
            String stateTime = time(state, found);
            // as Paimon, by UTF-16 units
            if (stateTime == null || time.compareTo(stateTime) > 0) {
                state.set(found, input, entry);
            }
        }
        if (removes) {
            removeKeysOfNullRows(state, input);
        }
    }

    private void removeKeysOfNullRows(ElementList state, ElementList input)
    {
        removedIndex.clear();
        for (int entry = 0; entry < input.count(); entry++) {
            if (input.isNull(1, entry)) {
                removedIndex.put(input, entry);
            }
        }
        int kept = 0;
        for (int entry = 0; entry < state.count(); entry++) {
            if (removedIndex.find(input, state, entry) < 0) {
                state.set(kept, state, entry);
                kept++;
            }
        }
        state.truncate(kept);
        stateReplaced();
    }

    private String time(ElementList list, int entry)
    {
        if (list.isNull(1, entry)) {
            return null;
        }
        SqlRow row = rowType.getObject(list.block(1, entry), list.position(1, entry));
        Block times = row.getRawFieldBlock(timeField);
        return times.isNull(row.getRawIndex()) ? null : timeType.getSlice(times, row.getRawIndex()).toStringUtf8();
    }
}
