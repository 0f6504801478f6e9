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
package io.lookup.benchmark;

import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.catalog.TableDefinition;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import org.apache.hadoop.conf.Configuration;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * A folder of tables that both engines write and read.
 */
final class BenchmarkWarehouse
        implements AutoCloseable
{
    private static final String DATABASE = "bench";
    // a logger that nobody refers to forgets its level
    private static final List<Logger> QUIET = Stream.of("org.apache.paimon", "org.apache.hadoop", "org.apache.parquet")
            .map(Logger::getLogger)
            .toList();

    private final Path directory;
    private final Catalog catalog;

    /**
     * @param directory made if it is not there
     */
    BenchmarkWarehouse(Path directory)
            throws IOException
    {
        QUIET.forEach(logger -> logger.setLevel(Level.SEVERE));
        this.directory = Files.createDirectories(directory);
        Options options = new Options();
        options.set("warehouse", directory.toString());
        options.set("cache-enabled", "false");
        // left to itself, Paimon looks for Hadoop's HDFS client
        this.catalog = CatalogFactory.createCatalog(CatalogContext.create(options, new Configuration(false)));
    }

    Path databaseDirectory()
    {
        return directory.resolve(DATABASE + ".db");
    }

    Path location(String table)
    {
        return databaseDirectory().resolve(table);
    }

    /**
     * A table of {@link BenchmarkRows}.
     */
    void createTable(String table, Map<String, String> options)
            throws IOException
    {
        try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            LookupCatalog tables = new LookupCatalog(fileIo, LookupCatalog.warehousePath(directory.toString()));
            if (!tables.schemaExists(DATABASE)) {
                tables.createSchema(DATABASE);
            }
            tables.createTable(DATABASE, table, new TableDefinition(BenchmarkRows.COLUMNS, List.of(), List.of("id"), options, Optional.empty()));
        }
    }

    /**
     * An engine on a table that is there.
     *
     * @param scratch local folder of the engine
     * @param keptWriter whether Paimon writes all statements with one streaming writer
     */
    BenchmarkEngine open(String engine, String table, Path scratch, long writeMemoryBytes, boolean keptWriter)
            throws IOException
    {
        return switch (engine) {
            case "lookup" -> new LookupEngine(location(table), scratch, writeMemoryBytes);
            case "paimon" -> new PaimonEngine(catalog, Identifier.create(DATABASE, table), scratch, keptWriter);
            default -> throw new IllegalArgumentException("Unknown engine: " + engine);
        };
    }

    /**
     * Paimon on a table of any engine.
     */
    PaimonEngine openWithPaimon(String table, Path scratch)
    {
        return new PaimonEngine(catalog, Identifier.create(DATABASE, table), scratch);
    }

    @Override
    public void close()
            throws Exception
    {
        catalog.close();
    }
}
