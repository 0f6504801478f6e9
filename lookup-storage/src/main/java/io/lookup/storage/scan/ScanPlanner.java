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
package io.lookup.storage.scan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterators;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestStore.BucketFilter;
import io.lookup.storage.format.manifest.PartitionPruning;
import io.lookup.storage.lsm.IntervalPartition;
import io.lookup.storage.lsm.LevelCompleteness;
import io.lookup.storage.lsm.Levels;
import io.lookup.storage.lsm.SortedRun;
import io.lookup.storage.lsm.VectorCompleteness;
import io.lookup.storage.scan.TableSplit.Section;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.LiveFiles.BucketTotals;
import io.lookup.storage.snapshot.LiveFiles.LiveBucket;
import io.lookup.storage.snapshot.Snapshot;

import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Plans the reading of one snapshot: finds the files that can matter, and packs them into
 * splits bucket by bucket. Thread-safe.
 */
public final class ScanPlanner
{
    // some 0.2 s for tables of ten columns
    private static final int MAX_ESTIMATED_FILES = 20_000;

    private final TableSchema schema;
    private final CoreOptions options;
    private final SchemaManager schemas;
    private final LiveFiles liveFiles;
    private final PartitionPruning partitions;
    private final Optional<KeyEncoder> keyEncoder;
    private final Consumer<Snapshot> check;

    /**
     * @param schema the version that is read
     */
    public ScanPlanner(TableSchema schema, CoreOptions options, SchemaManager schemas, LiveFiles liveFiles)
    {
        this(schema, options, schemas, liveFiles, _ -> {});
    }

    /**
     * @param check throws for a snapshot that cannot be read in this version
     */
    public ScanPlanner(TableSchema schema, CoreOptions options, SchemaManager schemas, LiveFiles liveFiles, Consumer<Snapshot> check)
    {
        this.check = requireNonNull(check, "check is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.partitions = new PartitionPruning(schema);
        this.keyEncoder = schema.primaryKeys().isEmpty() ?
                Optional.empty() :
                Optional.of(KeyEncoder.forKeys(schema.trimmedPrimaryKeyFields().stream().map(DataField::type).collect(toImmutableList())));
    }

    /**
     * Splits of a bucket are made when the iterator comes to it.
     */
    public Iterator<TableSplit> plan(Snapshot snapshot, ScanFilter filter)
    {
        return plan(snapshot, filter, new PlanStatistics());
    }

    /**
     * @param statistics is added to as the iterator is used
     */
    public Iterator<TableSplit> plan(Snapshot snapshot, ScanFilter filter, PlanStatistics statistics)
    {
        if (filter.predicate().isNone()) {
            return Collections.emptyIterator();
        }
        check.accept(snapshot);
        FilePruning pruning = new FilePruning(schema, schemas, filter.predicate());
        DeletionVectorIndex deletions = liveFiles.deletionVectors(snapshot);
        LevelRange levels = levels(filter);
        Set<String> read = new HashSet<>();
        for (ManifestFileMeta manifest : liveFiles.manifests(snapshot)) {
            boolean contains = mayContain(manifest, filter, levels);
            statistics.addManifest(manifest, contains);
            if (contains) {
                read.add(manifest.fileName());
            }
        }
        Iterator<LiveBucket> buckets = liveFiles.liveBuckets(
                snapshot,
                manifest -> read.contains(manifest.fileName()),
                bucketFilter(filter),
                entry -> levels.contains(entry) && (keyEncoder.isEmpty() || pruning.mayContainKeys(entry.file())));
        Iterator<TableSplit> splits = Iterators.concat(Iterators.transform(
                buckets,
                bucket -> splits(snapshot, bucket.id(), bucket.entries(), sections(bucket.entries(), deletions.bucket(bucket.id()), pruning, filter.keyOrder())).iterator()));
        return Iterators.transform(
                splits,
                split -> {
                    statistics.addFiles(split.files().count());
                    return split;
                });
    }

    /**
     * Rows and bytes that a scan would go through, from metadata alone.
     */
    public ScanEstimate estimate(Snapshot snapshot, ScanFilter filter)
    {
        if (filter.predicate().isNone()) {
            return new ScanEstimate(0, 0, 0);
        }
        long rows = 0;
        long bytes = 0;
        long files = 0;
        DeletionVectorIndex deletions = liveFiles.deletionVectors(snapshot);
        LevelRange levels = levels(filter);
        Iterator<BucketTotals> buckets = liveFiles.totals(snapshot, manifest -> mayContain(manifest, filter, levels), bucketFilter(filter), levels::contains);
        while (buckets.hasNext()) {
            BucketTotals bucket = buckets.next();
            // a retraction takes away a row of another file
            rows += bucket.rowCount() - 2 * bucket.deleteRowCount();
            rows -= deletions.bucket(bucket.id()).locations().values().stream().mapToLong(location -> location.cardinality().orElse(0)).sum();
            bytes += bucket.sizeInBytes();
            files += bucket.fileCount();
        }
        return new ScanEstimate(Math.max(rows, 0), bytes, files);
    }

    /**
     * What the manifests tell of the columns' values, by field id; nothing where there are so many files that a statement would
     * wait for it.
     */
    public Map<Integer, ColumnEstimate> estimateColumns(Snapshot snapshot, ScanFilter filter)
    {
        if (filter.predicate().isNone()) {
            return ImmutableMap.of();
        }
        LevelRange levels = levels(filter);
        Iterator<LiveBucket> buckets = liveFiles.liveBuckets(snapshot, manifest -> mayContain(manifest, filter, levels), bucketFilter(filter), levels::contains);
        ImmutableList.Builder<ManifestEntry> files = ImmutableList.builder();
        int count = 0;
        while (buckets.hasNext()) {
            List<ManifestEntry> entries = buckets.next().entries();
            count += entries.size();
            if (count > MAX_ESTIMATED_FILES) {
                return ImmutableMap.of();
            }
            files.addAll(entries);
        }
        return count == 0 ? ImmutableMap.of() : new ColumnEstimates(schema, options, schemas).of(files.build());
    }

    /**
     * Whether all files of the scan were written for that many buckets: then rows of one bucket key are in buckets of one number in all partitions.
     */
    public boolean hasBucketCount(Snapshot snapshot, ScanFilter filter, int bucketCount)
    {
        if (filter.predicate().isNone()) {
            return true;
        }
        LevelRange levels = levels(filter);
        Iterator<BucketTotals> buckets = liveFiles.totals(snapshot, manifest -> mayContain(manifest, filter, levels), bucketFilter(filter), levels::contains);
        return Iterators.all(buckets, bucket -> bucket.totalBuckets() == bucketCount);
    }

    public record ScanEstimate(long rowCount, long sizeInBytes, long fileCount) {}

    private record LevelRange(int lowest, int highest)
    {
        boolean contains(ManifestEntry entry)
        {
            return entry.file().level() >= lowest && entry.file().level() <= highest;
        }
    }

    private LevelRange levels(ScanFilter filter)
    {
        int lowest = filter.minLevel().orElse(0);
        if (keyEncoder.isPresent() && (options.deletionVectorsEnabled() || options.mergeEngine() == MergeEngine.FIRST_ROW)) {
            // rows of these tables become visible by compaction; those without a key have but level 0
            lowest = Math.max(1, lowest);
        }
        return new LevelRange(lowest, filter.maxLevel().orElse(Integer.MAX_VALUE));
    }

    private BucketFilter bucketFilter(ScanFilter filter)
    {
        Optional<BucketSelector> selector = BucketSelector.create(schema, filter.predicate());
        return (partition, bucket, totalBuckets) -> bucket >= 0 &&
                filter.buckets().map(buckets -> buckets.contains(bucket)).orElse(true) &&
                selector.map(buckets -> buckets.matches(bucket, totalBuckets)).orElse(true) &&
                partitions.matches(partition, filter.predicate());
    }

    private boolean mayContain(ManifestFileMeta manifest, ScanFilter filter, LevelRange levels)
    {
        if (manifest.maxLevel().isPresent() && manifest.maxLevel().getAsInt() < levels.lowest()) {
            return false;
        }
        if (manifest.minLevel().isPresent() && manifest.minLevel().getAsInt() > levels.highest()) {
            return false;
        }
        return ManifestBuckets.mayContain(manifest, filter.buckets()) && partitions.mayContain(manifest, filter.predicate());
    }

    private List<TableSplit> splits(Snapshot snapshot, BucketId bucket, List<ManifestEntry> entries, List<Section> sections)
    {
        List<DataFileMeta> files = entries.stream().map(ManifestEntry::file).collect(toImmutableList());
        int totalBuckets = entries.getFirst().totalBuckets();
        List<List<Section>> packs = SplitPacking.pack(sections, options.splitTargetSizeBytes(), options.splitOpenFileCostBytes());
        return packs.stream()
                .map(pack -> new TableSplit(
                        snapshot.id(),
                        schema.id(),
                        bucket.partition(),
                        bucket.bucket(),
                        totalBuckets,
                        pack,
                        completeLevels(files),
                        keyEncoder.isEmpty() || pack.stream().allMatch(Section::mergeFree)))
                .collect(toImmutableList());
    }

    private List<Section> sections(List<ManifestEntry> entries, BucketVectors deletions, FilePruning pruning, boolean keyOrder)
    {
        List<DataFileMeta> files = entries.stream().map(ManifestEntry::file).collect(toImmutableList());
        // a key of a first-row table that is above level 0 is never written there again
        boolean firstRow = options.mergeEngine() == MergeEngine.FIRST_ROW && files.stream().allMatch(ScanPlanner::holdsRowsOnly);
        if (keyEncoder.isEmpty() || (!keyOrder && (firstRow || VectorCompleteness.isProven(files, schema, options, schemas)))) {
            // what counts of a file is read as it is, whatever it overlaps
            return files.stream()
                    .filter(pruning::mayContainRows)
                    .map(file -> new Section(ImmutableList.of(ImmutableList.of(SplitFile.of(file, deletions.of(file.fileName()))))))
                    .collect(toImmutableList());
        }
        return IntervalPartition.sections(files, keyEncoder.get()).stream()
                .filter(runs -> mayMatch(runs, pruning))
                .map(runs -> new Section(mergeRuns(runs).stream()
                        .map(run -> run.files().stream().map(file -> SplitFile.of(file, deletions.of(file.fileName()))).collect(toImmutableList()))
                        .collect(toImmutableList())))
                .collect(toImmutableList());
    }

    private static boolean holdsRowsOnly(DataFileMeta file)
    {
        return file.level() > 0 && file.deleteRowCount().orElse(1) == 0;
    }

    private boolean completeLevels(List<DataFileMeta> files)
    {
        return keyEncoder.isEmpty() || LevelCompleteness.isProven(files, options.compaction().numLevels() - 1, schema, options, schemas);
    }

    /**
     * The fewest runs mix levels. That is good where sequence numbers decide; where the level of a record counts, the
     * runs are those of the levels.
     */
    private List<SortedRun> mergeRuns(List<SortedRun> runs)
    {
        if (runs.size() == 1 || !options.needLookup()) {
            return runs;
        }
        List<DataFileMeta> files = runs.stream().flatMap(run -> run.files().stream()).collect(toImmutableList());
        return new Levels(files, options.compaction().numLevels(), keyEncoder.orElseThrow()).sortedRuns();
    }

    /**
     * Whether a section can give a row of the predicate. Where several versions of a key meet, one file must
     * not be left out without the others: an older version would come to light.
     */
    private boolean mayMatch(List<SortedRun> runs, FilePruning pruning)
    {
        // the result of these engines is one of the versions; others make values that no file holds
        boolean resultIsAVersion = options.mergeEngine() == MergeEngine.DEDUPLICATE || options.mergeEngine() == MergeEngine.FIRST_ROW;
        if (runs.size() > 1 && !resultIsAVersion) {
            return true;
        }
        return runs.stream()
                .flatMap(run -> run.files().stream())
                .anyMatch(pruning::mayContainRows);
    }
}
