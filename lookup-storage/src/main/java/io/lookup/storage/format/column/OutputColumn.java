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

import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;

import static io.trino.spi.type.TypeUtils.writeNativeValue;

/**
 * Where a column of the pages that a file is read into comes from.
 */
public sealed interface OutputColumn
{
    Block block(SourcePage page);

    /**
     * @param channel channel of the file reader's pages
     * @param transform makes a block of the table's type
     */
    record FileColumn(int channel, BlockTransform transform)
            implements OutputColumn
    {
        @Override
        public Block block(SourcePage page)
        {
            return transform.apply(page.getBlock(channel));
        }
    }

    /**
     * @param value block of the one value that every row has
     */
    record ConstantColumn(Block value)
            implements OutputColumn
    {
        /**
         * Of a column that the file does not have.
         */
        public static ConstantColumn ofNulls(DataField column)
        {
            return new ConstantColumn(writeNativeValue(TrinoTypes.toTrinoType(column.type()), null));
        }

        @Override
        public Block block(SourcePage page)
        {
            return RunLengthEncodedBlock.create(value, page.getPositionCount());
        }
    }
}
