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
import io.airlift.stats.TimeStat;
import org.weakref.jmx.Managed;
import org.weakref.jmx.Nested;

/**
 * What lookups of one node did. Thread-safe.
 */
public final class LookupStatistics
{
    private final CounterStat localProbes = new CounterStat();
    private final CounterStat localHits = new CounterStat();
    private final CounterStat filterExclusions = new CounterStat();
    private final CounterStat filterFalsePositives = new CounterStat();
    private final CounterStat blockReads = new CounterStat();
    private final CounterStat localBytesRead = new CounterStat();
    private final CounterStat localBytesWritten = new CounterStat();
    private final CounterStat remoteBytesRead = new CounterStat();
    private final CounterStat remoteBytesWritten = new CounterStat();
    private final CounterStat filesDownloaded = new CounterStat();
    private final CounterStat filesUploaded = new CounterStat();
    private final CounterStat transfersFailed = new CounterStat();
    private final CounterStat filesWritten = new CounterStat();
    private final CounterStat filesFailed = new CounterStat();
    private final CounterStat filesRefused = new CounterStat();
    private final CounterStat filesEvicted = new CounterStat();
    private final CounterStat filesExpired = new CounterStat();
    private final CounterStat filesCorrupt = new CounterStat();
    private final CounterStat copiesMade = new CounterStat();
    private final CounterStat copiesFailed = new CounterStat();
    private final CounterStat copiesCancelled = new CounterStat();
    private final CounterStat copiesRejected = new CounterStat();
    private final TimeStat buildTime = new TimeStat();

    /**
     * Keys that were looked for in local lookup files.
     */
    @Managed
    @Nested
    public CounterStat getLocalProbes()
    {
        return localProbes;
    }

    /**
     * Keys that were found in local lookup files.
     */
    @Managed
    @Nested
    public CounterStat getLocalHits()
    {
        return localHits;
    }

    /**
     * Keys that a Bloom filter told to be absent.
     */
    @Managed
    @Nested
    public CounterStat getFilterExclusions()
    {
        return filterExclusions;
    }

    /**
     * Keys that were absent although a Bloom filter did not say so.
     */
    @Managed
    @Nested
    public CounterStat getFilterFalsePositives()
    {
        return filterFalsePositives;
    }

    /**
     * Blocks that were not in memory.
     */
    @Managed
    @Nested
    public CounterStat getBlockReads()
    {
        return blockReads;
    }

    @Managed
    @Nested
    public CounterStat getLocalBytesRead()
    {
        return localBytesRead;
    }

    @Managed
    @Nested
    public CounterStat getLocalBytesWritten()
    {
        return localBytesWritten;
    }

    /**
     * Bytes of lookup files that other nodes had put beside data files.
     */
    @Managed
    @Nested
    public CounterStat getRemoteBytesRead()
    {
        return remoteBytesRead;
    }

    @Managed
    @Nested
    public CounterStat getRemoteBytesWritten()
    {
        return remoteBytesWritten;
    }

    /**
     * Lookup files that were taken over from beside data files instead of being made.
     */
    @Managed
    @Nested
    public CounterStat getFilesDownloaded()
    {
        return filesDownloaded;
    }

    /**
     * Lookup files that were put beside data files.
     */
    @Managed
    @Nested
    public CounterStat getFilesUploaded()
    {
        return filesUploaded;
    }

    /**
     * Lookup files that could not be put beside data files, or could not be had from there.
     */
    @Managed
    @Nested
    public CounterStat getTransfersFailed()
    {
        return transfersFailed;
    }

    /**
     * Local lookup files that were completed.
     */
    @Managed
    @Nested
    public CounterStat getFilesWritten()
    {
        return filesWritten;
    }

    /**
     * Local lookup files that the disk did not take, or that were not wanted any more.
     */
    @Managed
    @Nested
    public CounterStat getFilesFailed()
    {
        return filesFailed;
    }

    /**
     * Local lookup files that did not fit beside those in use.
     */
    @Managed
    @Nested
    public CounterStat getFilesRefused()
    {
        return filesRefused;
    }

    @Managed
    @Nested
    public CounterStat getFilesEvicted()
    {
        return filesEvicted;
    }

    @Managed
    @Nested
    public CounterStat getFilesExpired()
    {
        return filesExpired;
    }

    /**
     * Local lookup files that were given up since their bytes had changed or could not be read.
     */
    @Managed
    @Nested
    public CounterStat getFilesCorrupt()
    {
        return filesCorrupt;
    }

    /**
     * Requests for lookup files in the background that ended with one.
     */
    @Managed
    @Nested
    public CounterStat getCopiesMade()
    {
        return copiesMade;
    }

    /**
     * … that ended without one, since the disk did not take it or the data file could not be read.
     */
    @Managed
    @Nested
    public CounterStat getCopiesFailed()
    {
        return copiesFailed;
    }

    /**
     * … that were given up, since the data file was dropped or the node stopped.
     */
    @Managed
    @Nested
    public CounterStat getCopiesCancelled()
    {
        return copiesCancelled;
    }

    /**
     * … that were not taken, since too many waited.
     */
    @Managed
    @Nested
    public CounterStat getCopiesRejected()
    {
        return copiesRejected;
    }

    /**
     * Making local lookup files from data files.
     */
    @Managed
    @Nested
    public TimeStat getBuildTime()
    {
        return buildTime;
    }
}
