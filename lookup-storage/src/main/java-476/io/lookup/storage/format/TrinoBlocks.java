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
package io.lookup.storage.format;

import com.google.common.collect.ImmutableList;
import io.trino.spi.block.ArrayBlockEncoding;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockEncoding;
import io.trino.spi.block.ByteArrayBlockEncoding;
import io.trino.spi.block.DictionaryBlockEncoding;
import io.trino.spi.block.Fixed12BlockEncoding;
import io.trino.spi.block.Int128ArrayBlockEncoding;
import io.trino.spi.block.IntArrayBlockEncoding;
import io.trino.spi.block.LongArrayBlockEncoding;
import io.trino.spi.block.MapBlockEncoding;
import io.trino.spi.block.RowBlockEncoding;
import io.trino.spi.block.RunLengthBlockEncoding;
import io.trino.spi.block.ShortArrayBlockEncoding;
import io.trino.spi.block.VariableWidthBlockEncoding;
import io.trino.spi.type.Type;

import java.util.List;

/**
 * What Trino 476 says about blocks in other words than other versions.
 */
public final class TrinoBlocks
{
    private TrinoBlocks() {}

    /**
     * @return the value as Trino gives it to clients, null for SQL's NULL
     */
    public static Object objectValue(Type type, Block block, int position)
    {
        return type.getObjectValue(null, block, position);
    }

    static List<BlockEncoding> encodings()
    {
        return ImmutableList.of(
                new ArrayBlockEncoding(),
                new ByteArrayBlockEncoding(),
                new DictionaryBlockEncoding(),
                new Fixed12BlockEncoding(),
                new Int128ArrayBlockEncoding(),
                new IntArrayBlockEncoding(),
                new LongArrayBlockEncoding(),
                new MapBlockEncoding(),
                new RowBlockEncoding(),
                new RunLengthBlockEncoding(),
                new ShortArrayBlockEncoding(),
                new VariableWidthBlockEncoding());
    }
}
