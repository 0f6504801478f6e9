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
import io.airlift.slice.XxHash64;
import io.lookup.storage.format.TableBlockEncodings;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.ProbeKeys;
import io.lookup.storage.lookup.local.BlockCache.Slots;
import io.lookup.storage.lookup.local.LookupFileFormat.Directory;

import java.io.IOException;
import java.util.Arrays;

import static java.util.Objects.requireNonNull;

/**
 * Finds keys in a local lookup file: the filter first, then the block that could hold the key, then the row in it. If the file
 * cannot be read any more, the data file takes its place from the probe at hand on.
 */
final class LocalFileLookup
        implements FileLookup
{
    private static final int NO_BLOCK = -1;
    // the cache hears of one use in 32: enough to tell hot from cold, and a fraction of the time
    private static final int TOUCH_MASK = 31;

    private final LocalFile local;
    private final Directory directory;
    private final Slots slots;
    private final BlockCache cache;
    private final int channelCount;
    private final TableBlockEncodings encodings;
    private final DataFileMeta file;
    private final DeletionVector deleted;
    private final boolean hasDeleted;
    private final Owner owner;
    private final LookupStatistics statistics;

    private final SparseHits sparseHits;
    private int[] blockHits = new int[64];
    private int blockHitCount;
    private LookupBlock block;
    private int blockNumber = NO_BLOCK;
    private long directBytes;
    private int blockUses;
    private FileLookup fallback;
    private boolean closed;

    private long probed;
    private long found;
    private long excluded;
    private long falsePositives;
    private long blockReads;
    private long bytesRead;

    LocalFileLookup(LocalFile local, Directory directory, BlockCache cache, LookupFileId id, DeletionVector deleted, Owner owner, LookupStatistics statistics)
    {
        this.local = requireNonNull(local, "local is null");
        this.directory = requireNonNull(directory, "directory is null");
        this.slots = local.blockSlots();
        this.cache = requireNonNull(cache, "cache is null");
        this.channelCount = id.layout().types().size();
        this.encodings = id.layout().encodings();
        this.file = id.file();
        this.deleted = requireNonNull(deleted, "deleted is null");
        this.hasDeleted = !deleted.isEmpty();
        this.owner = requireNonNull(owner, "owner is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.sparseHits = new SparseHits(id.layout().types());
    }

    @Override
    public void probe(ProbeKeys probes, int from, int to, LookupHits hits)
            throws IOException
    {
        if (fallback != null) {
            fallback.probe(probes, from, to, hits);
            return;
        }
        directBytes = 0;
        int lastBlock = 0;
        int lastRow = 0;
        int probe = from;
        try {
            for (; probe < to; probe++) {
                if (hits.found(probe)) {
                    continue;
                }
                probed++;
                Slice key = probes.key(probe);
                if (!directory.filter().mightContain(XxHash64.hash(key))) {
                    excluded++;
                    continue;
                }
                int number = directory.firstKeys().find(key, lastBlock);
                if (number < 0) {
                    // the block before the first one that begins above the key; its place was found before if it is the last one's
                    number = -number - 2;
                }
                if (number < 0) {
                    falsePositives++;
                    continue;
                }
                if (number != blockNumber) {
                    leaveBlock(hits);
                    loadBlock(number);
                    lastRow = 0;
                }
                else if (number != lastBlock) {
                    lastRow = 0;
                }
                lastBlock = number;
                int row = block.find(key, lastRow);
                if (row < 0) {
                    lastRow = -1 - row;
                    falsePositives++;
                    continue;
                }
                lastRow = row;
                if (hasDeleted && deleted.contains(directory.firstRows()[number] + row)) {
                    continue;
                }
                addBlockHit(probe, row);
            }
            leaveBlock(hits);
            sparseHits.finish(hits, file);
        }
        catch (IOException e) {
            // what was found so far has been checked
            leaveBlock(hits);
            sparseHits.finish(hits, file);
            fallback = owner.fallBack(e);
            fallback.probe(probes, probe, to, hits);
        }
    }

    private void loadBlock(int number)
            throws IOException
    {
        block = null;
        blockNumber = NO_BLOCK;
        LookupBlock loaded = (LookupBlock) slots.get(number);
        blockUses++;
        if (loaded != null) {
            if ((blockUses & TOUCH_MASK) == 0) {
                cache.touch(slots.slot(number));
            }
        }
        else {
            loaded = local.loadBlock(number, directory, channelCount, encodings, cache);
            blockReads++;
            bytesRead += directory.offsets()[number + 1] - directory.offsets()[number];
        }
        block = loaded;
        blockNumber = number;
    }

    private void addBlockHit(int probe, int row)
    {
        if (blockHitCount * 2 == blockHits.length) {
            blockHits = Arrays.copyOf(blockHits, blockHits.length * 2);
        }
        blockHits[blockHitCount * 2] = probe;
        blockHits[blockHitCount * 2 + 1] = row;
        blockHitCount++;
        found++;
    }

    /**
     * A few rows must not keep many blocks in memory that the cache would let go. Copying rows is far slower than finding them, and is done
     * where a batch touches many blocks.
     */
    private void leaveBlock(LookupHits hits)
    {
        if (blockHitCount == 0) {
            return;
        }
        long firstRow = directory.firstRows()[blockNumber];
        boolean direct = blockHitCount >= block.page().getPositionCount() / SparseHits.SHARE;
        if (!direct && directBytes < cache.maxPinnedBytes()) {
            directBytes += block.sizeInBytes();
            direct = true;
        }
        for (int hit = 0; hit < blockHitCount; hit++) {
            int probe = blockHits[hit * 2];
            int row = blockHits[hit * 2 + 1];
            if (direct) {
                hits.set(probe, block.page(), row, file, firstRow + row);
            }
            else {
                sparseHits.add(probe, block.page(), row, firstRow + row);
            }
        }
        blockHitCount = 0;
    }

    @Override
    public void close()
            throws IOException
    {
        if (closed) {
            return;
        }
        closed = true;
        block = null;
        blockNumber = NO_BLOCK;
        statistics.getLocalProbes().update(probed);
        statistics.getLocalHits().update(found);
        statistics.getFilterExclusions().update(excluded);
        statistics.getFilterFalsePositives().update(falsePositives);
        statistics.getBlockReads().update(blockReads);
        statistics.getLocalBytesRead().update(bytesRead);
        try {
            if (fallback != null) {
                fallback.close();
            }
        }
        finally {
            owner.release();
        }
    }

    /**
     * Who handed the lookup out.
     */
    interface Owner
    {
        /**
         * Gives the local file up.
         *
         * @return a lookup in the data file
         */
        FileLookup fallBack(IOException cause)
                throws IOException;

        /**
         * The file is not used any more by this lookup. Called once.
         */
        void release();
    }
}
