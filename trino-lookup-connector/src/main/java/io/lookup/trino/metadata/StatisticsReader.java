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
package io.lookup.trino.metadata;

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.lookup.storage.StorageException;
import io.lookup.storage.scan.ColumnEstimate;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.ScanPlanner;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.StoredStatistics;
import io.lookup.storage.snapshot.StoredStatistics.StoredColumn;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.engine.TableSchemas;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.TableKind;
import io.trino.spi.predicate.Range;
import io.trino.spi.statistics.ColumnStatistics;
import io.trino.spi.statistics.DoubleRange;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.StatsUtil;
import io.trino.spi.statistics.TableStatistics;
import io.trino.spi.type.Type;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

import static io.lookup.storage.schema.TrinoTypes.toTrinoType;

/**
 * What the planner is told of a table: what an ANALYZE has found, and what the manifests tell.
 */
final class StatisticsReader
{
    private static final Logger log = Logger.get(StatisticsReader.class);
    // how far back a snapshot is looked for since which no row has changed
    private static final int MAX_UNCHANGED_SNAPSHOTS = 10;

    private StatisticsReader() {}

    static TableStatistics read(TransactionTables tables, LookupTableHandle handle)
    {
        if (handle.kind() != TableKind.DATA) {
            return TableStatistics.empty();
        }
        if (handle.snapshotId().isEmpty()) {
            return TableStatistics.builder().setRowCount(Estimate.zero()).build();
        }
        TableSchema schema = TableSchemas.fromJson(handle.schemaJson());
        ScanFilter filter = ScanFilter.of(handle.enforced()
                .filter((column, _) -> column.role() == ColumnRole.DATA)
                .transformKeys(LookupColumnHandle::fieldId));
        try {
            return tables.find(handle.baseTableName())
                    .map(pinned -> pinned.table().atSchema(schema.id()))
                    .flatMap(table -> table.snapshots().find(handle.snapshotId().getAsLong())
                            .map(snapshot -> read(tables.columns(), table, snapshot, filter)))
                    .orElseGet(TableStatistics::empty);
        }
        catch (StorageException _) {
            // what cannot be read is told of by the scan, if there is one
            return TableStatistics.empty();
        }
    }

    private static TableStatistics read(TableColumns columns, StorageTable table, Snapshot snapshot, ScanFilter filter)
    {
        TableSchema schema = table.schema();
        ScanPlanner planner = table.scanPlanner();
        Optional<Analyzed> analyzed = analyzed(table, snapshot);
        long rows = planner.estimate(snapshot, filter).rowCount();
        if (filter.predicate().isAll() && analyzed.isPresent() && analyzed.get().current()) {
            rows = analyzed.get().statistics().mergedRecordCount().orElse(rows);
        }
        TableStatistics.Builder statistics = TableStatistics.builder().setRowCount(Estimate.of(rows));
        if (rows == 0) {
            return statistics.build();
        }
        Map<Integer, ColumnEstimate> estimates = planner.estimateColumns(snapshot, filter);
        for (TableColumns.Column column : columns.columns(TableKind.DATA, schema)) {
            LookupColumnHandle handle = column.handle();
            if (handle.role() == ColumnRole.DATA) {
                statistics.setColumnStatistics(handle, column(schema, handle, rows, Optional.ofNullable(estimates.get(handle.fieldId())), analyzed.flatMap(found -> found.column(handle))));
            }
        }
        return statistics.build();
    }

    /**
     * @param schema version whose columns were analyzed
     * @param current whether rows are what they were then
     */
    private record Analyzed(StoredStatistics statistics, TableSchema schema, boolean current)
    {
        Optional<AnalyzedColumn> column(LookupColumnHandle handle)
        {
            return statistics.columns().values().stream()
                    .filter(column -> column.columnId() == handle.fieldId())
                    .findFirst()
                    .map(column -> new AnalyzedColumn(column, schema.findField(handle.fieldId()), statistics.mergedRecordCount(), current));
        }
    }

    private record AnalyzedColumn(StoredColumn column, Optional<DataField> field, OptionalLong rowCount, boolean current) {}

    private static Optional<Analyzed> analyzed(StorageTable table, Snapshot snapshot)
    {
        if (snapshot.statistics().isEmpty()) {
            return Optional.empty();
        }
        try {
            StoredStatistics statistics = table.statistics().read(snapshot.statistics().get());
            return Optional.of(new Analyzed(statistics, table.schemas().schema(statistics.schemaId()), isCurrent(table, statistics.snapshotId(), snapshot)));
        }
        catch (StorageException e) {
            log.warn(e, "Table %s: its statistics could not be read, and are taken for none", table.name());
            return Optional.empty();
        }
    }

    private static boolean isCurrent(StorageTable table, long analyzedId, Snapshot snapshot)
    {
        if (snapshot.id() < analyzedId || snapshot.id() - analyzedId > MAX_UNCHANGED_SNAPSHOTS) {
            return false;
        }
        for (long id = analyzedId + 1; id <= snapshot.id(); id++) {
            Optional<Snapshot> later = id == snapshot.id() ? Optional.of(snapshot) : table.snapshots().find(id);
            if (later.isEmpty() || (later.get().commitKind() != CommitKind.COMPACT && later.get().commitKind() != CommitKind.ANALYZE)) {
                return false;
            }
        }
        return true;
    }

    private static ColumnStatistics column(TableSchema schema, LookupColumnHandle handle, long rows, Optional<ColumnEstimate> estimate, Optional<AnalyzedColumn> analyzed)
    {
        ColumnStatistics.Builder statistics = ColumnStatistics.builder();
        OptionalDouble nulls = analyzed.map(StatisticsReader::nullFraction).filter(OptionalDouble::isPresent)
                .or(() -> estimate.map(ColumnEstimate::nullFraction))
                .orElse(OptionalDouble.empty());
        boolean aloneInKey = schema.primaryKeys().equals(ImmutableList.of(handle.name()));
        if (schema.primaryKeys().contains(handle.name())) {
            nulls = OptionalDouble.of(0);
        }
        nulls.ifPresent(fraction -> statistics.setNullsFraction(Estimate.of(fraction)));

        OptionalLong distinct = analyzed.map(found -> found.column().distinctCount()).filter(OptionalLong::isPresent)
                .or(() -> estimate.map(ColumnEstimate::distinctCount))
                .orElse(OptionalLong.empty());
        if (aloneInKey) {
            statistics.setDistinctValuesCount(Estimate.of(rows));
        }
        else if (distinct.isPresent()) {
            statistics.setDistinctValuesCount(Estimate.of(Math.min(distinct.getAsLong(), rows)));
        }

        double present = rows * (1 - nulls.orElse(0));
        analyzed.map(found -> found.column().averageLength()).orElse(OptionalLong.empty())
                .ifPresent(length -> statistics.setDataSize(Estimate.of(length * present)));

        Optional<DoubleRange> found = analyzed.flatMap(column -> range(column, handle.type()));
        Optional<DoubleRange> bounds = estimate.flatMap(ColumnEstimate::range).flatMap(StatisticsReader::range);
        // rows that came later may lie outside of what was found
        boolean current = analyzed.map(AnalyzedColumn::current).orElse(false);
        (current ? found.or(() -> bounds) : bounds.or(() -> found)).ifPresent(statistics::setRange);
        return statistics.build();
    }

    private static OptionalDouble nullFraction(AnalyzedColumn analyzed)
    {
        OptionalLong nulls = analyzed.column().nullCount();
        OptionalLong rows = analyzed.rowCount();
        if (nulls.isEmpty() || rows.isEmpty() || rows.getAsLong() <= 0 || nulls.getAsLong() < 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(Math.min(1, (double) nulls.getAsLong() / rows.getAsLong()));
    }

    private static Optional<DoubleRange> range(AnalyzedColumn analyzed, Type type)
    {
        // texts are of the type that the column had
        return analyzed.field()
                .filter(field -> toTrinoType(field.type()).equals(type))
                .flatMap(_ -> StatisticsText.range(type, analyzed.column().min(), analyzed.column().max()));
    }

    private static Optional<DoubleRange> range(Range range)
    {
        OptionalDouble low = range.getLowValue().map(value -> StatsUtil.toStatsRepresentation(range.getType(), value)).orElse(OptionalDouble.empty());
        OptionalDouble high = range.getHighValue().map(value -> StatsUtil.toStatsRepresentation(range.getType(), value)).orElse(OptionalDouble.empty());
        if (low.isEmpty() || high.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new DoubleRange(low.getAsDouble(), high.getAsDouble()));
    }
}
