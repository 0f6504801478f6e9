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

import io.airlift.slice.Slice;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.ConcurrentChanges.BaseLostException;
import io.lookup.storage.commit.ConcurrentChanges.Change;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.snapshot.Snapshot;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;

/**
 * Whether what others committed since the base lets a statement's changes stand.
 */
final class ConflictCheck
{
    private final String tableName;
    private final TablePaths paths;
    private final Optional<KeyEncoder> keyEncoder;

    /**
     * @param keyEncoder empty for an append-only table, where rows have no identity to fight about
     */
    ConflictCheck(String tableName, TablePaths paths, Optional<KeyEncoder> keyEncoder)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
    }

    /**
     * @throws StorageException COMMIT_CONFLICT if others changed rows that this statement changes or stands on
     */
    void checkRows(CommitRequest request, List<CommitMessage> appending, ConcurrentChanges others, Optional<Snapshot> latest)
    {
        if (keyEncoder.isEmpty() && !request.rowChanges()) {
            return;
        }
        List<Change> changes = changesSinceBase(others, latest);
        if (changes.isEmpty()) {
            return;
        }
        if (request.overwrite().isPresent()) {
            checkOverwrite(request, appending, changes);
            return;
        }
        Map<BucketId, List<Change>> byBucket = changes.stream()
                .filter(Change::changesRows)
                .collect(groupingBy(change -> BucketId.of(change.entry())));
        for (CommitMessage message : appending) {
            BucketId bucket = new BucketId(message.partition(), message.bucket());
            for (Change change : byBucket.getOrDefault(bucket, List.of())) {
                // rows deleted under a blind insert cannot be told from rows deleted before it
                boolean relevant = change.entry().kind() == FileKind.ADD || request.rowChanges();
                if (relevant && touches(message.newFiles(), change.entry().file())) {
                    throw rowConflict(change);
                }
            }
        }
    }

    /**
     * Files that others added since the base, in commit order, for statements that stand on no row of the table.
     *
     * @throws StorageException COMMIT_CONFLICT if they cannot be known
     */
    Map<BucketId, List<Change>> addedFiles(ConcurrentChanges others, Optional<Snapshot> latest)
    {
        return changesSinceBase(others, latest).stream()
                .filter(change -> change.entry().kind() == FileKind.ADD)
                .collect(groupingBy(change -> BucketId.of(change.entry())));
    }

    StorageException tooMuchToRenumber(Change change, long bytes, long maxBytes)
    {
        return new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Table %s%s: snapshot %s (%s) changed the same rows while the statement ran, and its own are %s bytes, more than the %s bytes that may be written again; nothing was committed, run the statement again",
                tableName, describe(BucketId.of(change.entry())), change.snapshotId(), change.kind(), bytes, maxBytes));
    }

    private void checkOverwrite(CommitRequest request, List<CommitMessage> appending, List<Change> changes)
    {
        OverwriteScope scope = request.overwrite().orElseThrow();
        boolean readState = request.rowChanges() || appending.stream().anyMatch(message -> !message.newChangelogFiles().isEmpty());
        for (Change change : changes) {
            // a changelog of the overwrite names the rows of the base, level by level: any change of files belies it
            if (readState && scope.contains(change.entry().partition())) {
                throw rowConflict(change);
            }
        }
    }

    /**
     * @throws StorageException COMMIT_CONFLICT if a compaction is stale; for tables whose readers skip level 0
     */
    void checkCompactions(List<CommitMessage> compacting, ConcurrentChanges others, Optional<Snapshot> latest)
    {
        Set<BucketId> buckets = buckets(compacting);
        for (Change change : changesSinceBase(others, latest)) {
            if (buckets.contains(BucketId.of(change.entry()))) {
                throw rowConflict(change);
            }
        }
    }

    /**
     * Buckets whose files anybody changed since the base: what was looked up and merged there may be outdated.
     *
     * @param committedRowsOnly whether the compactions take in nothing but committed rows. Then an APPEND that came meanwhile has
     * changed nothing that they have read: its rows are newer, wait at level 0 and are lifted after them.
     */
    Set<BucketId> staleBuckets(List<CommitMessage> compacting, ConcurrentChanges others, Optional<Snapshot> latest, boolean committedRowsOnly)
    {
        Set<BucketId> buckets = buckets(compacting);
        List<Change> changes;
        try {
            changes = others.upTo(id(latest));
        }
        catch (BaseLostException e) {
            return buckets;
        }
        return changes.stream()
                .filter(change -> !committedRowsOnly || !change.addsToLevelZero())
                .map(change -> BucketId.of(change.entry()))
                .filter(buckets::contains)
                .collect(toImmutableSet());
    }

    StorageException invariantBroken(CommitInvariants.Violation violation, Optional<Snapshot> latest)
    {
        String place = violation.bucket().map(this::describe).orElse("");
        String state = latest.map(snapshot -> "snapshot " + snapshot.id()).orElse("the empty table");
        if (violation.rule().concurrent()) {
            return new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Table %s%s: upon %s the commit would break %s: %s; nothing was committed, run the statement again",
                    tableName, place, state, violation.rule(), violation.detail()));
        }
        return new StorageException(StorageErrorCode.INTERNAL_ERROR, format("Table %s%s: upon %s the commit would break %s: %s", tableName, place, state, violation.rule(), violation.detail()));
    }

    private List<Change> changesSinceBase(ConcurrentChanges others, Optional<Snapshot> latest)
    {
        try {
            return others.upTo(id(latest));
        }
        catch (BaseLostException e) {
            throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Table %s: what happened since the statement began cannot be known (%s); nothing was committed, run the statement again", tableName, e.getMessage()), e);
        }
    }

    boolean touches(List<DataFileMeta> files, DataFileMeta other)
    {
        if (keyEncoder.isEmpty()) {
            return true;
        }
        Slice otherMin = keyEncoder.get().encode(other.minKey());
        Slice otherMax = keyEncoder.get().encode(other.maxKey());
        return files.stream().anyMatch(file ->
                keyEncoder.get().encode(file.minKey()).compareTo(otherMax) <= 0 &&
                        otherMin.compareTo(keyEncoder.get().encode(file.maxKey())) <= 0);
    }

    private StorageException rowConflict(Change change)
    {
        return new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Table %s%s: snapshot %s (%s) changed the same rows while the statement ran; nothing was committed, run the statement again",
                tableName, describe(BucketId.of(change.entry())), change.snapshotId(), change.kind()));
    }

    private String describe(BucketId bucket)
    {
        String partition = paths.partitionDirectory(bucket.partition());
        while (partition.endsWith("/")) {
            partition = partition.substring(0, partition.length() - 1);
        }
        return format("%s, bucket %s", partition.isEmpty() ? "" : ", partition " + partition, bucket.bucket());
    }

    private static Set<BucketId> buckets(List<CommitMessage> messages)
    {
        return messages.stream()
                .map(message -> new BucketId(message.partition(), message.bucket()))
                .collect(toImmutableSet());
    }

    private static OptionalLong id(Optional<Snapshot> latest)
    {
        return latest.map(snapshot -> OptionalLong.of(snapshot.id())).orElse(OptionalLong.empty());
    }
}
