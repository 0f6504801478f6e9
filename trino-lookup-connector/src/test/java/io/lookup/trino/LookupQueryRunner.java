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

import com.google.common.collect.ImmutableMap;
import io.trino.Session;
import io.trino.spi.Plugin;
import io.trino.testing.DistributedQueryRunner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;

import static io.trino.testing.TestingSession.testSessionBuilder;

/**
 * A coordinator and two workers with the catalog {@code lake} on a folder of its own.
 */
public final class LookupQueryRunner
{
    public static final String CATALOG = "lake";
    public static final String SCHEMA = "default";

    private LookupQueryRunner() {}

    public static Session session()
    {
        return testSessionBuilder()
                .setCatalog(CATALOG)
                .setSchema(SCHEMA)
                .build();
    }

    public static DistributedQueryRunner create()
            throws Exception
    {
        return create(temporaryDirectory("lookup-warehouse"), ImmutableMap.of());
    }

    public static DistributedQueryRunner create(Path warehouse, Map<String, String> properties)
            throws Exception
    {
        return create(warehouse, properties, new LookupPlugin());
    }

    public static DistributedQueryRunner create(Session session, Path warehouse)
            throws Exception
    {
        return create(session, warehouse, ImmutableMap.of(), new LookupPlugin(), 2);
    }

    /**
     * A coordinator that is its only worker, for tests of what one statement does and not of who does it.
     */
    public static DistributedQueryRunner createSingleNode(Path warehouse)
            throws Exception
    {
        return create(warehouse, ImmutableMap.of(), new LookupPlugin(), 0);
    }

    static DistributedQueryRunner createSingleNode(Path warehouse, Map<String, String> properties, Plugin plugin)
            throws Exception
    {
        return create(warehouse, properties, plugin, 0);
    }

    static DistributedQueryRunner create(Path warehouse, Map<String, String> properties, Plugin plugin)
            throws Exception
    {
        return create(warehouse, properties, plugin, 2);
    }

    private static DistributedQueryRunner create(Path warehouse, Map<String, String> properties, Plugin plugin, int workerCount)
            throws Exception
    {
        return create(session(), warehouse, properties, plugin, workerCount);
    }

    private static DistributedQueryRunner create(Session session, Path warehouse, Map<String, String> properties, Plugin plugin, int workerCount)
            throws Exception
    {
        DistributedQueryRunner queryRunner = DistributedQueryRunner.builder(session)
                .setWorkerCount(workerCount)
                .build();
        try {
            queryRunner.installPlugin(plugin);
            queryRunner.createCatalog(CATALOG, LookupConnectorFactory.CONNECTOR_NAME, ImmutableMap.<String, String>builder()
                    .put("lookup.warehouse", warehouse.toUri().toString())
                    .put("lookup.cache-directory", temporaryDirectory("lookup-cache").toString())
                    .putAll(properties)
                    .buildKeepingLast());
            return queryRunner;
        }
        catch (Throwable failure) {
            queryRunner.close();
            throw failure;
        }
    }

    /**
     * As a JDBC client has it.
     */
    static Connection connect(DistributedQueryRunner queryRunner, String schema, String user)
            throws SQLException
    {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        return DriverManager.getConnection("jdbc:trino://%s/%s/%s".formatted(queryRunner.getCoordinator().getAddress(), CATALOG, schema), properties);
    }

    static Path temporaryDirectory(String prefix)
    {
        try {
            return Files.createTempDirectory(prefix);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
