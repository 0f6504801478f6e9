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
import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.OverwriteScope;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.SchemaEdits;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.write.TableWriter;
import io.trino.spi.Page;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Gives a table with a primary key another number of buckets: every row is read and written into its new bucket, at the highest level,
 * and takes the place of the old files in one OVERWRITE snapshot. Rows stay what they are, so that nothing is logged.
 *
 * <p>The new number is a schema version of its own, published when all rows are written and right before the snapshot. From then on
 * nobody can commit files of the old number; what was committed while the rows were read makes the rescaling fail, and the
 * old number comes back. A crash between the two leaves a table that reads as before and that cannot be written until it is rescaled again.
 */
public final class TableRescale
{
    private static final Logger log = Logger.get(TableRescale.class);
    private static final String BUCKET = "bucket";

    private final StorageTable table;
    private final int buckets;
    private final Function<TableSchema, StorageTable> atSchema;
    private final Function<StorageTable, TableWriter> writers;

    /**
     * @param atSchema the same table, as another schema says
     */
    TableRescale(StorageTable table, int buckets, Function<TableSchema, StorageTable> atSchema, Function<StorageTable, TableWriter> writers)
    {
        this.table = requireNonNull(table, "table is null");
        this.buckets = buckets;
        this.atSchema = requireNonNull(atSchema, "atSchema is null");
        this.writers = requireNonNull(writers, "writers is null");
        check();
    }

    private void check()
    {
        TableSchema schema = table.schema();
        if (buckets < 1) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, format("Table %s cannot have %s buckets: give a number from 1", table.name(), buckets));
        }
        if (schema.primaryKeys().isEmpty() || table.options().bucket() < 1) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format("Table %s cannot be rescaled: only tables with a primary key and a fixed number of buckets can", table.name()));
        }
        schema.fields().stream().filter(field -> field.defaultValue().isPresent()).findFirst().ifPresent(field -> {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format("Table %s cannot be rescaled: column '%s' has a default value, which would take the place of its NULLs", table.name(), field.name()));
        });
    }

    /**
     * Reads and writes here, with one thread.
     *
     * @param properties of the snapshot
     * @return id of the snapshot; empty if all rows are in that number of buckets
     * @throws StorageException COMMIT_CONFLICT if others changed the table meanwhile: it is as they left it
     */
    public OptionalLong run(Map<String, String> properties)
    {
        Optional<Snapshot> base = table.snapshots().latest();
        if (base.isEmpty()) {
            publish(table.schema(), buckets);
            return OptionalLong.empty();
        }
        boolean moves = table.liveFiles().liveFiles(base.get(), _ -> true, _ -> true).stream().anyMatch(entry -> entry.totalBuckets() != buckets);
        if (!moves) {
            if (table.options().bucket() != buckets) {
                publish(table.schema(), buckets);
            }
            return OptionalLong.empty();
        }
        Snapshot compacted = compact(base.get(), properties);
        StorageTable written = atSchema.apply(withBuckets(table.schema(), buckets));
        List<CommitMessage> messages = write(written, compacted);
        return commit(compacted, messages, properties);
    }

    /**
     * Brings everything to the highest level where what lies above is not all that there is to know: rows that the log has not told yet, or
     * that readers do not see yet.
     */
    private Snapshot compact(Snapshot base, Map<String, String> properties)
    {
        ChangelogProducer producer = table.options().changelogProducer();
        boolean needed = producer == ChangelogProducer.LOOKUP || producer == ChangelogProducer.FULL_COMPACTION || table.options().deletionVectorsEnabled() || table.options().mergeEngine() == MergeEngine.FIRST_ROW;
        if (!needed || isCompacted(base)) {
            return base;
        }
        OptionalLong baseId = OptionalLong.of(base.id());
        TableCompactor compactor = table.newCompactor(baseId);
        ImmutableList.Builder<CommitMessage> messages = ImmutableList.builder();
        try {
            for (CompactionTarget target : table.compactionTargets(baseId, TupleDomain.all())) {
                compactor.compact(new BucketId(target.partition(), target.bucket())).ifPresent(messages::add);
            }
        }
        catch (RuntimeException e) {
            compactor.abort();
            throw e;
        }
        table.commit(new CommitRequest(baseId, messages.build(), false, properties, properties, UUID.randomUUID().toString(), Optional.empty()));
        Snapshot compacted = table.snapshots().latest().orElseThrow();
        if (!isCompacted(compacted)) {
            throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Table %s is being written, and must not be while it is rescaled; its rows were compacted, run the statement again", table.name()));
        }
        return compacted;
    }

    /**
     * A bucket keeps its levels when the table is given fewer: compactions then bring its files to the highest that it has.
     */
    private boolean isCompacted(Snapshot snapshot)
    {
        int highest = table.options().compaction().numLevels() - 1;
        Map<BucketId, Integer> levels = new HashMap<>();
        return table.liveFiles().liveFiles(snapshot, _ -> true, _ -> true).stream().allMatch(entry -> {
            int level = entry.file().level();
            return level >= highest && levels.computeIfAbsent(BucketId.of(entry), _ -> level) == level;
        });
    }

    private List<CommitMessage> write(StorageTable written, Snapshot base)
    {
        TableWriter writer = writers.apply(written);
        try {
            Iterator<TableSplit> splits = table.scanPlanner().plan(base, ScanFilter.ALL);
            while (splits.hasNext()) {
                try (PageStream rows = table.splitReaders().open(splits.next(), table.schema().fields(), TupleDomain.all())) {
                    for (Page page = rows.nextPage(); page != null; page = rows.nextPage()) {
                        if (Thread.currentThread().isInterrupted()) {
                            throw new StorageException(StorageErrorCode.COMMIT_FAILED, format("Table %s: interrupted while rows were moved; nothing was committed", table.name()));
                        }
                        writer.write(page, RowKind.INSERT);
                    }
                }
            }
            return writer.prepareCommit();
        }
        catch (IOException e) {
            writer.abort();
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Rows of table %s could not be moved: %s", table.name(), e.getMessage()), e);
        }
        catch (RuntimeException e) {
            writer.abort();
            throw e;
        }
    }

    private OptionalLong commit(Snapshot base, List<CommitMessage> messages, Map<String, String> properties)
    {
        TableSchema published;
        try {
            published = publish(table.schema(), buckets);
        }
        catch (RuntimeException e) {
            table.discard(messages);
            throw e;
        }
        StorageTable rescaled = atSchema.apply(published);
        try {
            return rescaled.commit(new CommitRequest(
                    OptionalLong.of(base.id()),
                    messages,
                    true,
                    properties,
                    ImmutableMap.of(),
                    UUID.randomUUID().toString(),
                    Optional.of(OverwriteScope.wholeTable()))).appendSnapshotId();
        }
        catch (StorageException e) {
            // of other failures the outcome may be unknown
            if (e.errorCode() == StorageErrorCode.COMMIT_CONFLICT) {
                rescaled.discard(messages);
                takeBack(published);
            }
            throw e;
        }
    }

    private void takeBack(TableSchema published)
    {
        try {
            publish(published, table.options().bucket());
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s was not rescaled, but its option bucket is %s: rescale it again, or to %s, before it is written", table.name(), buckets, table.options().bucket());
        }
    }

    private TableSchema publish(TableSchema before, int count)
    {
        if (new CoreOptions(before.options()).bucket() == count) {
            return before;
        }
        TableSchema changed = withBuckets(before, count);
        TableSchema next = new TableSchema(
                TableSchema.CURRENT_VERSION,
                before.id() + 1,
                changed.fields(),
                changed.highestFieldId(),
                changed.partitionKeys(),
                changed.primaryKeys(),
                changed.options(),
                changed.comment(),
                System.currentTimeMillis());
        if (!table.schemas().tryCreate(next)) {
            throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Table %s was changed while it was rescaled; nothing was committed, run the statement again", table.name()));
        }
        return next;
    }

    private static TableSchema withBuckets(TableSchema schema, int count)
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
        options.putAll(schema.options()).put(BUCKET, Integer.toString(count));
        return SchemaEdits.withOptions(schema, options.buildKeepingLast());
    }
}
