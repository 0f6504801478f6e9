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
package io.lookup.storage.model;

import com.google.common.collect.ImmutableSortedMap;

import java.util.SortedMap;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * A file of the tree; the id survives an upgrade to another level.
 */
public record ModelFile(int id, int level, SortedMap<Integer, ModelRow> rows)
{
    public ModelFile
    {
        rows = ImmutableSortedMap.copyOfSorted(rows);
        checkArgument(!rows.isEmpty(), "empty file");
    }

    public int minKey()
    {
        return rows.firstKey();
    }

    public int maxKey()
    {
        return rows.lastKey();
    }

    public long maxSequence()
    {
        return rows.values().stream().mapToLong(ModelRow::sequence).max().orElseThrow();
    }

    public boolean overlaps(ModelFile other)
    {
        return minKey() <= other.maxKey() && other.minKey() <= maxKey();
    }
}
