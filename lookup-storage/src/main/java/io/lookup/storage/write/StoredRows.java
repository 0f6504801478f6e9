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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.DeletedValues;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SequenceGroups;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.StorageErrorCode.INVALID_ROW;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Leaves out of the records of tables that combine rows what they do not say, so that all readers see the same.
 * <ul>
 * <li>Members of a sequence group whose sequence columns are null: a merge passes over them, but a key's only record is
 * returned as it is, by this engine and by others. Such values would be there until the key's next row.
 * <li>Values of a row that a DELETE removes, see {@link DeletedValues}.
 * </ul>
 */
final class StoredRows
{
    private final String tableName;
    private final KeyValueLayout layout;
    private final List<Type> types;
    private final List<Group> groups;
    // by channel; empty where deletes are told by the rows themselves
    private final Map<Integer, Block> deletedValues;
    private final boolean removesByGroup;

    private StoredRows(String tableName, KeyValueLayout layout, List<Group> groups, Map<Integer, Block> deletedValues)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.types = layout.types();
        this.groups = ImmutableList.copyOf(groups);
        this.deletedValues = ImmutableMap.copyOf(deletedValues);
        this.removesByGroup = groups.stream().anyMatch(Group::removesRecord);
    }

    private record Group(List<Integer> sequenceChannels, List<Integer> memberChannels, boolean removesRecord) {}

    /**
     * @param layout all columns of the table
     * @return empty for merge engines that do not combine rows
     */
    static Optional<StoredRows> create(String tableName, TableSchema schema, CoreOptions options, KeyValueLayout layout, WriteMode mode)
    {
        if (options.mergeEngine() != MergeEngine.PARTIAL_UPDATE && options.mergeEngine() != MergeEngine.AGGREGATION) {
            return Optional.empty();
        }
        SequenceGroups sequenceGroups = SequenceGroups.of(schema, options);
        List<Group> groups = sequenceGroups.groups().stream()
                .map(group -> new Group(
                        group.sequenceColumns().stream().map(schema::fieldIndex).collect(toImmutableList()),
                        group.members().stream().filter(member -> !schema.primaryKeys().contains(member)).map(schema::fieldIndex).collect(toImmutableList()),
                        group.removesRecord()))
                .collect(toImmutableList());
        Map<Integer, Block> deletedValues = mode == WriteMode.ROW_CHANGES ? DeletedValues.of(schema, options).values() : ImmutableMap.of();
        return Optional.of(new StoredRows(tableName, layout, groups, deletedValues));
    }

    /**
     * @param page in the table's layout
     */
    Page normalize(Page page)
    {
        Page said = dropUnsaid(page);
        return deletedValues.isEmpty() ? said : dropDeleted(said);
    }

    private Page dropUnsaid(Page page)
    {
        boolean[][] nulls = new boolean[layout.columns().size()][];
        for (Group group : groups) {
            dropUnsaid(page, group, nulls);
        }
        Page result = page;
        for (int channel = 0; channel < nulls.length; channel++) {
            if (nulls[channel] != null) {
                result = withValue(result, channel, types.get(channel), nulls[channel], writeNativeValue(types.get(channel), null));
            }
        }
        return result;
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

    private Page dropDeleted(Page page)
    {
        Block kinds = page.getBlock(layout.kindChannel());
        boolean[] deleted = new boolean[page.getPositionCount()];
        boolean any = false;
        for (int position = 0; position < deleted.length; position++) {
            if (TINYINT.getByte(kinds, position) != RowKind.DELETE.value()) {
                continue;
            }
            if (removesByGroup && !removesRecord(page, position)) {
                throw new StorageException(INVALID_ROW, format(
                        "A row of table %s cannot be deleted: the columns that partial-update.remove-record-on-sequence-group names are NULL in it, so that a delete would not remove it",
                        tableName));
            }
            deleted[position] = true;
            any = true;
        }
        if (!any) {
            return page;
        }
        Page result = page;
        for (Map.Entry<Integer, Block> value : deletedValues.entrySet()) {
            result = withValue(result, value.getKey(), types.get(value.getKey()), deleted, value.getValue());
        }
        return result;
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

    /**
     * @param value one position
     */
    static Page withValue(Page page, int channel, Type type, boolean[] replaced, Block value)
    {
        Block old = page.getBlock(channel);
        ValueBlock oldValues = old.getUnderlyingValueBlock();
        BlockBuilder builder = type.createBlockBuilder(null, replaced.length);
        for (int position = 0; position < replaced.length; position++) {
            if (replaced[position]) {
                builder.append(value.getUnderlyingValueBlock(), value.getUnderlyingValuePosition(0));
            }
            else {
                builder.append(oldValues, old.getUnderlyingValuePosition(position));
            }
        }
        Block[] blocks = new Block[page.getChannelCount()];
        for (int other = 0; other < blocks.length; other++) {
            blocks[other] = other == channel ? builder.build() : page.getBlock(other);
        }
        return new Page(page.getPositionCount(), blocks);
    }
}
