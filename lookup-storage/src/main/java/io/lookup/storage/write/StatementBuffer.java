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
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.lsm.KnownRows;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.RowReferences;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.merge.SortedMergeReader;
import io.lookup.storage.write.RowBuffer.SortedRows;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

/**
 * All rows of one statement for one bucket: in memory while they fit, else as sorted runs on local disk. In the
 * end each key has one record, and the level-0 files made of them do not overlap. Not thread-safe.
 */
final class StatementBuffer
{
    private static final int BATCH_GROUPS = 8192;
    private static final long BATCH_BYTES = 32L << 20;
    // a page of each spilled run is in memory while they are merged
    private static final long SPILLED_PAGE_BYTES = 1L << 20;

    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final StatementMerger merger;
    private final boolean keepsInput;
    private final SpillFile spillFile;

    // another one after each spill, since that one goes on being read
    private RowBuffer buffer;
    private final List<SpillFile.Run> runs = new ArrayList<>();
    private final KeyGroups groups;
    // order of arrival; real sequence numbers are given to the records that are left in the end
    private final PageSequencer arrival = new PageSequencer(0);

    /**
     * @param merger may be shared by the buckets of a sink, as are the next two
     * @param groups room to work in, empty between the calls
     * @param keepsInput whether every row is kept until it is logged; else rows are merged as soon as they are spilled
     */
    StatementBuffer(KeyValueLayout layout, KeyEncoder keyEncoder, StatementMerger merger, KeyGroups groups, SpillFile spillFile, boolean keepsInput)
    {
        this.layout = requireNonNull(layout, "layout is null");
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.merger = requireNonNull(merger, "merger is null");
        this.groups = requireNonNull(groups, "groups is null");
        this.spillFile = requireNonNull(spillFile, "spillFile is null");
        this.keepsInput = keepsInput;
        this.buffer = new RowBuffer(layout, keyEncoder);
    }

    /**
     * @param values the table's columns in schema order
     * @param kinds one row kind a position, or a single one for all
     */
    void add(Page values, byte[] kinds)
    {
        int count = values.getPositionCount();
        Block[] blocks = new Block[layout.channelCount()];
        for (int channel = 0; channel < layout.columns().size(); channel++) {
            blocks[channel] = values.getBlock(channel);
        }
        blocks[layout.sequenceChannel()] = arrival.nextBlock(count);
        blocks[layout.kindChannel()] = kinds.length == 1
                ? RunLengthEncodedBlock.create(new ByteArrayBlock(1, Optional.empty(), kinds), count)
                : new ByteArrayBlock(count, Optional.empty(), Arrays.copyOf(kinds, count));
        buffer.add(new Page(count, blocks));
    }

    boolean isEmpty()
    {
        return buffer.rowCount() == 0 && runs.isEmpty();
    }

    long memoryUsage()
    {
        return buffer.memoryUsage();
    }

    /**
     * Takes what is in memory out of it.
     *
     * @return sorts and writes it, in any thread; until that has ended, this object takes rows and does nothing else
     */
    Spill startSpill()
    {
        RowBuffer spilled = buffer;
        buffer = new RowBuffer(layout, keyEncoder);
        return () -> {
            if (spilled.rowCount() == 0) {
                return;
            }
            SortedRows rows = spilled.sort();
            while (rows.nextBatch(groups, BATCH_GROUPS, SPILLED_PAGE_BYTES)) {
                spillFile.write(part(groups));
            }
            runs.add(spillFile.finishRun());
            groups.clear();
        };
    }

    /**
     * Rows of the batch as they are merged with others later.
     */
    private Page part(KeyGroups batch)
    {
        return keepsInput ? allRows(batch) : merger.mergePart(batch);
    }

    /**
     * Writes the statement's records in key order, numbered from {@code firstSequenceNumber}.
     *
     * @param known is given the rows that the statement says were there, as far as they were not merged into others when they were spilled
     */
    void writeTo(RollingWriter writer, long firstSequenceNumber, KnownRows known)
            throws IOException
    {
        PageSequencer sequencer = new PageSequencer(firstSequenceNumber);
        forEachBatch(() -> {
            known.addRetracted(groups);
            writer.write(sequencer.renumber(merger.merge(groups), layout));
        });
    }

    /**
     * As {@link #writeTo(RollingWriter, long, KnownRows)}, and logs the rows as they came.
     */
    void writeTo(RollingWriter writer, RollingWriter logWriter, InputLog log)
            throws IOException
    {
        checkState(keepsInput, "rows were merged when they were spilled");
        forEachBatch(() -> {
            // first, since it is what refuses rows
            Page merged = merger.merge(groups);
            logWriter.write(log.log(groups));
            writer.write(log.number(merged));
        });
    }

    private void forEachBatch(BatchAction action)
            throws IOException
    {
        if (runs.isEmpty()) {
            SortedRows rows = buffer.sort();
            while (rows.nextBatch(groups, BATCH_GROUPS, BATCH_BYTES)) {
                action.run();
            }
            buffer.clear();
            return;
        }
        ImmutableList.Builder<RunInput> inputs = ImmutableList.builder();
        if (buffer.rowCount() > 0) {
            inputs.add(new RunInput(new BufferedRun(buffer.sort()), 0));
        }
        for (SpillFile.Run run : runs.reversed()) {
            inputs.add(new RunInput(spillFile.read(run, layout.channelCount()), 0));
        }
        try (SortedMergeReader reader = new SortedMergeReader(layout, keyEncoder, inputs.build(), keepsInput)) {
            while (reader.nextBatch(groups, BATCH_GROUPS)) {
                action.run();
            }
        }
        close();
    }

    private Page allRows(KeyGroups batch)
    {
        RowReferences rows = new RowReferences(layout);
        for (int row = 0; row < batch.rowCount(); row++) {
            rows.add(batch.page(row), batch.position(row));
        }
        return rows.toPage();
    }

    void close()
    {
        buffer.clear();
        groups.clear();
        runs.clear();
    }

    /**
     * The rows that are still in memory, as one more run.
     */
    private final class BufferedRun
            implements PageStream
    {
        private final SortedRows rows;
        private final KeyGroups batch = new KeyGroups();

        private BufferedRun(SortedRows rows)
        {
            this.rows = requireNonNull(rows, "rows is null");
        }

        @Override
        public Page nextPage()
        {
            if (!rows.nextBatch(batch, BATCH_GROUPS, SPILLED_PAGE_BYTES)) {
                return null;
            }
            Page page = part(batch);
            batch.clear();
            return page;
        }

        @Override
        public void close()
        {
            batch.clear();
        }
    }

    interface Spill
    {
        void run()
                throws IOException;
    }

    private interface BatchAction
    {
        void run()
                throws IOException;
    }
}
