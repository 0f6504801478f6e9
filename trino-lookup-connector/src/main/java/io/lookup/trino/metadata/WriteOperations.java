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
package io.lookup.trino.metadata;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.TableDefinition;
import io.lookup.storage.catalog.UnfilledTable;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitMessageCodec;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.commit.OverwriteScope;
import io.lookup.storage.commit.UninterruptibleCall;
import io.lookup.storage.schema.SchemaValidation;
import io.lookup.storage.schema.TableFilling;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.table.StorageTable;
import io.lookup.storage.table.TableOverwrite;
import io.lookup.storage.table.TableOverwrite.DeletedPartitions;
import io.lookup.storage.write.WriteMode;
import io.lookup.trino.LookupSessionProperties;
import io.lookup.trino.changes.SnapshotProperties;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.engine.TableBranch;
import io.lookup.trino.engine.TableSchemas;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupMergeHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.LookupWriteHandle;
import io.lookup.trino.handle.TableKind;
import io.lookup.trino.metadata.TransactionTables.PinnedTable;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaNotFoundException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

import static com.google.common.base.Verify.verify;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * The life of a statement that writes. Beginning it has no effect, since EXPLAIN begins statements too; everything
 * becomes true when it finishes.
 */
final class WriteOperations
{
    private static final Logger log = Logger.get(WriteOperations.class);
    // of every other failure the outcome may be unknown
    static final Set<StorageErrorCode> NOTHING_PUBLISHED = Sets.immutableEnumSet(StorageErrorCode.COMMIT_CONFLICT, StorageErrorCode.WAREHOUSE_NOT_WRITABLE);

    private final LookupTables tables;
    private final TransactionTables transactionTables;

    WriteOperations(LookupTables tables, TransactionTables transactionTables)
    {
        this.tables = requireNonNull(tables, "tables is null");
        this.transactionTables = requireNonNull(transactionTables, "transactionTables is null");
    }

    LookupWriteHandle beginInsert(ConnectorSession session, LookupTableHandle handle, RetryMode retryMode)
    {
        checkNoRetries(retryMode);
        checkWritable(session, handle);
        return new LookupWriteHandle(
                handle.schemaName(),
                handle.tableName(),
                handle.schemaJson(),
                handle.snapshotId(),
                WriteMode.UPSERT,
                LookupSessionProperties.isInsertOverwrite(session));
    }

    LookupMergeHandle beginMerge(ConnectorSession session, LookupTableHandle handle, Map<Integer, Collection<ColumnHandle>> updateCaseColumns, RetryMode retryMode)
    {
        checkNoRetries(retryMode);
        checkWritable(session, handle);
        Set<String> updatedColumns = updateCaseColumns.values().stream()
                .flatMap(Collection::stream)
                .map(column -> ((LookupColumnHandle) column).name())
                .collect(toImmutableSet());
        RowChangeRules.checkUpdate(handle.relationName().toString(), TableSchemas.fromJson(handle.schemaJson()), updatedColumns);
        return new LookupMergeHandle(handle, new LookupWriteHandle(
                handle.schemaName(),
                handle.tableName(),
                handle.schemaJson(),
                handle.snapshotId(),
                WriteMode.ROW_CHANGES,
                false), updatedColumns);
    }

    /**
     * Names that are not those of tables with a primary key are refused elsewhere.
     */
    void checkDelete(SchemaTableName name)
    {
        if (TableBranch.systemTableSeparator(name.getTableName()) >= 0) {
            return;
        }
        transactionTables.find(name).map(PinnedTable::table).filter(table -> !table.schema().primaryKeys().isEmpty()).ifPresent(table -> {
            table.checkWritable();
            RowChangeRules.deleteRefusal(table.name(), table.schema(), table.options()).ifPresent(reason -> {
                throw new TrinoException(NOT_SUPPORTED, reason);
            });
        });
    }

    LookupWriteHandle beginCreateTable(ConnectorTableMetadata metadata, RetryMode retryMode, boolean replace)
    {
        checkNoRetries(retryMode);
        Optional<LookupTableHandle> replaced = replace ? replaced(metadata) : Optional.empty();
        if (replaced.isPresent()) {
            LookupTableHandle handle = replaced.get();
            return new LookupWriteHandle(handle.schemaName(), handle.tableName(), handle.schemaJson(), handle.snapshotId(), WriteMode.UPSERT, true);
        }
        if (!tables.writableCatalog().schemaExists(metadata.getTable().getSchemaName())) {
            throw new SchemaNotFoundException(metadata.getTable().getSchemaName());
        }
        TableSchema schema = NewTable.schema(metadata, System.currentTimeMillis());
        SchemaValidation.checkNew(schema);
        return new LookupWriteHandle(
                metadata.getTable().getSchemaName(),
                metadata.getTable().getTableName(),
                TableSchemas.toJson(schema),
                OptionalLong.empty(),
                WriteMode.UPSERT,
                false);
    }

    void finishCreateTable(ConnectorSession session, LookupWriteHandle handle, Collection<Slice> fragments)
    {
        List<CommitMessage> messages = messages(fragments);
        if (handle.overwrite()) {
            replaceRows(session, handle, messages);
            return;
        }
        TableSchema schema = TableSchemas.fromJson(handle.schemaJson());
        SchemaTableName name = new SchemaTableName(handle.schemaName(), handle.tableName());
        if (messages.isEmpty()) {
            tables.writableCatalog().createTable(name.getSchemaName(), name.getTableName(), TableDefinition.of(schema));
            return;
        }
        UnfilledTable created;
        try {
            created = tables.writableCatalog().createUnfilledTable(name.getSchemaName(), name.getTableName(), TableDefinition.of(schema));
        }
        catch (StorageException e) {
            discard(table(session, handle), messages);
            throw e;
        }
        LookupWriteHandle unfilled = handle.withSchema(TableSchemas.toJson(created.schema()));
        boolean filled = false;
        try {
            verify(created.schema().fields().equals(schema.fields()), "Table was created with other columns than its files were written with");
            commit(session, unfilled, messages, false);
            filled = true;
        }
        finally {
            boolean success = filled;
            // a cancelled query must not leave its table behind
            UninterruptibleCall.call("lookup-table-filling", () -> {
                endFilling(table(session, unfilled), created.filling(), success, messages);
                return true;
            });
        }
    }

    /**
     * CREATE OR REPLACE TABLE: an existing table of the same definition loses its rows.
     */
    void replaceTable(ConnectorSession session, ConnectorTableMetadata metadata)
    {
        Optional<LookupTableHandle> replaced = replaced(metadata);
        if (replaced.isPresent()) {
            truncate(session, replaced.get());
            return;
        }
        new SchemaOperations(tables, transactionTables).createTable(metadata, SaveMode.FAIL);
    }

    /**
     * The table that a CREATE OR REPLACE finds.
     *
     * @throws TrinoException NOT_SUPPORTED if it is another one than it would become: columns and rows live in files of their own, so
     * that readers would meet rows of the one under columns of the other
     */
    private Optional<LookupTableHandle> replaced(ConnectorTableMetadata metadata)
    {
        SchemaTableName name = metadata.getTable();
        NewTable.checkTableName(name);
        Optional<PinnedTable> found = transactionTables.find(name);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        TableSchema existing = found.get().table().schema();
        TableSchema wanted = NewTable.schema(metadata, System.currentTimeMillis());
        SchemaValidation.checkNew(wanted);
        NewTable.difference(existing, wanted).ifPresent(difference -> {
            throw new TrinoException(NOT_SUPPORTED, format("Table %s cannot be replaced in one step, since %s: a table is only replaced by one of the same definition. Change it by ALTER TABLE, or DROP and CREATE it", name, difference));
        });
        found.get().table().checkWritable();
        return Optional.of(new LookupTableHandle(name.getSchemaName(), name.getTableName(), TableKind.DATA, TableSchemas.toJson(existing), found.get().latestId(), false));
    }

    private void replaceRows(ConnectorSession session, LookupWriteHandle handle, List<CommitMessage> written)
    {
        StorageTable table = table(session, handle);
        overwrite(session, handle, written, table.newOverwrite(handle.baseSnapshotId()), OverwriteScope.wholeTable());
    }

    private static void endFilling(StorageTable table, TableFilling filling, boolean filled, List<CommitMessage> messages)
    {
        try {
            if (filled) {
                filling.end();
            }
            else if (filling.abandon()) {
                // its own files only, since another statement may be making a table of this name
                discard(table, messages);
            }
        }
        catch (IOException | RuntimeException e) {
            log.warn(e, "What was left of the creation of table %s could not be removed", table.name());
        }
    }

    void finishInsert(ConnectorSession session, LookupWriteHandle handle, Collection<Slice> fragments)
    {
        if (handle.overwrite()) {
            overwrite(session, handle, messages(fragments));
            return;
        }
        commit(session, handle, messages(fragments), false);
    }

    private void overwrite(ConnectorSession session, LookupWriteHandle handle, List<CommitMessage> written)
    {
        StorageTable table = table(session, handle);
        TableOverwrite overwrite = table.newOverwrite(handle.baseSnapshotId());
        Optional<OverwriteScope> scope = overwrite.scope(written);
        if (scope.isPresent()) {
            overwrite(session, handle, written, overwrite, scope.get());
        }
    }

    private void overwrite(ConnectorSession session, LookupWriteHandle handle, List<CommitMessage> written, TableOverwrite overwrite, OverwriteScope scope)
    {
        List<CommitMessage> retracted;
        try {
            retracted = overwrite.retractOthers(scope, written);
        }
        catch (RuntimeException e) {
            discard(table(session, handle), written);
            throw e;
        }
        commit(session, handle, ImmutableList.<CommitMessage>builder().addAll(written).addAll(retracted).build(), overwrite.dependsOnRows(), Optional.of(scope));
    }

    /**
     * Empties the table. Where its compactions log, all rows are read here, on the coordinator.
     */
    void truncate(ConnectorSession session, LookupTableHandle handle)
    {
        checkWritable(session, handle);
        LookupWriteHandle truncated = new LookupWriteHandle(handle.schemaName(), handle.tableName(), handle.schemaJson(), handle.snapshotId(), WriteMode.UPSERT, true);
        TableOverwrite overwrite = table(session, truncated).newOverwrite(handle.snapshotId());
        OverwriteScope scope = OverwriteScope.wholeTable();
        commit(session, truncated, overwrite.retractOthers(scope, ImmutableList.of()), overwrite.dependsOnRows(), Optional.of(scope));
    }

    /**
     * Whether a DELETE of a table without keys takes whole partitions away, which needs no row. Elsewhere rows are deleted one by one, since
     * the log would lack them.
     */
    boolean deletesPartitions(ConnectorSession session, LookupTableHandle handle)
    {
        TableSchema schema = TableSchemas.fromJson(handle.schemaJson());
        if (handle.kind().isSystemTable() || !schema.primaryKeys().isEmpty() || !handle.unenforced().isAll()) {
            return false;
        }
        checkWritable(session, handle);
        return true;
    }

    OptionalLong deletePartitions(ConnectorSession session, LookupTableHandle handle)
    {
        LookupWriteHandle deleted = new LookupWriteHandle(handle.schemaName(), handle.tableName(), handle.schemaJson(), handle.snapshotId(), WriteMode.ROW_CHANGES, true);
        TupleDomain<Integer> predicate = handle.enforced().transformKeys(LookupColumnHandle::fieldId);
        Optional<DeletedPartitions> partitions = table(session, deleted).newOverwrite(handle.snapshotId()).partitions(predicate);
        partitions.ifPresent(found -> commit(session, deleted, ImmutableList.of(), true, Optional.of(found.scope())));
        return OptionalLong.of(partitions.map(DeletedPartitions::rowCount).orElse(0L));
    }

    void finishMerge(ConnectorSession session, LookupWriteHandle handle, Collection<Slice> fragments)
    {
        commit(session, handle, messages(fragments), true);
    }

    private void commit(ConnectorSession session, LookupWriteHandle handle, List<CommitMessage> messages, boolean rowChanges)
    {
        commit(session, handle, messages, rowChanges, Optional.empty());
    }

    private void commit(ConnectorSession session, LookupWriteHandle handle, List<CommitMessage> messages, boolean rowChanges, Optional<OverwriteScope> overwritten)
    {
        if (messages.isEmpty() && overwritten.isEmpty()) {
            return;
        }
        StorageTable table = table(session, handle);
        try {
            tables.writableCatalog().checkWritable();
            CommitResult result = table.commit(new CommitRequest(
                    handle.baseSnapshotId(),
                    messages,
                    rowChanges,
                    SnapshotProperties.of(session),
                    SnapshotProperties.ofCompaction(session, messages, table.options()),
                    UUID.randomUUID().toString(),
                    overwritten,
                    SnapshotProperties.ofMaintenance(session)));
            log.debug("Query %s committed %s to table %s.%s", session.getQueryId(), result, handle.schemaName(), handle.tableName());
        }
        catch (StorageException e) {
            if (NOTHING_PUBLISHED.contains(e.errorCode())) {
                discard(table, messages);
            }
            throw e;
        }
        finally {
            transactionTables.forget(new SchemaTableName(handle.schemaName(), handle.tableName()));
        }
    }

    private StorageTable table(ConnectorSession session, LookupWriteHandle handle)
    {
        return tables.open(session.getQueryId(), new SchemaTableName(handle.schemaName(), handle.tableName()), handle.schemaJson());
    }

    static void discard(StorageTable table, List<CommitMessage> messages)
    {
        try {
            table.discard(messages);
        }
        catch (RuntimeException e) {
            log.warn(e, "Files of a failed statement could not be deleted from table %s", table.name());
        }
    }

    static List<CommitMessage> messages(Collection<Slice> fragments)
    {
        return fragments.stream()
                .map(Slice::getBytes)
                .map(CommitMessageCodec::fromBytes)
                .collect(toImmutableList());
    }

    private void checkWritable(ConnectorSession session, LookupTableHandle handle)
    {
        TableHandles.writable(handle);
        tables.open(session.getQueryId(), handle.baseTableName(), handle.schemaJson()).checkWritable();
    }

    static void checkNoRetries(RetryMode retryMode)
    {
        if (retryMode != RetryMode.NO_RETRIES) {
            throw new TrinoException(NOT_SUPPORTED, "This connector does not support query retries for statements that write: run SET SESSION retry_policy = 'NONE' before");
        }
    }
}
