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
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * A loser tree that finds the run with the least key; among equal keys the run that stands later in the list, the older one,
 * comes first. Not thread-safe.
 */
final class RunTree
        implements Closeable
{
    private final RunCursor[] cursors;
    // losers[0] is the winner; losers[1..] the inner nodes of the tree, of which cursor i is leaf i + cursors.length
    private final int[] losers;
    private boolean opened;

    /**
     * @param runs newest first
     */
    RunTree(KeyValueLayout layout, KeyEncoder keyEncoder, List<RunInput> runs)
    {
        int[] keyChannels = layout.keyChannelArray();
        cursors = runs.stream()
                .map(run -> new RunCursor(run, keyEncoder, keyChannels))
                .toArray(RunCursor[]::new);
        losers = new int[Math.max(cursors.length, 1)];
    }

    /**
     * Loads the first pages, at the first call.
     */
    void open()
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

    int size()
    {
        return cursors.length;
    }

    RunCursor cursor(int run)
    {
        return cursors[run];
    }

    boolean isFinished()
    {
        return cursors.length == 0 || cursors[losers[0]].isFinished();
    }

    int winnerIndex()
    {
        return losers[0];
    }

    RunCursor winner()
    {
        return cursors[losers[0]];
    }

    /**
     * The unfinished run with the least key but for the winner, null if there is none: it has lost against the winner, so it
     * lies on its path.
     */
    RunCursor challenger()
    {
        int best = -1;
        for (int node = (losers[0] + cursors.length) / 2; node > 0; node /= 2) {
            if (best < 0 || precedes(losers[node], best)) {
                best = losers[node];
            }
        }
        return best < 0 || cursors[best].isFinished() ? null : cursors[best];
    }

    /**
     * Restores the tree after the winner has moved on.
     *
     * @return whether it is still the winner
     */
    boolean replay()
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
        return winner == previous;
    }

    /**
     * Bytes of the current pages, their encoded keys and what the inputs hold.
     */
    long memoryUsage()
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
