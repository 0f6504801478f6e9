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
package io.lookup.storage.lookup;

import io.lookup.storage.format.manifest.DataFileMeta;
import io.trino.spi.Page;

import java.util.Arrays;

/**
 * For each probe the record that was found, as a position of a page in the table's layout, and the file and level it
 * was found in. Reused between batches; not thread-safe.
 */
public final class LookupHits
{
    private Page[] pages = new Page[0];
    private int[] positions = new int[0];
    private DataFileMeta[] files = new DataFileMeta[0];
    private long[] rowPositions = new long[0];

    /**
     * Forgets what was found.
     *
     * @param count number of probes of the batch that follows
     */
    public void reset(int count)
    {
        if (pages.length < count) {
            pages = new Page[count];
            positions = new int[count];
            files = new DataFileMeta[count];
            rowPositions = new long[count];
            return;
        }
        Arrays.fill(pages, null);
    }

    /**
     * @param rowPosition position of the row in the file, -1 if it is not wanted
     */
    public void set(int probe, Page page, int position, DataFileMeta file, long rowPosition)
    {
        pages[probe] = page;
        positions[probe] = position;
        files[probe] = file;
        rowPositions[probe] = rowPosition;
    }

    /**
     * The row of a record, wherever it lies: the place that was found for it, if any, stays.
     */
    public void setRow(int probe, Page page, int position)
    {
        if (pages[probe] == null) {
            files[probe] = null;
            rowPositions[probe] = -1;
        }
        move(probe, page, position);
    }

    /**
     * What another one has for one of its probes.
     */
    public void copy(int probe, LookupHits other, int otherProbe)
    {
        set(probe, other.pages[otherProbe], other.positions[otherProbe], other.files[otherProbe], other.rowPositions[otherProbe]);
    }

    /**
     * Another place of the same record.
     */
    void move(int probe, Page page, int position)
    {
        pages[probe] = page;
        positions[probe] = position;
    }

    public boolean found(int probe)
    {
        return pages[probe] != null;
    }

    public Page page(int probe)
    {
        return pages[probe];
    }

    public int position(int probe)
    {
        return positions[probe];
    }

    /**
     * At least 1. Where the row was known without a lookup, it says no more than that.
     */
    public int level(int probe)
    {
        return files[probe] == null ? 1 : files[probe].level();
    }

    /**
     * The data file that holds the record, if the lookup was asked for positions.
     */
    public String fileName(int probe)
    {
        return files[probe].fileName();
    }

    /**
     * Position of the record in its file, if the lookup was asked for positions.
     */
    public long rowPosition(int probe)
    {
        return rowPositions[probe];
    }
}
