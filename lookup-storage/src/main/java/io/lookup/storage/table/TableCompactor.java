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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lsm.BucketCompaction;
import io.lookup.storage.lsm.CompactionResult;
import io.lookup.storage.write.BucketState;
import io.lookup.storage.write.FullCompactionTrigger;
import io.lookup.storage.write.TableWriter.BucketStateLoader;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Compacts buckets of one snapshot, whatever the table's options say of compaction by writers. What it writes becomes visible when the messages are committed, all upon that snapshot. Not thread-safe.
 */
public final class TableCompactor
{
    private final String tableName;
    private final BucketStateLoader stateLoader;
    private final Compactions compactors;
    private final FullCompactionTrigger fullCompactions;
    private final List<Output> outputs = new ArrayList<>();

    TableCompactor(String tableName, BucketStateLoader stateLoader, Compactions compactors, FullCompactionTrigger fullCompactions)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.stateLoader = requireNonNull(stateLoader, "stateLoader is null");
        this.compactors = requireNonNull(compactors, "compactors is null");
        this.fullCompactions = requireNonNull(fullCompactions, "fullCompactions is null");
    }

    /**
     * Brings all files of a bucket to the highest level, and logs what leaves level 0 if the table has a log.
     *
     * @return a message without new files; empty if there is nothing to do
     */
    public Optional<CommitMessage> compact(BucketId id)
    {
        return compact(id, _ -> true);
    }

    /**
     * As {@link #compact(BucketId)}, for each bucket of the partition.
     */
    public List<CommitMessage> compactPartition(BinaryRow partition)
    {
        return stateLoader.buckets(partition).stream()
                .sorted()
                .flatMap(bucket -> compact(new BucketId(partition, bucket)).stream())
                .collect(toImmutableList());
    }

    /**
     * Does what a statement that wrote the bucket leaves out if it does not wait for its compaction: lifts level 0
     * as the table's options say.
     *
     * @return a message without new files; empty if there is nothing to do
     */
    public Optional<CommitMessage> compactPending(BucketId id)
    {
        return compact(id, files -> fullCompactions.isDue(id, files, 0));
    }

    private Optional<CommitMessage> compact(BucketId id, Predicate<List<DataFileMeta>> full)
    {
        BucketState state = stateLoader.load(id.partition(), id.bucket());
        if (state.files().isEmpty()) {
            return Optional.empty();
        }
        BucketCompaction compactor = compactors.create(id.partition(), id.bucket(), state.deletions());
        Optional<CompactionResult> result;
        try {
            result = compactor.compact(state.files(), full.test(state.files()));
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Bucket %s of table %s could not be compacted: %s", id.bucket(), tableName, e.getMessage()), e);
        }
        result.ifPresent(compaction -> outputs.add(new Output(compactor, compaction)));
        return result.map(compaction -> new CommitMessage(
                id.partition(),
                id.bucket(),
                state.totalBuckets().orElseThrow(),
                ImmutableList.of(),
                ImmutableList.of(),
                compaction.before(),
                compaction.after(),
                compaction.changelog(),
                compaction.indexChanges()));
    }

    /**
     * Deletes every file that was written; never throws.
     */
    public void abort()
    {
        outputs.forEach(output -> output.compactor().deleteOutput(output.result()));
        outputs.clear();
    }

    interface Compactions
    {
        /**
         * @param deletions the bucket's deletion vectors in the snapshot that its live files are of
         */
        BucketCompaction create(BinaryRow partition, int bucket, BucketVectors deletions);
    }

    private record Output(BucketCompaction compactor, CompactionResult result) {}
}
