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

import io.trino.spi.block.Block;
import io.trino.spi.type.ArrayType;

/**
 * {@code collect}: the elements of all arrays, one array behind another; with {@code distinct} each once, in the order in
 * which they came. Retracting takes away one occurrence for each element, the oldest first.
 */
final class CollectAggregator
        extends CollectionAggregator
{
    private final boolean distinct;
    private final boolean prependsLateArrays;
    private final ElementIndex index;
    private final ElementIndex retractedIndex;
    // with distinct: how many elements of the state, from the first on, are in the index and so known to differ
    private int indexed;

    /**
     * @param prependsLateArrays whether an array that arrives late goes to the front. The format appends it nevertheless,
     * but prepends it where the column ignores retractions; without {@code distinct} it shows
     */
    CollectAggregator(ArrayType type, boolean distinct, boolean prependsLateArrays)
    {
        super(type);
        ValueIdentity identity = ValueIdentity.of(type.getElementType());
        this.distinct = distinct;
        this.prependsLateArrays = prependsLateArrays;
        this.index = new ElementIndex(identity);
        this.retractedIndex = new ElementIndex(identity);
    }

    @Override
    public void addReversed(Block block, int position)
    {
        if (prependsLateArrays) {
            super.addReversed(block, position);
        }
        else {
            add(block, position);
        }
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
    protected void begin(ElementList state)
    {
        if (distinct) {
            removeRepeated(state);
        }
    }

    @Override
    protected void merge(ElementList state, ElementList input)
    {
        state.addAll(input);
        begin(state);
    }

    @Override
    protected void takeBack(ElementList state, ElementList input)
    {
        // how many occurrences of an element are to go away
        int[] remaining = new int[input.count()];
        retractedIndex.clear();
        for (int element = 0; element < input.count(); element++) {
            int first = retractedIndex.find(input, input, element);
            if (first < 0) {
                retractedIndex.put(input, element);
                remaining[element] = 1;
            }
            else {
                remaining[first]++;
            }
        }
        int kept = 0;
        for (int element = 0; element < state.count(); element++) {
            int found = retractedIndex.find(input, state, element);
            if (found >= 0 && remaining[found] > 0) {
                remaining[found]--;
                continue;
            }
            state.set(kept, state, element);
            kept++;
        }
        state.truncate(kept);
        stateReplaced();
    }

    private void removeRepeated(ElementList state)
    {
        int kept = indexed;
        for (int element = indexed; element < state.count(); element++) {
            if (index.find(state, state, element) < 0) {
                state.set(kept, state, element);
                index.put(state, kept);
                kept++;
            }
        }
        state.truncate(kept);
        indexed = kept;
    }
}
