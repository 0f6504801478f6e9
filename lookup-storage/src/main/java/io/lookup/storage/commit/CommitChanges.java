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
import com.google.common.collect.Sets;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

/**
 * The entries of one snapshot.
 *
 * @param delta all DELETE entries, then all ADD entries: expiration walks them in this order, and would
 * remove an upgraded file from disk if its DELETE came last
 * @param changelog ADD entries of changelog files
 * @param index DELETE and ADD entries of index files
 */
record CommitChanges(List<ManifestEntry> delta, List<ManifestEntry> changelog, List<IndexManifestEntry> index)
{
    CommitChanges
    {
        delta = ImmutableList.copyOf(delta);
        changelog = ImmutableList.copyOf(changelog);
        index = ImmutableList.copyOf(index);
    }

    CommitChanges(List<ManifestEntry> delta, List<ManifestEntry> changelog)
    {
        this(delta, changelog, ImmutableList.of());
    }

    boolean isEmpty()
    {
        return delta.isEmpty() && changelog.isEmpty();
    }

    static CommitChanges append(List<CommitMessage> messages)
    {
        return overwrite(ImmutableList.of(), messages);
    }

    /**
     * @param replaced live entries that the commit deletes
     */
    static CommitChanges overwrite(List<ManifestEntry> replaced, List<CommitMessage> messages)
    {
        ImmutableList.Builder<ManifestEntry> delta = ImmutableList.builder();
        ImmutableList.Builder<ManifestEntry> changelog = ImmutableList.builder();
        ImmutableList.Builder<IndexManifestEntry> index = ImmutableList.builder();
        for (ManifestEntry entry : replaced) {
            delta.add(new ManifestEntry(FileKind.DELETE, entry.partition(), entry.bucket(), entry.totalBuckets(), entry.file()));
        }
        for (CommitMessage message : messages) {
            message.newFiles().forEach(file -> delta.add(entry(FileKind.ADD, message, file)));
            message.newChangelogFiles().forEach(file -> changelog.add(entry(FileKind.ADD, message, file)));
            index.addAll(message.hashChanges());
        }
        return new CommitChanges(delta.build(), changelog.build(), index.build());
    }

    static CommitChanges compaction(List<CommitMessage> messages)
    {
        ImmutableList.Builder<ManifestEntry> deleted = ImmutableList.builder();
        ImmutableList.Builder<ManifestEntry> added = ImmutableList.builder();
        ImmutableList.Builder<ManifestEntry> changelog = ImmutableList.builder();
        ImmutableList.Builder<IndexManifestEntry> index = ImmutableList.builder();
        for (CommitMessage message : messages) {
            index.addAll(message.vectorChanges());
            Set<ManifestEntry.Identity> before = identities(message, message.compactBefore());
            Set<ManifestEntry.Identity> after = identities(message, message.compactAfter());
            // what one compaction of the statement put out and the next took in was never live
            Set<ManifestEntry.Identity> passing = new HashSet<>(Sets.intersection(before, after));
            message.compactBefore().stream()
                    .map(file -> entry(FileKind.DELETE, message, file))
                    .filter(entry -> !passing.contains(entry.identity()))
                    .forEach(deleted::add);
            message.compactAfter().stream()
                    .map(file -> entry(FileKind.ADD, message, file))
                    .filter(entry -> !passing.contains(entry.identity()))
                    .forEach(added::add);
            message.compactChangelogFiles().forEach(file -> changelog.add(entry(FileKind.ADD, message, file)));
        }
        return new CommitChanges(ImmutableList.<ManifestEntry>builder().addAll(deleted.build()).addAll(added.build()).build(), changelog.build(), index.build());
    }

    /**
     * Rows that the delta adds to the live files, negative if it removes more.
     */
    long deltaRecordCount()
    {
        return delta.stream()
                .mapToLong(entry -> entry.kind() == FileKind.ADD ? entry.file().rowCount() : -entry.file().rowCount())
                .sum();
    }

    long changelogRecordCount()
    {
        return changelog.stream()
                .mapToLong(entry -> entry.file().rowCount())
                .sum();
    }

    private static Set<ManifestEntry.Identity> identities(CommitMessage message, List<DataFileMeta> files)
    {
        return files.stream()
                .map(file -> entry(FileKind.ADD, message, file).identity())
                .collect(toImmutableSet());
    }

    private static ManifestEntry entry(FileKind kind, CommitMessage message, DataFileMeta file)
    {
        requireNonNull(file, "file is null");
        return new ManifestEntry(kind, message.partition(), message.bucket(), message.totalBuckets(), file);
    }
}
