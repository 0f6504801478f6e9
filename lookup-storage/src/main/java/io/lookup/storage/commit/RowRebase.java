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
import io.airlift.log.Logger;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.ConcurrentChanges.Change;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.snapshot.Snapshot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * The rows that a statement appends, brought behind what others committed since its base.
 *
 * <p>Readers let the larger sequence number of a key win, and numbers are taken when rows are written. So where another commit
 * added rows in the same key range with numbers that are not smaller, the statement's files of that bucket are written again
 * with numbers above all of them. That is for statements that have read nothing of the table: others would have seen
 * other rows.
 */
final class RowRebase
{
    private static final Logger log = Logger.get(RowRebase.class);

    private final Optional<Rework> rework;
    private final ConflictCheck conflictCheck;
    private final FileDisposal disposal;
    private final String tableName;
    private final List<CommitMessage> originals;
    private final CommitStatistics statistics;

    // by bucket, of those that were written again
    private final Map<BucketId, CommitMessage> renumbered = new LinkedHashMap<>();
    private long bytes;

    /**
     * @param rework without it {@link #moveUpon} must not be called
     */
    RowRebase(String tableName, Optional<Rework> rework, ConflictCheck conflictCheck, FileDisposal disposal, List<CommitMessage> originals, CommitStatistics statistics)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.rework = requireNonNull(rework, "rework is null");
        this.conflictCheck = requireNonNull(conflictCheck, "conflictCheck is null");
        this.disposal = requireNonNull(disposal, "disposal is null");
        this.originals = ImmutableList.copyOf(originals);
        this.statistics = requireNonNull(statistics, "statistics is null");
    }

    /**
     * Makes the messages such that they can be appended upon a snapshot. Called again when another commit took its place.
     *
     * @throws StorageException COMMIT_CONFLICT if that would take more than the budget
     */
    void moveUpon(ConcurrentChanges others, Optional<Snapshot> latest)
    {
        Map<BucketId, List<Change>> added = conflictCheck.addedFiles(others, latest);
        RebaseBudget budget = rework.orElseThrow().budget();
        Map<CommitMessage, Long> offsets = new LinkedHashMap<>();
        for (CommitMessage message : messages()) {
            List<Change> changes = added.getOrDefault(TableCommitter.bucket(message), ImmutableList.of());
            OptionalLong offset = offset(message, changes);
            if (offset.isPresent()) {
                bytes += size(message);
                if (bytes > budget.maxBytes()) {
                    throw conflictCheck.tooMuchToRenumber(changes.getLast(), bytes, budget.maxBytes());
                }
                offsets.put(message, offset.getAsLong());
            }
        }
        if (!offsets.isEmpty()) {
            budget.run(() -> {
                offsets.forEach(this::renumber);
                return null;
            });
            statistics.getBucketsRewritten().update(offsets.size());
            log.info("Table %s: wrote rows of %s buckets again behind snapshot %s", tableName, offsets.size(), latest.map(Snapshot::id).orElse(0L));
        }
    }

    /**
     * As they are to be appended.
     */
    List<CommitMessage> messages()
    {
        return originals.stream()
                .map(message -> renumbered.getOrDefault(TableCommitter.bucket(message), message))
                .toList();
    }

    /**
     * Buckets whose prepared compactions speak of files that are not appended any more.
     */
    Set<BucketId> renumberedBuckets()
    {
        return renumbered.keySet();
    }

    /**
     * The rows are published: what they replace goes, together with its compactions.
     */
    void published()
    {
        originals.stream()
                .filter(message -> renumbered.containsKey(TableCommitter.bucket(message)))
                .forEach(disposal::discardRows);
    }

    /**
     * Nothing was published; the statement's own files are the caller's.
     */
    void abandon()
    {
        renumbered.values().forEach(disposal::discardRows);
        renumbered.clear();
    }

    private void renumber(CommitMessage message, long offset)
    {
        CommitMessage again = rework.orElseThrow().renumberer().renumber(message, offset);
        CommitMessage previous = renumbered.put(TableCommitter.bucket(message), again);
        if (previous != null) {
            disposal.discardRows(previous);
        }
    }

    private OptionalLong offset(CommitMessage message, List<Change> changes)
    {
        if (message.newFiles().isEmpty()) {
            return OptionalLong.empty();
        }
        long first = message.newFiles().stream().mapToLong(DataFileMeta::minSequenceNumber).min().orElseThrow();
        boolean late = changes.stream()
                .filter(Change::changesRows)
                .map(change -> change.entry().file())
                .anyMatch(file -> file.maxSequenceNumber() >= first && conflictCheck.touches(message.newFiles(), file));
        if (!late) {
            return OptionalLong.empty();
        }
        long last = changes.stream().mapToLong(change -> change.entry().file().maxSequenceNumber()).max().orElseThrow();
        return OptionalLong.of(last + 1 - first);
    }

    private static long size(CommitMessage message)
    {
        return Stream.concat(message.newFiles().stream(), message.newChangelogFiles().stream())
                .mapToLong(DataFileMeta::fileSize)
                .sum();
    }
}
