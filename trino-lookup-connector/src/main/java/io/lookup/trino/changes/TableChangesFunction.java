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
package io.lookup.trino.changes;

import com.google.inject.Inject;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.StorageErrors;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.ChangeMode;
import io.lookup.trino.handle.ChangeRange;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.TableKind;
import io.lookup.trino.metadata.TableColumns;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.function.table.AbstractConnectorTableFunction;
import io.trino.spi.function.table.Argument;
import io.trino.spi.function.table.Descriptor;
import io.trino.spi.function.table.TableFunctionAnalysis;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.spi.StandardErrorCode.AMBIGUOUS_NAME;
import static io.trino.spi.function.table.ReturnTypeSpecification.GenericTable.GENERIC_TABLE;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * {@code table_changes}: the audit log of a range of snapshots, which must be retained, or the difference of two states.
 */
public final class TableChangesFunction
        extends AbstractConnectorTableFunction
{
    private static final String NAME = "table_changes";

    private final LookupTables tables;
    private final TableColumns tableColumns;

    @Inject
    public TableChangesFunction(LookupTables tables, TableColumns tableColumns)
    {
        super(TableChangesArguments.FUNCTION_SCHEMA, NAME, TableChangesArguments.SPECIFICATIONS, GENERIC_TABLE);
        this.tables = requireNonNull(tables, "tables is null");
        this.tableColumns = requireNonNull(tableColumns, "tableColumns is null");
    }

    @Override
    public TableFunctionAnalysis analyze(ConnectorSession session, ConnectorTransactionHandle transaction, Map<String, Argument> arguments, ConnectorAccessControl accessControl)
    {
        return StorageErrors.translating(() -> analyze(TableChangesArguments.parse(arguments), accessControl));
    }

    private TableFunctionAnalysis analyze(TableChangesArguments arguments, ConnectorAccessControl accessControl)
    {
        SchemaTableName name = arguments.table();
        StorageTable table = tables.find(name).orElseThrow(() -> new TableNotFoundException(name));
        if (arguments.mode() == ChangeMode.DIFF) {
            // refuses tables without a key
            table.differencePlanner();
        }
        List<LookupColumnHandle> columns = tableColumns.changeFunctionColumns(table.schema());
        checkNames(name, columns);
        accessControl.checkCanSelectFromColumns(null, name, columns.stream()
                .filter(column -> column.role() == ColumnRole.DATA)
                .map(LookupColumnHandle::name)
                .collect(toImmutableSet()));

        OptionalLong latest = table.snapshots().latestId();
        long earliest = table.snapshots().earliestChangelogId().orElse(Snapshot.FIRST_ID);
        ChangeRange range = new ChangeRanges(name, table.snapshots(), earliest, latest.orElse(Snapshot.FIRST_ID - 1)).resolve(arguments);
        LookupTableHandle handle = new LookupTableHandle(name.getSchemaName(), name.getTableName(), TableKind.AUDIT_LOG, tables.toHandle(table, table.schema()), latest, false)
                .withChanges(range);
        return TableFunctionAnalysis.builder()
                .returnedType(new Descriptor(columns.stream()
                        .map(column -> new Descriptor.Field(column.name(), Optional.of(column.type())))
                        .collect(toImmutableList())))
                .handle(new FunctionScanHandle(handle, columns))
                .build();
    }

    private static void checkNames(SchemaTableName table, List<LookupColumnHandle> columns)
    {
        Set<String> names = new HashSet<>();
        for (LookupColumnHandle column : columns) {
            if (!names.add(column.name())) {
                throw new TrinoException(AMBIGUOUS_NAME, format("Table %s has a column %s, which table_changes needs itself: read \"%s$audit_log\" instead", table, column.name(), table.getTableName()));
            }
        }
    }
}
