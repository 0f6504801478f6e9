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

import com.github.luben.zstd.Zstd;
import io.airlift.compress.v3.snappy.SnappyCompressor;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Compresses whole pages. The last result is kept by the identity of its input: a page that goes into two
 * columns (a key and its value column) is compressed once. Not thread-safe.
 */
final class PageCompressor
        implements BytesInputCompressor
{
    private final CompressionCodecName codec;
    private final int zstdLevel;

    private BytesInput lastInput;
    private BytesInput lastOutput;

    PageCompressor(CompressionCodecName codec, int zstdLevel)
    {
        this.codec = requireNonNull(codec, "codec is null");
        this.zstdLevel = zstdLevel;
    }

    @Override
    public BytesInput compress(BytesInput input)
            throws IOException
    {
        if (input != lastInput) {
            ByteBuffer buffer = input.toByteBuffer(HeapByteBufferAllocator.getInstance(), _ -> {});
            lastOutput = compress(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
            lastInput = input;
        }
        return lastOutput;
    }

    private BytesInput compress(byte[] input, int offset, int length)
            throws IOException
    {
        return switch (codec) {
            case UNCOMPRESSED -> shrink(input, offset, length);
            case ZSTD -> {
                byte[] output = new byte[toIntExact(Zstd.compressBound(length))];
                long compressed = Zstd.compressByteArray(output, 0, output.length, input, offset, length, zstdLevel);
                if (Zstd.isError(compressed)) {
                    throw new IOException("zstd failed: " + Zstd.getErrorName(compressed));
                }
                yield shrink(output, 0, toIntExact(compressed));
            }
            case SNAPPY -> {
                SnappyCompressor compressor = SnappyCompressor.create();
                byte[] output = new byte[compressor.maxCompressedLength(length)];
                yield shrink(output, 0, compressor.compress(input, offset, length, output, 0, output.length));
            }
            case GZIP -> {
                ByteArrayOutputStream output = new ByteArrayOutputStream(length / 2 + 64);
                try (GZIPOutputStream gzip = new GZIPOutputStream(output)) {
                    gzip.write(input, offset, length);
                }
                yield BytesInput.from(output.toByteArray());
            }
            case LZO, BROTLI, LZ4, LZ4_RAW -> throw new IllegalArgumentException("Codec is not supported: " + codec);
        };
    }

    private static BytesInput shrink(byte[] output, int offset, int length)
    {
        // pages stay in memory until their row group is written, so the unused rest must not
        return BytesInput.from(Arrays.copyOfRange(output, offset, offset + length));
    }

    @Override
    public CompressionCodecName getCodecName()
    {
        return codec;
    }

    @Override
    public void release()
    {
        lastInput = null;
        lastOutput = null;
    }
}
