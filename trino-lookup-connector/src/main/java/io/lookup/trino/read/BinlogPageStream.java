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
package io.lookup.trino.read;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.row.RowKind;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.Type;

import java.io.IOException;
import java.util.List;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Puts both sides of an update into one row: each column becomes an array, of the old and the new value for an update, which has the kind
 * +U, and of one value for everything else. Sequence number and kind stand behind the columns, as in what comes in.
 */
final class BinlogPageStream
        implements PageStream
{
    private final PageStream changes;
    private final int columns;
    private final PageBuilder builder;
    private Page current;
    private int position;
    // the old side of an update whose new side is the next change
    private Page before;
    private int beforePosition;

    /**
     * @param changes columns of the given types, sequence number, kind
     */
    BinlogPageStream(PageStream changes, List<Type> types)
    {
        this.changes = requireNonNull(changes, "changes is null");
        this.columns = types.size();
        ImmutableList.Builder<Type> outputTypes = ImmutableList.builder();
        types.forEach(type -> outputTypes.add(new ArrayType(type)));
        this.builder = new PageBuilder(outputTypes.add(BIGINT, TINYINT).build());
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        builder.reset();
        while (!builder.isFull() && hasNext()) {
            byte kind = TINYINT.getByte(current.getBlock(columns + 1), position);
            if (before != null && kind != RowKind.UPDATE_AFTER.value()) {
                // a log without new sides
                addRow(null, 0, before, beforePosition);
                before = null;
                continue;
            }
            if (kind == RowKind.UPDATE_BEFORE.value()) {
                before = current;
                beforePosition = position;
            }
            else {
                addRow(before, beforePosition, current, position);
                before = null;
            }
            position++;
        }
        if (current == null && before != null) {
            addRow(null, 0, before, beforePosition);
            before = null;
        }
        return builder.isEmpty() ? null : builder.build();
    }

    private boolean hasNext()
            throws IOException
    {
        while (current == null || position == current.getPositionCount()) {
            current = changes.nextPage();
            position = 0;
            if (current == null) {
                return false;
            }
        }
        return true;
    }

    private void addRow(Page first, int firstPosition, Page second, int secondPosition)
    {
        builder.declarePosition();
        for (int channel = 0; channel < columns; channel++) {
            int column = channel;
            ((ArrayBlockBuilder) builder.getBlockBuilder(channel)).buildEntry(element -> {
                if (first != null) {
                    append(element, first.getBlock(column), firstPosition);
                }
                append(element, second.getBlock(column), secondPosition);
            });
        }
        append(builder.getBlockBuilder(columns), second.getBlock(columns), secondPosition);
        append(builder.getBlockBuilder(columns + 1), second.getBlock(columns + 1), secondPosition);
    }

    private static void append(BlockBuilder target, Block source, int position)
    {
        if (source.isNull(position)) {
            target.appendNull();
            return;
        }
        target.append(source.getUnderlyingValueBlock(), source.getUnderlyingValuePosition(position));
    }

    @Override
    public long memoryUsage()
    {
        return changes.memoryUsage() + builder.getRetainedSizeInBytes();
    }

    @Override
    public void close()
            throws IOException
    {
        changes.close();
    }
}
