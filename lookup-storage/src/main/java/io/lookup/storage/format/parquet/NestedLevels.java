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

import java.util.Arrays;

/**
 * Repetition and definition levels of a run of rows at one place of a nested type, and the positions where its
 * values lie in the block of that place. A negative position says that the value, or something above it, is absent.
 */
final class NestedLevels
{
    private int count;
    private int[] repetition;
    private int[] definition;
    private int[] positions;

    NestedLevels(int capacity)
    {
        repetition = new int[capacity];
        definition = new int[capacity];
        positions = new int[capacity];
    }

    static NestedLevels ofRows(int offset, int length)
    {
        NestedLevels levels = new NestedLevels(length);
        for (int row = 0; row < length; row++) {
            levels.add(0, 0, offset + row);
        }
        return levels;
    }

    NestedLevels copy()
    {
        NestedLevels copy = new NestedLevels(0);
        copy.count = count;
        copy.repetition = Arrays.copyOf(repetition, count);
        copy.definition = Arrays.copyOf(definition, count);
        copy.positions = Arrays.copyOf(positions, count);
        return copy;
    }

    void add(int repetitionLevel, int definitionLevel, int position)
    {
        if (count == repetition.length) {
            int capacity = Math.max(16, count * 2);
            repetition = Arrays.copyOf(repetition, capacity);
            definition = Arrays.copyOf(definition, capacity);
            positions = Arrays.copyOf(positions, capacity);
        }
        repetition[count] = repetitionLevel;
        definition[count] = definitionLevel;
        positions[count] = position;
        count++;
    }

    int count()
    {
        return count;
    }

    int repetition(int index)
    {
        return repetition[index];
    }

    int definition(int index)
    {
        return definition[index];
    }

    int position(int index)
    {
        return positions[index];
    }

    void setAbsent(int index)
    {
        positions[index] = -1;
    }

    void incrementDefinition(int index)
    {
        definition[index]++;
    }
}
