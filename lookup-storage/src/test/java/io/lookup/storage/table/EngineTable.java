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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.commit.OverwriteScope;
import io.lookup.storage.commit.RebaseBudget;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.ManifestCache;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.lookup.TestingLookups;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.SchemaEdits;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.write.TableWriter;
import io.lookup.storage.write.WriteMode;
import io.trino.spi.Page;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TinyintType.TINYINT;

/**
 * Drives a table through the engine's front door with neutral values, as statements of one sink would.
 */
public final class EngineTable
{
    // one for each server that takes turns
    private final List<TableContext> contexts;
    // at random: in turns, those of a test that looks at the table after each statement would all go to one of two
    private final Random servers = new Random(1);
    private final org.apache.hadoop.fs.Path location;

    public EngineTable(FileIo fileIo, Path location, Path spillDirectory)
    {
        this(fileIo, location, spillDirectory, 64L << 20);
    }

    public EngineTable(FileIo fileIo, Path location, Path spillDirectory, long writeMemoryBytes)
    {
        this(fileIo, hadoopPath(location), spillDirectory, writeMemoryBytes, RebaseBudget.createDefault(), TestingLookups.configured());
    }

    public EngineTable(FileIo fileIo, Path location, Path spillDirectory, TestingLookups lookups)
    {
        this(fileIo, hadoopPath(location), spillDirectory, 64L << 20, RebaseBudget.createDefault(), lookups);
    }

    public EngineTable(FileIo fileIo, org.apache.hadoop.fs.Path location, Path spillDirectory)
    {
        this(fileIo, location, spillDirectory, 64L << 20, RebaseBudget.createDefault(), TestingLookups.configured());
    }

    /**
     * @param rebaseBudget what commits may do about others that came first
     */
    public EngineTable(FileIo fileIo, Path location, Path spillDirectory, RebaseBudget rebaseBudget)
    {
        this(fileIo, hadoopPath(location), spillDirectory, 64L << 20, rebaseBudget, TestingLookups.configured());
    }

    private EngineTable(FileIo fileIo, org.apache.hadoop.fs.Path location, Path spillDirectory, long writeMemoryBytes, RebaseBudget rebaseBudget, TestingLookups lookups)
    {
        this.contexts = lookups.files(spillDirectory).stream()
                .map(files -> new TableContext(fileIo, new DataFileReaderFactory(fileIo), new ManifestCache(16L << 20), files, spillDirectory, writeMemoryBytes, rebaseBudget, lookups.resources(), new EngineStatistics()))
                .collect(toImmutableList());
        this.location = location;
    }

    private static org.apache.hadoop.fs.Path hadoopPath(Path path)
    {
        // the URI of a folder that is there ends in a slash, and a path of it has no name
        return new org.apache.hadoop.fs.Path("file", null, path.toString());
    }

    /**
     * Keys that compactions have looked for in the levels above their output, those of all servers together.
     */
    public long keysLookedUp()
    {
        return contexts.stream().mapToLong(context -> context.lookups().statistics().getKeys().getTotalCount()).sum();
    }

    private TableContext nextContext()
    {
        return contexts.get(servers.nextInt(contexts.size()));
    }

    public StorageTable open()
    {
        return StorageTable.open(nextContext(), location.getName(), location).orElseThrow();
    }

    public Optional<CommitResult> write(List<Change> changes)
    {
        return write(changes, WriteMode.UPSERT);
    }

    /**
     * One statement.
     */
    public Optional<CommitResult> write(List<Change> changes, WriteMode mode)
    {
        StorageTable table = open();
        OptionalLong base = table.snapshots().latestId();
        return commit(table, base, mode, prepare(table, base, changes, mode));
    }

    /**
     * One UPDATE, of rows that come as -U and +U.
     *
     * @param updatedColumns what it sets
     */
    public Optional<CommitResult> update(List<Change> changes, Set<String> updatedColumns)
    {
        StorageTable table = open();
        OptionalLong base = table.snapshots().latestId();
        return commit(table, base, WriteMode.ROW_CHANGES, prepare(table, changes, table.newWriter(base, WriteMode.ROW_CHANGES, updatedColumns)));
    }

    /**
     * One statement with options that are not the table's own.
     */
    public Optional<CommitResult> write(List<Change> changes, Map<String, String> dynamicOptions)
    {
        StorageTable table = open(dynamicOptions);
        OptionalLong base = table.snapshots().latestId();
        return commit(table, base, WriteMode.UPSERT, prepare(table, base, changes, WriteMode.UPSERT));
    }

    public StorageTable open(Map<String, String> dynamicOptions)
    {
        TableSchema schema = open().schema();
        Map<String, String> options = ImmutableMap.<String, String>builder().putAll(schema.options()).putAll(dynamicOptions).buildKeepingLast();
        return StorageTable.ofSchema(nextContext(), location.getName(), location, SchemaEdits.withOptions(schema, options), OptionalLong.empty());
    }

    /**
     * One compaction of every bucket by itself, in one commit.
     *
     * @param full everything to the highest level; else what the table's options say
     * @return empty if there was nothing to do
     */
    public Optional<CommitResult> compact(boolean full)
    {
        StorageTable table = open();
        OptionalLong base = table.snapshots().latestId();
        TableCompactor compactor = table.newCompactor(base);
        List<CommitMessage> messages = table.liveFiles().liveFiles(table.snapshots().latest().orElseThrow(), _ -> true, _ -> true).stream()
                .map(BucketId::of)
                .distinct()
                .flatMap(bucket -> (full ? compactor.compact(bucket) : compactor.compactPending(bucket)).stream())
                .toList();
        return messages.isEmpty() ? Optional.empty() : commit(table, base, WriteMode.UPSERT, messages);
    }

    public List<CommitMessage> prepare(StorageTable table, OptionalLong base, List<Change> changes, WriteMode mode)
    {
        return prepare(table, changes, table.newWriter(base, mode));
    }

    private static List<CommitMessage> prepare(StorageTable table, List<Change> changes, TableWriter writer)
    {
        try {
            int from = 0;
            while (from < changes.size()) {
                // pages of a few rows, so that a key's versions meet across pages
                int to = Math.min(changes.size(), from + 7);
                List<Change> part = changes.subList(from, to);
                byte[] kinds = new byte[part.size()];
                for (int index = 0; index < kinds.length; index++) {
                    kinds[index] = (byte) part.get(index).kind().ordinal();
                }
                writer.write(BlockValues.toPage(table.schema().fields(), part.stream().map(Change::values).collect(toImmutableList())), kinds);
                from = to;
            }
            return writer.prepareCommit();
        }
        catch (RuntimeException e) {
            writer.abort();
            throw e;
        }
    }

    public Optional<CommitResult> commit(StorageTable table, OptionalLong base, WriteMode mode, List<CommitMessage> messages)
    {
        return Optional.of(table.commit(new CommitRequest(
                base,
                messages,
                mode == WriteMode.ROW_CHANGES,
                ImmutableMap.of(),
                ImmutableMap.of(),
                UUID.randomUUID().toString(),
                Optional.empty())));
    }

    /**
     * INSERT that takes the place of what its partitions, or the whole of an unpartitioned table, hold. Without rows it is TRUNCATE.
     */
    public Optional<CommitResult> overwrite(List<Change> changes)
    {
        StorageTable table = open();
        OptionalLong base = table.snapshots().latestId();
        TableWriter writer = table.newOverwritingWriter(base);
        List<CommitMessage> messages;
        try {
            for (Change change : changes) {
                writer.write(BlockValues.toPage(table.schema().fields(), List.of(change.values())), new byte[] {(byte) change.kind().ordinal()});
            }
            messages = writer.prepareCommit();
        }
        catch (RuntimeException e) {
            writer.abort();
            throw e;
        }
        TableOverwrite overwrite = table.newOverwrite(base);
        OverwriteScope scope = changes.isEmpty() ? OverwriteScope.wholeTable() : overwrite.scope(messages).orElseThrow();
        return Optional.of(table.commit(new CommitRequest(
                base,
                ImmutableList.<CommitMessage>builder().addAll(messages).addAll(overwrite.retractOthers(scope, messages)).build(),
                overwrite.dependsOnRows(),
                ImmutableMap.of(),
                ImmutableMap.of(),
                UUID.randomUUID().toString(),
                Optional.of(scope))));
    }

    /**
     * Rows of the latest snapshot, sorted by text.
     */
    public List<String> readRows()
    {
        return open().snapshots().latest().map(this::readRows).orElse(List.of());
    }

    public List<String> readRows(Snapshot snapshot)
    {
        return readRows(snapshot, 0);
    }

    /**
     * Rows as if there were no files below a level.
     */
    public List<String> readRows(Snapshot snapshot, int minLevel)
    {
        return readChanges(snapshot, minLevel).stream()
                .map(Change::rowText)
                .sorted()
                .toList();
    }

    /**
     * Rows of the snapshot in the order in which they come.
     */
    public List<Change> readChanges(Snapshot snapshot)
    {
        return readChanges(snapshot, 0);
    }

    /**
     * Rows as if there were no files below a level, in the order in which they come.
     */
    public List<Change> readChanges(Snapshot snapshot, int minLevel)
    {
        StorageTable table = open();
        List<Change> rows = new ArrayList<>();
        Iterator<TableSplit> splits = table.scanPlanner().plan(snapshot, ScanFilter.ALL.withLevels(OptionalInt.of(minLevel), OptionalInt.empty()));
        while (splits.hasNext()) {
            TableSplit split = TableSplit.fromBytes(splits.next().toBytes());
            rows.addAll(readSplit(table, split));
        }
        return rows;
    }

    private static List<Change> readSplit(StorageTable table, TableSplit split)
    {
        List<Change> rows = new ArrayList<>();
        try (PageStream pages = table.splitReaders().open(split, table.schema().fields(), TupleDomain.all())) {
            for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                for (int position = 0; position < page.getPositionCount(); position++) {
                    rows.add(new Change(ChangeKind.INSERT, BlockValues.toRow(table.schema().fields(), page, position)));
                }
            }
        }
        catch (IOException e) {
            throw new AssertionError(e);
        }
        return rows;
    }

    /**
     * A row's bucket.
     */
    public record BucketKey(int bucket, List<Object> row) {}

    /**
     * The rows of the snapshot with their buckets.
     */
    public List<BucketKey> readKeys(Snapshot snapshot)
    {
        StorageTable table = open();
        List<BucketKey> keys = new ArrayList<>();
        table.scanPlanner().plan(snapshot, ScanFilter.ALL).forEachRemaining(split ->
                readSplit(table, split).forEach(row -> keys.add(new BucketKey(split.bucket(), row.values()))));
        return keys;
    }

    /**
     * Whether a scan reads files as they are, and says beforehand how many rows it gives.
     */
    public boolean isMergeFree(Snapshot snapshot)
    {
        StorageTable table = open();
        Iterator<TableSplit> splits = table.scanPlanner().plan(snapshot, ScanFilter.ALL);
        long rows = 0;
        while (splits.hasNext()) {
            TableSplit split = splits.next();
            if (split.exactRowCount().isEmpty()) {
                return false;
            }
            rows += split.exactRowCount().getAsLong();
        }
        return rows == readRows(snapshot).size() && rows == countRows(snapshot);
    }

    /**
     * As {@code count(*)} does: rows without columns.
     */
    public long countRows(Snapshot snapshot)
    {
        StorageTable table = open();
        long rows = 0;
        Iterator<TableSplit> splits = table.scanPlanner().plan(snapshot, ScanFilter.ALL);
        while (splits.hasNext()) {
            try (PageStream pages = table.splitReaders().open(splits.next(), List.of(), TupleDomain.all())) {
                for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                    rows += page.getPositionCount();
                }
            }
            catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return rows;
    }

    /**
     * A full compaction of all buckets.
     */
    public Optional<CommitResult> compact()
    {
        StorageTable table = open();
        OptionalLong base = table.snapshots().latestId();
        TableCompactor compactor = table.newCompactor(base);
        List<CommitMessage> messages = table.compactionTargets(base, TupleDomain.all()).stream()
                .flatMap(target -> compactor.compact(new BucketId(target.partition(), target.bucket())).stream())
                .toList();
        return messages.isEmpty() ? Optional.empty() : commit(table, base, WriteMode.UPSERT, messages);
    }

    /**
     * Rows of the live files of the latest snapshot that deletion vectors name.
     */
    public long deletedRows()
    {
        StorageTable table = open();
        Snapshot snapshot = table.snapshots().latest().orElseThrow();
        DeletionVectorIndex deletions = table.liveFiles().deletionVectors(snapshot);
        return table.liveFiles().liveFiles(snapshot, _ -> true, _ -> true).stream()
                .flatMap(entry -> deletions.bucket(BucketId.of(entry)).of(entry.file().fileName()).stream())
                .mapToLong(location -> location.cardinality().orElseThrow())
                .sum();
    }

    /**
     * What the log says of one snapshot, in the order in which it comes.
     */
    public List<Change> readLog(Snapshot snapshot)
    {
        StorageTable table = open();
        List<Change> changes = new ArrayList<>();
        Iterator<ChangeSplit> splits = table.changePlanner().plan(List.of(snapshot), ScanFilter.ALL);
        while (splits.hasNext()) {
            ChangeSplit split = ChangeSplit.fromBytes(splits.next().toBytes());
            try (PageStream pages = table.changeReader().open(split, table.schema().fields(), TupleDomain.all(), true)) {
                for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                    for (int position = 0; position < page.getPositionCount(); position++) {
                        byte kind = TINYINT.getByte(page.getBlock(table.schema().fields().size() + 1), position);
                        changes.add(new Change(ChangeKind.values()[kind], BlockValues.toRow(table.schema().fields(), page, position)));
                    }
                }
            }
            catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return changes;
    }

    /**
     * One text a live file: partition, bucket, level and rows, sorted.
     */
    public List<String> fileLevels(Snapshot snapshot)
    {
        StorageTable table = open();
        return table.liveFiles().liveFiles(snapshot, _ -> true, _ -> true).stream()
                .map(entry -> "%s bucket %s L%s %s rows".formatted(table.paths().partitionDirectory(entry.partition()), entry.bucket(), entry.file().level(), entry.file().rowCount()))
                .sorted()
                .toList();
    }

    public List<Snapshot> snapshots()
    {
        return snapshotsAfter(0);
    }

    public List<Snapshot> snapshotsAfter(long snapshotId)
    {
        StorageTable table = open();
        OptionalLong latest = table.snapshots().latestId();
        return latest.isEmpty() || latest.getAsLong() <= snapshotId ? List.of() : table.snapshots().snapshots(snapshotId + 1, latest.getAsLong());
    }
}
