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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.PartitionPruning;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.write.BucketState;
import io.lookup.storage.write.TableWriter.BucketStateLoader;
import io.trino.spi.predicate.TupleDomain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Live files of buckets in one snapshot, read a partition at a time, and their deletion vectors. Not thread-safe.
 */
final class LiveBucketLoader
        implements BucketStateLoader
{
    private final PartitionPruning pruning;
    private final LiveFiles liveFiles;
    private final Optional<Snapshot> snapshot;
    private final Map<BinaryRow, PartitionState> partitions = new HashMap<>();
    private Optional<DeletionVectorIndex> deletions = Optional.empty();

    LiveBucketLoader(TableSchema schema, LiveFiles liveFiles, Optional<Snapshot> snapshot)
    {
        this.pruning = new PartitionPruning(schema);
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.snapshot = requireNonNull(snapshot, "snapshot is null");
    }

    @Override
    public BucketState load(BinaryRow partition, int bucket)
    {
        PartitionState state = partitions.computeIfAbsent(partition, this::loadPartition);
        if (deletions.isEmpty()) {
            deletions = Optional.of(snapshot.map(liveFiles::deletionVectors).orElse(DeletionVectorIndex.EMPTY));
        }
        return new BucketState(
                state.files().getOrDefault(bucket, ImmutableList.of()),
                state.totalBuckets(),
                deletions.get().bucket(new BucketId(partition, bucket)));
    }

    @Override
    public Set<Integer> buckets(BinaryRow partition)
    {
        return ImmutableSet.copyOf(partitions.computeIfAbsent(partition, this::loadPartition).files().keySet());
    }

    private PartitionState loadPartition(BinaryRow partition)
    {
        if (snapshot.isEmpty()) {
            return new PartitionState(Map.of(), OptionalInt.empty());
        }
        Map<Integer, List<DataFileMeta>> files = new HashMap<>();
        OptionalInt totalBuckets = OptionalInt.empty();
        TupleDomain<Integer> covering = pruning.covering(ImmutableList.of(partition));
        for (ManifestEntry entry : liveFiles.liveFiles(snapshot.get(), manifest -> pruning.mayContain(manifest, covering), entry -> entry.partition().equals(partition))) {
            files.computeIfAbsent(entry.bucket(), _ -> new ArrayList<>()).add(entry.file());
            totalBuckets = OptionalInt.of(entry.totalBuckets());
        }
        return new PartitionState(files, totalBuckets);
    }

    private record PartitionState(Map<Integer, List<DataFileMeta>> files, OptionalInt totalBuckets) {}
}
