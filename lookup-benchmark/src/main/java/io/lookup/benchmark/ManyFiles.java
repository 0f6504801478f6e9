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
package io.lookup.benchmark;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slices;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.catalog.TableDefinition;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.manifest.ManifestCache;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.manifest.ManifestStore.WrittenList;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TypeParser;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.table.StorageTable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;

/**
 * Makes the metadata of a table of very many files: a schema, manifests, and a snapshot. The files themselves do not exist. Each bucket has files of the highest
 * level that lie side by side, and some of level 0 that lie across them. Only a batch of entries is in memory at a time.
 */
final class ManyFiles
{
    static final List<DataField> COLUMNS = ImmutableList.of(
            new DataField(0, "day", TypeParser.parse("INT NOT NULL")),
            new DataField(1, "id", TypeParser.parse("BIGINT NOT NULL")),
            new DataField(2, "amount", TypeParser.parse("BIGINT")),
            new DataField(3, "code", TypeParser.parse("VARCHAR(12)")));
    static final long ROWS_PER_FILE = 1_000_000;
    private static final int BATCH = 20_000;
    private static final int HIGHEST_LEVEL = 5;

    private final int partitions;
    private final int buckets;
    private final int filesPerBucket;
    private final int newFilesPerBucket;
    private final BinaryRowEncoder partitionEncoder = new BinaryRowEncoder(ImmutableList.of(COLUMNS.get(0).type()));
    private final BinaryRowEncoder keyEncoder = new BinaryRowEncoder(ImmutableList.of(COLUMNS.get(1).type()));
    private final BinaryRowEncoder valueEncoder = new BinaryRowEncoder(COLUMNS.stream().map(DataField::type).toList());
    private final Random random = new Random(1);

    /**
     * @param newFilesPerBucket how many of the files of a bucket lie at level 0
     */
    ManyFiles(int partitions, int buckets, int filesPerBucket, int newFilesPerBucket)
    {
        this.partitions = partitions;
        this.buckets = buckets;
        this.filesPerBucket = filesPerBucket;
        this.newFilesPerBucket = newFilesPerBucket;
    }

    /**
     * @param byPartition whether a manifest has the files of few partitions, as where days come one after the other, or of all
     */
    void create(LookupCatalog catalog, String database, String table, boolean byPartition)
            throws IOException
    {
        catalog.createTable(database, table, new TableDefinition(
                COLUMNS,
                ImmutableList.of("day"),
                ImmutableList.of("day", "id"),
                ImmutableMap.of("bucket", Integer.toString(buckets)),
                Optional.empty()));
        try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            StorageTable target = LookupEngine.open(fileIo, new ManifestCache(0), catalog.tablePath(database, table));
            ManifestStore manifests = target.manifests();
            List<ManifestFileMeta> written = new ArrayList<>();
            List<ManifestEntry> batch = new ArrayList<>(BATCH);
            int outer = byPartition ? partitions : filesPerBucket;
            for (int first = 0; first < outer; first++) {
                for (int second = 0; second < (byPartition ? filesPerBucket : partitions); second++) {
                    for (int bucket = 0; bucket < buckets; bucket++) {
                        batch.add(byPartition ? entry(first, bucket, second) : entry(second, bucket, first));
                        if (batch.size() == BATCH) {
                            written.addAll(manifests.writeManifests(batch));
                            batch.clear();
                        }
                    }
                }
            }
            if (!batch.isEmpty()) {
                written.addAll(manifests.writeManifests(batch));
            }
            WrittenList base = manifests.writeList(written);
            WrittenList delta = manifests.writeList(ImmutableList.of());
            target.snapshots().tryPublish(snapshot(base, delta));
        }
    }

    private Snapshot snapshot(WrittenList base, WrittenList delta)
    {
        return new Snapshot(
                Snapshot.CURRENT_VERSION,
                Snapshot.FIRST_ID,
                0,
                base.fileName(),
                OptionalLong.of(base.size()),
                delta.fileName(),
                OptionalLong.of(delta.size()),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                "benchmark",
                Long.MAX_VALUE,
                CommitKind.APPEND,
                System.currentTimeMillis(),
                (long) partitions * buckets * filesPerBucket * ROWS_PER_FILE,
                0,
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                ImmutableMap.of(),
                OptionalLong.empty());
    }

    private ManifestEntry entry(int partition, int bucket, int file)
    {
        boolean isNew = file >= filesPerBucket - newFilesPerBucket;
        long first = isNew ? random.nextLong(ROWS_PER_FILE * filesPerBucket / 2) : file * ROWS_PER_FILE;
        long last = isNew ? first + 2 * ROWS_PER_FILE : first + ROWS_PER_FILE - 1;
        BinaryRow min = keyEncoder.encodeValues(List.of(first));
        BinaryRow max = keyEncoder.encodeValues(List.of(last));
        SimpleStats keys = new SimpleStats(min, max, List.of(Optional.of(0L)));
        SimpleStats values = new SimpleStats(row(partition, first), row(partition, last), Collections.nCopies(COLUMNS.size(), Optional.of(0L)));
        long sequence = (long) file * ROWS_PER_FILE;
        return new ManifestEntry(
                FileKind.ADD,
                partitionEncoder.encodeValues(List.of((long) partition)),
                bucket,
                buckets,
                new DataFileMeta(
                        "data-" + new UUID(random.nextLong(), random.nextLong()) + "-0.parquet",
                        (100L << 20) + random.nextInt(50 << 20),
                        ROWS_PER_FILE,
                        min,
                        max,
                        keys,
                        values,
                        sequence,
                        sequence + ROWS_PER_FILE - 1,
                        0,
                        isNew ? 0 : HIGHEST_LEVEL,
                        ImmutableList.of(),
                        OptionalLong.of(1_750_000_000_000L + file),
                        OptionalLong.of(0),
                        Optional.empty(),
                        Optional.of(isNew ? FileSource.APPEND : FileSource.COMPACT),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Optional.empty()));
    }

    private BinaryRow row(int partition, long key)
    {
        return valueEncoder.encodeValues(List.of((long) partition, key, random.nextLong(), Slices.utf8Slice(Long.toString(random.nextLong(1L << 50), 36))));
    }
}
