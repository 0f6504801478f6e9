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
import io.airlift.slice.DynamicSliceOutput;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.format.column.BlockTransform;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.schema.DataType;
import io.trino.parquet.DataPageV1;
import io.trino.parquet.ParquetDataSourceId;
import io.trino.parquet.ParquetEncoding;
import io.trino.parquet.PrimitiveField;
import io.trino.parquet.reader.ColumnReader;
import io.trino.parquet.reader.ColumnReaderFactory;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;
import static java.util.Objects.requireNonNull;

/**
 * Makes bounds of a column that has no nulls from its column index, by reading them as if they were a page of the column.
 */
final class PageBoundsReader
{
    private final ColumnReaderFactory columnReaders;
    private final ParquetDataSourceId sourceId;
    private final PrimitiveField field;
    private final BlockTransform transform;
    private final DataType type;

    /**
     * @param transform what is done with values after they are read; keeps their order
     */
    PageBoundsReader(ColumnReaderFactory columnReaders, ParquetDataSourceId sourceId, PrimitiveField field, BlockTransform transform, DataType type)
    {
        this.columnReaders = requireNonNull(columnReaders, "columnReaders is null");
        this.sourceId = requireNonNull(sourceId, "sourceId is null");
        this.field = requireNonNull(field, "field is null");
        this.transform = requireNonNull(transform, "transform is null");
        this.type = requireNonNull(type, "type is null");
    }

    /**
     * @return empty if bounds of such columns are not to be relied on, or some page has none
     */
    Optional<PageBounds> read(ColumnIndex index, PageIndex pages)
    {
        if (!isReliable(field.getDescriptor().getPrimitiveType())
                || index.getNull_pages().contains(true)
                || index.getMin_values().size() != pages.pageCount()
                || index.getMax_values().size() != pages.pageCount()) {
            return Optional.empty();
        }
        int count = 2 * pages.pageCount();
        DynamicSliceOutput output = new DynamicSliceOutput(count * Long.BYTES * 2);
        if (field.getDescriptor().getMaxDefinitionLevel() > 0) {
            writePresent(count, output);
        }
        writeValues(index.getMin_values(), output);
        writeValues(index.getMax_values(), output);
        Slice bytes = output.slice();
        DataPageV1 page = TrinoParquet.dataPage(bytes, count, bytes.length(), OptionalLong.of(0), ParquetEncoding.RLE, ParquetEncoding.RLE, ParquetEncoding.PLAIN);
        ColumnReader reader = columnReaders.create(field, newSimpleAggregatedMemoryContext());
        reader.setPageReader(TrinoParquet.pageReader(sourceId, ImmutableList.of(page).iterator(), false, true), Optional.empty());
        reader.prepareNextRead(count);
        Block block = transform.apply(reader.readPrimitive().getBlock());
        return Optional.of(new PageBounds(pages, KeyEncoder.forKeys(ImmutableList.of(type)).encode(new Page(count, block), new int[] {0})));
    }

    private static boolean isReliable(PrimitiveType type)
    {
        PrimitiveTypeName name = type.getPrimitiveTypeName();
        return switch (name) {
            case INT32, INT64, FIXED_LEN_BYTE_ARRAY -> true;
            case BINARY -> !(type.getLogicalTypeAnnotation() instanceof DecimalLogicalTypeAnnotation);
            case BOOLEAN, FLOAT, DOUBLE, INT96 -> false;
        };
    }

    /**
     * Definition levels that say that every value is there: their length, and one run of ones.
     */
    private static void writePresent(int count, DynamicSliceOutput output)
    {
        DynamicSliceOutput run = new DynamicSliceOutput(8);
        int header = count << 1;
        while ((header & ~0x7F) != 0) {
            run.writeByte((header & 0x7F) | 0x80);
            header >>>= 7;
        }
        run.writeByte(header);
        run.writeByte(1);
        output.writeInt(run.size());
        output.writeBytes(run.slice());
    }

    private void writeValues(List<ByteBuffer> values, DynamicSliceOutput output)
    {
        boolean variableWidth = field.getDescriptor().getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BINARY;
        for (ByteBuffer value : values) {
            if (variableWidth) {
                output.writeInt(value.remaining());
            }
            output.writeBytes(Slices.wrappedHeapBuffer(value));
        }
    }
}
