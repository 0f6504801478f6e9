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

import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.PointReader;
import io.lookup.storage.format.parquet.RowSelection;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import static java.util.Objects.requireNonNull;

/**
 * Reads of each column only pages that can hold a key: first of the key columns, to find where the keys are, then of the
 * others, to take the values of these rows out of them. Better than a scan where the keys are few against the file's rows.
 */
final class PagedFileLookup
        implements FileLookup
{
    private static final int KEY_ROWS = 32_768;

    private final PointReader reader;
    private final ValueReaders valueReaders;
    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final int[] keyChannels;
    private final DataFileMeta file;
    private final boolean keysOnly;
    private final int[] otherChannels;

    // keys of the batch that are not found yet, as probe indexes
    private int[] open = new int[0];
    private int openCount;
    // hits of a row group, as indexes of probes and rows of the row group
    private int[] hitProbes = new int[0];
    private long[] hitRows = new long[0];
    private int hitCount;

    /**
     * @param reader rows of the layout, or the key columns alone
     * @param layout of the probes
     * @param keyChannels channels of the key columns in the reader's rows, in key order
     * @param keysOnly whether hits need no other columns
     */
    PagedFileLookup(PointReader reader, KeyValueLayout layout, KeyEncoder keyEncoder, int[] keyChannels, DataFileMeta file, boolean keysOnly)
    {
        this.reader = requireNonNull(reader, "reader is null");
        this.valueReaders = new ValueReaders(reader);
        this.layout = requireNonNull(layout, "layout is null");
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.keyChannels = requireNonNull(keyChannels, "keyChannels is null");
        this.file = requireNonNull(file, "file is null");
        this.keysOnly = keysOnly;
        this.otherChannels = IntStream.range(0, reader.channelCount())
                .filter(channel -> Arrays.stream(keyChannels).noneMatch(key -> key == channel))
                .toArray();
    }

    @Override
    public void probe(ProbeKeys probes, int from, int to, LookupHits hits)
            throws IOException
    {
        findOpen(from, to, hits);
        for (int group = 0; group < reader.rowGroupCount() && openCount > 0; group++) {
            RowSelection candidates = new CandidateRows(reader, group, keyChannels, CandidateRows.columnValues(layout, probes, open, openCount)).select(openCount);
            if (candidates.isEmpty()) {
                continue;
            }
            List<BlockBuilder> keys = findHits(probes, group, candidates);
            if (hitCount > 0) {
                setHits(group, keys, hits);
                findOpen(from, to, hits);
            }
        }
    }

    private void findOpen(int from, int to, LookupHits hits)
    {
        if (open.length < to - from) {
            open = new int[to - from];
            hitProbes = new int[to - from];
            hitRows = new long[to - from];
        }
        openCount = 0;
        for (int probe = from; probe < to; probe++) {
            if (!hits.found(probe)) {
                open[openCount] = probe;
                openCount++;
            }
        }
    }

    /**
     * @return the key columns of the hits
     */
    private List<BlockBuilder> findHits(ProbeKeys probes, int group, RowSelection candidates)
    {
        hitCount = 0;
        List<BlockBuilder> hitKeys = new ArrayList<>(keyChannels.length);
        for (int channel : layout.keyChannels()) {
            hitKeys.add(layout.types().get(channel).createBlockBuilder(null, openCount));
        }
        int probe = 0;
        for (RowSelection rows : parts(candidates)) {
            if (probe == openCount) {
                break;
            }
            Block[] blocks = reader.read(group, keyChannels, rows);
            Page page = new Page(rows.rowCount(), blocks);
            EncodedKeys keys = keyEncoder.encode(page, IntStream.range(0, blocks.length).toArray());
            int last = page.getPositionCount() - 1;
            int position = 0;
            int range = 0;
            int rangeStart = 0;
            while (probe < openCount && compare(probes, open[probe], keys, last) <= 0) {
                position = firstAtOrAbove(probes, open[probe], keys, position, last);
                if (compare(probes, open[probe], keys, position) == 0) {
                    while (position - rangeStart >= rows.end(range) - rows.start(range)) {
                        rangeStart += (int) (rows.end(range) - rows.start(range));
                        range++;
                    }
                    long row = rows.start(range) + position - rangeStart;
                    if (!reader.deletions().contains(reader.firstRow(group) + row)) {
                        hitProbes[hitCount] = open[probe];
                        hitRows[hitCount] = row;
                        hitCount++;
                        for (int column = 0; column < blocks.length; column++) {
                            hitKeys.get(column).append(blocks[column].getUnderlyingValueBlock(), blocks[column].getUnderlyingValuePosition(position));
                        }
                    }
                }
                probe++;
            }
        }
        return hitKeys;
    }

    /**
     * Cuts rows into parts of about {@link #KEY_ROWS}.
     */
    private static List<RowSelection> parts(RowSelection rows)
    {
        List<RowSelection> parts = new ArrayList<>();
        RowSelection part = new RowSelection();
        for (int range = 0; range < rows.rangeCount(); range++) {
            long start = rows.start(range);
            while (start < rows.end(range)) {
                long end = Math.min(rows.end(range), start + KEY_ROWS);
                part.add(start, end);
                start = end;
                if (part.rowCount() >= KEY_ROWS) {
                    parts.add(part);
                    part = new RowSelection();
                }
            }
        }
        if (!part.isEmpty()) {
            parts.add(part);
        }
        return parts;
    }

    private void setHits(int group, List<BlockBuilder> keyBuilders, LookupHits hits)
            throws IOException
    {
        Block[] keys = new Block[keyChannels.length];
        for (int column = 0; column < keys.length; column++) {
            keys[column] = keyBuilders.get(column).build();
        }
        int partSize = ValueReaders.partSize(hitCount);
        List<Block[]> others = keysOnly ? List.of() : readOthers(group, partSize);
        for (int from = 0; from < hitCount; from += partSize) {
            int count = Math.min(partSize, hitCount - from);
            Block[] blocks = new Block[keysOnly ? keys.length : reader.channelCount()];
            for (int column = 0; column < keys.length; column++) {
                blocks[keyChannels[column]] = keys[column].getRegion(from, count);
            }
            for (int index = 0; !keysOnly && index < otherChannels.length; index++) {
                blocks[otherChannels[index]] = others.get(from / partSize)[index];
            }
            Page page = new Page(count, blocks);
            for (int index = 0; index < count; index++) {
                hits.set(hitProbes[from + index], page, index, file, reader.firstRow(group) + hitRows[from + index]);
            }
        }
    }

    private List<Block[]> readOthers(int group, int partSize)
            throws IOException
    {
        List<RowSelection> parts = new ArrayList<>();
        for (int from = 0; from < hitCount; from += partSize) {
            RowSelection rows = new RowSelection();
            for (int hit = from; hit < Math.min(from + partSize, hitCount); hit++) {
                rows.add(hitRows[hit], hitRows[hit] + 1);
            }
            parts.add(rows);
        }
        return valueReaders.read(group, otherChannels, parts);
    }

    private static int firstAtOrAbove(ProbeKeys probes, int probe, EncodedKeys keys, int start, int last)
    {
        int step = 1;
        int low = start;
        while (low + step <= last && compare(probes, probe, keys, low + step) > 0) {
            low += step;
            step <<= 1;
        }
        int high = Math.min(low + step, last);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compare(probes, probe, keys, middle) > 0) {
                low = middle + 1;
            }
            else {
                high = middle;
            }
        }
        return low;
    }

    private static int compare(ProbeKeys probes, int probe, EncodedKeys keys, int position)
    {
        int result = Long.compareUnsigned(probes.prefix(probe), keys.prefix(position));
        return result != 0 ? result : -keys.compare(position, probes.key(probe));
    }

    @Override
    public void close()
            throws IOException
    {
        try (reader) {
            valueReaders.close();
        }
    }
}
