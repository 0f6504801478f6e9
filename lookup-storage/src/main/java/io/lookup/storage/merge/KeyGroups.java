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

import io.airlift.slice.Slice;
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.trino.spi.Page;

import java.util.Arrays;

import static com.google.common.base.Preconditions.checkState;

/**
 * The versions of several keys, grouped by key, oldest version first: parallel arrays that are filled, read and
 * cleared again. Groups come in ascending key order; row {@code r} belongs to group {@code g} if
 * {@code start(g) <= r < end(g)}. Not thread-safe.
 */
public final class KeyGroups
{
    private int groupCount;
    private int[] groupStarts = new int[1024];
    private long[] prefixes = new long[1024];
    // exactly one of the two is set for a group: a whole key, or a place among encoded keys (spares an object a key)
    private Slice[] keys = new Slice[1024];
    private EncodedKeys[] encodedKeys = new EncodedKeys[1024];
    private int[] keyIndexes = new int[1024];
    private boolean[] reduced = new boolean[1024];

    private int rowCount;
    private Page[] pages = new Page[1024];
    private int[] positions = new int[1024];
    private int[] levels = new int[1024];

    public int groupCount()
    {
        return groupCount;
    }

    public int rowCount()
    {
        return rowCount;
    }

    public int start(int group)
    {
        return groupStarts[group];
    }

    public int end(int group)
    {
        return group + 1 == groupCount ? rowCount : groupStarts[group + 1];
    }

    public Page page(int row)
    {
        return pages[row];
    }

    public int position(int row)
    {
        return positions[row];
    }

    /**
     * Level that the row's run lies at: 1 and up for levels with one run each, 0 for level 0, below 0 for rows in memory.
     */
    public int level(int row)
    {
        return levels[row];
    }

    public long keyPrefix(int group)
    {
        return prefixes[group];
    }

    public Slice key(int group)
    {
        return keys[group] == null ? encodedKeys[group].key(keyIndexes[group]) : keys[group];
    }

    /**
     * Whether the group is a key's only version, as opposed to what was left of several by {@link #markReduced}.
     */
    public boolean isLoneRow(int group)
    {
        return end(group) - start(group) == 1 && !reduced[group];
    }

    public void clear()
    {
        // let go of pages and keys, which are large
        Arrays.fill(pages, 0, rowCount, null);
        Arrays.fill(keys, 0, groupCount, null);
        Arrays.fill(encodedKeys, 0, groupCount, null);
        Arrays.fill(reduced, 0, groupCount, false);
        groupCount = 0;
        rowCount = 0;
    }

    public void beginGroup(long prefix, Slice key)
    {
        beginGroup(prefix);
        keys[groupCount - 1] = key;
    }

    public void beginGroup(EncodedKeys encoded, int index)
    {
        beginGroup(encoded.prefix(index));
        encodedKeys[groupCount - 1] = encoded;
        keyIndexes[groupCount - 1] = index;
    }

    /**
     * Begins a group for the key of a group of another instance.
     */
    public void beginGroup(KeyGroups other, int group)
    {
        beginGroup(other.prefixes[group]);
        keys[groupCount - 1] = other.keys[group];
        encodedKeys[groupCount - 1] = other.encodedKeys[group];
        keyIndexes[groupCount - 1] = other.keyIndexes[group];
        reduced[groupCount - 1] = other.reduced[group];
    }

    /**
     * Says of the last group that its key has more versions than the group holds.
     */
    public void markReduced()
    {
        checkState(groupCount > 0, "no group has begun");
        reduced[groupCount - 1] = true;
    }

    /**
     * Appends a version to the last group. The caller keeps the merge order.
     */
    public void addRow(Page page, int position, int level)
    {
        if (rowCount == pages.length) {
            int capacity = rowCount * 2;
            pages = Arrays.copyOf(pages, capacity);
            positions = Arrays.copyOf(positions, capacity);
            levels = Arrays.copyOf(levels, capacity);
        }
        pages[rowCount] = page;
        positions[rowCount] = position;
        levels[rowCount] = level;
        rowCount++;
    }

    /**
     * Brings the rows of the last group into merge order. Rows that the order cannot tell apart stay as they were added.
     */
    void sortLastGroup(MergeOrder order)
    {
        int start = groupStarts[groupCount - 1];
        for (int row = start + 1; row < rowCount; row++) {
            Page page = pages[row];
            int position = positions[row];
            int level = levels[row];
            int target = row;
            while (target > start && order.compare(pages[target - 1], positions[target - 1], page, position) > 0) {
                pages[target] = pages[target - 1];
                positions[target] = positions[target - 1];
                levels[target] = levels[target - 1];
                target--;
            }
            pages[target] = page;
            positions[target] = position;
            levels[target] = level;
        }
    }

    private void beginGroup(long prefix)
    {
        if (groupCount == prefixes.length) {
            int capacity = groupCount * 2;
            groupStarts = Arrays.copyOf(groupStarts, capacity);
            prefixes = Arrays.copyOf(prefixes, capacity);
            keys = Arrays.copyOf(keys, capacity);
            encodedKeys = Arrays.copyOf(encodedKeys, capacity);
            keyIndexes = Arrays.copyOf(keyIndexes, capacity);
            reduced = Arrays.copyOf(reduced, capacity);
        }
        groupStarts[groupCount] = rowCount;
        prefixes[groupCount] = prefix;
        groupCount++;
    }
}
