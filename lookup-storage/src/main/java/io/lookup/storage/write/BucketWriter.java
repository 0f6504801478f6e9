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
import io.lookup.storage.lsm.BucketReplacement;
import io.lookup.storage.lsm.CompactionResult;
import io.lookup.storage.lsm.KnownRows;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.Supplier;

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
    private final InvisibleRows invisibleRows;
    private final Supplier<KnownRows> knownRows;
    private final Optional<BucketCompactor> compactor;
    private final BooleanSupplier compactsFully;
    private final Optional<LongFunction<InputLog>> inputLog;
    private final Optional<BucketReplacement> replacement;

    private final List<RollingWriter> openWriters = new ArrayList<>();
    private Optional<CompactionResult> compaction = Optional.empty();

    /**
     * @param baseFiles the bucket's live files in the snapshot that the statement builds on
     * @param invisibleRows what the statement must not touch
     * @param knownRows makes what takes the old rows that the statement brings along, which is let go of with the end of the compaction
     * @param compactor absent for tables whose compaction is somebody else's work
     * @param compactsFully whether the compaction is to be a full one; asked if there is one
     * @param inputLog makes the log of what comes in from its first sequence number; absent for tables without such a log
     * @param replacement puts what is written in the place of all that is there; absent where it is added
     */
    BucketWriter(
            BinaryRow partition,
            int bucket,
            int totalBuckets,
            StatementBuffer buffer,
            DataFileWriterFactory fileWriters,
            List<DataFileMeta> baseFiles,
            InvisibleRows invisibleRows,
            Supplier<KnownRows> knownRows,
            Optional<BucketCompactor> compactor,
            BooleanSupplier compactsFully,
            Optional<LongFunction<InputLog>> inputLog,
            Optional<BucketReplacement> replacement)
    {
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
        this.totalBuckets = totalBuckets;
        this.buffer = requireNonNull(buffer, "buffer is null");
        this.fileWriters = requireNonNull(fileWriters, "fileWriters is null");
        this.baseFiles = ImmutableList.copyOf(baseFiles);
        this.invisibleRows = requireNonNull(invisibleRows, "invisibleRows is null");
        this.knownRows = requireNonNull(knownRows, "knownRows is null");
        this.compactor = requireNonNull(compactor, "compactor is null");
        this.compactsFully = requireNonNull(compactsFully, "compactsFully is null");
        this.inputLog = requireNonNull(inputLog, "inputLog is null");
        this.replacement = requireNonNull(replacement, "replacement is null");
    }

    void add(Page values, byte[] kinds)
    {
        buffer.add(values, kinds);
    }

    long memoryUsage()
    {
        return buffer.memoryUsage();
    }

    /**
     * See {@link StatementBuffer#startSpill}.
     */
    StatementBuffer.Spill startSpill()
    {
        return buffer.startSpill();
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
        RollingWriter dataWriter = fileWriters.createDataWriter(partition, bucket, 0, FileSource.APPEND);
        openWriters.add(dataWriter);
        List<DataFileMeta> changelogFiles = ImmutableList.of();
        KnownRows known = knownRows.get();
        if (inputLog.isPresent()) {
            RollingWriter logWriter = fileWriters.createChangelogWriter(partition, bucket, 0);
            openWriters.add(logWriter);
            buffer.writeTo(dataWriter, logWriter, inputLog.get().apply(firstSequenceNumber));
            changelogFiles = logWriter.finish();
        }
        else {
            buffer.writeTo(dataWriter, firstSequenceNumber, known);
        }
        List<DataFileMeta> newFiles = dataWriter.finish();
        if (replacement.isPresent()) {
            BucketReplacement.Replacement replaced = replacement.get().replace(baseFiles, newFiles);
            return Optional.of(new CommitMessage(
                    partition,
                    bucket,
                    totalBuckets,
                    replaced.data(),
                    replaced.changelog(),
                    ImmutableList.of(),
                    ImmutableList.of(),
                    ImmutableList.of()));
        }
        invisibleRows.checkUntouched(newFiles);
        if (compactor.isPresent()) {
            List<DataFileMeta> files = ImmutableList.<DataFileMeta>builder()
                    .addAll(baseFiles)
                    .addAll(newFiles)
                    .build();
            compaction = compactor.get().compact(files, compactsFully.getAsBoolean(), known);
        }
        return Optional.of(new CommitMessage(
                partition,
                bucket,
                totalBuckets,
                newFiles,
                changelogFiles,
                compaction.map(CompactionResult::before).orElse(ImmutableList.of()),
                compaction.map(CompactionResult::after).orElse(ImmutableList.of()),
                compaction.map(CompactionResult::changelog).orElse(ImmutableList.of()),
                compaction.map(CompactionResult::indexChanges).orElse(ImmutableList.of())));
    }

    /**
     * Deletes everything that was written; never throws.
     */
    void abort()
    {
        openWriters.forEach(RollingWriter::abort);
        replacement.ifPresent(BucketReplacement::abort);
        if (compactor.isPresent() && compaction.isPresent()) {
            compactor.get().deleteOutput(compaction.get());
        }
        buffer.close();
    }
}
