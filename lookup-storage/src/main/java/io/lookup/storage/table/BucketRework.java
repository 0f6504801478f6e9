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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.BucketRecompactor;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.commit.RowRenumberer;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.lsm.BucketCompactor;
import io.lookup.storage.lsm.SequenceShift;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * What is done once more when others came first. After a failure nothing of it is left.
 */
final class BucketRework
        implements RowRenumberer, BucketRecompactor
{
    private final Supplier<BucketCompactor.Services> services;
    private final LongFunction<TableCompactor> compactors;

    /**
     * @param compactors by base snapshot
     */
    BucketRework(Supplier<BucketCompactor.Services> services, LongFunction<TableCompactor> compactors)
    {
        this.services = requireNonNull(services, "services is null");
        this.compactors = requireNonNull(compactors, "compactors is null");
    }

    @Override
    public CommitMessage renumber(CommitMessage message, long offset)
    {
        SequenceShift shift = new SequenceShift(services.get(), message.partition(), message.bucket());
        try {
            return new CommitMessage(
                    message.partition(),
                    message.bucket(),
                    message.totalBuckets(),
                    shift.shiftData(message.newFiles(), offset),
                    shift.shiftChangelog(message.newChangelogFiles(), offset),
                    ImmutableList.of(),
                    ImmutableList.of(),
                    ImmutableList.of(),
                    message.hashChanges());
        }
        catch (RuntimeException e) {
            shift.abort();
            throw e;
        }
    }

    /**
     * See {@link StorageTable#compactPending}.
     */
    Optional<CommitResult> compactPending(StorageTable table, Set<BucketId> buckets, Function<List<CommitMessage>, Map<String, String>> properties)
    {
        OptionalLong base = table.snapshots().latestId();
        if (base.isEmpty()) {
            return Optional.empty();
        }
        List<CommitMessage> messages = recompact(base.getAsLong(), buckets);
        if (messages.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(table.commit(new CommitRequest(base, messages, false, ImmutableMap.of(), properties.apply(messages), UUID.randomUUID().toString(), Optional.empty())));
        }
        catch (StorageException e) {
            // of other failures the outcome may be unknown
            if (e.errorCode() == StorageErrorCode.COMMIT_CONFLICT) {
                table.discard(messages);
            }
            throw e;
        }
    }

    @Override
    public List<CommitMessage> recompact(long baseSnapshotId, Set<BucketId> buckets)
    {
        TableCompactor compactor = compactors.apply(baseSnapshotId);
        try {
            return buckets.stream()
                    .flatMap(bucket -> compactor.compactPending(bucket).stream())
                    .collect(toImmutableList());
        }
        catch (RuntimeException e) {
            compactor.abort();
            throw e;
        }
    }
}
