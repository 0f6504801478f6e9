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
package io.lookup.storage.lookup.local;

import io.airlift.slice.Slice;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.ProbeKeys;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands for the lookup in the data file.
 */
record MapLookup(LookupRows rows, DataFileMeta file, AtomicInteger probed)
        implements FileLookup
{
    MapLookup(LookupRows rows, DataFileMeta file)
    {
        this(rows, file, new AtomicInteger());
    }

    @Override
    public void probe(ProbeKeys probes, int from, int to, LookupHits hits)
    {
        for (int probe = from; probe < to; probe++) {
            Slice key = probes.key(probe);
            if (!hits.found(probe)) {
                probed.incrementAndGet();
                if (rows.contains(key)) {
                    int position = Math.toIntExact(rows.position(key));
                    hits.set(probe, rows.page(), position, file, position);
                }
            }
        }
    }

    @Override
    public void close() {}
}
