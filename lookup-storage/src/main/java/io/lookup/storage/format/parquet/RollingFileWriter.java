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
package io.lookup.storage.format.parquet;

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.parquet.FileStatistics.ValueStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

import static com.google.common.base.Preconditions.checkState;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Writes the rows of one bucket to files of about the target size. Not thread-safe.
 */
final class RollingFileWriter
        implements RollingWriter
{
    private static final Logger log = Logger.get(RollingFileWriter.class);

    /** Rows between two looks at the file's size; the format's own writer uses the same number. */
    private static final int SIZE_CHECK_ROWS = 1_000;

    private final FileIo fileIo;
    private final Path directory;
    private final Supplier<String> fileNames;
    private final Settings settings;
    private final int level;
    private final FileSource source;
    private final DataFileListener listener;

    private final List<DataField> fileFields;
    private final List<Integer> fileChannels;
    private final int[] keyChannels;
    private final BinaryRowEncoder keyEncoder;
    private final boolean keyed;
    private final int sequenceChannel;
    private final int kindChannel;

    private final List<DataFileMeta> files = new ArrayList<>();
    private final List<Path> paths = new ArrayList<>();
    private long finishedBytes;
    // of the next row of a table without keys, whose rows do not carry their numbers
    private long nextSequenceNumber;
    private boolean done;

    // of the open file
    private ColumnarFileWriter writer;
    private BinaryRow minKey;
    private Page lastRow;
    private long rowCount;
    private long minSequenceNumber;
    private long maxSequenceNumber;
    private long deleteRowCount;

    /**
     * @param fileNames gives a name that no other file of the directory has
     * @param firstSequenceNumber of the rows of a table without keys
     */
    RollingFileWriter(FileIo fileIo, Path directory, Supplier<String> fileNames, Settings settings, int level, FileSource source, long firstSequenceNumber, DataFileListener listener)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.directory = requireNonNull(directory, "directory is null");
        this.fileNames = requireNonNull(fileNames, "fileNames is null");
        this.settings = requireNonNull(settings, "settings is null");
        this.level = level;
        this.source = requireNonNull(source, "source is null");
        this.listener = requireNonNull(listener, "listener is null");

        this.nextSequenceNumber = firstSequenceNumber;

        TableSchema schema = settings.schema();
        this.keyed = !schema.primaryKeys().isEmpty();
        this.sequenceChannel = schema.fields().size();
        this.kindChannel = sequenceChannel + 1;
        this.keyChannels = schema.trimmedPrimaryKeys().stream().mapToInt(schema::fieldIndex).toArray();
        this.keyEncoder = new BinaryRowEncoder(schema.trimmedPrimaryKeyFields().stream().map(DataField::type).collect(toImmutableList()));
        this.fileFields = keyed ? ParquetSchemas.dataFileFields(schema, settings.thin()) : schema.fields();
        ImmutableList.Builder<Integer> channels = ImmutableList.builder();
        if (keyed) {
            if (!settings.thin()) {
                for (int channel : keyChannels) {
                    channels.add(channel);
                }
            }
            channels.add(sequenceChannel, kindChannel);
        }
        for (int channel = 0; channel < sequenceChannel; channel++) {
            channels.add(channel);
        }
        this.fileChannels = channels.build();
    }

    @Override
    public void write(Page page)
            throws IOException
    {
        checkState(!done, "writer is finished");
        int positions = page.getPositionCount();
        int offset = 0;
        while (offset < positions) {
            int count = Math.min(SIZE_CHECK_ROWS, positions - offset);
            writeRows(page, offset, count);
            offset += count;
            if (writer.writtenBytes() + writer.bufferedBytes() >= settings.targetFileSize() && !endsWithUpdateBefore(page, offset - 1)) {
                lastRow = page.getSingleValuePage(offset - 1);
                finishFile();
            }
        }
        if (writer != null) {
            lastRow = page.getSingleValuePage(positions - 1);
        }
    }

    /**
     * The two halves of an update stay in one file.
     */
    private boolean endsWithUpdateBefore(Page page, int position)
    {
        return keyed && TINYINT.getByte(page.getBlock(kindChannel), position) == RowKind.UPDATE_BEFORE.value();
    }

    private void writeRows(Page page, int offset, int count)
            throws IOException
    {
        if (writer == null) {
            startFile();
        }
        if (rowCount == 0) {
            minKey = keyEncoder.encode(page, keyChannels, offset);
        }
        writer.write(page, offset, count);
        listener.written(page, offset, count);
        rowCount += count;
        if (!keyed) {
            minSequenceNumber = Math.min(minSequenceNumber, nextSequenceNumber);
            nextSequenceNumber += count;
            maxSequenceNumber = nextSequenceNumber - 1;
            return;
        }
        Block sequenceNumbers = page.getBlock(sequenceChannel);
        Block kinds = page.getBlock(kindChannel);
        for (int position = offset; position < offset + count; position++) {
            long sequenceNumber = BIGINT.getLong(sequenceNumbers, position);
            minSequenceNumber = Math.min(minSequenceNumber, sequenceNumber);
            maxSequenceNumber = Math.max(maxSequenceNumber, sequenceNumber);
            if (!RowKind.isAdd(TINYINT.getByte(kinds, position))) {
                deleteRowCount++;
            }
        }
    }

    private void startFile()
            throws IOException
    {
        Path path = new Path(directory, fileNames.get());
        paths.add(path);
        writer = new ColumnarFileWriter(fileIo.create(path), fileFields, fileChannels, settings.options());
        listener.started(path);
        rowCount = 0;
        minSequenceNumber = Long.MAX_VALUE;
        maxSequenceNumber = Long.MIN_VALUE;
        deleteRowCount = 0;
    }

    private void finishFile()
            throws IOException
    {
        FileStatistics statistics = new FileStatistics(writer.finish());
        TableSchema schema = settings.schema();
        List<DataField> keys = schema.trimmedPrimaryKeyFields();
        String keyPrefix = settings.thin() ? "" : ParquetSchemas.KEY_PREFIX;
        ValueStats valueStats = statistics.valueStats(schema.fields(), settings.statisticsModes(), settings.denseStatistics());
        DataFileMeta file = new DataFileMeta(
                paths.getLast().getName(),
                writer.writtenBytes(),
                rowCount,
                minKey,
                keyEncoder.encode(lastRow, keyChannels, 0),
                keyed ? statistics.keyStats(keys, keys.stream().map(key -> keyPrefix + key.name()).collect(toImmutableList())) : SimpleStats.EMPTY,
                valueStats.stats(),
                minSequenceNumber,
                maxSequenceNumber,
                schema.id(),
                level,
                ImmutableList.of(),
                OptionalLong.of(LocalDateTime.now(ZoneId.systemDefault()).toInstant(ZoneOffset.UTC).toEpochMilli()),
                OptionalLong.of(deleteRowCount),
                Optional.empty(),
                Optional.of(source),
                valueStats.columns(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty());
        List<String> extraFiles = listener.finished(file);
        extraFiles.forEach(name -> paths.add(new Path(directory, name)));
        files.add(file.withExtraFiles(extraFiles));
        finishedBytes += writer.writtenBytes();
        writer = null;
        lastRow = null;
    }

    @Override
    public long writtenBytes()
    {
        return finishedBytes + (writer == null ? 0 : writer.writtenBytes() + writer.bufferedBytes());
    }

    @Override
    public long bufferedBytes()
    {
        return writer == null ? 0 : writer.bufferedBytes();
    }

    @Override
    public void completeFile()
            throws IOException
    {
        checkState(!done, "writer is finished");
        if (writer != null) {
            finishFile();
        }
    }

    @Override
    public List<DataFileMeta> finish()
            throws IOException
    {
        checkState(!done, "writer is finished");
        if (writer != null) {
            finishFile();
        }
        done = true;
        return ImmutableList.copyOf(files);
    }

    @Override
    public void abort()
    {
        done = true;
        listener.aborted();
        if (writer != null) {
            try {
                writer.close();
            }
            catch (IOException | RuntimeException e) {
                log.debug(e, "Could not close %s", paths.getLast());
            }
            writer = null;
        }
        for (Path path : paths) {
            try {
                fileIo.deleteFile(path);
            }
            catch (IOException | RuntimeException e) {
                // nothing refers to the file: orphan cleaning removes it
                log.warn(e, "Could not delete %s, which nothing refers to", path);
            }
        }
        paths.clear();
        files.clear();
    }

    /**
     * What all writers of a kind of file and a level share.
     *
     * @param thin leaves the {@code _KEY_} columns out
     * @param statisticsModes one a column of the schema
     * @param targetFileSize a file ends once it has this many bytes
     */
    record Settings(
            TableSchema schema,
            boolean thin,
            ParquetWriterOptions options,
            List<StatisticsMode> statisticsModes,
            boolean denseStatistics,
            long targetFileSize)
    {
        Settings
        {
            requireNonNull(schema, "schema is null");
            requireNonNull(options, "options is null");
            statisticsModes = ImmutableList.copyOf(statisticsModes);
            if (!schema.primaryKeys().isEmpty() && schema.trimmedPrimaryKeys().isEmpty()) {
                throw new StorageException(StorageErrorCode.INVALID_SCHEMA, "A table without a primary key beside its partition columns cannot be written; add a key column");
            }
        }
    }
}
