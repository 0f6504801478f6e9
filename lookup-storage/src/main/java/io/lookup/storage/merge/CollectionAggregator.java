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

import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.Type;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * What the functions over arrays and maps share. The state is a list of places of elements, copied once at the end. A
 * null array adds nothing and takes nothing back, and nothing is taken back from null.
 */
abstract class CollectionAggregator
        implements Aggregator
{
    private final Type type;

    private boolean isNull = true;
    private ElementList state;
    private ElementList input;

    /**
     * @param type an array or a map
     */
    protected CollectionAggregator(Type type)
    {
        checkArgument(type instanceof ArrayType || type instanceof MapType, "Neither array nor map: %s", type);
        this.type = requireNonNull(type, "type is null");
        this.state = new ElementList(type instanceof MapType ? 2 : 1);
        this.input = new ElementList(type instanceof MapType ? 2 : 1);
    }

    @Override
    public final void reset()
    {
        isNull = true;
        state.clear();
        stateReplaced();
    }

    @Override
    public final void add(Block block, int position)
    {
        if (block.isNull(position)) {
            if (!isNull) {
                begin(state);
            }
            return;
        }
        if (isNull) {
            replace(block, position);
            begin(state);
            return;
        }
        load(input, block, position);
        merge(state, input);
        input.clear();
    }

    @Override
    public void addReversed(Block block, int position)
    {
        if (block.isNull(position) || isNull) {
            add(block, position);
            return;
        }
        load(input, block, position);
        ElementList newer = state;
        state = input;
        input = newer;
        stateReplaced();
        merge(state, input);
        input.clear();
    }

    @Override
    public void retract(Block block, int position)
    {
        if (isNull || block.isNull(position)) {
            return;
        }
        load(input, block, position);
        takeBack(state, input);
        input.clear();
    }

    @Override
    public final void replace(Block block, int position)
    {
        isNull = block.isNull(position);
        load(state, block, position);
        stateReplaced();
    }

    @Override
    public final void writeTo(BlockBuilder builder)
    {
        if (isNull) {
            builder.appendNull();
        }
        else if (type instanceof MapType) {
            ((MapBlockBuilder) builder).buildEntry((keys, values) -> {
                state.appendTo(0, keys);
                state.appendTo(1, values);
            });
        }
        else {
            ((ArrayBlockBuilder) builder).buildEntry(elements -> state.appendTo(0, elements));
        }
    }

    /**
     * Says that the state holds other elements than before: what was known of them is void.
     */
    protected void stateReplaced() {}

    /**
     * Brings elements that were put into the state without having been merged into the form that merging gives them.
     */
    protected void begin(ElementList state) {}

    /**
     * Adds a further array or map to the state.
     */
    protected abstract void merge(ElementList state, ElementList input);

    /**
     * Takes an array or map back from the state. Functions that cannot override {@link #retract} instead.
     */
    protected void takeBack(ElementList state, ElementList input)
    {
        throw new UnsupportedOperationException("Nothing can be taken back by " + getClass().getSimpleName());
    }

    private void load(ElementList list, Block block, int position)
    {
        list.clear();
        if (block.isNull(position)) {
            return;
        }
        switch (type) {
            case ArrayType arrayType -> list.addArray(arrayType.getObject(block, position));
            case MapType mapType -> list.addMap(mapType.getObject(block, position));
            default -> throw new IllegalStateException("Neither array nor map: " + type);
        }
    }
}
