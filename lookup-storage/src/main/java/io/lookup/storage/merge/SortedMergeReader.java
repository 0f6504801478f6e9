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

import com.google.common.io.Closer;
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
 * A loser tree finds the run with the least key; among equal keys the run that stands later in the list (the older one)
 * comes first, so that among versions that {@link MergeOrder} cannot tell apart the run listed first wins. Where one run
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
    private final RunCursor[] cursors;
    // losers[0] is the winner; losers[1..] the inner nodes of the tree, of which cursor i is leaf i + cursors.length
    private final int[] losers;
    private final boolean repeatedKeys;
    private boolean opened;
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
        int[] keyChannels = layout.keyChannels().stream().mapToInt(Integer::intValue).toArray();
        cursors = runs.stream()
                .map(run -> new RunCursor(run, keyEncoder, keyChannels))
                .toArray(RunCursor[]::new);
        losers = new int[Math.max(cursors.length, 1)];
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
        open();
        target.clear();
        if (isFinished()) {
            return false;
        }
        batchBytes = 0;
        while (target.groupCount() < maxGroups && batchBytes < MAX_BATCH_BYTES && !isFinished()) {
            RunCursor winner = cursors[losers[0]];
            if (winner.freeRows() == 0 && winsInRow >= GALLOP_THRESHOLD && !repeatedKeys) {
                winner.findFreeRows(challenger());
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
        open();
        return isFinished() ? Integer.MIN_VALUE : cursors[losers[0]].level();
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
        open();
        if (isFinished()) {
            return null;
        }
        RunCursor winner = cursors[losers[0]];
        if (winner.freeRows() == 0 && winner.remaining() >= minRows) {
            winner.findFreeRows(challenger());
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
        long bytes = 0;
        for (RunCursor cursor : cursors) {
            bytes += cursor.memoryUsage();
        }
        return bytes;
    }

    @Override
    public void close()
            throws IOException
    {
        try (Closer closer = Closer.create()) {
            for (RunCursor cursor : cursors) {
                closer.register(cursor.pages());
            }
        }
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
        RunCursor winner = cursors[losers[0]];
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
            winner = cursors[losers[0]];
        }
        while (!winner.isFinished() && winner.keyEquals(keys, keyPosition));
        if (rows > 1) {
            target.sortLastGroup(order);
        }
    }

    private boolean isFinished()
    {
        return cursors.length == 0 || cursors[losers[0]].isFinished();
    }

    private void open()
            throws IOException
    {
        if (opened) {
            return;
        }
        opened = true;
        if (cursors.length == 0) {
            return;
        }
        for (RunCursor cursor : cursors) {
            cursor.open();
        }
        losers[0] = build(1);
    }

    private int build(int node)
    {
        if (node >= cursors.length) {
            return node - cursors.length;
        }
        int left = build(2 * node);
        int right = build(2 * node + 1);
        if (precedes(left, right)) {
            losers[node] = right;
            return left;
        }
        losers[node] = left;
        return right;
    }

    /**
     * Restores the tree after the winner has moved on.
     */
    private void replay()
    {
        int previous = losers[0];
        int winner = previous;
        for (int node = (winner + cursors.length) / 2; node > 0; node /= 2) {
            int loser = losers[node];
            if (precedes(loser, winner)) {
                losers[node] = winner;
                winner = loser;
            }
        }
        losers[0] = winner;
        winsInRow = winner == previous ? winsInRow + 1 : 0;
    }

    /**
     * The unfinished run with the least key but for the winner: it has lost against the winner, so it lies on its path.
     */
    private RunCursor challenger()
    {
        int best = -1;
        for (int node = (losers[0] + cursors.length) / 2; node > 0; node /= 2) {
            if (best < 0 || precedes(losers[node], best)) {
                best = losers[node];
            }
        }
        return best < 0 || cursors[best].isFinished() ? null : cursors[best];
    }

    private boolean precedes(int left, int right)
    {
        if (cursors[left].isFinished()) {
            return false;
        }
        if (cursors[right].isFinished()) {
            return true;
        }
        int result = cursors[left].compareKey(cursors[right]);
        // the older run first
        return result == 0 ? left > right : result < 0;
    }
}
