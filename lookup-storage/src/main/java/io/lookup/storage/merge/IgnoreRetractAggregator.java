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
import io.trino.spi.block.BlockBuilder;

import static java.util.Objects.requireNonNull;

/**
 * {@code fields.<column>.ignore-retract}: retractions pass without effect.
 */
final class IgnoreRetractAggregator
        implements Aggregator
{
    private final Aggregator delegate;

    IgnoreRetractAggregator(Aggregator delegate)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
    }

    @Override
    public void reset()
    {
        delegate.reset();
    }

    @Override
    public void add(Block block, int position)
    {
        delegate.add(block, position);
    }

    @Override
    public void addReversed(Block block, int position)
    {
        delegate.addReversed(block, position);
    }

    @Override
    public void retract(Block block, int position) {}

    @Override
    public void replace(Block block, int position)
    {
        delegate.replace(block, position);
    }

    @Override
    public void writeTo(BlockBuilder builder)
    {
        delegate.writeTo(builder);
    }
}
