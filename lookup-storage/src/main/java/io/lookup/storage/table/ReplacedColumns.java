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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;

import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * Keeps the rows of a table from being read with the columns of another one that took its place. Paimon's CREATE OR REPLACE TABLE, from
 * 2.1 on, makes the table empty and gives it a next schema version whose columns have ids from 0 on, as if they were the former ones.
 * Thread-safe.
 */
final class ReplacedColumns
{
    private static final int MAX_COMMITS_BETWEEN = 4;

    private final String tableName;
    private final TableSchema schema;
    private final SchemaManager schemas;
    private final SnapshotManager snapshots;
    // the snapshots from one to another are known to be followed by no replacement
    private long knownFrom = Long.MAX_VALUE;
    private long knownTo = -1;

    /**
     * @param schema the version that is read
     */
    ReplacedColumns(String tableName, TableSchema schema, SchemaManager schemas, SnapshotManager snapshots)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
    }

    /**
     * @throws StorageException UNSUPPORTED_FEATURE naming the table and the snapshot if its rows had other columns under the same ids
     */
    void checkRows(Snapshot snapshot)
    {
        // the empty table that a replacement leaves can be read
        if (snapshot.totalRecordCount() != 0) {
            check(snapshot);
        }
    }

    /**
     * @throws StorageException as {@link #checkRows}, of what the snapshot changed
     */
    void checkChanges(Snapshot snapshot)
    {
        if (!snapshot.replacesTable() || snapshot.changelogManifestList().isPresent()) {
            check(snapshot);
        }
    }

    private void check(Snapshot snapshot)
    {
        if (snapshot.schemaId() >= schema.id()) {
            return;
        }
        Optional<Snapshot> replacement = replacement(snapshot);
        if (replacement.isPresent() || !isContinued(schemas.schema(snapshot.schemaId()), schema)) {
            throw new StorageException(
                    StorageErrorCode.UNSUPPORTED_FEATURE,
                    "Snapshot %s of table %s cannot be read with the columns of schema version %s, since %s replaced the table by one with columns of its own; read later snapshots, or the rows of this one by FOR VERSION AS OF %s".formatted(
                            snapshot.id(),
                            tableName,
                            schema.id(),
                            replacement.map(found -> "snapshot " + found.id()).orElse("a schema version since"),
                            snapshot.id()));
        }
    }

    /**
     * Looks before each snapshot with which a later schema version begins, up to the version that is read: versions only grow, so that a few snapshots of a long
     * history are read to find these.
     */
    private synchronized Optional<Snapshot> replacement(Snapshot snapshot)
    {
        if (snapshot.id() >= knownFrom && snapshot.id() <= knownTo) {
            return Optional.empty();
        }
        long latest = snapshots.latestId().orElse(snapshot.id());
        long id = snapshot.id();
        long schemaId = snapshot.schemaId();
        while (schemaId < schema.id()) {
            long last = lastOfSchema(id, latest, schemaId);
            // a writer that began before may have committed in between
            for (long before = last; before > Math.max(snapshot.id(), last - MAX_COMMITS_BETWEEN); before--) {
                Optional<Snapshot> candidate = snapshots.findWithChangelog(before).filter(Snapshot::replacesTable);
                if (candidate.isPresent()) {
                    return candidate;
                }
            }
            if (last >= latest) {
                break;
            }
            id = last + 1;
            OptionalLong next = schemaIdOf(id);
            if (next.isEmpty()) {
                break;
            }
            schemaId = next.getAsLong();
        }
        knownFrom = snapshot.id();
        knownTo = Math.max(snapshot.id(), id - 1);
        return Optional.empty();
    }

    /**
     * The last snapshot from one on, up to another, whose schema version is not above one.
     */
    private long lastOfSchema(long from, long to, long schemaId)
    {
        long low = from;
        long high = to;
        while (low < high) {
            long middle = low + (high - low + 1) / 2;
            if (schemaIdOf(middle).orElse(Long.MAX_VALUE) <= schemaId) {
                low = middle;
            }
            else {
                high = middle - 1;
            }
        }
        return low;
    }

    private OptionalLong schemaIdOf(long snapshotId)
    {
        Optional<Snapshot> found = snapshots.findWithChangelog(snapshotId);
        return found.isPresent() ? OptionalLong.of(found.get().schemaId()) : OptionalLong.empty();
    }

    /**
     * Whether one schema version can have come from the other by changes, which never give an id twice.
     */
    static boolean isContinued(TableSchema before, TableSchema after)
    {
        return after.highestFieldId() >= before.highestFieldId() &&
                after.fields().stream()
                        .map(DataField::id)
                        .allMatch(id -> id > before.highestFieldId() || before.findField(id).isPresent());
    }
}
