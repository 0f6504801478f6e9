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
import io.lookup.storage.catalog.CatalogTable;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.catalog.TableCatalog;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.BranchManager;
import io.lookup.storage.table.StorageTable;
import io.lookup.storage.table.TableContext;
import io.trino.spi.connector.SchemaTableName;
import org.apache.hadoop.fs.Path;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * Opens the engine's tables on a node.
 */
public final class LookupTables
{
    private final TableContext context;
    private final TableCatalog catalog;
    // the parts of one query on one node share what they read of a table
    private final Cache<QueryTable, StorageTable> queryTables = Caffeine.newBuilder()
            .maximumSize(500)
            .expireAfterAccess(Duration.ofMinutes(10))
            .build();

    @Inject
    public LookupTables(TableContext context, TableCatalog catalog)
    {
        this.context = requireNonNull(context, "context is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    public TableCatalog catalog()
    {
        return catalog;
    }

    /**
     * To be asked by every statement that writes before anything else, so that all are refused alike.
     *
     * @throws StorageException UNSUPPORTED_FEATURE if the catalog's tables are written by others
     */
    public LookupCatalog writableCatalog()
    {
        if (catalog instanceof LookupCatalog writable) {
            return writable;
        }
        throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, "This catalog is read-only, since it has lookup.catalog.type=rest: schemas and tables of a REST catalog are changed by engines that commit through its server");
    }

    /**
     * The table as it is now.
     */
    public Optional<StorageTable> find(SchemaTableName name)
    {
        TableBranch table = TableBranch.parse(name.getTableName());
        Optional<CatalogTable> found = catalog.find(name.getSchemaName(), table.tableName(), table.branch());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Path historyRoot = historyRoot(found.get().location(), table);
        Optional<TableSchema> schema = found.get().schema();
        return schema.isPresent() ?
                Optional.of(StorageTable.ofSchema(context, name.toString(), historyRoot, schema.get(), found.get().latestSnapshotId())) :
                StorageTable.open(context, name.toString(), historyRoot);
    }

    /**
     * The text of a table's schema by which {@link #open} finds the table on every node.
     */
    public String toHandle(StorageTable table, TableSchema schema)
    {
        return TableSchemas.toJson(catalog.located(schema, table.location()));
    }

    /**
     * The table as a handle describes it, which need not exist yet.
     */
    public StorageTable open(String queryId, SchemaTableName name, String schemaJson)
    {
        TableBranch table = TableBranch.parse(name.getTableName());
        return queryTables.get(new QueryTable(queryId, name, schemaJson), _ -> {
            TableSchema schema = TableSchemas.fromJson(schemaJson);
            Path historyRoot = historyRoot(catalog.location(name.getSchemaName(), table.tableName(), schema), table);
            return StorageTable.ofSchema(context, name.toString(), historyRoot, schema, OptionalLong.empty());
        });
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
