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

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;

import java.util.Arrays;
import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Where one sequence group of partial-update stands while the versions of a key are gone through, oldest first.
 * <ul>
 * <li>A version whose sequence columns are all null says nothing of the group.
 * <li>A version that is not older than the group's state (ascending, null smallest, in the order of the columns) sets
 * the sequence columns. An addition sets the members too, nulls included, or is aggregated into them; a retraction leaves
 * null in them, or is taken back from the aggregate.
 * <li>An older version changes only aggregates: as a value that arrives late, or by being taken back.
 * </ul>
 * The sequence columns are always those of one version, so that the state is the number of that row. Reused between
 * batches; not thread-safe.
 */
final class SequenceGroupMerge
{
    private static final int NONE = -1;

    private static final byte SKIP = 0;
    private static final byte ADD = 1;
    private static final byte ADD_LATE = 2;
    private static final byte RETRACT = 3;

    private final int[] sequenceChannels;
    private final ValueComparator[] comparators;
    private final boolean removesRecord;

    // by row: what it does to the aggregates
    private byte[] actions = new byte[1024];
    // by merged group: the rows that the sequence columns and the members are taken from
    private int[] sequenceRows = new int[0];
    private int[] memberRows = new int[0];

    // of the key that is gone through
    private int sequenceRow;
    private int memberRow;

    /**
     * @param types of the layout's channels
     * @param removesRecord whether a -D that is not older than the state removes the row
     */
    SequenceGroupMerge(List<Type> types, List<Integer> sequenceChannels, boolean removesRecord)
    {
        checkArgument(!sequenceChannels.isEmpty(), "no sequence channels");
        this.sequenceChannels = sequenceChannels.stream().mapToInt(Integer::intValue).toArray();
        this.comparators = sequenceChannels.stream()
                .map(channel -> ValueComparator.forType(types.get(channel)))
                .collect(toImmutableList())
                .toArray(ValueComparator[]::new);
        this.removesRecord = removesRecord;
    }

    void begin(int rowCount, int mergedGroups)
    {
        if (actions.length < rowCount) {
            actions = new byte[rowCount * 2];
        }
        Arrays.fill(actions, 0, rowCount, SKIP);
        if (sequenceRows.length < mergedGroups) {
            sequenceRows = new int[mergedGroups];
            memberRows = new int[mergedGroups];
        }
    }

    void beginKey()
    {
        sequenceRow = NONE;
        memberRow = NONE;
    }

    void endKey(int mergedGroup)
    {
        sequenceRows[mergedGroup] = sequenceRow;
        memberRows[mergedGroup] = memberRow;
    }

    /**
     * Makes the values of a row the state, whatever it was.
     */
    void startFrom(int row)
    {
        sequenceRow = row;
        memberRow = row;
    }

    void add(KeyGroups groups, int row)
    {
        if (isEmpty(groups, row)) {
            return;
        }
        if (isOlder(groups, row)) {
            actions[row] = ADD_LATE;
            return;
        }
        actions[row] = ADD;
        sequenceRow = row;
        memberRow = row;
    }

    void retract(KeyGroups groups, int row)
    {
        if (isEmpty(groups, row)) {
            return;
        }
        actions[row] = RETRACT;
        if (!isOlder(groups, row)) {
            sequenceRow = row;
            memberRow = NONE;
        }
    }

    /**
     * Whether the -D row removes the row of its key. Does not change the state.
     */
    boolean removesRecord(KeyGroups groups, int row)
    {
        return removesRecord && !isEmpty(groups, row) && !isOlder(groups, row);
    }

    /**
     * The row that the sequence columns are those of; below 0 if no version set them.
     */
    int sequenceRow(int mergedGroup)
    {
        return sequenceRows[mergedGroup];
    }

    /**
     * The row that members without a function are those of; below 0 if they are null.
     */
    int memberRow(int mergedGroup)
    {
        return memberRows[mergedGroup];
    }

    void apply(int row, Aggregator aggregator, Block block, int position)
    {
        switch (actions[row]) {
            case ADD -> aggregator.add(block, position);
            case ADD_LATE -> aggregator.addReversed(block, position);
            case RETRACT -> aggregator.retract(block, position);
            default -> {
                // says nothing of the group
            }
        }
    }

    private boolean isEmpty(KeyGroups groups, int row)
    {
        Page page = groups.page(row);
        for (int channel : sequenceChannels) {
            if (!page.getBlock(channel).isNull(groups.position(row))) {
                return false;
            }
        }
        return true;
    }

    private boolean isOlder(KeyGroups groups, int row)
    {
        if (sequenceRow == NONE || sequenceRow == row) {
            return false;
        }
        for (int index = 0; index < sequenceChannels.length; index++) {
            int result = ValueComparator.compareNullsFirst(
                    comparators[index],
                    groups.page(row).getBlock(sequenceChannels[index]),
                    groups.position(row),
                    groups.page(sequenceRow).getBlock(sequenceChannels[index]),
                    groups.position(sequenceRow));
            if (result != 0) {
                return result < 0;
            }
        }
        return false;
    }
}
