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
import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.RetractOptions;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static io.lookup.storage.StorageErrorCode.UNSUPPORTED_FEATURE;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Later versions fill in what earlier ones left null. A column that is in no sequence group takes its newest value that
 * is not null; the columns of a group follow the versions that advance its sequence columns (see
 * {@link SequenceGroupMerge}).
 * <p>
 * First all versions are gone through once, to decide which of them count and from where the state of a key starts;
 * then results are built column by column in a page of their own. Most columns only choose one of the versions.
 * <p>
 * A key of which no version is an addition results in a -D, as does one whose newest version removes it. All of this is as
 * in Paimon, also where one would not expect it: what comes after a removal starts from the values of the -D, and a
 * retraction that comes after it, and removes nothing itself, brings the row back with those values. So that a row that was removed
 * begins anew, the values of a -D are chosen when it is written. A retraction that removes nothing and is a key's first
 * version leaves its values behind for later ones to start from too.
 */
final class PartialUpdateMergeFunction
        implements MergeFunction
{
    private static final int NONE = -1;

    private final List<ColumnRule> columns;
    private final List<SequenceGroupMerge> sequenceGroups;
    private final List<Type> types;
    private final int sequenceChannel;
    private final int kindChannel;
    private final Retraction retraction;

    // by row: whether it is an addition
    private boolean[] additions = new boolean[1024];
    // by merged group: the version from which chosen values are looked for, that version if it is a retraction whose values the state
    // starts from, the newest version that counts, whether there is a row
    private int[] firsts = new int[0];
    private int[] bases = new int[0];
    private int[] newest = new int[0];
    private boolean[] exists = new boolean[0];

    /**
     * What a -U or -D row means where there are no sequence groups.
     */
    enum Retraction
    {
        REFUSED,
        IGNORED,
        /**
         * A -D removes the row, a -U does nothing.
         */
        REMOVES_RECORD,
        /**
         * Takes back the values of the groups that it advances.
         */
        BY_SEQUENCE_GROUP,
    }

    /**
     * How a column gets its value.
     */
    sealed interface ColumnRule
    {
        /**
         * The same in all versions.
         */
        record Key()
                implements ColumnRule {}

        record NewestNonNull()
                implements ColumnRule {}

        record GroupSequence(SequenceGroupMerge group)
                implements ColumnRule {}

        record GroupMember(SequenceGroupMerge group)
                implements ColumnRule {}

        record GroupAggregate(SequenceGroupMerge group, Aggregator aggregator)
                implements ColumnRule {}
    }

    /**
     * @param columns one rule a column of the layout, in order
     */
    PartialUpdateMergeFunction(KeyValueLayout layout, List<ColumnRule> columns, List<SequenceGroupMerge> sequenceGroups, Retraction retraction)
    {
        this.columns = ImmutableList.copyOf(columns);
        this.sequenceGroups = ImmutableList.copyOf(sequenceGroups);
        this.types = layout.types();
        this.sequenceChannel = layout.sequenceChannel();
        this.kindChannel = layout.kindChannel();
        this.retraction = requireNonNull(retraction, "retraction is null");
        checkArgument(columns.size() == layout.columns().size(), "%s rules for %s columns", columns.size(), layout.columns().size());
    }

    @Override
    public void mergeAll(KeyGroups groups, RowReferences results, boolean applyToSingleRows)
    {
        int[] merged = MergedGroups.select(groups, applyToSingleRows);
        if (merged.length == 0) {
            MergedGroups.addAll(groups, results);
            return;
        }
        decide(groups, merged);
        Block[] blocks = new Block[types.size()];
        ChosenRows chosen = new ChosenRows(groups, merged.length);
        for (int channel = 0; channel < columns.size(); channel++) {
            blocks[channel] = switch (columns.get(channel)) {
                case ColumnRule.Key _ -> chosen.copy(types.get(channel), channel, index -> groups.end(merged[index]) - 1);
                case ColumnRule.NewestNonNull _ -> {
                    int source = channel;
                    yield chosen.copy(types.get(channel), channel, index -> newestNonNull(groups, merged[index], firsts[index], source));
                }
                // if no version advanced the group, its sequence columns are null in all that count
                case ColumnRule.GroupSequence(SequenceGroupMerge group) -> chosen.copy(types.get(channel), channel, index -> Math.max(group.sequenceRow(index), firsts[index]));
                case ColumnRule.GroupMember(SequenceGroupMerge group) -> chosen.copy(types.get(channel), channel, group::memberRow);
                case ColumnRule.GroupAggregate(SequenceGroupMerge group, Aggregator aggregator) -> aggregate(groups, merged, channel, group, aggregator);
            };
        }
        blocks[sequenceChannel] = chosen.copy(BIGINT, sequenceChannel, index -> newest[index]);
        blocks[kindChannel] = kinds(merged.length);
        MergedGroups.addMerged(groups, merged, new Page(merged.length, blocks), results);
    }

    private void decide(KeyGroups groups, int[] merged)
    {
        if (additions.length < groups.rowCount()) {
            additions = new boolean[groups.rowCount() * 2];
        }
        if (bases.length < merged.length) {
            firsts = new int[merged.length];
            bases = new int[merged.length];
            newest = new int[merged.length];
            exists = new boolean[merged.length];
        }
        sequenceGroups.forEach(group -> group.begin(groups.rowCount(), merged.length));
        for (int index = 0; index < merged.length; index++) {
            decide(groups, merged[index], index);
        }
    }

    private void decide(KeyGroups groups, int group, int index)
    {
        begin(index, groups.start(group));
        newest[index] = NONE;
        exists[index] = false;
        boolean added = false;
        for (int row = groups.start(group); row < groups.end(group); row++) {
            byte kind = TINYINT.getByte(groups.page(row).getBlock(kindChannel), groups.position(row));
            additions[row] = RowKind.isAdd(kind);
            if (additions[row]) {
                for (SequenceGroupMerge sequenceGroup : sequenceGroups) {
                    sequenceGroup.add(groups, row);
                }
                newest[index] = row;
                added = true;
                exists[index] = true;
                continue;
            }
            if (row == groups.start(group)) {
                startFrom(index, row);
            }
            if (retraction == Retraction.IGNORED) {
                continue;
            }
            newest[index] = row;
            if (removesRecord(groups, row, kind)) {
                startFrom(index, row);
                exists[index] = false;
            }
            else {
                exists[index] = added;
                for (SequenceGroupMerge sequenceGroup : sequenceGroups) {
                    sequenceGroup.retract(groups, row);
                }
            }
        }
        if (newest[index] == NONE) {
            newest[index] = groups.end(group) - 1;
        }
        for (SequenceGroupMerge sequenceGroup : sequenceGroups) {
            sequenceGroup.endKey(index);
        }
    }

    private boolean removesRecord(KeyGroups groups, int row, byte kind)
    {
        if (retraction == Retraction.REFUSED) {
            throw new StorageException(UNSUPPORTED_FEATURE, "A table holds a -U or -D row that it cannot merge: " + RetractOptions.PARTIAL_UPDATE_REFUSAL);
        }
        if (kind != RowKind.DELETE.value()) {
            return false;
        }
        if (retraction == Retraction.REMOVES_RECORD) {
            return true;
        }
        for (SequenceGroupMerge sequenceGroup : sequenceGroups) {
            if (sequenceGroup.removesRecord(groups, row)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes the row the first that counts.
     */
    private void begin(int index, int row)
    {
        firsts[index] = row;
        bases[index] = NONE;
        for (SequenceGroupMerge sequenceGroup : sequenceGroups) {
            sequenceGroup.beginKey();
        }
    }

    /**
     * Makes the values of a retraction the state.
     */
    private void startFrom(int index, int row)
    {
        firsts[index] = row;
        bases[index] = row;
        for (SequenceGroupMerge sequenceGroup : sequenceGroups) {
            sequenceGroup.startFrom(row);
        }
    }

    private int newestNonNull(KeyGroups groups, int group, int first, int channel)
    {
        for (int row = groups.end(group) - 1; row > first; row--) {
            if (additions[row] && !groups.page(row).getBlock(channel).isNull(groups.position(row))) {
                return row;
            }
        }
        return first;
    }

    private Block aggregate(KeyGroups groups, int[] merged, int channel, SequenceGroupMerge group, Aggregator aggregator)
    {
        BlockBuilder builder = types.get(channel).createBlockBuilder(null, merged.length);
        for (int index = 0; index < merged.length; index++) {
            aggregator.reset();
            // what comes before a removal leaves its traces too: a first value that was seen is not looked for again
            for (int row = groups.start(merged[index]); row < groups.end(merged[index]); row++) {
                if (row == bases[index]) {
                    aggregator.replace(groups.page(row).getBlock(channel), groups.position(row));
                }
                group.apply(row, aggregator, groups.page(row).getBlock(channel), groups.position(row));
            }
            aggregator.writeTo(builder);
        }
        return builder.build();
    }

    private Block kinds(int count)
    {
        byte[] kinds = new byte[count];
        for (int index = 0; index < count; index++) {
            kinds[index] = exists[index] ? RowKind.INSERT.value() : RowKind.DELETE.value();
        }
        return new ByteArrayBlock(count, Optional.empty(), kinds);
    }
}
