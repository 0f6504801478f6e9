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
package io.lookup.storage.format;

/**
 * What reading has cost so far. Not thread-safe: one reader counts, the one that drives it looks.
 */
public final class ScanCounters
{
    private long files;
    private long bytes;
    private long rowGroups;
    private long skippedRowGroups;
    private long plainSections;
    private long mergedSections;
    private long supersededRows;

    /**
     * Files that were opened.
     */
    public long files()
    {
        return files;
    }

    /**
     * Bytes that were read of data files.
     */
    public long bytes()
    {
        return bytes;
    }

    public long rowGroups()
    {
        return rowGroups;
    }

    /**
     * Row groups that have no row of the predicate by their statistics.
     */
    public long skippedRowGroups()
    {
        return skippedRowGroups;
    }

    /**
     * Groups of files whose rows count as they are.
     */
    public long plainSections()
    {
        return plainSections;
    }

    /**
     * Groups of files that can hold several versions of a key.
     */
    public long mergedSections()
    {
        return mergedSections;
    }

    /**
     * Rows that were left out, or made one row of with others, because their key has several versions.
     */
    public long supersededRows()
    {
        return supersededRows;
    }

    public void addFile(long readRowGroups, long skippedRowGroups)
    {
        this.files++;
        this.rowGroups += readRowGroups;
        this.skippedRowGroups += skippedRowGroups;
    }

    public void addBytes(long bytes)
    {
        this.bytes += bytes;
    }

    public void addSection(boolean merged)
    {
        if (merged) {
            mergedSections++;
        }
        else {
            plainSections++;
        }
    }

    public void addSupersededRows(long rows)
    {
        supersededRows += rows;
    }
}
