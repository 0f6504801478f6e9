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
import io.airlift.slice.Slice;
import io.airlift.slice.SliceInput;
import io.airlift.slice.Slices;
import io.lookup.storage.format.row.BinaryRow;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * Reads what {@link MetadataOutput} wrote. Not thread-safe.
 */
public final class MetadataInput
{
    private final SliceInput input;

    /**
     * @throws IllegalArgumentException if the bytes are of another version
     */
    public MetadataInput(int version, byte[] bytes)
    {
        input = Slices.wrappedBuffer(bytes).getInput();
        checkArgument(bytes.length > 0, "no bytes");
        int found = input.readByte();
        checkArgument(found == version, "version %s is not %s: coordinator and workers must run the same release", found, version);
    }

    public boolean readBoolean()
    {
        return input.readByte() != 0;
    }

    public int readInt()
    {
        return input.readInt();
    }

    public long readLong()
    {
        return input.readLong();
    }

    public Slice readSlice()
    {
        // a copy, so that one small value does not keep the whole message alive
        return input.readSlice(input.readInt()).copy();
    }

    public String readString()
    {
        return input.readSlice(input.readInt()).toStringUtf8();
    }

    public BinaryRow readRow()
    {
        int arity = input.readInt();
        return new BinaryRow(arity, readSlice());
    }

    public OptionalLong readOptionalLong()
    {
        return readBoolean() ? OptionalLong.of(readLong()) : OptionalLong.empty();
    }

    public OptionalInt readOptionalInt()
    {
        return readBoolean() ? OptionalInt.of(readInt()) : OptionalInt.empty();
    }

    public <T> Optional<T> readOptional(Function<MetadataInput, T> reader)
    {
        return readBoolean() ? Optional.of(reader.apply(this)) : Optional.empty();
    }

    public <T> List<T> readList(Function<MetadataInput, T> reader)
    {
        int count = readInt();
        ImmutableList.Builder<T> values = ImmutableList.builderWithExpectedSize(count);
        for (int index = 0; index < count; index++) {
            values.add(reader.apply(this));
        }
        return values.build();
    }

    public boolean hasNext()
    {
        return input.isReadable();
    }

    /**
     * @throws IllegalArgumentException if bytes are left
     */
    public void expectEnd()
    {
        checkArgument(!input.isReadable(), "%s bytes left", input.available());
    }
}
