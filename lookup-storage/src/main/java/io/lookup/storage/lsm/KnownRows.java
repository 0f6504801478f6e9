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
import io.lookup.storage.lookup.ProbeKeys;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.RowReferences;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;

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
    private final ProbeKeys rows = new ProbeKeys();
    private long bytes;

    /**
     * @param maxBytes of rows; 0 if none are wanted
     */
    public KnownRows(KeyValueLayout layout, long maxBytes)
    {
        this.layout = requireNonNull(layout, "layout is null");
        checkArgument(maxBytes >= 0, "maxBytes is negative");
        this.maxBytes = maxBytes;
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
        RowReferences retracted = new RowReferences(layout);
        int[] groupOfRow = new int[groups.groupCount()];
        for (int group = 0; group < groups.groupCount(); group++) {
            for (int row = groups.start(group); row < groups.end(group); row++) {
                if (!RowKind.isAdd(TINYINT.getByte(groups.page(row).getBlock(layout.kindChannel()), groups.position(row)))) {
                    groupOfRow[retracted.count()] = group;
                    retracted.add(groups.page(row), groups.position(row));
                    break;
                }
            }
        }
        if (retracted.count() == 0) {
            return;
        }
        Page page = asInserts(retracted.toPage());
        for (int position = 0; position < page.getPositionCount(); position++) {
            int group = groupOfRow[position];
            // a view would keep all keys of the batch in memory
            rows.add(groups.keyPrefix(group), groups.key(group).copy(), page, position);
        }
        bytes += page.getSizeInBytes();
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
        return rows.count() == 0;
    }

    public int count()
    {
        return rows.count();
    }

    /**
     * First row at or behind {@code from} whose key is not below the given one, {@link #count()} if there is none.
     */
    int lowerBound(Slice key, int from)
    {
        return rows.lowerBound(key, from);
    }

    boolean isAt(int row, Slice key)
    {
        return row < rows.count() && rows.key(row).equals(key);
    }

    Page page(int row)
    {
        return rows.page(row);
    }

    int position(int row)
    {
        return rows.position(row);
    }
}
