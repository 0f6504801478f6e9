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
package io.lookup.storage.lookup;

import io.airlift.stats.CounterStat;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/**
 * Which ways keys were looked up in. Thread-safe.
 */
public final class LookupWayStatistics
{
    private final CounterStat keys = new CounterStat();
    private final CounterStat keysFound = new CounterStat();
    private final CounterStat filesByPages = new CounterStat();
    private final CounterStat filesByScan = new CounterStat();
    private final CounterStat filesByLocalCopy = new CounterStat();
    private final CounterStat filesExcluded = new CounterStat();

    /**
     * Keys that were looked for above the output of compactions.
     */
    @Managed
    @Nested
    public CounterStat getKeys()
    {
        return keys;
    }

    @Managed
    @Nested
    public CounterStat getKeysFound()
    {
        return keysFound;
    }

    /**
     * Data files of which single pages were read.
     */
    @Managed
    @Nested
    public CounterStat getFilesByPages()
    {
        return filesByPages;
    }

    /**
     * Data files that were read from beginning to end.
     */
    @Managed
    @Nested
    public CounterStat getFilesByScan()
    {
        return filesByScan;
    }

    /**
     * Data files of which a copy on this node was looked into.
     */
    @Managed
    @Nested
    public CounterStat getFilesByLocalCopy()
    {
        return filesByLocalCopy;
    }

    /**
     * Data files that a compaction did not have to look into.
     */
    @Managed
    @Nested
    public CounterStat getFilesExcluded()
    {
        return filesExcluded;
    }

    void add(LookupWay way)
    {
        switch (way) {
            case NONE -> filesExcluded.update(1);
            case PAGES -> filesByPages.update(1);
            case SCAN -> filesByScan.update(1);
            case LOCAL -> filesByLocalCopy.update(1);
        }
    }
}
