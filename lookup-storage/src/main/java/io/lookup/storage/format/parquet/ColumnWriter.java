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
package io.lookup.storage.format.parquet;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.block.Block;
import io.trino.spi.block.ColumnarArray;
import io.trino.spi.block.ColumnarMap;
import io.trino.spi.block.RowBlock;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;

import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Writes a column of any type: takes nested blocks apart, level by level, down to the leaf columns. Not thread-safe.
 */
final class ColumnWriter
{
    /** Rows of a nested column that are taken apart at a time; bounds the level arrays and how far a page exceeds its size. */
    private static final int NESTED_BATCH_ROWS = 256;
    private static final int NESTED_BATCH_BYTES = 1 << 20;

    private final Node root;
    private final List<LeafColumnWriter> leaves;

    /**
     * @param leafFactory makes the leaf of a type; called in the order of the Parquet columns
     */
    ColumnWriter(DataField field, Function<ScalarType, LeafColumnWriter> leafFactory)
    {
        ImmutableList.Builder<LeafColumnWriter> leaves = ImmutableList.builder();
        this.root = createNode(field.name(), field.type(), 0, type -> {
            LeafColumnWriter leaf = leafFactory.apply(type);
            leaves.add(leaf);
            return leaf;
        });
        this.leaves = leaves.build();
    }

    /**
     * Leaf columns in the order of the Parquet schema.
     */
    List<LeafColumnWriter> leaves()
    {
        return leaves;
    }

    void write(Block block, int offset, int length)
            throws IOException
    {
        if (root instanceof LeafNode leaf) {
            leaf.writer.write(block, offset, length);
            return;
        }
        long averageBytes = Math.max(1, block.getRegionSizeInBytes(offset, length) / length);
        int batchRows = toIntExact(Math.max(1, Math.min(NESTED_BATCH_ROWS, NESTED_BATCH_BYTES / averageBytes)));
        for (int done = 0; done < length; done += batchRows) {
            int count = Math.min(batchRows, length - done);
            root.write(block, NestedLevels.ofRows(offset + done, count), count);
        }
    }

    /**
     * @param maxRepetition repetition level of values right below the parent
     */
    private static Node createNode(String path, DataType type, int maxRepetition, Function<ScalarType, LeafColumnWriter> leafFactory)
    {
        return switch (type) {
            case ScalarType scalar -> new LeafNode(path, scalar.nullable(), leafFactory.apply(scalar));
            case RowType row -> {
                ImmutableList.Builder<Node> children = ImmutableList.builder();
                for (DataField field : row.fields()) {
                    children.add(createNode(path + "." + field.name(), field.type(), maxRepetition, leafFactory));
                }
                yield new RowNode(path, row.nullable(), children.build());
            }
            case ArrayType array -> new ArrayNode(
                    path, array.nullable(), maxRepetition + 1, createNode(path + ".element", array.element(), maxRepetition + 1, leafFactory));
            case MapType map -> createMapNode(path, map.nullable(), map.key(), map.value(), maxRepetition + 1, leafFactory);
            case MultisetType multiset -> createMapNode(
                    path, multiset.nullable(), multiset.element(), new ScalarType(TypeRoot.INTEGER, 0, 0, false), maxRepetition + 1, leafFactory);
        };
    }

    private static Node createMapNode(String path, boolean nullable, DataType key, DataType value, int maxRepetition, Function<ScalarType, LeafColumnWriter> leafFactory)
    {
        Node keyNode = createNode(path + ".key", key.withNullable(false), maxRepetition, leafFactory);
        return new MapNode(path, nullable, maxRepetition, keyNode, createNode(path + ".value", value, maxRepetition, leafFactory));
    }

    private abstract static class Node
    {
        private final String path;
        private final boolean nullable;

        private Node(String path, boolean nullable)
        {
            this.path = requireNonNull(path, "path is null");
            this.nullable = nullable;
        }

        /**
         * @param levels owned by the callee
         */
        final void write(Block block, NestedLevels levels, int rows)
                throws IOException
        {
            boolean mayHaveNull = block.mayHaveNull();
            for (int index = 0; index < levels.count(); index++) {
                int position = levels.position(index);
                if (position < 0) {
                    continue;
                }
                if (mayHaveNull && block.isNull(position)) {
                    if (!nullable) {
                        throw LeafColumnWriter.nullInRequired(path);
                    }
                    levels.setAbsent(index);
                }
                else if (nullable) {
                    levels.incrementDefinition(index);
                }
            }
            writePresent(block, levels, rows);
        }

        abstract void writePresent(Block block, NestedLevels levels, int rows)
                throws IOException;
    }

    private static final class LeafNode
            extends Node
    {
        private final LeafColumnWriter writer;

        private LeafNode(String path, boolean nullable, LeafColumnWriter writer)
        {
            super(path, nullable);
            this.writer = requireNonNull(writer, "writer is null");
        }

        @Override
        void writePresent(Block block, NestedLevels levels, int rows)
                throws IOException
        {
            writer.write(block, levels, rows);
        }
    }

    private static final class RowNode
            extends Node
    {
        private final List<Node> children;

        private RowNode(String path, boolean nullable, List<Node> children)
        {
            super(path, nullable);
            this.children = ImmutableList.copyOf(children);
        }

        @Override
        void writePresent(Block block, NestedLevels levels, int rows)
                throws IOException
        {
            List<Block> fields = RowBlock.getRowFieldsFromBlock(block);
            for (int index = 0; index < children.size(); index++) {
                children.get(index).write(fields.get(index), levels.copy(), rows);
            }
        }
    }

    private static final class ArrayNode
            extends Node
    {
        private final int maxRepetition;
        private final Node element;

        private ArrayNode(String path, boolean nullable, int maxRepetition, Node element)
        {
            super(path, nullable);
            this.maxRepetition = maxRepetition;
            this.element = requireNonNull(element, "element is null");
        }

        @Override
        void writePresent(Block block, NestedLevels levels, int rows)
                throws IOException
        {
            ColumnarArray array = ColumnarArray.toColumnarArray(block);
            NestedLevels elements = new NestedLevels(levels.count() * 2);
            for (int index = 0; index < levels.count(); index++) {
                int position = levels.position(index);
                int length = position < 0 ? 0 : array.getLength(position);
                addEntries(elements, levels, index, length, length == 0 ? 0 : array.getOffset(position), maxRepetition);
            }
            element.write(array.getElementsBlock(), elements, rows);
        }
    }

    private static final class MapNode
            extends Node
    {
        private final int maxRepetition;
        private final Node key;
        private final Node value;

        private MapNode(String path, boolean nullable, int maxRepetition, Node key, Node value)
        {
            super(path, nullable);
            this.maxRepetition = maxRepetition;
            this.key = requireNonNull(key, "key is null");
            this.value = requireNonNull(value, "value is null");
        }

        @Override
        void writePresent(Block block, NestedLevels levels, int rows)
                throws IOException
        {
            ColumnarMap map = ColumnarMap.toColumnarMap(block);
            NestedLevels entries = new NestedLevels(levels.count() * 2);
            for (int index = 0; index < levels.count(); index++) {
                int position = levels.position(index);
                int length = position < 0 ? 0 : map.getEntryCount(position);
                addEntries(entries, levels, index, length, length == 0 ? 0 : map.getOffset(position), maxRepetition);
            }
            key.write(map.getKeysBlock(), entries.copy(), rows);
            value.write(map.getValuesBlock(), entries, rows);
        }
    }

    private static void addEntries(NestedLevels target, NestedLevels levels, int index, int length, int offset, int maxRepetition)
    {
        if (length == 0) {
            // absent or empty: the definition level so far tells which
            target.add(levels.repetition(index), levels.definition(index), -1);
            return;
        }
        for (int entry = 0; entry < length; entry++) {
            target.add(entry == 0 ? levels.repetition(index) : maxRepetition, levels.definition(index) + 1, offset + entry);
        }
    }
}
