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

import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Makes one snapshot true: prepares it against the newest one, claims the next id, and when it loses the race
 * prepares it again. A claim whose outcome is unknown is looked up among the newer snapshots before the next
 * try; files that such a claim may have referenced are left alone for ever (orphan removal knows better later).
 */
final class SnapshotPublisher
{
    private static final Logger log = Logger.get(SnapshotPublisher.class);

    static final long BATCH_IDENTIFIER = Long.MAX_VALUE;

    private final String tableName;
    private final SnapshotManager snapshots;
    private final LiveFiles liveFiles;
    private final ManifestWriter manifestWriter;
    private final LongSupplier clock;
    private final RetryPolicy retryPolicy;
    private final CommitStatistics statistics;

    private OptionalLong lastPublished = OptionalLong.empty();

    SnapshotPublisher(
            String tableName,
            SnapshotManager snapshots,
            LiveFiles liveFiles,
            ManifestWriter manifestWriter,
            LongSupplier clock,
            RetryPolicy retryPolicy,
            CommitStatistics statistics)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.manifestWriter = requireNonNull(manifestWriter, "manifestWriter is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.retryPolicy = requireNonNull(retryPolicy, "retryPolicy is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
    }

    record Publication(CommitKind kind, String commitUser, Map<String, String> properties, Preparation preparation) {}

    /**
     * @param schemaId latest schema of the table
     * @param index what happens to the index files of the previous snapshot
     * @param statistics name of a statistics file that takes the place of the previous one
     */
    record Prepared(CommitChanges changes, long schemaId, IndexUpdate index, Optional<String> statistics)
    {
        Prepared(CommitChanges changes, long schemaId, IndexUpdate index)
        {
            this(changes, schemaId, index, Optional.empty());
        }
    }

    /**
     * Called at each try. Throws to give up; empty: there is nothing to publish (any more).
     */
    interface Preparation
    {
        Optional<Prepared> prepare(Optional<Snapshot> latest);
    }

    /**
     * @return the id of the snapshot, empty if the preparation left nothing to publish
     * @throws StorageException COMMIT_FAILED if the last try failed, and what the preparation throws; nothing
     * was published, unless the message says that the outcome is unknown
     */
    OptionalLong publish(Publication publication)
    {
        Claim claim = new Claim(publication);
        try {
            return claim.run();
        }
        catch (RuntimeException e) {
            claim.abandon();
            throw e;
        }
    }

    /**
     * Tells readers where to look for what was published. Once a statement, since that only spares them a listing.
     */
    void writeHint()
    {
        lastPublished.ifPresent(snapshots::hintLatest);
    }

    /**
     * The tries of one publication.
     */
    private final class Claim
    {
        private final Publication publication;
        private final ManifestWriter.Session files = manifestWriter.newSession();
        private OptionalLong firstClaimed = OptionalLong.empty();
        // the id whose claim ended in an unknown state, until somebody is seen to own it
        private OptionalLong uncertain = OptionalLong.empty();

        private Claim(Publication publication)
        {
            this.publication = requireNonNull(publication, "publication is null");
        }

        OptionalLong run()
        {
            RuntimeException failure = null;
            for (int retry = 0; ; retry++) {
                try {
                    Optional<OptionalLong> outcome = tryOnce();
                    if (outcome.isPresent()) {
                        return outcome.get();
                    }
                }
                catch (RuntimeException e) {
                    if (uncertain.isEmpty()) {
                        throw e;
                    }
                    log.warn(e, "Outcome of publishing snapshot %s of table %s is unknown, looking for it", uncertain.getAsLong(), tableName);
                    failure = e;
                }
                if (retry >= retryPolicy.maxRetries()) {
                    throw exhausted(retry + 1, failure);
                }
                statistics.getRetries().update(1);
                retryPolicy.waitBefore(retry);
            }
        }

        /**
         * @return empty if another try is needed
         */
        private Optional<OptionalLong> tryOnce()
        {
            // right after one's own there is seldom another one
            Optional<Snapshot> latest = lastPublished.isPresent() && firstClaimed.isEmpty() ? snapshots.latestFrom(lastPublished.getAsLong()) : snapshots.latest();
            long nextId = latest.map(Snapshot::id).orElse(Snapshot.FIRST_ID - 1) + 1;
            Optional<OptionalLong> own = lookForOwn(nextId - 1);
            if (own.isPresent()) {
                return own;
            }
            Optional<Prepared> prepared = publication.preparation().prepare(latest);
            if (prepared.isEmpty()) {
                abandon();
                return Optional.of(OptionalLong.empty());
            }
            Snapshot next = build(publication, latest, nextId, prepared.get(), files, uncertain.isPresent());
            if (firstClaimed.isEmpty()) {
                firstClaimed = OptionalLong.of(nextId);
            }
            boolean published;
            try {
                published = snapshots.tryPublishWithoutHint(next);
            }
            catch (RuntimeException e) {
                uncertain = OptionalLong.of(nextId);
                throw e;
            }
            if (published) {
                lastPublished = OptionalLong.of(nextId);
                files.published(next);
                statistics.published(next.changelogRecordCount());
                return Optional.of(OptionalLong.of(nextId));
            }
            // a store that repeats a request by itself may have refused the repetition of a success
            return lookForOwn(nextId);
        }

        private Optional<OptionalLong> lookForOwn(long latestId)
        {
            if (firstClaimed.isEmpty()) {
                return Optional.empty();
            }
            Optional<Snapshot> own = findOwn(publication, firstClaimed.getAsLong(), latestId);
            if (own.isPresent()) {
                lastPublished = OptionalLong.of(own.get().id());
                files.published(own.get());
                statistics.published(own.get().changelogRecordCount());
                return Optional.of(OptionalLong.of(own.get().id()));
            }
            if (uncertain.isPresent() && uncertain.getAsLong() <= latestId) {
                // the id went to somebody else
                uncertain = OptionalLong.empty();
            }
            return Optional.empty();
        }

        private StorageException exhausted(int tries, RuntimeException failure)
        {
            String outcome = uncertain.isPresent() ?
                    format("whether snapshot %s was published is unknown: look at the table's snapshots before running the statement again", uncertain.getAsLong()) :
                    "nothing was published, run the statement again";
            return new StorageException(StorageErrorCode.COMMIT_FAILED, format("Table %s: gave up publishing a snapshot after %s tries; %s", tableName, tries, outcome), failure);
        }

        void abandon()
        {
            files.abandoned(uncertain.isPresent());
        }
    }

    private Optional<Snapshot> findOwn(Publication publication, long fromId, long toId)
    {
        for (long id = fromId; id <= toId; id++) {
            Snapshot snapshot;
            try {
                snapshot = snapshots.snapshot(id);
            }
            catch (StorageException e) {
                if (e.errorCode() == StorageErrorCode.SNAPSHOT_NOT_FOUND) {
                    continue;
                }
                throw e;
            }
            if (snapshot.commitUser().equals(publication.commitUser()) &&
                    snapshot.commitIdentifier() == BATCH_IDENTIFIER &&
                    snapshot.commitKind() == publication.kind()) {
                return Optional.of(snapshot);
            }
        }
        return Optional.empty();
    }

    private Snapshot build(Publication publication, Optional<Snapshot> latest, long id, Prepared prepared, ManifestWriter.Session files, boolean uncertain)
    {
        List<ManifestFileMeta> previous = latest.map(liveFiles::manifests).orElse(List.of());
        ManifestWriter.Lists lists = files.write(previous, prepared.changes(), latest.flatMap(Snapshot::indexManifest), prepared.index(), uncertain);
        CommitChanges changes = prepared.changes();
        Snapshot snapshot = new Snapshot(
                Snapshot.CURRENT_VERSION,
                id,
                prepared.schemaId(),
                lists.base().fileName(),
                OptionalLong.of(lists.base().size()),
                lists.delta().fileName(),
                OptionalLong.of(lists.delta().size()),
                lists.changelog().map(list -> list.fileName()),
                lists.changelog().map(list -> OptionalLong.of(list.size())).orElse(OptionalLong.empty()),
                lists.index(),
                publication.commitUser(),
                BATCH_IDENTIFIER,
                publication.kind(),
                Math.max(clock.getAsLong(), latest.map(Snapshot::timeMillis).orElse(Long.MIN_VALUE)),
                latest.map(Snapshot::totalRecordCount).orElse(0L) + changes.deltaRecordCount(),
                changes.deltaRecordCount(),
                lists.changelog().isPresent() ? OptionalLong.of(changes.changelogRecordCount()) : OptionalLong.empty(),
                latest.map(Snapshot::watermark).orElse(OptionalLong.empty()),
                // statistics speak of the columns of one schema version
                prepared.statistics().or(() -> latest.filter(before -> before.schemaId() == prepared.schemaId()).flatMap(Snapshot::statistics)),
                publication.properties(),
                OptionalLong.of(latest.map(Snapshot::nextRowId).orElse(OptionalLong.empty()).orElse(0)));
        CommitInvariants.checkSnapshot(latest, snapshot, changes).ifPresent(violation -> {
            throw new StorageException(StorageErrorCode.INTERNAL_ERROR, format("Table %s: snapshot %s would break %s: %s", tableName, id, violation.rule(), violation.detail()));
        });
        return snapshot;
    }
}
