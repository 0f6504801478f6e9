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
import io.lookup.storage.schema.DataField;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.StorageErrors;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.TableKind;
import io.lookup.trino.metadata.TableColumns;
import io.lookup.trino.state.StateTables;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.function.table.AbstractConnectorTableFunction;
import io.trino.spi.function.table.Argument;
import io.trino.spi.function.table.Descriptor;
import io.trino.spi.function.table.TableFunctionAnalysis;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.spi.function.table.ReturnTypeSpecification.GenericTable.GENERIC_TABLE;
import static java.util.Objects.requireNonNull;

/**
 * {@code verify_changelog}: replays all retained changes of a table against its states, and returns a row for each contradiction.
 */
public final class VerifyChangelogFunction
        extends AbstractConnectorTableFunction
{
    private static final String NAME = "verify_changelog";

    private final LookupTables tables;

    @Inject
    public VerifyChangelogFunction(LookupTables tables)
    {
        super(TableChangesArguments.FUNCTION_SCHEMA, NAME, TableChangesArguments.TABLE_SPECIFICATIONS, GENERIC_TABLE);
        this.tables = requireNonNull(tables, "tables is null");
    }

    @Override
    public TableFunctionAnalysis analyze(ConnectorSession session, ConnectorTransactionHandle transaction, Map<String, Argument> arguments, ConnectorAccessControl accessControl)
    {
        return StorageErrors.translating(() -> analyze(TableChangesArguments.table(arguments), accessControl));
    }

    private TableFunctionAnalysis analyze(SchemaTableName name, ConnectorAccessControl accessControl)
    {
        StorageTable table = tables.find(name).orElseThrow(() -> new TableNotFoundException(name));
        // a contradiction shows whole rows
        accessControl.checkCanSelectFromColumns(null, name, table.schema().fields().stream().map(DataField::name).collect(toImmutableSet()));
        // refuses a table whose changelog says too little
        table.verificationPlanner();
        LookupTableHandle handle = new LookupTableHandle(
                name.getSchemaName(),
                name.getTableName(),
                TableKind.CONTRADICTIONS,
                tables.toHandle(table, table.schema()),
                table.snapshots().latestId(),
                false);
        List<LookupColumnHandle> columns = StateTables.columns(TableKind.CONTRADICTIONS).stream()
                .map(TableColumns.Column::handle)
                .collect(toImmutableList());
        return TableFunctionAnalysis.builder()
                .returnedType(new Descriptor(columns.stream()
                        .map(column -> new Descriptor.Field(column.name(), Optional.of(column.type())))
                        .collect(toImmutableList())))
                .handle(new FunctionScanHandle(handle, columns))
                .build();
    }
}
