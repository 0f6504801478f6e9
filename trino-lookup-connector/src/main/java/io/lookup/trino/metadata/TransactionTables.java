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

import io.lookup.storage.table.StorageTable;
import io.lookup.trino.engine.LookupTables;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

import static java.util.Objects.requireNonNull;

/**
 * The tables of one transaction, each at the one snapshot that the transaction first saw.
 */
final class TransactionTables
{
    private final LookupTables tables;
    private final TableColumns columns;
    private final Map<SchemaTableName, Optional<PinnedTable>> pinned = new ConcurrentHashMap<>();

    TransactionTables(LookupTables tables, TableColumns columns)
    {
        this.tables = requireNonNull(tables, "tables is null");
        this.columns = requireNonNull(columns, "columns is null");
    }

    /**
     * @param latestId newest snapshot when the transaction first saw the table; empty if it had none. It is not read
     * here: whoever drops the table, or reads an older version, needs no newest snapshot that can be read.
     */
    record PinnedTable(StorageTable table, OptionalLong latestId)
    {
        PinnedTable
        {
            requireNonNull(table, "table is null");
            requireNonNull(latestId, "latestId is null");
        }
    }

    TableColumns columns()
    {
        return columns;
    }

    Optional<PinnedTable> find(SchemaTableName name)
    {
        return pinned.computeIfAbsent(name, _ -> tables.find(name)
                .map(table -> new PinnedTable(table, table.snapshots().latestId())));
    }

    PinnedTable get(SchemaTableName name)
    {
        return find(name).orElseThrow(() -> new TableNotFoundException(name));
    }

    /**
     * Called after the transaction itself changed a table.
     */
    void forget(SchemaTableName name)
    {
        pinned.remove(name);
    }
}
