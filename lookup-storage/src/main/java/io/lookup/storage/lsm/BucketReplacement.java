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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.changelog.ChangelogAssembler;
import io.lookup.storage.changelog.RowEquality;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.MergeFunction;
import io.lookup.storage.merge.MergeFunctions;
import io.lookup.storage.merge.RowReferences;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.merge.SortedMergeReader;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Puts a statement's rows in the place of all that a bucket holds. The new rows lie at the highest level at once, since nothing is left that
 * they would have to be merged with. In a table whose compactions log, the difference between what the log has told of the old rows and the
 * new ones is logged: rows that the log has not told yet vanish without a trace in it. Old and new rows are read once, side by side.
 *
 * <p>Replaces one bucket once. Not thread-safe.
 */
public final class BucketReplacement
{
    private static final int BATCH_GROUPS = 8192;
    // below the level of every file that is there
    private static final int NEW = -1;

    private final BucketCompactor.Services services;
    private final BinaryRow partition;
    private final int bucket;
    private final boolean sameRows;
    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final BucketFiles files;
    private final List<RollingWriter> writers = new ArrayList<>();

    private final KeyGroups inputs = new KeyGroups();
    private final KeyGroups oldRows = new KeyGroups();
    private final KeyGroups newRows = new KeyGroups();
    private final RowReferences befores;
    private final RowReferences afters;
    private final RowReferences output;

    /**
     * @param deletions the bucket's deletion vectors in the snapshot that the old files are of
     * @param sameRows whether the table's rows are only put elsewhere: they have been merged, and there is nothing to log
     */
    public BucketReplacement(BucketCompactor.Services services, BinaryRow partition, int bucket, BucketVectors deletions, boolean sameRows)
    {
        this.services = requireNonNull(services, "services is null");
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
        this.sameRows = sameRows;
        this.layout = KeyValueLayout.ofTable(services.schema(), services.options());
        this.keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
        BucketDeletions bucketDeletions = new BucketDeletions(services.readers().deletionVectors(), services.paths(), partition, bucket, deletions);
        this.files = new BucketFiles(services.readers(), services.schemas(), services.paths(), services.schema(), layout, partition, bucket, bucketDeletions);
        this.befores = new RowReferences(layout);
        this.afters = new RowReferences(layout);
        this.output = new RowReferences(layout);
    }

    /**
     * Whether a table logs what is replaced; where it does not, replacing reads nothing that is there.
     */
    public static boolean isLogged(ChangelogProducer producer)
    {
        return producer != ChangelogProducer.NONE;
    }

    /**
     * @param oldFiles the bucket's live files
     * @param newFiles what takes their place: one sorted run that is in no snapshot, each key once; empty if nothing does
     * @return files that hold the same rows, those of {@code newFiles} at another level, or others
     */
    public Replacement replace(List<DataFileMeta> oldFiles, List<DataFileMeta> newFiles)
            throws IOException
    {
        boolean logs = isLogged(services.options().changelogProducer()) && !sameRows;
        boolean rewrites = needsRewrite(newFiles);
        int maxLevel = services.options().compaction().numLevels() - 1;
        List<DataFileMeta> raised = newFiles.stream().map(file -> file.withLevel(maxLevel)).collect(toImmutableList());
        if (!logs && !rewrites) {
            return new Replacement(raised, ImmutableList.of());
        }
        Levels levels = new Levels(oldFiles, services.options().compaction().numLevels(), keyEncoder);
        LevelTrust trust = LevelTrust.of(services, oldFiles, levels);
        List<DataFileMeta> told = logs ? oldFiles.stream().filter(trust.logged()::isLogged).collect(toImmutableList()) : ImmutableList.of();

        Optional<RollingWriter> dataWriter = rewrites ? Optional.of(open(services.writers().createDataWriter(partition, bucket, maxLevel, FileSource.APPEND))) : Optional.empty();
        Optional<RollingWriter> logWriter = logs ? Optional.of(open(services.writers().createChangelogWriter(partition, bucket, maxLevel))) : Optional.empty();
        write(told, newFiles, trust, dataWriter, logWriter);

        List<DataFileMeta> data = raised;
        if (dataWriter.isPresent()) {
            data = dataWriter.get().finish();
            for (DataFileMeta file : newFiles) {
                services.fileIo().deleteFile(services.paths().dataFile(partition, bucket, file));
            }
        }
        return new Replacement(data, logWriter.isPresent() ? logWriter.get().finish() : ImmutableList.of());
    }

    private RollingWriter open(RollingWriter writer)
    {
        writers.add(writer);
        return writer;
    }

    /**
     * Deletes everything that was written; never throws.
     */
    public void abort()
    {
        writers.forEach(RollingWriter::abort);
    }

    /**
     * Whether the rows have to be other ones at the highest level: deletes have nothing to delete there, and what a table that looks up holds
     * above level 0 has been through its merge function.
     */
    private boolean needsRewrite(List<DataFileMeta> newFiles)
    {
        return newFiles.stream().anyMatch(file -> file.deleteRowCount().orElse(1) > 0)
                || (!sameRows && !newFiles.isEmpty() && services.options().needLookup() && LoneRows.mayChange(services.schema(), services.options()));
    }

    private void write(List<DataFileMeta> oldFiles, List<DataFileMeta> newFiles, LevelTrust trust, Optional<RollingWriter> dataWriter, Optional<RollingWriter> logWriter)
            throws IOException
    {
        ImmutableList.Builder<RunInput> runs = ImmutableList.builder();
        if (!newFiles.isEmpty()) {
            runs.add(new RunInput(files.openAll(newFiles), NEW));
        }
        for (SortedRun run : new Levels(oldFiles, services.options().compaction().numLevels(), keyEncoder).sortedRuns()) {
            runs.add(new RunInput(files.openAll(run.files()), run.level()));
        }
        Optional<RowEquality> equality = services.options().changelogRowDeduplicate() ?
                Optional.of(new RowEquality(layout, services.options().changelogRowDeduplicateIgnoreFields())) :
                Optional.empty();
        ChangelogAssembler changelog = new ChangelogAssembler(layout, equality);
        MergeFunction mergeFunction = MergeFunctions.create(services.schema(), services.options(), layout, trust.complete());
        try (SortedMergeReader reader = new SortedMergeReader(layout, keyEncoder, runs.build())) {
            while (reader.nextBatch(inputs, BATCH_GROUPS)) {
                merge(mergeFunction);
                compare(changelog);
                if (dataWriter.isPresent()) {
                    Page page = output.toPage(index -> RowKind.isAdd(output.kind(index)));
                    if (page.getPositionCount() > 0) {
                        dataWriter.get().write(page);
                    }
                }
                Optional<Page> changes = changelog.takePage();
                if (logWriter.isPresent() && changes.isPresent()) {
                    logWriter.get().write(changes.get());
                }
            }
        }
    }

    private void merge(MergeFunction mergeFunction)
    {
        oldRows.clear();
        newRows.clear();
        befores.clear();
        afters.clear();
        for (int group = 0; group < inputs.groupCount(); group++) {
            addRows(newRows, group, true);
            addRows(oldRows, group, false);
        }
        mergeFunction.mergeAll(oldRows, befores, false);
        mergeFunction.mergeAll(newRows, afters, services.options().needLookup());
    }

    private void addRows(KeyGroups target, int group, boolean isNew)
    {
        if (!has(group, isNew)) {
            return;
        }
        target.beginGroup(inputs, group);
        for (int row = inputs.start(group); row < inputs.end(group); row++) {
            if (isNew == (inputs.level(row) == NEW)) {
                target.addRow(inputs.page(row), inputs.position(row), inputs.level(row));
            }
        }
    }

    private boolean has(int group, boolean isNew)
    {
        for (int row = inputs.start(group); row < inputs.end(group); row++) {
            if (isNew == (inputs.level(row) == NEW)) {
                return true;
            }
        }
        return false;
    }

    private void compare(ChangelogAssembler changelog)
    {
        output.clear();
        int before = 0;
        int after = 0;
        for (int group = 0; group < inputs.groupCount(); group++) {
            boolean existed = has(group, false);
            boolean exists = has(group, true);
            changelog.add(
                    existed ? befores.page(before) : null,
                    existed ? befores.position(before) : 0,
                    exists ? afters.page(after) : null,
                    exists ? afters.position(after) : 0);
            if (existed) {
                before++;
            }
            if (exists) {
                output.add(afters.page(after), afters.position(after));
                after++;
            }
        }
    }

    /**
     * @param data files at the highest level
     * @param changelog empty if the table logs no such changes, or nothing changed
     */
    public record Replacement(List<DataFileMeta> data, List<DataFileMeta> changelog)
    {
        public Replacement
        {
            data = ImmutableList.copyOf(data);
            changelog = ImmutableList.copyOf(changelog);
        }
    }
}
