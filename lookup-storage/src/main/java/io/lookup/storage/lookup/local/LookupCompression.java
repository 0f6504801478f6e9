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
package io.lookup.storage.lookup.local;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.lz4.Lz4Compressor;
import io.airlift.compress.v3.lz4.Lz4Decompressor;
import io.airlift.compress.v3.zstd.ZstdCompressor;
import io.airlift.compress.v3.zstd.ZstdDecompressor;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * How the blocks of local lookup files are compressed. The ordinals are part of the format.
 */
public enum LookupCompression
{
    NONE,
    LZ4,
    ZSTD;

    private static final LookupCompression[] VALUES = values();

    static LookupCompression ofCode(byte code)
    {
        checkArgument(code >= 0 && code < VALUES.length, "unknown compression %s", code);
        return VALUES[code];
    }

    byte code()
    {
        return (byte) ordinal();
    }

    /**
     * Not thread-safe.
     */
    Compressor newCompressor()
    {
        return switch (this) {
            case NONE -> throw new IllegalStateException("nothing to compress with");
            case LZ4 -> Lz4Compressor.create();
            case ZSTD -> ZstdCompressor.create();
        };
    }

    Decompressor newDecompressor()
    {
        return switch (this) {
            case NONE -> throw new IllegalStateException("nothing to decompress with");
            case LZ4 -> Lz4Decompressor.create();
            case ZSTD -> ZstdDecompressor.create();
        };
    }
}
