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
package io.lookup.storage.maintenance;

import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.RetentionOptions;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.BranchManager;
import io.lookup.storage.snapshot.ConsumerManager;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.Tag;
import io.lookup.storage.snapshot.TagManager;
import org.apache.hadoop.fs.Path;

import java.time.Clock;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Keeps a table's history as long as it is wanted, and its folder clean. Everything may run beside readers and writers of any
 * engine, and may break off anywhere; what snapshots that stay refer to is never touched. A reader of a snapshot that expires fails, as one
 * that comes later does.
 */
public final class TableMaintenance
{
    private static final Logger log = Logger.get(TableMaintenance.class);

    private final String tableName;
    private final FileIo fileIo;
    private final TablePaths paths;
    private final Path historyRoot;
    private final TableSchema schema;
    private final CoreOptions options;
    private final Clock clock;
    private final SnapshotManager snapshots;
    private final BranchManager branches;
    private final ConsumerManager consumers;
    private final TagManager tags;
    private final FileReferences references;
    private final FileRemoval removal;

    /**
     * @param historyRoot where the snapshots lie: the table's folder, or that of one of its branches
     */
    public TableMaintenance(String tableName, FileIo fileIo, TablePaths paths, Path historyRoot, TableSchema schema, CoreOptions options, Clock clock)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.historyRoot = requireNonNull(historyRoot, "historyRoot is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.clock = requireNonNull(clock, "clock is null");
        // of its own, since what is cached elsewhere may be gone from the store
        this.snapshots = new SnapshotManager(fileIo, historyRoot);
        this.branches = new BranchManager(fileIo, paths.root());
        this.consumers = new ConsumerManager(fileIo, historyRoot);
        this.tags = new TagManager(fileIo, new Path(historyRoot, "tag"), clock);
        this.references = new FileReferences(paths, new ManifestStore(fileIo, paths, schema));
        this.removal = new FileRemoval(fileIo);
    }

    /**
     * As {@link #expireByOptions}; a failure is only logged, since the statement is true, and the next one tries again.
     */
    public static void expireAfterCommit(String tableName, Supplier<TableMaintenance> maintenance)
    {
        try {
            maintenance.get().expireByOptions();
        }
        catch (RuntimeException e) {
            log.warn(e, "Table %s: snapshots could not be expired after a commit", tableName);
        }
    }

    /**
     * What a commit does after itself where the table's options say how long its history is kept, and which states get a name.
     */
    public void expireByOptions()
    {
        RetentionOptions retention = options.retention();
        if (options.writeOnly()) {
            return;
        }
        AutomaticTags automatic = new AutomaticTags(tableName, options.tags(), retention, snapshots, tags, this::remove);
        automatic.create();
        automatic.expire(LocalDateTime.now(clock));
        if (!retention.isSet()) {
            return;
        }
        retention.consumerExpirationTime().ifPresent(time -> consumers.expire(clock.millis() - time.toMillis()));
        expire(ExpirySettings.ofSnapshots(retention), ExpirySettings.ofChangelogs(retention));
    }

    /**
     * Expires snapshots that are older, and long-lived changelogs as the table's options say. Snapshots beyond the option
     * {@code snapshot.num-retained.max} go too.
     *
     * @param retainLast how many stay at least; empty for the option {@code snapshot.num-retained.min}
     * @return how many snapshots are gone
     */
    public int expireSnapshots(Duration olderThan, OptionalInt retainLast)
    {
        RetentionOptions retention = options.retention();
        int min = retainLast.orElse(retention.snapshotNumRetainedMin());
        return expire(
                new ExpirySettings(min, Math.max(min, retention.snapshotNumRetainedMax()), olderThan, Integer.MAX_VALUE),
                ExpirySettings.ofChangelogs(retention));
    }

    private int expire(ExpirySettings snapshotSettings, ExpirySettings changelogSettings)
    {
        RetentionOptions retention = options.retention();
        boolean keepChangelogs = ExpirySettings.ofChangelogs(retention).keepMoreThan(ExpirySettings.ofSnapshots(retention));
        boolean hasProducer = options.changelogProducer() != ChangelogProducer.NONE;
        OptionalLong nextRead = consumers.minNextSnapshot();
        SharedFiles shared = sharedFiles();
        int expired = new SnapshotExpiry(snapshots, references, removal, hasProducer, keepChangelogs)
                .expire(snapshotSettings, retention.consumerChangelogOnly() ? OptionalLong.empty() : nextRead, shared, clock.millis());
        if (keepChangelogs) {
            new ChangelogExpiry(snapshots, references, removal).expire(changelogSettings, nextRead, shared, clock.millis());
        }
        return expired;
    }

    private SharedFiles sharedFiles()
    {
        List<SnapshotManager> others = branches.historyRoots().stream()
                .filter(root -> !root.equals(historyRoot))
                .map(root -> new SnapshotManager(fileIo, root))
                .toList();
        return SharedFiles.read(others, references);
    }

    /**
     * @return how many files are gone
     * @throws StorageException UNSUPPORTED_FEATURE for a branch: the table's own removal looks after all of them
     */
    public int removeOrphanFiles(Duration olderThan)
    {
        checkNoBranch("remove_orphan_files");
        return new OrphanFiles(fileIo, paths, schema.partitionKeys().size(), branches, references, removal)
                .remove(clock.millis() - olderThan.toMillis());
    }

    /**
     * @param snapshotId one that is there, or that another tag keeps; empty for the newest
     * @throws StorageException INVALID_OPTION if there is such a tag, SNAPSHOT_NOT_FOUND
     */
    public void createTag(String name, OptionalLong snapshotId)
    {
        Snapshot snapshot = taggable(snapshotId);
        if (!tags.create(name, snapshot, options.retention().tagDefaultTimeRetained())) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, format("Table %s has a tag '%s' already: delete it first, or choose another name", tableName, name));
        }
        // an expiry that was under way did not see the tag
        boolean kept = snapshots.ids().contains(snapshot.id()) && snapshots.earliestId().orElse(Long.MAX_VALUE) <= snapshot.id() ||
                snapshots.tags().stream().anyMatch(tag -> tag.snapshot().id() == snapshot.id() && !tag.name().equals(name));
        if (!kept) {
            tags.delete(name);
            throw new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, format("Table %s: snapshot %s expired while it was tagged", tableName, snapshot.id()));
        }
    }

    private Snapshot taggable(OptionalLong snapshotId)
    {
        if (snapshotId.isEmpty()) {
            return snapshots.latest().orElseThrow(() -> new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, format("Table %s has no snapshot that could be tagged", tableName)));
        }
        long id = snapshotId.getAsLong();
        return snapshots.findListed(id)
                .or(() -> snapshots.tags().stream().map(Tag::snapshot).filter(snapshot -> snapshot.id() == id).findFirst())
                .orElseGet(() -> snapshots.snapshot(id));
    }

    /**
     * @throws StorageException SNAPSHOT_NOT_FOUND if there is no such tag
     */
    public void deleteTag(String name)
    {
        Tag tag = snapshots.findTag(name).orElseThrow(() -> new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, snapshots.noTagMessage(tableName, name)));
        remove(tag);
    }

    private void remove(Tag tag)
    {
        new TagRemoval(snapshots, tags, references, removal).remove(tag, sharedFiles());
    }

    /**
     * @param tag where the branch begins; empty for a branch without rows
     * @throws StorageException INVALID_OPTION for a name that cannot be, or that there is; SNAPSHOT_NOT_FOUND if there is no such tag
     */
    public void createBranch(String name, Optional<String> tag)
    {
        branchChanges("create_branch").create(name, tag);
    }

    /**
     * @throws StorageException SNAPSHOT_NOT_FOUND if there is no such branch
     */
    public void deleteBranch(String name)
    {
        branchChanges("delete_branch").delete(name);
    }

    /**
     * Makes the branch's history the table's.
     *
     * @throws StorageException SNAPSHOT_NOT_FOUND if there is no such branch, or it has no snapshot
     */
    public void fastForward(String name)
    {
        branchChanges("fast_forward").fastForward(name);
    }

    private Branches branchChanges(String procedure)
    {
        checkNoBranch(procedure);
        return new Branches(tableName, fileIo, paths.root(), snapshots, branches, tags);
    }

    /**
     * Lets a consumer, which is made if it is not there, go on with a snapshot. What it has not read outlives its expiry.
     *
     * @throws StorageException SNAPSHOT_NOT_FOUND if there is no such snapshot, or it expires meanwhile: then the consumer is as it was
     */
    public void resetConsumer(String id, long nextSnapshotId)
    {
        snapshots.snapshot(nextSnapshotId);
        OptionalLong before = consumers.nextSnapshotOf(id);
        consumers.reset(id, nextSnapshotId);
        // an expiry that was under way did not see the consumer
        if (!snapshots.ids().contains(nextSnapshotId) || snapshots.findListed(nextSnapshotId).isEmpty()) {
            before.ifPresentOrElse(next -> consumers.reset(id, next), () -> consumers.delete(id));
            throw new StorageException(StorageErrorCode.SNAPSHOT_NOT_FOUND, format("Table %s: snapshot %s expired while consumer '%s' was set to it", tableName, nextSnapshotId, id));
        }
    }

    /**
     * No error if there is no such consumer.
     */
    public void deleteConsumer(String id)
    {
        consumers.delete(id);
    }

    public void clearConsumers(Predicate<String> ids)
    {
        consumers.clear(ids);
    }

    /**
     * @throws StorageException SNAPSHOT_NOT_FOUND if neither a snapshot nor a tag has the id; UNSUPPORTED_FEATURE if the table has been replaced
     * since by one with columns of its own
     */
    public void rollbackToSnapshot(long snapshotId)
    {
        new Rollback(tableName, schema.id(), snapshots, tags).rollbackTo(snapshotId);
    }

    private void checkNoBranch(String procedure)
    {
        if (!historyRoot.equals(paths.root())) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format("%s is not for %s, which is a branch: call it for the table itself", procedure, tableName));
        }
    }
}
