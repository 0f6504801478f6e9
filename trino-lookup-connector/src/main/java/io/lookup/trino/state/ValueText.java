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
package io.lookup.trino.state;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.lookup.storage.format.TrinoBlocks;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarbinaryType;

import java.util.HexFormat;
import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static java.util.stream.IntStream.range;

/**
 * Prints the values of binary rows. Not thread-safe.
 */
public final class ValueText
{
    private final List<Type> types;
    private final BinaryRowDecoder decoder;

    public ValueText(List<DataField> fields)
    {
        List<DataType> dataTypes = fields.stream()
                .map(DataField::type)
                .collect(toImmutableList());
        this.types = dataTypes.stream()
                .map(TrinoTypes::toTrinoType)
                .collect(toImmutableList());
        this.decoder = new BinaryRowDecoder(dataTypes);
    }

    /**
     * @param prefix what stands before the values, and {@code suffix} what stands behind them
     */
    public String row(BinaryRow row, String prefix, String suffix)
    {
        return range(0, Math.min(row.arity(), types.size()))
                .mapToObj(field -> value(row, field))
                .collect(joining(", ", requireNonNull(prefix, "prefix is null"), requireNonNull(suffix, "suffix is null")));
    }

    public String value(BinaryRow row, int field)
    {
        if (row.isNull(field)) {
            return "null";
        }
        Type type = types.get(field);
        Object value = decoder.value(row, field);
        if (type instanceof VarbinaryType) {
            return HexFormat.of().formatHex(((Slice) value).getBytes());
        }
        // no value of the format's types depends on the session
        return String.valueOf(TrinoBlocks.objectValue(type, writeNativeValue(type, value), 0));
    }

    static ValueText of(DataField field)
    {
        return new ValueText(ImmutableList.of(field));
    }
}
