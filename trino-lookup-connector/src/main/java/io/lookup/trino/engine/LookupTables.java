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
package io.lookup.trino.engine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.inject.Inject;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.snapshot.BranchManager;
import io.lookup.storage.table.StorageTable;
import io.lookup.storage.table.TableContext;
import io.trino.spi.connector.SchemaTableName;
import org.apache.hadoop.fs.Path;

import java.time.Duration;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Opens the engine's tables on a node.
 */
public final class LookupTables
{
    private final TableContext context;
    private final LookupCatalog catalog;
    // the parts of one query on one node share what they read of a table
    private final Cache<QueryTable, StorageTable> queryTables = Caffeine.newBuilder()
            .maximumSize(500)
            .expireAfterAccess(Duration.ofMinutes(10))
            .build();

    @Inject
    public LookupTables(TableContext context, LookupCatalog catalog)
    {
        this.context = requireNonNull(context, "context is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    public LookupCatalog catalog()
    {
        return catalog;
    }

    /**
     * The table as it is now.
     */
    public Optional<StorageTable> find(SchemaTableName name)
    {
        TableBranch table = TableBranch.parse(name.getTableName());
        Path location;
        try {
            location = catalog.tablePath(name.getSchemaName(), table.tableName());
        }
        catch (StorageException e) {
            if (e.errorCode() == StorageErrorCode.INVALID_SCHEMA) {
                // no table can have such a name
                return Optional.empty();
            }
            throw e;
        }
        return StorageTable.open(context, name.toString(), historyRoot(location, table));
    }

    /**
     * The table as a handle describes it, which need not exist yet.
     */
    public StorageTable open(String queryId, SchemaTableName name, String schemaJson)
    {
        TableBranch table = TableBranch.parse(name.getTableName());
        return queryTables.get(new QueryTable(queryId, name, schemaJson), _ -> StorageTable.ofSchema(
                context,
                name.toString(),
                historyRoot(catalog.tablePath(name.getSchemaName(), table.tableName()), table),
                TableSchemas.fromJson(schemaJson)));
    }

    private static Path historyRoot(Path location, TableBranch table)
    {
        return table.branch().map(branch -> BranchManager.directory(location, branch)).orElse(location);
    }

    private record QueryTable(String queryId, SchemaTableName name, String schemaJson)
    {
        private QueryTable
        {
            requireNonNull(queryId, "queryId is null");
            requireNonNull(name, "name is null");
            requireNonNull(schemaJson, "schemaJson is null");
        }
    }
}
