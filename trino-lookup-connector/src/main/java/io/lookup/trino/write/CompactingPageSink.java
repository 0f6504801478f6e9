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
package io.lookup.trino.write;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitMessageCodec;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.table.BucketRows;
import io.lookup.storage.table.TableCompactor;
import io.lookup.trino.engine.AsyncCalls;
import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorPageSink;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import static io.airlift.slice.Slices.wrappedBuffer;
import static io.trino.spi.StandardErrorCode.GENERIC_INTERNAL_ERROR;
import static java.util.Objects.requireNonNull;

/**
 * Compacts the bucket that each row stands for, one after another, outside of Trino's threads. Other sinks of the
 * statement compact other buckets meanwhile.
 */
final class CompactingPageSink
        implements ConnectorPageSink
{
    private final TableCompactor compactor;
    private final BucketRows bucketRows;
    private final Executor executor;
    // both are touched by one action at a time
    private final Set<BucketId> seen = new HashSet<>();
    private final List<Slice> fragments = new ArrayList<>();

    private CompletableFuture<?> lastAction = CompletableFuture.completedFuture(null);
    private volatile boolean aborted;

    CompactingPageSink(TableCompactor compactor, BucketRows bucketRows, Executor executor)
    {
        this.compactor = requireNonNull(compactor, "compactor is null");
        this.bucketRows = requireNonNull(bucketRows, "bucketRows is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    @Override
    public CompletableFuture<?> appendPage(Page page)
    {
        lastAction = AsyncCalls.callAfter(lastAction, executor, () -> {
            bucketRows.buckets(page).forEach(this::compact);
            return null;
        });
        return AsyncCalls.detached(lastAction);
    }

    private void compact(BucketId bucket)
    {
        if (aborted) {
            throw new TrinoException(GENERIC_INTERNAL_ERROR, "The statement was aborted");
        }
        if (!seen.add(bucket)) {
            return;
        }
        List<CommitMessage> messages = bucket.bucket() == BucketRows.ALL_BUCKETS ?
                compactor.compactPartition(bucket.partition()) :
                compactor.compact(bucket).map(ImmutableList::of).orElse(ImmutableList.of());
        messages.forEach(message -> fragments.add(wrappedBuffer(CommitMessageCodec.toBytes(message))));
    }

    /**
     * @return one fragment a commit message
     */
    @Override
    public CompletableFuture<Collection<Slice>> finish()
    {
        CompletableFuture<Collection<Slice>> result = AsyncCalls.callAfter(lastAction, executor, () -> ImmutableList.copyOf(fragments));
        lastAction = result;
        return AsyncCalls.detached(result);
    }

    @Override
    public void abort()
    {
        aborted = true;
        lastAction = AsyncCalls.callAfter(lastAction.exceptionally(_ -> null), executor, () -> {
            compactor.abort();
            return null;
        });
    }
}
