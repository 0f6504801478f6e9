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

import com.google.common.collect.ImmutableMap;
import io.airlift.slice.SliceInput;
import io.airlift.slice.SliceOutput;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockEncoding;
import io.trino.spi.block.BlockEncodingSerde;
import io.trino.spi.type.Type;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Block encodings for local files that only this version of the engine reads. Map blocks name their type; it is found among the
 * types of the table, so no type manager is needed.
 */
public final class TableBlockEncodings
        implements BlockEncodingSerde
{
    private static final Map<String, BlockEncoding> ENCODINGS = TrinoBlocks.encodings().stream()
            .collect(toImmutableMap(BlockEncoding::getName, Function.identity()));

    private static final Map<Class<? extends Block>, BlockEncoding> ENCODINGS_BY_CLASS = ENCODINGS.values().stream()
            .collect(toImmutableMap(BlockEncoding::getBlockClass, Function.identity()));

    private final Map<String, Type> typesByName;

    public TableBlockEncodings(Iterable<Type> types)
    {
        ImmutableMap.Builder<String, Type> builder = ImmutableMap.builder();
        types.forEach(type -> collect(type, builder));
        this.typesByName = builder.buildKeepingLast();
    }

    private static void collect(Type type, ImmutableMap.Builder<String, Type> builder)
    {
        builder.put(type.getTypeId().getId(), type);
        type.getTypeParameters().forEach(parameter -> collect(parameter, builder));
    }

    @Override
    public Block readBlock(SliceInput input)
    {
        String name = readString(input);
        return ENCODINGS.get(name).readBlock(this, input);
    }

    @Override
    public void writeBlock(SliceOutput output, Block block)
    {
        Block current = block;
        BlockEncoding encoding = ENCODINGS_BY_CLASS.get(current.getClass());
        Optional<Block> replacement = encoding.replacementBlockForWrite(current);
        while (replacement.isPresent()) {
            current = replacement.get();
            encoding = ENCODINGS_BY_CLASS.get(current.getClass());
            replacement = encoding.replacementBlockForWrite(current);
        }
        writeString(output, encoding.getName());
        encoding.writeBlock(this, output, current);
    }

    @Override
    public long estimatedWriteSize(Block block)
    {
        return block.getSizeInBytes();
    }

    @Override
    public Type readType(SliceInput input)
    {
        return typesByName.get(readString(input));
    }

    @Override
    public void writeType(SliceOutput output, Type type)
    {
        writeString(output, type.getTypeId().getId());
    }

    private static String readString(SliceInput input)
    {
        int length = input.readInt();
        return input.readSlice(length).toStringUtf8();
    }

    private static void writeString(SliceOutput output, String value)
    {
        byte[] bytes = value.getBytes(UTF_8);
        output.writeInt(bytes.length);
        output.writeBytes(bytes);
    }
}
