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

import io.airlift.stats.CounterStat;
import io.lookup.storage.format.ScanCounters;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/**
 * What the readers of this node did, of all queries. Each split is counted once it is closed. Thread-safe.
 */
public final class ScanStatistics
{
    private final CounterStat splits = new CounterStat();
    private final CounterStat rows = new CounterStat();
    private final CounterStat bytes = new CounterStat();
    private final CounterStat files = new CounterStat();
    private final CounterStat rowGroups = new CounterStat();
    private final CounterStat skippedRowGroups = new CounterStat();
    private final CounterStat plainSections = new CounterStat();
    private final CounterStat mergedSections = new CounterStat();
    private final CounterStat supersededRows = new CounterStat();

    /**
     * Splits that were read, of tables and of changes.
     */
    @Managed
    @Nested
    public CounterStat getSplits()
    {
        return splits;
    }

    /**
     * Rows that readers handed on.
     */
    @Managed
    @Nested
    public CounterStat getRows()
    {
        return rows;
    }

    /**
     * Bytes of data files that were read.
     */
    @Managed
    @Nested
    public CounterStat getBytes()
    {
        return bytes;
    }

    /**
     * Data files that were opened.
     */
    @Managed
    @Nested
    public CounterStat getFiles()
    {
        return files;
    }

    /**
     * Row groups that were read.
     */
    @Managed
    @Nested
    public CounterStat getRowGroups()
    {
        return rowGroups;
    }

    /**
     * Row groups that have no row of the predicate by their statistics.
     */
    @Managed
    @Nested
    public CounterStat getSkippedRowGroups()
    {
        return skippedRowGroups;
    }

    /**
     * Groups of files whose rows count as they are.
     */
    @Managed
    @Nested
    public CounterStat getPlainSections()
    {
        return plainSections;
    }

    /**
     * Groups of files that can hold several versions of a key, and were merged.
     */
    @Managed
    @Nested
    public CounterStat getMergedSections()
    {
        return mergedSections;
    }

    /**
     * Rows that were left out, or made one row of with others, because their key has several versions.
     */
    @Managed
    @Nested
    public CounterStat getSupersededRows()
    {
        return supersededRows;
    }

    void add(ScanCounters counters, long readRows)
    {
        splits.update(1);
        rows.update(readRows);
        bytes.update(counters.bytes());
        files.update(counters.files());
        rowGroups.update(counters.rowGroups());
        skippedRowGroups.update(counters.skippedRowGroups());
        plainSections.update(counters.plainSections());
        mergedSections.update(counters.mergedSections());
        supersededRows.update(counters.supersededRows());
    }
}
