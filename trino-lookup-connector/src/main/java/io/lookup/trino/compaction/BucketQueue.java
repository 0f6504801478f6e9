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
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.trino.compaction.WrittenBuckets.Batch;
import io.lookup.trino.compaction.WrittenBuckets.Statement;
import io.trino.spi.connector.SchemaTableName;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Buckets that are to be compacted, each at most once in the queue and by one thread at a time: first they wait for the commit
 * of their statement, then for a thread. Bounded: a bucket that finds no room takes the place of the one that has waited longest for a commit,
 * since that is the likeliest to wait in vain; where none does, it is left to whoever writes it next. Thread-safe.
 */
final class BucketQueue
{
    private final int capacity;
    // of commits that have not appeared yet, the oldest first
    private final Map<Statement, Map<BucketId, Set<String>>> expected = new LinkedHashMap<>();
    private final Map<TableBucket, Work> queued = new LinkedHashMap<>();
    private final Set<TableBucket> running = new HashSet<>();
    private int expectedCount;

    /**
     * @param capacity buckets that wait, for whatever
     */
    BucketQueue(int capacity)
    {
        checkArgument(capacity >= 0, "capacity is negative");
        this.capacity = capacity;
    }

    private record TableBucket(SchemaTableName table, BucketId bucket) {}

    private record Work(Statement statement, Set<String> files) {}

    /**
     * Takes in what is to be compacted once its statement has committed.
     *
     * @return how many buckets, these or others, found no room
     */
    synchronized int expect(WrittenBuckets written)
    {
        int dropped = 0;
        for (Map.Entry<BucketId, Set<String>> entry : written.files().entrySet()) {
            if (expectedCount + queued.size() >= capacity) {
                dropped++;
                if (!forgetOldest(written.statement())) {
                    continue;
                }
            }
            if (expected.computeIfAbsent(written.statement(), _ -> new LinkedHashMap<>()).put(entry.getKey(), entry.getValue()) == null) {
                expectedCount++;
            }
        }
        return dropped;
    }

    /**
     * Forgets one bucket of the statement that has waited longest.
     *
     * @return false if no statement but this one waits
     */
    private boolean forgetOldest(Statement exception)
    {
        Optional<Statement> oldest = expected.keySet().stream().filter(statement -> !statement.equals(exception)).findFirst();
        if (oldest.isEmpty()) {
            return false;
        }
        Map<BucketId, Set<String>> buckets = requireNonNull(expected.get(oldest.get()));
        buckets.remove(buckets.keySet().iterator().next());
        if (buckets.isEmpty()) {
            expected.remove(oldest.get());
        }
        expectedCount--;
        return true;
    }

    synchronized boolean isExpected(Statement statement)
    {
        return expected.containsKey(statement);
    }

    /**
     * The statement's commit has appeared. A bucket that is queued already is not queued again.
     */
    synchronized void committed(Statement statement)
    {
        Map<BucketId, Set<String>> buckets = expected.remove(statement);
        if (buckets == null) {
            return;
        }
        expectedCount -= buckets.size();
        buckets.forEach((bucket, files) -> queued.put(new TableBucket(statement.table(), bucket), new Work(statement, files)));
    }

    /**
     * The statement's commit will not appear, or not in time.
     *
     * @return how many buckets are given up
     */
    synchronized int forget(Statement statement)
    {
        Map<BucketId, Set<String>> buckets = expected.remove(statement);
        if (buckets == null) {
            return 0;
        }
        expectedCount -= buckets.size();
        return buckets.size();
    }

    /**
     * Takes the bucket that has waited longest and that nobody works on, and a share of those that the same statement wrote.
     *
     * @param threads among which a statement's buckets are to be divided
     */
    synchronized Optional<Batch> take(int threads)
    {
        Optional<TableBucket> first = queued.keySet().stream().filter(bucket -> !running.contains(bucket)).findFirst();
        if (first.isEmpty()) {
            return Optional.empty();
        }
        Statement statement = queued.get(first.get()).statement();
        List<TableBucket> candidates = new ArrayList<>();
        queued.forEach((bucket, work) -> {
            if (work.statement().equals(statement) && !running.contains(bucket)) {
                candidates.add(bucket);
            }
        });
        List<TableBucket> taken = candidates.subList(0, Math.ceilDiv(candidates.size(), threads));
        ImmutableSet.Builder<BucketId> buckets = ImmutableSet.builder();
        ImmutableSet.Builder<String> files = ImmutableSet.builder();
        for (TableBucket bucket : taken) {
            buckets.add(bucket.bucket());
            files.addAll(requireNonNull(queued.remove(bucket)).files());
            running.add(bucket);
        }
        return Optional.of(new Batch(statement, buckets.build(), files.build()));
    }

    synchronized void done(Batch batch)
    {
        batch.buckets().forEach(bucket -> running.remove(new TableBucket(batch.statement().table(), bucket)));
    }

    /**
     * @return how many buckets are given up
     */
    synchronized int clear()
    {
        int count = expectedCount + queued.size();
        expected.clear();
        expectedCount = 0;
        queued.clear();
        return count;
    }

    synchronized int expectedCount()
    {
        return expectedCount;
    }

    synchronized int queuedCount()
    {
        return queued.size();
    }

    synchronized int runningCount()
    {
        return running.size();
    }
}
