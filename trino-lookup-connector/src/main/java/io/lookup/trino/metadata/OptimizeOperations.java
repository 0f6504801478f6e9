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

import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.changes.SnapshotProperties;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.engine.TableSchemas;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.OptimizeHandle;
import io.lookup.trino.procedure.OptimizeTableProcedure;
import io.trino.plugin.base.filter.UtcConstraintExtractor;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.BeginTableExecuteResult;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.expression.Constant;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import static com.google.common.base.Preconditions.checkArgument;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TRANSACTION_CONFLICT;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * {@code ALTER TABLE … EXECUTE optimize} on the coordinator: what may be compacted, and its publication.
 */
final class OptimizeOperations
{
    private static final Logger log = Logger.get(OptimizeOperations.class);

    private final LookupTables tables;
    private final TransactionTables transactionTables;
    // tables that the transaction is about to optimize, with whether a part of WHERE is left that no domain says
    private final Map<SchemaTableName, Boolean> planned = new ConcurrentHashMap<>();

    OptimizeOperations(LookupTables tables, TransactionTables transactionTables)
    {
        this.tables = requireNonNull(tables, "tables is null");
        this.transactionTables = requireNonNull(transactionTables, "transactionTables is null");
    }

    OptimizeHandle plan(ConnectorSession session, LookupTableHandle handle, String procedureName, RetryMode retryMode)
    {
        checkArgument(procedureName.equals(OptimizeTableProcedure.NAME), "Unknown procedure %s", procedureName);
        WriteOperations.checkNoRetries(retryMode);
        TableHandles.writable(handle);
        StorageTable table = tables.open(session.getQueryId(), handle.baseTableName(), handle.schemaJson());
        if (table.schema().primaryKeys().isEmpty() && table.options().bucket() > 0) {
            throw new TrinoException(NOT_SUPPORTED, format("Table %s cannot be optimized: it has buckets and no primary key", handle.relationName()));
        }
        table.checkWritable();
        planned.put(handle.baseTableName(), false);
        return new OptimizeHandle(handle.schemaName(), handle.tableName(), handle.schemaJson(), handle.snapshotId());
    }

    /**
     * Looks at each filter that the engine offers: what stays of the last one would be a filter in the plan.
     */
    void onFilter(LookupTableHandle handle, Constraint constraint)
    {
        planned.computeIfPresent(handle.baseTableName(), (_, _) -> !UtcConstraintExtractor.extractTupleDomain(constraint).remainingExpression().equals(Constant.TRUE));
    }

    static Optional<ConnectorTableLayout> layout(OptimizeHandle handle)
    {
        return WriteLayouts.insertLayout(handle.schemaTableName(), TableSchemas.fromJson(handle.schemaJson()));
    }

    /**
     * EXPLAIN comes here too.
     */
    BeginTableExecuteResult<ConnectorTableExecuteHandle, ConnectorTableHandle> begin(OptimizeHandle handle, LookupTableHandle source)
    {
        boolean expressionLeft = Boolean.TRUE.equals(planned.remove(handle.schemaTableName()));
        if (expressionLeft || !source.unenforced().isAll()) {
            List<String> partitionKeys = TableSchemas.fromJson(handle.schemaJson()).partitionKeys();
            throw new TrinoException(NOT_SUPPORTED, partitionKeys.isEmpty() ?
                    format("Table %s is not partitioned: WHERE is not supported with optimize", handle.schemaTableName()) :
                    format("WHERE of optimize must choose partitions of table %s, by comparing the columns %s with constants", handle.schemaTableName(), partitionKeys));
        }
        return new BeginTableExecuteResult<>(handle, source.withOneRowPerBucket());
    }

    /**
     * Publishes the COMPACT snapshot. A bucket that others changed meanwhile is left out: what was read there is outdated.
     */
    void finish(ConnectorSession session, OptimizeHandle handle, Collection<Slice> fragments)
    {
        List<CommitMessage> messages = WriteOperations.messages(fragments);
        if (messages.isEmpty()) {
            return;
        }
        StorageTable table = tables.open(session.getQueryId(), handle.schemaTableName(), handle.schemaJson());
        CommitResult result;
        try {
            tables.writableCatalog().checkWritable();
            result = table.commit(new CommitRequest(
                    handle.baseSnapshotId(),
                    messages,
                    false,
                    SnapshotProperties.of(session),
                    SnapshotProperties.ofMaintenance(session),
                    UUID.randomUUID().toString(),
                    Optional.empty()));
        }
        catch (StorageException e) {
            if (WriteOperations.NOTHING_PUBLISHED.contains(e.errorCode())) {
                WriteOperations.discard(table, messages);
            }
            throw e;
        }
        finally {
            transactionTables.forget(handle.schemaTableName());
        }
        if (result.compactSnapshotId().isEmpty()) {
            throw new TrinoException(TRANSACTION_CONFLICT, format("Table %s: other statements changed every bucket that was compacted; nothing was committed, run the statement again", handle.schemaTableName()));
        }
        if (result.compactionDropped()) {
            log.warn("Query %s: buckets of table %s that other statements changed meanwhile were left as they are; optimize again compacts them", session.getQueryId(), handle.schemaTableName());
        }
        log.debug("Query %s optimized table %s: %s", session.getQueryId(), handle.schemaTableName(), result);
    }
}
