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
package io.lookup.storage.commit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Striped;
import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.manifest.PartitionPruning;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.trino.spi.predicate.TupleDomain;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Makes a statement's files true: an APPEND (or OVERWRITE) snapshot, then a COMPACT snapshot, each checked
 * against what others committed since the statement's base. Thread-safe.
 *
 * <p>What the checks rest on: a commit that changed the same keys of the same bucket since the base makes the
 * statement fail, since its sequence numbers would not order after that commit; any change of a bucket's files
 * makes a prepared compaction of it stale, and a stale compaction is never published.
 */
public final class TableCommitter
{
    private static final Logger log = Logger.get(TableCommitter.class);
    // statements of one process do not race for the same id; other processes are met at the claim
    private static final Striped<Lock> LOCKS = Striped.lazyWeakLock(1 << 20);

    private final String tableName;
    private final boolean levelZeroIsRead;
    private final SnapshotManager snapshots;
    private final LiveFiles liveFiles;
    private final PartitionPruning partitions;
    private final SchemaCheck schemaCheck;
    private final ConflictCheck conflictCheck;
    private final CommitInvariants invariants;
    private final SnapshotPublisher publisher;
    private final FileDisposal disposal;
    private final RetryPolicy retryPolicy;
    private final Optional<BucketRecompactor> recompactor;
    private final Lock lock;

    /**
     * @param schema the version that the files were written with
     * @param clock epoch milliseconds
     * @param recompactor asked where readers skip level 0 and a prepared compaction has become stale; without one, such a
     * statement fails
     */
    public TableCommitter(
            FileIo fileIo,
            TablePaths paths,
            TableSchema schema,
            CoreOptions options,
            SchemaManager schemas,
            SnapshotManager snapshots,
            ManifestStore manifests,
            LiveFiles liveFiles,
            LongSupplier clock,
            Optional<BucketRecompactor> recompactor)
    {
        this(fileIo, paths, schema, options, schemas, snapshots, manifests, liveFiles, clock, recompactor, LOCKS.get(paths.root().toString()));
    }

    /**
     * Without a recompactor.
     */
    public TableCommitter(
            FileIo fileIo,
            TablePaths paths,
            TableSchema schema,
            CoreOptions options,
            SchemaManager schemas,
            SnapshotManager snapshots,
            ManifestStore manifests,
            LiveFiles liveFiles,
            LongSupplier clock)
    {
        this(fileIo, paths, schema, options, schemas, snapshots, manifests, liveFiles, clock, Optional.empty());
    }

    TableCommitter(
            FileIo fileIo,
            TablePaths paths,
            TableSchema schema,
            CoreOptions options,
            SchemaManager schemas,
            SnapshotManager snapshots,
            ManifestStore manifests,
            LiveFiles liveFiles,
            LongSupplier clock,
            Optional<BucketRecompactor> recompactor,
            Lock lock)
    {
        this.tableName = tableName(paths);
        this.levelZeroIsRead = !options.deletionVectorsEnabled() && options.mergeEngine() != MergeEngine.FIRST_ROW;
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.partitions = new PartitionPruning(schema);
        Optional<KeyEncoder> keyEncoder = schema.primaryKeys().isEmpty() ?
                Optional.empty() :
                Optional.of(KeyEncoder.forKeys(schema.trimmedPrimaryKeyFields().stream().map(DataField::type).collect(toImmutableList())));
        this.schemaCheck = new SchemaCheck(tableName, schema, schemas);
        this.conflictCheck = new ConflictCheck(tableName, paths, keyEncoder);
        this.invariants = new CommitInvariants(keyEncoder);
        this.publisher = new SnapshotPublisher(tableName, snapshots, liveFiles, new ManifestWriter(manifests, fileIo, paths), clock, retryPolicy(options));
        this.retryPolicy = retryPolicy(options);
        this.recompactor = requireNonNull(recompactor, "recompactor is null");
        this.disposal = new FileDisposal(fileIo, paths);
        this.lock = requireNonNull(lock, "lock is null");
    }

    /**
     * Publishes, whatever happens to the calling thread: an interrupt is kept until the end.
     *
     * @throws StorageException COMMIT_CONFLICT if another commit stands in the way: nothing was published, and
     * the statement's files may be removed with {@link #discard}; COMMIT_FAILED or a file system's error if the
     * publication failed for another reason: the files are to be left alone
     */
    public CommitResult commit(CommitRequest request)
    {
        List<CommitMessage> messages = request.messages().stream()
                .filter(message -> !message.isEmpty())
                .collect(toImmutableList());
        if (messages.isEmpty() && request.overwrite().isEmpty()) {
            return new CommitResult(OptionalLong.empty(), OptionalLong.empty(), false);
        }
        return UninterruptibleCall.call("commit-" + tableName, () -> {
            lock.lock();
            try {
                return commit(request, messages);
            }
            finally {
                lock.unlock();
            }
        });
    }

    /**
     * Removes the files that messages brought, after a conflict or without a commit; best effort. Files that
     * were live before are never touched.
     */
    public void discard(List<CommitMessage> messages)
    {
        messages.forEach(disposal::discardAll);
    }

    private CommitResult commit(CommitRequest request, List<CommitMessage> messages)
    {
        ConcurrentChanges others = new ConcurrentChanges(snapshots, liveFiles, request.baseSnapshotId(), request.commitUser(), interest(request, messages));
        List<CommitMessage> appending = messages.stream().filter(CommitMessage::hasAppend).collect(toImmutableList());
        List<CommitMessage> compacting = messages.stream().filter(CommitMessage::hasCompaction).collect(toImmutableList());

        OptionalLong appendId = OptionalLong.empty();
        if (!appending.isEmpty() || request.overwrite().isPresent()) {
            CommitKind kind = request.overwrite().isPresent() ? CommitKind.OVERWRITE : CommitKind.APPEND;
            appendId = publisher.publish(new SnapshotPublisher.Publication(kind, request.commitUser(), request.properties(), latest -> {
                conflictCheck.checkRows(request, appending, others, latest);
                if (!levelZeroIsRead && recompactor.isEmpty()) {
                    conflictCheck.checkCompactions(compacting, others, latest);
                }
                return prepareAppend(request, kind, appending, latest);
            }));
        }
        if (compacting.isEmpty()) {
            return new CommitResult(appendId, OptionalLong.empty(), false);
        }
        return compact(request, compacting, others, appendId);
    }

    private CommitResult compact(CommitRequest request, List<CommitMessage> compacting, ConcurrentChanges others, OptionalLong appendId)
    {
        Set<BucketId> stale = new HashSet<>();
        OptionalLong compactId;
        try {
            compactId = publisher.publish(new SnapshotPublisher.Publication(CommitKind.COMPACT, request.commitUser(), request.compactProperties(), latest -> {
                stale.addAll(conflictCheck.staleBuckets(compacting, others, latest));
                latest.ifPresent(snapshot -> stale.addAll(staleVectors(compacting, snapshot)));
                List<CommitMessage> fresh = compacting.stream()
                        .filter(message -> !stale.contains(bucket(message)))
                        .collect(toImmutableList());
                CommitChanges changes = CommitChanges.compaction(fresh);
                return prepare(CommitKind.COMPACT, changes, latest, new IndexUpdate(Optional.empty(), changes.index()));
            }));
        }
        catch (StorageException e) {
            if (appendId.isEmpty()) {
                throw e;
            }
            if (!levelZeroIsRead) {
                if (e.errorCode() == StorageErrorCode.COMMIT_CONFLICT) {
                    compacting.forEach(disposal::discardCompaction);
                    return recompact(request, buckets(compacting), appendId.getAsLong(), OptionalLong.empty(), e);
                }
                throw appendedButInvisible(appendId.getAsLong(), e);
            }
            // the rows are committed and readers find them at level 0: failing would tell the user a lie
            log.warn(e, "Table %s: snapshot %s was published without its compaction", tableName, appendId.getAsLong());
            if (e.errorCode() == StorageErrorCode.COMMIT_CONFLICT) {
                compacting.forEach(disposal::discardCompaction);
            }
            return new CommitResult(appendId, OptionalLong.empty(), true);
        }
        compacting.stream()
                .filter(message -> stale.contains(bucket(message)))
                .forEach(disposal::discardCompaction);
        if (!stale.isEmpty() && !levelZeroIsRead && appendId.isPresent()) {
            return recompact(request, stale, appendId.getAsLong(), compactId, null);
        }
        return new CommitResult(appendId, compactId, !stale.isEmpty());
    }

    /**
     * Compacts buckets again until nobody comes between. The rows are appended already, and nobody sees them.
     *
     * @param compactId the COMPACT snapshot of the other buckets, if there was one
     */
    private CommitResult recompact(CommitRequest request, Set<BucketId> buckets, long appendId, OptionalLong compactId, StorageException cause)
    {
        if (recompactor.isEmpty()) {
            throw appendedButInvisible(appendId, cause);
        }
        OptionalLong lastCompactId = compactId;
        StorageException failure = cause;
        for (int retry = 0; retry <= retryPolicy.maxRetries(); retry++) {
            List<CommitMessage> messages = ImmutableList.of();
            try {
                OptionalLong base = snapshots.latestId();
                messages = recompactor.get().recompact(base.orElseThrow(), buckets);
                if (messages.isEmpty()) {
                    // somebody else lifted the rows
                    return new CommitResult(OptionalLong.of(appendId), lastCompactId, false);
                }
                CommitRequest again = new CommitRequest(base, messages, false, request.properties(), request.compactProperties(), UUID.randomUUID().toString(), Optional.empty());
                ConcurrentChanges others = new ConcurrentChanges(snapshots, liveFiles, base, again.commitUser(), interest(again, messages));
                CommitResult result = compact(again, messages, others, OptionalLong.empty());
                if (result.compactSnapshotId().isPresent()) {
                    lastCompactId = result.compactSnapshotId();
                }
                if (!result.compactionDropped()) {
                    return new CommitResult(OptionalLong.of(appendId), lastCompactId, false);
                }
            }
            catch (StorageException e) {
                if (e.errorCode() != StorageErrorCode.COMMIT_CONFLICT) {
                    throw appendedButInvisible(appendId, e);
                }
                messages.forEach(disposal::discardCompaction);
                failure = e;
            }
            retryPolicy.waitBefore(retry);
        }
        throw appendedButInvisible(appendId, failure);
    }

    /**
     * Buckets whose deletion vectors are not those that the compaction began with.
     */
    private Set<BucketId> staleVectors(List<CommitMessage> compacting, Snapshot latest)
    {
        if (compacting.stream().allMatch(message -> message.indexChanges().isEmpty())) {
            return ImmutableSet.of();
        }
        DeletionVectorIndex index = liveFiles.deletionVectors(latest);
        return compacting.stream()
                .filter(message -> !message.indexChanges().isEmpty())
                .filter(message -> !replacedFiles(message).equals(fileNames(index.bucket(bucket(message)).files().stream())))
                .map(TableCommitter::bucket)
                .collect(toImmutableSet());
    }

    private static Set<String> replacedFiles(CommitMessage message)
    {
        return fileNames(message.indexChanges().stream().filter(file -> file.kind() == FileKind.DELETE));
    }

    private static Set<String> fileNames(Stream<IndexManifestEntry> files)
    {
        return files.map(IndexManifestEntry::fileName).collect(toImmutableSet());
    }

    private Optional<SnapshotPublisher.Prepared> prepareAppend(CommitRequest request, CommitKind kind, List<CommitMessage> appending, Optional<Snapshot> latest)
    {
        if (request.overwrite().isEmpty()) {
            return prepare(kind, CommitChanges.append(appending), latest, IndexUpdate.NONE);
        }
        OverwriteScope scope = request.overwrite().get();
        TupleDomain<Integer> covering = scope.partitions().map(partitions::covering).orElse(TupleDomain.all());
        List<ManifestEntry> replaced = latest
                .map(snapshot -> liveFiles.liveFiles(snapshot, manifest -> partitions.mayContain(manifest, covering), entry -> scope.contains(entry.partition())))
                .orElse(ImmutableList.of());
        // index files speak of data files, and go with them
        return prepare(kind, CommitChanges.overwrite(replaced, appending), latest, new IndexUpdate(Optional.of(scope), ImmutableList.of()));
    }

    private Optional<SnapshotPublisher.Prepared> prepare(CommitKind kind, CommitChanges changes, Optional<Snapshot> latest, IndexUpdate index)
    {
        if (changes.isEmpty()) {
            return Optional.empty();
        }
        long schemaId = schemaCheck.latestCompatible();
        Set<BinaryRow> touched = changes.delta().stream().map(ManifestEntry::partition).collect(toImmutableSet());
        TupleDomain<Integer> covering = partitions.covering(touched);
        List<ManifestEntry> live = latest
                .map(snapshot -> liveFiles.liveFiles(snapshot, manifest -> partitions.mayContain(manifest, covering), entry -> touched.contains(entry.partition())))
                .orElse(ImmutableList.of());
        invariants.check(kind, live, changes.delta()).ifPresent(violation -> {
            throw conflictCheck.invariantBroken(violation, latest);
        });
        return Optional.of(new SnapshotPublisher.Prepared(changes, schemaId, index));
    }

    private static Predicate<BucketId> interest(CommitRequest request, List<CommitMessage> messages)
    {
        Set<BucketId> buckets = buckets(messages);
        return bucket -> buckets.contains(bucket) || request.overwrite().map(scope -> scope.contains(bucket.partition())).orElse(false);
    }

    private static Set<BucketId> buckets(List<CommitMessage> messages)
    {
        return messages.stream().map(TableCommitter::bucket).collect(toImmutableSet());
    }

    private static BucketId bucket(CommitMessage message)
    {
        return new BucketId(message.partition(), message.bucket());
    }

    private StorageException appendedButInvisible(long snapshotId, Throwable cause)
    {
        return new StorageException(
                StorageErrorCode.COMMIT_FAILED,
                format("Table %s: the rows were appended as snapshot %s, but are not yet visible, since their compaction could not be published; the next compaction of their buckets makes them visible", tableName, snapshotId),
                cause);
    }

    private static RetryPolicy retryPolicy(CoreOptions options)
    {
        return new RetryPolicy(options.commitMaxRetries(), options.commitMinRetryWait().toMillis(), options.commitMaxRetryWait().toMillis());
    }

    private static String tableName(TablePaths paths)
    {
        String database = paths.root().getParent() == null ? "" : paths.root().getParent().getName();
        return (database.endsWith(".db") ? database.substring(0, database.length() - 3) + "." : "") + paths.root().getName();
    }
}
