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
package io.lookup.storage.format.parquet;

import com.google.common.collect.ImmutableList;
import io.airlift.units.DataSize;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.column.ReadErrors;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.column.RetainedRows;
import io.trino.parquet.Column;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.ParquetReaderOptions;
import io.trino.parquet.ParquetTypeUtils;
import io.trino.parquet.PrimitiveField;
import io.trino.parquet.metadata.BlockMetadata;
import io.trino.parquet.metadata.ParquetMetadata;
import io.trino.parquet.predicate.PredicateUtils;
import io.trino.parquet.predicate.TupleDomainParquetPredicate;
import io.trino.parquet.reader.MetadataReader;
import io.trino.parquet.reader.ParquetReader;
import io.trino.parquet.reader.RowGroupInfo;
import io.trino.spi.predicate.TupleDomain;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageType;
import org.joda.time.DateTimeZone;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static java.util.Objects.requireNonNull;

/**
 * Opens data and changelog files in Parquet. Thread-safe.
 */
public final class ParquetFiles
{
    /** Values of a predicate beyond which a Bloom filter is not asked. */
    private static final int DOMAIN_COMPACTION_THRESHOLD = 1_000;

    private static final ParquetReaderOptions DEFAULT_OPTIONS = ParquetReaderOptions.defaultOptions();

    private final FileIo fileIo;
    private final Optional<FooterCache> footerCache;
    private final ParquetReaderOptions options;

    /**
     * @param footerCache absent if footers are read each time
     */
    public ParquetFiles(FileIo fileIo, Optional<FooterCache> footerCache)
    {
        this(fileIo, footerCache, DEFAULT_OPTIONS);
    }

    private ParquetFiles(FileIo fileIo, Optional<FooterCache> footerCache, ParquetReaderOptions options)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.footerCache = requireNonNull(footerCache, "footerCache is null");
        this.options = requireNonNull(options, "options is null");
    }

    /**
     * The same with another bound on how far apart ranges may be that are read at once. Less than the default of
     * one megabyte pays where few pages of a file are wanted and a request costs little.
     */
    public ParquetFiles withMaxMergeDistance(DataSize distance)
    {
        return new ParquetFiles(fileIo, footerCache, ParquetReaderOptions.builder(options).withMaxMergeDistance(distance).build());
    }

    /**
     * @param counters told what is read
     * @return empty if no row group can have a row that is wanted
     */
    public Optional<PageStream> open(ReadRequest request, ScanCounters counters)
            throws IOException
    {
        HadoopParquetDataSource source = new HadoopParquetDataSource(fileIo, request.path(), request.fileSize(), options, counters);
        try {
            Optional<PageStream> stream = open(request, source, counters);
            if (stream.isEmpty()) {
                source.close();
            }
            return stream;
        }
        catch (IOException | RuntimeException | AssertionError e) {
            // Parquet's library asserts what damaged indexes say otherwise
            try {
                source.close();
            }
            catch (IOException | RuntimeException closeFailure) {
                e.addSuppressed(closeFailure);
            }
            throw ReadErrors.translate(request.path(), e);
        }
    }

    /**
     * Opens a file for reading single rows of it.
     *
     * @param request its predicate is not looked at
     * @return empty if the file has no offset index, or a column of the request is of a kind that can only be read from its beginning
     */
    public Optional<PointReader> openPoints(ReadRequest request)
            throws IOException
    {
        HadoopParquetDataSource source = new HadoopParquetDataSource(fileIo, request.path(), request.fileSize(), options, new ScanCounters());
        Optional<PointReader> reader = Optional.empty();
        try {
            ParquetMetadata footer = footer(request, source);
            checkDeletions(request, footer);
            ReadPlan plan = new ReadPlan(request, footer.getFileMetaData().getSchema());
            reader = FlatFile.open(source, request, plan, footer, footerCache, options).map(PointReader::new);
            return reader;
        }
        catch (IOException | RuntimeException e) {
            throw ReadErrors.translate(request.path(), e);
        }
        finally {
            if (reader.isEmpty()) {
                source.close();
            }
        }
    }

    private ParquetMetadata footer(ReadRequest request, ParquetDataSource source)
            throws IOException
    {
        if (footerCache.isPresent()) {
            return footerCache.get().get(request.path(), source);
        }
        ParquetMetadata footer = MetadataReader.readFooter(source, Optional.empty());
        HadoopParquetDataSource.checkRanges(footer, source);
        return footer;
    }

    private Optional<PageStream> open(ReadRequest request, HadoopParquetDataSource source, ScanCounters counters)
            throws IOException
    {
        ParquetMetadata footer = footer(request, source);
        ReadPlan plan = new ReadPlan(request, footer.getFileMetaData().getSchema());
        if (plan.isEmpty()) {
            return Optional.empty();
        }
        Optional<FlatFile> flatFile = plan.readColumns().isEmpty() ? Optional.empty() : FlatFile.open(source, request, plan, footer, footerCache, options);
        Optional<List<RowSelection>> selections = flatFile.isPresent() ? PagePredicate.select(flatFile.get()) : Optional.empty();
        if (selections.isPresent()) {
            return openFlat(request, footer, flatFile.get(), selections.get(), counters);
        }
        MessageType fileSchema = footer.getFileMetaData().getSchema();
        MessageType requestedSchema = new MessageType(fileSchema.getName(), plan.parquetTypes());
        Map<List<String>, ColumnDescriptor> descriptors = ParquetTypeUtils.getDescriptors(fileSchema, requestedSchema);
        TupleDomain<ColumnDescriptor> predicate = TupleDomain.withColumnDomains(plan.domains(descriptors));
        TupleDomainParquetPredicate parquetPredicate = PredicateUtils.buildPredicate(requestedSchema, predicate, descriptors, DateTimeZone.UTC);
        List<RowGroupInfo> rowGroups = PredicateUtils.getFilteredRowGroups(
                0,
                request.fileSize(),
                source,
                footer,
                ImmutableList.of(predicate),
                ImmutableList.of(parquetPredicate),
                descriptors,
                DateTimeZone.UTC,
                DOMAIN_COMPACTION_THRESHOLD,
                options);
        if (rowGroups.isEmpty()) {
            counters.addFile(0, footer.getBlocks().size());
            return Optional.empty();
        }
        Optional<TupleDomainParquetPredicate> pagePredicate = predicate.isAll() ? Optional.empty() : Optional.of(parquetPredicate);
        List<PrimitiveField> fields = ParquetReader.getPrimitiveFields(plan.readColumns().stream().map(Column::field).collect(toImmutableList()));
        if (flatFile.isPresent()) {
            // bounds that only Trino's predicate knows how to read
            Map<Long, RowSelection> rows = RowPositions.of(rowGroups, fields, pagePredicate).selections();
            return openFlat(request, footer, flatFile.get(), footer.getBlocks().stream().map(block -> rows.getOrDefault(block.fileRowCountOffset(), new RowSelection())).toList(), counters);
        }
        counters.addFile(rowGroups.size(), footer.getBlocks().size() - rowGroups.size());
        checkCodecs(request.path(), rowGroups, descriptors.values());
        checkDeletions(request, footer);
        ParquetReader reader = TrinoParquet.parquetReader(
                Optional.ofNullable(footer.getFileMetaData().getCreatedBy()),
                plan.readColumns(),
                rowGroups,
                new CheckedPages(source, rowGroups, descriptors.values()),
                newSimpleAggregatedMemoryContext(),
                options,
                exception -> ReadErrors.translate(request.path(), exception),
                pagePredicate);
        if (!request.rowPositions() && request.deletions().isEmpty()) {
            return Optional.of(new ParquetPageStream(request.path(), reader, plan.outputColumns()));
        }
        return Optional.of(new ParquetPageStream(
                request.path(),
                reader,
                plan.outputColumns(),
                Optional.of(RowPositions.of(rowGroups, fields, pagePredicate)),
                request.deletions(),
                request.rowPositions()));
    }

    private static Optional<PageStream> openFlat(ReadRequest request, ParquetMetadata footer, FlatFile file, List<RowSelection> rows, ScanCounters counters)
            throws IOException
    {
        checkDeletions(request, footer);
        long read = rows.stream().filter(selected -> !selected.isEmpty()).count();
        counters.addFile(read, footer.getBlocks().size() - read);
        return read == 0 ? Optional.empty() : Optional.of(new FlatPageStream(file, rows, request.rowPositions()));
    }

    private static void checkDeletions(ReadRequest request, ParquetMetadata footer)
            throws IOException
    {
        if (request.deletions().isEmpty()) {
            return;
        }
        long rowCount = 0;
        for (BlockMetadata block : footer.getBlocks()) {
            rowCount += block.rowCount();
        }
        RetainedRows.check(request, rowCount);
    }

    private static void checkCodecs(Path path, List<RowGroupInfo> rowGroups, Collection<ColumnDescriptor> columns)
            throws IOException
    {
        for (RowGroupInfo rowGroup : rowGroups) {
            for (ColumnDescriptor column : columns) {
                CompressionCodecName codec = rowGroup.prunedBlockMetadata().getColumnChunkMetaData(column).getCodec();
                if (codec == CompressionCodecName.LZ4_RAW || codec == CompressionCodecName.BROTLI) {
                    throw new StorageException(
                            StorageErrorCode.UNSUPPORTED_FEATURE,
                            "File %s is compressed with %s, which cannot be read; rewrite the table with 'file.compression' = 'zstd' in a program that reads it".formatted(path, codec));
                }
            }
        }
    }
}
