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
import io.trino.spi.type.Type;

import static java.util.Objects.requireNonNull;

/**
 * {@code max} and {@code min}, nulls skipped. Neither can forget a value, so retraction is refused.
 */
final class ExtremeValueAggregator
        extends ChosenValueAggregator
{
    private final String column;
    private final boolean max;
    private final ValueComparator comparator;

    ExtremeValueAggregator(String column, Type type, boolean max)
    {
        this.column = requireNonNull(column, "column is null");
        this.max = max;
        this.comparator = ValueComparator.forType(type);
    }

    @Override
    public void add(Block block, int position)
    {
        if (block.isNull(position)) {
            return;
        }
        if (isNull()) {
            choose(block, position);
            return;
        }
        // among equals, max keeps what it has and min takes the newer
        boolean stateIsLess = comparator.compare(block(), position(), block, position) < 0;
        if (stateIsLess == max) {
            choose(block, position);
        }
    }

    @Override
    public void addReversed(Block block, int position)
    {
        // equal values are the same value, so the order does not show
        add(block, position);
    }

    @Override
    public void retract(Block block, int position)
    {
        throw Aggregators.cannotRetract(max ? AggregateFunction.MAX : AggregateFunction.MIN, column);
    }
}
