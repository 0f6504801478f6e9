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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableSet;
import com.google.common.io.Closer;
import io.lookup.storage.changelog.ChangelogAssembler;
import io.lookup.storage.changelog.RowEquality;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.scan.ConcatenatedPageStream;
import io.lookup.storage.scan.SplitReaderFactory;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;

/**
 * Compares the rows of one bucket at two snapshots in one merge: +I for a key that is new, -D with the old row for one that is gone, -U
 * and +U for one whose row is another one.
 * <p>
 * Pages have the channels of {@link KeyValueLayout#ofTable}; sequence numbers are null, since a merged row has none. A page may be empty, so
 * that a long merge can be left between pages.
 */
final class StateDifference
        implements PageStream
{
    private static final int KEYS_PER_PAGE = 8_192;
    private static final Block NO_SEQUENCE_NUMBER = writeNativeValue(BIGINT, null);
    private static final Block PRESENT = writeNativeValue(TINYINT, (long) RowKind.INSERT.value());
    private static final Block GONE = writeNativeValue(TINYINT, (long) RowKind.DELETE.value());

    private final KeyValueLayout layout;
    private final ChangelogAssembler assembler;
    private final Closer closer = Closer.create();
    private final KeyedCursor before;
    private final KeyedCursor after;
    private final Page emptyPage;

    private boolean opened;
    private boolean hasBefore;
    private boolean hasAfter;
    // the page of the earlier state that is at hand, with its rows as gone
    private Page beforePage;
    private Page goneRows;

    StateDifference(DifferenceSplit split, TableSchema schema, CoreOptions options, SplitReaderFactory readers)
    {
        requireNonNull(split, "split is null");
        this.layout = KeyValueLayout.ofTable(schema, options);
        this.assembler = new ChangelogAssembler(layout, Optional.of(new RowEquality(layout, ImmutableSet.of())));
        KeyEncoder keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
        this.before = closer.register(state(split.before(), keyEncoder, readers));
        this.after = closer.register(state(split.after(), keyEncoder, readers));
        this.emptyPage = new Page(0, layout.types().stream().map(type -> type.createBlockBuilder(null, 0).build()).toArray(Block[]::new));
    }

    private KeyedCursor state(List<TableSplit> splits, KeyEncoder keyEncoder, SplitReaderFactory readers)
    {
        PageStream pages = new ConcatenatedPageStream(splits.stream()
                .map(split -> (ConcatenatedPageStream.Source) () -> new PresentRows(readers.openSorted(split, layout.columns())))
                .iterator());
        return new KeyedCursor(pages, keyEncoder, layout.keyChannelArray(), () -> "the state of snapshot " + splits.getFirst().snapshotId());
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        if (!opened) {
            opened = true;
            hasBefore = before.advance();
            hasAfter = after.advance();
        }
        if (!hasBefore && !hasAfter) {
            return null;
        }
        for (int keys = 0; keys < KEYS_PER_PAGE && (hasBefore || hasAfter); keys++) {
            compareKey();
        }
        return assembler.takePage().orElse(emptyPage);
    }

    private void compareKey()
            throws IOException
    {
        int order = order();
        if (order < 0) {
            assembler.add(before.page(), before.position(), goneRows(), before.position());
        }
        else {
            assembler.add(order == 0 ? before.page() : null, before.position(), after.page(), after.position());
        }
        if (order <= 0) {
            hasBefore = before.advance();
        }
        if (order >= 0) {
            hasAfter = after.advance();
        }
    }

    /**
     * Negative if the next key is in the earlier state only, positive if it is in the later one only.
     */
    private int order()
    {
        if (!hasBefore) {
            return 1;
        }
        return hasAfter ? before.compareKey(after) : -1;
    }

    private Page goneRows()
    {
        if (beforePage != before.page()) {
            beforePage = before.page();
            goneRows = withKind(beforePage.getColumns(IntStream.range(0, layout.columns().size()).toArray()), GONE);
        }
        return goneRows;
    }

    private static Page withKind(Page rows, Block kind)
    {
        Block[] systemColumns = {
                RunLengthEncodedBlock.create(NO_SEQUENCE_NUMBER, rows.getPositionCount()),
                RunLengthEncodedBlock.create(kind, rows.getPositionCount())};
        Block[] blocks = new Block[rows.getChannelCount() + systemColumns.length];
        for (int channel = 0; channel < rows.getChannelCount(); channel++) {
            blocks[channel] = rows.getBlock(channel);
        }
        System.arraycopy(systemColumns, 0, blocks, rows.getChannelCount(), systemColumns.length);
        return new Page(rows.getPositionCount(), blocks);
    }

    @Override
    public long memoryUsage()
    {
        return before.memoryUsage() + after.memoryUsage();
    }

    @Override
    public void close()
            throws IOException
    {
        closer.close();
    }

    private record PresentRows(PageStream rows)
            implements PageStream
    {
        @Override
        public Page nextPage()
                throws IOException
        {
            Page page = rows.nextPage();
            return page == null ? null : withKind(page, PRESENT);
        }

        @Override
        public long memoryUsage()
        {
            return rows.memoryUsage();
        }

        @Override
        public void close()
                throws IOException
        {
            rows.close();
        }
    }
}
