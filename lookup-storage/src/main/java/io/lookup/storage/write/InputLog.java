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
package io.lookup.storage.write;

import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.RowReferences;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.LongArrayBlock;

import java.util.Arrays;
import java.util.Optional;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * The records of one statement as the input producer logs them: before they are merged. What an INSERT writes is logged
 * with the kind it came with. Of an UPDATE, DELETE or MERGE, the old and the new row of a key are logged as -U and +U, an
 * old row alone as -D and a new row alone as +I.
 *
 * <p>Sequence numbers are given in the order of the log, and a key's merged record has that of its last one there. Not
 * thread-safe.
 */
final class InputLog
{
    private static final int NONE = -1;

    private final KeyValueLayout layout;
    private final WriteMode mode;
    private final boolean updateBefore;
    private final RowReferences rows;

    private byte[] kinds = new byte[1024];
    private int[] lastRowOfGroup = new int[1024];
    private long nextSequenceNumber;
    private long firstOfBatch;

    /**
     * @param updateBefore whether -U is logged
     */
    InputLog(KeyValueLayout layout, WriteMode mode, boolean updateBefore, long firstSequenceNumber)
    {
        this.layout = requireNonNull(layout, "layout is null");
        this.mode = requireNonNull(mode, "mode is null");
        this.updateBefore = updateBefore;
        this.rows = new RowReferences(layout);
        this.nextSequenceNumber = firstSequenceNumber;
    }

    /**
     * The log of the statement's next keys.
     */
    Page log(KeyGroups groups)
    {
        if (lastRowOfGroup.length < groups.groupCount()) {
            lastRowOfGroup = new int[groups.groupCount()];
        }
        for (int group = 0; group < groups.groupCount(); group++) {
            switch (mode) {
                case UPSERT -> addAll(groups, group);
                case ROW_CHANGES -> addChange(groups, group);
            }
            lastRowOfGroup[group] = rows.count() - 1;
        }
        int count = rows.count();
        firstOfBatch = nextSequenceNumber;
        long[] numbers = new long[count];
        for (int row = 0; row < count; row++) {
            numbers[row] = nextSequenceNumber;
            nextSequenceNumber++;
        }
        Block[] blocks = blocks(rows.toPage());
        blocks[layout.sequenceChannel()] = new LongArrayBlock(count, Optional.empty(), numbers);
        blocks[layout.kindChannel()] = new ByteArrayBlock(count, Optional.empty(), Arrays.copyOf(kinds, count));
        rows.clear();
        return new Page(count, blocks);
    }

    /**
     * Gives the merged records of the keys that were logged last their sequence numbers.
     *
     * @param merged one record a group
     */
    Page number(Page merged)
    {
        long[] numbers = new long[merged.getPositionCount()];
        for (int group = 0; group < numbers.length; group++) {
            numbers[group] = firstOfBatch + lastRowOfGroup[group];
        }
        Block[] blocks = blocks(merged);
        blocks[layout.sequenceChannel()] = new LongArrayBlock(numbers.length, Optional.empty(), numbers);
        return new Page(numbers.length, blocks);
    }

    private void addAll(KeyGroups groups, int group)
    {
        for (int row = groups.start(group); row < groups.end(group); row++) {
            add(groups, row, kind(groups, row));
        }
    }

    private void addChange(KeyGroups groups, int group)
    {
        int oldRow = NONE;
        int newRow = NONE;
        for (int row = groups.start(group); row < groups.end(group); row++) {
            if (RowKind.isAdd(kind(groups, row))) {
                newRow = row;
            }
            else if (oldRow == NONE) {
                oldRow = row;
            }
        }
        if (newRow == NONE) {
            add(groups, oldRow, RowKind.DELETE.value());
            return;
        }
        if (oldRow == NONE) {
            add(groups, newRow, RowKind.INSERT.value());
            return;
        }
        if (updateBefore) {
            add(groups, oldRow, RowKind.UPDATE_BEFORE.value());
        }
        add(groups, newRow, RowKind.UPDATE_AFTER.value());
    }

    private byte kind(KeyGroups groups, int row)
    {
        return TINYINT.getByte(groups.page(row).getBlock(layout.kindChannel()), groups.position(row));
    }

    private void add(KeyGroups groups, int row, byte kind)
    {
        int index = rows.count();
        if (index == kinds.length) {
            kinds = Arrays.copyOf(kinds, index * 2);
        }
        kinds[index] = kind;
        rows.add(groups.page(row), groups.position(row));
    }

    private static Block[] blocks(Page page)
    {
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        return blocks;
    }
}
