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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;

import java.util.Arrays;
import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;

/**
 * One aggregator a column. Results are built column by column in a page of their own: for each column, group after
 * group, so that the loop over rows meets one aggregator and, mostly, one block.
 * <p>
 * The result is of kind +I whatever its versions were, unless {@code aggregation.remove-record-on-delete} is set and the
 * newest version is a -D; it carries the sequence number of the newest version. Such a -D makes the values of its row the
 * state, and later versions are combined with them, as in Paimon. So that a row that was deleted begins anew, the values of
 * a -D are chosen when it is written.
 */
final class AggregationMergeFunction
        implements MergeFunction
{
    private static final byte ADD = 0;
    private static final byte RETRACT = 1;
    private static final byte REPLACE = 2;

    private final List<Aggregator> aggregators;
    private final List<Type> types;
    private final int sequenceChannel;
    private final int kindChannel;
    private final boolean removeRecordOnDelete;
    private byte[] actions = new byte[1024];

    /**
     * @param aggregators one a column of the layout, in order
     */
    AggregationMergeFunction(KeyValueLayout layout, List<Aggregator> aggregators, boolean removeRecordOnDelete)
    {
        this.aggregators = ImmutableList.copyOf(aggregators);
        this.types = layout.types();
        this.sequenceChannel = layout.sequenceChannel();
        this.kindChannel = layout.kindChannel();
        this.removeRecordOnDelete = removeRecordOnDelete;
        checkArgument(aggregators.size() == layout.columns().size(), "%s aggregators for %s columns", aggregators.size(), layout.columns().size());
    }

    @Override
    public void mergeAll(KeyGroups groups, RowReferences results, boolean applyToSingleRows)
    {
        int[] merged = mergedGroups(groups, applyToSingleRows);
        if (merged.length == 0) {
            for (int row = 0; row < groups.rowCount(); row++) {
                results.add(groups.page(row), groups.position(row));
            }
            return;
        }
        decideActions(groups);
        Block[] blocks = new Block[types.size()];
        for (int channel = 0; channel < aggregators.size(); channel++) {
            blocks[channel] = aggregate(groups, merged, channel);
        }
        blocks[sequenceChannel] = sequenceNumbers(groups, merged);
        blocks[kindChannel] = kinds(groups, merged);
        Page page = new Page(merged.length, blocks);

        int next = 0;
        for (int group = 0; group < groups.groupCount(); group++) {
            if (next < merged.length && merged[next] == group) {
                results.add(page, next);
                next++;
            }
            else {
                int row = groups.start(group);
                results.add(groups.page(row), groups.position(row));
            }
        }
    }

    private static int[] mergedGroups(KeyGroups groups, boolean applyToSingleRows)
    {
        int[] merged = new int[groups.groupCount()];
        int count = 0;
        for (int group = 0; group < groups.groupCount(); group++) {
            if (applyToSingleRows || !groups.isLoneRow(group)) {
                merged[count++] = group;
            }
        }
        return Arrays.copyOf(merged, count);
    }

    private void decideActions(KeyGroups groups)
    {
        if (actions.length < groups.rowCount()) {
            actions = new byte[groups.rowCount() * 2];
        }
        for (int row = 0; row < groups.rowCount(); row++) {
            byte kind = TINYINT.getByte(groups.page(row).getBlock(kindChannel), groups.position(row));
            if (RowKind.isAdd(kind)) {
                actions[row] = ADD;
            }
            else if (removeRecordOnDelete && kind == RowKind.DELETE.value()) {
                actions[row] = REPLACE;
            }
            else {
                actions[row] = RETRACT;
            }
        }
    }

    private Block aggregate(KeyGroups groups, int[] merged, int channel)
    {
        Aggregator aggregator = aggregators.get(channel);
        BlockBuilder builder = types.get(channel).createBlockBuilder(null, merged.length);
        for (int group : merged) {
            aggregator.reset();
            int end = groups.end(group);
            for (int row = groups.start(group); row < end; row++) {
                Block block = groups.page(row).getBlock(channel);
                int position = groups.position(row);
                switch (actions[row]) {
                    case ADD -> aggregator.add(block, position);
                    case RETRACT -> aggregator.retract(block, position);
                    default -> aggregator.replace(block, position);
                }
            }
            aggregator.writeTo(builder);
        }
        return builder.build();
    }

    private Block sequenceNumbers(KeyGroups groups, int[] merged)
    {
        BlockBuilder builder = BIGINT.createFixedSizeBlockBuilder(merged.length);
        for (int group : merged) {
            int newest = groups.end(group) - 1;
            BIGINT.writeLong(builder, BIGINT.getLong(groups.page(newest).getBlock(sequenceChannel), groups.position(newest)));
        }
        return builder.build();
    }

    private Block kinds(KeyGroups groups, int[] merged)
    {
        BlockBuilder builder = TINYINT.createFixedSizeBlockBuilder(merged.length);
        for (int group : merged) {
            boolean deleted = actions[groups.end(group) - 1] == REPLACE;
            TINYINT.writeByte(builder, deleted ? RowKind.DELETE.value() : RowKind.INSERT.value());
        }
        return builder.build();
    }
}
