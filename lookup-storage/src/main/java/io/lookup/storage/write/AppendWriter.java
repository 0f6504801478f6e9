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
package io.lookup.storage.write;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.write.TableWriter.BucketStateLoader;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * One sink's part of a statement on a table without a primary key: rows go to files as they come, and nothing is merged or compacted.
 * Beyond the memory budget the fullest files are completed before they have their size. Not thread-safe.
 */
public final class AppendWriter
        implements StatementWriter
{
    /** bucket count of tables whose rows may lie anywhere; their files are said to be in bucket 0 */
    private static final int NO_BUCKETS = -1;

    private final String tableName;
    private final TableSchema schema;
    private final int bucketCount;
    private final RowRouter router;
    private final DataFileWriterFactory fileWriters;
    private final BucketStateLoader stateLoader;
    private final boolean overwrites;
    private final DefaultValues defaultValues;
    private final long memoryBudget;
    private final Map<BucketId, RollingWriter> writers = new LinkedHashMap<>();
    private long memoryUsage;

    /**
     * @param bucketCount -1 for a table without buckets
     * @param stateLoader asked where there are buckets
     * @param overwrites whether the rows take the place of those that are there
     * @param memoryBudget bytes of rows that are kept in memory over all files
     */
    public AppendWriter(
            String tableName,
            TableSchema schema,
            int bucketCount,
            List<String> bucketKeys,
            DataFileWriterFactory fileWriters,
            BucketStateLoader stateLoader,
            boolean overwrites,
            long memoryBudget)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.bucketCount = bucketCount;
        Optional<BucketFunction> bucketFunction = bucketCount == NO_BUCKETS ? Optional.empty() : Optional.of(BucketFunction.forTable(schema, bucketCount));
        this.router = new RowRouter(schema, bucketKeys, bucketFunction, bucketCount);
        this.fileWriters = requireNonNull(fileWriters, "fileWriters is null");
        this.stateLoader = requireNonNull(stateLoader, "stateLoader is null");
        this.overwrites = overwrites;
        this.defaultValues = DefaultValues.of(schema);
        this.memoryBudget = memoryBudget;
    }

    @Override
    public void write(Page values, byte[] kinds)
    {
        for (byte kind : kinds) {
            if (kind != RowKind.INSERT.value()) {
                throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format("Table %s has no primary key, so that rows can only be inserted", tableName));
            }
        }
        NullCheck.check(tableName, schema, values);
        router.route(defaultValues.apply(values, _ -> true), kinds, (partition, bucket, part, _) -> {
            RollingWriter writer = writers.computeIfAbsent(new BucketId(partition, bucket), this::createWriter);
            memoryUsage -= writer.bufferedBytes();
            try {
                writer.write(part);
            }
            catch (IOException e) {
                throw writeFailed(e);
            }
            memoryUsage += writer.bufferedBytes();
        });
        while (memoryUsage > memoryBudget && completeFullest()) {
            // until there is room
        }
    }

    private RollingWriter createWriter(BucketId id)
    {
        long firstSequenceNumber = 0;
        if (bucketCount != NO_BUCKETS) {
            BucketState state = stateLoader.load(id.partition(), id.bucket());
            if (state.totalBuckets().isPresent() && state.totalBuckets().getAsInt() != bucketCount && !overwrites) {
                throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format(
                        "A partition of table %s was written with %s buckets, but the table now has bucket = %s; overwrite the partition before appending to it",
                        tableName,
                        state.totalBuckets().getAsInt(),
                        bucketCount));
            }
            firstSequenceNumber = 1 + state.files().stream().mapToLong(DataFileMeta::maxSequenceNumber).max().orElse(-1);
        }
        return fileWriters.createAppendWriter(id.partition(), id.bucket(), FileSource.APPEND, firstSequenceNumber);
    }

    private boolean completeFullest()
    {
        RollingWriter fullest = null;
        for (RollingWriter writer : writers.values()) {
            if (writer.bufferedBytes() > 0 && (fullest == null || writer.bufferedBytes() > fullest.bufferedBytes())) {
                fullest = writer;
            }
        }
        if (fullest == null) {
            return false;
        }
        memoryUsage -= fullest.bufferedBytes();
        try {
            fullest.completeFile();
        }
        catch (IOException e) {
            throw writeFailed(e);
        }
        return true;
    }

    private StorageException writeFailed(IOException e)
    {
        return new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Files of table %s could not be written: %s", tableName, e.getMessage()), e);
    }

    @Override
    public long memoryUsage()
    {
        return memoryUsage;
    }

    @Override
    public List<CommitMessage> prepareCommit()
    {
        ImmutableList.Builder<CommitMessage> messages = ImmutableList.builder();
        writers.forEach((id, writer) -> {
            List<DataFileMeta> files;
            try {
                files = writer.finish();
            }
            catch (IOException e) {
                throw writeFailed(e);
            }
            messages.add(new CommitMessage(id.partition(), id.bucket(), bucketCount, files, ImmutableList.of(), ImmutableList.of(), ImmutableList.of(), ImmutableList.of()));
        });
        memoryUsage = 0;
        return messages.build();
    }

    @Override
    public void abort()
    {
        writers.values().forEach(RollingWriter::abort);
        memoryUsage = 0;
    }
}
