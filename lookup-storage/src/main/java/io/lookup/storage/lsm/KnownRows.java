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
package io.lookup.storage.lsm;

import io.airlift.slice.Slice;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.RowReferences;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * What keys of a bucket hold in the snapshot that a statement builds on, as far as the statement has read it: an UPDATE, DELETE or MERGE brings
 * the old rows along, so that its compaction need not look them up. Keys that are not here may hold something too. At most so many
 * bytes are kept; of more rows, those with the lower keys. Rows are in the table's layout and count as inserts that
 * are older than every record of the table. Not thread-safe.
 */
public final class KnownRows
{
    private static final long OLDEST = -1;

    private final KeyValueLayout layout;
    private final long maxBytes;
    private final RowReferences rows;

    private final List<Page> pages = new ArrayList<>();
    // index of the first row of each page
    private int[] starts = new int[16];
    private Slice[] keys = new Slice[1024];
    private int count;
    private long bytes;

    /**
     * @param maxBytes of rows; 0 if none are wanted
     */
    public KnownRows(KeyValueLayout layout, long maxBytes)
    {
        this.layout = requireNonNull(layout, "layout is null");
        checkArgument(maxBytes >= 0, "maxBytes is negative");
        this.maxBytes = maxBytes;
        this.rows = new RowReferences(layout);
    }

    public static KnownRows none(KeyValueLayout layout)
    {
        return new KnownRows(layout, 0);
    }

    /**
     * Takes the retract rows of a statement that changes rows which it has read: each is the row as it was.
     *
     * @param groups above those that were added before
     */
    public void addRetracted(KeyGroups groups)
    {
        if (bytes >= maxBytes) {
            return;
        }
        int first = count;
        for (int group = 0; group < groups.groupCount(); group++) {
            for (int row = groups.start(group); row < groups.end(group); row++) {
                if (!RowKind.isAdd(TINYINT.getByte(groups.page(row).getBlock(layout.kindChannel()), groups.position(row)))) {
                    rows.add(groups.page(row), groups.position(row));
                    addKey(groups.key(group));
                    break;
                }
            }
        }
        if (count == first) {
            return;
        }
        Page page = asInserts(rows.toPage());
        rows.clear();
        if (pages.size() == starts.length) {
            starts = Arrays.copyOf(starts, starts.length * 2);
        }
        starts[pages.size()] = first;
        pages.add(page);
        bytes += page.getSizeInBytes();
    }

    private void addKey(Slice key)
    {
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, count * 2);
        }
        // a view would keep all keys of the batch in memory
        keys[count] = key.copy();
        count++;
    }

    private Page asInserts(Page page)
    {
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        blocks[layout.kindChannel()] = RunLengthEncodedBlock.create(new ByteArrayBlock(1, Optional.empty(), new byte[] {RowKind.INSERT.value()}), page.getPositionCount());
        blocks[layout.sequenceChannel()] = RunLengthEncodedBlock.create(new LongArrayBlock(1, Optional.empty(), new long[] {OLDEST}), page.getPositionCount());
        return new Page(page.getPositionCount(), blocks);
    }

    public boolean isEmpty()
    {
        return count == 0;
    }

    public int count()
    {
        return count;
    }

    /**
     * First row at or behind {@code from} whose key is not below the given one, {@link #count()} if there is none.
     */
    int lowerBound(Slice key, int from)
    {
        int step = 1;
        int low = from;
        while (low + step < count && keys[low + step].compareTo(key) < 0) {
            low += step;
            step <<= 1;
        }
        int high = Math.min(low + step, count);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (keys[middle].compareTo(key) < 0) {
                low = middle + 1;
            }
            else {
                high = middle;
            }
        }
        return low;
    }

    boolean isAt(int row, Slice key)
    {
        return row < count && keys[row].equals(key);
    }

    Page page(int row)
    {
        return pages.get(pageOf(row));
    }

    int position(int row)
    {
        return row - starts[pageOf(row)];
    }

    private int pageOf(int row)
    {
        int found = Arrays.binarySearch(starts, 0, pages.size(), row);
        return found >= 0 ? found : -found - 2;
    }
}
