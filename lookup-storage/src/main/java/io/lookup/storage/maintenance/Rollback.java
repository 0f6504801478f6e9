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

import com.google.common.collect.Lists;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.snapshot.LongLivedChangelog;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.Tag;
import io.lookup.storage.snapshot.TagManager;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Makes an earlier snapshot the newest one. Later snapshots, tags and long-lived changelogs are gone; their files are left to the removal of
 * orphan files.
 */
final class Rollback
{
    private final String tableName;
    private final long schemaId;
    private final SnapshotManager snapshots;
    private final TagManager tags;

    /**
     * @param schemaId the newest schema version, which stays so
     */
    Rollback(String tableName, long schemaId, SnapshotManager snapshots, TagManager tags)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.schemaId = schemaId;
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.tags = requireNonNull(tags, "tags is null");
    }

    /**
     * @param snapshotId a snapshot that is there, or that a tag keeps
     */
    void rollbackTo(long snapshotId)
    {
        Optional<Snapshot> existing = snapshots.findListed(snapshotId);
        Snapshot retained = existing
                .or(() -> snapshots.tags().stream().map(Tag::snapshot).filter(snapshot -> snapshot.id() == snapshotId).findFirst())
                .orElseGet(() -> snapshots.snapshot(snapshotId));
        checkNotReplaced(snapshotId);
        // readers believe the hint as soon as the snapshot after it is gone, which is why the newest goes first
        snapshots.writeLatestHint(snapshotId);
        for (long id : Lists.reverse(snapshots.ids())) {
            if (id > snapshotId) {
                snapshots.delete(id);
            }
        }
        if (existing.isEmpty()) {
            restore(retained);
        }
        deleteChangelogs(snapshotId);
        snapshots.tags().stream()
                .filter(tag -> tag.snapshot().id() > snapshotId)
                .forEach(tag -> tags.delete(tag.name()));
    }

    private void checkNotReplaced(long snapshotId)
    {
        for (Snapshot later : snapshots.snapshots(snapshotId + 1, Long.MAX_VALUE)) {
            if (later.replacesTable() && later.schemaId() < schemaId) {
                throw new StorageException(
                        StorageErrorCode.UNSUPPORTED_FEATURE,
                        format("Table %s cannot be rolled back to snapshot %s: snapshot %s replaced it by one with columns of its own, which would stay; copy the rows of FOR VERSION AS OF %s to another table", tableName, snapshotId, later.id(), snapshotId));
            }
        }
    }

    /**
     * A snapshot that had expired, and of which the tag kept all files but those of the changelog: it comes back without one, or no reader could read past it.
     */
    private void restore(Snapshot snapshot)
    {
        Snapshot restored = snapshots.longLivedChangelog().ids().contains(snapshot.id()) ? snapshot : snapshot.withoutChangelog();
        if (snapshots.find(snapshot.id()).equals(Optional.of(snapshot))) {
            // the expiry that took it away broke off before this file
            snapshots.delete(snapshot.id());
        }
        if (!snapshots.tryPublish(restored) && !snapshots.find(snapshot.id()).equals(Optional.of(restored))) {
            throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Table %s: snapshot %s was made by somebody else while the table was rolled back to it", tableName, snapshot.id()));
        }
        snapshots.writeEarliestHint(snapshot.id());
    }

    private void deleteChangelogs(long snapshotId)
    {
        LongLivedChangelog changelog = snapshots.longLivedChangelog();
        List<Long> ids = changelog.ids();
        List<Long> later = ids.stream().filter(id -> id > snapshotId).toList();
        if (later.isEmpty()) {
            return;
        }
        changelog.writeLatestHint(later.size() == ids.size() ? OptionalLong.empty() : OptionalLong.of(ids.get(ids.size() - later.size() - 1)));
        Lists.reverse(later).forEach(changelog::delete);
    }
}
