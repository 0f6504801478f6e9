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
package io.lookup.trino.write;

import com.google.inject.Inject;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.table.BucketRows;
import io.lookup.storage.table.StorageTable;
import io.lookup.storage.write.StatementWriter;
import io.lookup.storage.write.TableWriter;
import io.lookup.trino.StorageErrors;
import io.lookup.trino.compaction.BackgroundCompactions;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.LookupMergeHandle;
import io.lookup.trino.handle.LookupWriteHandle;
import io.lookup.trino.handle.OptimizeHandle;
import io.lookup.trino.metadata.RowChangeRules;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPageSink;
import io.trino.spi.connector.ConnectorPageSinkId;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;

import java.util.Optional;
import java.util.concurrent.Executor;

import static java.util.Objects.requireNonNull;

/**
 * Makes the sinks of a node.
 */
public final class LookupPageSinkProvider
        implements TrinoPageSinkProvider
{
    private final LookupTables tables;
    private final BackgroundCompactions backgroundCompactions;
    private final Executor executor;

    @Inject
    public LookupPageSinkProvider(LookupTables tables, BackgroundCompactions backgroundCompactions, @ForWriting Executor executor)
    {
        this.tables = requireNonNull(tables, "tables is null");
        this.backgroundCompactions = requireNonNull(backgroundCompactions, "backgroundCompactions is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    @Override
    public ConnectorPageSink createPageSink(ConnectorTransactionHandle transactionHandle, ConnectorSession session, ConnectorOutputTableHandle outputTableHandle, ConnectorPageSinkId pageSinkId)
    {
        return pageSink(session, (LookupWriteHandle) outputTableHandle);
    }

    @Override
    public ConnectorPageSink createPageSink(ConnectorTransactionHandle transactionHandle, ConnectorSession session, ConnectorInsertTableHandle insertTableHandle, ConnectorPageSinkId pageSinkId)
    {
        return pageSink(session, (LookupWriteHandle) insertTableHandle);
    }

    @Override
    public ConnectorPageSink createPageSink(ConnectorTransactionHandle transactionHandle, ConnectorSession session, ConnectorTableExecuteHandle tableExecuteHandle, ConnectorPageSinkId pageSinkId)
    {
        OptimizeHandle handle = (OptimizeHandle) tableExecuteHandle;
        return StorageErrors.translating(() -> {
            StorageTable table = tables.open(session.getQueryId(), handle.schemaTableName(), handle.schemaJson());
            return new CompactingPageSink(table.newCompactor(handle.baseSnapshotId()), new BucketRows(table.schema(), table.options().bucket()), executor);
        });
    }

    @Override
    public ConnectorMergeSink createMergeSink(ConnectorTransactionHandle transactionHandle, ConnectorSession session, ConnectorMergeTableHandle mergeHandle, ConnectorPageSinkId pageSinkId)
    {
        LookupMergeHandle merge = (LookupMergeHandle) mergeHandle;
        LookupWriteHandle handle = merge.writeHandle();
        return StorageErrors.translating(() -> {
            StorageTable table = table(session, handle);
            // where rows replace each other a delete can be the old half of an update: the writer sees what is left of it
            Optional<String> deleteRefusal = table.options().mergeEngine() == MergeEngine.DEDUPLICATE ? Optional.empty() : RowChangeRules.deleteRefusal(table.name(), table.schema(), table.options());
            TableWriter writer = table.newWriter(handle.baseSnapshotId(), handle.mode(), merge.updatedColumns());
            return new LookupMergeSink(
                    sinkWriter(session, table, handle, writer),
                    writer.defaultValues(),
                    table.schema().fields().size(),
                    table.options().mergeEngine() == MergeEngine.PARTIAL_UPDATE,
                    deleteRefusal);
        });
    }

    private ConnectorPageSink pageSink(ConnectorSession session, LookupWriteHandle handle)
    {
        return StorageErrors.translating(() -> {
            StorageTable table = table(session, handle);
            return new LookupPageSink(sinkWriter(session, table, handle, insertWriter(table, handle)));
        });
    }

    private static StatementWriter insertWriter(StorageTable table, LookupWriteHandle handle)
    {
        if (table.schema().primaryKeys().isEmpty()) {
            return table.newAppendWriter(handle.baseSnapshotId(), handle.overwrite());
        }
        return handle.overwrite() ? table.newOverwritingWriter(handle.baseSnapshotId()) : table.newWriter(handle.baseSnapshotId(), handle.mode());
    }

    private SinkWriter sinkWriter(ConnectorSession session, StorageTable table, LookupWriteHandle handle, StatementWriter writer)
    {
        SchemaTableName name = new SchemaTableName(handle.schemaName(), handle.tableName());
        return new SinkWriter(
                writer,
                executor,
                messages -> backgroundCompactions.expect(session, name, table, handle.baseSnapshotId(), messages),
                () -> backgroundCompactions.forget(session, name));
    }

    private StorageTable table(ConnectorSession session, LookupWriteHandle handle)
    {
        return tables.open(session.getQueryId(), new SchemaTableName(handle.schemaName(), handle.tableName()), handle.schemaJson());
    }
}
