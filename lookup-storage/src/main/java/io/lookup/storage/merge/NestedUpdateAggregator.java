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
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.RowType;

import java.util.List;

/**
 * {@code nested_update}: an array of rows as a table of its own. Without a key, rows are appended; with one, a row takes
 * the place of the row with its key. Null rows go away with the first further array. Once the state has
 * {@code count-limit} rows it takes no further ones, and of an array only as many as there is room for. Retracting removes
 * the rows that are the same, or that have the same key.
 */
final class NestedUpdateAggregator
        extends CollectionAggregator
{
    private final boolean keyed;
    private final int countLimit;
    private final ElementIndex index;
    private final ElementIndex retractedIndex;
    // with a key: how many rows of the state, from the first on, are in the index and so known to differ in their keys
    private int indexed;

    /**
     * @param nestedKey fields of the rows, see {@link AggregateFunction#nestedKey}
     */
    NestedUpdateAggregator(ArrayType type, List<Integer> nestedKey, int countLimit)
    {
        super(type);
        RowType rowType = (RowType) type.getElementType();
        ValueIdentity identity = nestedKey.isEmpty() ? ValueIdentity.of(rowType) : ValueIdentity.ofFields(rowType, nestedKey);
        this.keyed = !nestedKey.isEmpty();
        this.countLimit = countLimit;
        this.index = new ElementIndex(identity);
        this.retractedIndex = new ElementIndex(identity);
    }

    @Override
    protected void stateReplaced()
    {
        if (indexed > 0) {
            indexed = 0;
            index.clear();
        }
    }

    @Override
    protected void merge(ElementList state, ElementList input)
    {
        if (state.count() >= countLimit) {
            return;
        }
        int room = countLimit - state.count();
        removeNulls(state);
        for (int row = 0; row < input.count() && room > 0; row++) {
            if (!input.isNull(0, row)) {
                state.add(input, row);
                room--;
            }
        }
        if (keyed) {
            keepLastOfKey(state);
        }
    }

    @Override
    protected void takeBack(ElementList state, ElementList input)
    {
        removeNulls(state);
        if (keyed) {
            keepLastOfKey(state);
        }
        retractedIndex.clear();
        for (int row = 0; row < input.count(); row++) {
            if (!input.isNull(0, row) && retractedIndex.find(input, input, row) < 0) {
                retractedIndex.put(input, row);
            }
        }
        int kept = 0;
        for (int row = 0; row < state.count(); row++) {
            if (retractedIndex.find(input, state, row) < 0) {
                state.set(kept, state, row);
                kept++;
            }
        }
        state.truncate(kept);
        stateReplaced();
    }

    private void removeNulls(ElementList state)
    {
        // indexed rows are not null
        int kept = indexed;
        for (int row = indexed; row < state.count(); row++) {
            if (!state.isNull(0, row)) {
                state.set(kept, state, row);
                kept++;
            }
        }
        state.truncate(kept);
    }

    private void keepLastOfKey(ElementList state)
    {
        int kept = indexed;
        for (int row = indexed; row < state.count(); row++) {
            int previous = index.find(state, state, row);
            if (previous >= 0) {
                state.set(previous, state, row);
                continue;
            }
            state.set(kept, state, row);
            index.put(state, kept);
            kept++;
        }
        state.truncate(kept);
        indexed = kept;
    }
}
