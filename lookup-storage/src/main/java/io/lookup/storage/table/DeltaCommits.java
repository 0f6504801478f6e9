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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.write.FullCompactionTrigger;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * {@code full-compaction.delta-commits}: a bucket is compacted fully by the statement with which as many of the table's
 * commits have come since all of its files last lay at the highest level. No writer lives long enough to count them, so
 * they are counted in the snapshots before the base, as far back as the count can matter. A history that has
 * expired counts as long enough. Not thread-safe.
 */
final class DeltaCommits
        implements FullCompactionTrigger
{
    private final SnapshotManager snapshots;
    private final LiveFiles liveFiles;
    private final OptionalLong baseId;
    private final int deltaCommits;
    private final int highestLevel;
    // newest first
    private final List<Changes> history = new ArrayList<>();

    /**
     * @param highestLevel of the table's options; files that lie higher, as after it was lowered, count as if they lay there
     */
    DeltaCommits(SnapshotManager snapshots, LiveFiles liveFiles, OptionalLong baseId, int deltaCommits, int highestLevel)
    {
        checkArgument(deltaCommits > 0, "deltaCommits is not positive");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.baseId = requireNonNull(baseId, "baseId is null");
        this.deltaCommits = deltaCommits;
        this.highestLevel = highestLevel;
    }

    @Override
    public boolean isDue(BucketId bucket, List<DataFileMeta> baseFiles, int pendingCommits)
    {
        int commits = pendingCommits;
        if (commits >= deltaCommits) {
            return true;
        }
        // goes back snapshot by snapshot: what lay below the highest level after each
        Set<LevelAndName> waiting = new HashSet<>();
        baseFiles.stream()
                .filter(this::isWaiting)
                .forEach(file -> waiting.add(LevelAndName.of(file)));
        for (int age = 0; !waiting.isEmpty(); age++) {
            Optional<Changes> changes = changes(age);
            if (changes.isEmpty()) {
                return true;
            }
            if (changes.get().rows()) {
                commits++;
                if (commits >= deltaCommits) {
                    return true;
                }
            }
            for (ManifestEntry entry : changes.get().entries().get(bucket)) {
                if (entry.kind() == FileKind.ADD) {
                    waiting.remove(LevelAndName.of(entry.file()));
                }
                else if (isWaiting(entry.file())) {
                    waiting.add(LevelAndName.of(entry.file()));
                }
            }
        }
        return false;
    }

    private boolean isWaiting(DataFileMeta file)
    {
        return file.level() < highestLevel;
    }

    /**
     * @return empty if the snapshot has expired, or there never was one
     */
    private Optional<Changes> changes(int age)
    {
        while (history.size() <= age) {
            long id = baseId.orElseThrow() - history.size();
            Optional<Changes> changes = id < Snapshot.FIRST_ID ? Optional.empty() : read(id);
            if (changes.isEmpty()) {
                return Optional.empty();
            }
            history.add(changes.get());
        }
        return Optional.of(history.get(age));
    }

    private Optional<Changes> read(long id)
    {
        try {
            return snapshots.find(id).map(snapshot -> new Changes(
                    snapshot.commitKind() == CommitKind.APPEND || snapshot.commitKind() == CommitKind.OVERWRITE,
                    Multimaps.index(liveFiles.deltaEntries(snapshot, _ -> true, _ -> true), BucketId::of)));
        }
        catch (StorageException e) {
            if (e.errorCode() == StorageErrorCode.MISSING_FILE) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * What a snapshot did to the files of all buckets.
     *
     * @param rows whether it changed rows, as opposed to where they lie
     */
    private record Changes(boolean rows, ImmutableListMultimap<BucketId, ManifestEntry> entries) {}

    private record LevelAndName(int level, String name)
    {
        static LevelAndName of(DataFileMeta file)
        {
            return new LevelAndName(file.level(), file.fileName());
        }
    }
}
