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
package io.lookup.storage.damage;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.bucket.HashIndexFiles;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.deletion.DeletionVectorLocation;
import io.lookup.storage.format.deletion.DeletionVectorReader;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRowText;
import io.lookup.storage.scan.ChangePlanner;
import io.lookup.storage.scan.ChangeReader;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.ScanPlanner;
import io.lookup.storage.scan.SplitReaderFactory;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.snapshot.BranchManager;
import io.lookup.storage.snapshot.ConsumerManager;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.StatisticsFiles;
import io.lookup.storage.snapshot.StatisticsJson;
import io.lookup.storage.testing.TestTable;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import org.apache.hadoop.fs.Path;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Reads what a damaged file is read for, the nearest door first, with nothing remembered from before.
 */
final class DamagedTable
{
    private final OverlayFileIo fileIo;
    private final Path root;
    private final TableSchema schema;
    private final boolean hashed;
    private final DamagedDataFiles dataFiles;

    DamagedTable(OverlayFileIo fileIo, Path root)
    {
        this.fileIo = fileIo;
        this.root = root;
        this.schema = new SchemaManager(fileIo, root).latest().orElseThrow();
        this.hashed = "-1".equals(schema.options().get("bucket"));
        this.dataFiles = new DamagedDataFiles(schema, root, entries());
    }

    /**
     * Whether its index files have hashes of keys.
     */
    boolean isHashed()
    {
        return hashed;
    }

    private List<ManifestEntry> entries()
    {
        LiveFiles liveFiles = new LiveFiles(manifests(schema));
        ImmutableList.Builder<ManifestEntry> entries = ImmutableList.builder();
        for (Snapshot snapshot : history()) {
            entries.addAll(liveFiles.changelogEntries(snapshot, _ -> true, _ -> true));
        }
        return entries.addAll(liveFiles.liveFiles(snapshots().latest().orElseThrow(), _ -> true, _ -> true)).build();
    }

    private List<Snapshot> history()
    {
        return snapshots().snapshots(1, snapshots().latestId().orElseThrow(), true);
    }

    boolean reads(DamagedKind kind, String name)
    {
        return switch (kind) {
            case DATA, CHANGELOG -> dataFiles.names().contains(name);
            case DELETION_VECTORS, HASH_INDEX -> indexEntries().stream().anyMatch(entry -> entry.fileName().equals(name));
            default -> true;
        };
    }

    private List<IndexManifestEntry> indexEntries()
    {
        return manifests(schema).readIndexManifest(snapshots().latest().orElseThrow().indexManifest().orElseThrow());
    }

    Path root()
    {
        return root;
    }

    /**
     * The parser of the file alone.
     */
    void parse(DamagedKind kind, String name)
    {
        switch (kind) {
            case SCHEMA -> new SchemaManager(fileIo, root).schema(number(name));
            case SNAPSHOT -> snapshots().find(number(name));
            case HINT -> {
                snapshots().latestId();
                snapshots().earliestId();
                snapshots().earliestChangelogId();
                snapshots().longLivedChangelog().latestId();
            }
            case TAG -> snapshots().tags();
            case CONSUMER -> new ConsumerManager(fileIo, root).consumers();
            case LONG_LIVED_CHANGELOG -> snapshots().longLivedChangelog().find(number(name));
            case STATISTICS -> new StatisticsFiles(fileIo, new Path(root, "statistics")).read(name);
            case MANIFEST_LIST -> manifests(schema).readList(name, OptionalLong.empty());
            case MANIFEST -> manifests(schema).readManifest(name, -1);
            case INDEX_MANIFEST -> manifests(schema).readIndexManifest(name);
            case DELETION_VECTORS -> vectors();
            case HASH_INDEX -> hashes();
            case DATA, CHANGELOG -> dataFiles.read(fileIo, name);
        }
    }

    /**
     * What statements do with the file.
     */
    void use(DamagedKind kind, String name)
    {
        switch (kind) {
            case SCHEMA -> useSchema();
            case SNAPSHOT, HINT, TAG -> {
                snapshots().latest().ifPresent(snapshot -> plan(schema, snapshot));
                snapshots().snapshots(1, 100, true);
            }
            case CONSUMER -> new BranchManager(fileIo, root).branches();
            case LONG_LIVED_CHANGELOG -> log();
            case STATISTICS -> StatisticsJson.writeColumns(new StatisticsFiles(fileIo, new Path(root, "statistics")).read(name));
            case MANIFEST_LIST, MANIFEST -> useManifest();
            case INDEX_MANIFEST -> {
                if (hashed) {
                    hashes();
                    return;
                }
                vectors();
            }
            case DELETION_VECTORS, DATA -> rows();
            case HASH_INDEX -> hashes();
            case CHANGELOG -> log();
        }
    }

    private void useSchema()
    {
        TableSchema damaged = new SchemaManager(fileIo, root).latest().orElseThrow();
        damaged.fields().forEach(field -> TrinoTypes.toTrinoType(field.type()));
        plan(damaged, snapshots().latest().orElseThrow());
    }

    private void useManifest()
    {
        Snapshot latest = snapshots().latest().orElseThrow();
        plan(schema, latest);
        LiveFiles liveFiles = new LiveFiles(manifests(schema));
        TablePaths paths = new TablePaths(root, schema);
        BinaryRowText partitions = new BinaryRowText(types(schema.partitionFields()));
        BinaryRowText keys = new BinaryRowText(types(schema.trimmedPrimaryKeyFields()));
        for (ManifestFileMeta manifest : liveFiles.manifests(latest)) {
            partitions.braces(manifest.partitionStats().minValues());
        }
        for (ManifestEntry entry : liveFiles.changelogEntries(latest, _ -> true, _ -> true)) {
            paths.dataFile(entry.partition(), entry.bucket(), entry.file());
            partitions.braces(entry.partition());
            keys.brackets(entry.file().minKey());
            keys.brackets(entry.file().maxKey());
        }
    }

    private static List<io.lookup.storage.schema.DataType> types(List<DataField> fields)
    {
        return fields.stream().map(DataField::type).collect(toImmutableList());
    }

    private void plan(TableSchema planned, Snapshot snapshot)
    {
        ImmutableMap.Builder<Integer, Domain> domains = ImmutableMap.builder();
        for (DataField field : planned.fields()) {
            if (TrinoTypes.toTrinoType(field.type()).isOrderable()) {
                domains.put(field.id(), Domain.notNull(TrinoTypes.toTrinoType(field.type())));
            }
        }
        ScanPlanner planner = new ScanPlanner(planned, new CoreOptions(planned.options()), new SchemaManager(fileIo, root), new LiveFiles(manifests(planned)));
        planner.estimate(snapshot, ScanFilter.ALL);
        planner.estimateColumns(snapshot, ScanFilter.ALL);
        for (Iterator<TableSplit> splits = planner.plan(snapshot, ScanFilter.of(TupleDomain.withColumnDomains(domains.buildKeepingLast()))); splits.hasNext(); ) {
            TableSplit.fromBytes(splits.next().toBytes());
        }
    }

    /**
     * @return every deletion vector of the newest snapshot
     */
    List<DeletionVector> vectors()
    {
        DeletionVectorReader reader = new DeletionVectorReader(fileIo);
        TablePaths paths = new TablePaths(root, schema);
        ImmutableList.Builder<DeletionVector> vectors = ImmutableList.builder();
        for (IndexManifestEntry entry : indexEntries()) {
            DeletionVectorIndex.of(ImmutableList.of(entry));
            for (IndexManifestEntry.DeletionVectorRange range : entry.deletionVectors()) {
                DeletionVectorLocation location = new DeletionVectorLocation(entry.fileName(), entry.externalPath(), entry.fileSize(), range.offset(), range.length(), range.cardinality());
                vectors.add(reader.read(paths.indexFile(entry.partition(), entry.bucket(), entry.fileName(), entry.externalPath()), location));
            }
        }
        return vectors.build();
    }

    List<String> rows()
    {
        SchemaManager schemas = new SchemaManager(fileIo, root);
        CoreOptions options = new CoreOptions(schema.options());
        ScanPlanner planner = new ScanPlanner(schema, options, schemas, new LiveFiles(manifests(schema)));
        SplitReaderFactory readers = new SplitReaderFactory(schema, options, schemas, new TablePaths(root, schema), new DataFileReaderFactory(fileIo));
        ImmutableList.Builder<String> rows = ImmutableList.builder();
        planner.plan(snapshots().latest().orElseThrow(), ScanFilter.ALL).forEachRemaining(split ->
                rows.addAll(TestTable.texts(readers.open(split, schema.fields(), TupleDomain.all()), TestTable.types(schema.fields()))));
        return rows.build();
    }

    /**
     * What the snapshots changed, of those that have expired and left their log too.
     */
    List<String> log()
    {
        SchemaManager schemas = new SchemaManager(fileIo, root);
        ChangePlanner planner = new ChangePlanner(schema, new CoreOptions(schema.options()), schemas, new LiveFiles(manifests(schema)));
        ChangeReader reader = new ChangeReader(schema, schemas, new TablePaths(root, schema), new DataFileReaderFactory(fileIo));
        ImmutableList.Builder<String> changes = ImmutableList.builder();
        planner.plan(history(), ScanFilter.ALL).forEachRemaining(split ->
                changes.addAll(TestTable.texts(reader.open(ChangeSplit.fromBytes(split.toBytes()), schema.fields(), TupleDomain.all(), false), TestTable.types(schema.fields()))));
        return changes.build();
    }

    /**
     * @return hashes of the keys of each bucket of the newest snapshot
     */
    List<String> hashes()
    {
        HashIndexFiles files = new HashIndexFiles(fileIo, new TablePaths(root, schema));
        return indexEntries().stream()
                .filter(entry -> entry.indexType().equals(IndexManifestEntry.HASH))
                .map(entry -> Arrays.toString(files.read(entry)))
                .collect(toImmutableList());
    }

    /**
     * All that can be learnt from the table.
     */
    List<String> everything()
    {
        ImmutableList.Builder<String> everything = ImmutableList.builder();
        everything.addAll(rows()).addAll(log());
        if (hashed) {
            everything.addAll(hashes());
        }
        everything.add(snapshots().tags().toString());
        everything.add(new ConsumerManager(fileIo, root).consumers().toString());
        snapshots().latest().flatMap(Snapshot::statistics)
                .ifPresent(name -> everything.add(new StatisticsFiles(fileIo, new Path(root, "statistics")).read(name).toString()));
        return everything.build();
    }

    private SnapshotManager snapshots()
    {
        return new SnapshotManager(fileIo, root);
    }

    private ManifestStore manifests(TableSchema read)
    {
        return new ManifestStore(fileIo, new TablePaths(root, read), read);
    }

    private static long number(String name)
    {
        return Long.parseLong(name.substring(name.lastIndexOf('-') + 1));
    }

    /**
     * @throws AssertionError if it is any other
     */
    static StorageException expected(Throwable failure)
    {
        if (failure instanceof StorageException storageException && storageException.getMessage() != null && !storageException.getMessage().isBlank()) {
            return storageException;
        }
        throw new AssertionError("not a clear error: " + failure, failure);
    }
}
