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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import io.lookup.trino.Repository;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static com.google.common.base.Preconditions.checkState;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * Hadoop's own small HDFS cluster, a name node and a data node, in a process of its own, since it brings another version of what the
 * tests stand on. Its log has a line for each request to the name node.
 */
final class HdfsProcess
        implements AutoCloseable
{
    private static final Pattern REQUEST = Pattern.compile("allowed=true\\tugi=(\\S+) .*?\\tcmd=(\\S+)[^\\t]*\\tsrc=(\\S+)\\t");
    private static final Pattern DATA_NODE = Pattern.compile("infoPort=(\\d+)");

    private final Process process;
    private final Thread endWithTests;
    private final Path details;
    private final Path log;

    private HdfsProcess(Process process, Path details, Path log)
    {
        this.process = requireNonNull(process, "process is null");
        this.details = requireNonNull(details, "details is null");
        this.log = requireNonNull(log, "log is null");
        this.endWithTests = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(endWithTests);
    }

    static HdfsProcess start(Path folder)
            throws Exception
    {
        Path details = folder.resolve("cluster.json");
        Path log = folder.resolve("cluster.log");
        // figures of the nodes are at most a second old
        Files.writeString(folder.resolve("hadoop-metrics2.properties"), "*.period=1\n");
        Process process = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.util.logging.SimpleFormatter.format=%5$s%6$s%n",
                "-cp", folder + File.pathSeparator + classPath(),
                "org.apache.hadoop.test.MiniDFSClusterManager",
                "-format",
                "-datanodes", "1",
                "-nnport", "0",
                "-writeDetails", details.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()))
                .start();
        HdfsProcess cluster = new HdfsProcess(process, details, log);
        try {
            cluster.waitUntilReady();
            return cluster;
        }
        catch (Throwable e) {
            cluster.close();
            throw e;
        }
    }

    /**
     * Hadoop with all that it needs inside, and what that leaves to others.
     */
    private static String classPath()
            throws IOException, ClassNotFoundException
    {
        String archives = System.getProperty("lookup.server-test-archives");
        Path folder = archives == null ? Repository.root().resolve("trino-lookup-connector/target/server-test-archives") : Path.of(archives);
        ImmutableList.Builder<String> entries = ImmutableList.builder();
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(file -> file.getFileName().toString().startsWith("hadoop-client-"))
                    .map(Path::toString)
                    .sorted()
                    .forEach(entries::add);
        }
        for (String name : List.of(
                "org.slf4j.Logger",
                "org.slf4j.jul.JDK14LoggerAdapter",
                "org.apache.commons.logging.Log",
                "org.junit.jupiter.api.Assertions",
                "org.junit.platform.commons.JUnitException",
                "org.opentest4j.AssertionFailedError")) {
            entries.add(Path.of(URI.create(Class.forName(name).getProtectionDomain().getCodeSource().getLocation().toString())).toString());
        }
        return String.join(File.pathSeparator, entries.build());
    }

    private void waitUntilReady()
            throws InterruptedException
    {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
        // Hadoop writes it once the data node is there
        while (!log().contains("Started MiniDFSCluster") || !Files.exists(details)) {
            checkState(process.isAlive(), "The HDFS cluster ended:\n%s", log());
            checkState(System.nanoTime() < end, "The HDFS cluster was not ready after 300 s:\n%s", log());
            Thread.sleep(100);
        }
    }

    String uri()
    {
        try {
            return "hdfs://localhost:" + new ObjectMapper().readTree(details.toFile()).get("namenode_port").asInt();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The port of the data node's own pages.
     */
    int dataNodePort()
    {
        return DATA_NODE.matcher(log()).results()
                .map(result -> result.group(1))
                .mapToInt(Integer::parseInt)
                .findFirst()
                .orElseThrow();
    }

    /**
     * What the name node was asked to do, in order.
     */
    List<Request> requests()
    {
        return REQUEST.matcher(log()).results()
                .map(Request::of)
                .collect(toImmutableList());
    }

    private String log()
    {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.collect(joining("\n"));
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

    record Request(String user, String command, String path)
    {
        private static Request of(MatchResult result)
        {
            return new Request(result.group(1), result.group(2), result.group(3));
        }

        Request
        {
            requireNonNull(user, "user is null");
            requireNonNull(command, "command is null");
            requireNonNull(path, "path is null");
        }
    }
}
