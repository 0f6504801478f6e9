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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.RollingFileWriter.Settings;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import static java.util.Objects.requireNonNull;

/**
 * Writes data and changelog files of one table at one schema version.
 * Thread-safe; its writers are not.
 */
public final class DataFileWriterFactory
{
    private final FileIo fileIo;
    private final TablePaths paths;
    private final TableSchema schema;
    private final CoreOptions options;
    private final boolean thin;
    private final String uuid = UUID.randomUUID().toString();
    private final AtomicLong nextFile = new AtomicLong();

    /**
     * @param schema gives the columns and the options; its id goes into the files' metadata
     */
    public DataFileWriterFactory(FileIo fileIo, TablePaths paths, TableSchema schema)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = new CoreOptions(schema.options());
        this.thin = Boolean.parseBoolean(options.get("data-file.thin-mode").orElse("false"));
    }

    /**
     * Nothing is created before the first row.
     *
     * @throws StorageException UNSUPPORTED_FEATURE if the options ask for files that are not Parquet,
     * INVALID_OPTION for a value that means nothing
     */
    public RollingWriter createDataWriter(BinaryRow partition, int bucket, int level, FileSource source)
    {
        return createDataWriter(partition, bucket, level, source, DataFileListener.NONE);
    }

    /**
     * As {@link #createDataWriter(BinaryRow, int, int, FileSource)}, with somebody who sees the rows.
     */
    public RollingWriter createDataWriter(BinaryRow partition, int bucket, int level, FileSource source, DataFileListener listener)
    {
        checkFormat("file.format.per.level", ParquetWriterOptions.perLevel(options, "file.format.per.level", level).orElse("parquet"));
        checkFormat("file.format", options.fileFormat());
        Settings settings = settings(
                ParquetWriterOptions.forDataFiles(options, level),
                StatisticsMode.forDataFiles(options, schema, thin, level));
        return createWriter(partition, bucket, level, source, settings, options.dataFilePrefix(), listener);
    }

    /**
     * Nothing is created before the first row.
     *
     * @param level goes into the files' metadata: 0 for the input producer, the output level of the compaction for the others
     */
    public RollingWriter createChangelogWriter(BinaryRow partition, int bucket, int level)
    {
        String format = options.get("changelog-file.format").orElseGet(options::fileFormat);
        checkFormat(options.get("changelog-file.format").isPresent() ? "changelog-file.format" : "file.format", format);
        Settings settings = settings(
                ParquetWriterOptions.forChangelogFiles(options),
                StatisticsMode.forChangelogFiles(options, schema, thin));
        return createWriter(partition, bucket, level, FileSource.APPEND, settings, options.changelogFilePrefix(), DataFileListener.NONE);
    }

    /**
     * Makes the changelog file of a data file of which every row is an insert: it has the same bytes.
     *
     * @param dataFile a file of the bucket without a row that is not an insert
     * @param level goes into the new file's metadata
     * @return empty if the table encodes changelog files in another way than this file, so that its rows must be written
     */
    public Optional<DataFileMeta> copyToChangelog(BinaryRow partition, int bucket, DataFileMeta dataFile, int level)
            throws IOException
    {
        Path source = paths.dataFile(partition, bucket, dataFile);
        if (dataFile.schemaId() != schema.id()
                || !dataFile.extraFiles().isEmpty()
                || !source.getName().endsWith(".parquet")
                || !options.get("changelog-file.format").orElseGet(options::fileFormat).equalsIgnoreCase("parquet")
                || !ParquetWriterOptions.forDataFiles(options, dataFile.level()).equals(ParquetWriterOptions.forChangelogFiles(options))
                || !StatisticsMode.forDataFiles(options, schema, thin, dataFile.level()).equals(StatisticsMode.forChangelogFiles(options, schema, thin))) {
            return Optional.empty();
        }
        Path target = new Path(paths.bucketDirectory(partition, bucket), nextName(options.changelogFilePrefix()));
        try {
            long copied = fileIo.duplicate(source, target, dataFile.fileSize());
            if (copied != dataFile.fileSize()) {
                throw new StorageException(
                        StorageErrorCode.CORRUPT_FILE, "File %s has %s bytes, not the %s that its manifest says; restore it from a copy".formatted(source, copied, dataFile.fileSize()));
            }
        }
        catch (IOException | RuntimeException e) {
            try {
                fileIo.deleteFile(target);
            }
            catch (IOException | RuntimeException deleteFailure) {
                e.addSuppressed(deleteFailure);
            }
            throw e;
        }
        return Optional.of(new DataFileMeta(
                target.getName(),
                dataFile.fileSize(),
                dataFile.rowCount(),
                dataFile.minKey(),
                dataFile.maxKey(),
                dataFile.keyStats(),
                dataFile.valueStats(),
                dataFile.minSequenceNumber(),
                dataFile.maxSequenceNumber(),
                dataFile.schemaId(),
                level,
                ImmutableList.of(),
                OptionalLong.of(LocalDateTime.now(ZoneId.systemDefault()).toInstant(ZoneOffset.UTC).toEpochMilli()),
                dataFile.deleteRowCount(),
                Optional.empty(),
                Optional.of(FileSource.APPEND),
                dataFile.valueStatsColumns(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty()));
    }

    /**
     * Of a table without a primary key. Nothing is created before the first row.
     *
     * @param firstSequenceNumber of the first row; the others follow
     * @return takes pages of the table's columns alone
     * @throws StorageException as {@link #createDataWriter}
     */
    public RollingWriter createAppendWriter(BinaryRow partition, int bucket, FileSource source, long firstSequenceNumber)
    {
        checkFormat("file.format", options.fileFormat());
        Settings settings = settings(ParquetWriterOptions.forDataFiles(options, 0), StatisticsMode.forDataFiles(options, schema, false, 0));
        return createWriter(partition, bucket, 0, source, settings, options.dataFilePrefix(), firstSequenceNumber, DataFileListener.NONE);
    }

    private Settings settings(ParquetWriterOptions writerOptions, List<StatisticsMode> modes)
    {
        boolean dense = Boolean.parseBoolean(options.get("metadata.stats-dense-store").orElse("true"));
        return new Settings(schema, thin, writerOptions, modes, dense, options.targetFileSizeBytes(!schema.primaryKeys().isEmpty()));
    }

    private RollingWriter createWriter(BinaryRow partition, int bucket, int level, FileSource source, Settings settings, String prefix, DataFileListener listener)
    {
        return createWriter(partition, bucket, level, source, settings, prefix, 0, listener);
    }

    private RollingWriter createWriter(BinaryRow partition, int bucket, int level, FileSource source, Settings settings, String prefix, long firstSequenceNumber, DataFileListener listener)
    {
        return new PipelinedWriter(new RollingFileWriter(
                fileIo,
                paths.bucketDirectory(partition, bucket),
                () -> nextName(prefix),
                settings,
                level,
                source,
                firstSequenceNumber,
                listener));
    }

    private String nextName(String prefix)
    {
        String suffix = ".parquet";
        if (Boolean.parseBoolean(options.get("file.suffix.include.compression").orElse("false"))) {
            suffix = "." + options.fileCompression().toLowerCase(Locale.ENGLISH) + suffix;
        }
        return prefix + uuid + "-" + nextFile.getAndIncrement() + suffix;
    }

    private static void checkFormat(String key, String format)
    {
        if (!format.equalsIgnoreCase("parquet")) {
            throw new StorageException(
                    StorageErrorCode.UNSUPPORTED_FEATURE, "Option '%s' is '%s', but only parquet files can be written; set it to 'parquet'".formatted(key, format));
        }
    }

    /**
     * Writes the rows of one bucket to as many files as their size asks for.
     */
    public interface RollingWriter
    {
        /**
         * @param page the layout of the whole schema: every column in schema order, sequence number, kind; rows
         * ascending by key over all calls; of a table without keys the columns alone, in any order
         */
        void write(Page page)
                throws IOException;

        /**
         * Bytes written and buffered so far.
         */
        long writtenBytes();

        /**
         * Bytes of the open file that are in memory.
         */
        long bufferedBytes();

        /**
         * Completes the open file before it has its size, which frees its memory.
         */
        void completeFile()
                throws IOException;

        /**
         * Completes the files. After an exception the writer can only be aborted.
         *
         * @return metadata in key order; empty if there was no row
         */
        List<DataFileMeta> finish()
                throws IOException;

        /**
         * Closes and deletes everything written, finished files included; never throws.
         */
        void abort();
    }
}
