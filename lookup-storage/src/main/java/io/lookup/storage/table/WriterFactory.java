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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.commit.CommitTarget;
import io.lookup.storage.commit.Rework;
import io.lookup.storage.commit.StatisticsCommitter;
import io.lookup.storage.commit.TableCommitter;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.bucket.HashIndexFiles;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.lsm.AppendCompactor;
import io.lookup.storage.lsm.BucketCompactor;
import io.lookup.storage.lsm.BucketReplacement;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.write.AppendWriter;
import io.lookup.storage.write.DynamicBuckets;
import io.lookup.storage.write.FullCompactionTrigger;
import io.lookup.storage.write.TableWriter;
import io.lookup.storage.write.TableWriter.BucketStateLoader;
import io.lookup.storage.write.TableWriter.ReplacementFactory;
import io.lookup.storage.write.WriteMode;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Puts together what writes, compacts and commits to a table at one schema version.
 */
final class WriterFactory
{
    private final TableContext context;
    private final String name;
    private final TableSchema schema;
    private final CoreOptions options;
    private final TablePaths paths;
    private final SchemaManager schemas;
    private final SnapshotManager snapshots;
    private final ManifestStore manifests;
    private final LiveFiles liveFiles;

    WriterFactory(
            TableContext context,
            String name,
            TableSchema schema,
            CoreOptions options,
            TablePaths paths,
            SchemaManager schemas,
            SnapshotManager snapshots,
            ManifestStore manifests,
            LiveFiles liveFiles)
    {
        this.context = requireNonNull(context, "context is null");
        this.name = requireNonNull(name, "name is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.manifests = requireNonNull(manifests, "manifests is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
    }

    /**
     * @param updatedColumns the columns that an UPDATE, or the updates of a MERGE, set, in lower case
     * @param overwrites whether the rows of a bucket take the place of those that it holds
     */
    TableWriter newWriter(OptionalLong baseSnapshotId, WriteMode mode, Set<String> updatedColumns, boolean overwrites)
    {
        BucketCompactor.Services services = services();
        LiveBucketLoader loader = bucketLoader(baseSnapshotId);
        Optional<ReplacementFactory> replacements = overwrites ?
                Optional.of((partition, bucket, deletions) -> new BucketReplacement(services, partition, bucket, deletions, false)) :
                Optional.empty();
        return newWriter(baseSnapshotId, mode, updatedColumns, services, loader, replacements);
    }

    /**
     * Makes a writer of rows that the table has already, for buckets that are to be new.
     */
    TableWriter newMovingWriter()
    {
        BucketCompactor.Services services = services();
        OptionalLong nothing = OptionalLong.empty();
        return newWriter(nothing, WriteMode.UPSERT, ImmutableSet.of(), services, bucketLoader(nothing),
                Optional.of((partition, bucket, deletions) -> new BucketReplacement(services, partition, bucket, deletions, true)));
    }

    private TableWriter newWriter(
            OptionalLong baseSnapshotId,
            WriteMode mode,
            Set<String> updatedColumns,
            BucketCompactor.Services services,
            BucketStateLoader loader,
            Optional<ReplacementFactory> replacements)
    {
        return new TableWriter(
                name,
                schema,
                options,
                bucketKeys(),
                options.bucket() == -1 ? Optional.of(dynamicBuckets(baseSnapshotId, loader, replacements.isPresent())) : Optional.empty(),
                mode,
                updatedColumns,
                services.writers(),
                loader,
                (partition, bucket, deletions) -> new BucketCompactor(services, partition, bucket, deletions),
                fullCompactionTrigger(baseSnapshotId),
                replacements,
                context.spillDirectory(),
                Math.min(options.writeBufferSizeBytes(), context.writeMemoryBytes()));
    }

    private DynamicBuckets dynamicBuckets(OptionalLong baseSnapshotId, BucketStateLoader loader, boolean overwrites)
    {
        List<IndexManifestEntry> index = baseSnapshot(baseSnapshotId)
                .flatMap(Snapshot::indexManifest)
                .map(manifests::readIndexManifest)
                .orElse(ImmutableList.of());
        return new DynamicBuckets(
                name,
                schema,
                new HashIndexFiles(context.fileIo(), paths),
                new DynamicBuckets.Base()
                {
                    @Override
                    public List<IndexManifestEntry> index(BinaryRow partition)
                    {
                        return index.stream()
                                .filter(entry -> entry.indexType().equals(IndexManifestEntry.HASH) && entry.partition().equals(partition))
                                .collect(toImmutableList());
                    }

                    @Override
                    public Set<Integer> buckets(BinaryRow partition)
                    {
                        return loader.buckets(partition);
                    }
                },
                overwrites);
    }

    AppendWriter newAppendWriter(OptionalLong baseSnapshotId, boolean overwrites)
    {
        return new AppendWriter(
                name,
                schema,
                options.bucket(),
                bucketKeys(),
                services().writers(),
                bucketLoader(baseSnapshotId),
                overwrites,
                Math.min(options.writeBufferSizeBytes(), context.writeMemoryBytes()));
    }

    TableCompactor newCompactor(OptionalLong baseSnapshotId)
    {
        BucketCompactor.Services services = services();
        boolean keyed = !schema.primaryKeys().isEmpty();
        return new TableCompactor(
                name,
                bucketLoader(baseSnapshotId),
                (partition, bucket, deletions) -> keyed ? new BucketCompactor(services, partition, bucket, deletions) : new AppendCompactor(services, partition, bucket),
                fullCompactionTrigger(baseSnapshotId));
    }

    TableCommitter newCommitter()
    {
        BucketRework rework = rework();
        return new TableCommitter(commitTarget(), Optional.of(new Rework(rework, rework, context.rebaseBudget())));
    }

    StatisticsCommitter newStatisticsCommitter()
    {
        return new StatisticsCommitter(commitTarget());
    }

    private CommitTarget commitTarget()
    {
        return new CommitTarget(name, context.fileIo(), paths, schema, options, schemas, snapshots, manifests, liveFiles, System::currentTimeMillis, context.statistics().commits());
    }

    /**
     * What does again for a bucket what others made outdated.
     */
    BucketRework rework()
    {
        return new BucketRework(this::services, baseSnapshotId -> newCompactor(OptionalLong.of(baseSnapshotId)));
    }

    List<String> bucketKeys()
    {
        return BucketFunction.bucketKeyFields(schema).stream().map(DataField::name).collect(toImmutableList());
    }

    BucketCompactor.Services services()
    {
        DataFileWriterFactory fileWriters = new DataFileWriterFactory(context.fileIo(), paths, schema);
        return new BucketCompactor.Services(context.fileIo(), paths, schema, options, schemas, context.readers(), fileWriters, context.lookupFiles(), context.lookups(), context.statistics().compactions());
    }

    Optional<Snapshot> baseSnapshot(OptionalLong baseSnapshotId)
    {
        return baseSnapshotId.isPresent() ? Optional.of(snapshots.snapshot(baseSnapshotId.getAsLong())) : Optional.empty();
    }

    private FullCompactionTrigger fullCompactionTrigger(OptionalLong baseSnapshotId)
    {
        OptionalInt deltaCommits = options.fullCompactionDeltaCommits();
        if (deltaCommits.isEmpty()) {
            return FullCompactionTrigger.NEVER;
        }
        return new DeltaCommits(snapshots, liveFiles, baseSnapshotId, deltaCommits.getAsInt(), options.compaction().numLevels() - 1);
    }

    private LiveBucketLoader bucketLoader(OptionalLong baseSnapshotId)
    {
        return new LiveBucketLoader(schema, liveFiles, baseSnapshot(baseSnapshotId));
    }
}
