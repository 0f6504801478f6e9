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
package io.lookup.trino;

import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorSecurityContext;
import io.trino.spi.connector.SchemaTableName;

import static java.util.Objects.requireNonNull;

/**
 * Refuses, for everybody, deletes that a table's merge engine does not define. The engine tells a connector of a DELETE, and
 * of the branches of a MERGE, nowhere else before rows arrive. Who may do what is decided by the server's own access control,
 * which is asked first.
 */
final class RowChangeAccessControl
        extends TrinoAccessControl
{
    private final LookupTransactionManager transactionManager;

    RowChangeAccessControl(LookupTransactionManager transactionManager)
    {
        this.transactionManager = requireNonNull(transactionManager, "transactionManager is null");
    }

    @Override
    public void checkCanDeleteFromTable(ConnectorSecurityContext context, SchemaTableName tableName)
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(RowChangeAccessControl.class.getClassLoader())) {
            transactionManager.get(context.getTransactionHandle()).checkDelete(tableName);
        }
    }
}
