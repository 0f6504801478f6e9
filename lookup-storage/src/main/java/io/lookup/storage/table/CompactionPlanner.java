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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.PartitionPruning;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lsm.AppendCompactor;
import io.lookup.storage.lsm.FullCompaction;
import io.lookup.storage.lsm.Levels;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.trino.spi.predicate.TupleDomain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Finds the buckets of a snapshot that a full compaction would change.
 */
final class CompactionPlanner
{
    private final String tableName;
    private final TableSchema schema;
    private final CoreOptions options;
    private final TablePaths paths;
    private final LiveFiles liveFiles;
    private final PartitionPruning partitions;
    // absent for a table without keys
    private final Optional<KeyEncoder> keyEncoder;

    /**
     * @param schema of a table with a primary key and fixed buckets, or of one with neither
     */
    CompactionPlanner(String tableName, TableSchema schema, CoreOptions options, TablePaths paths, LiveFiles liveFiles)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.partitions = new PartitionPruning(schema);
        this.keyEncoder = schema.primaryKeys().isEmpty() ?
                Optional.empty() :
                Optional.of(KeyEncoder.forKeys(schema.trimmedPrimaryKeyFields().stream().map(DataField::type).collect(toImmutableList())));
    }

    /**
     * @param predicate by field id, on partition columns; other columns are not looked at
     * @throws StorageException UNSUPPORTED_FEATURE if buckets cannot be compacted: a partition was written with another
     * number of buckets
     */
    List<CompactionTarget> plan(Snapshot snapshot, TupleDomain<Integer> predicate)
    {
        if (predicate.isNone()) {
            return ImmutableList.of();
        }
        Map<BucketId, List<DataFileMeta>> buckets = new LinkedHashMap<>();
        liveFiles.liveFiles(snapshot, manifest -> partitions.mayContain(manifest, predicate), entry -> partitions.matches(entry.partition(), predicate))
                .forEach(entry -> {
                    checkBucketCount(entry);
                    buckets.computeIfAbsent(BucketId.of(entry), _ -> new ArrayList<>()).add(entry.file());
                });
        BucketRows rows = new BucketRows(schema, options.bucket());
        DeletionVectorIndex deletions = liveFiles.deletionVectors(snapshot);
        ImmutableList.Builder<CompactionTarget> targets = ImmutableList.builder();
        buckets.forEach((bucket, files) -> {
            if (isDue(files, deletions.bucket(bucket))) {
                targets.add(target(bucket, files, rows));
            }
        });
        return targets.build();
    }

    private boolean isDue(List<DataFileMeta> files, BucketVectors deletions)
    {
        if (keyEncoder.isEmpty()) {
            return !AppendCompactor.pick(files, options).isEmpty();
        }
        Levels levels = new Levels(files, options.compaction().numLevels(), keyEncoder.get());
        return new FullCompaction(file -> deletions.of(file.fileName()).isPresent()).pick(levels.numberOfLevels(), levels.sortedRuns()).isPresent();
    }

    private void checkBucketCount(ManifestEntry entry)
    {
        if (entry.totalBuckets() != options.bucket()) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format(
                    "Partition %s of table %s was written with %s buckets, but the table now has bucket = %s; overwrite the partition before compacting it",
                    paths.partitionDirectory(entry.partition()),
                    tableName,
                    entry.totalBuckets(),
                    options.bucket()));
        }
    }

    private CompactionTarget target(BucketId bucket, List<DataFileMeta> files, BucketRows rows)
    {
        if (keyEncoder.isEmpty()) {
            return new CompactionTarget(bucket.partition(), bucket.bucket(), BinaryRow.EMPTY);
        }
        return files.stream()
                .flatMap(file -> Stream.of(file.minKey(), file.maxKey()))
                .map(key -> new CompactionTarget(bucket.partition(), bucket.bucket(), key))
                .filter(rows::leadsToBucket)
                .findFirst()
                // such as CHAR keys that another writer hashed with their blanks
                .orElseThrow(() -> new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format(
                        "Table %s cannot be compacted: bucket %s of partition '%s' holds keys that belong to other buckets here, such as those of file %s",
                        tableName,
                        bucket.bucket(),
                        paths.partitionDirectory(bucket.partition()),
                        files.getFirst().fileName())));
    }
}
