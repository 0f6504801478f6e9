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

import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.trino.spi.Page;

import java.io.IOException;

/**
 * Where the merge stands in one run: the current page with its encoded keys, and the current row.
 */
final class RunCursor
{
    private final PageStream pages;
    private final int level;
    private final KeyEncoder keyEncoder;
    private final int[] keyChannels;

    private Page page;
    private EncodedKeys keys;
    private int position;
    private int positionCount;
    private long prefix;
    private boolean finished;
    // rows before this position are known to lie below every other run
    private int freeUntil;
    private long pageBytes;
    private long rowBytes = 1;

    RunCursor(RunInput input, KeyEncoder keyEncoder, int[] keyChannels)
    {
        this.pages = input.pages();
        this.level = input.level();
        this.keyEncoder = keyEncoder;
        this.keyChannels = keyChannels;
    }

    void open()
            throws IOException
    {
        loadPage();
    }

    boolean isFinished()
    {
        return finished;
    }

    Page page()
    {
        return page;
    }

    EncodedKeys keys()
    {
        return keys;
    }

    int position()
    {
        return position;
    }

    int remaining()
    {
        return positionCount - position;
    }

    int level()
    {
        return level;
    }

    /**
     * Bytes of a row, as the mean of the current page; at least 1.
     */
    long rowBytes()
    {
        return rowBytes;
    }

    int freeRows()
    {
        return Math.max(freeUntil - position, 0);
    }

    /**
     * Moves on by rows of the current page.
     */
    void advance(int rows)
            throws IOException
    {
        position += rows;
        if (position == positionCount) {
            loadPage();
        }
        else {
            prefix = keys.prefix(position);
        }
    }

    int compareKey(RunCursor other)
    {
        int result = Long.compareUnsigned(prefix, other.prefix);
        if (result != 0) {
            return result;
        }
        return keys.compare(position, other.keys, other.position);
    }

    boolean keyEquals(EncodedKeys otherKeys, int otherPosition)
    {
        return prefix == otherKeys.prefix(otherPosition) && keys.equal(position, otherKeys, otherPosition);
    }

    /**
     * Keeps {@link #countBelow} for {@link #freeRows}.
     */
    void findFreeRows(RunCursor challenger)
    {
        freeUntil = position + countBelow(challenger);
    }

    /**
     * How many rows from the current one on have keys below that of {@code challenger}'s current row, the least of the
     * other runs, or null if there is none.
     */
    int countBelow(RunCursor challenger)
    {
        if (challenger == null || compareAt(positionCount - 1, challenger) < 0) {
            return positionCount - position;
        }
        if (compareAt(position, challenger) >= 0) {
            return 0;
        }
        // gallop, then halve: cost grows with the answer, not with the page
        int low = position;
        int step = 1;
        while (low + step < positionCount && compareAt(low + step, challenger) < 0) {
            low += step;
            step *= 2;
        }
        // the row at low lies below, the row at high does not
        int high = Math.min(low + step, positionCount - 1);
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (compareAt(middle, challenger) < 0) {
                low = middle;
            }
            else {
                high = middle;
            }
        }
        return low + 1 - position;
    }

    /**
     * Memory of the current page and its encoded keys.
     */
    long pageBytes()
    {
        return pageBytes;
    }

    long memoryUsage()
    {
        return pageBytes + pages.memoryUsage();
    }

    PageStream pages()
    {
        return pages;
    }

    private int compareAt(int position, RunCursor other)
    {
        int result = Long.compareUnsigned(keys.prefix(position), other.prefix);
        if (result != 0) {
            return result;
        }
        return keys.compare(position, other.keys, other.position);
    }

    private void loadPage()
            throws IOException
    {
        page = pages.nextPage();
        position = 0;
        freeUntil = 0;
        if (page == null) {
            finished = true;
            keys = null;
            positionCount = 0;
            pageBytes = 0;
            return;
        }
        keys = keyEncoder.encode(page, keyChannels);
        positionCount = page.getPositionCount();
        prefix = keys.prefix(0);
        pageBytes = page.getRetainedSizeInBytes() + keys.sizeInBytes();
        rowBytes = Math.max(page.getSizeInBytes() / Math.max(positionCount, 1), 1);
    }
}
