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
import io.trino.parquet.DictionaryPage;
import io.trino.parquet.Page;
import io.trino.parquet.ParquetCorruptionException;
import io.trino.parquet.ParquetDataSourceId;
import io.trino.parquet.ParquetEncoding;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageType;

import java.io.IOException;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * A page as it stands in a file: its header, which field numbers are from Parquet's format, and its compressed bytes.
 */
final class CompressedPage
{
    private final ParquetDataSourceId sourceId;
    private int type = -1;
    private int uncompressedSize;
    private int compressedSize;
    private int values;
    private int nulls;
    private int rows;
    private int encoding = -1;
    private int definitionEncoding = Encoding.RLE.getValue();
    private int repetitionEncoding = Encoding.RLE.getValue();
    private int definitionBytes;
    private int repetitionBytes;
    private boolean compressed = true;
    private final Slice body;

    /**
     * @param bytes header and body
     */
    CompressedPage(ParquetDataSourceId sourceId, Slice bytes)
            throws IOException
    {
        this.sourceId = requireNonNull(sourceId, "sourceId is null");
        this.body = body(bytes, readHeader(bytes));
    }

    CompressedPage(ParquetDataSourceId sourceId, Slice header, Slice body)
            throws IOException
    {
        this.sourceId = requireNonNull(sourceId, "sourceId is null");
        readHeader(header);
        this.body = body(body, 0);
    }

    /**
     * @return how many bytes it has
     */
    private int readHeader(Slice bytes)
    {
        CompactReader reader = new CompactReader(bytes);
        while (reader.nextField()) {
            switch (reader.fieldId()) {
                case 1 -> type = reader.readInt();
                case 2 -> uncompressedSize = reader.readInt();
                case 3 -> compressedSize = reader.readInt();
                case 5 -> readDataHeader(reader);
                case 7 -> readDictionaryHeader(reader);
                case 8 -> readDataHeader2(reader);
                default -> reader.skipField();
            }
        }
        return reader.position();
    }

    private Slice body(Slice bytes, int start)
            throws ParquetCorruptionException
    {
        if (compressedSize < 0 || uncompressedSize < 0 || values < 0 || compressedSize > bytes.length() - start) {
            throw new ParquetCorruptionException(sourceId, "A page of %s bytes says that it has %s, and %s uncompressed", bytes.length() - start, compressedSize, uncompressedSize);
        }
        return bytes.slice(start, compressedSize);
    }

    private void readDataHeader(CompactReader reader)
    {
        int outer = reader.beginStruct();
        while (reader.nextField()) {
            switch (reader.fieldId()) {
                case 1 -> values = reader.readInt();
                case 2 -> encoding = reader.readInt();
                case 3 -> definitionEncoding = reader.readInt();
                case 4 -> repetitionEncoding = reader.readInt();
                default -> reader.skipField();
            }
        }
        reader.endStruct(outer);
    }

    private void readDictionaryHeader(CompactReader reader)
    {
        int outer = reader.beginStruct();
        while (reader.nextField()) {
            switch (reader.fieldId()) {
                case 1 -> values = reader.readInt();
                case 2 -> encoding = reader.readInt();
                default -> reader.skipField();
            }
        }
        reader.endStruct(outer);
    }

    private void readDataHeader2(CompactReader reader)
    {
        int outer = reader.beginStruct();
        while (reader.nextField()) {
            switch (reader.fieldId()) {
                case 1 -> values = reader.readInt();
                case 2 -> nulls = reader.readInt();
                case 3 -> rows = reader.readInt();
                case 4 -> encoding = reader.readInt();
                case 5 -> definitionBytes = reader.readInt();
                case 6 -> repetitionBytes = reader.readInt();
                // the value of a truth is its type
                case 7 -> compressed = reader.fieldType() == CompactReader.TRUE;
                default -> reader.skipField();
            }
        }
        reader.endStruct(outer);
    }

    /**
     * @param firstRow number in the row group of a data page's first row
     */
    Page decompress(PageDecompressor decompressor, ColumnDescriptor column, OptionalLong firstRow)
            throws IOException
    {
        boolean texts = PlainTexts.isOf(column);
        if (type == PageType.DATA_PAGE.getValue()) {
            Slice data = decompressor.decompress(body, uncompressedSize);
            return TrinoParquet.dataPage(
                    texts && encoding == Encoding.PLAIN.getValue() ? PlainTexts.check(sourceId, data, levelBytes(data, column)) : data,
                    values,
                    uncompressedSize,
                    firstRow,
                    encoding(repetitionEncoding),
                    encoding(definitionEncoding),
                    encoding(encoding));
        }
        if (type == PageType.DICTIONARY_PAGE.getValue()) {
            PageDecompressor.checkDictionary(sourceId, values, uncompressedSize);
            Slice data = decompressor.decompress(body, uncompressedSize);
            return new DictionaryPage(texts ? PlainTexts.check(sourceId, data, 0) : data, values, encoding(encoding));
        }
        if (type == PageType.DATA_PAGE_V2.getValue()) {
            int levelBytes = repetitionBytes + definitionBytes;
            Slice stored = body.slice(levelBytes, body.length() - levelBytes);
            Slice data = compressed ? decompressor.decompress(stored, uncompressedSize - levelBytes) : stored;
            return TrinoParquet.dataPage2(
                    rows,
                    nulls,
                    values,
                    body.slice(0, repetitionBytes),
                    body.slice(repetitionBytes, definitionBytes),
                    encoding(encoding),
                    texts && encoding == Encoding.PLAIN.getValue() ? PlainTexts.check(sourceId, data, 0) : data,
                    uncompressedSize,
                    firstRow);
        }
        throw new ParquetCorruptionException(sourceId, "A page is of unknown type %s", type);
    }

    /**
     * How many bytes stand before the values of a page of the first version.
     */
    private int levelBytes(Slice data, ColumnDescriptor column)
            throws IOException
    {
        int repetition = levelBytes(data, repetitionEncoding, column.getMaxRepetitionLevel());
        return repetition + levelBytes(data.slice(repetition, data.length() - repetition), definitionEncoding, column.getMaxDefinitionLevel());
    }

    private int levelBytes(Slice data, int levelEncoding, int maxLevel)
            throws IOException
    {
        if (maxLevel == 0) {
            return 0;
        }
        long length;
        if (levelEncoding == Encoding.BIT_PACKED.getValue()) {
            int bits = Integer.SIZE - Integer.numberOfLeadingZeros(maxLevel);
            length = ((long) values * bits + Byte.SIZE - 1) / Byte.SIZE;
        }
        else {
            length = data.length() < Integer.BYTES ? -1 : Integer.BYTES + (long) data.getInt(0);
        }
        if (length < 0 || length > data.length()) {
            throw new ParquetCorruptionException(sourceId, "The levels of a page of %s bytes have %s", data.length(), length);
        }
        return (int) length;
    }

    private ParquetEncoding encoding(int value)
            throws IOException
    {
        Encoding found = Encoding.findByValue(value);
        if (found == null) {
            throw new ParquetCorruptionException(sourceId, "A page has unknown encoding %s", value);
        }
        return ParquetEncoding.valueOf(found.name());
    }
}
