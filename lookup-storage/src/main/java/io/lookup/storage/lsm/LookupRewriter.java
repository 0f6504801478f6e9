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
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.ProbeKeys;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.MergeFunction;
import io.lookup.storage.merge.MergeOrder;
import io.lookup.storage.merge.RowReferences;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.merge.SortedMergeReader;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Merges sorted runs that contain level 0 under a table that looks up. For each key the <i>before</i> is the record of
 * the lowest level above 0, among the inputs or, if they have none, found by lookup above the output level. The
 * <i>after</i> is that record merged with the key's level-0 records. Older records above are already part of
 * the before and are left out. Keys without a level-0 record keep their record and log nothing. Where a record above
 * level 0 may be less than its key's state, {@link DifferenceRewriter} is the one to use.
 *
 * <p>Work goes in batches of keys, so that lookups are probed in sorted order and results are copied by column.
 */
final class LookupRewriter
{
    private static final int BATCH_GROUPS = 8192;
    private static final int NOT_PROBED = -1;

    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final MergeFunction mergeFunction;
    private final MergeOrder mergeOrder;
    private final PreviousRows previous;
    private final boolean firstRow;
    private final ChangelogAssembler changelog;
    private final Optional<BucketDeletions> deletions;

    private final KeyGroups inputs = new KeyGroups();
    private final KeyGroups changed = new KeyGroups();
    private final ProbeKeys probes = new ProbeKeys();
    private final LookupHits hits = new LookupHits();
    private final RowReferences befores;
    private final RowReferences afters;
    private final RowReferences output;

    private int[] probeOfGroup = new int[BATCH_GROUPS];
    private boolean[] hasBefore = new boolean[BATCH_GROUPS];

    /**
     * @param firstRow whether the row that was there first stays, so that its keys are all that the lookup has to find
     * @param deletions where records that were looked up are marked as deleted, since what they are merged into takes
     * their place; the lookup gives their positions then
     */
    LookupRewriter(
            KeyValueLayout layout,
            KeyEncoder keyEncoder,
            MergeFunction mergeFunction,
            PreviousRows previous,
            boolean firstRow,
            Optional<RowEquality> equality,
            Optional<BucketDeletions> deletions)
    {
        this.layout = requireNonNull(layout, "layout is null");
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.mergeFunction = requireNonNull(mergeFunction, "mergeFunction is null");
        this.mergeOrder = new MergeOrder(layout);
        this.previous = requireNonNull(previous, "previous is null");
        this.firstRow = firstRow;
        this.changelog = new ChangelogAssembler(layout, equality);
        this.deletions = requireNonNull(deletions, "deletions is null");
        this.befores = new RowReferences(layout);
        this.afters = new RowReferences(layout);
        this.output = new RowReferences(layout);
    }

    /**
     * @param dataWriter absent if the one input file moves up as it is
     * @param changelogWriter absent if the table has no changelog
     * @param dropRetracts whether no older record of any key remains that a retract record would have to hide
     */
    void rewrite(List<RunInput> runs, Optional<RollingWriter> dataWriter, Optional<RollingWriter> changelogWriter, boolean dropRetracts)
            throws IOException
    {
        try (SortedMergeReader reader = new SortedMergeReader(layout, keyEncoder, runs)) {
            while (reader.nextBatch(inputs, BATCH_GROUPS)) {
                findBefores();
                mergeAfters();
                write(dataWriter, changelogWriter, dropRetracts);
            }
        }
    }

    private void findBefores()
            throws IOException
    {
        if (probeOfGroup.length < inputs.groupCount()) {
            probeOfGroup = new int[inputs.groupCount()];
            hasBefore = new boolean[inputs.groupCount()];
        }
        probes.clear();
        for (int group = 0; group < inputs.groupCount(); group++) {
            probeOfGroup[group] = NOT_PROBED;
            if (!previous.isEmpty() && lowestLevelRow(group) < 0) {
                probeOfGroup[group] = probes.count();
                int row = inputs.start(group);
                probes.add(inputs.keyPrefix(group), inputs.key(group), inputs.page(row), inputs.position(row));
            }
        }
        if (probes.count() > 0) {
            previous.find(probes, hits);
        }
        for (int probe = 0; deletions.isPresent() && probe < probes.count(); probe++) {
            if (hits.found(probe)) {
                deletions.get().mark(hits.fileName(probe), hits.rowPosition(probe));
            }
        }
    }

    private void mergeAfters()
    {
        changed.clear();
        befores.clear();
        afters.clear();
        for (int group = 0; group < inputs.groupCount(); group++) {
            if (hasLevel0(group) && !comesTooLate(group)) {
                addGroup(group);
            }
        }
        mergeFunction.mergeAll(changed, afters, true);
    }

    private void addGroup(int group)
    {
        changed.beginGroup(inputs, group);
        Page beforePage = null;
        int beforePosition = 0;
        int beforeLevel = 0;
        int lowest = lowestLevelRow(group);
        int probe = probeOfGroup[group];
        if (lowest >= 0) {
            beforePage = inputs.page(lowest);
            beforePosition = inputs.position(lowest);
            beforeLevel = inputs.level(lowest);
        }
        else if (probe != NOT_PROBED && hits.found(probe)) {
            beforePage = hits.page(probe);
            beforePosition = hits.position(probe);
            beforeLevel = hits.level(probe);
        }
        hasBefore[group] = beforePage != null;
        boolean pending = beforePage != null;
        if (pending) {
            befores.add(beforePage, beforePosition);
        }
        for (int row = inputs.start(group); row < inputs.end(group); row++) {
            if (inputs.level(row) > 0) {
                continue;
            }
            // usually the before is older, but a sequence field can say otherwise
            if (pending && mergeOrder.compare(beforePage, beforePosition, inputs.page(row), inputs.position(row)) <= 0) {
                changed.addRow(beforePage, beforePosition, beforeLevel);
                pending = false;
            }
            changed.addRow(inputs.page(row), inputs.position(row), 0);
        }
        if (pending) {
            changed.addRow(beforePage, beforePosition, beforeLevel);
        }
    }

    private void write(Optional<RollingWriter> dataWriter, Optional<RollingWriter> changelogWriter, boolean dropRetracts)
            throws IOException
    {
        output.clear();
        boolean logs = changelogWriter.isPresent();
        int before = 0;
        int after = 0;
        for (int group = 0; group < inputs.groupCount(); group++) {
            if (!hasLevel0(group)) {
                int row = lowestLevelRow(group);
                output.add(inputs.page(row), inputs.position(row));
                continue;
            }
            if (comesTooLate(group)) {
                continue;
            }
            if (hasBefore[group]) {
                if (logs && !firstRow) {
                    changelog.add(befores.page(before), befores.position(before), afters.page(after), afters.position(after));
                }
                before++;
            }
            else if (logs) {
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
        if (changelogWriter.isPresent()) {
            Optional<Page> changes = changelog.takePage();
            if (changes.isPresent()) {
                changelogWriter.get().write(changes.get());
            }
        }
    }

    /**
     * Whether the first row of the key lies above the output level, and stays there.
     */
    private boolean comesTooLate(int group)
    {
        return firstRow && probeOfGroup[group] != NOT_PROBED && hits.found(probeOfGroup[group]);
    }

    private int lowestLevelRow(int group)
    {
        int lowest = -1;
        for (int row = inputs.start(group); row < inputs.end(group); row++) {
            if (inputs.level(row) > 0 && (lowest < 0 || inputs.level(row) < inputs.level(lowest))) {
                lowest = row;
            }
        }
        return lowest;
    }

    private boolean hasLevel0(int group)
    {
        for (int row = inputs.start(group); row < inputs.end(group); row++) {
            if (inputs.level(row) <= 0) {
                return true;
            }
        }
        return false;
    }
}
