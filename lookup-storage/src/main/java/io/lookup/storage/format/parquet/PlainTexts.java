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
import io.trino.parquet.ParquetCorruptionException;
import io.trino.parquet.ParquetDataSourceId;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * Byte strings as they stand in a page, each after its length. Trino's decoders take as much memory as the lengths come to before they look at what is there, so that
 * they are looked at first.
 */
final class PlainTexts
{
    private PlainTexts() {}

    static boolean isOf(ColumnDescriptor column)
    {
        return column.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BINARY;
    }

    /**
     * @param start where the first length stands
     * @return the same bytes with nothing behind them: a decoder that is told of too many values must not find any
     * @throws ParquetCorruptionException if a string ends outside of the page
     */
    static Slice check(ParquetDataSourceId sourceId, Slice page, int start)
            throws ParquetCorruptionException
    {
        int position = start;
        while (position < page.length()) {
            int left = page.length() - position - Integer.BYTES;
            int length = left < 0 ? -1 : page.getInt(position);
            if (length < 0 || length > left) {
                throw new ParquetCorruptionException(sourceId, "A text of %s bytes stands in a page where %s are left", length, Math.max(left, 0));
            }
            position += Integer.BYTES + length;
        }
        if (position != page.length()) {
            throw new ParquetCorruptionException(sourceId, "The values of a page begin at %s of its %s bytes", start, page.length());
        }
        return page.byteArrayOffset() + page.length() == page.byteArray().length ? page : page.copy();
    }
}
