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
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.PointReader;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupFileReader;
import io.lookup.storage.lookup.local.DataFileLookup;
import io.lookup.storage.lookup.local.DataFileRows;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Reads the files of one bucket in the layout of a table, whatever schema version they were written with, without the
 * rows that their deletion vectors name.
 */
final class BucketFiles
{
    private final DataFileReaderFactory readers;
    private final SchemaManager schemas;
    private final TablePaths paths;
    private final TableSchema schema;
    private final KeyValueLayout layout;
    private final BinaryRow partition;
    private final int bucket;
    private final BucketDeletions deletions;

    BucketFiles(
            DataFileReaderFactory readers,
            SchemaManager schemas,
            TablePaths paths,
            TableSchema schema,
            KeyValueLayout layout,
            BinaryRow partition,
            int bucket,
            BucketDeletions deletions)
    {
        this.readers = requireNonNull(readers, "readers is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
        this.deletions = requireNonNull(deletions, "deletions is null");
    }

    /**
     * @param predicate by field id; only skips row groups and pages
     */
    PageStream open(DataFileMeta file, TupleDomain<Integer> predicate)
            throws IOException
    {
        return readers.open(request(file, layout.columns(), predicate));
    }

    /**
     * The key columns only, in key order.
     */
    private PageStream openKeys(DataFileMeta file, TupleDomain<Integer> predicate)
            throws IOException
    {
        return readers.open(request(file, schema.trimmedPrimaryKeyFields(), predicate));
    }

    /**
     * With the rows' positions in the file behind the columns of the layout.
     */
    private PageStream openWithPositions(DataFileMeta file, TupleDomain<Integer> predicate)
            throws IOException
    {
        return readers.open(request(file, layout.columns(), predicate).withRowPositions());
    }

    /**
     * For lookups that need whole rows.
     *
     * @param positions whether streams have the rows' positions in the file behind the columns
     */
    LookupFileReader rows(boolean positions, BucketLookupFiles lookupFiles)
    {
        return new CopiedFileReader(lookupFiles, layout.columns(), layout.columns())
        {
            @Override
            public PageStream open(DataFileMeta file, TupleDomain<Integer> predicate)
                    throws IOException
            {
                return positions ? openWithPositions(file, predicate) : BucketFiles.this.open(file, predicate);
            }
        };
    }

    /**
     * For lookups that need no more than the key columns, in key order.
     */
    LookupFileReader keys(BucketLookupFiles lookupFiles)
    {
        return new CopiedFileReader(lookupFiles, schema.trimmedPrimaryKeyFields(), schema.trimmedPrimaryKeyFields())
        {
            @Override
            public PageStream open(DataFileMeta file, TupleDomain<Integer> predicate)
                    throws IOException
            {
                return openKeys(file, predicate);
            }
        };
    }

    /**
     * For lookups that only ask where keys lie: the key columns, in key order, and positions behind the columns. A copy, which holds whole rows,
     * is used if it is there; to make one would cost more than to read the keys.
     */
    LookupFileReader positions(BucketLookupFiles lookupFiles)
    {
        return new CopiedFileReader(lookupFiles, schema.trimmedPrimaryKeyFields(), layout.columns())
        {
            @Override
            public LocalCopy localCopy(DataFileMeta file)
            {
                return super.localCopy(file) == LocalCopy.PRESENT ? LocalCopy.PRESENT : LocalCopy.IMPOSSIBLE;
            }

            @Override
            public PageStream open(DataFileMeta file, TupleDomain<Integer> predicate)
                    throws IOException
            {
                return readers.open(request(file, schema.trimmedPrimaryKeyFields(), predicate).withRowPositions());
            }
        };
    }

    private ReadRequest request(DataFileMeta file, List<DataField> columns, TupleDomain<Integer> predicate)
    {
        return requestOfAll(file, columns, predicate).withDeletions(deletions.found(file.fileName()));
    }

    /**
     * Deleted rows too.
     */
    private ReadRequest requestOfAll(DataFileMeta file, List<DataField> columns, TupleDomain<Integer> predicate)
    {
        return new ReadRequest(
                paths.dataFile(partition, bucket, file),
                file.fileSize(),
                schemas.schema(file.schemaId()),
                columns,
                true,
                schema.partitionFields(),
                partition,
                predicate);
    }

    /**
     * Reads the row kinds of a file, and no other column of the table.
     */
    boolean hasOnlyInserts(DataFileMeta file)
            throws IOException
    {
        if (file.deleteRowCount().orElse(1) > 0) {
            return false;
        }
        int kindChannel = 1;
        try (PageStream pages = readers.open(request(file, ImmutableList.of(), TupleDomain.all()))) {
            for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                Block kinds = page.getBlock(kindChannel);
                int count = kinds instanceof RunLengthEncodedBlock ? 1 : page.getPositionCount();
                for (int position = 0; position < count; position++) {
                    if (TINYINT.getByte(kinds, position) != RowKind.INSERT.value()) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /**
     * All rows of files that follow each other in key order.
     */
    PageStream openAll(List<DataFileMeta> files)
    {
        Iterator<DataFileMeta> remaining = ImmutableList.copyOf(files).iterator();
        return new PageStream()
        {
            private PageStream current;

            @Override
            public Page nextPage()
                    throws IOException
            {
                while (true) {
                    if (current == null) {
                        if (!remaining.hasNext()) {
                            return null;
                        }
                        current = open(remaining.next(), TupleDomain.all());
                    }
                    Page page = current.nextPage();
                    if (page != null) {
                        return page;
                    }
                    current.close();
                    current = null;
                }
            }

            @Override
            public long memoryUsage()
            {
                return current == null ? 0 : current.memoryUsage();
            }

            @Override
            public void close()
                    throws IOException
            {
                if (current != null) {
                    current.close();
                    current = null;
                }
            }
        };
    }

    private abstract class CopiedFileReader
            implements LookupFileReader
    {
        private final BucketLookupFiles lookupFiles;
        private final List<DataField> columns;
        private final List<DataField> copiedColumns;

        /**
         * @param columns that are read singly
         * @param copiedColumns those of copies
         */
        private CopiedFileReader(BucketLookupFiles lookupFiles, List<DataField> columns, List<DataField> copiedColumns)
        {
            this.lookupFiles = requireNonNull(lookupFiles, "lookupFiles is null");
            this.columns = requireNonNull(columns, "columns is null");
            this.copiedColumns = requireNonNull(copiedColumns, "copiedColumns is null");
        }

        @Override
        public Optional<PointReader> openPoints(DataFileMeta file)
                throws IOException
        {
            return readers.openPoints(request(file, columns, TupleDomain.all()));
        }

        @Override
        public LocalCopy localCopy(DataFileMeta file)
        {
            return lookupFiles.localCopy(file);
        }

        @Override
        public Optional<FileLookup> openLocal(DataFileMeta file, DataFileLookup fallback)
        {
            return lookupFiles.find(file, deletions.found(file.fileName()), fallback);
        }

        @Override
        public Optional<FileLookup> makeLocal(DataFileMeta file, DataFileLookup fallback)
                throws IOException
        {
            return lookupFiles.make(file, allRows(file), deletions.found(file.fileName()), fallback);
        }

        @Override
        public boolean requestLocal(DataFileMeta file)
        {
            return lookupFiles.request(file, allRows(file));
        }

        /**
         * Has what the whole node shares, and nothing of this compaction.
         */
        private DataFileRows allRows(DataFileMeta file)
        {
            DataFileReaderFactory factory = readers;
            ReadRequest request = requestOfAll(file, copiedColumns, TupleDomain.all());
            return () -> factory.open(request);
        }
    }
}
