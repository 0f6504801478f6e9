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
import io.trino.spi.block.BlockBuilder;

import static io.trino.spi.type.BooleanType.BOOLEAN;
import static java.util.Objects.requireNonNull;

/**
 * {@code bool_and} and {@code bool_or}, nulls skipped. Neither knows how many values stand behind it, so retraction is
 * refused.
 */
final class BooleanAggregator
        implements Aggregator
{
    private final String column;
    private final boolean and;
    private boolean isNull = true;
    private boolean state;

    BooleanAggregator(String column, boolean and)
    {
        this.column = requireNonNull(column, "column is null");
        this.and = and;
    }

    @Override
    public void reset()
    {
        isNull = true;
    }

    @Override
    public void add(Block block, int position)
    {
        if (block.isNull(position)) {
            return;
        }
        boolean value = BOOLEAN.getBoolean(block, position);
        if (isNull) {
            isNull = false;
            state = value;
            return;
        }
        state = and ? state && value : state || value;
    }

    @Override
    public void addReversed(Block block, int position)
    {
        add(block, position);
    }

    @Override
    public void retract(Block block, int position)
    {
        throw Aggregators.cannotRetract(and ? AggregateFunction.BOOL_AND : AggregateFunction.BOOL_OR, column);
    }

    @Override
    public void replace(Block block, int position)
    {
        isNull = true;
        add(block, position);
    }

    @Override
    public void writeTo(BlockBuilder builder)
    {
        if (isNull) {
            builder.appendNull();
            return;
        }
        BOOLEAN.writeBoolean(builder, state);
    }
}
