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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterators;
import com.google.common.collect.Sets;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.ScanPlanner;
import io.lookup.storage.scan.SplitReaderFactory;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.scan.TableSplit.Section;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.Snapshot;
import io.trino.spi.predicate.TupleDomain;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Plans the comparison of a table's rows at two snapshots, bucket by bucket. What both snapshots read from the same files cannot
 * differ, and is left out.
 */
public final class DifferencePlanner
{
    private final String tableName;
    private final TableSchema schema;
    private final ScanPlanner scanPlanner;

    /**
     * @param schema the version that both states are read as
     * @throws StorageException UNSUPPORTED_FEATURE if the table has no primary key
     */
    public DifferencePlanner(String tableName, TableSchema schema, ScanPlanner scanPlanner)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.scanPlanner = requireNonNull(scanPlanner, "scanPlanner is null");
        if (schema.primaryKeys().isEmpty()) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format("Two states of table %s cannot be compared: the table has no primary key", tableName));
        }
    }

    /**
     * @param before empty: the table before its first snapshot
     * @param predicate by field id; partition columns are filtered exactly, of the others only the key counts, and keys that do not match may be
     * compared too
     * @throws StorageException UNSUPPORTED_FEATURE, when the iterator comes to it, if a partition had other buckets before
     */
    public Iterator<DifferenceSplit> plan(Optional<Snapshot> before, Snapshot after, TupleDomain<Integer> predicate)
    {
        // another column may match in one of the two rows of a key only
        Set<Integer> keyIds = Stream.concat(schema.trimmedPrimaryKeyFields().stream(), schema.partitionFields().stream())
                .map(DataField::id)
                .collect(toImmutableSet());
        ScanFilter filter = ScanFilter.of(predicate.filter((id, _) -> keyIds.contains(id))).inKeyOrder();
        Map<BucketId, List<TableSplit>> beforeSplits = before.map(snapshot -> splits(snapshot, filter)).orElseGet(Map::of);
        Map<BucketId, List<TableSplit>> afterSplits = splits(after, filter);
        checkBuckets(beforeSplits, afterSplits);
        Set<BucketId> buckets = ImmutableSet.<BucketId>builder().addAll(beforeSplits.keySet()).addAll(afterSplits.keySet()).build();
        return Iterators.filter(
                Iterators.transform(buckets.iterator(), bucket -> split(
                        after,
                        bucket,
                        beforeSplits.getOrDefault(bucket, ImmutableList.of()),
                        afterSplits.getOrDefault(bucket, ImmutableList.of()))),
                split -> !split.before().isEmpty() || !split.after().isEmpty());
    }

    /**
     * The changes between the split's two states: its columns, the sequence number (BIGINT, null) and the kind (TINYINT).
     */
    public static PageStream compare(DifferenceSplit split, TableSchema schema, CoreOptions options, SplitReaderFactory readers)
    {
        return new StateDifference(split, schema, options, readers);
    }

    private Map<BucketId, List<TableSplit>> splits(Snapshot snapshot, ScanFilter filter)
    {
        Map<BucketId, List<TableSplit>> splits = new LinkedHashMap<>();
        scanPlanner.plan(snapshot, filter)
                .forEachRemaining(split -> splits.computeIfAbsent(new BucketId(split.partition(), split.bucket()), _ -> new ArrayList<>()).add(split));
        return splits;
    }

    private void checkBuckets(Map<BucketId, List<TableSplit>> before, Map<BucketId, List<TableSplit>> after)
    {
        Map<BinaryRow, Integer> counts = new LinkedHashMap<>();
        Stream.concat(before.values().stream(), after.values().stream())
                .flatMap(List::stream)
                .forEach(split -> {
                    Integer count = counts.putIfAbsent(split.partition(), split.totalBuckets());
                    if (count != null && count != split.totalBuckets()) {
                        throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format(
                                "Two states of table %s cannot be compared: a partition has %s buckets in one and %s in the other",
                                tableName,
                                count,
                                split.totalBuckets()));
                    }
                });
    }

    private static DifferenceSplit split(Snapshot after, BucketId bucket, List<TableSplit> beforeSplits, List<TableSplit> afterSplits)
    {
        // splits of one state share no key, so that the rest of the keys is in the rest of the splits
        Set<List<Section>> shared = Sets.intersection(sections(beforeSplits), sections(afterSplits)).immutableCopy();
        return new DifferenceSplit(
                after.id(),
                after.timeMillis(),
                bucket.partition(),
                bucket.bucket(),
                without(beforeSplits, shared),
                without(afterSplits, shared));
    }

    private static Set<List<Section>> sections(List<TableSplit> splits)
    {
        return splits.stream().map(TableSplit::sections).collect(toImmutableSet());
    }

    private static List<TableSplit> without(List<TableSplit> splits, Set<List<Section>> shared)
    {
        return splits.stream()
                .filter(split -> !shared.contains(split.sections()))
                .collect(toImmutableList());
    }
}
