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

import io.lookup.storage.changelog.ChangelogAssembler;
import io.lookup.storage.changelog.RowEquality;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.MergeFunction;
import io.lookup.storage.merge.RowReferences;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.merge.SortedMergeReader;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Merges all records of the given keys and logs how the results differ from what the log has told: the changelog of a full
 * compaction. The <i>before</i> of a key is the merge of its told records, the <i>after</i> that of all. Under the
 * full-compaction producer the told record is the one of the highest level; see {@link LoggedFiles} for the rest. A
 * key without an untold record logs nothing.
 */
final class DifferenceRewriter
{
    /** the level of runs that the log has not told; that of told runs is 0 or more */
    static final int UNTOLD = -1;

    private static final int BATCH_GROUPS = 8192;
    // shorter stretches are copied together with their neighbours, so that pages stay of a useful size
    private static final int MIN_STRETCH_ROWS = 512;

    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final MergeFunction mergeFunction;
    private final boolean applyToSingleRows;
    private final boolean logsSameRecord;
    private final ChangelogAssembler changelog;

    private final KeyGroups inputs = new KeyGroups();
    private final KeyGroups told = new KeyGroups();
    private final KeyGroups changed = new KeyGroups();
    private final KeyGroups unchanged = new KeyGroups();
    private final RowReferences befores;
    private final RowReferences afters;
    private final RowReferences unchangedResults;
    private final RowReferences output;

    /**
     * @param applyToSingleRows whether an untold record goes through the merge function although it is its key's only one,
     * as under a table that looks up
     * @param logsSameRecord whether a key that got an untold record is logged as an update although its told record is what
     * remains of it. Not where that is the rule (first-row), nor where untold records may be older than told ones
     */
    DifferenceRewriter(
            KeyValueLayout layout,
            KeyEncoder keyEncoder,
            MergeFunction mergeFunction,
            boolean applyToSingleRows,
            boolean logsSameRecord,
            Optional<RowEquality> equality)
    {
        this.layout = requireNonNull(layout, "layout is null");
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.mergeFunction = requireNonNull(mergeFunction, "mergeFunction is null");
        this.applyToSingleRows = applyToSingleRows;
        this.logsSameRecord = logsSameRecord;
        this.changelog = new ChangelogAssembler(layout, equality);
        this.befores = new RowReferences(layout);
        this.afters = new RowReferences(layout);
        this.unchangedResults = new RowReferences(layout);
        this.output = new RowReferences(layout);
    }

    /**
     * @param runs newest first, those that are not told with the level {@link #UNTOLD}
     * @param dataWriter absent if the one input file moves up as it is
     * @param dropRetracts whether no older record of any key remains that a retract record would have to hide
     */
    void rewrite(List<RunInput> runs, Optional<RollingWriter> dataWriter, RollingWriter changelogWriter, boolean dropRetracts)
            throws IOException
    {
        try (SortedMergeReader reader = new SortedMergeReader(layout, keyEncoder, runs)) {
            while (true) {
                boolean nextIsTold = reader.nextLevel() > UNTOLD;
                Page stretch = nextIsTold ? reader.nextRun(MIN_STRETCH_ROWS) : null;
                if (stretch != null) {
                    writeUnchanged(stretch, dataWriter, dropRetracts);
                    continue;
                }
                if (!reader.nextBatch(inputs, BATCH_GROUPS, nextIsTold ? MIN_STRETCH_ROWS : Integer.MAX_VALUE)) {
                    break;
                }
                merge();
                write(dataWriter, changelogWriter, dropRetracts);
            }
        }
    }

    private void writeUnchanged(Page page, Optional<RollingWriter> dataWriter, boolean dropRetracts)
            throws IOException
    {
        if (dataWriter.isEmpty()) {
            return;
        }
        Block kinds = page.getBlock(layout.kindChannel());
        boolean oneKind = kinds instanceof RunLengthEncodedBlock;
        if (!dropRetracts || (oneKind && RowKind.isAdd(TINYINT.getByte(kinds, 0)))) {
            dataWriter.get().write(page);
            return;
        }
        output.clear();
        output.addRange(page, 0, page.getPositionCount());
        Page kept = output.toPage(index -> RowKind.isAdd(output.kind(index)));
        output.clear();
        if (kept.getPositionCount() > 0) {
            dataWriter.get().write(kept);
        }
    }

    private void merge()
    {
        told.clear();
        changed.clear();
        unchanged.clear();
        befores.clear();
        afters.clear();
        unchangedResults.clear();
        for (int group = 0; group < inputs.groupCount(); group++) {
            if (!isChanged(group)) {
                addRows(unchanged, group, false);
                continue;
            }
            addRows(changed, group, false);
            if (isTold(group)) {
                addRows(told, group, true);
            }
        }
        mergeFunction.mergeAll(told, befores, false);
        mergeFunction.mergeAll(unchanged, unchangedResults, false);
        mergeFunction.mergeAll(changed, afters, applyToSingleRows);
    }

    private void addRows(KeyGroups target, int group, boolean toldOnly)
    {
        target.beginGroup(inputs, group);
        for (int row = inputs.start(group); row < inputs.end(group); row++) {
            if (!toldOnly || inputs.level(row) > UNTOLD) {
                target.addRow(inputs.page(row), inputs.position(row), inputs.level(row));
            }
        }
    }

    private boolean isChanged(int group)
    {
        for (int row = inputs.start(group); row < inputs.end(group); row++) {
            if (inputs.level(row) <= UNTOLD) {
                return true;
            }
        }
        return false;
    }

    private boolean isTold(int group)
    {
        for (int row = inputs.start(group); row < inputs.end(group); row++) {
            if (inputs.level(row) > UNTOLD) {
                return true;
            }
        }
        return false;
    }

    private void write(Optional<RollingWriter> dataWriter, RollingWriter changelogWriter, boolean dropRetracts)
            throws IOException
    {
        output.clear();
        int before = 0;
        int after = 0;
        int same = 0;
        for (int group = 0; group < inputs.groupCount(); group++) {
            if (!isChanged(group)) {
                output.add(unchangedResults.page(same), unchangedResults.position(same));
                same++;
                continue;
            }
            if (isTold(group)) {
                if (logsSameRecord || !isSameRecord(befores, before, afters, after)) {
                    changelog.add(befores.page(before), befores.position(before), afters.page(after), afters.position(after));
                }
                before++;
            }
            else {
                changelog.add(null, 0, afters.page(after), afters.position(after));
            }
            output.add(afters.page(after), afters.position(after));
            after++;
        }
        if (dataWriter.isPresent()) {
            Page page = dropRetracts ? output.toPage(index -> RowKind.isAdd(output.kind(index))) : output.toPage();
            if (page.getPositionCount() > 0) {
                dataWriter.get().write(page);
            }
        }
        Optional<Page> changes = changelog.takePage();
        if (changes.isPresent()) {
            changelogWriter.write(changes.get());
        }
    }

    private static boolean isSameRecord(RowReferences left, int leftIndex, RowReferences right, int rightIndex)
    {
        return left.page(leftIndex) == right.page(rightIndex) && left.position(leftIndex) == right.position(rightIndex);
    }
}
