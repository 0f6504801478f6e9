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
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.airlift.log.Logger;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.ScanPlanner.ScanEstimate;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.StoredStatistics;
import io.lookup.storage.snapshot.StoredStatistics.StoredColumn;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.changes.SnapshotProperties;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.engine.TableSchemas;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.properties.AnalyzeProperties;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.statistics.ColumnStatisticMetadata;
import io.trino.spi.statistics.ColumnStatisticType;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.statistics.TableStatisticType;
import io.trino.spi.statistics.TableStatisticsMetadata;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;

import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.Iterables.getOnlyElement;
import static io.lookup.storage.schema.TrinoTypes.toTrinoType;
import static io.trino.spi.StandardErrorCode.INVALID_ANALYZE_PROPERTY;
import static io.trino.spi.statistics.ColumnStatisticType.MAX_VALUE;
import static io.trino.spi.statistics.ColumnStatisticType.MAX_VALUE_SIZE_IN_BYTES;
import static io.trino.spi.statistics.ColumnStatisticType.MIN_VALUE;
import static io.trino.spi.statistics.ColumnStatisticType.NUMBER_OF_DISTINCT_VALUES;
import static io.trino.spi.statistics.ColumnStatisticType.NUMBER_OF_NON_NULL_VALUES;
import static io.trino.spi.statistics.ColumnStatisticType.TOTAL_SIZE_IN_BYTES;
import static io.trino.spi.type.BigintType.BIGINT;
import static java.lang.Math.ceilDiv;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * ANALYZE: what Trino collects of a table's rows, and what becomes of it.
 */
final class StatisticsOperations
{
    private static final Logger log = Logger.get(StatisticsOperations.class);

    private final LookupTables tables;
    private final TransactionTables transactionTables;

    StatisticsOperations(LookupTables tables, TransactionTables transactionTables)
    {
        this.tables = requireNonNull(tables, "tables is null");
        this.transactionTables = requireNonNull(transactionTables, "transactionTables is null");
    }

    TableStatisticsMetadata plan(ConnectorSession session, LookupTableHandle handle, Map<String, Object> properties)
    {
        TableHandles.writable(handle);
        table(session, handle).checkWritable();
        TableSchema schema = TableSchemas.fromJson(handle.schemaJson());
        Optional<Set<String>> columns = AnalyzeProperties.columns(properties);
        columns.ifPresent(names -> names.forEach(name -> {
            if (schema.findField(name).isEmpty()) {
                throw new TrinoException(INVALID_ANALYZE_PROPERTY, format("Column %s of %s is not a column of table %s", name, AnalyzeProperties.COLUMNS, handle.relationName()));
            }
        }));
        ImmutableSet.Builder<ColumnStatisticMetadata> statistics = ImmutableSet.builder();
        for (DataField field : schema.fields()) {
            if (columns.isEmpty() || columns.get().contains(field.name())) {
                for (ColumnStatisticType type : collected(field)) {
                    statistics.add(new ColumnStatisticMetadata(field.name(), type));
                }
            }
        }
        return new TableStatisticsMetadata(statistics.build(), ImmutableSet.of(TableStatisticType.ROW_COUNT), ImmutableList.of());
    }

    private static Set<ColumnStatisticType> collected(DataField field)
    {
        ImmutableSet.Builder<ColumnStatisticType> types = ImmutableSet.builder();
        types.add(NUMBER_OF_NON_NULL_VALUES);
        if (field.type() instanceof ScalarType) {
            types.add(NUMBER_OF_DISTINCT_VALUES);
            Type type = toTrinoType(field.type());
            if (StatisticsText.hasRange(type)) {
                types.add(MIN_VALUE, MAX_VALUE);
            }
            if (type instanceof VarcharType || type instanceof VarbinaryType) {
                types.add(TOTAL_SIZE_IN_BYTES, MAX_VALUE_SIZE_IN_BYTES);
            }
        }
        return types.build();
    }

    void finish(ConnectorSession session, LookupTableHandle handle, Collection<ComputedStatistics> computed)
    {
        if (handle.snapshotId().isEmpty()) {
            // statistics are a snapshot's
            return;
        }
        tables.writableCatalog().checkWritable();
        StorageTable table = table(session, handle);
        Snapshot snapshot = table.snapshots().snapshot(handle.snapshotId().getAsLong());
        ComputedStatistics statistics = getOnlyElement(computed);
        long rows = BIGINT.getLong(statistics.getTableStatistics().get(TableStatisticType.ROW_COUNT), 0);

        Map<String, Map<ColumnStatisticType, Block>> byColumn = new HashMap<>();
        statistics.getColumnStatistics().forEach((metadata, block) ->
                byColumn.computeIfAbsent(metadata.getColumnName(), _ -> new EnumMap<>(ColumnStatisticType.class)).put(metadata.getStatisticType(), block));
        ImmutableMap.Builder<String, StoredColumn> columns = ImmutableMap.builder();
        for (DataField field : table.schema().fields()) {
            Map<ColumnStatisticType, Block> values = byColumn.get(field.name());
            if (values != null) {
                columns.put(field.name(), column(field, values, rows));
            }
        }
        long id = table.commit(
                new StoredStatistics(snapshot.id(), table.schema().id(), OptionalLong.of(rows), OptionalLong.of(visibleBytes(table, snapshot, rows)), columns.buildOrThrow()),
                SnapshotProperties.of(session));
        log.debug("Query %s analyzed snapshot %s of table %s as snapshot %s", session.getQueryId(), snapshot.id(), handle.baseTableName(), id);
        transactionTables.forget(handle.baseTableName());
    }

    /**
     * The bytes of the files, in proportion.
     */
    private static long visibleBytes(StorageTable table, Snapshot snapshot, long rows)
    {
        ScanEstimate estimate = table.scanPlanner().estimate(snapshot, ScanFilter.ALL);
        if (snapshot.totalRecordCount() <= rows) {
            return estimate.sizeInBytes();
        }
        return Math.round((double) estimate.sizeInBytes() * rows / snapshot.totalRecordCount());
    }

    private static StoredColumn column(DataField field, Map<ColumnStatisticType, Block> values, long rows)
    {
        Type type = toTrinoType(field.type());
        long present = number(values, NUMBER_OF_NON_NULL_VALUES).orElseThrow();
        OptionalLong size = number(values, TOTAL_SIZE_IN_BYTES);
        return new StoredColumn(
                field.id(),
                number(values, NUMBER_OF_DISTINCT_VALUES),
                Optional.ofNullable(values.get(MIN_VALUE)).flatMap(block -> StatisticsText.text(type, block)),
                Optional.ofNullable(values.get(MAX_VALUE)).flatMap(block -> StatisticsText.text(type, block)),
                OptionalLong.of(rows - present),
                size.isPresent() && present > 0 ? OptionalLong.of(ceilDiv(size.getAsLong(), present)) : OptionalLong.empty(),
                number(values, MAX_VALUE_SIZE_IN_BYTES));
    }

    private static OptionalLong number(Map<ColumnStatisticType, Block> values, ColumnStatisticType type)
    {
        Block block = values.get(type);
        return block == null || block.isNull(0) ? OptionalLong.empty() : OptionalLong.of(BIGINT.getLong(block, 0));
    }

    private StorageTable table(ConnectorSession session, LookupTableHandle handle)
    {
        return tables.open(session.getQueryId(), handle.baseTableName(), handle.schemaJson());
    }
}
