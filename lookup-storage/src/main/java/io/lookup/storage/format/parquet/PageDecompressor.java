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

import com.github.luben.zstd.ZstdDecompressCtx;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.parquet.ParquetCompressionUtils;
import io.trino.parquet.ParquetCorruptionException;
import io.trino.parquet.ParquetDataSourceId;
import org.apache.parquet.format.CompressionCodec;

import java.io.IOException;

import static java.util.Objects.requireNonNull;

/**
 * Decompresses pages of one column chunk. Where many small pages are read, setting zstd up for each of them would cost more than the work itself, so
 * that one context serves all.
 */
final class PageDecompressor
{
    /**
     * Writers make pages of about a megabyte; one value that is larger makes a larger page.
     */
    private static final int LARGE_PAGE_BYTES = 64 << 20;
    private static final int MAX_RATIO_OF_LARGE_PAGE = 100;

    private final ParquetDataSourceId sourceId;
    private final CompressionCodec codec;
    private final ZstdDecompressCtx zstd;

    PageDecompressor(ParquetDataSourceId sourceId, CompressionCodec codec, ZstdDecompressCtx zstd)
    {
        this.sourceId = requireNonNull(sourceId, "sourceId is null");
        this.codec = requireNonNull(codec, "codec is null");
        this.zstd = requireNonNull(zstd, "zstd is null");
    }

    /**
     * @throws ParquetCorruptionException if the page is another size than its header says, or so much larger than its bytes that only
     * somebody who wants memory to run out makes such a one
     */
    Slice decompress(Slice input, int uncompressedSize)
            throws IOException
    {
        checkRatio(sourceId, input.length(), uncompressedSize);
        if (codec != CompressionCodec.ZSTD || input.length() == 0) {
            return ParquetCompressionUtils.decompress(sourceId, codec, input, uncompressedSize);
        }
        byte[] output = new byte[uncompressedSize];
        int size = zstd.decompressByteArray(output, 0, uncompressedSize, input.byteArray(), input.byteArrayOffset(), input.length());
        if (size != uncompressedSize) {
            throw new ParquetCorruptionException(sourceId, "A page has %s bytes uncompressed where its header says %s", size, uncompressedSize);
        }
        return Slices.wrappedBuffer(output);
    }

    static void checkRatio(ParquetDataSourceId sourceId, int compressedSize, int uncompressedSize)
            throws ParquetCorruptionException
    {
        if (uncompressedSize > LARGE_PAGE_BYTES && uncompressedSize / MAX_RATIO_OF_LARGE_PAGE > compressedSize) {
            throw new ParquetCorruptionException(
                    sourceId,
                    "A page of %s bytes says that it has %s uncompressed; of more than %s, at least one in %s must be there",
                    compressedSize,
                    uncompressedSize,
                    LARGE_PAGE_BYTES,
                    MAX_RATIO_OF_LARGE_PAGE);
        }
    }

    /**
     * No type has values that take less than a byte in a dictionary.
     */
    static void checkDictionary(ParquetDataSourceId sourceId, int values, int uncompressedSize)
            throws ParquetCorruptionException
    {
        if (values < 0 || values > uncompressedSize) {
            throw new ParquetCorruptionException(sourceId, "A dictionary of %s bytes says that it has %s values", uncompressedSize, values);
        }
    }
}
