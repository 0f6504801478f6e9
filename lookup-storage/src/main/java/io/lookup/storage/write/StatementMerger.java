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
import io.airlift.slice.Slice;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.MergeFunction;
import io.lookup.storage.merge.RowReferences;
import io.lookup.storage.merge.UpdatedValues;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.type.TypeUtils;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * Makes one record a key of the rows of one statement. Where it changes rows that exist, an insert beats every delete of
 * its key, since an UPDATE that moves keys sends both in no order; a key with both becomes +U. Where rows are combined, the two halves of an
 * UPDATE come as -U and +U, and become one +U as soon as both are there. The result may go through here again, together
 * with other results of the same statement. Not thread-safe.
 */
final class StatementMerger
{
    private final String tableName;
    private final List<Integer> primaryKeyChannels;
    private final KeyValueLayout layout;
    private final MergeFunction mergeFunction;
    private final MergeEngine mergeEngine;
    private final WriteMode mode;
    private final Optional<String> deleteRefusal;
    private final Optional<StoredRows> storedRows;
    private final Optional<UpdatedValues> updatedValues;

    private final KeyGroups resolved = new KeyGroups();
    private final RowReferences results;

    /**
     * @param primaryKeyChannels channels of the table's key, with its partition columns
     * @param deleteRefusal why rows that exist cannot be deleted; empty if they can
     * @param storedRows brings results into the form that is stored; empty if they have it
     * @param updatedValues what an update holds where rows are combined; empty elsewhere
     */
    StatementMerger(
            String tableName,
            List<Integer> primaryKeyChannels,
            KeyValueLayout layout,
            MergeFunction mergeFunction,
            MergeEngine mergeEngine,
            WriteMode mode,
            Optional<String> deleteRefusal,
            Optional<StoredRows> storedRows,
            Optional<UpdatedValues> updatedValues)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.primaryKeyChannels = ImmutableList.copyOf(primaryKeyChannels);
        this.layout = requireNonNull(layout, "layout is null");
        this.mergeFunction = requireNonNull(mergeFunction, "mergeFunction is null");
        this.mergeEngine = requireNonNull(mergeEngine, "mergeEngine is null");
        this.mode = requireNonNull(mode, "mode is null");
        this.deleteRefusal = requireNonNull(deleteRefusal, "deleteRefusal is null");
        this.storedRows = requireNonNull(storedRows, "storedRows is null");
        this.updatedValues = requireNonNull(updatedValues, "updatedValues is null");
        this.results = new RowReferences(layout);
    }

    /**
     * Merges all rows of the statement for some keys.
     *
     * @return one row a group, in the order of the groups, as it is stored
     */
    Page merge(KeyGroups groups)
    {
        Page page = mergePart(groups);
        if (mode == WriteMode.ROW_CHANGES && deleteRefusal.isPresent()) {
            checkNoDelete(page);
        }
        return storedRows.map(rows -> rows.normalize(page)).orElse(page);
    }

    /**
     * Merges some of the statement's rows, of which others may follow.
     *
     * @return one row a group, in the order of the groups
     */
    Page mergePart(KeyGroups groups)
    {
        results.clear();
        if (groups.rowCount() == groups.groupCount() || mode == WriteMode.UPSERT) {
            // no key has two rows, or rows count in the order in which they came
            mergeFunction.mergeAll(groups, results, false);
            Page page = results.toPage();
            results.clear();
            return page;
        }
        resolved.clear();
        boolean[] updated = new boolean[groups.groupCount()];
        boolean anyUpdated = false;
        for (int group = 0; group < groups.groupCount(); group++) {
            resolved.beginGroup(groups, group);
            int adds = 0;
            for (int row = groups.start(group); row < groups.end(group); row++) {
                if (isAdd(groups, row)) {
                    adds++;
                }
            }
            if (adds > 1) {
                throw new StorageException(StorageErrorCode.INVALID_ROW, format(
                        "Two rows with the key %s would be written to table %s by one statement; the keys of its result must be unique",
                        describeKey(groups.page(groups.start(group)), groups.position(groups.start(group))),
                        tableName));
            }
            boolean update = adds > 0 && updatedValues.isPresent() && isUpdate(groups, group);
            if (adds > 0 && adds < groups.end(group) - groups.start(group) && mergeEngine != MergeEngine.DEDUPLICATE && !update) {
                throw new StorageException(StorageErrorCode.INVALID_ROW, format(
                        "The row with the key %s of table %s would be deleted and inserted by one statement; a new row is combined with the old one there, so that no record says both",
                        describeKey(groups.page(groups.start(group)), groups.position(groups.start(group))),
                        tableName));
            }
            for (int row = groups.start(group); row < groups.end(group); row++) {
                if (adds == 0 || isAdd(groups, row)) {
                    resolved.addRow(groups.page(row), groups.position(row), 0);
                }
                else {
                    updated[group] = true;
                    anyUpdated = true;
                }
            }
        }
        mergeFunction.mergeAll(resolved, results, false);
        Page page = results.toPage();
        results.clear();
        resolved.clear();
        return anyUpdated ? withUpdates(page, updated) : page;
    }

    /**
     * Whether the rows are the two halves of an UPDATE, which must be one that a merge can make.
     */
    private boolean isUpdate(KeyGroups groups, int group)
    {
        int start = groups.start(group);
        if (groups.end(group) - start != 2) {
            return false;
        }
        int newRow = isAdd(groups, start) ? start : start + 1;
        int oldRow = isAdd(groups, start) ? start + 1 : start;
        if (kind(groups, newRow) != RowKind.UPDATE_AFTER.value() || kind(groups, oldRow) != RowKind.UPDATE_BEFORE.value()) {
            return false;
        }
        updatedValues.orElseThrow().check(tableName, groups.page(newRow), groups.position(newRow), groups.page(oldRow), groups.position(oldRow));
        return true;
    }

    private byte kind(KeyGroups groups, int row)
    {
        return TINYINT.getByte(groups.page(row).getBlock(layout.kindChannel()), groups.position(row));
    }

    private void checkNoDelete(Page page)
    {
        Block kinds = page.getBlock(layout.kindChannel());
        for (int position = 0; position < page.getPositionCount(); position++) {
            if (!RowKind.isAdd(TINYINT.getByte(kinds, position))) {
                throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format(
                        "The row with the key %s of table %s cannot be deleted: %s",
                        describeKey(page, position),
                        tableName,
                        deleteRefusal.orElseThrow()));
            }
        }
    }

    private boolean isAdd(KeyGroups groups, int row)
    {
        return RowKind.isAdd(kind(groups, row));
    }

    private Page withUpdates(Page page, boolean[] updated)
    {
        Block kindBlock = page.getBlock(layout.kindChannel());
        byte[] kinds = new byte[page.getPositionCount()];
        for (int position = 0; position < kinds.length; position++) {
            kinds[position] = updated[position] ? RowKind.UPDATE_AFTER.value() : TINYINT.getByte(kindBlock, position);
        }
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        blocks[layout.kindChannel()] = new ByteArrayBlock(kinds.length, Optional.empty(), kinds);
        Page result = new Page(kinds.length, blocks);
        if (updatedValues.isPresent()) {
            for (Map.Entry<Integer, Block> value : updatedValues.get().values().entrySet()) {
                result = StoredRows.withValue(result, value.getKey(), layout.types().get(value.getKey()), updated, value.getValue());
            }
        }
        return result;
    }

    private String describeKey(Page page, int position)
    {
        return primaryKeyChannels.stream()
                .map(channel -> {
                    Object value = TypeUtils.readNativeValue(layout.types().get(channel), page.getBlock(channel), position);
                    return layout.columns().get(channel).name() + "=" + (value instanceof Slice slice ? slice.toStringUtf8() : value);
                })
                .collect(joining(", ", "(", ")"));
    }
}
