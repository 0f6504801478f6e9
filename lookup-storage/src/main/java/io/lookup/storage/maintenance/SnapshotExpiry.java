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
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.snapshot.LongLivedChangelog;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import org.apache.hadoop.fs.Path;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/**
 * Takes the oldest snapshots away, with the files that only they need. The order makes it safe to break off anywhere and to run again: first the hint
 * at the oldest snapshot that stays, so that what is listed can be read at every moment; then data files, changelog files, manifests, their lists, and last the
 * snapshots' own files from the oldest on. By these the next expiry knows what was left. The snapshots that stay are not touched.
 */
final class SnapshotExpiry
{
    private static final Logger log = Logger.get(SnapshotExpiry.class);

    private final SnapshotManager snapshots;
    private final FileReferences references;
    private final FileRemoval removal;
    private final boolean hasProducer;
    private final boolean keepChangelogs;

    /**
     * @param hasProducer whether the table has changelog files; else the level-0 files of APPEND snapshots are its changelog
     * @param keepChangelogs whether the changelog of an expired snapshot stays as long-lived changelog
     */
    SnapshotExpiry(SnapshotManager snapshots, FileReferences references, FileRemoval removal, boolean hasProducer, boolean keepChangelogs)
    {
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.references = requireNonNull(references, "references is null");
        this.removal = requireNonNull(removal, "removal is null");
        this.hasProducer = hasProducer;
        this.keepChangelogs = keepChangelogs;
    }

    /**
     * @param nextRead the oldest snapshot that somebody still has to read
     * @return how many snapshots are gone
     */
    int expire(ExpirySettings settings, OptionalLong nextRead, SharedFiles shared, long nowMillis)
    {
        OptionalLong latest = snapshots.latestId();
        OptionalLong earliest = snapshots.earliestId();
        if (latest.isEmpty() || earliest.isEmpty()) {
            return 0;
        }
        long first = Math.max(latest.getAsLong() - settings.numRetainedMax() + 1, earliest.getAsLong());
        long end = Math.min(latest.getAsLong() - settings.numRetainedMin() + 1, nextRead.orElse(Long.MAX_VALUE));
        end = Math.max(Math.min(end, earliest.getAsLong() + settings.limit()), earliest.getAsLong());
        for (long id = first; id < end; id++) {
            Optional<Snapshot> snapshot = snapshots.find(id);
            if (snapshot.isPresent() && snapshot.get().timeMillis() >= settings.olderThan(nowMillis)) {
                end = id;
            }
        }
        if (end == earliest.getAsLong() && !snapshots.hasEarliestHint()) {
            snapshots.writeEarliestHint(end);
        }
        // more than those that expire now, if an earlier expiry broke off
        return expire(snapshots.lowestId().orElse(end), end, shared);
    }

    private int expire(long begin, long end, SharedFiles shared)
    {
        if (end <= begin) {
            return 0;
        }
        Optional<Snapshot> survivor = snapshots.find(end);
        if (survivor.isEmpty()) {
            // somebody else expires further than this
            return 0;
        }
        List<Snapshot> expiring = new ArrayList<>();
        for (long id = begin; id < end; id++) {
            snapshots.find(id).ifPresent(expiring::add);
        }
        if (expiring.isEmpty()) {
            return 0;
        }
        if (keepChangelogs) {
            LongLivedChangelog changelog = snapshots.longLivedChangelog();
            expiring.forEach(changelog::add);
        }
        if (snapshots.earliestId().orElse(begin) < end) {
            snapshots.forgetBefore(end);
        }
        List<Snapshot> tagged = FileReferences.taggedSnapshots(snapshots);
        deleteDataFiles(expiring, survivor.get(), tagged, shared);
        if (!keepChangelogs) {
            for (Snapshot snapshot : expiring) {
                for (FileReferences.ManifestListName list : FileReferences.changelogLists(snapshot)) {
                    removal.delete(references.addedBy(list.name(), list.size(), file -> shared.dataFiles().contains(file.fileName())));
                }
            }
        }
        deleteMetadata(expiring, survivor.get(), tagged, shared);

        for (Snapshot snapshot : expiring) {
            snapshots.delete(snapshot.id());
        }
        log.debug("Expired snapshots %s to %s", expiring.getFirst().id(), end - 1);
        return expiring.size();
    }

    /**
     * What a commit took out of the table is needed by the snapshots before it only.
     */
    private void deleteDataFiles(List<Snapshot> expiring, Snapshot survivor, List<Snapshot> tagged, SharedFiles shared)
    {
        TaggedFiles taggedFiles = new TaggedFiles(tagged, references);
        for (Snapshot snapshot : ImmutableList.<Snapshot>builder().addAll(expiring.subList(1, expiring.size())).add(survivor).build()) {
            Set<String> inTag;
            try {
                inTag = taggedFiles.before(snapshot.id());
            }
            catch (StorageException e) {
                log.warn(e, "Data files that snapshot %s deleted are left where they are, since what a tag before it needs cannot be known", snapshot.id());
                continue;
            }
            Predicate<DataFileMeta> kept = file -> inTag.contains(file.fileName()) ||
                    shared.dataFiles().contains(file.fileName()) ||
                    (keepChangelogs && !hasProducer && isAppended(file));
            removal.delete(references.deletedBy(snapshot.deltaManifestList(), snapshot.deltaManifestListSize(), kept));
        }
    }

    private static boolean isAppended(DataFileMeta file)
    {
        return file.fileSource().orElse(FileSource.APPEND) == FileSource.APPEND;
    }

    private void deleteMetadata(List<Snapshot> expiring, Snapshot survivor, List<Snapshot> tagged, SharedFiles shared)
    {
        Set<String> kept = new HashSet<>(shared.metadata());
        try {
            TaggedFiles.overlapping(tagged, expiring.getFirst().id(), survivor.id()).forEach(snapshot -> references.addStateMetadata(snapshot, kept));
        }
        catch (StorageException e) {
            log.warn(e, "Manifests of expired snapshots are left where they are, since what a tag needs cannot be known");
            return;
        }
        references.addStateMetadata(survivor, kept);
        Set<Path> leaves = new LinkedHashSet<>();
        Set<Path> roots = new LinkedHashSet<>();
        for (Snapshot snapshot : expiring) {
            ImmutableList.Builder<FileReferences.ManifestListName> lists = ImmutableList.builder();
            if (!keepChangelogs || hasProducer) {
                lists.addAll(FileReferences.stateLists(snapshot));
            }
            if (!keepChangelogs) {
                lists.addAll(FileReferences.changelogLists(snapshot));
            }
            FileReferences.Unused unused = references.unusedMetadata(snapshot, lists.build(), true, kept);
            leaves.addAll(unused.leaves());
            roots.addAll(unused.roots());
        }
        removal.delete(leaves);
        removal.delete(roots);
    }
}
