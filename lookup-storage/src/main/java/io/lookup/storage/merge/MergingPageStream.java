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

import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;

import java.io.IOException;
import java.util.List;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Several sorted runs as one: each key once, in ascending order, merged as a plain compaction or a read merges
 * (a lone version is passed on as it is). Stretches where one run lies alone are passed on as pieces of its pages.
 */
public final class MergingPageStream
        implements PageStream
{
    private static final int BATCH_GROUPS = 4096;
    // shorter stretches are copied together with their neighbours, so that pages stay of a useful size
    private static final int MIN_RUN_ROWS = 512;

    private final SortedMergeReader reader;
    private final MergeFunction mergeFunction;
    private final boolean dropRetracts;
    private final int kindChannel;
    private final KeyGroups groups = new KeyGroups();
    private final RowReferences results;

    /**
     * @param runs newest first; closed with this stream
     * @param dropRetracts whether a key whose result is a retract row disappears (reads, and compactions that have
     * nothing older below them)
     */
    public MergingPageStream(KeyValueLayout layout, KeyEncoder keyEncoder, List<RunInput> runs, MergeFunction mergeFunction, boolean dropRetracts)
    {
        this.reader = new SortedMergeReader(layout, keyEncoder, runs);
        this.mergeFunction = requireNonNull(mergeFunction, "mergeFunction is null");
        this.dropRetracts = dropRetracts;
        this.kindChannel = layout.kindChannel();
        this.results = new RowReferences(layout);
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        while (true) {
            Page run = reader.nextRun(MIN_RUN_ROWS);
            if (run != null) {
                Page kept = dropRetracts ? withoutRetracts(run) : run;
                if (kept.getPositionCount() > 0) {
                    return kept;
                }
                continue;
            }
            if (!reader.nextBatch(groups, BATCH_GROUPS, MIN_RUN_ROWS)) {
                return null;
            }
            mergeFunction.mergeAll(groups, results, false);
            groups.clear();
            Page page = dropRetracts ? results.toPage(index -> RowKind.isAdd(results.kind(index))) : results.toPage();
            results.clear();
            if (page.getPositionCount() > 0) {
                return page;
            }
        }
    }

    @Override
    public long memoryUsage()
    {
        return reader.memoryUsage();
    }

    @Override
    public void close()
            throws IOException
    {
        reader.close();
    }

    private Page withoutRetracts(Page page)
    {
        Block kinds = page.getBlock(kindChannel);
        int count = page.getPositionCount();
        if (kinds instanceof RunLengthEncodedBlock) {
            return RowKind.isAdd(TINYINT.getByte(kinds, 0)) ? page : page.getRegion(0, 0);
        }
        int kept = 0;
        while (kept < count && RowKind.isAdd(TINYINT.getByte(kinds, kept))) {
            kept++;
        }
        if (kept == count) {
            return page;
        }
        int[] positions = new int[count];
        for (int position = 0; position < kept; position++) {
            positions[position] = position;
        }
        for (int position = kept + 1; position < count; position++) {
            if (RowKind.isAdd(TINYINT.getByte(kinds, position))) {
                positions[kept++] = position;
            }
        }
        return page.copyPositions(positions, 0, kept);
    }
}
