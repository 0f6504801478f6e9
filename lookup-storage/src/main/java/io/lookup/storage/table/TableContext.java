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
package io.lookup.storage.table;

import io.lookup.storage.commit.RebaseBudget;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.manifest.ManifestCache;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.lookup.LookupResources;
import io.lookup.storage.lookup.local.LocalLookupFiles;

import java.nio.file.Path;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * What all tables of a warehouse share on one node.
 *
 * @param readers opens data files; holds the footer cache
 * @param lookupFiles copies of data files on this node; empty if data files are looked up in directly
 * @param spillDirectory local folder for sorted runs that do not fit in memory
 * @param writeMemoryBytes rows that one sink keeps in memory before it spills
 * @param rebaseBudget what commits may do about others that came first
 * @param lookups what looking up old rows shares
 * @param statistics counts what writers do
 */
public record TableContext(
        FileIo fileIo,
        DataFileReaderFactory readers,
        ManifestCache manifestCache,
        Optional<LocalLookupFiles> lookupFiles,
        Path spillDirectory,
        long writeMemoryBytes,
        RebaseBudget rebaseBudget,
        LookupResources lookups,
        EngineStatistics statistics)
{
    public TableContext(FileIo fileIo, DataFileReaderFactory readers, ManifestCache manifestCache, Optional<LocalLookupFiles> lookupFiles, Path spillDirectory, long writeMemoryBytes)
    {
        this(fileIo, readers, manifestCache, lookupFiles, spillDirectory, writeMemoryBytes, RebaseBudget.createDefault(), new LookupResources(), new EngineStatistics());
    }

    public TableContext
    {
        requireNonNull(fileIo, "fileIo is null");
        requireNonNull(readers, "readers is null");
        requireNonNull(manifestCache, "manifestCache is null");
        requireNonNull(lookupFiles, "lookupFiles is null");
        requireNonNull(spillDirectory, "spillDirectory is null");
        requireNonNull(rebaseBudget, "rebaseBudget is null");
        requireNonNull(lookups, "lookups is null");
        requireNonNull(statistics, "statistics is null");
        checkArgument(writeMemoryBytes > 0, "writeMemoryBytes must be positive");
    }

    public TableContext(FileIo fileIo, DataFileReaderFactory readers, ManifestCache manifestCache, Path spillDirectory, long writeMemoryBytes)
    {
        this(fileIo, readers, manifestCache, Optional.empty(), spillDirectory, writeMemoryBytes);
    }
}
