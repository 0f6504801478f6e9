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

import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.RunLengthEncodedBlock;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Several sorted runs merged into the rows that a read sees, each key once, in no order: each run's pages are passed on
 * as they are but for the rows that do not count, so that values move within their page or not at all. Only
 * versions of a key that make a new row together are gathered from several pages.
 */
public final class UnsortedMergePageStream
        implements PageStream
{
    private static final int BATCH_GROUPS = 4096;
    // pages that wait for the other versions of their keys are held in memory
    private static final long MAX_BATCH_BYTES = 32L << 20;

    private final RunTree tree;
    private final MergeOrder order;
    private final MergeFunction mergeFunction;
    private final VersionRule rule;
    private final int[] outputChannels;
    private final ScanCounters counters;
    private final int kindChannel;
    private final DroppedRows[] dropped;
    private final Queue<Page> output = new ArrayDeque<>();
    // versions of one key: runs, oldest first
    private final int[] versions;
    private final KeyGroups groups = new KeyGroups();
    private final RowReferences results;
    private long groupedBytes;

    /**
     * @param runs newest first; closed with this stream
     * @param mergeFunction for the keys with several versions, not used if the rule decides
     * @param outputChannels channels of the layout that are handed out
     * @param counters told how many rows have not become one of their own
     */
    public UnsortedMergePageStream(KeyValueLayout layout, KeyEncoder keyEncoder, List<RunInput> runs, MergeFunction mergeFunction, VersionRule rule, int[] outputChannels, ScanCounters counters)
    {
        this.tree = new RunTree(layout, keyEncoder, runs);
        this.order = new MergeOrder(layout);
        this.mergeFunction = requireNonNull(mergeFunction, "mergeFunction is null");
        this.rule = requireNonNull(rule, "rule is null");
        this.outputChannels = outputChannels.clone();
        this.counters = requireNonNull(counters, "counters is null");
        this.kindChannel = layout.kindChannel();
        this.dropped = Stream.generate(DroppedRows::new).limit(runs.size()).toArray(DroppedRows[]::new);
        this.versions = new int[runs.size()];
        this.results = new RowReferences(layout);
    }

    /**
     * How one of the versions of a key is chosen, if it is one of them.
     */
    public enum VersionRule
    {
        /** The newest one. */
        NEWEST,
        /** The newest one, where of those above level 0 only the one of the lowest level counts. */
        NEWEST_OF_LOWEST_LEVEL,
        /** The merge function makes one of them. */
        MERGED,
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        tree.open();
        while (true) {
            Page page = output.poll();
            if (page != null) {
                return page;
            }
            if (tree.isFinished()) {
                if (groups.groupCount() == 0) {
                    return null;
                }
                mergeGroups();
                continue;
            }
            while (output.isEmpty() && !tree.isFinished()) {
                mergeNext();
            }
        }
    }

    @Override
    public long memoryUsage()
    {
        return tree.memoryUsage() + groupedBytes;
    }

    @Override
    public void close()
            throws IOException
    {
        tree.close();
    }

    private void mergeNext()
            throws IOException
    {
        int alone = tree.winner().countBelow(tree.challenger());
        if (alone > 0) {
            advance(alone);
            return;
        }
        int count = findVersions();
        counters.addSupersededRows(count - 1);
        if (rule == VersionRule.MERGED) {
            addGroup(count);
        }
        else {
            dropAllBut(chosen(count), count);
        }
        for (int version = 0; version < count; version++) {
            // each of them is the least in turn
            advance(1);
        }
        if (groups.groupCount() >= BATCH_GROUPS || groupedBytes >= MAX_BATCH_BYTES) {
            mergeGroups();
        }
    }

    private int findVersions()
    {
        RunCursor winner = tree.winner();
        EncodedKeys keys = winner.keys();
        int keyPosition = winner.position();
        int count = 0;
        for (int run = tree.size() - 1; run >= 0; run--) {
            RunCursor cursor = tree.cursor(run);
            if (!cursor.isFinished() && cursor.keyEquals(keys, keyPosition)) {
                versions[count] = run;
                count++;
            }
        }
        return count;
    }

    private int chosen(int count)
    {
        int lowestLevel = Integer.MAX_VALUE;
        if (rule == VersionRule.NEWEST_OF_LOWEST_LEVEL) {
            for (int version = 0; version < count; version++) {
                int level = tree.cursor(versions[version]).level();
                if (level > 0) {
                    lowestLevel = Math.min(lowestLevel, level);
                }
            }
        }
        int chosen = -1;
        for (int version = 0; version < count; version++) {
            RunCursor candidate = tree.cursor(versions[version]);
            if (candidate.level() > lowestLevel) {
                continue;
            }
            if (chosen < 0) {
                chosen = versions[version];
                continue;
            }
            RunCursor best = tree.cursor(chosen);
            // of those that nothing tells apart, the one of the run listed first
            if (order.compare(best.page(), best.position(), candidate.page(), candidate.position()) <= 0) {
                chosen = versions[version];
            }
        }
        return chosen;
    }

    private void dropAllBut(int chosen, int count)
    {
        for (int version = 0; version < count; version++) {
            int run = versions[version];
            if (run != chosen) {
                dropped[run].add(tree.cursor(run).position());
            }
        }
    }

    private void addGroup(int count)
    {
        RunCursor winner = tree.winner();
        groups.beginGroup(winner.keys(), winner.position());
        for (int version = 0; version < count; version++) {
            int run = versions[version];
            RunCursor cursor = tree.cursor(run);
            groups.addRow(cursor.page(), cursor.position(), cursor.level());
            dropped[run].add(cursor.position());
            if (!dropped[run].grouped) {
                dropped[run].grouped = true;
                groupedBytes += cursor.pageBytes();
            }
        }
        groups.sortLastGroup(order);
    }

    private void mergeGroups()
    {
        mergeFunction.mergeAll(groups, results, false);
        groups.clear();
        Page page = results.toPage(index -> RowKind.isAdd(results.kind(index)));
        results.clear();
        groupedBytes = 0;
        for (DroppedRows rows : dropped) {
            rows.grouped = false;
        }
        if (page.getPositionCount() > 0) {
            output.add(page.getColumns(outputChannels));
        }
    }

    /**
     * Moves the run with the least key on.
     */
    private void advance(int rows)
            throws IOException
    {
        RunCursor cursor = tree.winner();
        if (rows == cursor.remaining()) {
            passOn(cursor.page(), dropped[tree.winnerIndex()]);
        }
        cursor.advance(rows);
        tree.replay();
    }

    private void passOn(Page page, DroppedRows without)
    {
        dropRetracts(page, without);
        int count = page.getPositionCount();
        if (without.count == 0) {
            output.add(page.getColumns(outputChannels));
        }
        else if (without.count < count) {
            int[] retained = without.others(count);
            Block[] blocks = new Block[outputChannels.length];
            for (int channel = 0; channel < blocks.length; channel++) {
                Block block = page.getBlock(outputChannels[channel]);
                // values of a dictionary stay where they are
                blocks[channel] = block instanceof DictionaryBlock ? block.getPositions(retained, 0, retained.length) : block.copyPositions(retained, 0, retained.length);
            }
            output.add(new Page(retained.length, blocks));
        }
        without.clear();
    }

    /**
     * What is left of a key is a row only if it is no retraction.
     */
    private void dropRetracts(Page page, DroppedRows without)
    {
        Block kinds = page.getBlock(kindChannel);
        if (kinds instanceof RunLengthEncodedBlock && RowKind.isAdd(TINYINT.getByte(kinds, 0))) {
            return;
        }
        int count = page.getPositionCount();
        int retracts = 0;
        for (int position = 0; position < count; position++) {
            if (!RowKind.isAdd(TINYINT.getByte(kinds, position))) {
                retracts++;
            }
        }
        if (retracts > 0) {
            without.addAll(position -> !RowKind.isAdd(TINYINT.getByte(kinds, position)), count);
        }
    }
}
