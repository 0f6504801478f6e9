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

import io.airlift.slice.Slice;
import io.trino.spi.Page;
import io.trino.spi.block.VariableWidthBlock;
import org.apache.paimon.Snapshot;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.StreamWriteBuilder;
import org.apache.paimon.table.sink.TableWrite;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.table.source.TableRead;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static java.util.Objects.requireNonNull;

/**
 * Apache Paimon through its batch API. Its rows are filled from the same pages, one row object for all: its write
 * buffer copies what it is given.
 */
final class PaimonEngine
        implements BenchmarkEngine
{
    private final Catalog catalog;
    private final Identifier identifier;
    private final IOManager ioManager;
    private final boolean kept;
    private StreamTableWrite streamWrite;
    private StreamTableCommit streamCommit;
    private long commitIdentifier;

    /**
     * With a batch writer for each statement.
     *
     * @param identifier an existing table
     */
    PaimonEngine(Catalog catalog, Identifier identifier, Path scratch)
    {
        this(catalog, identifier, scratch, false);
    }

    /**
     * @param kept whether one streaming writer serves all statements until {@link #forget}
     */
    PaimonEngine(Catalog catalog, Identifier identifier, Path scratch, boolean kept)
    {
        this.kept = kept;
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.identifier = requireNonNull(identifier, "identifier is null");
        this.ioManager = IOManager.create(scratch.toString());
    }

    @Override
    public String name()
    {
        return "paimon";
    }

    private FileStoreTable open()
            throws Exception
    {
        return (FileStoreTable) catalog.getTable(identifier);
    }

    @Override
    public void write(List<Page> pages)
            throws Exception
    {
        if (kept) {
            writeToKeptWriter(pages);
            return;
        }
        BatchWriteBuilder builder = open().newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            write.withIOManager(ioManager);
            writeRows(write, pages);
            commit.commit(write.prepareCommit());
        }
    }

    private void writeToKeptWriter(List<Page> pages)
            throws Exception
    {
        if (streamWrite == null) {
            StreamWriteBuilder builder = open().newStreamWriteBuilder();
            streamWrite = builder.newWrite();
            streamWrite.withIOManager(ioManager);
            streamCommit = builder.newCommit();
        }
        writeRows(streamWrite, pages);
        streamCommit.commit(commitIdentifier, streamWrite.prepareCommit(true, commitIdentifier));
        commitIdentifier++;
    }

    private static void writeRows(TableWrite write, List<Page> pages)
            throws Exception
    {
        GenericRow row = new GenericRow(BenchmarkRows.COLUMNS.size());
        for (Page page : pages) {
            for (int position = 0; position < page.getPositionCount(); position++) {
                fill(row, page, position);
                write.write(row);
            }
        }
    }

    @Override
    public void forget()
            throws Exception
    {
        if (streamWrite != null) {
            streamWrite.close();
            streamCommit.close();
            streamWrite = null;
        }
    }

    private static void fill(GenericRow row, Page page, int position)
    {
        row.setField(0, BIGINT.getLong(page.getBlock(0), position));
        row.setField(1, BIGINT.getLong(page.getBlock(1), position));
        row.setField(2, DOUBLE.getDouble(page.getBlock(2), position));
        row.setField(3, string(page, 3, position));
        row.setField(4, string(page, 4, position));
        row.setField(5, Timestamp.fromEpochMillis(BIGINT.getLong(page.getBlock(5), position) / 1000));
    }

    private static BinaryString string(Page page, int channel, int position)
    {
        VariableWidthBlock block = (VariableWidthBlock) page.getBlock(channel);
        Slice raw = block.getRawSlice();
        return BinaryString.fromBytes(raw.byteArray(), raw.byteArrayOffset() + block.getRawSliceOffset(position), block.getSliceLength(position));
    }

    @Override
    public ScanResult scan(Selection selection)
            throws Exception
    {
        int count = selection.columns().size();
        int filter = selection.columns().indexOf(selection.filterColumn());
        int[] columns = selection.columns().stream().mapToInt(Integer::intValue).toArray();
        return read(selection, row -> {
            if (selection.isFiltered() && (row.getLong(filter) < selection.min() || row.getLong(filter) > selection.max())) {
                return OptionalLong.empty();
            }
            long sum = 0;
            for (int index = 0; index < count; index++) {
                sum += switch (columns[index]) {
                    case 2 -> Double.doubleToRawLongBits(row.getDouble(index));
                    case 3, 4 -> row.getString(index).getSizeInBytes();
                    case 5 -> row.getTimestamp(index, 3).getMillisecond() * 1000;
                    default -> row.getLong(index);
                };
            }
            return OptionalLong.of(sum);
        });
    }

    @Override
    public ScanResult checksum()
            throws Exception
    {
        return read(Selection.ALL, row -> {
            long hash = BenchmarkRows.mix(row.getLong(0));
            hash = BenchmarkRows.mix(hash ^ row.getLong(1));
            hash = BenchmarkRows.mix(hash ^ Double.doubleToRawLongBits(row.getDouble(2)));
            hash = BenchmarkRows.hash(hash, row.getString(3).toBytes());
            hash = BenchmarkRows.hash(hash, row.getString(4).toBytes());
            return OptionalLong.of(BenchmarkRows.mix(hash ^ (row.getTimestamp(5, 3).getMillisecond() * 1000)));
        });
    }

    /**
     * @param value what is added up, empty for rows that are not wanted
     */
    private ScanResult read(Selection selection, Function<InternalRow, OptionalLong> value)
            throws Exception
    {
        FileStoreTable table = open();
        ReadBuilder readBuilder = table.newReadBuilder();
        if (selection.columns().size() < BenchmarkRows.COLUMNS.size()) {
            readBuilder.withProjection(selection.columns().stream().mapToInt(Integer::intValue).toArray());
        }
        if (selection.isFiltered()) {
            PredicateBuilder predicates = new PredicateBuilder(table.rowType());
            readBuilder.withFilter(predicates.between(selection.filterColumn(), selection.min(), selection.max()));
        }
        TableRead read = readBuilder.newRead().withIOManager(ioManager);
        long rows = 0;
        long sum = 0;
        for (Split split : readBuilder.newScan().plan().splits()) {
            try (RecordReader<InternalRow> reader = read.createReader(split)) {
                for (RecordReader.RecordIterator<InternalRow> batch = reader.readBatch(); batch != null; batch = reader.readBatch()) {
                    for (InternalRow row = batch.next(); row != null; row = batch.next()) {
                        OptionalLong result = value.apply(row);
                        if (result.isPresent()) {
                            sum += result.getAsLong();
                            rows++;
                        }
                    }
                    batch.releaseBatch();
                }
            }
        }
        return new ScanResult(rows, sum);
    }

    @Override
    public long changelogRows()
            throws Exception
    {
        long rows = 0;
        for (Iterator<Snapshot> snapshots = open().snapshotManager().snapshots(); snapshots.hasNext(); ) {
            Long count = snapshots.next().changelogRecordCount();
            rows += count == null ? 0 : count;
        }
        return rows;
    }

    @Override
    public void close()
            throws Exception
    {
        forget();
        ioManager.close();
    }
}
