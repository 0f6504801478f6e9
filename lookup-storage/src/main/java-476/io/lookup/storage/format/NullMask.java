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
package io.lookup.storage.format;

import java.util.Optional;

/**
 * Which positions of a block are null, as the blocks of Trino 476 take it: a truth for each, true for null.
 */
public final class NullMask
{
    private final boolean[] nulls;
    private boolean any;

    /**
     * @param positionCount number of the block's positions, none of which is null yet
     */
    public NullMask(int positionCount)
    {
        nulls = new boolean[positionCount];
    }

    public void setNull(int position)
    {
        nulls[position] = true;
        any = true;
    }

    /**
     * @return empty if no position is null; the mask must not be changed afterwards
     */
    public Optional<boolean[]> build()
    {
        return any ? Optional.of(nulls) : Optional.empty();
    }
}
