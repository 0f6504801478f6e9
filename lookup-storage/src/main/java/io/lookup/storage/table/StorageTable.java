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
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.maintenance.DifferencePlanner;
import io.lookup.storage.maintenance.DifferenceSplit;
import io.lookup.storage.maintenance.TableMaintenance;
import io.lookup.storage.maintenance.VerificationPlanner;
import io.lookup.storage.maintenance.VerificationSplit;
import io.lookup.storage.scan.ChangePlanner;
import io.lookup.storage.scan.ChangeReader;
import io.lookup.storage.scan.ScanPlanner;
import io.lookup.storage.scan.SplitReaderFactory;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.SchemaValidation;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.BranchManager;
import io.lookup.storage.snapshot.ConsumerManager;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.StatisticsFiles;
import io.lookup.storage.snapshot.StoredStatistics;
import io.lookup.storage.write.AppendWriter;
import io.lookup.storage.write.DefaultValues;
import io.lookup.storage.write.TableWriter;
import io.lookup.storage.write.WriteMode;
import io.trino.spi.predicate.TupleDomain;
import org.apache.hadoop.fs.Path;

import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import static java.util.Objects.requireNonNull;

/**
 * A table at one schema version: where a statement begins. It finds snapshots, plans and opens scans, makes writers
 * and commits. Thread-safe; the writers it makes are not.
 */
public final class StorageTable
{
    private final TableContext context;
    private final String name;
    private final TableSchema schema;
    private final CoreOptions options;
    private final TablePaths paths;
    private final Path historyRoot;
    private final SchemaManager schemas;
    private final SnapshotManager snapshots;
    private final ManifestStore manifests;
    private final LiveFiles liveFiles;
    private final WriterFactory writing;
    private final ReplacedColumns replacedColumns;

    private StorageTable(TableContext context, String name, Path location, SchemaManager schemas, SnapshotManager snapshots, TableSchema schema)
    {
        this.context = requireNonNull(context, "context is null");
        this.name = requireNonNull(name, "name is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = new CoreOptions(schema.options());
        this.historyRoot = requireNonNull(location, "location is null");
        this.paths = new TablePaths(BranchManager.tableRoot(location), schema);
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.manifests = new ManifestStore(context.fileIo(), paths, schema, context.manifestCache());
        this.liveFiles = new LiveFiles(manifests, snapshots::find);
        this.writing = new WriterFactory(context, name, schema, options, paths, schemas, snapshots, manifests, liveFiles);
        this.replacedColumns = new ReplacedColumns(name, schema, schemas, snapshots);
    }

    /**
     * Opens the table at its latest schema version.
     *
     * @param name what messages call the table
     * @param location of the table, or of a branch ({@link BranchManager#directory}), which has a history of its own
     * @return empty if there is no table at the location
     */
    public static Optional<StorageTable> open(TableContext context, String name, Path location)
    {
        SchemaManager schemas = new SchemaManager(context.fileIo(), location);
        return schemas.latest().map(schema -> new StorageTable(context, name, location, schemas, new SnapshotManager(context.fileIo(), location), schema));
    }

    /**
     * The table at a schema version that the caller knows. The table need not exist yet: a statement that creates it
     * writes its files first. A catalog may say which snapshot is the newest, see {@link SnapshotManager}.
     */
    public static StorageTable ofSchema(TableContext context, String name, Path location, TableSchema schema, OptionalLong newestSnapshotId)
    {
        return new StorageTable(context, name, location, new SchemaManager(context.fileIo(), location, Optional.of(schema)), new SnapshotManager(context.fileIo(), location, newestSnapshotId), schema);
    }

    /**
     * The same table at another schema version, for handles that were made earlier and for time travel.
     */
    public StorageTable atSchema(long schemaId)
    {
        if (schemaId == schema.id()) {
            return this;
        }
        return new StorageTable(context, name, historyRoot, schemas, snapshots, schemas.schema(schemaId));
    }

    public String name()
    {
        return name;
    }

    public Path location()
    {
        return paths.root();
    }

    public TableSchema schema()
    {
        return schema;
    }

    public CoreOptions options()
    {
        return options;
    }

    public TablePaths paths()
    {
        return paths;
    }

    public SchemaManager schemas()
    {
        return schemas;
    }

    public SnapshotManager snapshots()
    {
        return snapshots;
    }

    public ManifestStore manifests()
    {
        return manifests;
    }

    public LiveFiles liveFiles()
    {
        return liveFiles;
    }

    /**
     * @throws StorageException UNSUPPORTED_FEATURE naming the table, the option and the value if a read would give something else than
     * the table says
     */
    public ScanPlanner scanPlanner()
    {
        checkSupported("read", SchemaValidation::checkReadable);
        return new ScanPlanner(schema, options, schemas, liveFiles, replacedColumns::checkRows);
    }

    public SplitReaderFactory splitReaders()
    {
        return new SplitReaderFactory(schema, options, schemas, paths, context.readers());
    }

    /**
     * @throws StorageException as {@link #scanPlanner}
     */
    public ChangePlanner changePlanner()
    {
        checkSupported("read", SchemaValidation::checkReadable);
        return new ChangePlanner(schema, options, schemas, liveFiles, replacedColumns::checkChanges);
    }

    public ChangeReader changeReader()
    {
        return new ChangeReader(schema, schemas, paths, context.readers());
    }

    /**
     * @throws StorageException UNSUPPORTED_FEATURE naming the table and the option if its changelog cannot be verified
     */
    public VerificationPlanner verificationPlanner()
    {
        return new VerificationPlanner(name, schema, options, schemas, snapshots, liveFiles, scanPlanner());
    }

    /**
     * The contradictions that the split's changelog contains, see {@link VerificationPlanner#COLUMN_TYPES}.
     */
    public PageStream verify(VerificationSplit split)
    {
        return VerificationPlanner.verify(split, schema, options, splitReaders(), changeReader());
    }

    /**
     * @throws StorageException UNSUPPORTED_FEATURE if two states of the table cannot be compared
     */
    public DifferencePlanner differencePlanner()
    {
        return new DifferencePlanner(name, schema, scanPlanner());
    }

    /**
     * The changes between two states: the table's columns, the sequence number (BIGINT, null) and the row kind (TINYINT).
     */
    public PageStream compare(DifferenceSplit split)
    {
        return DifferencePlanner.compare(split, schema, options, splitReaders());
    }

    /**
     * To be asked before anything of a statement is written.
     *
     * @throws StorageException UNSUPPORTED_FEATURE naming the table, the option and the value if readers of the format could
     * misunderstand what would be written
     */
    public void checkWritable()
    {
        checkSupported("written", SchemaValidation::checkWritable);
        checkSupported("written", DefaultValues::of);
    }

    private void checkSupported(String verb, Consumer<TableSchema> check)
    {
        try {
            check.accept(schema);
        }
        catch (StorageException e) {
            throw new StorageException(e.errorCode(), "Table %s cannot be %s: %s".formatted(name, verb, e.getMessage()), e);
        }
    }

    /**
     * Checks that another schema version may follow this one: what it may change at all, and whether the rows that are there
     * still mean the same.
     *
     * @throws StorageException INVALID_OPTION or INVALID_SCHEMA naming what cannot change, or what must be done first
     */
    public void checkChange(TableSchema next)
    {
        Optional<Snapshot> latest = snapshots.latest();
        SchemaValidation.checkChange(schema, next, latest.isPresent());
        if (latest.isPresent()) {
            new LevelMeaningCheck(name, paths, liveFiles).check(options, new CoreOptions(next.options()), latest.get());
            new DeletionVectorsSwitch(name, paths, liveFiles).check(latest.get(), options, new CoreOptions(next.options()));
            new MergeRulesSwitch(name, paths, liveFiles, schemas).check(latest.get(), schema, next);
        }
    }

    /**
     * Makes a writer for one sink of a statement. Each (partition, bucket) must be written by one sink only.
     *
     * @param baseSnapshotId the snapshot that the statement was planned on; empty if the table had none
     */
    public TableWriter newWriter(OptionalLong baseSnapshotId, WriteMode mode)
    {
        return newWriter(baseSnapshotId, mode, ImmutableSet.of());
    }

    /**
     * As {@link #newWriter(OptionalLong, WriteMode)}, with the columns that an UPDATE, or the updates of a MERGE, set, in lower case.
     */
    public TableWriter newWriter(OptionalLong baseSnapshotId, WriteMode mode, Set<String> updatedColumns)
    {
        checkWritable();
        return writing.newWriter(baseSnapshotId, mode, updatedColumns, false);
    }

    /**
     * Makes a writer whose rows take the place of those that their buckets hold; see {@link TableOverwrite} for the other buckets.
     *
     * @param baseSnapshotId the snapshot that the statement was planned on; empty if the table had none
     */
    public TableWriter newOverwritingWriter(OptionalLong baseSnapshotId)
    {
        checkWritable();
        return writing.newWriter(baseSnapshotId, WriteMode.UPSERT, ImmutableSet.of(), true);
    }

    /**
     * Makes a writer of a table without a primary key.
     *
     * @param baseSnapshotId the snapshot that the statement was planned on; empty if the table had none
     * @param overwrites whether the rows take the place of those that are there
     */
    public AppendWriter newAppendWriter(OptionalLong baseSnapshotId, boolean overwrites)
    {
        checkWritable();
        return writing.newAppendWriter(baseSnapshotId, overwrites);
    }

    /**
     * What an overwrite, or a TRUNCATE, does besides writing new rows.
     *
     * @param baseSnapshotId as of the writers
     */
    public TableOverwrite newOverwrite(OptionalLong baseSnapshotId)
    {
        checkWritable();
        return new TableOverwrite(name, schema, options, liveFiles, writing.baseSnapshot(baseSnapshotId), writing.services());
    }

    /**
     * The buckets that a full compaction would change, for a table with a primary key and fixed buckets.
     *
     * @param baseSnapshotId the snapshot that the statement was planned on; empty if the table had none
     * @param predicate by field id, on partition columns
     * @throws StorageException UNSUPPORTED_FEATURE if one of them cannot be compacted
     */
    public List<CompactionTarget> compactionTargets(OptionalLong baseSnapshotId, TupleDomain<Integer> predicate)
    {
        return writing.baseSnapshot(baseSnapshotId)
                .map(snapshot -> new CompactionPlanner(name, schema, options, paths, liveFiles).plan(snapshot, predicate))
                .orElse(ImmutableList.of());
    }

    /**
     * Makes a compactor for one sink of a statement. Each (partition, bucket) must be compacted by one sink only. Its
     * messages go into one commit upon the base.
     *
     * @param baseSnapshotId the snapshot whose files are compacted
     */
    public TableCompactor newCompactor(OptionalLong baseSnapshotId)
    {
        checkWritable();
        return writing.newCompactor(baseSnapshotId);
    }

    /**
     * Gives the table another number of buckets.
     */
    public TableRescale rescale(int buckets)
    {
        checkWritable();
        return new TableRescale(this, buckets, other -> new StorageTable(context, name, historyRoot, schemas, snapshots, other), other -> other.writing.newMovingWriter());
    }

    /**
     * The bucket key's columns in hash order.
     */
    public List<String> bucketKeys()
    {
        return writing.bucketKeys();
    }

    /**
     * Makes a statement's messages true, as a whole or not at all. Then expires what the table's options say.
     */
    public CommitResult commit(CommitRequest request)
    {
        checkWritable();
        CommitResult result = writing.newCommitter().commit(request);
        TableMaintenance.expireAfterCommit(name, this::maintenance);
        return result;
    }

    /**
     * Makes true what an ANALYZE found, as {@link #commit} does with rows.
     *
     * @param properties of the ANALYZE snapshot
     * @return id of the snapshot
     */
    public long commit(StoredStatistics statistics, Map<String, String> properties)
    {
        checkWritable();
        long id = writing.newStatisticsCommitter().commit(statistics, properties);
        TableMaintenance.expireAfterCommit(name, this::maintenance);
        return id;
    }

    public StatisticsFiles statistics()
    {
        return new StatisticsFiles(context.fileIo(), paths.statisticsDirectory());
    }

    /**
     * Readers of the table's changes that keep their progress in it.
     */
    public ConsumerManager consumers()
    {
        return new ConsumerManager(context.fileIo(), historyRoot);
    }

    public BranchManager branches()
    {
        return new BranchManager(context.fileIo(), paths.root());
    }

    /**
     * What keeps the table's history as long as it is wanted.
     *
     * @throws StorageException as {@link #scanPlanner}: which files are in use must be known
     */
    public TableMaintenance maintenance()
    {
        checkSupported("maintained", SchemaValidation::checkReadable);
        return new TableMaintenance(name, context.fileIo(), paths, historyRoot, schema, options, Clock.system(ZoneId.systemDefault()));
    }

    /**
     * Removes the files of messages that are not going to be committed; best effort.
     */
    public void discard(List<CommitMessage> messages)
    {
        writing.newCommitter().discard(messages);
    }

    /**
     * Does for buckets what their statements left out: lifts their level 0 as the table's options say, and publishes that as
     * one COMPACT snapshot upon the newest one.
     *
     * @param properties of the snapshot, from what it will hold
     * @return empty if there was nothing to lift; {@link CommitResult#compactionDropped} if others changed some of the
     * buckets meanwhile
     * @throws StorageException COMMIT_CONFLICT if the table was changed or dropped meanwhile: nothing was published, and
     * nothing is left behind
     */
    public Optional<CommitResult> compactPending(Set<BucketId> buckets, Function<List<CommitMessage>, Map<String, String>> properties)
    {
        return writing.rework().compactPending(this, buckets, properties);
    }
}
