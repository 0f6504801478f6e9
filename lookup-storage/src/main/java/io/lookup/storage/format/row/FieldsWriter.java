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

import io.lookup.storage.schema.DataType;
import io.trino.spi.block.Block;

import java.util.List;

/**
 * The fields of a row: null bits and slots, then what does not fit there, in field order.
 */
final class FieldsWriter
{
    private final ValueWriter[] fields;
    private final int headerSize;

    FieldsWriter(List<DataType> types)
    {
        this.fields = types.stream().map(ValueWriter::of).toArray(ValueWriter[]::new);
        this.headerSize = BinaryRow.headerSize(fields.length);
    }

    int fieldCount()
    {
        return fields.length;
    }

    int begin(BinaryBuffer buffer)
    {
        return buffer.allocate(headerSize + fields.length * Long.BYTES);
    }

    void write(BinaryBuffer buffer, int start, int field, Block block, int position)
    {
        int slot = start + headerSize + field * Long.BYTES;
        if (block.isNull(position)) {
            buffer.setBit(start, field + BinaryRow.HEADER_BITS);
            fields[field].writeNull(buffer, start, slot);
            return;
        }
        fields[field].write(buffer, start, slot, block.getUnderlyingValueBlock(), block.getUnderlyingValuePosition(position));
    }
}
