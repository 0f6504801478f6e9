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

import io.trino.spi.block.Bitmap;

import java.util.Optional;

/**
 * Which positions of a block are null, as the blocks of Trino 483 take it: a bit for each, set for those that are not null.
 */
public final class NullMask
{
    private final long[] valid;
    private boolean any;

    /**
     * @param positionCount number of the block's positions, none of which is null yet
     */
    public NullMask(int positionCount)
    {
        valid = Bitmap.allocateWords(positionCount, true);
    }

    public void setNull(int position)
    {
        Bitmap.clear(valid, 0, position);
        any = true;
    }

    /**
     * @return empty if no position is null; the mask must not be changed afterwards
     */
    public Optional<long[]> build()
    {
        return any ? Optional.of(valid) : Optional.empty();
    }
}
