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
package io.lookup.benchmark;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.ProbeKeys;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupCompression;
import io.lookup.storage.lookup.local.LookupFileId;
import io.lookup.storage.lookup.local.LookupFileSettings;
import io.lookup.storage.lookup.local.LookupLayout;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.VariableWidthBlock;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A local lookup file: one key a call, or sorted batches of them.
 */
final class LocalLookupStore
        extends PointLookupStore
{
    private static final int PAGE_ROWS = 8_192;
    private static final int VALUE_CHANNEL = 1;

    private final LocalLookupFiles files;
    private final boolean batches;
    private FileLookup lookup;
    private Page keyPage;
    private Slice[] queries;
    private int batch;

    LocalLookupStore(Path directory, LookupCompression compression, boolean batches)
    {
        int blockBytes = Integer.getInteger("block", LookupFileSettings.DEFAULT_BLOCK_BYTES);
        this.files = new LocalLookupFiles(new LookupFileSettings(directory, Long.MAX_VALUE, CACHE_BYTES, Long.MAX_VALUE / 2, compression, blockBytes), new LookupStatistics());
        this.batches = batches;
    }

    @Override
    void load(int rows)
            throws IOException
    {
        KeyValueLayout layout = new KeyValueLayout(
                ImmutableList.of(
                        new DataField(0, "k", new ScalarType(TypeRoot.BIGINT, 0, 0, false)),
                        new DataField(1, "v", new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, true))),
                ImmutableList.of(0),
                ImmutableList.of(),
                false);
        LookupLayout lookupLayout = LookupLayout.ofRows(layout, KeyEncoder.forKeys(layout.keyTypes()));
        DataFileMeta file = new DataFileMeta(
                "data.parquet", 1, rows, BinaryRow.EMPTY, BinaryRow.EMPTY, SimpleStats.EMPTY, SimpleStats.EMPTY, 0, 0,
                0, 5, ImmutableList.of(), OptionalLong.of(0), OptionalLong.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());
        LookupFileId id = new LookupFileId("file:/table/bucket-0/data.parquet", file, lookupLayout);
        lookup = files.build(id, Optional.empty(), () -> new Rows(rows), DeletionVector.EMPTY, () -> {
            throw new IOException("The lookup file cannot be read");
        }).orElseThrow();
        bytes = files.getDiskBytes();
        keyPage = new Rows(1).nextPage();
    }

    @Override
    void prepare(long[] queries, int batch)
    {
        this.queries = Arrays.stream(keyBytes(queries)).map(Slices::wrappedBuffer).toArray(Slice[]::new);
        this.batch = batches ? batch : 1;
    }

    @Override
    long lookup()
            throws IOException
    {
        long found = 0;
        ProbeKeys probes = new ProbeKeys();
        LookupHits hits = new LookupHits();
        for (int start = 0; start < queries.length; start += batch) {
            probes.clear();
            for (int query = start; query < start + batch; query++) {
                probes.add(0, queries[query], keyPage, 0);
            }
            hits.reset(batch);
            lookup.probe(probes, 0, batch, hits);
            for (int probe = 0; probe < batch; probe++) {
                if (hits.found(probe)) {
                    found++;
                    VariableWidthBlock values = (VariableWidthBlock) hits.page(probe).getBlock(VALUE_CHANNEL);
                    touched += values.getRawSlice().getByte(values.getRawSliceOffset(hits.position(probe)));
                }
            }
        }
        return found;
    }

    @Override
    public void close()
            throws IOException
    {
        lookup.close();
        files.close();
    }

    private static final class Rows
            implements PageStream
    {
        private final int rows;
        private int next;

        private Rows(int rows)
        {
            this.rows = rows;
        }

        @Override
        public Page nextPage()
        {
            if (next == rows) {
                return null;
            }
            int count = Math.min(PAGE_ROWS, rows - next);
            long[] keys = new long[count];
            long[] sequences = new long[count];
            byte[] values = new byte[count * PointLookupBenchmark.VALUE_BYTES];
            int[] offsets = new int[count + 1];
            byte[] value = new byte[PointLookupBenchmark.VALUE_BYTES];
            for (int row = 0; row < count; row++) {
                keys[row] = PointLookupBenchmark.key(next + row);
                sequences[row] = next + row;
                PointLookupBenchmark.fillValue(next + row, value);
                System.arraycopy(value, 0, values, row * value.length, value.length);
                offsets[row + 1] = offsets[row] + value.length;
            }
            next += count;
            return new Page(
                    count,
                    new LongArrayBlock(count, Optional.empty(), keys),
                    new VariableWidthBlock(count, Slices.wrappedBuffer(values), offsets, Optional.empty()),
                    new LongArrayBlock(count, Optional.empty(), sequences),
                    RunLengthEncodedBlock.create(new ByteArrayBlock(1, Optional.empty(), new byte[1]), count));
        }

        @Override
        public void close() {}
    }
}
