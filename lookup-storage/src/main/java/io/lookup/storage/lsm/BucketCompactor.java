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
import io.lookup.storage.changelog.RowEquality;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.deletion.DeletionVectorWriter;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lookup.KeyLookup;
import io.lookup.storage.lookup.LookupResources;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.merge.MergeFunction;
import io.lookup.storage.merge.MergeFunctions;
import io.lookup.storage.merge.MergingPageStream;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.CoreOptions.LookupCompactMode;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;

import java.io.IOException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.partitioningBy;

/**
 * Compacts one bucket: picks, and runs what was picked. Under a table that looks up, whatever leaves level 0 is merged
 * with what lies above it, so that each record at level 1 and up is its key's complete state; see
 * {@link LevelCompleteness} for when that can be relied on.
 */
public final class BucketCompactor
        implements BucketCompaction
{
    private final Services services;
    private final BinaryRow partition;
    private final int bucket;
    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final BucketDeletions deletions;
    private final BucketFiles files;
    private final BucketLookupFiles lookupFiles;

    /**
     * @param deletions the bucket's deletion vectors in the snapshot that the live files are of
     */
    public BucketCompactor(Services services, BinaryRow partition, int bucket, BucketVectors deletions)
    {
        this.services = requireNonNull(services, "services is null");
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
        this.layout = KeyValueLayout.ofTable(services.schema(), services.options());
        this.keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
        this.deletions = new BucketDeletions(services.readers().deletionVectors(), services.paths(), partition, bucket, deletions);
        this.files = new BucketFiles(services.readers(), services.schemas(), services.paths(), services.schema(), layout, partition, bucket, this.deletions);
        this.lookupFiles = new BucketLookupFiles(services.lookupFiles(), services.fileIo(), services.paths(), services.options(), layout, keyEncoder, partition, bucket);
    }

    /**
     * Runs the one compaction of this compactor.
     *
     * @param liveFiles all files of the bucket, those of the running statement included
     * @param full whether everything goes to the highest level, instead of what the strategy picks
     * @return empty if there is nothing to do
     */
    @Override
    public Optional<CompactionResult> compact(List<DataFileMeta> liveFiles, boolean full)
            throws IOException
    {
        return compact(liveFiles, full, KnownRows.none(layout));
    }

    /**
     * As {@link #compact(List, boolean)}, by a statement that has read some rows.
     *
     * @param known rows of the live files without those of the running statement, none of which is at level 0
     */
    public Optional<CompactionResult> compact(List<DataFileMeta> liveFiles, boolean full, KnownRows known)
            throws IOException
    {
        Levels levels = new Levels(liveFiles, services.options().compaction().numLevels(), keyEncoder);
        lookupFiles.retain(liveFiles);
        LevelTrust trust = LevelTrust.of(services, liveFiles, levels);
        CompactionPicker picker = full || trust.mergesAll() ? new FullCompaction(deletions::has) : picker(levels);
        Optional<CompactionUnit> unit = picker.pick(levels.numberOfLevels(), levels.sortedRuns());
        if (unit.isPresent() && !services.options().needLookup() && unit.get().files().size() < liveFiles.size() && !PartialMerges.areExact(services.options())) {
            unit = new FullCompaction(deletions::has).pick(levels.numberOfLevels(), levels.sortedRuns());
        }
        if (unit.isEmpty()) {
            return Optional.empty();
        }
        CompactionUnit picked = unit.get();
        CompactionResult result = services.listener().listenTo(() -> run(picked, levels, trust, full, known));
        return result.isEmpty() ? Optional.empty() : Optional.of(result);
    }

    @Override
    public void deleteOutput(CompactionResult result)
    {
        AbandonedOutput.delete(services, partition, bucket, result);
    }

    private CompactionResult run(CompactionUnit unit, Levels levels, LevelTrust trust, boolean full, KnownRows known)
            throws IOException
    {
        CompactionPlan plan = plan(unit, levels, trust, full);
        CompactionOutput output = new CompactionOutput();
        try (PreviousRows previous = previousRows(unit, levels, known)) {
            for (CompactionPlan.Step step : plan.steps()) {
                switch (step) {
                    case CompactionPlan.Rewrite rewrite -> {
                        output.deleted(rewrite.files());
                        rewrite.files().forEach(deletions::rewritten);
                        if (rewrite.changelog() || trust.mergesAll()) {
                            rewriteWithChangelog(rewrite.sections(), unit.outputLevel(), true, plan.dropDelete(), trust, previous, output);
                        }
                        else {
                            rewritePlainly(rewrite.sections(), unit.outputLevel(), plan.dropDelete(), output);
                        }
                    }
                    case CompactionPlan.Upgrade upgrade -> {
                        DataFileMeta file = upgrade.file();
                        List<List<SortedRun>> sections = ImmutableList.of(ImmutableList.of(SortedRun.of(file)));
                        output.deleted(ImmutableList.of(file));
                        switch (upgrade.strategy()) {
                            case NO_CHANGELOG_NO_REWRITE -> output.upgraded(file.withLevel(unit.outputLevel()));
                            case CHANGELOG_NO_REWRITE -> {
                                Optional<DataFileMeta> copy = copyToChangelog(file, unit.outputLevel(), trust, previous);
                                if (copy.isPresent()) {
                                    output.copiedChangelog(copy.get());
                                }
                                else if (logsChanges() || services.options().deletionVectorsEnabled()) {
                                    rewriteWithChangelog(sections, unit.outputLevel(), false, plan.dropDelete(), trust, previous, output);
                                }
                                output.upgraded(file.withLevel(unit.outputLevel()));
                            }
                            case CHANGELOG_WITH_REWRITE -> {
                                deletions.rewritten(file);
                                rewriteWithChangelog(sections, unit.outputLevel(), true, plan.dropDelete(), trust, previous, output);
                            }
                        }
                    }
                }
            }
            CompactionResult result = output.result();
            return result.withIndexChanges(deletions.write(levels.allFiles(), services.deletionVectorWriter()));
        }
        catch (IOException | RuntimeException e) {
            output.abort();
            deleteOutput(output.result());
            throw e;
        }
    }

    private CompactionPicker picker(Levels levels)
    {
        CoreOptions options = services.options();
        LocalDateTime now = LocalDateTime.now(ZoneId.systemDefault());
        UniversalCompaction universal = new UniversalCompaction(
                UniversalCompaction.Settings.create(options, now.getHour()),
                EarlyFullCompaction.create(options, EarlyFullCompaction.sinceLastFull(levels, now)),
                RunSizes::bytesOrRowsIfTiny);
        if (options.needLookup() && options.lookupCompact() == LookupCompactMode.GENTLE) {
            // every commit that passed level 0 over has left a file there
            return ForceLevel0Compaction.gentle(universal, options.compaction().lookupMaxInterval(), levels.level0().size());
        }
        return options.needLookup() || options.compaction().forceUpLevel0() ? ForceLevel0Compaction.radical(universal) : universal;
    }

    private CompactionPlan plan(CompactionUnit unit, Levels levels, LevelTrust trust, boolean full)
    {
        boolean loneRowsChange = services.options().needLookup() && LoneRows.mayChange(services.schema(), services.options());
        return CompactionPlan.create(
                unit,
                levels,
                keyEncoder,
                services.options().targetFileSizeBytes(),
                UpgradeRule.create(services.options()),
                // where the level of a record does not say what it is, none of them may stay as it is
                file -> trust.mergesAll() || (loneRowsChange && file.level() == 0) || (full && deletions.has(file)));
    }

    private PreviousRows previousRows(CompactionUnit unit, Levels levels, KnownRows known)
    {
        ImmutableList.Builder<List<DataFileMeta>> builder = ImmutableList.builder();
        for (int level = unit.outputLevel() + 1; level <= levels.maxLevel(); level++) {
            builder.add(levels.level(level).files());
        }
        List<List<DataFileMeta>> higher = builder.build();
        long probes = unit.files().stream()
                .filter(file -> file.level() == 0)
                .mapToLong(DataFileMeta::rowCount)
                .sum();
        long unknown = Math.max(0, probes - known.count());
        if (services.options().mergeEngine() == MergeEngine.FIRST_ROW) {
            // what the old row is does not matter
            return new PreviousRows(known, KeyLookup.ofKeys(layout, keyEncoder, higher, files.keys(lookupFiles), unknown, services.lookups()), Optional.empty());
        }
        if (services.options().deletionVectorsEnabled()) {
            KeyLookup lookup = KeyLookup.withPositions(layout, keyEncoder, higher, files.rows(true, lookupFiles), unknown, services.lookups());
            return new PreviousRows(known, lookup, known.isEmpty() ?
                    Optional.empty() :
                    Optional.of(KeyLookup.ofPositions(layout, keyEncoder, higher, files.positions(lookupFiles), probes, services.lookups())));
        }
        return new PreviousRows(known, new KeyLookup(layout, keyEncoder, higher, files.rows(false, lookupFiles), unknown, services.lookups()), Optional.empty());
    }

    private void rewritePlainly(List<List<SortedRun>> sections, int outputLevel, boolean dropDelete, CompactionOutput output)
            throws IOException
    {
        RollingWriter writer = output.open(services.writers().createDataWriter(partition, bucket, outputLevel, FileSource.COMPACT, lookupFiles.feed(outputLevel)));
        for (List<SortedRun> section : sections) {
            try (MergingPageStream pages = new MergingPageStream(layout, keyEncoder, runs(section), mergeFunction(true), dropDelete)) {
                for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                    writer.write(page);
                }
            }
        }
        output.finishData(writer);
    }

    private void rewriteWithChangelog(
            List<List<SortedRun>> sections,
            int outputLevel,
            boolean writeData,
            boolean dropDelete,
            LevelTrust trust,
            PreviousRows previous,
            CompactionOutput output)
            throws IOException
    {
        Optional<RollingWriter> dataWriter = Optional.empty();
        if (writeData) {
            dataWriter = Optional.of(output.open(services.writers().createDataWriter(partition, bucket, outputLevel, FileSource.COMPACT, lookupFiles.feed(outputLevel))));
        }
        RollingWriter changelogWriter = output.open(services.writers().createChangelogWriter(partition, bucket, outputLevel));
        boolean lookup = services.options().needLookup();
        boolean firstRow = services.options().mergeEngine() == MergeEngine.FIRST_ROW;
        if (trust.mergesAll() || !lookup) {
            DifferenceRewriter rewriter = new DifferenceRewriter(layout, keyEncoder, mergeFunction(trust.complete()), lookup, trust.settled() && !firstRow, rowEquality());
            for (List<SortedRun> section : sections) {
                rewriter.rewrite(runs(section, trust.logged()), dataWriter, changelogWriter, dropDelete);
            }
        }
        else {
            Optional<BucketDeletions> marks = services.options().deletionVectorsEnabled() ? Optional.of(deletions) : Optional.empty();
            LookupRewriter rewriter = new LookupRewriter(layout, keyEncoder, mergeFunction(true), previous, firstRow, rowEquality(), marks);
            for (List<SortedRun> section : sections) {
                rewriter.rewrite(runs(section), dataWriter, logsChanges() ? Optional.of(changelogWriter) : Optional.empty(), dropDelete);
            }
        }
        if (dataWriter.isPresent()) {
            output.finishData(dataWriter.get());
        }
        output.finishChangelog(changelogWriter);
    }

    /**
     * Deletion vectors, first-row and force-lookup look up whatever the producer.
     */
    private boolean logsChanges()
    {
        return services.options().changelogProducer() == ChangelogProducer.LOOKUP
                || services.options().changelogProducer() == ChangelogProducer.FULL_COMPACTION;
    }

    /**
     * Where no key of a file that moves up existed before, and each of its rows is an insert, its rows are what changed,
     * and its bytes are the changelog file.
     */
    private Optional<DataFileMeta> copyToChangelog(DataFileMeta file, int outputLevel, LevelTrust trust, PreviousRows previous)
            throws IOException
    {
        CoreOptions options = services.options();
        // where lone records go through the merge function, other engines may make other records of them
        boolean rowsStay = switch (options.changelogProducer()) {
            case LOOKUP -> options.mergeEngine() == MergeEngine.DEDUPLICATE || options.mergeEngine() == MergeEngine.FIRST_ROW;
            case FULL_COMPACTION -> !options.needLookup();
            case NONE, INPUT -> false;
        };
        if (!rowsStay
                || trust.mergesAll()
                || trust.logged().isLogged(file)
                || previous.overlaps(file)
                || !files.hasOnlyInserts(file)) {
            return Optional.empty();
        }
        return services.writers().copyToChangelog(partition, bucket, file, outputLevel);
    }

    private MergeFunction mergeFunction(boolean completeLevels)
    {
        return MergeFunctions.create(services.schema(), services.options(), layout, completeLevels);
    }

    private Optional<RowEquality> rowEquality()
    {
        return services.options().changelogRowDeduplicate()
                ? Optional.of(new RowEquality(layout, services.options().changelogRowDeduplicateIgnoreFields()))
                : Optional.empty();
    }

    /**
     * Runs of a section by level: the fewest runs that a section could be cut into mix levels, and a record's level
     * matters here.
     */
    private List<RunInput> runs(List<SortedRun> section)
    {
        List<DataFileMeta> sectionFiles = section.stream()
                .flatMap(run -> run.files().stream())
                .collect(toImmutableList());
        return new Levels(sectionFiles, services.options().compaction().numLevels(), keyEncoder).sortedRuns().stream()
                .map(run -> new RunInput(files.openAll(run.files()), run.level()))
                .collect(toImmutableList());
    }

    /**
     * As {@link #runs(List)}, with what the log has not told apart from the rest.
     */
    private List<RunInput> runs(List<SortedRun> section, LoggedFiles logged)
    {
        List<DataFileMeta> sectionFiles = section.stream()
                .flatMap(run -> run.files().stream())
                .collect(toImmutableList());
        ImmutableList.Builder<RunInput> inputs = ImmutableList.builder();
        for (SortedRun run : new Levels(sectionFiles, services.options().compaction().numLevels(), keyEncoder).sortedRuns()) {
            Map<Boolean, List<DataFileMeta>> byLogged = run.files().stream().collect(partitioningBy(logged::isLogged));
            if (!byLogged.get(false).isEmpty()) {
                inputs.add(new RunInput(files.openAll(byLogged.get(false)), DifferenceRewriter.UNTOLD));
            }
            if (!byLogged.get(true).isEmpty()) {
                inputs.add(new RunInput(files.openAll(byLogged.get(true)), run.level()));
            }
        }
        return inputs.build();
    }

    /**
     * What a bucket's compaction works with.
     */
    public record Services(
            FileIo fileIo,
            TablePaths paths,
            TableSchema schema,
            CoreOptions options,
            SchemaManager schemas,
            DataFileReaderFactory readers,
            DataFileWriterFactory writers,
            Optional<LocalLookupFiles> lookupFiles,
            LookupResources lookups,
            CompactionListener listener)
    {
        public Services
        {
            requireNonNull(fileIo, "fileIo is null");
            requireNonNull(paths, "paths is null");
            requireNonNull(schema, "schema is null");
            requireNonNull(options, "options is null");
            requireNonNull(schemas, "schemas is null");
            requireNonNull(readers, "readers is null");
            requireNonNull(writers, "writers is null");
            requireNonNull(lookupFiles, "lookupFiles is null");
            requireNonNull(lookups, "lookups is null");
            requireNonNull(listener, "listener is null");
        }

        DeletionVectorWriter deletionVectorWriter()
        {
            return new DeletionVectorWriter(fileIo, paths, options.deletionVectorsBitmap64());
        }
    }
}
