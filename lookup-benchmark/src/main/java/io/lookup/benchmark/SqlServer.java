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

import com.google.common.collect.ImmutableList;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * A real server of one node, in a process of its own, with the catalogs {@code lake} (this connector), {@code iceberg},
 * {@code tpch} and {@code memory}; or one that runs already and has these.
 */
final class SqlServer
        implements AutoCloseable
{
    private static final List<String> OTHER_PLUGINS = ImmutableList.of("iceberg", "tpch", "memory");
    private static final List<String> JVM_OPTIONS = ImmutableList.of(
            "-XX:ReservedCodeCacheSize=512M",
            "-Djdk.attach.allowAttachSelf=true",
            "-XX:+EnableDynamicAgentLoading",
            "--add-modules=jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dfile.encoding=UTF-8");
    private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

    private final URI uri;
    private final ProcessHandle handle;
    private final Optional<Process> process;

    private SqlServer(URI uri, ProcessHandle handle, Optional<Process> process)
    {
        this.uri = requireNonNull(uri, "uri is null");
        this.handle = requireNonNull(handle, "handle is null");
        this.process = requireNonNull(process, "process is null");
    }

    /**
     * @param processId of a server on this machine
     */
    static SqlServer running(URI uri, long processId)
    {
        return new SqlServer(uri, ProcessHandle.of(processId).orElseThrow(() -> new IllegalArgumentException("No process has the number " + processId)), Optional.empty());
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @param home the unpacked archive {@code io.trino:trino-server}, with all of its plugins
     * @param plugin the folder of this connector's plugin
     * @param directory for the warehouses and the server's own files
     * @param heap as Java's {@code -Xmx}
     * @param javaOptions more options of the process
     */
    static SqlServer start(Path home, Path plugin, Path directory, String heap, List<String> javaOptions)
            throws IOException, InterruptedException
    {
        Path data = Files.createDirectories(directory.resolve("server"));
        Path plugins = Files.createDirectories(data.resolve("plugin"));
        link(plugins.resolve("lookup"), plugin);
        for (String other : OTHER_PLUGINS) {
            link(plugins.resolve(other), home.resolve("plugin").resolve(other));
        }
        int port = freePort();
        writeConfiguration(data, plugins, directory, port);

        ImmutableList.Builder<String> command = ImmutableList.<String>builder()
                .add(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xms" + heap, "-Xmx" + heap)
                .addAll(JVM_OPTIONS)
                .addAll(javaOptions)
                .add("-Dconfig=" + data.resolve("config.properties"), "-Dnode.data-dir=" + data)
                .add("-cp", home.resolve("lib").resolve("*").toString(), "io.trino.server.TrinoServer");
        Path log = data.resolve("server.log");
        Process process = new ProcessBuilder(command.build())
                .directory(data.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        SqlServer server = new SqlServer(URI.create("jdbc:trino://localhost:" + port), process.toHandle(), Optional.of(process));
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!server.answers()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                server.close();
                throw new IllegalStateException(format("The server did not start; its log is %s", log));
            }
            Thread.sleep(500);
        }
        return server;
    }

    private static void link(Path link, Path target)
            throws IOException
    {
        if (!Files.isDirectory(target)) {
            throw new IllegalArgumentException(target + " is not a folder of a plugin");
        }
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, target.toAbsolutePath());
    }

    private static int freePort()
            throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void writeConfiguration(Path data, Path plugins, Path directory, int port)
            throws IOException
    {
        Path catalogs = Files.createDirectories(data.resolve("catalog"));
        Path local = Files.createDirectories(directory.resolve("iceberg"));
        Files.writeString(data.resolve("config.properties"), """
                coordinator=true
                node-scheduler.include-coordinator=true
                http-server.http.port=%1$s
                discovery.uri=http://localhost:%1$s
                node.environment=benchmark
                node.id=benchmark
                node.internal-address=localhost
                node.bind-ip=127.0.0.1
                plugin.dir=%2$s
                catalog.config-dir=%3$s
                log.levels-file=%4$s
                """.formatted(port, plugins, catalogs, data.resolve("log.properties")));
        Files.writeString(data.resolve("log.properties"), """
                Bootstrap=WARN
                io.airlift=WARN
                io.trino=WARN
                org.apache=ERROR
                """);
        Files.writeString(catalogs.resolve("lake.properties"), """
                connector.name=lookup
                lookup.warehouse=%s
                lookup.cache-directory=%s
                """.formatted(directory.resolve("lake").toUri(), data.resolve("cache")));
        Files.writeString(catalogs.resolve("iceberg.properties"), """
                connector.name=iceberg
                iceberg.catalog.type=TESTING_FILE_METASTORE
                hive.metastore.catalog.dir=local:///catalog
                fs.native-local.enabled=true
                local.location=%s
                """.formatted(local));
        Files.writeString(catalogs.resolve("tpch.properties"), "connector.name=tpch\n");
        Files.writeString(catalogs.resolve("memory.properties"), "connector.name=memory\nmemory.max-data-per-node=512MB\n");
    }

    private boolean answers()
    {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT max(orderkey) FROM tpch.tiny.orders")) {
            // a query without a table works before the node is known to serve the catalogs
            return result.next();
        }
        catch (SQLException _) {
            return false;
        }
    }

    Connection connect()
            throws SQLException
    {
        Properties properties = new Properties();
        properties.setProperty("user", "benchmark");
        return DriverManager.getConnection(uri.toString(), properties);
    }

    /**
     * Seconds that the processors have spent on the server so far.
     */
    double cpuSeconds()
    {
        return handle.info().totalCpuDuration().map(duration -> duration.toNanos() / 1e9).orElse(Double.NaN);
    }

    @Override
    public void close()
            throws InterruptedException
    {
        if (process.isEmpty()) {
            return;
        }
        process.get().destroy();
        if (!process.get().waitFor(30, TimeUnit.SECONDS)) {
            process.get().destroyForcibly().waitFor();
        }
    }
}
