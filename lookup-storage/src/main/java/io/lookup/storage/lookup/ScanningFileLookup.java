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
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.trino.spi.Page;
import io.trino.spi.block.Block;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;

import static io.trino.spi.type.BigintType.BIGINT;
import static java.util.Objects.requireNonNull;

/**
 * One forward merge of the probes with the file's rows. Pages without a probe in their key range cost the encoding of
 * two keys; the probes are found in the others by galloping.
 */
final class ScanningFileLookup
        implements FileLookup
{
    private static final int SPARSE_HITS = 4;

    private final PageStream pages;
    private final KeyEncoder keyEncoder;
    private final int[] keyChannels;
    private final DataFileMeta file;
    private final boolean withPositions;

    // hits in the current page, as probe indexes; few rows must not keep a whole page of rows in memory
    private int[] pageHits = new int[64];
    private int pageHitCount;
    private Page page;
    private Block rowPositions;
    private EncodedKeys keys;
    private int position;
    private boolean finished;

    /**
     * @param pages rows of the file, ascending by key
     * @param withPositions whether the last channel is the row's position in the file
     */
    ScanningFileLookup(PageStream pages, KeyEncoder keyEncoder, int[] keyChannels, DataFileMeta file, boolean withPositions)
    {
        this.pages = requireNonNull(pages, "pages is null");
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.keyChannels = requireNonNull(keyChannels, "keyChannels is null");
        this.file = requireNonNull(file, "file is null");
        this.withPositions = withPositions;
    }

    @Override
    public void probe(ProbeKeys probes, int from, int to, LookupHits hits)
            throws IOException
    {
        int probe = from;
        while (probe < to) {
            if (hits.found(probe)) {
                probe++;
                continue;
            }
            if (!loadPage()) {
                break;
            }
            int last = page.getPositionCount() - 1;
            if (compareToPage(probes, probe, last) > 0) {
                compactHits(hits);
                page = null;
                continue;
            }
            position = firstAtOrAbove(probes, probe, position, last);
            if (compareToPage(probes, probe, position) == 0) {
                hits.set(probe, page, position, file, withPositions ? BIGINT.getLong(rowPositions, position) : -1);
                addPageHit(probe);
            }
            probe++;
        }
        compactHits(hits);
    }

    private void addPageHit(int probe)
    {
        if (pageHitCount == pageHits.length) {
            pageHits = Arrays.copyOf(pageHits, pageHitCount * 2);
        }
        pageHits[pageHitCount] = probe;
        pageHitCount++;
    }

    private void compactHits(LookupHits hits)
    {
        if (pageHitCount > 0 && pageHitCount < page.getPositionCount() / SPARSE_HITS) {
            int[] positions = new int[pageHitCount];
            for (int index = 0; index < pageHitCount; index++) {
                positions[index] = hits.position(pageHits[index]);
            }
            Page copy = page.copyPositions(positions, 0, pageHitCount);
            for (int index = 0; index < pageHitCount; index++) {
                hits.move(pageHits[index], copy, index);
            }
        }
        pageHitCount = 0;
    }

    private boolean loadPage()
            throws IOException
    {
        if (page != null) {
            return true;
        }
        if (finished) {
            return false;
        }
        page = pages.nextPage();
        if (page == null) {
            finished = true;
            keys = null;
            rowPositions = null;
            return false;
        }
        if (withPositions) {
            int last = page.getChannelCount() - 1;
            rowPositions = page.getBlock(last);
            page = page.getColumns(IntStream.range(0, last).toArray());
        }
        keys = keyEncoder.encode(page, keyChannels);
        position = 0;
        return true;
    }

    private int firstAtOrAbove(ProbeKeys probes, int probe, int start, int last)
    {
        // gallop: probes are usually near each other
        int step = 1;
        int low = start;
        while (low + step <= last && compareToPage(probes, probe, low + step) > 0) {
            low += step;
            step <<= 1;
        }
        int high = Math.min(low + step, last);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compareToPage(probes, probe, middle) > 0) {
                low = middle + 1;
            }
            else {
                high = middle;
            }
        }
        return low;
    }

    private int compareToPage(ProbeKeys probes, int probe, int pagePosition)
    {
        int result = Long.compareUnsigned(probes.prefix(probe), keys.prefix(pagePosition));
        if (result != 0) {
            return result;
        }
        return -keys.compare(pagePosition, probes.key(probe));
    }

    @Override
    public void close()
            throws IOException
    {
        page = null;
        rowPositions = null;
        keys = null;
        finished = true;
        pages.close();
    }
}
