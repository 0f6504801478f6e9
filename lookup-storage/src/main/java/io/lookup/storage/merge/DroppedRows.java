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

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Rows of a run's current page that are not passed on, ascending.
 */
final class DroppedRows
{
    int count;
    // whether rows of the page wait to be merged
    boolean grouped;
    private int[] positions = new int[1024];

    /**
     * @param position above all that were added
     */
    void add(int position)
    {
        if (count == positions.length) {
            positions = Arrays.copyOf(positions, count * 2);
        }
        positions[count] = position;
        count++;
    }

    /**
     * Adds the rows that the predicate accepts.
     */
    void addAll(IntPredicate predicate, int rowCount)
    {
        int[] earlier = Arrays.copyOf(positions, count);
        int next = 0;
        count = 0;
        for (int position = 0; position < rowCount; position++) {
            boolean dropped = next < earlier.length && earlier[next] == position;
            if (dropped) {
                next++;
            }
            if (dropped || predicate.test(position)) {
                add(position);
            }
        }
    }

    /**
     * The rows that are passed on.
     */
    int[] others(int rowCount)
    {
        int[] others = new int[rowCount - count];
        int filled = 0;
        int position = 0;
        for (int index = 0; index < count; index++) {
            int end = positions[index];
            while (position < end) {
                others[filled] = position;
                filled++;
                position++;
            }
            position++;
        }
        while (position < rowCount) {
            others[filled] = position;
            filled++;
            position++;
        }
        return others;
    }

    void clear()
    {
        count = 0;
        grouped = false;
    }
}
