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

import com.google.common.collect.ImmutableMap;
import io.lookup.trino.Repository;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static com.google.common.base.Preconditions.checkState;
import static com.google.common.collect.MoreCollectors.onlyElement;
import static java.util.Objects.requireNonNull;

/**
 * An S3 server with one bucket in a process of its own. It keeps objects as files, and writes each request with its headers to its log.
 */
final class S3ProxyProcess
        implements AutoCloseable
{
    static final String BUCKET = "lake";
    private static final String ACCESS_KEY = "an-access-key";
    private static final String SECRET_KEY = "a-secret-key";

    private final Process process;
    private final Thread endWithTests;
    private final int port;
    private final Path log;

    private S3ProxyProcess(Process process, int port, Path log)
    {
        this.process = requireNonNull(process, "process is null");
        this.port = port;
        this.log = requireNonNull(log, "log is null");
        this.endWithTests = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(endWithTests);
    }

    static S3ProxyProcess start(Path folder)
            throws IOException, InterruptedException
    {
        return start(folder, true);
    }

    /**
     * @param requests whether to write each request to the log
     */
    static S3ProxyProcess start(Path folder, boolean requests)
            throws IOException, InterruptedException
    {
        int port = TestingServerProcess.freePort();
        Path objects = Files.createDirectories(folder.resolve("objects"));
        Files.createDirectories(objects.resolve(BUCKET));
        Path configuration = Files.writeString(folder.resolve("s3proxy.conf"), """
                s3proxy.endpoint=http://127.0.0.1:%s
                s3proxy.authorization=aws-v2-or-v4
                s3proxy.identity=%s
                s3proxy.credential=%s
                jclouds.provider=filesystem-nio2
                jclouds.identity=identity
                jclouds.credential=credential
                jclouds.filesystem.basedir=%s
                """.formatted(port, ACCESS_KEY, SECRET_KEY, objects));
        Path log = folder.resolve("s3proxy.log");
        Process process = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-DLOG_LEVEL=" + (requests ? "trace" : "warn"),
                "-jar", archive().toString(),
                "--properties", configuration.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()))
                .start();
        S3ProxyProcess server = new S3ProxyProcess(process, port, log);
        try {
            server.waitUntilReady();
            return server;
        }
        catch (Throwable e) {
            server.close();
            throw e;
        }
    }

    private static Path archive()
            throws IOException
    {
        String archives = System.getProperty("lookup.server-test-archives");
        Path folder = archives == null ? Repository.root().resolve("trino-lookup-connector/target/server-test-archives") : Path.of(archives);
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("s3proxy-")).collect(onlyElement());
        }
    }

    private void waitUntilReady()
            throws InterruptedException
    {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (!listens()) {
            checkState(process.isAlive(), "s3proxy ended:\n%s", log());
            checkState(System.nanoTime() < end, "s3proxy was not ready after 180 s:\n%s", log());
            Thread.sleep(100);
        }
    }

    private boolean listens()
    {
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        }
        catch (IOException e) {
            return false;
        }
    }

    String warehouse()
    {
        return "s3a://" + BUCKET + "/warehouse";
    }

    /**
     * What Hadoop's S3A must know of this server, by Hadoop's names.
     */
    Map<String, String> hadoopProperties()
    {
        return ImmutableMap.<String, String>builder()
                .put("fs.s3a.endpoint", "http://127.0.0.1:" + port)
                .put("fs.s3a.endpoint.region", "us-east-1")
                .put("fs.s3a.access.key", ACCESS_KEY)
                .put("fs.s3a.secret.key", SECRET_KEY)
                .put("fs.s3a.aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider")
                .put("fs.s3a.path.style.access", "true")
                .put("fs.s3a.bucket.probe", "0")
                .buildOrThrow();
    }

    String log()
    {
        try {
            return Files.readString(log);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close()
    {
        process.destroyForcibly().onExit().join();
        Runtime.getRuntime().removeShutdownHook(endWithTests);
    }
}
