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

import io.airlift.slice.Slice;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.parquet.Column;
import io.trino.parquet.DataPageV1;
import io.trino.parquet.DataPageV2;
import io.trino.parquet.DiskRange;
import io.trino.parquet.Page;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.ParquetDataSourceId;
import io.trino.parquet.ParquetEncoding;
import io.trino.parquet.ParquetReaderOptions;
import io.trino.parquet.predicate.TupleDomainParquetPredicate;
import io.trino.parquet.reader.PageReader;
import io.trino.parquet.reader.ParquetReader;
import io.trino.parquet.reader.RowGroupInfo;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics;
import org.apache.parquet.format.CompressionCodec;
import org.joda.time.DateTimeZone;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What Trino 483's reader of Parquet files, and the Parquet library that comes with it, take in other words than other versions. Places of pages in the file matter to encrypted files only.
 */
final class TrinoParquet
{
    private TrinoParquet() {}

    /**
     * A reader without checks of what a writer wrote.
     *
     * @param createdBy the footer's name of the writer, empty if it has none
     */
    static ParquetReader parquetReader(
            Optional<String> createdBy,
            List<Column> columns,
            List<RowGroupInfo> rowGroups,
            ParquetDataSource source,
            AggregatedMemoryContext memory,
            ParquetReaderOptions options,
            Function<Exception, RuntimeException> exceptionTransform,
            Optional<TupleDomainParquetPredicate> pagePredicate)
            throws IOException
    {
        return new ParquetReader(
                createdBy,
                columns,
                false,
                rowGroups,
                source,
                DateTimeZone.UTC,
                memory,
                options,
                exceptionTransform,
                pagePredicate,
                Optional.empty(),
                Optional.empty());
    }

    static long offset(DiskRange range)
    {
        return range.offset();
    }

    static long length(DiskRange range)
    {
        return range.length();
    }

    /**
     * Of pages that are decompressed.
     */
    static PageReader pageReader(ParquetDataSourceId sourceId, Iterator<? extends Page> pages, boolean onlyDictionaryEncoded, boolean noNulls)
    {
        return new PageReader(sourceId, CompressionCodec.UNCOMPRESSED, pages, onlyDictionaryEncoded, noNulls, Optional.empty(), -1, -1);
    }

    static DataPageV1 dataPage(
            Slice bytes,
            int values,
            int uncompressedSize,
            OptionalLong firstRow,
            ParquetEncoding repetitionEncoding,
            ParquetEncoding definitionEncoding,
            ParquetEncoding encoding)
    {
        return new DataPageV1(bytes, values, uncompressedSize, firstRow, repetitionEncoding, definitionEncoding, encoding, -1);
    }

    static DataPageV2 dataPage2(
            int rows,
            int nulls,
            int values,
            Slice repetitionLevels,
            Slice definitionLevels,
            ParquetEncoding encoding,
            Slice data,
            int uncompressedSize,
            OptionalLong firstRow)
    {
        return new DataPageV2(rows, nulls, values, repetitionLevels, definitionLevels, encoding, data, uncompressedSize, firstRow, null, false, -1);
    }

    static void writePage(
            PageWriter pageWriter,
            BytesInput bytes,
            int values,
            int rows,
            Statistics<?> statistics,
            SizeStatistics sizeStatistics,
            Encoding repetitionEncoding,
            Encoding definitionEncoding,
            Encoding encoding)
            throws IOException
    {
        pageWriter.writePage(
                bytes,
                values,
                rows,
                statistics,
                sizeStatistics,
                // none: no column holds shapes
                GeospatialStatistics.newBuilder(statistics.type()).build(),
                repetitionEncoding,
                definitionEncoding,
                encoding);
    }
}
