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

import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.DataFileMeta;

import java.io.IOException;

import static java.util.Objects.requireNonNull;

/**
 * Reads, for each batch of probes, only the row groups and pages that can hold them. Better than a scan where
 * the probes are few against the file's rows.
 */
final class PrunedFileLookup
        implements FileLookup
{
    private final ProbeReader reader;
    private final KeyEncoder keyEncoder;
    private final int[] keyChannels;
    private final DataFileMeta file;
    private final boolean withPositions;

    PrunedFileLookup(ProbeReader reader, KeyEncoder keyEncoder, int[] keyChannels, DataFileMeta file, boolean withPositions)
    {
        this.reader = requireNonNull(reader, "reader is null");
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.keyChannels = requireNonNull(keyChannels, "keyChannels is null");
        this.file = requireNonNull(file, "file is null");
        this.withPositions = withPositions;
    }

    @Override
    public void probe(ProbeKeys probes, int from, int to, LookupHits hits)
            throws IOException
    {
        try (ScanningFileLookup scan = new ScanningFileLookup(reader.open(probes, from, to), keyEncoder, keyChannels, file, withPositions)) {
            scan.probe(probes, from, to, hits);
        }
    }

    @Override
    public void close() {}

    interface ProbeReader
    {
        /**
         * Rows of the file, ascending by key, with at least those whose key is among the probes.
         */
        PageStream open(ProbeKeys probes, int from, int to)
                throws IOException;
    }
}
