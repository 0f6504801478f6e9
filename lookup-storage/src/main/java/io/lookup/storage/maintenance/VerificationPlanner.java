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
package io.lookup.storage.maintenance;

import com.google.common.collect.AbstractIterator;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterators;
import io.airlift.slice.Slice;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.maintenance.VerificationSplit.Step;
import io.lookup.storage.scan.ChangeReader;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.ScanPlanner;
import io.lookup.storage.scan.SplitFile;
import io.lookup.storage.scan.SplitReaderFactory;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.trino.spi.type.Type;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Plans the comparison of a table's changelog with its states. The retained snapshots are cut into ranges that are small enough to be
 * replayed bucket by bucket in one merge; between two ranges stands a state with which both are compared.
 * <p>
 * The logged state is that of the levels above 0 with the producer {@code lookup}, and that of the highest level with
 * {@code full-compaction}.
 */
public final class VerificationPlanner
{
    /**
     * Snapshot id, partition, bucket, key, expected, found.
     */
    public static final List<Type> COLUMN_TYPES = ContradictionRows.TYPES;

    // of one bucket in one range: each can be open at once
    private static final int MAX_FILES = 64;
    private static final long MAX_BYTES = 512L << 20;

    private final String tableName;
    private final TableSchema schema;
    private final CoreOptions options;
    private final SchemaManager schemas;
    private final SnapshotManager snapshots;
    private final LiveFiles liveFiles;
    private final ScanPlanner scanPlanner;
    private final KeyEncoder keyEncoder;
    private final int minLevel;

    /**
     * @param schema the version that all rows are read as
     * @throws StorageException UNSUPPORTED_FEATURE if the table's changelog does not say enough to be replayed
     */
    public VerificationPlanner(
            String tableName,
            TableSchema schema,
            CoreOptions options,
            SchemaManager schemas,
            SnapshotManager snapshots,
            LiveFiles liveFiles,
            ScanPlanner scanPlanner)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.scanPlanner = requireNonNull(scanPlanner, "scanPlanner is null");
        checkVerifiable();
        this.keyEncoder = KeyEncoder.forKeys(schema.trimmedPrimaryKeyFields().stream().map(DataField::type).collect(toImmutableList()));
        this.minLevel = options.changelogProducer() == ChangelogProducer.FULL_COMPACTION ? options.compaction().numLevels() - 1 : 1;
    }

    private void checkVerifiable()
    {
        if (schema.primaryKeys().isEmpty()) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format("The changelog of table %s cannot be verified: the table has no primary key, its changes are its inserts", tableName));
        }
        ChangelogProducer producer = options.changelogProducer();
        if (producer != ChangelogProducer.LOOKUP && producer != ChangelogProducer.FULL_COMPACTION) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format(
                    "The changelog of table %s cannot be verified: with 'changelog-producer' = '%s' it is what was written, not what changed; only lookup and full-compaction log changes",
                    tableName,
                    schema.options().getOrDefault("changelog-producer", "none")));
        }
    }

    /**
     * Snapshots are opened when the iterator comes to them.
     *
     * @param latestId the newest snapshot to look at
     */
    public Iterator<VerificationSplit> plan(long latestId)
    {
        Optional<Snapshot> first = firstComparable(latestId);
        if (first.isEmpty()) {
            return Collections.emptyIterator();
        }
        return Iterators.concat(new AbstractIterator<Iterator<VerificationSplit>>()
        {
            private Snapshot before = first.get();

            @Override
            protected Iterator<VerificationSplit> computeNext()
            {
                if (before.id() >= latestId) {
                    return endOfData();
                }
                Range range = nextRange(before, latestId);
                Iterator<VerificationSplit> splits = splits(range);
                before = range.after();
                return splits;
            }
        });
    }

    /**
     * Pages of contradictions. A page may be empty, so that a long merge can be left between pages.
     */
    public static PageStream verify(VerificationSplit split, TableSchema schema, CoreOptions options, SplitReaderFactory stateReaders, ChangeReader changeReader)
    {
        return new ChangelogVerifier(split, schema, options, stateReaders, changeReader);
    }

    /**
     * The oldest retained snapshot from which on neither the producer nor the number of buckets changed.
     */
    private Optional<Snapshot> firstComparable(long latestId)
    {
        Optional<Snapshot> first = Optional.empty();
        Map<Long, Boolean> comparable = new HashMap<>();
        for (long id = latestId; id >= snapshots.earliestId().orElse(latestId); id--) {
            Optional<Snapshot> snapshot = snapshots.find(id);
            if (snapshot.isEmpty() || !comparable.computeIfAbsent(snapshot.get().schemaId(), this::isComparable)) {
                break;
            }
            first = snapshot;
        }
        return first;
    }

    private boolean isComparable(long schemaId)
    {
        CoreOptions optionsThen = new CoreOptions(schemas.schema(schemaId).options());
        return optionsThen.changelogProducer() == options.changelogProducer() && optionsThen.bucket() == options.bucket();
    }

    private Range nextRange(Snapshot before, long latestId)
    {
        Map<BucketId, BucketChanges> buckets = new LinkedHashMap<>();
        Snapshot after = before;
        while (after.id() < latestId) {
            Snapshot next = snapshots.snapshot(after.id() + 1);
            Map<BucketId, SnapshotFiles> files = files(next);
            boolean tooMuch = files.entrySet().stream()
                    .anyMatch(entry -> buckets.containsKey(entry.getKey()) && !buckets.get(entry.getKey()).hasRoomFor(entry.getValue()));
            if (tooMuch && after != before) {
                break;
            }
            files.forEach((bucket, bucketFiles) -> buckets.computeIfAbsent(bucket, _ -> new BucketChanges()).add(next, bucket, bucketFiles));
            after = next;
        }
        return new Range(before, after, buckets);
    }

    private Map<BucketId, SnapshotFiles> files(Snapshot snapshot)
    {
        Map<BucketId, SnapshotFiles> files = new LinkedHashMap<>();
        for (ManifestEntry entry : liveFiles.changelogEntries(snapshot, _ -> true, entry -> entry.kind() == FileKind.ADD)) {
            files.computeIfAbsent(BucketId.of(entry), _ -> new SnapshotFiles()).changelog.add(entry.file());
        }
        for (ManifestEntry entry : liveFiles.deltaEntries(snapshot, _ -> true, entry -> entry.file().level() >= minLevel)) {
            SnapshotFiles bucketFiles = files.computeIfAbsent(BucketId.of(entry), _ -> new SnapshotFiles());
            // with deletion vectors a file can hold rows that are no longer its key's state
            if (entry.kind() == FileKind.ADD && !options.deletionVectorsEnabled()) {
                bucketFiles.written.add(entry.file());
            }
        }
        return files;
    }

    private Iterator<VerificationSplit> splits(Range range)
    {
        if (range.buckets().isEmpty()) {
            return Collections.emptyIterator();
        }
        Map<BucketId, List<TableSplit>> before = state(range.before(), range.buckets().keySet());
        Map<BucketId, List<TableSplit>> after = state(range.after(), range.buckets().keySet());
        return Iterators.transform(range.buckets().entrySet().iterator(), entry -> new VerificationSplit(
                range.after().id(),
                entry.getKey().partition(),
                entry.getKey().bucket(),
                before.getOrDefault(entry.getKey(), ImmutableList.of()),
                after.getOrDefault(entry.getKey(), ImmutableList.of()),
                entry.getValue().steps));
    }

    private Map<BucketId, List<TableSplit>> state(Snapshot snapshot, Set<BucketId> buckets)
    {
        ScanFilter filter = ScanFilter.ALL
                .inKeyOrder()
                .withLevels(OptionalInt.of(minLevel), OptionalInt.empty())
                .withBuckets(buckets.stream().map(BucketId::bucket).collect(toImmutableSet()));
        Map<BucketId, List<TableSplit>> state = new HashMap<>();
        scanPlanner.plan(snapshot, filter).forEachRemaining(split -> {
            BucketId bucket = new BucketId(split.partition(), split.bucket());
            if (buckets.contains(bucket)) {
                state.computeIfAbsent(bucket, _ -> new ArrayList<>()).add(split);
            }
        });
        return state;
    }

    /**
     * Files in key order, in as few runs as it takes.
     */
    private List<ChangeSplit> runs(Snapshot snapshot, BucketId bucket, List<DataFileMeta> files)
    {
        List<List<DataFileMeta>> runs = new ArrayList<>();
        List<Slice> ends = new ArrayList<>();
        List<DataFileMeta> sorted = files.stream()
                .sorted(Comparator.comparing(file -> keyEncoder.encode(file.minKey())))
                .toList();
        for (DataFileMeta file : sorted) {
            Slice min = keyEncoder.encode(file.minKey());
            int run = 0;
            while (run < runs.size() && ends.get(run).compareTo(min) >= 0) {
                run++;
            }
            if (run == runs.size()) {
                runs.add(new ArrayList<>());
                ends.add(null);
            }
            runs.get(run).add(file);
            ends.set(run, keyEncoder.encode(file.maxKey()));
        }
        return runs.stream()
                .map(run -> new ChangeSplit(
                        snapshot.id(),
                        snapshot.timeMillis(),
                        bucket.partition(),
                        bucket.bucket(),
                        run.stream().map(SplitFile::of).collect(toImmutableList()),
                        Optional.empty(),
                        Optional.empty()))
                .collect(toImmutableList());
    }

    private record Range(Snapshot before, Snapshot after, Map<BucketId, BucketChanges> buckets) {}

    private static final class SnapshotFiles
    {
        private final List<DataFileMeta> changelog = new ArrayList<>();
        private final List<DataFileMeta> written = new ArrayList<>();

        private int count()
        {
            return changelog.size() + written.size();
        }

        private long bytes()
        {
            return changelog.stream().mapToLong(DataFileMeta::fileSize).sum() + written.stream().mapToLong(DataFileMeta::fileSize).sum();
        }
    }

    private final class BucketChanges
    {
        private final List<Step> steps = new ArrayList<>();
        private int fileCount;
        private long bytes;

        private boolean hasRoomFor(SnapshotFiles files)
        {
            return fileCount + files.count() <= MAX_FILES && bytes + files.bytes() <= MAX_BYTES;
        }

        private void add(Snapshot snapshot, BucketId bucket, SnapshotFiles files)
        {
            steps.add(new Step(snapshot.id(), runs(snapshot, bucket, files.changelog), runs(snapshot, bucket, files.written)));
            fileCount += files.count();
            bytes += files.bytes();
        }
    }
}
