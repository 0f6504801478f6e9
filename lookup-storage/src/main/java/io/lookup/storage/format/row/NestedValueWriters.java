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
import io.trino.spi.block.ArrayBlock;
import io.trino.spi.block.Block;
import io.trino.spi.block.MapBlock;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.SqlMap;
import io.trino.spi.block.SqlRow;
import io.trino.spi.block.ValueBlock;

import java.util.List;

/**
 * Writers of arrays, maps and rows.
 */
final class NestedValueWriters
{
    private NestedValueWriters() {}

    static ValueWriter ofArray(DataType element)
    {
        return new ArrayWriter(new ElementsWriter(element));
    }

    static ValueWriter ofMap(DataType key, DataType value)
    {
        return new MapWriter(new ElementsWriter(key), new ElementsWriter(value));
    }

    static ValueWriter ofRow(List<DataType> fields)
    {
        return new RowWriter(new FieldsWriter(fields));
    }

    /**
     * A value of own structure, padded to words behind the fixed part.
     */
    private abstract static class NestedWriter
            extends ValueWriter
    {
        NestedWriter()
        {
            super(Long.BYTES);
        }

        abstract void writeNested(BinaryBuffer buffer, ValueBlock block, int position);

        @Override
        void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position)
        {
            int start = buffer.size();
            writeNested(buffer, block, position);
            int length = buffer.size() - start;
            buffer.allocate(BinaryBuffer.roundToWord(length) - length);
            buffer.setLong(slot, ((long) (start - container) << 32) | length);
        }
    }

    private static final class ArrayWriter
            extends NestedWriter
    {
        private final ElementsWriter elements;

        ArrayWriter(ElementsWriter elements)
        {
            this.elements = elements;
        }

        @Override
        void writeNested(BinaryBuffer buffer, ValueBlock block, int position)
        {
            Block array = ((ArrayBlock) block).getArray(position);
            elements.write(buffer, array, 0, array.getPositionCount());
        }
    }

    private static final class MapWriter
            extends NestedWriter
    {
        private final ElementsWriter keys;
        private final ElementsWriter values;

        MapWriter(ElementsWriter keys, ElementsWriter values)
        {
            this.keys = keys;
            this.values = values;
        }

        @Override
        void writeNested(BinaryBuffer buffer, ValueBlock block, int position)
        {
            SqlMap map = ((MapBlock) block).getMap(position);
            int start = buffer.allocate(Integer.BYTES);
            keys.write(buffer, map.getRawKeyBlock(), map.getRawOffset(), map.getSize());
            buffer.setInt(start, buffer.size() - start - Integer.BYTES);
            values.write(buffer, map.getRawValueBlock(), map.getRawOffset(), map.getSize());
        }
    }

    private static final class RowWriter
            extends NestedWriter
    {
        private final FieldsWriter fields;

        RowWriter(FieldsWriter fields)
        {
            this.fields = fields;
        }

        @Override
        void writeNested(BinaryBuffer buffer, ValueBlock block, int position)
        {
            SqlRow row = ((RowBlock) block).getRow(position);
            int start = fields.begin(buffer);
            for (int field = 0; field < row.getFieldCount(); field++) {
                fields.write(buffer, start, field, row.getRawFieldBlock(field), row.getRawIndex());
            }
        }
    }

    /**
     * The elements of an array, or the keys or values of a map.
     */
    private static final class ElementsWriter
    {
        private final ValueWriter element;

        ElementsWriter(DataType type)
        {
            this.element = ValueWriter.of(type);
        }

        void write(BinaryBuffer buffer, Block block, int offset, int count)
        {
            int headerSize = Integer.BYTES + (count + 31) / 32 * Integer.BYTES;
            int start = buffer.allocate(BinaryBuffer.roundToWord(headerSize + count * element.width()));
            buffer.setInt(start, count);
            ValueBlock values = block.getUnderlyingValueBlock();
            for (int index = 0; index < count; index++) {
                int position = offset + index;
                if (block.isNull(position)) {
                    // unlike a row, an array reserves nothing for nulls
                    buffer.setBit(start + Integer.BYTES, index);
                }
                else {
                    element.write(buffer, start, start + headerSize + index * element.width(), values, block.getUnderlyingValuePosition(position));
                }
            }
        }
    }
}
