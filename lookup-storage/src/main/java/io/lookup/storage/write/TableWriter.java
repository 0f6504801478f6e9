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
package io.lookup.storage.write;

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.format.TableBlockEncodings;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lsm.BucketCompactor;
import io.lookup.storage.lsm.BucketReplacement;
import io.lookup.storage.lsm.KnownRows;
import io.lookup.storage.merge.AggregateRetractRules;
import io.lookup.storage.merge.DeletedValues;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.MergeFunctions;
import io.lookup.storage.merge.UpdatedValues;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.RetractOptions;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * One sink's part of a statement. Rows are buffered by bucket within a memory budget; the largest buffers are
 * spilled to local disk beyond it. Level-0 files and compactions are written by {@link #prepareCommit()}. Not
 * thread-safe.
 */
public final class TableWriter
        implements StatementWriter
{
    private static final Logger log = Logger.get(TableWriter.class);
    // of one bucket: they are worked on one after the other
    private static final long KNOWN_ROWS_BYTES = 64L << 20;

    private final String tableName;
    private final TableSchema schema;
    private final CoreOptions options;
    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final WriteMode mode;
    private final Optional<WrittenRows> writtenRows;
    private final Optional<DynamicBuckets> dynamicBuckets;
    private final RowRouter router;
    private final DataFileWriterFactory fileWriters;
    private final BucketStateLoader stateLoader;
    private final CompactorFactory compactors;
    private final FullCompactionTrigger fullCompactions;
    private final Optional<ReplacementFactory> replacements;
    // of all buckets, which are worked on one after the other: there can be thousands
    private final StatementMerger merger;
    private final KeyGroups groups = new KeyGroups();
    private final SpillFile spillFile;
    private final BackgroundSpill spiller;
    private final long memoryBudget;
    private final boolean logsInput;
    private final AggregateRetractRules retractRules;
    private final DefaultValues defaultValues;

    private final Map<BucketId, BucketWriter> writers = new LinkedHashMap<>();
    private long memoryUsage;

    /**
     * @param updatedColumns the columns that an UPDATE, or the updates of a MERGE, set, in lower case
     * @param replacements makes what puts the rows of a bucket in the place of those that are there; absent if they are added to them
     * @param memoryBudget bytes of rows that are kept in memory over all buckets
     */
    public TableWriter(
            String tableName,
            TableSchema schema,
            CoreOptions options,
            List<String> bucketKeys,
            Optional<DynamicBuckets> dynamicBuckets,
            WriteMode mode,
            Set<String> updatedColumns,
            DataFileWriterFactory fileWriters,
            BucketStateLoader stateLoader,
            CompactorFactory compactors,
            FullCompactionTrigger fullCompactions,
            Optional<ReplacementFactory> replacements,
            Path spillDirectory,
            long memoryBudget)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.layout = KeyValueLayout.ofTable(schema, options);
        this.keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
        this.mode = requireNonNull(mode, "mode is null");
        // of row changes a delete can be the old half of an update, which is known when both halves have come
        this.writtenRows = mode == WriteMode.UPSERT ? Optional.of(new WrittenRows(tableName, schema, options)) : Optional.empty();
        this.dynamicBuckets = requireNonNull(dynamicBuckets, "dynamicBuckets is null");
        this.router = dynamicBuckets
                .map(buckets -> new RowRouter(schema, buckets))
                .orElseGet(() -> new RowRouter(schema, bucketKeys, Optional.of(BucketFunction.forTable(schema, options.bucket())), options.bucket()));
        this.fileWriters = requireNonNull(fileWriters, "fileWriters is null");
        this.stateLoader = requireNonNull(stateLoader, "stateLoader is null");
        this.compactors = requireNonNull(compactors, "compactors is null");
        this.fullCompactions = requireNonNull(fullCompactions, "fullCompactions is null");
        this.replacements = requireNonNull(replacements, "replacements is null");
        this.spillFile = new SpillFile(requireNonNull(spillDirectory, "spillDirectory is null"), new TableBlockEncodings(layout.types()));
        this.spiller = new BackgroundSpill(tableName, spillDirectory);
        this.memoryBudget = memoryBudget;
        this.logsInput = logsInput(schema, options, mode);
        this.retractRules = AggregateRetractRules.of(schema, options);
        this.defaultValues = DefaultValues.of(schema);
        this.merger = new StatementMerger(
                tableName,
                schema.primaryKeys().stream().map(schema::fieldIndex).toList(),
                layout,
                MergeFunctions.create(schema, options, layout, true),
                options.mergeEngine(),
                mode,
                RetractOptions.of(schema, options).deleteRefusal().or(() -> DeletedValues.of(schema, options).refusal()),
                StoredRows.create(tableName, schema, options, layout, mode),
                updatedValues(schema, options, updatedColumns));
    }

    /**
     * Without a producer the records themselves are the log. Those of a statement that changes rows say too little where they are combined with older
     * ones: the rows are logged in their stead.
     */
    private static boolean logsInput(TableSchema schema, CoreOptions options, WriteMode mode)
    {
        return switch (options.changelogProducer()) {
            case INPUT -> true;
            case NONE -> mode == WriteMode.ROW_CHANGES && !DeletedValues.of(schema, options).values().isEmpty();
            case LOOKUP, FULL_COMPACTION -> false;
        };
    }

    private static Optional<UpdatedValues> updatedValues(TableSchema schema, CoreOptions options, Set<String> updatedColumns)
    {
        return options.mergeEngine() == MergeEngine.PARTIAL_UPDATE && !updatedColumns.isEmpty() ? Optional.of(UpdatedValues.of(schema, options, updatedColumns)) : Optional.empty();
    }

    /**
     * Adds rows of one kind.
     *
     * @param values the table's columns in schema order; a delete carries the whole old row
     * @throws StorageException INVALID_ROW for a null in a column that cannot hold one; UNSUPPORTED_FEATURE for a row that the
     * table's merge engine cannot take back
     */
    public void write(Page values, RowKind kind)
    {
        write(values, new byte[] {kind.value()});
    }

    /**
     * Adds rows with a kind each. Under {@link WriteMode#UPSERT} nulls become the default values of their columns; of row changes, the caller knows
     * which rows are new. In a table with {@code rowkind.field} a column says the kinds of an INSERT. In a partial-update table the
     * halves of an UPDATE come as -U and +U, each the whole row.
     *
     * @throws StorageException INVALID_ROW for a null in a column that cannot hold one; UNSUPPORTED_FEATURE for a retract
     * row that the table's merge engine or an aggregate function cannot take back
     */
    @Override
    public void write(Page values, byte[] kinds)
    {
        NullCheck.check(tableName, schema, values);
        if (writtenRows.isPresent()) {
            WrittenRows.Rows rows = writtenRows.get().select(defaultValues.apply(values, _ -> true), kinds);
            if (rows.values().getPositionCount() > 0) {
                route(rows.values(), rows.kinds());
            }
            return;
        }
        route(values, kinds);
    }

    private void route(Page values, byte[] kinds)
    {
        retractRules.check(kinds);
        router.route(values, kinds, (partition, bucket, part, partKinds) -> {
            BucketWriter writer = writers.computeIfAbsent(new BucketId(partition, bucket), this::createWriter);
            memoryUsage -= writer.memoryUsage();
            writer.add(part, partKinds);
            memoryUsage += writer.memoryUsage();
        });
        if (spiller.isDone()) {
            spiller.await();
        }
        // rows come in while those before them are sorted and written
        while (memoryUsage > memoryBudget / 2 && (!spiller.isBusy() || memoryUsage + spiller.bytes() > memoryBudget)) {
            spillLargest();
        }
    }

    private BucketWriter createWriter(BucketId id)
    {
        BucketState state = stateLoader.load(id.partition(), id.bucket());
        // of a log that is written bucket by bucket nobody could say in which order a row left one bucket and came to another
        boolean mayDiffer = replacements.isPresent() && !BucketReplacement.isLogged(options.changelogProducer());
        if (state.totalBuckets().isPresent() && state.totalBuckets().getAsInt() != options.bucket() && !mayDiffer) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format(
                    "A partition of table %s was written with %s buckets, but the table now has bucket = %s; overwrite the partition before appending to it",
                    tableName,
                    state.totalBuckets().getAsInt(),
                    options.bucket()));
        }
        // what an overwrite makes vanish is in no input
        boolean keepsInput = logsInput && replacements.isEmpty();
        StatementBuffer buffer = new StatementBuffer(layout, keyEncoder, merger, groups, spillFile, keepsInput);
        return new BucketWriter(
                id.partition(),
                id.bucket(),
                options.bucket(),
                buffer,
                fileWriters,
                state.files(),
                readsLevel0() || mode != WriteMode.ROW_CHANGES ?
                        InvisibleRows.none(tableName, id.bucket(), keyEncoder) :
                        new InvisibleRows(tableName, id.bucket(), keyEncoder, state.files()),
                () -> new KnownRows(layout, bringsOldRows(state) ? KNOWN_ROWS_BYTES : 0),
                options.compactsOnWrite() && replacements.isEmpty() ? Optional.of(compactors.create(id.partition(), id.bucket(), state.deletions())) : Optional.empty(),
                () -> fullCompactions.isDue(id, state.files(), 1),
                keepsInput ? Optional.of(this::inputLog) : Optional.empty(),
                replacements.map(factory -> factory.create(id.partition(), id.bucket(), state.deletions())));
    }

    private InputLog inputLog(long firstSequenceNumber)
    {
        boolean updateBefore = options.changelogProducer() == ChangelogProducer.INPUT && !options.ignoreUpdateBefore() && !options.ignoreDelete();
        return new InputLog(layout, mode, updateBefore, firstSequenceNumber);
    }

    /**
     * Whether retract rows of the statement are what the levels above 0 hold. Where a record can lose to an older one, where
     * records are combined, and where rows wait at level 0, they are not, or it matters which record says so.
     */
    private boolean bringsOldRows(BucketState state)
    {
        return mode == WriteMode.ROW_CHANGES
                && options.compactsOnWrite()
                && options.needLookup()
                && options.mergeEngine() == MergeEngine.DEDUPLICATE
                && options.sequenceField().isEmpty()
                && state.files().stream().allMatch(file -> file.level() > 0);
    }

    private boolean readsLevel0()
    {
        return !options.deletionVectorsEnabled() && options.mergeEngine() != MergeEngine.FIRST_ROW;
    }

    private void spillLargest()
    {
        BucketWriter largest = null;
        for (BucketWriter writer : writers.values()) {
            if (largest == null || writer.memoryUsage() > largest.memoryUsage()) {
                largest = writer;
            }
        }
        requireNonNull(largest, "memory is used but there is no writer");
        spiller.await();
        long bytes = largest.memoryUsage();
        spiller.start(largest.startSpill(), bytes);
        memoryUsage -= bytes;
        memoryUsage += largest.memoryUsage();
    }

    public DefaultValues defaultValues()
    {
        return defaultValues;
    }

    @Override
    public long memoryUsage()
    {
        return memoryUsage + spiller.bytes() + dynamicBuckets.map(DynamicBuckets::memoryUsage).orElse(0L);
    }

    /**
     * Writes level-0 files, compactions and changelog files of all buckets. Nothing is visible before the
     * messages are committed. After a failure {@link #abort()} must be called.
     */
    @Override
    public List<CommitMessage> prepareCommit()
    {
        spiller.await();
        ImmutableList.Builder<CommitMessage> messages = ImmutableList.builder();
        for (BucketWriter writer : writers.values()) {
            try {
                Optional<CommitMessage> message = writer.prepareCommit();
                if (message.isPresent()) {
                    messages.add(dynamicBuckets.isPresent() ? dynamicBuckets.get().withIndex(message.get()) : message.get());
                }
            }
            catch (IOException e) {
                throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Files of table %s could not be written: %s", tableName, e.getMessage()), e);
            }
        }
        closeSpillFile();
        return messages.build();
    }

    private void closeSpillFile()
    {
        try {
            spillFile.close();
        }
        catch (IOException | RuntimeException e) {
            // it lies in a temporary folder
            log.debug(e, "A spill file of table %s could not be closed", tableName);
        }
    }

    /**
     * Deletes every file that was written; never throws.
     */
    @Override
    public void abort()
    {
        spiller.abort();
        writers.values().forEach(BucketWriter::abort);
        dynamicBuckets.ifPresent(DynamicBuckets::abort);
        writers.clear();
        closeSpillFile();
        memoryUsage = 0;
    }

    public interface BucketStateLoader
    {
        BucketState load(BinaryRow partition, int bucket);

        /**
         * The partition's buckets that have data files.
         */
        Set<Integer> buckets(BinaryRow partition);
    }

    public interface ReplacementFactory
    {
        /**
         * @param deletions the bucket's deletion vectors in the snapshot that its live files are of
         */
        BucketReplacement create(BinaryRow partition, int bucket, BucketVectors deletions);
    }

    public interface CompactorFactory
    {
        /**
         * @param deletions the bucket's deletion vectors in the snapshot that its live files are of
         */
        BucketCompactor create(BinaryRow partition, int bucket, BucketVectors deletions);
    }
}
