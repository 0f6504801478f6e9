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
import io.lookup.storage.format.NullMask;
import io.trino.spi.block.ArrayBlock;
import io.trino.spi.block.Block;
import io.trino.spi.block.ColumnarArray;
import io.trino.spi.block.ColumnarMap;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.type.MapType;
import io.trino.spi.type.Type;

import java.util.List;

/**
 * Transforms of nested blocks, put together from those of their parts.
 */
public final class NestedTransforms
{
    private NestedTransforms() {}

    /**
     * A field of the row that is made.
     *
     * @param source index of the field in the block that is read, or -1 for one that the file does not have
     */
    public record RowField(int source, Type type, BlockTransform transform) {}

    public static BlockTransform row(List<RowField> fields, int sourceCount)
    {
        boolean identity = fields.size() == sourceCount;
        for (int index = 0; index < fields.size(); index++) {
            identity &= fields.get(index).source() == index && fields.get(index).transform() == BlockTransform.IDENTITY;
        }
        if (identity) {
            return BlockTransform.IDENTITY;
        }
        List<RowField> rowFields = ImmutableList.copyOf(fields);
        return block -> transformRow(block, rowFields);
    }

    private static Block transformRow(Block block, List<RowField> fields)
    {
        int positionCount = block.getPositionCount();
        List<Block> sources = RowBlock.getRowFieldsFromBlock(block);
        Block[] targets = new Block[fields.size()];
        for (int index = 0; index < targets.length; index++) {
            RowField field = fields.get(index);
            targets[index] = field.source() < 0
                    ? RunLengthEncodedBlock.create(field.type(), null, positionCount)
                    : field.transform().apply(sources.get(field.source()));
        }
        return RowBlock.fromNotNullSuppressedFieldBlocks(positionCount, nulls(block).build(), targets);
    }

    public static BlockTransform array(BlockTransform element)
    {
        if (element == BlockTransform.IDENTITY) {
            return BlockTransform.IDENTITY;
        }
        return block -> {
            ColumnarArray array = ColumnarArray.toColumnarArray(block);
            int positionCount = block.getPositionCount();
            int[] offsets = new int[positionCount + 1];
            for (int position = 0; position < positionCount; position++) {
                offsets[position + 1] = offsets[position] + array.getLength(position);
            }
            return ArrayBlock.fromElementBlock(positionCount, nulls(block).build(), offsets, element.apply(array.getElementsBlock()));
        };
    }

    public static BlockTransform map(MapType type, BlockTransform key, BlockTransform value)
    {
        if (key == BlockTransform.IDENTITY && value == BlockTransform.IDENTITY) {
            return BlockTransform.IDENTITY;
        }
        return block -> {
            ColumnarMap map = ColumnarMap.toColumnarMap(block);
            int positionCount = block.getPositionCount();
            int[] offsets = new int[positionCount + 1];
            for (int position = 0; position < positionCount; position++) {
                offsets[position + 1] = offsets[position] + map.getEntryCount(position);
            }
            return type.createBlockFromKeyValue(nulls(block).build(), offsets, key.apply(map.getKeysBlock()), value.apply(map.getValuesBlock()));
        };
    }

    private static NullMask nulls(Block block)
    {
        if (!block.mayHaveNull()) {
            return new NullMask(0);
        }
        NullMask nulls = new NullMask(block.getPositionCount());
        for (int position = 0; position < block.getPositionCount(); position++) {
            if (block.isNull(position)) {
                nulls.setNull(position);
            }
        }
        return nulls;
    }
}
