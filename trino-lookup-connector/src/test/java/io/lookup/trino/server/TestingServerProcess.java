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
package io.lookup.trino.server;

import com.google.common.collect.ImmutableList;
import io.lookup.trino.Repository;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

/**
 * A real server in a process of its own, started by {@code bin/server} with the packaged plugin folder, and ready for queries. Its whole
 * output is kept in {@code server.log} of its data folder.
 */
public final class TestingServerProcess
        implements AutoCloseable
{
    private static final String READY = "Server is ready: ";
    private static final long START_TIMEOUT_SECONDS = 600;
    private static final long END_TIMEOUT_SECONDS = 60;
    private static final int FIRST_PORT = 10_000;
    private static final int LAST_PORT = 30_000;

    private final Process process;
    private final Thread endWithTests;
    private final int port;
    private final Path log;

    private TestingServerProcess(Process process, int port, Path log)
    {
        this.process = requireNonNull(process, "process is null");
        this.port = port;
        this.log = requireNonNull(log, "log is null");
        this.endWithTests = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(endWithTests);
    }

    /**
     * @param data the server's own files; a server that was stopped may be started again on them
     * @param catalogProperties more properties of the catalog {@code lake}
     */
    public static TestingServerProcess start(Path data, String warehouse, Map<String, String> catalogProperties)
            throws IOException, InterruptedException
    {
        return start(data, warehouse, catalogProperties, ImmutableList.of());
    }

    public static TestingServerProcess start(Path data, String warehouse, Map<String, String> catalogProperties, List<String> javaOptions)
            throws IOException, InterruptedException
    {
        int port = freePort();
        ImmutableList.Builder<String> command = ImmutableList.builder();
        command.add(Repository.root().resolve("bin/server").toString());
        command.add("--port", String.valueOf(port));
        command.add("--warehouse", warehouse);
        command.add("--data", data.toString());
        catalogProperties.forEach((key, value) -> command.add("-D", key + "=" + value));

        Path log = Files.createDirectories(data).resolve("server.log");
        ProcessBuilder builder = new ProcessBuilder(command.build())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()));
        Map<String, String> environment = builder.environment();
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("LOOKUP_JVM_OPTIONS", String.join(" ", ImmutableList.<String>builder()
                .add("-Xmx1G")
                .add(System.getProperty("lookup.test-jvm-options", ""))
                .addAll(javaOptions)
                .build()));
        // with these the script neither builds nor fetches anything, so that no Maven runs inside a build
        environment.put("LOOKUP_PLUGIN", pluginFolder().toString());
        String archives = System.getProperty("lookup.server-test-archives");
        if (archives != null) {
            environment.put("LOOKUP_ARCHIVES", archives);
        }
        TestingServerProcess server = new TestingServerProcess(builder.start(), port, log);
        try {
            server.waitUntilReady();
            return server;
        }
        catch (Throwable e) {
            server.close();
            throw e;
        }
    }

    /**
     * The packaged plugin folder.
     */
    public static Path pluginFolder()
    {
        String folder = System.getProperty("lookup.server-test-plugin");
        return folder == null ? Repository.root().resolve("trino-lookup-connector/target/plugin/lookup") : Path.of(folder);
    }

    /**
     * A port that systems do not give to whoever asks for any, so that nobody takes it before the server does, which may be seconds later.
     */
    public static int freePort()
            throws IOException
    {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return port;
            }
            catch (BindException _) {
                // taken
            }
        }
    }

    private void waitUntilReady()
            throws InterruptedException
    {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_TIMEOUT_SECONDS);
        while (!log().contains(READY)) {
            checkState(process.isAlive(), "The server ended with %s:\n%s", process.isAlive() ? "nothing" : process.exitValue(), log());
            checkState(System.nanoTime() < end, "The server was not ready after %s s:\n%s", START_TIMEOUT_SECONDS, log());
            Thread.sleep(100);
        }
    }

    public String log()
    {
        try {
            return Files.readString(log);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port()
    {
        return port;
    }

    /**
     * A connection to the catalog {@code lake}, schema {@code default}.
     */
    public Connection connect()
            throws SQLException
    {
        return connect("tester");
    }

    public Connection connect(String user)
            throws SQLException
    {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        return DriverManager.getConnection("jdbc:trino://localhost:%s/lake/default".formatted(port), properties);
    }

    public boolean isAlive()
    {
        return process.isAlive();
    }

    /**
     * Ends the server by SIGTERM.
     *
     * @return the exit status
     */
    public int terminate()
            throws InterruptedException
    {
        process.destroy();
        checkState(process.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS), "The server did not end on SIGTERM:\n%s", log());
        return process.exitValue();
    }

    /**
     * Ends the server by SIGKILL: nothing of it runs any more when this returns.
     */
    public void kill()
            throws InterruptedException
    {
        process.destroyForcibly();
        checkState(process.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS), "The server did not end on SIGKILL");
    }

    @Override
    public void close()
    {
        try {
            kill();
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        finally {
            Runtime.getRuntime().removeShutdownHook(endWithTests);
        }
    }
}
