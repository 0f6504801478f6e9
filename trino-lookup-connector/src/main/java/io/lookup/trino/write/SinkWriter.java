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

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitMessageCodec;
import io.lookup.storage.write.StatementWriter;
import io.lookup.trino.engine.AsyncCalls;
import io.trino.spi.Page;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Runs the engine's writer of one sink away from the threads of the query engine, one action after the other.
 */
final class SinkWriter
{
    private final StatementWriter writer;
    private final Executor executor;
    private final Consumer<List<CommitMessage>> prepared;
    private final Runnable aborted;
    private final AtomicLong memoryUsage = new AtomicLong();

    private CompletableFuture<?> lastAction = CompletableFuture.completedFuture(null);

    /**
     * @param prepared told what was written, before anybody else
     * @param aborted called if that is deleted
     */
    SinkWriter(StatementWriter writer, Executor executor, Consumer<List<CommitMessage>> prepared, Runnable aborted)
    {
        this.writer = requireNonNull(writer, "writer is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.prepared = requireNonNull(prepared, "prepared is null");
        this.aborted = requireNonNull(aborted, "aborted is null");
    }

    /**
     * @param kinds one kind a row, or one for all rows
     */
    CompletableFuture<?> write(Page page, byte[] kinds)
    {
        memoryUsage.addAndGet(page.getRetainedSizeInBytes());
        return then(() -> {
            writer.write(page, kinds);
            memoryUsage.set(writer.memoryUsage());
            return null;
        });
    }

    /**
     * @return one fragment a commit message
     */
    CompletableFuture<Collection<Slice>> finish()
    {
        return then(() -> {
            List<CommitMessage> messages = writer.prepareCommit();
            prepared.accept(messages);
            List<Slice> fragments = messages.stream()
                    .map(CommitMessageCodec::toBytes)
                    .map(Slices::wrappedBuffer)
                    .collect(toImmutableList());
            memoryUsage.set(0);
            return fragments;
        });
    }

    /**
     * Deletes what was written, as soon as the action at work has ended.
     */
    void abort()
    {
        lastAction = AsyncCalls.callAfter(lastAction.exceptionally(_ -> null), executor, () -> {
            aborted.run();
            writer.abort();
            memoryUsage.set(0);
            return null;
        });
    }

    long memoryUsage()
    {
        return memoryUsage.get();
    }

    private <T> CompletableFuture<T> then(Supplier<T> action)
    {
        CompletableFuture<T> work = AsyncCalls.callAfter(lastAction, executor, action);
        lastAction = work;
        return AsyncCalls.detached(work);
    }
}
