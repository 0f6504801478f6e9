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
package io.lookup.trino.state;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterators;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.PartitionPaths;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.Tag;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.TableKind;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;

import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.LongStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;

/**
 * Reads the tables that show a table's state.
 */
public final class StateTableReader
{
    private StateTableReader() {}

    /**
     * @param snapshotId the state that is shown; empty for a table without snapshots
     */
    public static PageStream open(StorageTable table, TableKind kind, OptionalLong snapshotId, List<LookupColumnHandle> columns)
    {
        Optional<Long> id = snapshotId.isPresent() ? Optional.of(snapshotId.getAsLong()) : Optional.empty();
        SnapshotManager snapshots = table.snapshots();
        return switch (kind) {
            case SNAPSHOTS -> new RowStream<>(id.map(last -> snapshots(snapshots, last)).orElse(Collections.emptyIterator()), columns, SnapshotRows::value);
            case FILES -> {
                FileRows files = new FileRows(table.schema(), table.schemas(), table.paths());
                yield new RowStream<>(liveFiles(table, id), columns, files::value);
            }
            case MANIFESTS -> {
                PartitionPaths partitions = PartitionPaths.of(table.schema());
                yield new RowStream<>(
                        id.map(last -> table.liveFiles().manifests(snapshot(snapshots, last)).iterator()).orElse(Collections.emptyIterator()),
                        columns,
                        (manifest, column) -> ManifestRows.value(manifest, partitions, column));
            }
            case PARTITIONS -> {
                PartitionPaths partitions = PartitionPaths.of(table.schema());
                yield new RowStream<>(FileTotals.byPartition(liveFiles(table, id), partitions).iterator(), columns, FileTotals::value);
            }
            case BUCKETS -> {
                PartitionPaths partitions = PartitionPaths.of(table.schema());
                yield new RowStream<>(FileTotals.byBucket(liveFiles(table, id), partitions).iterator(), columns, FileTotals::value);
            }
            case SCHEMAS -> new RowStream<>(
                    table.schemas().all().stream().filter(schema -> schema.id() <= table.schema().id()).iterator(),
                    columns,
                    SchemaRows::value);
            case OPTIONS -> new RowStream<>(new TreeMap<>(table.schema().options()).entrySet().iterator(), columns, SchemaRows::optionValue);
            case AGGREGATION_FIELDS -> new RowStream<>(
                    table.schema().fields().iterator(),
                    columns,
                    (field, column) -> SchemaRows.fieldValue(table.schema(), field, column));
            case TAGS -> new RowStream<>(
                    snapshots.tags().stream().sorted(Comparator.comparing(Tag::name)).iterator(),
                    columns,
                    TagRows::value);
            case CONSUMERS -> new RowStream<>(table.consumers().consumers().entrySet().iterator(), columns, (consumer, column) -> switch (column) {
                case "consumer_id" -> utf8Slice(consumer.getKey());
                case "next_snapshot_id" -> consumer.getValue();
                default -> throw new IllegalArgumentException("Unknown column " + column);
            });
            case BRANCHES -> new RowStream<>(table.branches().branches().entrySet().iterator(), columns, (branch, column) -> switch (column) {
                case "branch_name" -> utf8Slice(branch.getKey());
                case "create_time" -> branch.getValue() * MICROSECONDS_PER_MILLISECOND;
                default -> throw new IllegalArgumentException("Unknown column " + column);
            });
            case STATISTICS -> new RowStream<>(
                    id.flatMap(last -> snapshot(snapshots, last).statistics()).map(table.statistics()::read).stream().iterator(),
                    columns,
                    StatisticsRows::value);
            case DATA, AUDIT_LOG, CONTRADICTIONS, RO, BINLOG -> throw new IllegalArgumentException("Not a state table: " + kind);
        };
    }

    private static Iterator<Snapshot> snapshots(SnapshotManager snapshots, long last)
    {
        long earliest = snapshots.earliestId().orElse(last);
        return LongStream.rangeClosed(earliest, last)
                .mapToObj(snapshots::find)
                // one may have expired meanwhile
                .flatMap(Optional::stream)
                .iterator();
    }

    /**
     * Bucket by bucket, since there may be more than fit into a list.
     */
    private static Iterator<ManifestEntry> liveFiles(StorageTable table, Optional<Long> snapshotId)
    {
        return snapshotId
                .map(id -> Iterators.concat(Iterators.transform(
                        table.liveFiles().liveBuckets(snapshot(table.snapshots(), id), _ -> true, (_, _, _) -> true, _ -> true),
                        bucket -> bucket.entries().iterator())))
                .orElse(Collections.emptyIterator());
    }

    private static Snapshot snapshot(SnapshotManager snapshots, long id)
    {
        return snapshots.find(id)
                .or(() -> snapshots.tags().stream()
                        .map(Tag::snapshot)
                        .filter(snapshot -> snapshot.id() == id)
                        .findFirst())
                .orElseGet(() -> snapshots.snapshot(id));
    }

    /**
     * Pages of rows that are made one by one.
     */
    private static final class RowStream<T>
            implements PageStream
    {
        private final Iterator<T> rows;
        private final List<LookupColumnHandle> columns;
        private final BiFunction<T, String, Object> value;
        private final PageBuilder builder;

        private RowStream(Iterator<T> rows, List<LookupColumnHandle> columns, BiFunction<T, String, Object> value)
        {
            this.rows = requireNonNull(rows, "rows is null");
            this.columns = ImmutableList.copyOf(columns);
            this.value = requireNonNull(value, "value is null");
            this.builder = new PageBuilder(columns.stream().map(LookupColumnHandle::type).collect(toImmutableList()));
        }

        @Override
        public Page nextPage()
        {
            builder.reset();
            while (rows.hasNext() && !builder.isFull()) {
                T row = rows.next();
                builder.declarePosition();
                for (int channel = 0; channel < columns.size(); channel++) {
                    LookupColumnHandle column = columns.get(channel);
                    writeNativeValue(column.type(), builder.getBlockBuilder(channel), value.apply(row, column.name()));
                }
            }
            return builder.isEmpty() ? null : builder.build();
        }

        @Override
        public long memoryUsage()
        {
            return builder.getRetainedSizeInBytes();
        }

        @Override
        public void close() {}
    }
}
