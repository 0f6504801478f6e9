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
package io.lookup.storage.merge;

import io.lookup.storage.schema.AggregateFunction;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.block.SqlRow;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.RowType;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * {@code nested_partial_update}: an array of rows as a table of its own, with a key. The rows of a key become one row,
 * each of whose fields is the newest that is not null. Null rows go away with the first further array. Which row a field
 * came from is not known, so retraction is refused.
 */
final class NestedPartialUpdateAggregator
        extends CollectionAggregator
{
    private final String column;
    private final RowType rowType;
    private final ElementIndex index;

    /**
     * @param nestedKey fields of the rows, see {@link AggregateFunction#nestedKey}
     */
    NestedPartialUpdateAggregator(String column, ArrayType type, List<Integer> nestedKey)
    {
        super(type);
        this.column = requireNonNull(column, "column is null");
        this.rowType = (RowType) type.getElementType();
        this.index = new ElementIndex(ValueIdentity.ofFields(rowType, nestedKey));
    }

    @Override
    public void retract(Block block, int position)
    {
        throw Aggregators.cannotRetract(AggregateFunction.NESTED_PARTIAL_UPDATE, column);
    }

    @Override
    protected void merge(ElementList state, ElementList input)
    {
        state.addAll(input);
        // rows of one key form a chain, from the oldest to the newest
        int[] next = new int[state.count()];
        int[] last = new int[state.count()];
        int[] firsts = new int[state.count()];
        int keys = 0;
        index.clear();
        for (int row = 0; row < state.count(); row++) {
            if (state.isNull(0, row)) {
                continue;
            }
            next[row] = -1;
            int first = index.find(state, state, row);
            if (first < 0) {
                index.put(state, row);
                firsts[keys++] = row;
                last[row] = row;
                continue;
            }
            next[last[first]] = row;
            last[first] = row;
        }
        RowBlockBuilder builder = rowType.createBlockBuilder(null, keys);
        for (int key = 0; key < keys; key++) {
            appendMerged(builder, state, firsts[key], next);
        }
        state.clear();
        state.addArray(builder.buildValueBlock());
    }

    private void appendMerged(RowBlockBuilder builder, ElementList rows, int first, int[] next)
    {
        int fieldCount = rowType.getFields().size();
        Block[] blocks = new Block[fieldCount];
        int[] positions = new int[fieldCount];
        for (int row = first; row >= 0; row = next[row]) {
            SqlRow values = rowType.getObject(rows.block(0, row), rows.position(0, row));
            for (int field = 0; field < fieldCount; field++) {
                Block block = values.getRawFieldBlock(field);
                if (blocks[field] == null || !block.isNull(values.getRawIndex())) {
                    blocks[field] = block;
                    positions[field] = values.getRawIndex();
                }
            }
        }
        builder.buildEntry(fields -> {
            for (int field = 0; field < fieldCount; field++) {
                fields.get(field).append(blocks[field].getUnderlyingValueBlock(), blocks[field].getUnderlyingValuePosition(positions[field]));
            }
        });
    }
}
