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
package io.lookup.storage.scan;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Reads the records of a change log as they were written, unmerged and in file order, so that the old side of
 * an update stands directly before the new one. Thread-safe; streams are not.
 */
public final class ChangeReader
{
    private final TableSchema schema;
    private final SchemaManager schemas;
    private final TablePaths paths;
    private final DataFileReaderFactory files;

    /**
     * @param schema the version that is read; columns that are younger than a record are null in it
     */
    public ChangeReader(TableSchema schema, SchemaManager schemas, TablePaths paths, DataFileReaderFactory files)
    {
        this.schema = requireNonNull(schema, "schema is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * @param columns columns of the schema that is read; may be empty
     * @param predicate by field id; records that do not match may be returned
     * @param withSystemColumns append sequence number (BIGINT) and kind (TINYINT). Records of an append-only table
     * are inserts, numbered in the order of their file
     */
    public PageStream open(ChangeSplit split, List<DataField> columns, TupleDomain<Integer> predicate, boolean withSystemColumns)
    {
        return open(split, columns, predicate, withSystemColumns, new ScanCounters());
    }

    /**
     * @param counters told what is read
     */
    public PageStream open(ChangeSplit split, List<DataField> columns, TupleDomain<Integer> predicate, boolean withSystemColumns, ScanCounters counters)
    {
        List<DataField> wanted = ImmutableList.copyOf(columns);
        List<Integer> partitionIds = schema.partitionFields().stream().map(DataField::id).collect(toImmutableList());
        TupleDomain<Integer> filePredicate = predicate.filter((id, domain) -> !partitionIds.contains(id));
        return new ConcatenatedPageStream(split.files().stream()
                .map(file -> (ConcatenatedPageStream.Source) () -> openFile(split, file, wanted, filePredicate, withSystemColumns, counters))
                .iterator());
    }

    private PageStream openFile(ChangeSplit split, SplitFile file, List<DataField> columns, TupleDomain<Integer> predicate, boolean withSystemColumns, ScanCounters counters)
            throws IOException
    {
        boolean keyed = !schema.primaryKeys().isEmpty();
        if (columns.isEmpty() && !withSystemColumns && predicate.isAll()) {
            return new RowCountPageStream(file.rowCount());
        }
        // numbers are counted along the file, so that none of its rows may be skipped
        TupleDomain<Integer> usedPredicate = withSystemColumns && !keyed ? TupleDomain.all() : predicate;
        PageStream pages = columns.isEmpty() && !keyed ?
                new RowCountPageStream(file.rowCount()) :
                files.open(
                        new ReadRequest(
                                file.path(paths, split.partition(), split.bucket()),
                                file.fileSize(),
                                schemas.schema(file.schemaId()),
                                columns,
                                withSystemColumns && keyed,
                                schema.partitionFields(),
                                split.partition(),
                                usedPredicate),
                        counters);
        return withSystemColumns && !keyed ? new NumberedInsertsPageStream(pages, file.minSequenceNumber()) : pages;
    }
}
