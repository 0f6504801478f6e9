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

/**
 * The state of one column of one key. Between {@link #reset} calls the versions of a key come in merge order.
 * An aggregator may keep a reference to a block instead of a copy of its value. Not thread-safe.
 */
interface Aggregator
{
    /**
     * Forgets everything: no version was seen.
     */
    void reset();

    /**
     * Takes the value of a +I or +U row, which may be null.
     */
    void add(Block block, int position);

    /**
     * Takes the value of a +I or +U row that arrives late: by its sequence it belongs before everything that the state
     * holds. The state becomes what it would be if that value had come first, and the state so far as one value after it.
     * Only sequence groups meet such rows; elsewhere versions come in merge order.
     */
    void addReversed(Block block, int position);

    /**
     * Takes back the value of a -U or -D row, which may be null.
     *
     * @throws io.lookup.storage.StorageException UNSUPPORTED_FEATURE if the function cannot
     */
    void retract(Block block, int position);

    /**
     * Makes the value the state, whatever the state was: the row was deleted and later versions start from it.
     */
    void replace(Block block, int position);

    /**
     * Appends the state, one position, to the builder of the column's type.
     */
    void writeTo(BlockBuilder builder);
}
