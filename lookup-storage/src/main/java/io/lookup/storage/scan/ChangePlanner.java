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
import com.google.common.collect.Iterators;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.PartitionPruning;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Plans the reading of what snapshots changed. A snapshot with a changelog is read from that; one without, made
 * under a schema that has no changelog producer, from the files it appended, as they were written. Only the one
 * manifest list of each given snapshot is opened that holds these. Thread-safe.
 */
public final class ChangePlanner
{
    /** property of a snapshot: the query that made it */
    public static final String QUERY_ID_PROPERTY = "trino.query-id";
    /** property of a snapshot: the user whose query made it */
    public static final String USER_PROPERTY = "trino.user";

    private final TableSchema schema;
    private final CoreOptions options;
    private final SchemaManager schemas;
    private final LiveFiles liveFiles;
    private final PartitionPruning partitions;
    private final Consumer<Snapshot> check;

    /**
     * @param schema the version that is read
     */
    public ChangePlanner(TableSchema schema, CoreOptions options, SchemaManager schemas, LiveFiles liveFiles)
    {
        this(schema, options, schemas, liveFiles, _ -> {});
    }

    /**
     * @param check throws for a snapshot that cannot be read in this version
     */
    public ChangePlanner(TableSchema schema, CoreOptions options, SchemaManager schemas, LiveFiles liveFiles, Consumer<Snapshot> check)
    {
        this.check = requireNonNull(check, "check is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.partitions = new PartitionPruning(schema);
    }

    /**
     * Snapshots are opened one by one, when the iterator comes to them.
     *
     * @param snapshots in the order in which their changes are wanted
     * @param filter its levels are not looked at
     */
    public Iterator<ChangeSplit> plan(List<Snapshot> snapshots, ScanFilter filter)
    {
        return plan(snapshots, filter, ChangeSource.LOG, new PlanStatistics());
    }

    /**
     * @param statistics is added to as the iterator is used
     */
    public Iterator<ChangeSplit> plan(List<Snapshot> snapshots, ScanFilter filter, ChangeSource source, PlanStatistics statistics)
    {
        if (filter.predicate().isNone()) {
            return Collections.emptyIterator();
        }
        FilePruning pruning = new FilePruning(schema, schemas, filter.predicate());
        return Iterators.concat(Iterators.transform(
                snapshots.iterator(),
                snapshot -> splits(snapshot, filter, source, pruning, statistics).iterator()));
    }

    private List<ChangeSplit> splits(Snapshot snapshot, ScanFilter filter, ChangeSource source, FilePruning pruning, PlanStatistics statistics)
    {
        check.accept(snapshot);
        Map<BucketId, List<DataFileMeta>> buckets = new LinkedHashMap<>();
        for (ManifestEntry entry : entries(snapshot, filter, source, statistics)) {
            // every record of a log stands for itself, so a file without a match can go
            if (pruning.mayContainRows(entry.file())) {
                buckets.computeIfAbsent(BucketId.of(entry), bucket -> new ArrayList<>()).add(entry.file());
                statistics.addFiles(1);
            }
        }
        boolean written = source == ChangeSource.DELTA || snapshot.changelogManifestList().isEmpty();
        ImmutableList.Builder<ChangeSplit> splits = ImmutableList.builder();
        buckets.forEach((bucket, files) -> {
            if (written) {
                files.sort(Comparator.comparingLong(DataFileMeta::minSequenceNumber));
            }
            for (List<DataFileMeta> pack : pack(files)) {
                splits.add(new ChangeSplit(
                        snapshot.id(),
                        snapshot.timeMillis(),
                        bucket.partition(),
                        bucket.bucket(),
                        pack.stream().map(SplitFile::of).collect(toImmutableList()),
                        Optional.ofNullable(snapshot.properties().get(QUERY_ID_PROPERTY)),
                        Optional.ofNullable(snapshot.properties().get(USER_PROPERTY))));
            }
        });
        return splits.build();
    }

    private List<ManifestEntry> entries(Snapshot snapshot, ScanFilter filter, ChangeSource source, PlanStatistics statistics)
    {
        Optional<BucketSelector> selector = BucketSelector.create(schema, filter.predicate());
        Predicate<ManifestFileMeta> manifestFilter = manifest -> {
            boolean read = ManifestBuckets.mayContain(manifest, filter.buckets()) && partitions.mayContain(manifest, filter.predicate());
            statistics.addManifest(manifest, read);
            return read;
        };
        Predicate<ManifestEntry> entryFilter = entry ->
                entry.kind() == FileKind.ADD &&
                        filter.buckets().map(buckets -> buckets.contains(entry.bucket())).orElse(true) &&
                        selector.map(buckets -> buckets.matches(entry.bucket(), entry.totalBuckets())).orElse(true) &&
                        partitions.matches(entry.partition(), filter.predicate());
        if (source != ChangeSource.DELTA && snapshot.changelogManifestList().isPresent()) {
            return liveFiles.changelogEntries(snapshot, manifestFilter, entryFilter);
        }
        if (source == ChangeSource.CHANGELOG || snapshot.commitKind() != CommitKind.APPEND) {
            return ImmutableList.of();
        }
        if (source == ChangeSource.LOG) {
            CoreOptions optionsThen = new CoreOptions(schemas.schema(snapshot.schemaId()).options());
            if (optionsThen.changelogProducer() != ChangelogProducer.NONE) {
                return ImmutableList.of();
            }
        }
        return liveFiles.deltaEntries(snapshot, manifestFilter, entryFilter);
    }

    /**
     * Cuts between neighbouring files only, so that their order is kept.
     */
    private List<List<DataFileMeta>> pack(List<DataFileMeta> files)
    {
        List<List<DataFileMeta>> packs = new ArrayList<>();
        List<DataFileMeta> pack = new ArrayList<>();
        long packWeight = 0;
        for (DataFileMeta file : files) {
            long weight = Math.max(file.fileSize(), options.splitOpenFileCostBytes());
            if (!pack.isEmpty() && packWeight + weight > options.splitTargetSizeBytes()) {
                packs.add(pack);
                pack = new ArrayList<>();
                packWeight = 0;
            }
            pack.add(file);
            packWeight += weight;
        }
        if (!pack.isEmpty()) {
            packs.add(pack);
        }
        return packs;
    }
}
