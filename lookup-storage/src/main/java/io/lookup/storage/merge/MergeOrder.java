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

import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;

import java.util.List;

import static io.trino.spi.type.BigintType.BIGINT;

/**
 * The order of the versions of one key, oldest first: the {@code sequence.field} columns in their order, then the
 * sequence number. A null sequence field is the smallest, also where the sort order is descending. Thread-safe.
 */
public final class MergeOrder
{
    private final int sequenceChannel;
    private final int[] fieldChannels;
    private final ValueComparator[] fieldComparators;
    private final boolean descending;

    public MergeOrder(KeyValueLayout layout)
    {
        sequenceChannel = layout.sequenceChannel();
        List<Type> types = layout.types();
        fieldChannels = layout.sequenceFieldChannels().stream().mapToInt(Integer::intValue).toArray();
        fieldComparators = layout.sequenceFieldChannels().stream()
                .map(channel -> ValueComparator.forType(types.get(channel)))
                .toArray(ValueComparator[]::new);
        descending = layout.sequenceFieldDescending();
    }

    /**
     * @return below 0 if the left row is the older version; 0 if nothing in the rows tells which is newer
     */
    public int compare(Page left, int leftPosition, Page right, int rightPosition)
    {
        for (int i = 0; i < fieldChannels.length; i++) {
            int result = compareField(i, left.getBlock(fieldChannels[i]), leftPosition, right.getBlock(fieldChannels[i]), rightPosition);
            if (result != 0) {
                return result;
            }
        }
        return Long.compare(
                BIGINT.getLong(left.getBlock(sequenceChannel), leftPosition),
                BIGINT.getLong(right.getBlock(sequenceChannel), rightPosition));
    }

    private int compareField(int index, Block left, int leftPosition, Block right, int rightPosition)
    {
        boolean leftNull = left.isNull(leftPosition);
        boolean rightNull = right.isNull(rightPosition);
        if (leftNull || rightNull) {
            return Boolean.compare(rightNull, leftNull);
        }
        int result = fieldComparators[index].compare(left, leftPosition, right, rightPosition);
        return descending ? Integer.compare(0, result) : result;
    }
}
