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
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.PartitionPruning;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.trino.spi.predicate.TupleDomain;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.function.Predicate;
import java.util.function.Supplier;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

/**
 * Makes a statement's files true: an APPEND (or OVERWRITE) snapshot, then a COMPACT snapshot, each checked
 * against what others committed since the statement's base. Thread-safe.
 *
 * <p>What the checks rest on: the sequence numbers of a statement must order after those of a commit that changed the same keys
 * of the same bucket since the base. So a statement that has read nothing writes its rows again, and one that has read rows fails.
 * A change of a bucket's files makes a prepared compaction of it stale, and a stale compaction is never published, but made once
 * more.
 */
public final class TableCommitter
{
    private static final Logger log = Logger.get(TableCommitter.class);
    // statements of one process do not race for the same id; other processes are met at the claim
    private static final Striped<Lock> LOCKS = Striped.lazyWeakLock(1 << 20);

    private final String tableName;
    private final boolean levelZeroIsRead;
    private final boolean schemaHasKeys;
    private final int lowestLoggedLevel;
    private final SnapshotManager snapshots;
    private final LiveFiles liveFiles;
    private final PartitionPruning partitions;
    private final SchemaCheck schemaCheck;
    private final ConflictCheck conflictCheck;
    private final Optional<RememberedDeletes> rememberedDeletes;
    private final CommitInvariants invariants;
    // of tables whose buckets grow with their keys
    private final Optional<KeyIndexCheck> keyIndexCheck;
    private final SnapshotPublisher publisher;
    private final FileDisposal disposal;
    private final RetryPolicy retryPolicy;
    private final Optional<Rework> rework;
    private final CommitStatistics statistics;
    private final Lock lock;

    /**
     * @param rework without it a statement fails that would need it, or leaves its compaction to the next one
     */
    public TableCommitter(CommitTarget target, Optional<Rework> rework)
    {
        this(target, rework, LOCKS.get(target.paths().root().toString()));
    }

    TableCommitter(CommitTarget target, Optional<Rework> rework, Lock lock)
    {
        TableSchema schema = target.schema();
        CoreOptions options = target.options();
        this.tableName = target.tableName();
        this.levelZeroIsRead = !options.deletionVectorsEnabled() && options.mergeEngine() != MergeEngine.FIRST_ROW;
        this.schemaHasKeys = !schema.primaryKeys().isEmpty();
        this.lowestLoggedLevel = options.changelogProducer() == ChangelogProducer.FULL_COMPACTION ? options.compaction().numLevels() - 1 : 1;
        this.snapshots = target.snapshots();
        this.liveFiles = target.liveFiles();
        this.partitions = new PartitionPruning(schema);
        Optional<KeyEncoder> keyEncoder = schema.primaryKeys().isEmpty() ?
                Optional.empty() :
                Optional.of(KeyEncoder.forKeys(schema.trimmedPrimaryKeyFields().stream().map(DataField::type).collect(toImmutableList())));
        this.schemaCheck = target.schemaCheck();
        this.conflictCheck = new ConflictCheck(tableName, target.paths(), keyEncoder);
        this.rememberedDeletes = RememberedDeletes.of(tableName, schema, options, conflictCheck);
        this.invariants = new CommitInvariants(keyEncoder);
        this.keyIndexCheck = schemaHasKeys && options.bucket() == -1 ? Optional.of(new KeyIndexCheck(tableName, target.paths(), snapshots, target.manifests())) : Optional.empty();
        this.retryPolicy = target.retryPolicy();
        this.publisher = target.publisher();
        this.rework = requireNonNull(rework, "rework is null");
        this.statistics = target.statistics();
        this.disposal = new FileDisposal(target.fileIo(), target.paths());
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
                return counted(() -> commitAndHint(request, messages));
            }
            finally {
                lock.unlock();
            }
        });
    }

    private CommitResult counted(Supplier<CommitResult> commit)
    {
        long start = System.nanoTime();
        CommitResult result;
        try {
            result = commit.get();
        }
        catch (RuntimeException e) {
            boolean conflict = e instanceof StorageException exception && exception.errorCode() == StorageErrorCode.COMMIT_CONFLICT;
            (conflict ? statistics.getConflicts() : statistics.getFailures()).update(1);
            throw e;
        }
        if (result.appendSnapshotId().isPresent() || result.compactSnapshotId().isPresent()) {
            statistics.getCommits().update(1);
            statistics.getTime().add(System.nanoTime() - start, NANOSECONDS);
        }
        if (result.compactionDropped()) {
            statistics.getCompactionsLeft().update(1);
        }
        return result;
    }

    private CommitResult commitAndHint(CommitRequest request, List<CommitMessage> messages)
    {
        try {
            return commit(request, messages);
        }
        finally {
            publisher.writeHint();
        }
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

        if (appending.isEmpty() && request.overwrite().isEmpty()) {
            return compact(request, compacting, others, new Appended(OptionalLong.empty(), ImmutableSet.of()), ImmutableSet.of());
        }
        CommitKind kind = request.overwrite().isPresent() ? CommitKind.OVERWRITE : CommitKind.APPEND;
        RowRebase rebase = new RowRebase(tableName, rework, conflictCheck, disposal, appending, statistics);
        boolean blind = rework.isPresent() && schemaHasKeys && !request.rowChanges() && request.overwrite().isEmpty();
        OptionalLong appendId;
        try {
            appendId = publisher.publish(new SnapshotPublisher.Publication(kind, request.commitUser(), request.properties(), latest -> {
                if (blind) {
                    rebase.moveUpon(others, latest);
                }
                else {
                    conflictCheck.checkRows(request, appending, others, latest);
                }
                if (!levelZeroIsRead && rework.isEmpty()) {
                    conflictCheck.checkCompactions(compacting, others, latest);
                }
                return prepareAppend(request, kind, rebase.messages(), latest);
            }));
        }
        catch (StorageException e) {
            if (e.errorCode() == StorageErrorCode.COMMIT_CONFLICT) {
                rebase.abandon();
            }
            throw e;
        }
        rebase.published();
        Set<BucketId> outdated = compacting.stream().map(TableCommitter::bucket).filter(rebase.renumberedBuckets()::contains).collect(toImmutableSet());
        List<CommitMessage> valid = compacting.stream().filter(message -> !outdated.contains(bucket(message))).collect(toImmutableList());
        if (valid.isEmpty() && outdated.isEmpty()) {
            return new CommitResult(appendId, OptionalLong.empty(), false);
        }
        return compact(request, valid, others, new Appended(appendId, fileNames(rebase.messages())), outdated);
    }

    /**
     * @param snapshotId empty if the commit appends nothing
     * @param files names of the data files
     */
    private record Appended(OptionalLong snapshotId, Set<String> files) {}

    /**
     * @param outdated buckets whose prepared compaction is gone already
     */
    private CommitResult compact(CommitRequest request, List<CommitMessage> compacting, ConcurrentChanges others, Appended appended, Set<BucketId> outdated)
    {
        Set<BucketId> stale = new HashSet<>(outdated);
        OptionalLong compactId;
        try {
            compactId = publisher.publish(new SnapshotPublisher.Publication(CommitKind.COMPACT, request.commitUser(), request.compactProperties(), latest -> {
                stale.addAll(conflictCheck.staleBuckets(compacting, others, latest, appended.snapshotId().isEmpty()));
                latest.ifPresent(snapshot -> stale.addAll(StaleVectors.find(compacting, snapshot, liveFiles)));
                List<CommitMessage> fresh = compacting.stream()
                        .filter(message -> !stale.contains(bucket(message)))
                        .collect(toImmutableList());
                CommitChanges changes = CommitChanges.compaction(fresh);
                return prepare(CommitKind.COMPACT, changes, latest, new IndexUpdate(Optional.empty(), changes.index()));
            }));
        }
        catch (StorageException e) {
            if (appended.snapshotId().isEmpty()) {
                throw e;
            }
            if (e.errorCode() == StorageErrorCode.COMMIT_CONFLICT) {
                compacting.forEach(disposal::discardCompaction);
                stale.addAll(buckets(compacting));
                return recompact(request, stale, appended, OptionalLong.empty(), e);
            }
            return givenUp(appended.snapshotId().getAsLong(), OptionalLong.empty(), e);
        }
        compacting.stream()
                .filter(message -> stale.contains(bucket(message)))
                .forEach(disposal::discardCompaction);
        if (!stale.isEmpty() && appended.snapshotId().isPresent()) {
            return recompact(request, stale, appended, compactId, null);
        }
        return new CommitResult(appended.snapshotId(), compactId, !stale.isEmpty());
    }

    /**
     * Compacts buckets again: once, within the budget; or, where nobody sees the appended rows before, or deletes must not wait, until nobody comes between.
     *
     * @param compactId the COMPACT snapshot of the other buckets, if there was one
     */
    private CommitResult recompact(CommitRequest request, Set<BucketId> buckets, Appended appended, OptionalLong compactId, StorageException cause)
    {
        long appendId = appended.snapshotId().orElseThrow();
        if (rework.isEmpty()) {
            return givenUp(appendId, compactId, cause);
        }
        boolean insists = !levelZeroIsRead || rememberedDeletes.isPresent();
        int maxRetries = insists ? retryPolicy.maxRetries() : 0;
        OptionalLong lastCompactId = compactId;
        RuntimeException failure = cause;
        for (int retry = 0; retry <= maxRetries; retry++) {
            List<CommitMessage> messages = ImmutableList.of();
            try {
                Snapshot base = snapshots.latest().orElseThrow();
                if (!insists && liveBytes(base, buckets) > rework.get().budget().maxBytes()) {
                    break;
                }
                messages = rework.get().budget().run(() -> rework.get().recompactor().recompact(base.id(), buckets));
                if (messages.isEmpty()) {
                    // somebody else lifted the rows
                    return new CommitResult(appended.snapshotId(), lastCompactId, false);
                }
                Map<String, String> properties = liftsOnly(messages, appended.files()) ? request.properties() : request.foreignCompactProperties();
                CommitRequest again = new CommitRequest(OptionalLong.of(base.id()), messages, false, request.properties(), properties, UUID.randomUUID().toString(), Optional.empty());
                ConcurrentChanges others = new ConcurrentChanges(snapshots, liveFiles, again.baseSnapshotId(), again.commitUser(), interest(again, messages));
                CommitResult result = compact(again, messages, others, new Appended(OptionalLong.empty(), ImmutableSet.of()), ImmutableSet.of());
                if (result.compactSnapshotId().isPresent()) {
                    lastCompactId = result.compactSnapshotId();
                }
                if (!result.compactionDropped()) {
                    return new CommitResult(appended.snapshotId(), lastCompactId, false);
                }
            }
            catch (RuntimeException e) {
                if (!(e instanceof StorageException exception) || exception.errorCode() != StorageErrorCode.COMMIT_CONFLICT) {
                    return givenUp(appendId, lastCompactId, e);
                }
                messages.forEach(disposal::discardCompaction);
                failure = e;
            }
            if (retry < maxRetries) {
                retryPolicy.waitBefore(retry);
            }
        }
        return givenUp(appendId, lastCompactId, failure);
    }

    private CommitResult givenUp(long appendId, OptionalLong compactId, RuntimeException cause)
    {
        if (!levelZeroIsRead) {
            throw appendedButInvisible(appendId, cause);
        }
        // the rows are committed and readers find them at level 0: failing would tell the user a lie
        if (cause != null) {
            log.warn(cause, "Table %s: snapshot %s was published without its compaction", tableName, appendId);
        }
        return new CommitResult(OptionalLong.of(appendId), compactId, true);
    }

    private boolean liftsOnly(List<CommitMessage> messages, Set<String> files)
    {
        return messages.stream()
                .flatMap(message -> message.compactBefore().stream())
                .filter(file -> file.level() < lowestLoggedLevel)
                .allMatch(file -> files.contains(file.fileName()));
    }

    private long liveBytes(Snapshot snapshot, Set<BucketId> buckets)
    {
        TupleDomain<Integer> covering = partitions.covering(buckets.stream().map(BucketId::partition).collect(toImmutableSet()));
        return liveFiles.liveFiles(snapshot, manifest -> partitions.mayContain(manifest, covering), entry -> buckets.contains(BucketId.of(entry))).stream()
                .mapToLong(entry -> entry.file().fileSize())
                .sum();
    }

    private static Set<String> fileNames(List<CommitMessage> messages)
    {
        return messages.stream()
                .flatMap(message -> message.newFiles().stream())
                .map(DataFileMeta::fileName)
                .collect(toImmutableSet());
    }

    private Optional<SnapshotPublisher.Prepared> prepareAppend(CommitRequest request, CommitKind kind, List<CommitMessage> appending, Optional<Snapshot> latest)
    {
        if (request.overwrite().isEmpty()) {
            CommitChanges changes = CommitChanges.append(appending);
            keyIndexCheck.ifPresent(check -> check.check(request.baseSnapshotId(), appending, latest));
            return prepare(kind, changes, latest, new IndexUpdate(Optional.empty(), changes.index()));
        }
        OverwriteScope scope = request.overwrite().get();
        TupleDomain<Integer> covering = scope.partitions().map(partitions::covering).orElse(TupleDomain.all());
        List<ManifestEntry> replaced = latest
                .map(snapshot -> liveFiles.liveFiles(snapshot, manifest -> partitions.mayContain(manifest, covering), entry -> scope.contains(entry.partition())))
                .orElse(ImmutableList.of());
        // index files speak of data files, and go with them
        CommitChanges changes = CommitChanges.overwrite(replaced, appending);
        return prepare(kind, changes, latest, new IndexUpdate(Optional.of(scope), changes.index()));
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
        if (kind == CommitKind.APPEND) {
            rememberedDeletes.ifPresent(deletes -> deletes.check(changes.delta(), live));
        }
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

    static BucketId bucket(CommitMessage message)
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
}
