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
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.parquet.ParquetCorruptionException;
import io.trino.parquet.ParquetDataSourceId;
import org.apache.parquet.format.CompressionCodec;
import org.junit.jupiter.api.Test;

import java.io.IOException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestPageDecompressor
{
    private static final ParquetDataSourceId SOURCE = new ParquetDataSourceId("data-0.parquet");

    @Test
    void testPagesThatGrow()
            throws IOException
    {
        try (ZstdDecompressCtx zstd = new ZstdDecompressCtx()) {
            PageDecompressor decompressor = new PageDecompressor(SOURCE, CompressionCodec.ZSTD, zstd);
            int large = 64 << 20;
            Slice page = Slices.wrappedBuffer(Zstd.compress(new byte[large]));
            assertThat(page.length()).isLessThan(10_000);
            // pages of constants are as small as this
            assertThat(decompressor.decompress(page, large).length()).isEqualTo(large);
            Slice larger = Slices.wrappedBuffer(Zstd.compress(new byte[large + 1]));
            assertThatThrownBy(() -> decompressor.decompress(larger, large + 1))
                    .isInstanceOf(ParquetCorruptionException.class)
                    .hasMessageContaining("data-0.parquet")
                    .hasMessageContaining("says that it has 67108865 uncompressed");
            for (CompressionCodec codec : new CompressionCodec[] {CompressionCodec.SNAPPY, CompressionCodec.LZ4_RAW, CompressionCodec.GZIP}) {
                assertThatThrownBy(() -> new PageDecompressor(SOURCE, codec, zstd).decompress(Slices.allocate(100), Integer.MAX_VALUE))
                        .isInstanceOf(ParquetCorruptionException.class)
                        .hasMessageContaining("says that it has 2147483647 uncompressed");
            }
            // what its header says is not believed
            assertThatThrownBy(() -> decompressor.decompress(page, 1_000)).isInstanceOf(ZstdException.class);
        }
    }
}
