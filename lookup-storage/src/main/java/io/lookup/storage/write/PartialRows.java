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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SequenceGroup;
import io.lookup.storage.schema.SequenceGroups;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.StorageErrorCode.INVALID_ROW;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Leaves out of the records of a partial-update table what they do not say, so that all readers see the same.
 * <ul>
 * <li>Members of a sequence group whose sequence columns are null: a merge passes over them, but a key's only record is
 * returned as it is, by this engine and by others. Such values would be there until the key's next row.
 * <li>Values of a row that a DELETE removes: in Paimon an insert that follows starts from the values of the removed row as
 * long as the record of the removal lasts. Only what decides the order stays.
 * </ul>
 */
final class PartialRows
{
    private final String tableName;
    private final KeyValueLayout layout;
    private final List<Type> types;
    private final List<Group> groups;
    // what a DELETE leaves out; empty where deletes are told by the rows themselves
    private final Set<Integer> droppedByDelete;
    private final boolean removesByGroup;

    private PartialRows(String tableName, KeyValueLayout layout, List<Group> groups, Set<Integer> droppedByDelete)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.types = layout.types();
        this.groups = ImmutableList.copyOf(groups);
        this.droppedByDelete = ImmutableSet.copyOf(droppedByDelete);
        this.removesByGroup = groups.stream().anyMatch(Group::removesRecord);
    }

    private record Group(List<Integer> sequenceChannels, List<Integer> memberChannels, boolean removesRecord) {}

    /**
     * @param layout all columns of the table
     * @return empty for other merge engines
     */
    static Optional<PartialRows> create(String tableName, TableSchema schema, CoreOptions options, KeyValueLayout layout, WriteMode mode)
    {
        if (options.mergeEngine() != MergeEngine.PARTIAL_UPDATE) {
            return Optional.empty();
        }
        SequenceGroups sequenceGroups = SequenceGroups.of(schema, options);
        List<Group> groups = sequenceGroups.groups().stream()
                .map(group -> new Group(
                        group.sequenceColumns().stream().map(schema::fieldIndex).collect(toImmutableList()),
                        group.members().stream().filter(member -> !schema.primaryKeys().contains(member)).map(schema::fieldIndex).collect(toImmutableList()),
                        group.removesRecord()))
                .collect(toImmutableList());
        ImmutableSet.Builder<Integer> dropped = ImmutableSet.builder();
        if (mode == WriteMode.ROW_CHANGES) {
            for (DataField field : schema.fields()) {
                boolean ordersDelete = options.sequenceField().contains(field.name())
                        || sequenceGroups.groupOf(field.name()).filter(SequenceGroup::removesRecord).map(group -> group.sequenceColumns().contains(field.name())).orElse(false);
                if (field.type().nullable() && !ordersDelete && !schema.primaryKeys().contains(field.name())) {
                    dropped.add(schema.fieldIndex(field.name()));
                }
            }
        }
        return Optional.of(new PartialRows(tableName, layout, groups, dropped.build()));
    }

    /**
     * @param page in the table's layout
     */
    Page normalize(Page page)
    {
        int count = page.getPositionCount();
        boolean[][] nulls = new boolean[layout.columns().size()][];
        for (Group group : groups) {
            dropUnsaid(page, group, nulls);
        }
        if (!droppedByDelete.isEmpty()) {
            dropDeleted(page, nulls);
        }
        Block[] blocks = null;
        for (int channel = 0; channel < nulls.length; channel++) {
            if (nulls[channel] != null) {
                if (blocks == null) {
                    blocks = new Block[page.getChannelCount()];
                    for (int other = 0; other < blocks.length; other++) {
                        blocks[other] = page.getBlock(other);
                    }
                }
                blocks[channel] = withNulls(types.get(channel), page.getBlock(channel), nulls[channel]);
            }
        }
        return blocks == null ? page : new Page(count, blocks);
    }

    private void dropUnsaid(Page page, Group group, boolean[][] nulls)
    {
        for (int position = 0; position < page.getPositionCount(); position++) {
            if (!isEmpty(page, group, position)) {
                continue;
            }
            for (int channel : group.memberChannels()) {
                if (page.getBlock(channel).isNull(position)) {
                    continue;
                }
                DataField column = layout.columns().get(channel);
                if (!column.type().nullable()) {
                    throw new StorageException(INVALID_ROW, format(
                            "A row of table %s has NULL in all of %s, so that column %s of their sequence group would be NULL, which it cannot be; give one of them a value",
                            tableName,
                            group.sequenceChannels().stream().map(sequence -> layout.columns().get(sequence).name()).toList(),
                            column.name()));
                }
                markNull(nulls, channel, position, page.getPositionCount());
            }
        }
    }

    private void dropDeleted(Page page, boolean[][] nulls)
    {
        Block kinds = page.getBlock(layout.kindChannel());
        for (int position = 0; position < page.getPositionCount(); position++) {
            if (TINYINT.getByte(kinds, position) != RowKind.DELETE.value()) {
                continue;
            }
            if (removesByGroup && !removesRecord(page, position)) {
                throw new StorageException(INVALID_ROW, format(
                        "A row of table %s cannot be deleted: the columns that partial-update.remove-record-on-sequence-group names are NULL in it, so that a delete would not remove it",
                        tableName));
            }
            for (int channel : droppedByDelete) {
                if (!page.getBlock(channel).isNull(position)) {
                    markNull(nulls, channel, position, page.getPositionCount());
                }
            }
        }
    }

    private boolean removesRecord(Page page, int position)
    {
        for (Group group : groups) {
            if (group.removesRecord() && !isEmpty(page, group, position)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEmpty(Page page, Group group, int position)
    {
        for (int channel : group.sequenceChannels()) {
            if (!page.getBlock(channel).isNull(position)) {
                return false;
            }
        }
        return true;
    }

    private static void markNull(boolean[][] nulls, int channel, int position, int count)
    {
        if (nulls[channel] == null) {
            nulls[channel] = new boolean[count];
        }
        nulls[channel][position] = true;
    }

    private static Block withNulls(Type type, Block block, boolean[] nulls)
    {
        ValueBlock values = block.getUnderlyingValueBlock();
        BlockBuilder builder = type.createBlockBuilder(null, nulls.length);
        for (int position = 0; position < nulls.length; position++) {
            if (nulls[position]) {
                builder.appendNull();
            }
            else {
                builder.append(values, block.getUnderlyingValuePosition(position));
            }
        }
        return builder.build();
    }
}
