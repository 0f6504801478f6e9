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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Keeps two statements from putting one new key into two buckets: where buckets grow with the keys, a statement chooses buckets by
 * the index of its base, so that the index of the partitions which it writes must not have changed since.
 */
final class KeyIndexCheck
{
    private final String tableName;
    private final TablePaths paths;
    private final SnapshotManager snapshots;
    private final ManifestStore manifests;

    KeyIndexCheck(String tableName, TablePaths paths, SnapshotManager snapshots, ManifestStore manifests)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.manifests = requireNonNull(manifests, "manifests is null");
    }

    /**
     * @throws StorageException COMMIT_CONFLICT naming the partition
     */
    void check(OptionalLong baseSnapshotId, List<CommitMessage> appending, Optional<Snapshot> latest)
    {
        OptionalLong latestId = latest.map(Snapshot::id).map(OptionalLong::of).orElse(OptionalLong.empty());
        if (latestId.equals(baseSnapshotId)) {
            return;
        }
        Set<BinaryRow> partitions = appending.stream()
                .filter(message -> !message.newFiles().isEmpty())
                .map(CommitMessage::partition)
                .collect(toImmutableSet());
        Optional<Snapshot> base = Optional.empty();
        if (baseSnapshotId.isPresent()) {
            base = snapshots.find(baseSnapshotId.getAsLong());
            if (base.isEmpty()) {
                throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format(
                        "Table %s: snapshot %s, which the statement began with, has expired; nothing was committed, run the statement again",
                        tableName,
                        baseSnapshotId.getAsLong()));
            }
        }
        for (BinaryRow partition : partitions) {
            if (!index(base, partition).equals(index(latest, partition))) {
                throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format(
                        "Table %s%s: another statement assigned new keys to buckets while this one ran; nothing was committed, run the statement again",
                        tableName,
                        partition.equals(BinaryRow.EMPTY) ? "" : ", partition " + paths.partitionDirectory(partition)));
            }
        }
    }

    private Set<String> index(Optional<Snapshot> snapshot, BinaryRow partition)
    {
        return snapshot.flatMap(Snapshot::indexManifest).map(manifests::readIndexManifest).orElse(List.of()).stream()
                .filter(entry -> entry.indexType().equals(IndexManifestEntry.HASH) && entry.partition().equals(partition))
                .map(IndexManifestEntry::fileName)
                .collect(toImmutableSet());
    }
}
