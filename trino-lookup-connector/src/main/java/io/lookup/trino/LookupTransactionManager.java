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

import com.google.inject.Inject;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.metadata.LookupMetadata;
import io.lookup.trino.metadata.TableColumns;
import io.trino.spi.connector.ConnectorTransactionHandle;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

/**
 * The metadata of each transaction, which sees each table at one snapshot.
 */
public final class LookupTransactionManager
{
    private final LookupTables tables;
    private final TableColumns columns;
    private final Map<ConnectorTransactionHandle, LookupMetadata> transactions = new ConcurrentHashMap<>();

    @Inject
    public LookupTransactionManager(LookupTables tables, TableColumns columns)
    {
        this.tables = requireNonNull(tables, "tables is null");
        this.columns = requireNonNull(columns, "columns is null");
    }

    LookupTransactionHandle begin()
    {
        LookupTransactionHandle transaction = LookupTransactionHandle.create();
        transactions.put(transaction, new LookupMetadata(tables, columns));
        return transaction;
    }

    LookupMetadata get(ConnectorTransactionHandle transaction)
    {
        LookupMetadata metadata = transactions.get(transaction);
        checkState(metadata != null, "no such transaction: %s", transaction);
        return metadata;
    }

    void end(ConnectorTransactionHandle transaction)
    {
        transactions.remove(transaction);
    }
}
