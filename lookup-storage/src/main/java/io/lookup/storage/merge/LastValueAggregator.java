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

/**
 * {@code last_value}: the newest value, even null; a retraction leaves null.
 */
final class LastValueAggregator
        extends ChosenValueAggregator
{
    @Override
    public void add(Block block, int position)
    {
        choose(block, position);
    }

    @Override
    public void addReversed(Block block, int position) {}

    @Override
    public void retract(Block block, int position)
    {
        chooseNull();
    }
}
