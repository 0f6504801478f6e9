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

/**
 * A statement that has read its base and not yet committed, or has appended and not yet compacted. Two of them may be
 * under way at once.
 */
public final class ModelWrite
{
    public enum AppendResult
    {
        APPENDED,
        /** the statement has nothing to write, and no snapshot was made */
        NOTHING_TO_DO,
        /** rows that the statement has read were changed since, and no snapshot was made */
        CONFLICT,
    }

    private final ModelTable table;
    private final ModelSnapshot base;
    private final boolean readsRows;
    // what goes into the file, one a key
    private final SortedMap<Integer, ModelChange> changes;
    // what the statement says, one a key
    private final SortedMap<Integer, ModelChange> meant;
    private final int deeperRuns;
    private ModelFile appended;
    private long appendSnapshotId;

    ModelWrite(ModelTable table, ModelSnapshot base, boolean readsRows, SortedMap<Integer, ModelChange> changes, SortedMap<Integer, ModelChange> meant, int deeperRuns)
    {
        this.table = table;
        this.base = base;
        this.readsRows = readsRows;
        this.changes = ImmutableSortedMap.copyOfSorted(changes);
        this.meant = ImmutableSortedMap.copyOfSorted(meant);
        this.deeperRuns = deeperRuns;
    }

    public AppendResult append()
    {
        return table.append(this);
    }

    /**
     * Lifts level 0, if it may. Does nothing if the statement has not appended.
     */
    public void compact()
    {
        if (appended != null) {
            table.compact(this);
        }
    }

    ModelSnapshot base()
    {
        return base;
    }

    boolean readsRows()
    {
        return readsRows;
    }

    SortedMap<Integer, ModelChange> changes()
    {
        return changes;
    }

    SortedMap<Integer, ModelChange> meant()
    {
        return meant;
    }

    int deeperRuns()
    {
        return deeperRuns;
    }

    ModelFile appended()
    {
        return appended;
    }

    long appendSnapshotId()
    {
        return appendSnapshotId;
    }

    void setAppended(ModelFile file, long snapshotId)
    {
        appended = file;
        appendSnapshotId = snapshotId;
    }
}
