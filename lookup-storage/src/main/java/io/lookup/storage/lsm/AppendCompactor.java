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
package io.lookup.storage.lsm;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.CoreOptions;
import io.trino.spi.Page;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Puts the small files of one partition of a table without keys together. Rows stay as they are, in the order of their files.
 */
public final class AppendCompactor
        implements BucketCompaction
{
    private final BucketCompactor.Services services;
    private final BinaryRow partition;
    private final int bucket;

    public AppendCompactor(BucketCompactor.Services services, BinaryRow partition, int bucket)
    {
        this.services = requireNonNull(services, "services is null");
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
    }

    /**
     * What a compaction takes in: two files at least, each smaller than the option {@code compaction.small-file-ratio} says.
     */
    public static List<DataFileMeta> pick(List<DataFileMeta> liveFiles, CoreOptions options)
    {
        double limit = options.targetFileSizeBytes(false) * options.smallFileRatio();
        List<DataFileMeta> small = liveFiles.stream()
                .filter(file -> file.fileSize() < limit)
                .sorted(Comparator.comparingLong(DataFileMeta::minSequenceNumber).thenComparing(DataFileMeta::fileName))
                .collect(toImmutableList());
        return small.size() < 2 ? ImmutableList.of() : small;
    }

    @Override
    public Optional<CompactionResult> compact(List<DataFileMeta> liveFiles, boolean full)
            throws IOException
    {
        List<DataFileMeta> before = pick(liveFiles, services.options());
        if (before.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(services.listener().listenTo(() -> run(before)));
    }

    private CompactionResult run(List<DataFileMeta> before)
            throws IOException
    {
        RollingWriter writer = services.writers().createAppendWriter(partition, bucket, FileSource.COMPACT, before.getFirst().minSequenceNumber());
        try {
            for (DataFileMeta file : before) {
                copy(file, writer);
            }
            return new CompactionResult(before, writer.finish(), ImmutableList.of(), ImmutableList.of());
        }
        catch (IOException | RuntimeException e) {
            writer.abort();
            throw e;
        }
    }

    private void copy(DataFileMeta file, RollingWriter writer)
            throws IOException
    {
        try (PageStream pages = services.readers().open(new ReadRequest(
                services.paths().dataFile(partition, bucket, file),
                file.fileSize(),
                services.schemas().schema(file.schemaId()),
                services.schema().fields(),
                false,
                services.schema().partitionFields(),
                partition,
                TupleDomain.all()))) {
            for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                writer.write(page);
            }
        }
    }

    @Override
    public void deleteOutput(CompactionResult result)
    {
        AbandonedOutput.delete(services, partition, bucket, result);
    }
}
