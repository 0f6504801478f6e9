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
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lsm.BucketCompactor;
import io.lookup.storage.lsm.CompactionResult;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * One statement's writes to one bucket: buffer, flush to level 0, and one round of compaction. Not thread-safe.
 */
final class BucketWriter
{
    private final BinaryRow partition;
    private final int bucket;
    private final int totalBuckets;
    private final StatementBuffer buffer;
    private final DataFileWriterFactory fileWriters;
    private final List<DataFileMeta> baseFiles;
    private final Optional<BucketCompactor> compactor;

    private RollingWriter openWriter;
    private Optional<CompactionResult> compaction = Optional.empty();

    /**
     * @param baseFiles the bucket's live files in the snapshot that the statement builds on
     * @param compactor absent for tables whose compaction is somebody else's work
     */
    BucketWriter(
            BinaryRow partition,
            int bucket,
            int totalBuckets,
            StatementBuffer buffer,
            DataFileWriterFactory fileWriters,
            List<DataFileMeta> baseFiles,
            Optional<BucketCompactor> compactor)
    {
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
        this.totalBuckets = totalBuckets;
        this.buffer = requireNonNull(buffer, "buffer is null");
        this.fileWriters = requireNonNull(fileWriters, "fileWriters is null");
        this.baseFiles = ImmutableList.copyOf(baseFiles);
        this.compactor = requireNonNull(compactor, "compactor is null");
    }

    void add(Page values, byte[] kinds)
    {
        buffer.add(values, kinds);
    }

    long memoryUsage()
    {
        return buffer.memoryUsage();
    }

    void spill()
            throws IOException
    {
        buffer.spill();
    }

    /**
     * Writes what was added, and compacts. Nothing of it is visible before it is committed.
     */
    Optional<CommitMessage> prepareCommit()
            throws IOException
    {
        if (buffer.isEmpty()) {
            return Optional.empty();
        }
        long firstSequenceNumber = 1 + baseFiles.stream()
                .mapToLong(DataFileMeta::maxSequenceNumber)
                .max()
                .orElse(-1);
        openWriter = fileWriters.createDataWriter(partition, bucket, 0, FileSource.APPEND);
        buffer.writeTo(openWriter, firstSequenceNumber);
        List<DataFileMeta> newFiles = openWriter.finish();
        if (compactor.isPresent()) {
            List<DataFileMeta> files = ImmutableList.<DataFileMeta>builder()
                    .addAll(baseFiles)
                    .addAll(newFiles)
                    .build();
            compaction = compactor.get().compact(files, false);
        }
        return Optional.of(new CommitMessage(
                partition,
                bucket,
                totalBuckets,
                newFiles,
                ImmutableList.of(),
                compaction.map(CompactionResult::before).orElse(ImmutableList.of()),
                compaction.map(CompactionResult::after).orElse(ImmutableList.of()),
                compaction.map(CompactionResult::changelog).orElse(ImmutableList.of())));
    }

    /**
     * Deletes everything that was written; never throws.
     */
    void abort()
    {
        if (openWriter != null) {
            openWriter.abort();
        }
        if (compactor.isPresent() && compaction.isPresent()) {
            compactor.get().deleteOutput(compaction.get());
        }
        try {
            buffer.close();
        }
        catch (IOException | RuntimeException _) {
            // a spill file that is left behind lies in a temporary folder
        }
    }
}
