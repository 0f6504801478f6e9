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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/**
 * What other statements committed since this one's base, as far as it lies in buckets of interest. Each
 * snapshot is read once, however often the publication is tried. Not thread-safe.
 */
final class ConcurrentChanges
{
    private final SnapshotManager snapshots;
    private final LiveFiles liveFiles;
    private final long baseId;
    private final String commitUser;
    private final Predicate<BucketId> interest;
    private final Map<Long, List<Change>> changes = new HashMap<>();

    ConcurrentChanges(SnapshotManager snapshots, LiveFiles liveFiles, OptionalLong baseSnapshotId, String commitUser, Predicate<BucketId> interest)
    {
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.baseId = baseSnapshotId.orElse(Snapshot.FIRST_ID - 1);
        this.commitUser = requireNonNull(commitUser, "commitUser is null");
        this.interest = requireNonNull(interest, "interest is null");
    }

    /**
     * @param entry ADD or DELETE, as committed
     */
    record Change(long snapshotId, CommitKind kind, ManifestEntry entry)
    {
        /**
         * A compaction moves rows; every other kind changes them.
         */
        boolean changesRows()
        {
            return kind != CommitKind.COMPACT;
        }

        boolean addsToLevelZero()
        {
            return kind == CommitKind.APPEND && entry.kind() == FileKind.ADD && entry.file().level() == 0;
        }
    }

    /**
     * Changes of (base, latest] in commit order, this statement's own left out.
     *
     * @throws BaseLostException if that range cannot be known any more
     */
    List<Change> upTo(OptionalLong latestId)
    {
        long latest = latestId.orElse(Snapshot.FIRST_ID - 1);
        if (latest < baseId) {
            throw new BaseLostException(baseId, "the table was rolled back to " + (latestId.isPresent() ? "snapshot " + latest : "nothing"), null);
        }
        ImmutableList.Builder<Change> result = ImmutableList.builder();
        for (long id = baseId + 1; id <= latest; id++) {
            List<Change> ofSnapshot = changes.get(id);
            if (ofSnapshot == null) {
                ofSnapshot = read(id);
                changes.put(id, ofSnapshot);
            }
            result.addAll(ofSnapshot);
        }
        return result.build();
    }

    private List<Change> read(long id)
    {
        try {
            Snapshot snapshot = snapshots.snapshot(id);
            if (snapshot.commitUser().equals(commitUser)) {
                return ImmutableList.of();
            }
            return liveFiles.deltaEntries(snapshot, manifest -> true, entry -> interest.test(BucketId.of(entry))).stream()
                    .map(entry -> new Change(id, snapshot.commitKind(), entry))
                    .collect(ImmutableList.toImmutableList());
        }
        catch (StorageException e) {
            if (e.errorCode() == StorageErrorCode.SNAPSHOT_NOT_FOUND || e.errorCode() == StorageErrorCode.MISSING_FILE) {
                throw new BaseLostException(baseId, "snapshot " + id + " has expired", e);
            }
            throw e;
        }
    }

    /**
     * What happened since the base is unknown, so that nothing can be proved.
     */
    static final class BaseLostException
            extends RuntimeException
    {
        BaseLostException(long baseId, String reason, Throwable cause)
        {
            super("base snapshot %s: %s".formatted(baseId, reason), cause);
        }
    }
}
