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
package io.lookup.storage.format.orc;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.column.ColumnErrors;
import io.lookup.storage.format.column.ColumnPlan;
import io.lookup.storage.format.column.ColumnPlan.FileField;
import io.lookup.storage.format.column.FileRanges;
import io.lookup.storage.format.column.ReadErrors;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.column.RetainedRows;
import io.lookup.storage.schema.DataType.MapType;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcCorruptionException;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcReader;
import io.trino.orc.OrcReaderOptions;
import io.trino.orc.OrcRecordReader;
import io.trino.orc.TupleDomainOrcPredicate;
import io.trino.orc.metadata.Footer;
import io.trino.orc.metadata.StripeInformation;
import org.joda.time.DateTimeZone;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;

/**
 * Opens data and changelog files in ORC, as Paimon writes them.
 */
public final class OrcFiles
{
    private static final OrcReaderOptions OPTIONS = new OrcReaderOptions();

    private OrcFiles() {}

    /**
     * @param counters told what is read
     * @return empty if the file can have no row that is wanted
     */
    public static Optional<PageStream> open(FileIo fileIo, ReadRequest request, ScanCounters counters)
            throws IOException
    {
        HadoopOrcDataSource source = new HadoopOrcDataSource(new FileRanges(fileIo, request.path(), request.fileSize(), counters), request.path(), request.fileSize(), OPTIONS);
        Optional<PageStream> stream = Optional.empty();
        try {
            OrcReader reader = OrcReader.createOrcReader(source, OPTIONS)
                    .orElseThrow(() -> new OrcCorruptionException(source.getId(), "it is empty"));
            checkRowCounts(source.getId(), reader.getFooter());
            RetainedRows.check(request, reader.getFooter().getNumberOfRows());
            Map<String, OrcColumn> columns = new HashMap<>();
            reader.getRootColumn().getNestedColumns().forEach(column -> columns.putIfAbsent(column.getColumnName(), column));
            ColumnPlan plan = new ColumnPlan(request, columns::containsKey, new OrcScalars(request.fileSchema()));
            if (!plan.isEmpty()) {
                stream = Optional.of(open(reader, request, plan, columns));
                counters.addFile(reader.getFooter().getStripes().size(), 0);
            }
            return stream;
        }
        catch (IOException | RuntimeException e) {
            throw ReadErrors.translate(request.path(), e);
        }
        finally {
            if (stream.isEmpty()) {
                source.close();
            }
        }
    }

    /**
     * A column may have no bytes at all, so that only this keeps a wrong number from being read as so many rows of nulls.
     */
    private static void checkRowCounts(OrcDataSourceId file, Footer footer)
            throws OrcCorruptionException
    {
        long rows = 0;
        for (StripeInformation stripe : footer.getStripes()) {
            rows += stripe.getNumberOfRows();
        }
        if (rows != footer.getNumberOfRows()) {
            throw new OrcCorruptionException(file, "it says that it has %s rows, its stripes have %s", footer.getNumberOfRows(), rows);
        }
    }

    private static PageStream open(OrcReader reader, ReadRequest request, ColumnPlan plan, Map<String, OrcColumn> columns)
            throws IOException
    {
        TupleDomainOrcPredicate.TupleDomainOrcPredicateBuilder predicate = TupleDomainOrcPredicate.builder();
        for (FileField field : plan.fields()) {
            OrcColumn column = columns.get(field.name());
            if (field.type() instanceof MapType && column.getNestedColumns().stream().anyMatch(child -> child.getColumnName().equals(ColumnErrors.SHARED_MAP_MAPPING))) {
                throw new ColumnErrors(request.path().toString(), field.name()).sharedMap();
            }
            field.domain()
                    .filter(_ -> OrcScalars.hasTrustedStatistics(field.type()))
                    .ifPresent(domain -> predicate.addColumn(column.getColumnId(), domain));
        }
        AggregatedMemoryContext memory = newSimpleAggregatedMemoryContext();
        OrcRecordReader records = reader.createRecordReader(
                plan.fields().stream().map(field -> columns.get(field.name())).toList(),
                plan.fields().stream().map(FileField::readType).toList(),
                false,
                predicate.build(),
                DateTimeZone.UTC,
                memory,
                OrcReader.INITIAL_BATCH_SIZE,
                e -> ReadErrors.translate(request.path(), e));
        return new OrcPageStream(request, records, plan.outputColumns(), memory);
    }
}
