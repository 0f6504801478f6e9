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

import io.airlift.slice.Slice;
import io.trino.spi.block.Block;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.block.VariableWidthBlockBuilder;
import io.trino.spi.type.VarcharType;
import io.trino.spi.type.Varchars;

import static java.util.Objects.requireNonNull;

/**
 * Cuts strings to the length of their type, which other writers need not keep. Characters are only counted where there
 * are more bytes than characters allowed.
 */
public final class VarcharLimit
        implements BlockTransform
{
    private final int length;
    private final BlockTransform next;
    // dictionaries come again and again
    private ValueBlock fitting;

    /**
     * @param next what is done with the strings then
     */
    public VarcharLimit(VarcharType type, BlockTransform next)
    {
        this.length = type.getBoundedLength();
        this.next = requireNonNull(next, "next is null");
    }

    @Override
    public Block apply(Block block)
    {
        ValueBlock values = block.getUnderlyingValueBlock();
        if (values != fitting) {
            if (!fits((VariableWidthBlock) values)) {
                return next.apply(cut(block));
            }
            fitting = values;
        }
        return next.apply(block);
    }

    private boolean fits(VariableWidthBlock values)
    {
        boolean fits = true;
        for (int position = 0; position < values.getPositionCount(); position++) {
            fits &= values.getSliceLength(position) <= length;
        }
        return fits;
    }

    private Block cut(Block block)
    {
        int count = block.getPositionCount();
        VariableWidthBlock values = (VariableWidthBlock) block.getUnderlyingValueBlock();
        VariableWidthBlockBuilder builder = new VariableWidthBlockBuilder(null, count, 0);
        for (int position = 0; position < count; position++) {
            if (block.isNull(position)) {
                builder.appendNull();
                continue;
            }
            Slice value = values.getSlice(block.getUnderlyingValuePosition(position));
            builder.writeEntry(Varchars.truncateToLength(value, length));
        }
        return builder.build();
    }
}
