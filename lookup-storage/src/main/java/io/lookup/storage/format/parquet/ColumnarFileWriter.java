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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.trino.spi.Page;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.values.factory.DefaultV1ValuesWriterFactory;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.schema.MessageType;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * Writes Blocks into one Parquet file with column and offset indexes, column by column. Apache Parquet's encoders,
 * page stores and file writer do the format; no row object and no record consumer is in between. Not thread-safe.
 */
public final class ColumnarFileWriter
        implements Closeable
{
    private final MessageType schema;
    private final ParquetWriterOptions options;
    private final CountingOutputStream output;
    private final ParquetFileWriter fileWriter;
    private final List<SourceColumn> columns;
    private final PageCompressor compressor;

    private ColumnChunkPageWriteStore pageStore;
    private long rowGroupRows;
    private boolean finished;

    /**
     * @param output is closed with the writer, and if the writer cannot be made
     * @param fields columns of the file in order
     * @param channels for each field the channel of the pages that fills it; several fields may share a channel
     */
    public ColumnarFileWriter(OutputStream output, List<DataField> fields, List<Integer> channels, ParquetWriterOptions options)
            throws IOException
    {
        this.options = requireNonNull(options, "options is null");
        this.schema = ParquetSchemas.messageType(fields);
        this.output = new CountingOutputStream(output);
        this.compressor = new PageCompressor(options.codec(), options.zstdLevel());
        ParquetProperties properties = ParquetProperties.builder()
                // the default one is shared by all writers of the process and follows the properties that were built last
                .withValuesWriterFactory(new DefaultV1ValuesWriterFactory())
                .withWriterVersion(WriterVersion.PARQUET_1_0)
                .withPageSize(options.firstPageLimits().bytes())
                .withDictionaryEncoding(options.dictionary())
                .withDictionaryPageSize(options.dictionaryPageBytes())
                .build();
        this.columns = createColumns(fields, channels, properties);
        this.fileWriter = new ParquetFileWriter(
                this.output,
                schema,
                ParquetFileWriter.Mode.CREATE,
                options.rowGroupBytes(),
                0,
                properties.getColumnIndexTruncateLength(),
                properties.getStatisticsTruncateLength(),
                false);
        try {
            fileWriter.start();
        }
        catch (IOException | RuntimeException e) {
            // nobody else has the output
            try (this.output) {
                throw e;
            }
        }
    }

    private List<SourceColumn> createColumns(List<DataField> fields, List<Integer> channels, ParquetProperties properties)
    {
        Iterator<ColumnDescriptor> descriptors = schema.getColumns().iterator();
        List<SourceColumn> columns = new ArrayList<>();
        for (int index = 0; index < fields.size(); index++) {
            DataField field = fields.get(index);
            int channel = channels.get(index);
            SourceColumn twin = findTwin(columns, channel, field);
            if (twin != null) {
                twin.twins().add(descriptors.next());
                continue;
            }
            ColumnWriter writer = new ColumnWriter(field, type -> new LeafColumnWriter(descriptors.next(), type, properties, options));
            columns.add(new SourceColumn(field, channel, writer, new ArrayList<>()));
        }
        return ImmutableList.copyOf(columns);
    }

    private static SourceColumn findTwin(List<SourceColumn> columns, int channel, DataField field)
    {
        for (SourceColumn column : columns) {
            // equal types, nullability included, have equal pages
            if (column.channel() == channel && field.type() instanceof ScalarType && column.field().type().equals(field.type())) {
                return column;
            }
        }
        return null;
    }

    public void write(Page page)
            throws IOException
    {
        write(page, 0, page.getPositionCount());
    }

    public void write(Page page, int offset, int length)
            throws IOException
    {
        if (length == 0) {
            return;
        }
        if (pageStore == null) {
            startRowGroup();
        }
        for (SourceColumn column : columns) {
            column.writer().write(page.getBlock(column.channel()), offset, length);
        }
        rowGroupRows += length;
        if (bufferedBytes() >= options.rowGroupBytes()) {
            endRowGroup();
        }
    }

    private void startRowGroup()
    {
        pageStore = new ColumnChunkPageWriteStore(compressor, schema, new HeapByteBufferAllocator(), ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH, false);
        for (SourceColumn column : columns) {
            for (LeafColumnWriter leaf : column.writer().leaves()) {
                ImmutableList.Builder<PageWriter> pageWriters = ImmutableList.builder();
                pageWriters.add(pageStore.getPageWriter(leaf.descriptor()));
                column.twins().forEach(twin -> pageWriters.add(pageStore.getPageWriter(twin)));
                leaf.start(pageWriters.build());
            }
        }
    }

    private void endRowGroup()
            throws IOException
    {
        if (pageStore == null) {
            return;
        }
        for (SourceColumn column : columns) {
            for (LeafColumnWriter leaf : column.writer().leaves()) {
                leaf.finish();
            }
        }
        fileWriter.startBlock(rowGroupRows);
        pageStore.flushToFileWriter(fileWriter);
        fileWriter.endBlock();
        pageStore.close();
        pageStore = null;
        compressor.release();
        rowGroupRows = 0;
    }

    /**
     * Bytes of the unfinished row group.
     */
    public long bufferedBytes()
    {
        if (pageStore == null) {
            return 0;
        }
        long result = 0;
        for (SourceColumn column : columns) {
            for (LeafColumnWriter leaf : column.writer().leaves()) {
                result += leaf.bufferedBytes();
            }
        }
        return result;
    }

    /**
     * Bytes that have been given to the output; after {@link #finish} the size of the file.
     */
    public long writtenBytes()
    {
        return output.getPos();
    }

    /**
     * Completes the file and closes the output.
     *
     * @return row groups with their statistics as they are before the file's limits apply
     */
    public List<BlockMetaData> finish()
            throws IOException
    {
        endRowGroup();
        fileWriter.end(ImmutableMap.of());
        finished = true;
        closeColumns();
        output.close();
        return fileWriter.getFooter().getBlocks();
    }

    /**
     * Closes the output whether or not the file is complete.
     */
    @Override
    public void close()
            throws IOException
    {
        try (output) {
            if (!finished) {
                finished = true;
                closeColumns();
                compressor.release();
                if (pageStore != null) {
                    pageStore.close();
                }
            }
        }
    }

    private void closeColumns()
    {
        for (SourceColumn column : columns) {
            column.writer().leaves().forEach(LeafColumnWriter::close);
        }
    }

    /**
     * @param twins further Parquet columns with the same pages
     */
    private record SourceColumn(DataField field, int channel, ColumnWriter writer, List<ColumnDescriptor> twins) {}
}
