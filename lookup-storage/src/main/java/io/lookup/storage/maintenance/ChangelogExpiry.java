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

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.lookup.storage.StorageException;
import io.lookup.storage.snapshot.LongLivedChangelog;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Takes the oldest long-lived changelogs away, with their files. The newest one stays always: it is where the changelog of the snapshots
 * goes on.
 */
final class ChangelogExpiry
{
    private static final Logger log = Logger.get(ChangelogExpiry.class);

    private final SnapshotManager snapshots;
    private final LongLivedChangelog changelog;
    private final FileReferences references;
    private final FileRemoval removal;

    ChangelogExpiry(SnapshotManager snapshots, FileReferences references, FileRemoval removal)
    {
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.changelog = snapshots.longLivedChangelog();
        this.references = requireNonNull(references, "references is null");
        this.removal = requireNonNull(removal, "removal is null");
    }

    /**
     * @param nextRead the oldest changelog that somebody still has to read
     * @return how many changelogs are gone
     */
    int expire(ExpirySettings settings, OptionalLong nextRead, SharedFiles shared, long nowMillis)
    {
        OptionalLong latestSnapshot = snapshots.latestId();
        OptionalLong latest = changelog.latestId();
        OptionalLong earliest = changelog.earliestId();
        if (latestSnapshot.isEmpty() || latest.isEmpty() || earliest.isEmpty()) {
            return 0;
        }
        long first = Math.max(latestSnapshot.getAsLong() - settings.numRetainedMax() + 1, earliest.getAsLong());
        long end = Math.min(latestSnapshot.getAsLong() - settings.numRetainedMin() + 1, nextRead.orElse(Long.MAX_VALUE));
        end = Math.min(end, earliest.getAsLong() + settings.limit());
        end = Math.min(end, latest.getAsLong());
        for (long id = first; id < end; id++) {
            Optional<Snapshot> kept = changelog.find(id);
            if (kept.isPresent() && kept.get().timeMillis() >= settings.olderThan(nowMillis)) {
                end = id;
            }
        }
        if (end <= earliest.getAsLong()) {
            if (!changelog.hasEarliestHint()) {
                changelog.writeEarliestHint(earliest.getAsLong());
            }
            end = earliest.getAsLong();
        }
        // more than those that expire now, if an earlier expiry broke off
        long begin = changelog.lowestId().orElse(end);
        return begin < end ? expire(begin, end, shared) : 0;
    }

    private int expire(long begin, long end, SharedFiles shared)
    {
        if (changelog.earliestId().orElse(begin) < end) {
            changelog.forgetBefore(end);
        }
        List<Snapshot> tagged = FileReferences.taggedSnapshots(snapshots);
        Set<String> kept = new HashSet<>(shared.metadata());
        TaggedFiles.overlapping(tagged, begin, end).forEach(snapshot -> references.addRemainingMetadata(snapshot, kept));
        changelog.find(end).ifPresent(snapshot -> references.addRemainingMetadata(snapshot, kept));
        snapshots.earliestId().stream().boxed()
                .flatMap(id -> snapshots.find(id).stream())
                .forEach(snapshot -> references.addRemainingMetadata(snapshot, kept));

        TaggedFiles taggedFiles = new TaggedFiles(tagged, references);
        int expired = 0;
        for (long id = begin; id < end; id++) {
            Optional<Snapshot> snapshot = changelog.find(id);
            if (snapshot.isPresent()) {
                try {
                    expire(snapshot.get(), taggedFiles, shared, kept);
                    expired++;
                }
                catch (StorageException e) {
                    log.warn(e, "Files of changelog %s are left where they are, since what a tag before it needs cannot be known", id);
                }
                changelog.delete(id);
            }
        }
        return expired;
    }

    private void expire(Snapshot snapshot, TaggedFiles taggedFiles, SharedFiles shared, Set<String> kept)
    {
        if (snapshot.changelogManifestList().isPresent()) {
            List<FileReferences.ManifestListName> lists = FileReferences.changelogLists(snapshot);
            for (FileReferences.ManifestListName list : lists) {
                removal.delete(references.addedBy(list.name(), list.size(), file -> shared.dataFiles().contains(file.fileName())));
            }
            remove(references.unusedMetadata(snapshot, lists, false, kept));
            return;
        }
        // the level-0 files of appends are what was kept as changelog; compactions took them out of the table
        Set<String> inTag = taggedFiles.before(snapshot.id());
        removal.delete(references.deletedBy(
                snapshot.deltaManifestList(),
                snapshot.deltaManifestListSize(),
                file -> inTag.contains(file.fileName()) || shared.dataFiles().contains(file.fileName())));
        remove(references.unusedMetadata(snapshot, ImmutableList.copyOf(FileReferences.stateLists(snapshot).reversed()), false, kept));
    }

    private void remove(FileReferences.Unused unused)
    {
        removal.delete(unused.leaves());
        removal.delete(unused.roots());
    }
}
