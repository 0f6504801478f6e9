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
import io.airlift.log.Logger;
import io.lookup.storage.changelog.RowEquality;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileReaderFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lookup.KeyLookup;
import io.lookup.storage.merge.MergeFunction;
import io.lookup.storage.merge.MergeFunctions;
import io.lookup.storage.merge.MergingPageStream;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.SequenceGroups;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;

import java.io.IOException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Compacts one bucket: picks, and runs what was picked. Under a table that looks up, whatever leaves level 0 is merged
 * with what lies above it, so that each record at level 1 and up is its key's complete state; see
 * {@link LevelCompleteness} for when that can be relied on.
 */
public final class BucketCompactor
{
    private static final Logger log = Logger.get(BucketCompactor.class);

    private final Services services;
    private final BinaryRow partition;
    private final int bucket;
    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final BucketFiles files;

    public BucketCompactor(Services services, BinaryRow partition, int bucket)
    {
        this.services = requireNonNull(services, "services is null");
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
        this.layout = KeyValueLayout.ofTable(services.schema(), services.options());
        this.keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
        this.files = new BucketFiles(services.readers(), services.schemas(), services.paths(), services.schema(), layout, partition, bucket);
    }

    /**
     * Runs one compaction.
     *
     * @param liveFiles all files of the bucket, those of the running statement included
     * @param full whether everything goes to the highest level, instead of what the strategy picks
     * @return empty if there is nothing to do
     */
    public Optional<CompactionResult> compact(List<DataFileMeta> liveFiles, boolean full)
            throws IOException
    {
        Levels levels = new Levels(liveFiles, services.options().compaction().numLevels(), keyEncoder);
        boolean lookup = services.options().needLookup();
        boolean complete = !lookup || LevelCompleteness.isProven(liveFiles, levels.maxLevel(), services.schema(), services.options(), services.schemas());
        CompactionPicker picker = full || !complete ? new FullCompaction(_ -> false) : picker();
        Optional<CompactionUnit> unit = picker.pick(levels.numberOfLevels(), levels.sortedRuns());
        if (unit.isPresent() && !lookup && unit.get().files().size() < liveFiles.size() && !PartialMerges.areExact(services.options())) {
            unit = new FullCompaction(_ -> false).pick(levels.numberOfLevels(), levels.sortedRuns());
        }
        if (unit.isEmpty()) {
            return Optional.empty();
        }
        CompactionResult result = run(unit.get(), levels, lookup, complete);
        return result.isEmpty() ? Optional.empty() : Optional.of(result);
    }

    /**
     * Deletes the files that a compaction wrote and nobody will commit; never throws. A file that only changed its
     * level belongs to whoever wrote it.
     */
    public void deleteOutput(CompactionResult result)
    {
        Set<String> inputNames = new HashSet<>();
        result.before().forEach(file -> inputNames.add(file.fileName()));
        List<DataFileMeta> written = new ArrayList<>(result.changelog());
        result.after().stream()
                .filter(file -> !inputNames.contains(file.fileName()))
                .forEach(written::add);
        for (DataFileMeta file : written) {
            try {
                services.fileIo().deleteFile(services.paths().dataFile(partition, bucket, file));
            }
            catch (IOException | RuntimeException e) {
                log.warn(e, "File %s of an abandoned compaction could not be deleted; remove_orphan_files collects it", file.fileName());
            }
        }
    }

    private CompactionResult run(CompactionUnit unit, Levels levels, boolean lookup, boolean complete)
            throws IOException
    {
        CompactionPlan plan = plan(unit, levels, complete);
        CompactionOutput output = new CompactionOutput();
        try (KeyLookup keyLookup = keyLookup(unit, levels)) {
            for (CompactionPlan.Step step : plan.steps()) {
                switch (step) {
                    case CompactionPlan.Rewrite rewrite -> {
                        output.deleted(rewrite.files());
                        if (rewrite.changelog() || (lookup && !complete)) {
                            rewriteWithLookup(rewrite.sections(), unit.outputLevel(), true, plan.dropDelete(), complete, keyLookup, output);
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
                                if (logsChanges()) {
                                    logUpgrade(file, sections, unit.outputLevel(), plan.dropDelete(), complete, keyLookup, output);
                                }
                                output.upgraded(file.withLevel(unit.outputLevel()));
                            }
                            case CHANGELOG_WITH_REWRITE -> rewriteWithLookup(sections, unit.outputLevel(), true, plan.dropDelete(), complete, keyLookup, output);
                        }
                    }
                }
            }
            return output.result();
        }
        catch (IOException | RuntimeException e) {
            output.abort();
            deleteOutput(output.result());
            throw e;
        }
    }

    private void logUpgrade(
            DataFileMeta file,
            List<List<SortedRun>> sections,
            int outputLevel,
            boolean dropDelete,
            boolean complete,
            KeyLookup keyLookup,
            CompactionOutput output)
            throws IOException
    {
        Optional<DataFileMeta> copy = copyToChangelog(file, outputLevel, complete, keyLookup);
        if (copy.isPresent()) {
            output.copiedChangelog(copy.get());
            return;
        }
        rewriteWithLookup(sections, outputLevel, false, dropDelete, complete, keyLookup, output);
    }

    private CompactionPicker picker()
    {
        CoreOptions options = services.options();
        UniversalCompaction universal = new UniversalCompaction(
                UniversalCompaction.Settings.create(options, LocalTime.now(ZoneId.systemDefault()).getHour()),
                // when this bucket was last compacted in full is not known here, so the interval cannot be due
                EarlyFullCompaction.create(options, Optional.of(Duration.ZERO)),
                RunSizes::bytesOrRowsIfTiny);
        return options.needLookup() || options.compaction().forceUpLevel0() ? ForceLevel0Compaction.radical(universal) : universal;
    }

    private CompactionPlan plan(CompactionUnit unit, Levels levels, boolean complete)
    {
        // where records above level 0 may be increments, none of them may stay as it is; nor may a row that another engine
        // wrote with values of a sequence group of which it says nothing: the log would not have them
        boolean sequenceGroups = services.options().needLookup() && SequenceGroups.areDefined(services.options());
        return CompactionPlan.create(
                unit,
                levels,
                keyEncoder,
                services.options().targetFileSizeBytes(),
                UpgradeRule.create(services.options()),
                file -> !complete || sequenceGroups && file.level() == 0);
    }

    private KeyLookup keyLookup(CompactionUnit unit, Levels levels)
    {
        ImmutableList.Builder<List<DataFileMeta>> higher = ImmutableList.builder();
        for (int level = unit.outputLevel() + 1; level <= levels.maxLevel(); level++) {
            higher.add(levels.level(level).files());
        }
        long probes = unit.files().stream()
                .filter(file -> file.level() == 0)
                .mapToLong(DataFileMeta::rowCount)
                .sum();
        if (services.options().mergeEngine() == MergeEngine.FIRST_ROW) {
            // what the old row is does not matter
            return KeyLookup.ofKeys(layout, keyEncoder, higher.build(), files::openKeys, probes);
        }
        return new KeyLookup(layout, keyEncoder, higher.build(), files::open, probes);
    }

    private void rewritePlainly(List<List<SortedRun>> sections, int outputLevel, boolean dropDelete, CompactionOutput output)
            throws IOException
    {
        RollingWriter writer = output.open(services.writers().createDataWriter(partition, bucket, outputLevel, FileSource.COMPACT));
        for (List<SortedRun> section : sections) {
            try (MergingPageStream pages = new MergingPageStream(layout, keyEncoder, runs(section), mergeFunction(true), dropDelete)) {
                for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                    writer.write(page);
                }
            }
        }
        output.finishData(writer);
    }

    private void rewriteWithLookup(
            List<List<SortedRun>> sections,
            int outputLevel,
            boolean writeData,
            boolean dropDelete,
            boolean complete,
            KeyLookup keyLookup,
            CompactionOutput output)
            throws IOException
    {
        Optional<RollingWriter> dataWriter = Optional.empty();
        if (writeData) {
            dataWriter = Optional.of(output.open(services.writers().createDataWriter(partition, bucket, outputLevel, FileSource.COMPACT)));
        }
        Optional<RollingWriter> changelogWriter = Optional.empty();
        if (logsChanges()) {
            changelogWriter = Optional.of(output.open(services.writers().createChangelogWriter(partition, bucket, outputLevel)));
        }
        boolean firstRow = services.options().mergeEngine() == MergeEngine.FIRST_ROW;
        LookupRewriter rewriter = new LookupRewriter(layout, keyEncoder, mergeFunction(complete), keyLookup, complete, firstRow, rowEquality());
        for (List<SortedRun> section : sections) {
            rewriter.rewrite(runs(section), dataWriter, changelogWriter, dropDelete);
        }
        if (dataWriter.isPresent()) {
            output.finishData(dataWriter.get());
        }
        if (changelogWriter.isPresent()) {
            output.finishChangelog(changelogWriter.get());
        }
    }

    /**
     * Deletion vectors, first-row and force-lookup look up whatever the producer.
     */
    private boolean logsChanges()
    {
        return services.options().changelogProducer() == ChangelogProducer.LOOKUP;
    }

    /**
     * Where no key of a file that moves up existed before, and each of its rows is an insert, its rows are what changed,
     * and its bytes are the changelog file.
     */
    private Optional<DataFileMeta> copyToChangelog(DataFileMeta file, int outputLevel, boolean complete, KeyLookup keyLookup)
            throws IOException
    {
        CoreOptions options = services.options();
        if (!complete
                || file.level() != 0
                || options.changelogProducer() != ChangelogProducer.LOOKUP
                || options.mergeEngine() != MergeEngine.DEDUPLICATE && options.mergeEngine() != MergeEngine.FIRST_ROW
                || keyLookup.overlaps(file)
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
     * What a bucket's compaction works with.
     */
    public record Services(
            FileIo fileIo,
            TablePaths paths,
            TableSchema schema,
            CoreOptions options,
            SchemaManager schemas,
            DataFileReaderFactory readers,
            DataFileWriterFactory writers)
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
        }
    }
}
