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
package io.lookup.trino.read;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.RowType;
import io.trino.spi.block.Block;
import io.trino.spi.block.RowBlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The fields of a column that a query reads: a tree of indexes into rows.
 */
final class NestedFields
{
    private final boolean whole;
    // by index in the row
    private final Map<Integer, NestedFields> fields;

    private NestedFields(boolean whole, Map<Integer, NestedFields> fields)
    {
        this.whole = whole;
        this.fields = fields;
    }

    /**
     * @param paths an empty one means everything
     */
    static NestedFields of(List<List<Integer>> paths)
    {
        Map<Integer, List<List<Integer>>> rests = new TreeMap<>();
        for (List<Integer> path : paths) {
            if (path.isEmpty()) {
                return new NestedFields(true, Map.of());
            }
            rests.computeIfAbsent(path.getFirst(), _ -> new ArrayList<>()).add(path.subList(1, path.size()));
        }
        Map<Integer, NestedFields> fields = new TreeMap<>();
        rests.forEach((index, rest) -> fields.put(index, of(rest)));
        return new NestedFields(false, fields);
    }

    /**
     * The column with those fields only.
     */
    DataField narrow(DataField field)
    {
        if (whole) {
            return field;
        }
        RowType row = (RowType) field.type();
        List<DataField> kept = fields.entrySet().stream()
                .map(entry -> entry.getValue().narrow(row.fields().get(entry.getKey())))
                .toList();
        return new DataField(field.id(), field.name(), new RowType(kept, row.nullable()), field.description(), field.defaultValue());
    }

    /**
     * Where a field lies in the narrowed column.
     */
    List<Integer> locate(List<Integer> path)
    {
        ImmutableList.Builder<Integer> located = ImmutableList.builder();
        NestedFields current = this;
        for (int depth = 0; depth < path.size(); depth++) {
            if (current.whole) {
                located.addAll(path.subList(depth, path.size()));
                break;
            }
            located.add(ImmutableList.copyOf(current.fields.keySet()).indexOf(path.get(depth)));
            current = current.fields.get(path.get(depth));
        }
        return located.build();
    }

    static Block dereference(Block block, List<Integer> path)
    {
        Block current = block;
        for (int index : path) {
            // where a row is null, so are its fields
            current = RowBlock.getRowFieldsFromBlock(current).get(index);
        }
        return current;
    }
}
