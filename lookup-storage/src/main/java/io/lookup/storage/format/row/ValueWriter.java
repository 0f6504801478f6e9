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

import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.block.ValueBlock;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Writes one value of one type from a Trino block into the slot that a row or an array has for it.
 */
abstract class ValueWriter
{
    static final int MAX_COMPACT_DECIMAL_PRECISION = 18;
    static final int MAX_COMPACT_TIMESTAMP_PRECISION = 3;
    static final int MAX_MICROS_PRECISION = 6;
    static final int MAX_INLINE_LENGTH = 7;
    static final long PICOSECONDS_PER_MILLISECOND = 1_000_000_000;

    private final int width;

    ValueWriter(int width)
    {
        this.width = width;
    }

    /**
     * Bytes that a value takes in the fixed part of an array; rows always give eight.
     */
    int width()
    {
        return width;
    }

    /**
     * @param container where the row or array begins, which offsets count from
     * @param slot where the value's part of the fixed part begins, all zeros
     */
    abstract void write(BinaryBuffer buffer, int container, int slot, ValueBlock block, int position);

    /**
     * Completes a null field of a row, whose null bit is set. Long decimals and timestamps reserve their
     * room nevertheless, which belongs to the canonical form.
     */
    void writeNull(BinaryBuffer buffer, int container, int slot) {}

    static ValueWriter of(DataType type)
    {
        return switch (type) {
            case ScalarType scalar -> ScalarValueWriters.of(scalar);
            case ArrayType array -> NestedValueWriters.ofArray(array.element());
            case MapType map -> NestedValueWriters.ofMap(map.key(), map.value());
            case MultisetType multiset -> NestedValueWriters.ofMap(multiset.element(), new ScalarType(TypeRoot.INTEGER, 0, 0, false));
            case RowType row -> NestedValueWriters.ofRow(row.fields().stream().map(DataField::type).collect(toImmutableList()));
        };
    }
}
