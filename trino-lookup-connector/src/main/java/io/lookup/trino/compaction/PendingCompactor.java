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
package io.lookup.trino.compaction;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.changes.SnapshotProperties;
import io.lookup.trino.compaction.WrittenBuckets.Batch;
import io.lookup.trino.engine.LookupTables;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * Compacts buckets of a table as it is at that time, and publishes that. If others come between, or the store fails, it begins anew on the newest
 * snapshot, a few times; then the buckets are left to whoever writes them next.
 */
final class PendingCompactor
{
    private static final Logger log = Logger.get(PendingCompactor.class);

    private static final int MAX_TRIES = 5;
    private static final long FIRST_WAIT_MILLIS = 50;
    // what another try may be spared. It sees what is there: were the last one published after all, it finds nothing to do
    private static final Set<StorageErrorCode> PASSING = Sets.immutableEnumSet(StorageErrorCode.COMMIT_CONFLICT, StorageErrorCode.COMMIT_FAILED, StorageErrorCode.FILE_SYSTEM_ERROR);

    private final LookupTables tables;
    private final BooleanSupplier closing;

    /**
     * @param closing whether no other try is to be begun
     */
    PendingCompactor(LookupTables tables, BooleanSupplier closing)
    {
        this.tables = requireNonNull(tables, "tables is null");
        this.closing = requireNonNull(closing, "closing is null");
    }

    /**
     * Whether the buckets were looked after; each failure is logged.
     *
     * @return buckets that are left as they are
     */
    Set<BucketId> compact(Batch batch)
    {
        return compact(batch, MAX_TRIES);
    }

    private Set<BucketId> compact(Batch batch, int tries)
    {
        int triesOfOne;
        try {
            return compact(batch, batch.buckets(), tries) ? ImmutableSet.of() : batch.buckets();
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return batch.buckets();
        }
        catch (RuntimeException e) {
            if (isGone(batch)) {
                return ImmutableSet.of();
            }
            if (batch.buckets().size() == 1) {
                log.error(e, "Background compaction of %s failed; its rows are left to the next compaction of the bucket", describe(batch, batch.buckets()));
                return batch.buckets();
            }
            // a store that has failed all the time is not asked as often for each bucket
            triesOfOne = e instanceof StorageException failure && PASSING.contains(failure.errorCode()) ? 1 : MAX_TRIES;
        }
        // one bucket must not stop the others
        ImmutableSet.Builder<BucketId> failed = ImmutableSet.builder();
        for (BucketId bucket : batch.buckets()) {
            failed.addAll(compact(new Batch(batch.statement(), ImmutableSet.of(bucket), batch.files()), triesOfOne));
        }
        return failed.build();
    }

    private boolean compact(Batch batch, Set<BucketId> buckets, int tries)
            throws InterruptedException
    {
        for (int attempt = 1; ; attempt++) {
            try {
                // another schema version than the statement's, if there is one by now
                Optional<StorageTable> table = tables.find(batch.statement().table());
                if (table.isEmpty()) {
                    log.info("Background compaction of %s is not needed: the table is gone", describe(batch, buckets));
                    return true;
                }
                if (table.get().options().writeOnly()) {
                    log.info("Background compaction of %s is not wanted any more: the table became write-only", describe(batch, buckets));
                    return true;
                }
                tables.writableCatalog().checkWritable();
                Optional<CommitResult> result = table.get().compactPending(buckets, messages -> properties(batch, messages, table.get()));
                if (result.isEmpty() || !result.get().compactionDropped()) {
                    log.debug("Background compaction of %s: %s", describe(batch, buckets), result);
                    return true;
                }
            }
            catch (StorageException e) {
                boolean conflict = e.errorCode() == StorageErrorCode.COMMIT_CONFLICT;
                if (!PASSING.contains(e.errorCode()) || (!conflict && (attempt == tries || closing.getAsBoolean()))) {
                    throw e;
                }
                if (conflict) {
                    log.debug(e, "Background compaction of %s met a conflict", describe(batch, buckets));
                }
                else {
                    log.warn(e, "Background compaction of %s failed and is tried again", describe(batch, buckets));
                }
            }
            if (attempt == tries || closing.getAsBoolean()) {
                log.warn("Background compaction of %s was given up after %s tries: others changed the buckets meanwhile; their rows are left to the next compaction", describe(batch, buckets), attempt);
                return false;
            }
            long wait = FIRST_WAIT_MILLIS << attempt;
            Thread.sleep(wait / 2 + ThreadLocalRandom.current().nextLong(wait));
        }
    }

    private boolean isGone(Batch batch)
    {
        try {
            if (tables.find(batch.statement().table()).isPresent()) {
                return false;
            }
        }
        catch (RuntimeException _) {
            // it cannot be known
            return false;
        }
        log.info("Background compaction of %s ended: the table is gone", describe(batch, batch.buckets()));
        return true;
    }

    private static Map<String, String> properties(Batch batch, List<CommitMessage> messages, StorageTable table)
    {
        return SnapshotProperties.ofCompaction(batch.statement().properties(), batch.files(), messages, table.options());
    }

    private static String describe(Batch batch, Set<BucketId> buckets)
    {
        return "table %s, %s %s".formatted(
                batch.statement().table(),
                buckets.size() == 1 ? "bucket" : "buckets",
                buckets.stream().map(PendingCompactor::describe).sorted().collect(joining(", ")));
    }

    private static String describe(BucketId bucket)
    {
        return String.valueOf(bucket.bucket());
    }
}
