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
package io.lookup.storage.lsm;

import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.lookup.KeyLookup;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.ProbeKeys;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * What the keys of a compaction held before: rows that the statement has read itself, and for the other keys what is found in the levels above the
 * output. Where the places of records are wanted, these are looked for by the key columns alone, and rows only where they are not
 * known. Not thread-safe.
 */
public final class PreviousRows
        implements Closeable
{
    private final KnownRows known;
    private final KeyLookup lookup;
    private final Optional<KeyLookup> places;

    private final ProbeKeys unknown = new ProbeKeys();
    private final LookupHits found = new LookupHits();
    // index of a probe among the unknown ones
    private int[] unknownProbes = new int[1024];
    // index of a probe among the known rows, -1 if it is not known
    private int[] knownRows = new int[1024];

    /**
     * @param known of the same bucket, in the snapshot that the files of the lookup are of
     * @param places finds where the record of a key lies, and need not find its row; absent if nobody asks for that
     */
    public PreviousRows(KnownRows known, KeyLookup lookup, Optional<KeyLookup> places)
    {
        this.known = requireNonNull(known, "known is null");
        this.lookup = requireNonNull(lookup, "lookup is null");
        this.places = requireNonNull(places, "places is null");
    }

    /**
     * Whether there is any file that could hold a key.
     */
    public boolean isEmpty()
    {
        return lookup.isEmpty();
    }

    /**
     * See {@link KeyLookup#overlaps}.
     */
    public boolean overlaps(DataFileMeta other)
    {
        return lookup.overlaps(other);
    }

    /**
     * Batches come in ascending key order.
     */
    public void find(ProbeKeys probes, LookupHits hits)
            throws IOException
    {
        if (known.isEmpty()) {
            lookup.lookup(probes, hits);
            return;
        }
        if (places.isPresent()) {
            places.get().lookup(probes, hits);
        }
        else {
            hits.reset(probes.count());
        }
        divide(probes, hits);
        if (unknown.count() > 0) {
            lookup.lookup(unknown, found);
            for (int index = 0; index < unknown.count(); index++) {
                if (found.found(index)) {
                    hits.copy(unknownProbes[index], found, index);
                }
            }
        }
        for (int probe = 0; probe < probes.count(); probe++) {
            if (knownRows[probe] >= 0) {
                hits.setRow(probe, known.page(knownRows[probe]), known.position(knownRows[probe]));
            }
        }
        unknown.clear();
    }

    /**
     * Tells the probes whose rows are known from those that must be looked up.
     */
    private void divide(ProbeKeys probes, LookupHits hits)
    {
        if (knownRows.length < probes.count()) {
            knownRows = new int[probes.count()];
            unknownProbes = new int[probes.count()];
        }
        Arrays.fill(knownRows, 0, probes.count(), -1);
        unknown.clear();
        int row = 0;
        for (int probe = 0; probe < probes.count(); probe++) {
            row = known.lowerBound(probes.key(probe), row);
            if (places.isPresent() && !hits.found(probe)) {
                continue;
            }
            if (known.isAt(row, probes.key(probe))) {
                knownRows[probe] = row;
            }
            else {
                unknownProbes[unknown.count()] = probe;
                unknown.add(probes.prefix(probe), probes.key(probe), probes.page(probe), probes.position(probe));
            }
        }
    }

    @Override
    public void close()
            throws IOException
    {
        try (lookup) {
            if (places.isPresent()) {
                places.get().close();
            }
        }
    }
}
