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

    DamagedTable(OverlayFileIo fileIo, Path root)
    {
        this.fileIo = fileIo;
        this.root = root;
        this.schema = new SchemaManager(fileIo, root).latest().orElseThrow();
    }

    Path root()
    {
        return root;
    }

    /**
     * The parser of the file alone.
     */
    void parse(String folder, String name)
    {
        switch (folder) {
            case "schema" -> new SchemaManager(fileIo, root).schema(number(name));
            case "snapshot" -> {
                if (name.startsWith("snapshot-")) {
                    snapshots().find(number(name));
                }
                else {
                    snapshots().latestId();
                    snapshots().earliestId();
                }
            }
            case "tag" -> snapshots().tags();
            case "consumer" -> new ConsumerManager(fileIo, root).consumers();
            case "manifest" -> parseManifest(name);
            case "statistics" -> new StatisticsFiles(fileIo, new Path(root, "statistics")).read(name);
            default -> {
                // no parser of its own
            }
        }
    }

    private void parseManifest(String name)
    {
        ManifestStore manifests = manifests(schema);
        if (name.startsWith("manifest-list-")) {
            manifests.readList(name, OptionalLong.empty());
        }
        else if (name.startsWith("index-manifest-")) {
            manifests.readIndexManifest(name);
        }
        else {
            manifests.readManifest(name, -1);
        }
    }

    /**
     * What statements do with the file.
     */
    void use(String folder, String name)
    {
        switch (folder) {
            case "schema" -> useSchema();
            case "snapshot", "tag" -> snapshots().latest().ifPresent(snapshot -> plan(schema, snapshot));
            case "manifest" -> useManifest(name);
            case "index" -> vectors();
            case "consumer" -> new BranchManager(fileIo, root).branches();
            case "statistics" -> StatisticsJson.writeColumns(new StatisticsFiles(fileIo, new Path(root, "statistics")).read(name));
            default -> rows();
        }
    }

    private void useSchema()
    {
        TableSchema damaged = new SchemaManager(fileIo, root).latest().orElseThrow();
        damaged.fields().forEach(field -> TrinoTypes.toTrinoType(field.type()));
        plan(damaged, snapshots().latest().orElseThrow());
    }

    private void useManifest(String name)
    {
        if (name.startsWith("index-manifest-")) {
            vectors();
            return;
        }
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
        Snapshot latest = snapshots().latest().orElseThrow();
        ImmutableList.Builder<DeletionVector> vectors = ImmutableList.builder();
        for (IndexManifestEntry entry : manifests(schema).readIndexManifest(latest.indexManifest().orElseThrow())) {
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
