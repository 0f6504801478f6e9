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

import com.google.common.collect.ImmutableList;
import com.google.common.io.Closer;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.PointReader;
import io.lookup.storage.lookup.LookupFileReader.LocalCopy;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static java.util.Objects.requireNonNull;

/**
 * Finds the latest state of keys in the levels above a compaction's output. What left level 0 has been merged
 * with what lay above it, so the first level that holds a key holds its whole state, and the search ends there.
 *
 * <p>Batches come in ascending key order. For each file the way is chosen when the first key can be in it, by the number of keys that
 * the compaction can look for in it at all, see {@link LookupWayChooser}.
 */
public final class KeyLookup
        implements Closeable
{
    private static final Logger log = Logger.get(KeyLookup.class);

    /**
     * A file whose pages cannot be read alone is read with a predicate from so many rows a key on.
     */
    private static final long PREDICATE_ROWS_PER_KEY = 2_000;

    private final KeyValueLayout layout;
    private final List<Type> types;
    private final KeyEncoder keyEncoder;
    private final int[] keyChannels;
    private final LookupFileReader fileReader;
    private final Columns columns;
    private final long expectedProbes;
    private final LookupResources resources;
    private final List<List<LookupFile>> levels;

    /**
     * @param filesByLevel data files above the output level, lowest level first; the files of a level do not overlap
     * @param fileReader opens a file without the rows that are deleted in it
     * @param expectedProbes upper bound of keys over all batches
     */
    public KeyLookup(
            KeyValueLayout layout,
            KeyEncoder keyEncoder,
            List<List<DataFileMeta>> filesByLevel,
            LookupFileReader fileReader,
            long expectedProbes,
            LookupResources resources)
    {
        this(layout, keyEncoder, filesByLevel, fileReader, Columns.ROWS, expectedProbes, resources);
    }

    /**
     * Hits have the position of the row in its file.
     *
     * @param fileReader opens a file without the rows that are deleted in it, with a BIGINT channel behind the layout: the
     * position of the row in its file; rows that are read singly lack that channel
     */
    public static KeyLookup withPositions(
            KeyValueLayout layout,
            KeyEncoder keyEncoder,
            List<List<DataFileMeta>> filesByLevel,
            LookupFileReader fileReader,
            long expectedProbes,
            LookupResources resources)
    {
        return new KeyLookup(layout, keyEncoder, filesByLevel, fileReader, Columns.ROWS_AND_POSITIONS, expectedProbes, resources);
    }

    /**
     * Only tells which keys exist: hits are positions of pages that hold the key columns, in key order.
     *
     * @param layout of the rows that probe
     * @param fileReader opens a data file with its key columns first, in key order
     */
    public static KeyLookup ofKeys(
            KeyValueLayout layout,
            KeyEncoder keyEncoder,
            List<List<DataFileMeta>> filesByLevel,
            LookupFileReader fileReader,
            long expectedProbes,
            LookupResources resources)
    {
        return new KeyLookup(layout, keyEncoder, filesByLevel, fileReader, Columns.KEYS, expectedProbes, resources);
    }

    /**
     * Only tells where keys lie: hits have the position of the row in its file, and of its columns the key, in key order.
     *
     * @param layout of the rows that probe
     * @param fileReader opens a data file with its key columns first, in key order, and a BIGINT channel behind all columns: the position of the
     * row in its file; rows that are read singly lack that channel
     */
    public static KeyLookup ofPositions(
            KeyValueLayout layout,
            KeyEncoder keyEncoder,
            List<List<DataFileMeta>> filesByLevel,
            LookupFileReader fileReader,
            long expectedProbes,
            LookupResources resources)
    {
        return new KeyLookup(layout, keyEncoder, filesByLevel, fileReader, Columns.KEYS_AND_POSITIONS, expectedProbes, resources);
    }

    private KeyLookup(
            KeyValueLayout layout,
            KeyEncoder keyEncoder,
            List<List<DataFileMeta>> filesByLevel,
            LookupFileReader fileReader,
            Columns columns,
            long expectedProbes,
            LookupResources resources)
    {
        this.layout = requireNonNull(layout, "layout is null");
        this.types = layout.types();
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.fileReader = requireNonNull(fileReader, "fileReader is null");
        this.columns = requireNonNull(columns, "columns is null");
        this.keyChannels = columns.areKeys() ? IntStream.range(0, layout.keyChannels().size()).toArray() : layout.keyChannelArray();
        this.expectedProbes = expectedProbes;
        this.resources = requireNonNull(resources, "resources is null");
        ImmutableList.Builder<List<LookupFile>> levelBuilder = ImmutableList.builder();
        for (List<DataFileMeta> files : filesByLevel) {
            List<LookupFile> level = new ArrayList<>(files.size());
            long levelRows = files.stream().mapToLong(DataFileMeta::rowCount).sum();
            for (DataFileMeta file : files) {
                level.add(new LookupFile(file, keyEncoder.encode(file.minKey()), keyEncoder.encode(file.maxKey()), levelRows));
            }
            level.sort(Comparator.comparing(file -> file.minKey));
            if (!level.isEmpty()) {
                levelBuilder.add(level);
            }
        }
        this.levels = levelBuilder.build();
    }

    /**
     * Whether there is any file that could hold a key.
     */
    public boolean isEmpty()
    {
        return levels.isEmpty();
    }

    /**
     * Whether any file could hold a key of this one, by their bounds.
     */
    public boolean overlaps(DataFileMeta other)
    {
        Slice min = keyEncoder.encode(other.minKey());
        Slice max = keyEncoder.encode(other.maxKey());
        return levels.stream()
                .flatMap(List::stream)
                .anyMatch(file -> file.minKey.compareTo(max) <= 0 && file.maxKey.compareTo(min) >= 0);
    }

    public void lookup(ProbeKeys probes, LookupHits hits)
            throws IOException
    {
        hits.reset(probes.count());
        for (List<LookupFile> level : levels) {
            int probe = 0;
            for (LookupFile file : level) {
                int from = probes.lowerBound(file.minKey, probe);
                int to = from;
                if (from < probes.count()) {
                    to = probes.lowerBound(file.maxKey, from);
                    if (to < probes.count() && probes.key(to).equals(file.maxKey)) {
                        to++;
                    }
                }
                if (from < to && hasOpenProbe(hits, from, to)) {
                    file.lookup(probes, from, to).probe(probes, from, to, hits);
                }
                if (probes.count() > 0 && file.maxKey.compareTo(probes.key(probes.count() - 1)) <= 0) {
                    // later batches are above this one
                    file.close();
                }
                probe = to;
            }
        }
        count(probes, hits);
    }

    private void count(ProbeKeys probes, LookupHits hits)
    {
        int found = 0;
        for (int probe = 0; probe < probes.count(); probe++) {
            if (hits.found(probe)) {
                found++;
            }
        }
        resources.statistics().getKeys().update(probes.count());
        resources.statistics().getKeysFound().update(found);
    }

    private static boolean hasOpenProbe(LookupHits hits, int from, int to)
    {
        for (int probe = from; probe < to; probe++) {
            if (!hits.found(probe)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close()
            throws IOException
    {
        try (Closer closer = Closer.create()) {
            levels.forEach(level -> level.forEach(closer::register));
        }
    }

    /**
     * What hits have.
     */
    private enum Columns
    {
        ROWS, ROWS_AND_POSITIONS, KEYS, KEYS_AND_POSITIONS;

        boolean areKeys()
        {
            return this == KEYS || this == KEYS_AND_POSITIONS;
        }

        boolean havePositions()
        {
            return this == ROWS_AND_POSITIONS || this == KEYS_AND_POSITIONS;
        }
    }

    private final class LookupFile
            implements Closeable
    {
        private final DataFileMeta file;
        private final Slice minKey;
        private final Slice maxKey;
        private final long levelRows;
        private boolean used;
        private boolean wantsCopy;
        private FileLookup lookup;

        private LookupFile(DataFileMeta file, Slice minKey, Slice maxKey, long levelRows)
        {
            this.file = requireNonNull(file, "file is null");
            this.minKey = requireNonNull(minKey, "minKey is null");
            this.maxKey = requireNonNull(maxKey, "maxKey is null");
            this.levelRows = levelRows;
        }

        @Override
        public void close()
                throws IOException
        {
            if (!used) {
                used = true;
                resources.statistics().add(LookupWay.NONE);
            }
            if (wantsCopy) {
                // only now, so that making it does not hold up what this one looks up
                wantsCopy = false;
                if (fileReader.requestLocal(file)) {
                    resources.forget(file.fileName());
                }
            }
            if (lookup != null) {
                lookup.close();
                lookup = null;
            }
        }

        /**
         * @param from the first key of the batch that is within the file's bounds
         * @param to behind the last one
         */
        private FileLookup lookup(ProbeKeys probes, int from, int to)
                throws IOException
        {
            if (lookup == null) {
                // keys that are within the bounds of the level are taken to be spread over its rows
                long keys = Math.max(to - from, (long) Math.ceil((double) expectedProbes * file.rowCount() / levelRows));
                long spannedRows = expectedProbes <= probes.count() ? spannedRows(probes.key(from), probes.key(to - 1)) : file.rowCount();
                LookupCosts costs = LookupCosts.of(file, columns.areKeys() ? keyChannels.length : layout.columns().size(), layout.columns().size());
                LocalCopy copy = fileReader.localCopy(file);
                LookupWay chosen = resources.chooser().choose(costs, spannedRows, keys, copy);
                Optional<FileLookup> local = chosen == LookupWay.LOCAL ? openLocal() : Optional.empty();
                if (local.isPresent()) {
                    lookup = local.get();
                }
                else {
                    lookup = chosen == LookupWay.SCAN ? scan() : byPages(keys);
                    if (columns != Columns.KEYS_AND_POSITIONS) {
                        // the key columns cost little of what a copy of whole rows would save
                        resources.spend(file.fileName(), costs.nanosWithoutCopy(spannedRows, keys));
                        wantsCopy = resources.chooser().paysCopy(costs, spannedRows, keys, copy, resources.spentNanos(file.fileName()));
                    }
                }
                LookupWay way = local.isPresent() ? LookupWay.LOCAL : lookup instanceof ScanningFileLookup ? LookupWay.SCAN : LookupWay.PAGES;
                used = true;
                resources.statistics().add(way);
                log.debug("Looking up %s keys in %s rows of %s by way of %s", keys, file.rowCount(), file.fileName(), way);
            }
            return lookup;
        }

        /**
         * How many rows lie between two keys if those of the file are spread evenly between its bounds. A statement often changes
         * rows that lie beside each other.
         */
        private long spannedRows(Slice first, Slice last)
        {
            double fileSpan = distance(minKey, maxKey);
            double share = fileSpan > 0 ? distance(first, last) / fileSpan : 1;
            return (long) Math.ceil(file.rowCount() * Math.clamp(share, 0, 1));
        }

        private static double distance(Slice low, Slice high)
        {
            long difference = prefix(high) - prefix(low);
            return difference >= 0 ? difference : (difference >>> 1) * 2.0;
        }

        private static long prefix(Slice key)
        {
            long prefix = 0;
            for (int index = 0; index < Long.BYTES; index++) {
                prefix = prefix << Byte.SIZE | (index < key.length() ? key.getUnsignedByte(index) : 0);
            }
            return prefix;
        }

        private Optional<FileLookup> openLocal()
                throws IOException
        {
            return resources.chooser().waitsForCopies() ? fileReader.makeLocal(file, this::scan) : fileReader.openLocal(file, this::scan);
        }

        private FileLookup byPages(long keys)
                throws IOException
        {
            Optional<PointReader> points = fileReader.openPoints(file);
            if (points.isPresent()) {
                return new PagedFileLookup(points.get(), layout, keyEncoder, keyChannels, file, columns.areKeys());
            }
            if (file.rowCount() / PREDICATE_ROWS_PER_KEY <= keys) {
                return scan();
            }
            return new PrunedFileLookup(
                    (probes, from, to) -> fileReader.open(file, KeyDomains.of(layout, types, probes, from, to)),
                    keyEncoder,
                    keyChannels,
                    file,
                    columns.havePositions());
        }

        private FileLookup scan()
                throws IOException
        {
            return new ScanningFileLookup(fileReader.open(file, TupleDomain.all()), keyEncoder, keyChannels, file, columns.havePositions());
        }
    }
}
