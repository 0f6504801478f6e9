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
package io.lookup.storage.catalog;

import io.lookup.storage.StorageException;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.fs.Path;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What those who read tables ask of a catalog: which there are, and where. Whoever writes needs a {@link LookupCatalog}, since
 * all other catalogs are written by others. Thread-safe.
 */
public interface TableCatalog
{
    /**
     * In alphabetical order, without names that no statement could write: statements have lower-case names.
     */
    List<String> listSchemas();

    /**
     * In alphabetical order, without names that no statement could write.
     *
     * @throws StorageException SCHEMA_NOT_FOUND
     */
    List<String> listTables(String schemaName);

    /**
     * As {@link #listTables}, with what gives the newest schema version of each table: empty if the table is gone by then, or an
     * exception that tells of this one table.
     *
     * @throws StorageException SCHEMA_NOT_FOUND
     */
    Map<String, Supplier<Optional<TableSchema>>> listTableSchemas(String schemaName);

    /**
     * @param branch a branch of the table instead of the table
     * @return empty if no table can have that name, or if the catalog knows that there is none
     * @throws StorageException UNSUPPORTED_FEATURE naming the table if it must not be read
     */
    Optional<CatalogTable> find(String schemaName, String tableName, Optional<String> branch);

    /**
     * Where a table lies, without asking anybody: on every node that gets the schema from the one that found the table.
     *
     * @param schema as {@link #located} made it
     */
    Path location(String schemaName, String tableName, TableSchema schema);

    /**
     * A schema of a table that was found, such that {@link #location} knows the place.
     */
    TableSchema located(TableSchema schema, Path location);
}
