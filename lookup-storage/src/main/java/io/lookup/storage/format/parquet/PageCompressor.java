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
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdException;
import io.airlift.compress.v3.snappy.SnappyCompressor;
import org.apache.parquet.bytes.ByteBufferAllocator;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPOutputStream;

import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Compresses whole pages. A result holds until the next call: whoever collects pages copies them. The last result is kept by the identity of its input: a page that goes into two
 * columns (a key and its value column) is compressed once. Not thread-safe.
 */
final class PageCompressor
        implements BytesInputCompressor, ByteBufferAllocator
{
    private final CompressionCodecName codec;
    private final int zstdLevel;

    // made with the first page, for a context costs more than a page of a thousand rows
    private ZstdCompressCtx zstd;
    private byte[] inputRoom = new byte[0];
    private byte[] outputRoom = new byte[0];

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
            ByteBuffer buffer = input.toByteBuffer(this, _ -> {});
            lastOutput = compress(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
            lastInput = input;
        }
        return lastOutput;
    }

    private BytesInput compress(byte[] input, int offset, int length)
            throws IOException
    {
        return switch (codec) {
            case UNCOMPRESSED -> BytesInput.from(input, offset, length);
            case ZSTD -> {
                if (zstd == null) {
                    zstd = new ZstdCompressCtx().setLevel(zstdLevel);
                }
                outputRoom = ensureRoom(outputRoom, toIntExact(Zstd.compressBound(length)));
                try {
                    yield BytesInput.from(outputRoom, 0, zstd.compressByteArray(outputRoom, 0, outputRoom.length, input, offset, length));
                }
                catch (ZstdException e) {
                    throw new IOException("zstd failed: " + e.getMessage(), e);
                }
            }
            case SNAPPY -> {
                SnappyCompressor compressor = SnappyCompressor.create();
                outputRoom = ensureRoom(outputRoom, compressor.maxCompressedLength(length));
                yield BytesInput.from(outputRoom, 0, compressor.compress(input, offset, length, outputRoom, 0, outputRoom.length));
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

    /**
     * Room for a page that lies in several pieces, until the next call.
     */
    @Override
    public ByteBuffer allocate(int size)
    {
        inputRoom = ensureRoom(inputRoom, size);
        return ByteBuffer.wrap(inputRoom, 0, size).slice();
    }

    @Override
    public void release(ByteBuffer buffer) {}

    @Override
    public boolean isDirect()
    {
        return false;
    }

    private static byte[] ensureRoom(byte[] room, int length)
    {
        return room.length >= length ? room : new byte[length];
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
        inputRoom = new byte[0];
        outputRoom = new byte[0];
        if (zstd != null) {
            zstd.close();
            zstd = null;
        }
    }
}
