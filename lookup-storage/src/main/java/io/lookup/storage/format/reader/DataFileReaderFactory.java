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
package io.lookup.storage.format.reader;

import io.airlift.units.DataSize;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.avro.AvroFiles;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.deletion.DeletionVectorReader;
import io.lookup.storage.format.orc.OrcFiles;
import io.lookup.storage.format.parquet.FooterCache;
import io.lookup.storage.format.parquet.ParquetFiles;
import io.lookup.storage.format.parquet.PointReader;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Opens data and changelog files. A file's format is the extension of its name. Thread-safe.
 */
public final class DataFileReaderFactory
{
    private final FileIo fileIo;
    private final ParquetFiles parquet;
    private final DeletionVectorReader deletionVectors;

    public DataFileReaderFactory(FileIo fileIo)
    {
        this(fileIo, new ParquetFiles(fileIo, Optional.empty()), new DeletionVectorReader(fileIo));
    }

    public DataFileReaderFactory(FileIo fileIo, FooterCache footerCache)
    {
        this(fileIo, new ParquetFiles(fileIo, Optional.of(footerCache)), new DeletionVectorReader(fileIo));
    }

    private DataFileReaderFactory(FileIo fileIo, ParquetFiles parquet, DeletionVectorReader deletionVectors)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.parquet = requireNonNull(parquet, "parquet is null");
        this.deletionVectors = requireNonNull(deletionVectors, "deletionVectors is null");
    }

    /**
     * The same with another bound on how far apart ranges of a Parquet file may be that are read at once. Less than the default of
     * one megabyte pays where few pages of a file are wanted and a request costs little.
     */
    public DataFileReaderFactory withMaxMergeDistance(DataSize distance)
    {
        return new DataFileReaderFactory(fileIo, parquet.withMaxMergeDistance(distance), deletionVectors);
    }

    /**
     * Reads the vectors of the files that are opened here; what was read is kept within bounds.
     */
    public DeletionVectorReader deletionVectors()
    {
        return deletionVectors;
    }

    /**
     * @return pages of at most 8192 rows: the columns of the request in order, then the system columns and the row
     * positions if wanted; without the rows that the request calls deleted
     * @throws StorageException MISSING_FILE, CORRUPT_FILE, FILE_SYSTEM_ERROR, or UNSUPPORTED_FEATURE for a format
     * or a change of a column's type that cannot be read; the stream throws them as well
     */
    public PageStream open(ReadRequest request)
            throws IOException
    {
        return open(request, new ScanCounters());
    }

    /**
     * @param counters told what is read
     */
    public PageStream open(ReadRequest request, ScanCounters counters)
            throws IOException
    {
        FileFormat format = FileFormat.of(request.path());
        if (request.predicate().isNone()) {
            return EmptyPageStream.INSTANCE;
        }
        Optional<PageStream> stream = switch (format) {
            case PARQUET -> parquet.open(request, counters);
            case ORC -> OrcFiles.open(fileIo, request, counters);
            case AVRO -> Optional.of(AvroFiles.open(fileIo, request, counters));
        };
        return stream.orElse(EmptyPageStream.INSTANCE);
    }

    /**
     * Opens a file for reading single rows of it.
     *
     * @param request its predicate is not looked at
     * @return empty if the file has no offset index, a column of the request is of a kind that can only be read from its beginning, or the format
     * is another one than Parquet
     */
    public Optional<PointReader> openPoints(ReadRequest request)
            throws IOException
    {
        return FileFormat.of(request.path()) == FileFormat.PARQUET ? parquet.openPoints(request) : Optional.empty();
    }

    private static final class EmptyPageStream
            implements PageStream
    {
        private static final EmptyPageStream INSTANCE = new EmptyPageStream();

        @Override
        public Page nextPage()
        {
            return null;
        }

        @Override
        public void close() {}
    }
}
