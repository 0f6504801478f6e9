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

import com.google.common.collect.AbstractIterator;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterators;
import com.google.common.collect.Lists;
import com.google.inject.Inject;
import io.airlift.units.Duration;
import io.lookup.storage.scan.ChangeSource;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.SplitFile;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.Tag;
import io.lookup.storage.table.CompactionTarget;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.LookupSessionProperties;
import io.lookup.trino.changes.SnapshotSelection;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.ChangeMode;
import io.lookup.trino.handle.ChangeRange;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.CompactionSplit;
import io.lookup.trino.handle.EngineSplit;
import io.lookup.trino.handle.EngineSplit.Kind;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.StateSplit;
import io.lookup.trino.handle.TableKind;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorSplitSource;
import io.trino.spi.HostAddress;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.FixedSplitSource;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * Plans scans: of a snapshot of a table, of its change log, of its state.
 */
public final class LookupSplitManager
        implements TrinoSplitManager
{
    private static final int BUCKETS_PER_SPLIT = 1_000;

    private final LookupTables tables;
    private final SplitAddresses addresses;
    private final ExecutorService executor;

    @Inject
    public LookupSplitManager(LookupTables tables, SplitAddresses addresses, @ForReading ExecutorService executor)
    {
        this.tables = requireNonNull(tables, "tables is null");
        this.addresses = requireNonNull(addresses, "addresses is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    @Override
    public ConnectorSplitSource getSplits(ConnectorSession session, ConnectorTableHandle tableHandle, DynamicPredicate dynamicPredicate)
    {
        LookupTableHandle handle = (LookupTableHandle) tableHandle;
        Duration waitTimeout = LookupSessionProperties.getDynamicFilteringWaitTimeout(session);
        PlanCounters counters = new PlanCounters();
        ConnectorSplitSource source = switch (handle.kind()) {
            case DATA -> handle.oneRowPerBucket() ?
                    new LookupSplitSource(executor, _ -> planCompaction(session, handle), DynamicPredicate.NONE, waitTimeout, counters, Optional.of(ImmutableList.of())) :
                    new LookupSplitSource(executor, predicate -> planTable(session, handle, predicate, counters), dynamicPredicate, waitTimeout, counters);
            case RO -> new LookupSplitSource(executor, predicate -> planTable(session, handle, predicate, counters), dynamicPredicate, waitTimeout, counters);
            case BINLOG -> new LookupSplitSource(executor, _ -> planChanges(session, handle, TupleDomain.all(), counters), DynamicPredicate.NONE, waitTimeout, counters);
            case AUDIT_LOG -> new LookupSplitSource(executor, predicate -> planChanges(session, handle, predicate, counters), dynamicPredicate, waitTimeout, counters);
            case CONTRADICTIONS -> new LookupSplitSource(executor, _ -> planVerification(session, handle), DynamicPredicate.NONE, waitTimeout, counters);
            case SNAPSHOTS, FILES, SCHEMAS, OPTIONS, MANIFESTS, PARTITIONS, BUCKETS, TAGS, AGGREGATION_FIELDS, CONSUMERS, BRANCHES, STATISTICS -> new FixedSplitSource(new StateSplit(handle.kind()));
        };
        return new ClassLoaderSafeConnectorSplitSource(source, LookupSplitManager.class.getClassLoader());
    }

    private StorageTable open(ConnectorSession session, LookupTableHandle handle)
    {
        StorageTable table = tables.open(session.getQueryId(), handle.baseTableName(), handle.schemaJson());
        return table;
    }

    private Iterator<? extends ConnectorSplit> planTable(ConnectorSession session, LookupTableHandle handle, TupleDomain<LookupColumnHandle> dynamicPredicate, PlanCounters counters)
    {
        TupleDomain<LookupColumnHandle> predicate = handle.enforced().intersect(handle.unenforced()).intersect(dynamicPredicate);
        if (handle.snapshotId().isEmpty() || predicate.isNone()) {
            return Collections.emptyIterator();
        }
        StorageTable table = open(session, handle);
        Snapshot snapshot = snapshot(table.snapshots(), handle.snapshotId().getAsLong());
        ScanFilter filter = ScanFilter.of(dataPredicate(predicate));
        if (handle.kind() == TableKind.RO && !table.schema().primaryKeys().isEmpty()) {
            filter = filter.withLevels(OptionalInt.of(table.options().compaction().numLevels() - 1), OptionalInt.empty());
        }
        Iterator<TableSplit> splits = table.scanPlanner().plan(snapshot, filter, counters.statistics());
        if (handle.limit().isPresent() && handle.unenforced().isAll() && dynamicPredicate.isAll()) {
            splits = firstRows(splits, handle.limit().getAsLong());
        }
        Function<Stream<SplitFile>, List<HostAddress>> readers = addresses.forPlan();
        return Iterators.transform(
                splits,
                split -> {
                    counters.add(split);
                    return new EngineSplit(Kind.TABLE, split.toBytes(), split.sizeInBytes(), readers.apply(split.files()));
                });
    }

    /**
     * As many splits as are known to have that many rows.
     */
    private static Iterator<TableSplit> firstRows(Iterator<TableSplit> splits, long limit)
    {
        return new AbstractIterator<>()
        {
            private long rows;

            @Override
            protected TableSplit computeNext()
            {
                if (rows >= limit || !splits.hasNext()) {
                    return endOfData();
                }
                TableSplit split = splits.next();
                rows += split.exactRowCount().orElse(0);
                return split;
            }
        };
    }

    private Iterator<? extends ConnectorSplit> planCompaction(ConnectorSession session, LookupTableHandle handle)
    {
        if (handle.snapshotId().isEmpty() || handle.enforced().isNone()) {
            return Collections.emptyIterator();
        }
        List<CompactionTarget> targets = open(session, handle).compactionTargets(handle.snapshotId(), dataPredicate(handle.enforced()));
        return Lists.partition(targets, BUCKETS_PER_SPLIT).stream()
                .map(part -> new CompactionSplit(CompactionTarget.toBytes(part)))
                .iterator();
    }

    private Iterator<? extends ConnectorSplit> planChanges(ConnectorSession session, LookupTableHandle handle, TupleDomain<LookupColumnHandle> dynamicPredicate, PlanCounters counters)
    {
        TupleDomain<LookupColumnHandle> predicate = handle.enforced().intersect(handle.unenforced()).intersect(dynamicPredicate);
        if (handle.snapshotId().isEmpty() || predicate.isNone()) {
            return Collections.emptyIterator();
        }
        StorageTable table = open(session, handle);
        ChangeMode mode = handle.changes().map(ChangeRange::mode).orElse(ChangeMode.AUTO);
        if (mode == ChangeMode.DIFF) {
            return planDifference(table, handle.changes().orElseThrow(), predicate);
        }
        List<Snapshot> snapshots = SnapshotSelection.select(table.snapshots(), handle.snapshotId(), handle.changes(), predicate);
        Optional<Domain> buckets = domain(predicate, ColumnRole.BUCKET);
        Iterator<ChangeSplit> splits = table.changePlanner().plan(snapshots, ScanFilter.of(dataPredicate(predicate)), source(mode), counters.statistics());
        Function<Stream<SplitFile>, List<HostAddress>> readers = addresses.forPlan();
        return Iterators.transform(
                Iterators.filter(splits, split -> includesBucket(buckets, split.bucket())),
                split -> new EngineSplit(Kind.CHANGES, split.toBytes(), split.sizeInBytes(), readers.apply(split.files().stream())));
    }

    private Iterator<? extends ConnectorSplit> planVerification(ConnectorSession session, LookupTableHandle handle)
    {
        if (handle.snapshotId().isEmpty()) {
            return Collections.emptyIterator();
        }
        return Iterators.transform(
                open(session, handle).verificationPlanner().plan(handle.snapshotId().getAsLong()),
                split -> new EngineSplit(Kind.VERIFICATION, split.toBytes(), split.sizeInBytes(), ImmutableList.of()));
    }

    private static ChangeSource source(ChangeMode mode)
    {
        return switch (mode) {
            case AUTO -> ChangeSource.LOG;
            case CHANGELOG -> ChangeSource.CHANGELOG;
            case DELTA -> ChangeSource.DELTA;
            case DIFF -> throw new IllegalArgumentException("States are not read from a log");
        };
    }

    private static Iterator<? extends ConnectorSplit> planDifference(StorageTable table, ChangeRange range, TupleDomain<LookupColumnHandle> predicate)
    {
        if (range.startExclusive() == range.endInclusive()) {
            return Collections.emptyIterator();
        }
        Snapshot after = snapshot(table.snapshots(), range.endInclusive());
        Optional<Snapshot> before = Optional.of(range.startExclusive())
                .filter(id -> id >= Snapshot.FIRST_ID)
                .map(id -> snapshot(table.snapshots(), id));
        if (!SnapshotSelection.matchesDifference(after, predicate)) {
            return Collections.emptyIterator();
        }
        Optional<Domain> buckets = domain(predicate, ColumnRole.BUCKET);
        return Iterators.transform(
                Iterators.filter(
                        table.differencePlanner().plan(before, after, dataPredicate(predicate)),
                        split -> includesBucket(buckets, split.bucket())),
                split -> new EngineSplit(Kind.DIFFERENCE, split.toBytes(), split.sizeInBytes(), ImmutableList.of()));
    }

    private static boolean includesBucket(Optional<Domain> buckets, int bucket)
    {
        return buckets.map(domain -> domain.includesNullableValue((long) bucket)).orElse(true);
    }

    /**
     * The snapshot itself, or the copy that a tag keeps of one that is gone.
     */
    private static Snapshot snapshot(SnapshotManager snapshots, long id)
    {
        return snapshots.find(id)
                .or(() -> snapshots.tags().stream()
                        .map(Tag::snapshot)
                        .filter(snapshot -> snapshot.id() == id)
                        .findFirst())
                .orElseGet(() -> snapshots.snapshot(id));
    }

    private static Optional<Domain> domain(TupleDomain<LookupColumnHandle> predicate, ColumnRole role)
    {
        return predicate.getDomains().orElseThrow().entrySet().stream()
                .filter(entry -> entry.getKey().role() == role)
                .map(entry -> entry.getValue())
                .reduce(Domain::intersect);
    }

    static TupleDomain<Integer> dataPredicate(TupleDomain<LookupColumnHandle> predicate)
    {
        return predicate
                .filter((column, _) -> column.role() == ColumnRole.DATA && column.path().isEmpty())
                .transformKeys(LookupColumnHandle::fieldId);
    }
}
