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

import io.airlift.slice.Slice;
import io.lookup.storage.schema.TableSchema;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.engine.TableSchemas;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupMergeHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.LookupWriteHandle;
import io.lookup.trino.handle.MaintenanceHandle;
import io.lookup.trino.handle.OptimizeHandle;
import io.lookup.trino.procedure.MaintenanceCalls;
import io.lookup.trino.procedure.OptimizeTableProcedure;
import io.trino.spi.connector.BeginTableExecuteResult;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorAnalyzeMetadata;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorOutputMetadata;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.RelationCommentMetadata;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.RowChangeParadigm;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.TrinoPrincipal;
import io.trino.spi.statistics.ComputedStatistics;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;

import static io.lookup.trino.StorageErrors.translating;
import static java.util.Objects.requireNonNull;

/**
 * What one transaction asks of the catalog. The work is done by role: {@link TableHandles}, {@link SchemaOperations},
 * {@link TableAlterations}, {@link PredicatePushDown}, {@link WriteLayouts}, {@link WriteOperations}; what else scans need stands above.
 */
public final class LookupMetadata
        extends AlterationMetadata
{
    private final LookupTables lookupTables;
    private final TransactionTables tables;
    private final TableHandles handles;
    private final SchemaOperations schemas;
    private final WriteOperations writes;
    private final OptimizeOperations optimize;
    private final StatisticsOperations statistics;

    public LookupMetadata(LookupTables lookupTables, TableColumns columns)
    {
        this(lookupTables, new TransactionTables(lookupTables, columns));
    }

    private LookupMetadata(LookupTables lookupTables, TransactionTables tables)
    {
        super(lookupTables, tables, new TableAlterations(lookupTables, tables));
        this.lookupTables = requireNonNull(lookupTables, "lookupTables is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.handles = new TableHandles(lookupTables, tables);
        this.schemas = new SchemaOperations(lookupTables, tables);
        this.writes = new WriteOperations(lookupTables, tables);
        this.optimize = new OptimizeOperations(lookupTables, tables);
        this.statistics = new StatisticsOperations(lookupTables, tables);
    }

    @Override
    public List<String> listSchemaNames(ConnectorSession session)
    {
        return translating(schemas::listSchemas);
    }

    @Override
    public void createSchema(ConnectorSession session, String schemaName, Map<String, Object> properties, TrinoPrincipal owner)
    {
        writing(() -> schemas.createSchema(schemaName, properties));
    }

    @Override
    public void dropSchema(ConnectorSession session, String schemaName, boolean cascade)
    {
        writing(() -> schemas.dropSchema(schemaName, cascade));
    }

    @Override
    public List<SchemaTableName> listTables(ConnectorSession session, Optional<String> schemaName)
    {
        return translating(() -> schemas.listTables(schemaName));
    }

    @Override
    public Iterator<RelationColumnsMetadata> streamRelationColumns(ConnectorSession session, Optional<String> schemaName, UnaryOperator<Set<SchemaTableName>> relationFilter)
    {
        return translating(() -> schemas.streamColumns(schemaName, relationFilter));
    }

    @Override
    public Iterator<RelationCommentMetadata> streamRelationComments(ConnectorSession session, Optional<String> schemaName, UnaryOperator<Set<SchemaTableName>> relationFilter)
    {
        return translating(() -> schemas.streamComments(schemaName, relationFilter));
    }

    @Override
    public ConnectorTableHandle getTableHandle(ConnectorSession session, SchemaTableName tableName, Optional<ConnectorTableVersion> startVersion, Optional<ConnectorTableVersion> endVersion)
    {
        return translating(() -> handles.find(session, tableName, startVersion, endVersion));
    }

    @Override
    public ConnectorTableMetadata getTableMetadata(ConnectorSession session, ConnectorTableHandle table)
    {
        return translating(() -> handles.metadata((LookupTableHandle) table));
    }

    @Override
    public SchemaTableName getTableName(ConnectorSession session, ConnectorTableHandle table)
    {
        return ((LookupTableHandle) table).relationName();
    }

    @Override
    public Map<String, ColumnHandle> getColumnHandles(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        LookupTableHandle handle = (LookupTableHandle) tableHandle;
        return translating(() -> tables.columns().columnHandles(handle.kind(), schema(handle)));
    }

    @Override
    public ColumnMetadata getColumnMetadata(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle columnHandle)
    {
        LookupTableHandle handle = (LookupTableHandle) tableHandle;
        return translating(() -> tables.columns().columns(handle.kind(), schema(handle)).stream()
                .filter(column -> column.handle().equals(columnHandle)).findFirst()
                .map(TableColumns.Column::metadata)
                // the columns of a table function and the row id are no columns of the table
                .orElseGet(() -> new ColumnMetadata(((LookupColumnHandle) columnHandle).name(), ((LookupColumnHandle) columnHandle).type())));
    }

    @Override
    public ConnectorAnalyzeMetadata getStatisticsCollectionMetadata(ConnectorSession session, ConnectorTableHandle tableHandle, Map<String, Object> analyzeProperties)
    {
        LookupTableHandle handle = (LookupTableHandle) tableHandle;
        return writing(() -> new ConnectorAnalyzeMetadata(handle, statistics.plan(session, handle, analyzeProperties)));
    }

    @Override
    public ConnectorTableHandle beginStatisticsCollection(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        return tableHandle;
    }

    @Override
    public void finishStatisticsCollection(ConnectorSession session, ConnectorTableHandle tableHandle, Collection<ComputedStatistics> computedStatistics)
    {
        translating(() -> statistics.finish(session, (LookupTableHandle) tableHandle, computedStatistics));
    }

    @Override
    public void createTable(ConnectorSession session, ConnectorTableMetadata tableMetadata, SaveMode saveMode)
    {
        if (saveMode == SaveMode.REPLACE) {
            writing(() -> writes.replaceTable(session, tableMetadata));
            return;
        }
        writing(() -> schemas.createTable(tableMetadata, saveMode));
    }

    @Override
    public void dropTable(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        writing(() -> schemas.dropTable((LookupTableHandle) tableHandle));
    }

    @Override
    public void renameTable(ConnectorSession session, ConnectorTableHandle tableHandle, SchemaTableName newTableName)
    {
        writing(() -> schemas.renameTable((LookupTableHandle) tableHandle, newTableName));
    }

    @Override
    public Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(ConnectorSession session, ConnectorTableHandle handle, Constraint constraint)
    {
        LookupTableHandle table = (LookupTableHandle) handle;
        optimize.onFilter(table, constraint);
        return translating(() -> PredicatePushDown.apply(table, schema(table), constraint).map(result -> result.transform(ConnectorTableHandle.class::cast)));
    }

    @Override
    public Optional<ConnectorTableLayout> getNewTableLayout(ConnectorSession session, ConnectorTableMetadata tableMetadata)
    {
        return writing(() -> NewTable.layout(tableMetadata));
    }

    @Override
    public Optional<ConnectorTableLayout> getInsertLayout(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        LookupTableHandle handle = (LookupTableHandle) tableHandle;
        // asked before the statement is begun, which is where it is refused
        return handle.kind().isSystemTable() ? Optional.empty() : writing(() -> WriteLayouts.insertLayout(handle.baseTableName(), schema(handle)));
    }

    @Override
    public Optional<ConnectorPartitioningHandle> getUpdateLayout(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        LookupTableHandle handle = (LookupTableHandle) tableHandle;
        return handle.kind().isSystemTable() ? Optional.empty() : writing(() -> WriteLayouts.updateLayout(handle.baseTableName(), schema(handle)));
    }

    @Override
    public ConnectorOutputTableHandle beginCreateTable(ConnectorSession session, ConnectorTableMetadata tableMetadata, Optional<ConnectorTableLayout> layout, RetryMode retryMode, boolean replace)
    {
        return writing(() -> writes.beginCreateTable(tableMetadata, retryMode, replace));
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishCreateTable(ConnectorSession session, ConnectorOutputTableHandle tableHandle, Collection<Slice> fragments, Collection<ComputedStatistics> computedStatistics)
    {
        translating(() -> writes.finishCreateTable(session, (LookupWriteHandle) tableHandle, fragments));
        return Optional.empty();
    }

    @Override
    public ConnectorInsertTableHandle beginInsert(ConnectorSession session, ConnectorTableHandle tableHandle, List<ColumnHandle> columns, RetryMode retryMode)
    {
        return writing(() -> writes.beginInsert(session, (LookupTableHandle) tableHandle, retryMode));
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishInsert(ConnectorSession session, ConnectorInsertTableHandle insertHandle, List<ConnectorTableHandle> sourceTableHandles, Collection<Slice> fragments, Collection<ComputedStatistics> computedStatistics)
    {
        translating(() -> writes.finishInsert(session, (LookupWriteHandle) insertHandle, fragments));
        return Optional.empty();
    }

    @Override
    public RowChangeParadigm getRowChangeParadigm(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        return RowChangeParadigm.DELETE_ROW_AND_INSERT_ROW;
    }

    @Override
    public ColumnHandle getMergeRowIdColumnHandle(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        return writing(() -> tables.columns().rowIdColumn(schema((LookupTableHandle) tableHandle)));
    }

    /**
     * Asked while a DELETE, or a MERGE with a branch that deletes, is analyzed: what begins it is not told of its branches.
     */
    public void checkDelete(SchemaTableName tableName)
    {
        writing(() -> writes.checkDelete(tableName));
    }

    @Override
    public void truncateTable(ConnectorSession session, ConnectorTableHandle tableHandle)
    {
        writing(() -> writes.truncate(session, (LookupTableHandle) tableHandle));
    }

    @Override
    public Optional<ConnectorTableHandle> applyDelete(ConnectorSession session, ConnectorTableHandle handle)
    {
        return writing(() -> writes.deletesPartitions(session, (LookupTableHandle) handle)) ? Optional.of(handle) : Optional.empty();
    }

    @Override
    public OptionalLong executeDelete(ConnectorSession session, ConnectorTableHandle handle)
    {
        return translating(() -> writes.deletePartitions(session, (LookupTableHandle) handle));
    }

    @Override
    public ConnectorMergeTableHandle beginMerge(ConnectorSession session, ConnectorTableHandle tableHandle, Map<Integer, Collection<ColumnHandle>> updateCaseColumns, RetryMode retryMode)
    {
        return writing(() -> writes.beginMerge(session, (LookupTableHandle) tableHandle, updateCaseColumns, retryMode));
    }

    @Override
    public void finishMerge(ConnectorSession session, ConnectorMergeTableHandle mergeTableHandle, List<ConnectorTableHandle> sourceTableHandles, Collection<Slice> fragments, Collection<ComputedStatistics> computedStatistics)
    {
        translating(() -> writes.finishMerge(session, ((LookupMergeHandle) mergeTableHandle).writeHandle(), fragments));
    }

    @Override
    public Optional<ConnectorTableExecuteHandle> getTableHandleForExecute(
            ConnectorSession session,
            ConnectorAccessControl accessControl,
            ConnectorTableHandle tableHandle,
            String procedureName,
            Map<String, Object> executeProperties,
            RetryMode retryMode)
    {
        LookupTableHandle handle = (LookupTableHandle) tableHandle;
        return Optional.of(writing(() -> procedureName.equals(OptimizeTableProcedure.NAME) ?
                optimize.plan(session, handle, procedureName, retryMode) :
                MaintenanceCalls.check(session, TableHandles.writable(handle).baseTableName(), MaintenanceHandle.Procedure.valueOf(procedureName), executeProperties)));
    }

    @Override
    public void executeProcedure(ConnectorSession session, ConnectorTableExecuteHandle tableExecuteHandle)
    {
        translating(() -> MaintenanceCalls.run(session, lookupTables, (MaintenanceHandle) tableExecuteHandle));
        tables.forget(((MaintenanceHandle) tableExecuteHandle).schemaTableName());
    }

    @Override
    public Optional<ConnectorTableLayout> getLayoutForTableExecute(ConnectorSession session, ConnectorTableExecuteHandle tableExecuteHandle)
    {
        return translating(() -> OptimizeOperations.layout((OptimizeHandle) tableExecuteHandle));
    }

    @Override
    public BeginTableExecuteResult<ConnectorTableExecuteHandle, ConnectorTableHandle> beginTableExecute(ConnectorSession session, ConnectorTableExecuteHandle tableExecuteHandle, ConnectorTableHandle updatedSourceTableHandle)
    {
        return translating(() -> optimize.begin((OptimizeHandle) tableExecuteHandle, (LookupTableHandle) updatedSourceTableHandle));
    }

    @Override
    public void finishProcedure(ConnectorSession session, ConnectorTableExecuteHandle tableExecuteHandle, Collection<Slice> fragments)
    {
        translating(() -> optimize.finish(session, (OptimizeHandle) tableExecuteHandle, fragments));
    }

    private static TableSchema schema(LookupTableHandle handle)
    {
        return TableSchemas.fromJson(handle.schemaJson());
    }
}
