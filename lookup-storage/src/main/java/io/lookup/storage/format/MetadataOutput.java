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

import io.airlift.slice.DynamicSliceOutput;
import io.airlift.slice.Slice;
import io.lookup.storage.format.row.BinaryRow;

import java.util.Collection;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Writes small metadata (commit messages, splits) for the way between coordinator and workers of one version;
 * nothing written here is ever kept. Read back with {@link MetadataInput}. Not thread-safe.
 */
public final class MetadataOutput
{
    private final DynamicSliceOutput output = new DynamicSliceOutput(256);

    public MetadataOutput(int version)
    {
        output.writeByte(version);
    }

    public void writeBoolean(boolean value)
    {
        output.writeByte(value ? 1 : 0);
    }

    public void writeInt(int value)
    {
        output.writeInt(value);
    }

    public void writeLong(long value)
    {
        output.writeLong(value);
    }

    public void writeSlice(Slice value)
    {
        output.writeInt(value.length());
        output.writeBytes(value);
    }

    public void writeString(String value)
    {
        byte[] bytes = value.getBytes(UTF_8);
        output.writeInt(bytes.length);
        output.writeBytes(bytes);
    }

    public void writeRow(BinaryRow row)
    {
        output.writeInt(row.arity());
        writeSlice(row.bytes());
    }

    public void writeOptionalLong(OptionalLong value)
    {
        writeBoolean(value.isPresent());
        value.ifPresent(this::writeLong);
    }

    public void writeOptionalInt(OptionalInt value)
    {
        writeBoolean(value.isPresent());
        value.ifPresent(this::writeInt);
    }

    public <T> void writeOptional(Optional<T> value, BiConsumer<MetadataOutput, T> writer)
    {
        writeBoolean(value.isPresent());
        value.ifPresent(present -> writer.accept(this, present));
    }

    public <T> void writeList(Collection<T> values, BiConsumer<MetadataOutput, T> writer)
    {
        output.writeInt(values.size());
        for (T value : values) {
            writer.accept(this, value);
        }
    }

    /**
     * Bytes so far.
     */
    public int size()
    {
        return output.size();
    }

    public byte[] toBytes()
    {
        return output.slice().getBytes();
    }
}
