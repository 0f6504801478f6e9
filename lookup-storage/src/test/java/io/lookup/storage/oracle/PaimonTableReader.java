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
package io.lookup.storage.oracle;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.apache.paimon.KeyValue;
import org.apache.paimon.KeyValueFileStore;
import org.apache.paimon.Snapshot;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.manifest.ManifestFile;
import org.apache.paimon.manifest.ManifestFileMeta;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.table.source.TableRead;
import org.apache.paimon.types.RowType;

import java.io.IOException;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.oracle.CanonicalValues.canonicalRow;
import static io.lookup.storage.oracle.PaimonValues.fromInternalRow;
import static java.util.Objects.requireNonNull;

/**
 * Everything that Paimon can say about one table: state, log, files and snapshots.
 */
final class PaimonTableReader
{
    private static final Comparator<FileSummary> NEWEST_FIRST = Comparator.comparing(FileSummary::partition)
            .thenComparing(FileSummary::bucket)
            .thenComparing(FileSummary::level)
            .thenComparing(Comparator.comparing(FileSummary::maxSequenceNumber).reversed())
            .thenComparing(FileSummary::minKey)
            .thenComparing(FileSummary::fileName);

    private final FileStoreTable table;
    private final IOManager ioManager;

    PaimonTableReader(FileStoreTable table, IOManager ioManager)
    {
        this.table = requireNonNull(table, "table is null");
        this.ioManager = requireNonNull(ioManager, "ioManager is null");
    }

    List<SnapshotSummary> snapshots()
            throws IOException
    {
        ImmutableList.Builder<SnapshotSummary> result = ImmutableList.builder();
        for (Iterator<Snapshot> snapshots = table.snapshotManager().snapshots(); snapshots.hasNext(); ) {
            result.add(summary(snapshots.next()));
        }
        return result.build().stream()
                .sorted(Comparator.comparingLong(SnapshotSummary::id))
                .collect(toImmutableList());
    }

    private static SnapshotSummary summary(Snapshot snapshot)
    {
        Long changelogRecordCount = snapshot.changelogRecordCount();
        return new SnapshotSummary(
                snapshot.id(),
                snapshot.commitKind().name(),
                snapshot.totalRecordCount(),
                snapshot.deltaRecordCount(),
                changelogRecordCount == null ? OptionalLong.empty() : OptionalLong.of(changelogRecordCount),
                snapshot.schemaId());
    }

    /**
     * The merged rows, sorted by text.
     */
    List<Change> state()
            throws IOException
    {
        return readAll(table).stream()
                .sorted()
                .collect(toImmutableList());
    }

    List<Change> state(long snapshotId)
            throws IOException
    {
        Table atSnapshot = table.copy(ImmutableMap.of("scan.snapshot-id", String.valueOf(snapshotId)));
        return readAll(atSnapshot).stream()
                .sorted()
                .collect(toImmutableList());
    }

    /**
     * Reads a table, or a system table, in the order of its splits.
     */
    List<Change> readAll(Table source)
            throws IOException
    {
        ReadBuilder readBuilder = source.newReadBuilder();
        RowType rowType = source.rowType();
        TableRead read = readBuilder.newRead().withIOManager(ioManager);
        ImmutableList.Builder<Change> result = ImmutableList.builder();
        for (Split split : readBuilder.newScan().plan().splits()) {
            try (RecordReader<InternalRow> reader = read.createReader(split)) {
                reader.forEachRemaining(row -> result.add(toChange(rowType, row)));
            }
        }
        return result.build();
    }

    private static Change toChange(RowType rowType, InternalRow row)
    {
        return new Change(ChangeKind.fromSymbol(row.getRowKind().shortString()), fromInternalRow(rowType, row));
    }

    /**
     * The live files of a snapshot, by partition, bucket, level and age.
     */
    List<FileSummary> files(long snapshotId)
    {
        return liveEntries(snapshotId).stream()
                .map(this::summary)
                .sorted(NEWEST_FIRST)
                .collect(toImmutableList());
    }

    List<ManifestEntry> liveEntries(long snapshotId)
    {
        return table.store().newScan().withSnapshot(snapshotId).plan().files();
    }

    List<ManifestEntry> changelogEntries(long snapshotId)
    {
        Snapshot snapshot = table.snapshotManager().snapshot(snapshotId);
        return entries(table.store().manifestListFactory().create().readChangelogManifests(snapshot));
    }

    /**
     * The files that a snapshot added; what it removed is left out.
     */
    List<ManifestEntry> addedEntries(long snapshotId)
    {
        Snapshot snapshot = table.snapshotManager().snapshot(snapshotId);
        return entries(table.store().manifestListFactory().create().readDeltaManifests(snapshot)).stream()
                .filter(entry -> entry.kind() == FileKind.ADD)
                .collect(toImmutableList());
    }

    private List<ManifestEntry> entries(List<ManifestFileMeta> manifests)
    {
        ManifestFile manifestFile = table.store().manifestFileFactory().create();
        return manifests.stream()
                .flatMap(manifest -> manifestFile.read(manifest.fileName(), manifest.fileSize()).stream())
                .collect(toImmutableList());
    }

    FileSummary summary(ManifestEntry entry)
    {
        DataFileMeta file = entry.file();
        RowType keyType = table.schema().logicalTrimmedPrimaryKeysType();
        return new FileSummary(
                file.fileName(),
                partitionText(entry.partition()),
                entry.bucket(),
                file.level(),
                file.fileSize(),
                file.rowCount(),
                file.deleteRowCount().map(OptionalLong::of).orElse(OptionalLong.empty()),
                file.minSequenceNumber(),
                file.maxSequenceNumber(),
                canonicalRow(fromInternalRow(keyType, file.minKey())),
                canonicalRow(fromInternalRow(keyType, file.maxKey())),
                file.schemaId());
    }

    private String partitionText(BinaryRow partition)
    {
        return canonicalRow(fromInternalRow(table.schema().logicalPartitionType(), partition));
    }

    /**
     * The rows of files, entry after entry, each file in its own order, nothing merged or dropped.
     */
    List<StoredRecord> records(List<ManifestEntry> entries)
            throws IOException
    {
        KeyValueFileStore store = (KeyValueFileStore) table.store();
        RowType rowType = table.rowType();
        ImmutableList.Builder<StoredRecord> result = ImmutableList.builder();
        for (ManifestEntry entry : entries) {
            String partition = partitionText(entry.partition());
            try (RecordReader<KeyValue> reader = store.newReaderFactoryBuilder()
                    .build(entry.partition(), entry.bucket(), DeletionVector.emptyFactory())
                    .createRecordReader(entry.file())) {
                reader.forEachRemaining(keyValue -> result.add(new StoredRecord(
                        entry.file().fileName(),
                        partition,
                        entry.bucket(),
                        entry.file().level(),
                        keyValue.sequenceNumber(),
                        new Change(ChangeKind.fromSymbol(keyValue.valueKind().shortString()), fromInternalRow(rowType, keyValue.value())))));
            }
        }
        return result.build();
    }
}
