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

import io.trino.spi.type.MapType;

/**
 * {@code merge_map}: the entries of all maps; of one key the newest. Retracting removes the keys of the map that is
 * retracted, whatever their values.
 */
final class MergeMapAggregator
        extends CollectionAggregator
{
    private final ElementIndex index;
    private final ElementIndex retractedIndex;
    private boolean indexed;

    MergeMapAggregator(MapType type)
    {
        super(type);
        ValueIdentity identity = ValueIdentity.of(type.getKeyType());
        this.index = new ElementIndex(identity);
        this.retractedIndex = new ElementIndex(identity);
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
        for (int entry = 0; entry < input.count(); entry++) {
            int found = index.find(state, input, entry);
            if (found >= 0) {
                state.set(found, input, entry);
                continue;
            }
            state.add(input, entry);
            index.put(state, state.count() - 1);
        }
    }

    @Override
    protected void takeBack(ElementList state, ElementList input)
    {
        retractedIndex.clear();
        retractedIndex.putAll(input);
        int kept = 0;
        for (int entry = 0; entry < state.count(); entry++) {
            if (retractedIndex.find(input, state, entry) < 0) {
                state.set(kept, state, entry);
                kept++;
            }
        }
        state.truncate(kept);
        stateReplaced();
    }
}
