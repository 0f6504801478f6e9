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
package io.lookup.storage.changelog;

import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.RowReferences;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;

import java.util.Arrays;
import java.util.Optional;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Turns the states of keys before and after a commit into changelog records:
 *
 * <table>
 * <caption>Records by state</caption>
 * <tr><th>before</th><th>after</th><th>records</th></tr>
 * <tr><td>none or retracted</td><td>row</td><td>+I after</td></tr>
 * <tr><td>row</td><td>none or retracted</td><td>-D before</td></tr>
 * <tr><td>row</td><td>row</td><td>-U before, +U after; nothing if equal and row-deduplicate is on</td></tr>
 * <tr><td>none or retracted</td><td>none or retracted</td><td>nothing</td></tr>
 * </table>
 *
 * <p>Records carry the sequence number of the row that they show. Not thread-safe.
 */
public final class ChangelogAssembler
{
    private final int kindChannel;
    private final Optional<RowEquality> equality;
    private final RowReferences rows;
    private byte[] kinds = new byte[1024];

    /**
     * @param equality present: updates that change nothing are left out
     */
    public ChangelogAssembler(KeyValueLayout layout, Optional<RowEquality> equality)
    {
        this.kindChannel = layout.kindChannel();
        this.rows = new RowReferences(layout);
        this.equality = requireNonNull(equality, "equality is null");
    }

    /**
     * @param beforePage null if the key had no record
     * @param afterPage null if it has none any more
     */
    public void add(Page beforePage, int beforePosition, Page afterPage, int afterPosition)
    {
        boolean existed = beforePage != null && isAdd(beforePage, beforePosition);
        boolean exists = afterPage != null && isAdd(afterPage, afterPosition);
        if (!existed) {
            if (exists) {
                add(afterPage, afterPosition, RowKind.INSERT);
            }
            return;
        }
        if (!exists) {
            add(beforePage, beforePosition, RowKind.DELETE);
            return;
        }
        if (equality.isEmpty() || !equality.get().equal(beforePage, beforePosition, afterPage, afterPosition)) {
            add(beforePage, beforePosition, RowKind.UPDATE_BEFORE);
            add(afterPage, afterPosition, RowKind.UPDATE_AFTER);
        }
    }

    /**
     * Hands out what was added and starts anew.
     */
    public Optional<Page> takePage()
    {
        int count = rows.count();
        if (count == 0) {
            return Optional.empty();
        }
        Page page = rows.toPage();
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        blocks[kindChannel] = new ByteArrayBlock(count, Optional.empty(), Arrays.copyOf(kinds, count));
        rows.clear();
        return Optional.of(new Page(count, blocks));
    }

    private boolean isAdd(Page page, int position)
    {
        return RowKind.isAdd(TINYINT.getByte(page.getBlock(kindChannel), position));
    }

    private void add(Page page, int position, RowKind kind)
    {
        int index = rows.count();
        if (index == kinds.length) {
            kinds = Arrays.copyOf(kinds, index * 2);
        }
        kinds[index] = kind.value();
        rows.add(page, position);
    }
}
