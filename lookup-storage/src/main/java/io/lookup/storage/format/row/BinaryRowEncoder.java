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
package io.lookup.storage.format.row;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.Page;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.Type;

import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TypeUtils.writeNativeValue;

/**
 * Writes rows in the canonical binary layout: equal rows have equal bytes. Values come in the Trino types of
 * {@link TrinoTypes}; TIME loses what is below a millisecond, timestamps what is below a nanosecond. Floating
 * point NaNs are written with one bit pattern.
 * <p>
 * Not thread-safe, since a buffer is used again and again; the rows made are independent of it.
 */
public final class BinaryRowEncoder
{
    private final List<Type> trinoTypes;
    private final FieldsWriter fields;
    private final BinaryBuffer buffer = new BinaryBuffer();

    /**
     * @throws io.lookup.storage.StorageException UNSUPPORTED_TYPE for a type that has no Trino counterpart
     */
    public BinaryRowEncoder(List<DataType> types)
    {
        this.trinoTypes = types.stream().map(TrinoTypes::toTrinoType).collect(toImmutableList());
        this.fields = new FieldsWriter(types);
    }

    /**
     * @param channels the channel of each field, in field order
     */
    public BinaryRow encode(Page page, int[] channels, int position)
    {
        write(page, channels, position);
        return new BinaryRow(fields.fieldCount(), buffer.copy());
    }

    /**
     * @param values one native value a field (Boolean, Long, Double, Slice, Int128, LongTimestamp,
     * LongTimestampWithTimeZone, Block, SqlMap or SqlRow as the field's Trino type has it), null for null
     */
    public BinaryRow encodeValues(List<Object> values)
    {
        checkArgument(values.size() == fields.fieldCount(), "Expected %s values, got %s", fields.fieldCount(), values.size());
        buffer.reset();
        int start = fields.begin(buffer);
        for (int field = 0; field < values.size(); field++) {
            ValueBlock block = writeNativeValue(trinoTypes.get(field), values.get(field));
            fields.write(buffer, start, field, block, 0);
        }
        return new BinaryRow(fields.fieldCount(), buffer.copy());
    }

    /**
     * The {@link BinaryRowHash} of the row, without making the row.
     */
    public int hash(Page page, int[] channels, int position)
    {
        write(page, channels, position);
        return buffer.hash();
    }

    int hashValues(List<Object> values)
    {
        return BinaryRowHash.hash(encodeValues(values));
    }

    List<Type> trinoTypes()
    {
        return ImmutableList.copyOf(trinoTypes);
    }

    private void write(Page page, int[] channels, int position)
    {
        checkArgument(channels.length == fields.fieldCount(), "Expected %s channels, got %s", fields.fieldCount(), channels.length);
        buffer.reset();
        int start = fields.begin(buffer);
        for (int field = 0; field < channels.length; field++) {
            fields.write(buffer, start, field, page.getBlock(channels[field]), position);
        }
    }
}
