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

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.manifest.ManifestCache;
import io.lookup.storage.format.parquet.FooterCache;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupCompression;
import io.lookup.storage.lookup.local.LookupFileSettings;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.table.StorageTable;
import io.lookup.storage.table.TableContext;
import io.lookup.storage.write.TableWriter;
import io.lookup.storage.write.WriteMode;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.VarcharType.VARCHAR;

/**
 * The engine of this project, through its front door, with pages as Trino hands them over.
 */
final class LookupEngine
        implements BenchmarkEngine
{
    private static final long MANIFEST_CACHE_BYTES = 64L << 20;
    private static final long FOOTER_CACHE_BYTES = 64L << 20;
    private static final long LOOKUP_DISK_BYTES = 8L << 30;
    private static final long LOOKUP_MEMORY_BYTES = 256L << 20;

    private final HadoopFileIo fileIo;
    private final Path spillDirectory;
    private final long writeMemoryBytes;
    private TableContext context;
    private LocalLookupFiles lookupFiles;
    private final org.apache.hadoop.fs.Path location;

    /**
     * @param location an existing table
     */
    LookupEngine(Path location, Path spillDirectory, long writeMemoryBytes)
            throws IOException
    {
        this.fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()));
        this.spillDirectory = spillDirectory;
        this.writeMemoryBytes = writeMemoryBytes;
        forget();
        this.location = new org.apache.hadoop.fs.Path(location.toUri());
    }

    @Override
    public void forget()
            throws IOException
    {
        if (lookupFiles != null) {
            lookupFiles.close();
            MoreFiles.deleteRecursively(spillDirectory.resolve("lookup"), RecursiveDeleteOption.ALLOW_INSECURE);
        }
        lookupFiles = new LocalLookupFiles(
                new LookupFileSettings(spillDirectory.resolve("lookup"), LOOKUP_DISK_BYTES, LOOKUP_MEMORY_BYTES, 3_600_000, LookupCompression.NONE, LookupFileSettings.DEFAULT_BLOCK_BYTES),
                new LookupStatistics());
        context = new TableContext(
                fileIo,
                new DataFileReaderFactory(fileIo, new FooterCache(FOOTER_CACHE_BYTES)),
                new ManifestCache(MANIFEST_CACHE_BYTES),
                Optional.of(lookupFiles),
                spillDirectory,
                writeMemoryBytes);
    }

    @Override
    public void settle()
            throws InterruptedException
    {
        lookupFiles.awaitCopies();
    }

    /**
     * A table for readers of its metadata.
     */
    static StorageTable open(HadoopFileIo fileIo, ManifestCache cache, org.apache.hadoop.fs.Path location)
    {
        TableContext context = new TableContext(fileIo, new DataFileReaderFactory(fileIo), cache, Path.of(System.getProperty("java.io.tmpdir")), 1 << 20);
        return StorageTable.open(context, location.getName(), location).orElseThrow();
    }

    @Override
    public String name()
    {
        return "lookup";
    }

    StorageTable open()
    {
        return StorageTable.open(context, location.getName(), location).orElseThrow();
    }

    @Override
    public void write(List<Page> pages)
    {
        StorageTable table = open();
        OptionalLong base = table.snapshots().latestId();
        TableWriter writer = table.newWriter(base, WriteMode.UPSERT);
        List<CommitMessage> messages;
        try {
            for (Page page : pages) {
                writer.write(page, RowKind.INSERT);
            }
            messages = writer.prepareCommit();
        }
        catch (RuntimeException e) {
            writer.abort();
            throw e;
        }
        table.commit(new CommitRequest(base, messages, false, Map.of(), Map.of(), UUID.randomUUID().toString(), Optional.empty()));
    }

    @Override
    public ScanResult scan(Selection selection)
            throws IOException
    {
        long sum = 0;
        long rows = 0;
        StorageTable table = open();
        List<DataField> columns = selection.columns().stream().map(table.schema().fields()::get).toList();
        TupleDomain<Integer> predicate = selection.isFiltered()
                ? TupleDomain.withColumnDomains(Map.of(
                        table.schema().fields().get(selection.filterColumn()).id(),
                        Domain.create(ValueSet.ofRanges(Range.range(BIGINT, selection.min(), true, selection.max(), true)), false)))
                : TupleDomain.all();
        Iterator<TableSplit> splits = table.scanPlanner().plan(table.snapshots().latest().orElseThrow(), ScanFilter.of(predicate));
        while (splits.hasNext()) {
            try (PageStream pages = table.splitReaders().open(splits.next(), columns, predicate)) {
                for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                    if (selection.isFiltered()) {
                        page = filter(page, selection);
                    }
                    rows += page.getPositionCount();
                    for (int channel = 0; channel < page.getChannelCount(); channel++) {
                        sum += touch(page.getBlock(channel), BenchmarkRows.isString(selection.columns().get(channel)));
                    }
                }
            }
        }
        return new ScanResult(rows, sum);
    }

    private static Page filter(Page page, Selection selection)
    {
        Block block = page.getBlock(selection.columns().indexOf(selection.filterColumn()));
        int[] positions = new int[page.getPositionCount()];
        int count = 0;
        for (int position = 0; position < page.getPositionCount(); position++) {
            long value = BIGINT.getLong(block, position);
            if (value >= selection.min() && value <= selection.max()) {
                positions[count] = position;
                count++;
            }
        }
        return page.getPositions(positions, 0, count);
    }

    private static long touch(Block block, boolean string)
    {
        long sum = 0;
        for (int position = 0; position < block.getPositionCount(); position++) {
            sum += string ? VARCHAR.getSlice(block, position).length() : BIGINT.getLong(block, position);
        }
        return sum;
    }

    @Override
    public ScanResult checksum()
            throws IOException
    {
        long sum = 0;
        long rows = 0;
        StorageTable table = open();
        Iterator<TableSplit> splits = table.scanPlanner().plan(table.snapshots().latest().orElseThrow(), ScanFilter.ALL);
        while (splits.hasNext()) {
            try (PageStream pages = table.splitReaders().open(splits.next(), table.schema().fields(), TupleDomain.all())) {
                for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                    rows += page.getPositionCount();
                    for (int position = 0; position < page.getPositionCount(); position++) {
                        long hash = 0;
                        for (int channel = 0; channel < page.getChannelCount(); channel++) {
                            Block block = page.getBlock(channel);
                            hash = BenchmarkRows.isString(channel)
                                    ? BenchmarkRows.hash(hash, VARCHAR.getSlice(block, position).getBytes())
                                    : BenchmarkRows.mix(hash ^ BIGINT.getLong(block, position));
                        }
                        sum += hash;
                    }
                }
            }
        }
        return new ScanResult(rows, sum);
    }

    @Override
    public long changelogRows()
    {
        StorageTable table = open();
        return table.snapshots().snapshots(Snapshot.FIRST_ID, table.snapshots().latestId().orElseThrow()).stream()
                .mapToLong(snapshot -> snapshot.changelogRecordCount().orElse(0))
                .sum();
    }

    @Override
    public void close()
            throws IOException
    {
        lookupFiles.close();
        fileIo.close();
    }
}
