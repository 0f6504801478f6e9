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
import io.lookup.storage.commit.OverwriteScope;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.PartitionPruning;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lsm.BucketCompactor;
import io.lookup.storage.lsm.BucketReplacement;
import io.lookup.storage.lsm.BucketReplacement.Replacement;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * The part of an overwrite that no writer does: which partitions go, and the log of buckets that get no new rows. TRUNCATE is an overwrite
 * without rows. In tables whose compactions log, the rows that go are read, each bucket as a stream; elsewhere none is.
 */
public final class TableOverwrite
{
    private static final int MAX_THREADS = 8;

    private final String tableName;
    private final TableSchema schema;
    private final CoreOptions options;
    private final LiveFiles liveFiles;
    private final Optional<Snapshot> base;
    private final BucketCompactor.Services services;
    private final List<BucketReplacement> replacements = Collections.synchronizedList(new ArrayList<>());

    TableOverwrite(String tableName, TableSchema schema, CoreOptions options, LiveFiles liveFiles, Optional<Snapshot> base, BucketCompactor.Services services)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.base = requireNonNull(base, "base is null");
        this.services = requireNonNull(services, "services is null");
    }

    /**
     * Whether what others commit meanwhile would belie the log that is written here.
     */
    public boolean dependsOnRows()
    {
        return !schema.primaryKeys().isEmpty() && BucketReplacement.isLogged(options.changelogProducer());
    }

    /**
     * What an INSERT empties: the partitions that it writes to, or, in a table without partitions or without the option
     * {@code dynamic-partition-overwrite}, the whole table.
     *
     * @return empty if there is nothing to empty
     */
    public Optional<OverwriteScope> scope(List<CommitMessage> messages)
    {
        if (schema.partitionKeys().isEmpty() || !options.dynamicPartitionOverwrite()) {
            return Optional.of(OverwriteScope.wholeTable());
        }
        if (messages.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(OverwriteScope.partitions(messages.stream().map(CommitMessage::partition).collect(toImmutableSet())));
    }

    /**
     * The partitions with rows that a predicate chooses, as a DELETE of whole partitions empties them.
     *
     * @param predicate by field id, on partition columns
     * @return empty if there is nothing to empty
     */
    public Optional<DeletedPartitions> partitions(TupleDomain<Integer> predicate)
    {
        if (base.isEmpty() || predicate.isNone()) {
            return Optional.empty();
        }
        PartitionPruning pruning = new PartitionPruning(schema);
        Set<BinaryRow> partitions = new HashSet<>();
        long[] rows = new long[1];
        liveFiles.liveFiles(base.get(), manifest -> pruning.mayContain(manifest, predicate), entry -> pruning.matches(entry.partition(), predicate)).forEach(entry -> {
            partitions.add(entry.partition());
            rows[0] += entry.file().rowCount();
        });
        return partitions.isEmpty() ? Optional.empty() : Optional.of(new DeletedPartitions(OverwriteScope.partitions(partitions), rows[0]));
    }

    /**
     * @param rowCount rows of their files
     */
    public record DeletedPartitions(OverwriteScope scope, long rowCount)
    {
        public DeletedPartitions
        {
            requireNonNull(scope, "scope is null");
        }
    }

    /**
     * Logs the rows of the scope's other buckets as deleted.
     *
     * @param written what the writers of new rows prepared
     * @return messages without files of the table
     * @throws StorageException after which nothing is left behind
     */
    public List<CommitMessage> retractOthers(OverwriteScope scope, List<CommitMessage> written)
    {
        if (!dependsOnRows() || base.isEmpty()) {
            return ImmutableList.of();
        }
        Set<BucketId> done = written.stream().map(message -> new BucketId(message.partition(), message.bucket())).collect(toImmutableSet());
        PartitionPruning pruning = new PartitionPruning(schema);
        TupleDomain<Integer> covering = scope.partitions().map(pruning::covering).orElse(TupleDomain.all());
        Map<BucketId, Bucket> buckets = new LinkedHashMap<>();
        liveFiles.liveFiles(base.get(), manifest -> pruning.mayContain(manifest, covering), entry -> scope.contains(entry.partition()) && !done.contains(BucketId.of(entry)))
                .forEach(entry -> buckets.computeIfAbsent(BucketId.of(entry), _ -> new Bucket(entry.totalBuckets(), new ArrayList<>())).files().add(entry.file()));
        if (buckets.isEmpty()) {
            return ImmutableList.of();
        }
        DeletionVectorIndex deletions = liveFiles.deletionVectors(base.get());
        try {
            return retract(buckets, deletions);
        }
        catch (RuntimeException e) {
            abort();
            throw e;
        }
    }

    private List<CommitMessage> retract(Map<BucketId, Bucket> buckets, DeletionVectorIndex deletions)
    {
        int threads = Math.min(buckets.size(), Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()));
        ExecutorService executor = Executors.newFixedThreadPool(threads, Thread.ofPlatform().daemon().name("overwrite-" + tableName + "-", 0).factory());
        try {
            List<Future<Optional<CommitMessage>>> results = new ArrayList<>();
            ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
            buckets.forEach((id, bucket) -> results.add(executor.submit(() -> {
                Thread.currentThread().setContextClassLoader(classLoader);
                return retract(id, bucket, deletions);
            })));
            ImmutableList.Builder<CommitMessage> messages = ImmutableList.builder();
            for (Future<Optional<CommitMessage>> result : results) {
                result.get().ifPresent(messages::add);
            }
            return messages.build();
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException(StorageErrorCode.COMMIT_FAILED, format("Table %s: interrupted while the rows that go were logged; nothing was committed", tableName), e);
        }
        catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Rows of table %s that go could not be logged: %s", tableName, e.getCause().getMessage()), e.getCause());
        }
        finally {
            executor.shutdownNow();
            executor.close();
        }
    }

    private Optional<CommitMessage> retract(BucketId id, Bucket bucket, DeletionVectorIndex deletions)
            throws IOException
    {
        BucketReplacement replacement = new BucketReplacement(services, id.partition(), id.bucket(), deletions.bucket(id), false);
        replacements.add(replacement);
        Replacement result = replacement.replace(bucket.files(), ImmutableList.of());
        if (result.changelog().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new CommitMessage(id.partition(), id.bucket(), bucket.totalBuckets(), ImmutableList.of(), result.changelog(), ImmutableList.of(), ImmutableList.of(), ImmutableList.of()));
    }

    /**
     * Deletes every file that was written here; never throws.
     */
    public void abort()
    {
        List<BucketReplacement> written;
        synchronized (replacements) {
            written = ImmutableList.copyOf(replacements);
        }
        written.forEach(BucketReplacement::abort);
    }

    private record Bucket(int totalBuckets, List<DataFileMeta> files) {}
}
