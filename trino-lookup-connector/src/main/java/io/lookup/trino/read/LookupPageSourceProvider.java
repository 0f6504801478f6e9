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
package io.lookup.trino.read;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.maintenance.DifferenceSplit;
import io.lookup.storage.maintenance.VerificationSplit;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.table.BucketRows;
import io.lookup.storage.table.CompactionTarget;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.StorageErrors;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.CompactionSplit;
import io.lookup.trino.handle.EngineSplit;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.StateSplit;
import io.lookup.trino.handle.TableKind;
import io.lookup.trino.state.StateTableReader;
import io.lookup.trino.state.StateTables;
import io.trino.spi.Page;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.EmptyPageSource;
import io.trino.spi.connector.FixedPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Opens splits on workers.
 */
public final class LookupPageSourceProvider
        implements TrinoPageSourceProvider
{
    private final LookupTables tables;
    private final ScanStatistics statistics;

    @Inject
    public LookupPageSourceProvider(LookupTables tables, ScanStatistics statistics)
    {
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.tables = requireNonNull(tables, "tables is null");
    }

    @Override
    public ConnectorPageSource createPageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorSplit split,
            ConnectorTableHandle tableHandle,
            List<ColumnHandle> columns,
            DynamicFilter dynamicFilter)
    {
        LookupTableHandle handle = (LookupTableHandle) tableHandle;
        List<LookupColumnHandle> wanted = columns.stream()
                .map(LookupColumnHandle.class::cast)
                .collect(toImmutableList());
        TupleDomain<LookupColumnHandle> predicate = handle.enforced()
                .intersect(handle.unenforced())
                .intersect(dynamicFilter.getCurrentPredicate().transformKeys(LookupColumnHandle.class::cast));
        if (predicate.isNone()) {
            return new EmptyPageSource();
        }
        return StorageErrors.translating(() -> {
            StorageTable table = tables.open(session.getQueryId(), handle.baseTableName(), handle.schemaJson());
            return switch (split) {
                case EngineSplit files -> switch (files.kind()) {
                    case TABLE -> scanTable(table, files, wanted, predicate, handle.limit());
                    case CHANGES -> handle.kind() == TableKind.BINLOG ? readBinlog(table, files, wanted, handle.limit()) : readChanges(table, files, wanted, predicate, handle.limit());
                    case VERIFICATION -> verify(table, files, wanted);
                    case DIFFERENCE -> compare(table, files, wanted);
                };
                case CompactionSplit compaction -> bucketRows(table, compaction, wanted);
                case StateSplit state -> new LookupPageSource(StateTableReader.open(table, state.kind(), handle.snapshotId(), wanted), page -> page);
                default -> throw new IllegalArgumentException("Unknown split " + split);
            };
        });
    }

    private ConnectorPageSource scanTable(StorageTable table, EngineSplit scan, List<LookupColumnHandle> columns, TupleDomain<LookupColumnHandle> predicate, OptionalLong limit)
    {
        TableSchema schema = table.schema();
        PageAssembler assembler = PageAssembler.create(schema, columns, Optional.empty(), !makesValues(table));
        ScanCounters counters = new ScanCounters();
        PageStream stream = table.splitReaders().open(TableSplit.fromBytes(scan.content()), assembler.readColumns(), LookupSplitManager.dataPredicate(predicate), counters);
        return new LookupPageSource(stream, assembler::assemble, counters, limit, statistics);
    }

    /**
     * Whether a merge makes values of several ones, for which it needs the whole of them.
     */
    private static boolean makesValues(StorageTable table)
    {
        return switch (table.options().mergeEngine()) {
            case DEDUPLICATE, FIRST_ROW -> false;
            case PARTIAL_UPDATE, AGGREGATION -> !table.schema().primaryKeys().isEmpty();
        };
    }

    private static ConnectorPageSource bucketRows(StorageTable table, CompactionSplit compaction, List<LookupColumnHandle> columns)
    {
        Page rows = new BucketRows(table.schema(), table.options().bucket()).toPage(CompactionTarget.fromBytes(compaction.content()));
        PageAssembler assembler = PageAssembler.create(table.schema(), columns, Optional.empty(), false);
        int[] channels = assembler.readColumns().stream()
                .mapToInt(column -> table.schema().fieldIndex(column.name()))
                .toArray();
        return new FixedPageSource(ImmutableList.of(assembler.assemble(SourcePage.create(rows.getColumns(channels))).getPage()));
    }

    private static ConnectorPageSource verify(StorageTable table, EngineSplit verification, List<LookupColumnHandle> columns)
    {
        List<String> names = StateTables.columns(TableKind.CONTRADICTIONS).stream()
                .map(column -> column.handle().name())
                .collect(toImmutableList());
        int[] channels = columns.stream().mapToInt(column -> names.indexOf(column.name())).toArray();
        return new LookupPageSource(table.verify(VerificationSplit.fromBytes(verification.content())), page -> SourcePage.create(page.getColumns(channels)));
    }

    private ConnectorPageSource readBinlog(StorageTable table, EngineSplit changes, List<LookupColumnHandle> columns, OptionalLong limit)
    {
        ChangeSplit split = ChangeSplit.fromBytes(changes.content());
        PageAssembler assembler = PageAssembler.create(table.schema(), columns, Optional.of(split), false);
        // whether a row begins an update is said by its kind
        ScanCounters counters = new ScanCounters();
        PageStream stream = table.changeReader().open(split, assembler.readColumns(), TupleDomain.all(), true, counters);
        List<Type> types = assembler.readColumns().stream().map(column -> TrinoTypes.toTrinoType(column.type())).collect(toImmutableList());
        return new LookupPageSource(new BinlogPageStream(stream, types), assembler::assemble, counters, limit, statistics);
    }

    private ConnectorPageSource readChanges(StorageTable table, EngineSplit changes, List<LookupColumnHandle> columns, TupleDomain<LookupColumnHandle> predicate, OptionalLong limit)
    {
        ChangeSplit split = ChangeSplit.fromBytes(changes.content());
        PageAssembler assembler = PageAssembler.create(table.schema(), columns, Optional.of(split), true);
        ScanCounters counters = new ScanCounters();
        PageStream stream = table.changeReader().open(split, assembler.readColumns(), LookupSplitManager.dataPredicate(predicate), assembler.systemColumns(), counters);
        return new LookupPageSource(stream, assembler::assemble, counters, limit, statistics);
    }

    private static ConnectorPageSource compare(StorageTable table, EngineSplit difference, List<LookupColumnHandle> columns)
    {
        DifferenceSplit split = DifferenceSplit.fromBytes(difference.content());
        ChangeSplit origin = new ChangeSplit(split.afterSnapshotId(), split.afterTimeMillis(), split.partition(), split.bucket(), ImmutableList.of(), Optional.empty(), Optional.empty());
        PageAssembler assembler = PageAssembler.create(table.schema(), columns, Optional.of(origin), false);
        int columnCount = table.schema().fields().size();
        int[] channels = IntStream.concat(
                assembler.readColumns().stream().mapToInt(column -> table.schema().fieldIndex(column.name())),
                IntStream.of(columnCount, columnCount + 1)).toArray();
        return new LookupPageSource(table.compare(split), page -> assembler.assemble(SourcePage.create(page.getColumns(channels))));
    }
}
