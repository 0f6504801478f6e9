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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.BinaryRow;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import static io.trino.spi.type.BigintType.BIGINT;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Writes files of level 0, and those of their changelog, once more with all sequence numbers larger by one amount: so that rows
 * win over rows that were committed after their numbers were taken. The order among them stays.
 */
public final class SequenceShift
{
    private final BucketCompactor.Services services;
    private final BinaryRow partition;
    private final int bucket;
    private final KeyValueLayout layout;
    private final BucketFiles files;
    private final List<RollingWriter> writers = new ArrayList<>();

    public SequenceShift(BucketCompactor.Services services, BinaryRow partition, int bucket)
    {
        this.services = requireNonNull(services, "services is null");
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
        this.layout = KeyValueLayout.ofTable(services.schema(), services.options());
        BucketDeletions noDeletions = new BucketDeletions(services.readers().deletionVectors(), services.paths(), partition, bucket, BucketVectors.NONE);
        this.files = new BucketFiles(services.readers(), services.schemas(), services.paths(), services.schema(), layout, partition, bucket, noDeletions);
    }

    /**
     * @return copies in the order of the files
     */
    public List<DataFileMeta> shiftData(List<DataFileMeta> dataFiles, long offset)
    {
        return shift(dataFiles, offset, () -> services.writers().createDataWriter(partition, bucket, 0, FileSource.APPEND));
    }

    /**
     * @param changelogFiles of the input producer
     * @return copies in the order of the files
     */
    public List<DataFileMeta> shiftChangelog(List<DataFileMeta> changelogFiles, long offset)
    {
        return shift(changelogFiles, offset, () -> services.writers().createChangelogWriter(partition, bucket, 0));
    }

    /**
     * Deletes what was written; never throws.
     */
    public void abort()
    {
        writers.forEach(RollingWriter::abort);
        writers.clear();
    }

    private List<DataFileMeta> shift(List<DataFileMeta> originals, long offset, Supplier<RollingWriter> writerFactory)
    {
        ImmutableList.Builder<DataFileMeta> copies = ImmutableList.builder();
        for (DataFileMeta file : originals) {
            // files may overlap, and each is sorted
            RollingWriter writer = writerFactory.get();
            writers.add(writer);
            try (PageStream pages = files.open(file, TupleDomain.all())) {
                for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                    writer.write(shift(page, offset));
                }
                copies.addAll(writer.finish());
            }
            catch (IOException e) {
                throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("File %s could not be written with new sequence numbers: %s", file.fileName(), e.getMessage()), e);
            }
        }
        return copies.build();
    }

    private Page shift(Page page, long offset)
    {
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = page.getBlock(channel);
        }
        Block numbers = blocks[layout.sequenceChannel()];
        long[] shifted = new long[page.getPositionCount()];
        for (int position = 0; position < shifted.length; position++) {
            shifted[position] = Math.addExact(BIGINT.getLong(numbers, position), offset);
        }
        blocks[layout.sequenceChannel()] = new LongArrayBlock(shifted.length, Optional.empty(), shifted);
        return new Page(page.getPositionCount(), blocks);
    }
}
