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
package io.lookup.storage.format.column;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.lookup.storage.format.variant.VariantJson;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.VariableWidthBlockBuilder;
import io.trino.spi.type.RowType;

import java.util.List;

import static io.trino.spi.type.VarbinaryType.VARBINARY;

/**
 * Columns of type VARIANT: files keep a value and the names it uses in two fields, pages hold the text of its JSON.
 */
public final class VariantColumns
{
    public static final String VALUE = "value";
    public static final String METADATA = "metadata";
    /** What a shredded value has besides, a column of its own for a part of known type. */
    public static final String TYPED_VALUE = "typed_value";

    public static final RowType READ_TYPE = RowType.from(ImmutableList.of(RowType.field(VALUE, VARBINARY), RowType.field(METADATA, VARBINARY)));

    private VariantColumns() {}

    /**
     * Makes texts of rows of {@link #READ_TYPE}.
     */
    public static Block toJson(Block block)
    {
        int count = block.getPositionCount();
        List<Block> fields = RowBlock.getRowFieldsFromBlock(block);
        VariantJson json = new VariantJson();
        VariableWidthBlockBuilder texts = new VariableWidthBlockBuilder(null, count, 0);
        for (int position = 0; position < count; position++) {
            if (block.isNull(position)) {
                texts.appendNull();
                continue;
            }
            Slice text = json.toJson(bytes(fields.get(1), position), bytes(fields.get(0), position));
            texts.writeEntry(text);
        }
        return texts.build();
    }

    private static Slice bytes(Block field, int position)
    {
        if (field.isNull(position)) {
            throw new IllegalArgumentException("a VARIANT has no value or no metadata");
        }
        return VARBINARY.getSlice(field, position);
    }
}
