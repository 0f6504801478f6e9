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
package io.lookup.trino.flink;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.lookup.trino.Repository;
import io.lookup.trino.flink.FlinkStream.Change;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static com.google.common.base.Preconditions.checkState;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * A Flink cluster on the same warehouse, in a process of its own: Flink and Trino do not fit on one class path. The program that answers is
 * {@code FlinkSession} of the module {@code lookup-flink-test}, which the profile {@code flink} builds.
 */
final class FlinkProcess
        implements AutoCloseable
{
    private static final int PATIENCE_SECONDS = 120;
    /** Flink's own list for Java 17 and newer. */
    private static final List<String> OPENED = ImmutableList.of(
            "java.base/java.lang", "java.base/java.lang.reflect", "java.base/java.util", "java.base/java.util.concurrent", "java.base/java.util.concurrent.atomic",
            "java.base/java.net", "java.base/java.nio", "java.base/sun.nio.ch", "java.base/java.text", "java.base/java.time");

    private final Process process;
    private final Thread endWithTests;
    private final Path log;
    private final BufferedWriter requests;
    private final BlockingQueue<List<String>> answers = new LinkedBlockingQueue<>();
    private final Map<String, FlinkStream> streams = new ConcurrentHashMap<>();
    private boolean ready;

    private FlinkProcess(Process process, Path log)
    {
        this.process = requireNonNull(process, "process is null");
        this.log = requireNonNull(log, "log is null");
        this.requests = process.outputWriter(UTF_8);
        endWithTests = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(endWithTests);
        Thread reader = new Thread(this::read, "flink-answers");
        reader.setDaemon(true);
        reader.start();
    }

    static Path temporaryWarehouse()
    {
        try {
            return Files.createTempDirectory("lookup-flink");
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Does not wait: the first request does.
     */
    static FlinkProcess start(String name, Path warehouse)
            throws IOException
    {
        Path module = Repository.root().resolve("lookup-flink-test/target");
        Path classPath = module.resolve("class-path.txt");
        checkState(Files.exists(classPath), "%s is not there: run the tests of Flink with -Pflink, as docs/development.md says", classPath);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ImmutableList.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--sun-misc-unsafe-memory-access=allow"));
        OPENED.forEach(opened -> command.addAll(ImmutableList.of("--add-opens", opened + "=ALL-UNNAMED")));
        command.addAll(ImmutableList.of("-cp", module.resolve("test-classes") + ":" + Files.readString(classPath).strip()));
        command.addAll(ImmutableList.of("io.lookup.flink.FlinkSession", warehouse.toUri().toString()));
        Path log = module.resolve("flink-%s.log".formatted(name));
        return new FlinkProcess(new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    }

    /**
     * The plan of a streaming query, with the kinds of changes that each of its operators passes on.
     */
    String explain(String sql)
    {
        return request("explain", sql).getLast().get(1);
    }

    /**
     * Runs a bounded statement, and returns its rows.
     */
    List<List<String>> batch(String sql)
    {
        List<List<String>> answer = request("batch", sql);
        return answer.subList(0, answer.size() - 1).stream().map(row -> row.subList(2, row.size())).toList();
    }

    /**
     * Starts a streaming query whose rows have a key of their first columns.
     */
    FlinkStream stream(String name, int keyLength, String sql)
    {
        FlinkStream stream = new FlinkStream(name, keyLength);
        checkState(streams.putIfAbsent(name, stream) == null, "a stream has the name %s", name);
        request("stream", name, sql);
        return stream;
    }

    void cancel(FlinkStream stream)
    {
        request("cancel", stream.name());
    }

    private List<List<String>> request(String... fields)
    {
        if (!ready) {
            awaitAnswer("ready");
            ready = true;
        }
        try {
            requests.write(String.join("\t", ImmutableList.copyOf(fields).stream().map(FlinkProcess::escape).toList()) + "\n");
            requests.flush();
        }
        catch (IOException e) {
            throw new UncheckedIOException("Flink has ended, its log is " + log, e);
        }
        return awaitAnswer(String.join(" ", fields));
    }

    private List<List<String>> awaitAnswer(String request)
    {
        List<List<String>> answer = new ArrayList<>();
        while (true) {
            List<String> line;
            try {
                line = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
            checkState(line != null, "no answer to %s, Flink's log is %s", request, log);
            checkState(!line.getFirst().equals("failed"), "%s: %s, Flink's log is %s", request, line.getLast(), log);
            answer.add(line);
            if (!line.getFirst().equals("row")) {
                return answer;
            }
        }
    }

    private void read()
    {
        try (BufferedReader lines = process.inputReader(UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                List<String> fields = Splitter.on('\t').splitToStream(line).map(FlinkProcess::unescape).toList();
                switch (fields.getFirst()) {
                    case "change" -> streams.get(fields.get(1)).add(new Change(fields.get(2), fields.subList(3, fields.size())));
                    case "broken" -> streams.get(fields.get(1)).fail(fields.get(2));
                    default -> answers.add(fields);
                }
            }
        }
        catch (IOException e) {
            answers.add(ImmutableList.of("failed", e.toString()));
        }
        answers.add(ImmutableList.of("failed", "Flink has ended"));
        streams.values().forEach(stream -> stream.fail("Flink has ended, its log is " + log));
    }

    private static String escape(String text)
    {
        return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n");
    }

    private static String unescape(String text)
    {
        if (text.equals(RowText.NULL)) {
            return text;
        }
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character == '\\') {
                i++;
                character = switch (text.charAt(i)) {
                    case 't' -> '\t';
                    case 'n' -> '\n';
                    default -> text.charAt(i);
                };
            }
            result.append(character);
        }
        return result.toString();
    }

    @Override
    public void close()
            throws IOException
    {
        requests.close();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(endWithTests);
    }
}
