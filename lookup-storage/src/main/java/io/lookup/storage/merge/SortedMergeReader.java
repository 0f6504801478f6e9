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
package io.lookup.storage.merge;

import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.trino.spi.Page;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

import static com.google.common.base.Preconditions.checkState;

/**
 * Merges sorted runs into groups of rows with one key, in ascending key order, versions of a key oldest first.
 * <p>
 * Among equal keys the run that stands later in the list (the older one) comes first, so that among versions that {@link MergeOrder} cannot tell apart the run listed first wins. Where one run
 * lies alone for a while, the merge gallops to the end of that stretch, hands its rows over without comparing keys, and
 * {@link #nextRun} passes it on as a piece of a page. Not thread-safe.
 */
public final class SortedMergeReader
        implements Closeable
{
    // wins in a row after which looking for the end of a stretch pays
    private static final int GALLOP_THRESHOLD = 4;
    // what a batch of wide rows refers to is copied into one page, and held in memory meanwhile
    private static final long MAX_BATCH_BYTES = 32L << 20;

    private final MergeOrder order;
    private final RunTree tree;
    private final boolean repeatedKeys;
    private int winsInRow;
    private long batchBytes;

    /**
     * @param runs newest first
     */
    public SortedMergeReader(KeyValueLayout layout, KeyEncoder keyEncoder, List<RunInput> runs)
    {
        this(layout, keyEncoder, runs, false);
    }

    /**
     * @param repeatedKeys whether a run may hold several versions of a key, in merge order. Then {@link #nextBatch} hands out
     * groups of one key all the same, but {@link #nextRun} must not be used
     */
    public SortedMergeReader(KeyValueLayout layout, KeyEncoder keyEncoder, List<RunInput> runs, boolean repeatedKeys)
    {
        this.repeatedKeys = repeatedKeys;
        order = new MergeOrder(layout);
        tree = new RunTree(layout, keyEncoder, runs);
    }

    /**
     * Replaces the target's content with the next keys and their versions: at most {@code maxGroups} keys, and fewer
     * where rows are so wide that their size is the bound.
     *
     * @return false at the end, with the target empty
     */
    public boolean nextBatch(KeyGroups target, int maxGroups)
            throws IOException
    {
        return nextBatch(target, maxGroups, Integer.MAX_VALUE);
    }

    /**
     * As {@link #nextBatch(KeyGroups, int)}, but stops, possibly with an empty target, before a stretch of at least
     * {@code minRunRows} rows that {@link #nextRun} would pass on.
     *
     * @return false at the end, with the target empty
     */
    public boolean nextBatch(KeyGroups target, int maxGroups, int minRunRows)
            throws IOException
    {
        tree.open();
        target.clear();
        if (tree.isFinished()) {
            return false;
        }
        batchBytes = 0;
        while (target.groupCount() < maxGroups && batchBytes < MAX_BATCH_BYTES && !tree.isFinished()) {
            RunCursor winner = tree.winner();
            if (winner.freeRows() == 0 && winsInRow >= GALLOP_THRESHOLD && !repeatedKeys) {
                winner.findFreeRows(tree.challenger());
            }
            int freeRows = winner.freeRows();
            if (freeRows == 0) {
                addGroup(target);
                continue;
            }
            if (freeRows >= minRunRows) {
                return true;
            }
            long rowsThatFit = (MAX_BATCH_BYTES - batchBytes) / winner.rowBytes() + 1;
            addLoneRows(target, winner, (int) Math.min(Math.min(freeRows, maxGroups - target.groupCount()), rowsThatFit));
        }
        return true;
    }

    /**
     * Level of the run whose row comes next, {@link Integer#MIN_VALUE} at the end. Of several runs with the next key it is
     * that of the one listed last.
     */
    public int nextLevel()
            throws IOException
    {
        tree.open();
        return tree.isFinished() ? Integer.MIN_VALUE : tree.winner().level();
    }

    /**
     * The next rows as a piece of one run's page, if no other run has a row between them: each is its key's only version.
     *
     * @return null if fewer than {@code minRows} such rows come next, or at the end
     */
    public Page nextRun(int minRows)
            throws IOException
    {
        checkState(!repeatedKeys, "rows of a run may have the same key");
        tree.open();
        if (tree.isFinished()) {
            return null;
        }
        RunCursor winner = tree.winner();
        if (winner.freeRows() == 0 && winner.remaining() >= minRows) {
            winner.findFreeRows(tree.challenger());
        }
        int rows = winner.freeRows();
        if (rows == 0 || rows < minRows) {
            return null;
        }
        Page run = winner.page().getRegion(winner.position(), rows);
        winner.advance(rows);
        replay();
        return run;
    }

    /**
     * Bytes of the current pages, their encoded keys and what the inputs hold.
     */
    public long memoryUsage()
    {
        return tree.memoryUsage();
    }

    @Override
    public void close()
            throws IOException
    {
        tree.close();
    }

    private void addLoneRows(KeyGroups target, RunCursor winner, int rows)
            throws IOException
    {
        for (int i = 0; i < rows; i++) {
            target.beginGroup(winner.keys(), winner.position() + i);
            target.addRow(winner.page(), winner.position() + i, winner.level());
        }
        batchBytes += rows * winner.rowBytes();
        winner.advance(rows);
        replay();
    }

    private void addGroup(KeyGroups target)
            throws IOException
    {
        RunCursor winner = tree.winner();
        EncodedKeys keys = winner.keys();
        int keyPosition = winner.position();
        target.beginGroup(keys, keyPosition);
        int rows = 0;
        do {
            target.addRow(winner.page(), winner.position(), winner.level());
            rows++;
            batchBytes += winner.rowBytes();
            winner.advance(1);
            replay();
            winner = tree.winner();
        }
        while (!winner.isFinished() && winner.keyEquals(keys, keyPosition));
        if (rows > 1) {
            target.sortLastGroup(order);
        }
    }

    private void replay()
    {
        winsInRow = tree.replay() ? winsInRow + 1 : 0;
    }
}
