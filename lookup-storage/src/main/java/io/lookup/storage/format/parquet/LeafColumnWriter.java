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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.parquet.ParquetWriterOptions.PageLimits;
import io.lookup.storage.schema.DataType.ScalarType;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.block.VariableWidthBlock;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.factory.DefaultV1ValuesWriterFactory;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

import static com.google.common.base.Preconditions.checkState;
import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Encodes one Parquet column, page by page. The pages go to one or more page writers: a key and its value column
 * have equal pages, which are encoded once. Not thread-safe.
 */
final class LeafColumnWriter
{
    private final ColumnDescriptor descriptor;
    private final ParquetProperties properties;
    private final ParquetWriterOptions options;
    private final int maxDefinitionLevel;
    private final ValueEncoder encoder;
    private final ValuesWriter repetitionLevels;
    private final ValuesWriter definitionLevels;

    // made when the first values of a column chunk are known
    private ValuesWriter dictionaryValues;
    private ValuesWriter plainValues;
    private ValuesWriter values;
    private List<PageWriter> pageWriters = ImmutableList.of();
    private Statistics<?> statistics;
    private int pageValues;
    private int pageRows;
    private PageLimits pageLimits;
    private int[] positions = new int[0];

    LeafColumnWriter(ColumnDescriptor descriptor, ScalarType type, ParquetProperties properties, ParquetWriterOptions options)
    {
        this.descriptor = requireNonNull(descriptor, "descriptor is null");
        this.properties = requireNonNull(properties, "properties is null");
        this.options = requireNonNull(options, "options is null");
        this.pageLimits = options.firstPageLimits();
        this.maxDefinitionLevel = descriptor.getMaxDefinitionLevel();
        this.encoder = ValueEncoder.create(type);
        this.repetitionLevels = properties.newRepetitionLevelWriter(descriptor);
        this.definitionLevels = properties.newDefinitionLevelWriter(descriptor);
        this.statistics = Statistics.createStats(descriptor.getPrimitiveType());
    }

    ColumnDescriptor descriptor()
    {
        return descriptor;
    }

    /**
     * Starts a column chunk.
     */
    void start(List<PageWriter> pageWriters)
    {
        this.pageWriters = ImmutableList.copyOf(pageWriters);
        this.pageLimits = options.firstPageLimits();
        this.values = null;
    }

    /**
     * Appends rows of a column that is neither nested nor repeated. A page ends at exactly the row limit.
     */
    void write(Block block, int offset, int length)
            throws IOException
    {
        int batchRows = batchRows(block);
        int done = 0;
        while (done < length) {
            int count = Math.min(Math.min(length - done, pageLimits.rows() - pageRows), batchRows);
            appendFlat(block, offset + done, count);
            pageRows += count;
            pageValues += count;
            done += count;
            endPageIfFull();
        }
    }

    /**
     * Rows after which a look at the page's size is due: about a page of values of average length.
     */
    private int batchRows(Block block)
    {
        if (!(block.getUnderlyingValueBlock() instanceof VariableWidthBlock values) || values.getPositionCount() == 0) {
            return Integer.MAX_VALUE;
        }
        long averageBytes = Math.max(1, values.getSizeInBytes() / values.getPositionCount());
        return toIntExact(Math.max(1, pageLimits.bytes() / averageBytes));
    }

    private void appendFlat(Block block, int offset, int count)
    {
        ensurePositions(count);
        ValueBlock valueBlock = block.getUnderlyingValueBlock();
        int present = 0;
        if (maxDefinitionLevel == 0 || !block.mayHaveNull()) {
            if (block == valueBlock) {
                for (int index = 0; index < count; index++) {
                    positions[index] = offset + index;
                }
            }
            else if (block instanceof RunLengthEncodedBlock) {
                Arrays.fill(positions, 0, count, block.getUnderlyingValuePosition(offset));
            }
            else {
                for (int index = 0; index < count; index++) {
                    positions[index] = block.getUnderlyingValuePosition(offset + index);
                }
            }
            present = count;
            if (maxDefinitionLevel == 0 && block.mayHaveNull()) {
                checkNoNulls(valueBlock, count);
            }
            for (int index = 0; maxDefinitionLevel > 0 && index < count; index++) {
                definitionLevels.writeInteger(1);
            }
        }
        else {
            for (int index = 0; index < count; index++) {
                int position = block.getUnderlyingValuePosition(offset + index);
                if (valueBlock.isNull(position)) {
                    definitionLevels.writeInteger(0);
                }
                else {
                    definitionLevels.writeInteger(1);
                    positions[present] = position;
                    present++;
                }
            }
        }
        encodeValues(valueBlock, present, count - present);
    }

    private void checkNoNulls(ValueBlock valueBlock, int count)
    {
        for (int index = 0; index < count; index++) {
            if (valueBlock.isNull(positions[index])) {
                throw nullInRequired(descriptor.getPath());
            }
        }
    }

    static StorageException nullInRequired(String... path)
    {
        return new StorageException(
                StorageErrorCode.INVALID_ROW,
                "Column '%s' is NOT NULL but a row has no value for it; give it a value".formatted(String.join(".", path)));
    }

    /**
     * Appends whole rows of a nested column.
     *
     * @param levels one entry a Parquet value; positions of values in {@code block}
     */
    void write(Block block, NestedLevels levels, int rows)
            throws IOException
    {
        if (pageRows > 0 && pageRows + rows > pageLimits.rows()) {
            endPage();
        }
        int count = levels.count();
        ensurePositions(count);
        ValueBlock valueBlock = block.getUnderlyingValueBlock();
        int present = 0;
        for (int index = 0; index < count; index++) {
            repetitionLevels.writeInteger(levels.repetition(index));
            definitionLevels.writeInteger(levels.definition(index));
            if (levels.position(index) >= 0) {
                positions[present] = block.getUnderlyingValuePosition(levels.position(index));
                present++;
            }
        }
        encodeValues(valueBlock, present, count - present);
        pageValues += count;
        pageRows += rows;
        endPageIfFull();
    }

    private void encodeValues(ValueBlock valueBlock, int present, int absent)
    {
        if (values == null) {
            chooseEncoding(valueBlock, present);
        }
        encoder.encode(valueBlock, positions, present, values, statistics);
        if (absent > 0) {
            statistics.incrementNumNulls(absent);
        }
    }

    /**
     * Parquet's own writer fills a dictionary for a whole page before it finds out that no value came twice, which is most of the
     * work for a small file.
     */
    private void chooseEncoding(ValueBlock valueBlock, int present)
    {
        if (!options.dictionary() || encoder.rarelyRepeats(valueBlock, positions, present)) {
            if (plainValues == null) {
                plainValues = newPlainValues();
            }
            values = plainValues;
            pageLimits = options.pageLimits();
            return;
        }
        if (dictionaryValues == null) {
            dictionaryValues = properties.newValuesWriter(descriptor);
        }
        values = dictionaryValues;
    }

    private ValuesWriter newPlainValues()
    {
        if (PlainValues.isFor(descriptor.getPrimitiveType().getPrimitiveTypeName())) {
            return new PlainValues();
        }
        // a copy shares the factory of the original, and would turn that one's dictionaries off too
        return ParquetProperties.copy(properties)
                .withValuesWriterFactory(new DefaultV1ValuesWriterFactory())
                .withDictionaryEncoding(false)
                .build()
                .newValuesWriter(descriptor);
    }

    private void endPageIfFull()
            throws IOException
    {
        if (pageRows >= pageLimits.rows() || pageBytes() >= pageLimits.bytes()) {
            endPage();
        }
    }

    private void endPage()
            throws IOException
    {
        if (pageValues == 0) {
            return;
        }
        checkState(!pageWriters.isEmpty(), "column chunk has not been started");
        BytesInput bytes = BytesInput.concat(repetitionLevels.getBytes(), definitionLevels.getBytes(), values.getBytes());
        // no size statistics: an empty set is left out of the file
        SizeStatistics sizeStatistics = SizeStatistics.noopBuilder(descriptor.getPrimitiveType(), descriptor.getMaxRepetitionLevel(), maxDefinitionLevel).build();
        for (PageWriter pageWriter : pageWriters) {
            TrinoParquet.writePage(pageWriter, bytes, pageValues, pageRows, statistics, sizeStatistics, repetitionLevels.getEncoding(), definitionLevels.getEncoding(), values.getEncoding());
        }
        repetitionLevels.reset();
        definitionLevels.reset();
        values.reset();
        statistics = Statistics.createStats(descriptor.getPrimitiveType());
        pageValues = 0;
        pageRows = 0;
        pageLimits = options.pageLimits();
    }

    /**
     * Ends the column chunk.
     */
    void finish()
            throws IOException
    {
        endPage();
        DictionaryPage dictionary = values == null ? null : values.toDictPageAndClose();
        if (dictionary != null) {
            for (PageWriter pageWriter : pageWriters) {
                pageWriter.writeDictionaryPage(dictionary);
            }
            values.resetDictionary();
        }
        pageWriters = ImmutableList.of();
    }

    /**
     * Bytes of the pages of the chunk so far, the unfinished page included (uncompressed).
     */
    long bufferedBytes()
    {
        long pages = 0;
        for (PageWriter pageWriter : pageWriters) {
            pages += pageWriter.getMemSize();
        }
        return pages + pageBytes() * pageWriters.size();
    }

    private long pageBytes()
    {
        return repetitionLevels.getBufferedSize() + definitionLevels.getBufferedSize() + (values == null ? 0 : values.getBufferedSize());
    }

    void close()
    {
        repetitionLevels.close();
        definitionLevels.close();
        if (dictionaryValues != null) {
            dictionaryValues.close();
        }
        if (plainValues != null) {
            plainValues.close();
        }
    }

    private void ensurePositions(int count)
    {
        if (positions.length < count) {
            positions = new int[count];
        }
    }
}
