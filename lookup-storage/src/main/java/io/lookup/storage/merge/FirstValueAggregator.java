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

import static java.util.Objects.requireNonNull;

/**
 * {@code first_value}, the oldest value even if it is null, and {@code first_non_null_value}, the oldest that is not.
 * Neither knows what came second, so retraction is refused.
 */
final class FirstValueAggregator
        extends ChosenValueAggregator
{
    private final String column;
    private final boolean skipNulls;
    // a value that was put there by replace() does not count as one that was seen
    private boolean seen;

    FirstValueAggregator(String column, boolean skipNulls)
    {
        this.column = requireNonNull(column, "column is null");
        this.skipNulls = skipNulls;
    }

    @Override
    public void reset()
    {
        super.reset();
        seen = false;
    }

    @Override
    public void add(Block block, int position)
    {
        if (!seen && counts(block, position)) {
            seen = true;
            choose(block, position);
        }
    }

    /**
     * As in Paimon, which takes the state so far for the value that comes second: if that is the first which counts, it stays, and
     * else the late value takes its place, a null too.
     */
    @Override
    public void addReversed(Block block, int position)
    {
        if (!seen && (!skipNulls || !isNull())) {
            seen = true;
            return;
        }
        choose(block, position);
    }

    @Override
    public void retract(Block block, int position)
    {
        throw Aggregators.cannotRetract(skipNulls ? AggregateFunction.FIRST_NON_NULL_VALUE : AggregateFunction.FIRST_VALUE, column);
    }

    private boolean counts(Block block, int position)
    {
        return !skipNulls || !block.isNull(position);
    }
}
