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

import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import static io.lookup.trino.StorageErrors.translating;
import static java.util.Objects.requireNonNull;

/**
 * The statements that change what a table is: its columns, properties and comments.
 */
abstract class AlterationMetadata
        extends ScanMetadata
{
    private final LookupTables lookupTables;
    private final TableAlterations alterations;

    AlterationMetadata(LookupTables lookupTables, TransactionTables tables, TableAlterations alterations)
    {
        super(tables);
        this.lookupTables = requireNonNull(lookupTables, "lookupTables is null");
        this.alterations = requireNonNull(alterations, "alterations is null");
    }

    /**
     * Of the first call of every statement that changes something, EXPLAIN included.
     */
    final <T> T writing(Supplier<T> action)
    {
        return translating(() -> {
            lookupTables.writableCatalog();
            return action.get();
        });
    }

    final void writing(Runnable action)
    {
        translating(() -> {
            lookupTables.writableCatalog();
            action.run();
        });
    }

    @Override
    public void setTableProperties(ConnectorSession session, ConnectorTableHandle tableHandle, Map<String, Optional<Object>> properties)
    {
        writing(() -> alterations.setProperties((LookupTableHandle) tableHandle, properties));
    }

    @Override
    public void addColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnMetadata column, ColumnPosition position)
    {
        writing(() -> alterations.addColumn((LookupTableHandle) tableHandle, column, position));
    }

    @Override
    public void dropColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column)
    {
        writing(() -> alterations.dropColumn((LookupTableHandle) tableHandle, (LookupColumnHandle) column));
    }

    @Override
    public void renameColumn(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle source, String target)
    {
        writing(() -> alterations.renameColumn((LookupTableHandle) tableHandle, (LookupColumnHandle) source, target));
    }

    @Override
    public void setColumnType(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, Type type)
    {
        writing(() -> alterations.setColumnType((LookupTableHandle) tableHandle, (LookupColumnHandle) column, type));
    }

    @Override
    public void dropNotNullConstraint(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column)
    {
        writing(() -> alterations.dropNotNull((LookupTableHandle) tableHandle, (LookupColumnHandle) column));
    }

    @Override
    public void addField(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> parentPath, String fieldName, Type type, boolean ignoreExisting)
    {
        writing(() -> alterations.addField((LookupTableHandle) tableHandle, parentPath, fieldName, type));
    }

    @Override
    public void dropField(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, List<String> fieldPath)
    {
        writing(() -> alterations.dropField((LookupTableHandle) tableHandle, (LookupColumnHandle) column, fieldPath));
    }

    @Override
    public void renameField(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> fieldPath, String target)
    {
        writing(() -> alterations.renameField((LookupTableHandle) tableHandle, fieldPath, target));
    }

    @Override
    public void setFieldType(ConnectorSession session, ConnectorTableHandle tableHandle, List<String> fieldPath, Type type)
    {
        writing(() -> alterations.setFieldType((LookupTableHandle) tableHandle, fieldPath, type));
    }

    @Override
    public void setTableComment(ConnectorSession session, ConnectorTableHandle tableHandle, Optional<String> comment)
    {
        writing(() -> alterations.setTableComment((LookupTableHandle) tableHandle, comment));
    }

    @Override
    public void setColumnComment(ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column, Optional<String> comment)
    {
        writing(() -> alterations.setColumnComment((LookupTableHandle) tableHandle, (LookupColumnHandle) column, comment));
    }
}
