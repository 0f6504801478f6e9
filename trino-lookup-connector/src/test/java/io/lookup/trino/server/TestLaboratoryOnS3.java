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
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.trino.Laboratory;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real server whose warehouse lies in an S3 store, reached by S3A out of the plugin folder.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TestLaboratoryOnS3
{
    private static final int WRITERS = 2;
    private static final int WRITES = 5;

    private java.nio.file.Path folder;
    private S3ProxyProcess s3;
    private TestingServerProcess server;

    @BeforeAll
    void start(@TempDir java.nio.file.Path folder)
            throws Exception
    {
        this.folder = folder;
        s3 = S3ProxyProcess.start(Files.createDirectories(folder.resolve("s3")));
        Map<String, String> properties = s3.hadoopProperties().entrySet().stream()
                .collect(toImmutableMap(entry -> "hadoop." + entry.getKey(), Map.Entry::getValue));
        server = TestingServerProcess.start(folder.resolve("data"), s3.warehouse(), properties, ImmutableList.of("-Xlog:class+load:file=" + classLog()));
    }

    @AfterAll
    void stop()
            throws Exception
    {
        if (server != null) {
            server.close();
        }
        if (s3 != null) {
            s3.close();
        }
    }

    private java.nio.file.Path classLog()
    {
        return folder.resolve("classes.log");
    }

    @Test
    void testLaboratory()
            throws Exception
    {
        try (Connection connection = server.connect()) {
            assertThat(Laboratory.run(connection)).isEqualTo(Laboratory.expected());
        }
        RequestLog requests = RequestLog.parse(s3.log());
        List<RequestLog.Request> snapshots = requests.puts("/default.db/cl_").stream()
                .filter(request -> request.uri().contains("/snapshot/snapshot-"))
                .collect(toImmutableList());
        assertThat(snapshots).allMatch(request -> "*".equals(request.headers().get("if-none-match")));
        // of cl_none, cl_lookup, cl_dedup and cl_agg
        assertThat(snapshots.stream().map(RequestLog.Request::uri).distinct()).hasSize(3 + 8 + 4 + 4);
        assertThat(requests.puts("/schema/schema-")).isNotEmpty()
                .allMatch(request -> "*".equals(request.headers().get("if-none-match")));
        // hints are replaced: the log does tell the two apart
        assertThat(requests.puts("/snapshot/LATEST")).isNotEmpty()
                .noneMatch(request -> request.headers().containsKey("if-none-match"));
    }

    @Test
    void testSecondPublisherLoses()
            throws Exception
    {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            PatientStatements.execute(statement, "CREATE TABLE claimed (k integer, v varchar) WITH (primary_key = ARRAY['k'])");
            PatientStatements.execute(statement, "INSERT INTO claimed VALUES (1, 'a')");
            Path second = new Path(s3.warehouse() + "/default.db/claimed/snapshot/snapshot-2");
            byte[] foreign = "{}".getBytes(UTF_8);
            try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(s3.hadoopProperties(), ImmutableList.of()))) {
                Path first = new Path(second.getParent(), "snapshot-1");
                byte[] published = fileIo.readFully(first);
                assertThat(fileIo.createExclusively(first, foreign)).isFalse();
                assertThat(fileIo.readFully(first)).isEqualTo(published);

                PatientStatements.execute(statement, "INSERT INTO claimed VALUES (2, 'b')");
                assertThat(fileIo.createExclusively(second, foreign)).isFalse();
            }
            assertThat(rows(statement, "SELECT k, v FROM claimed ORDER BY k")).containsExactly("1 a", "2 b");
        }
    }

    @Test
    void testRacingStatementsLoseNothing()
            throws Exception
    {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            PatientStatements.execute(statement, "CREATE TABLE raced (k integer, v varchar) WITH (primary_key = ARRAY['k'])");
            List<Callable<Void>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                writers.add(() -> {
                    insertKeys(number);
                    return null;
                });
            }
            try (ExecutorService executor = Executors.newFixedThreadPool(WRITERS)) {
                for (Future<Void> result : executor.invokeAll(writers)) {
                    result.get();
                }
            }
            assertThat(rows(statement, "SELECT count(*), count(DISTINCT k) FROM raced")).containsExactly("%1$s %1$s".formatted(WRITERS * WRITES));
            assertThat(rows(statement, "SELECT count(*), count(DISTINCT \"$query_id\") FROM \"raced$snapshots\" WHERE commit_kind = 'APPEND'"))
                    .containsExactly("%1$s %1$s".formatted(WRITERS * WRITES));
            assertThat(rows(statement, "SELECT count(*) = max(snapshot_id) FROM \"raced$snapshots\"")).containsExactly("true");
        }
    }

    private void insertKeys(int writer)
            throws Exception
    {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            for (int write = 0; write < WRITES; write++) {
                // keys of the writers alternate, so that the key ranges of the files overlap
                PatientStatements.execute(statement, "INSERT INTO raced VALUES (%s, 'x')".formatted(write * WRITERS + writer));
            }
        }
    }

    @Test
    void testS3ClassesComeFromThePluginOnly()
            throws Exception
    {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            PatientStatements.execute(statement, "CREATE TABLE classes (k integer) WITH (primary_key = ARRAY['k'])");
            PatientStatements.execute(statement, "INSERT INTO classes VALUES 1");
        }
        String plugin = folder.toRealPath().resolve("data/lookup-server/plugin/lookup").toString();
        try (Stream<String> lines = Files.lines(classLog())) {
            List<String> loaded = lines.filter(line -> line.contains(" org.apache.hadoop.") || line.contains(" software.amazon.awssdk."))
                    .filter(line -> line.contains("source: ") && !line.contains("$$Lambda") && !line.contains("source: __") && !line.contains("LambdaForm"))
                    .collect(toImmutableList());
            assertThat(loaded)
                    .anyMatch(line -> line.contains(" org.apache.hadoop.fs.s3a.S3AFileSystem source: "))
                    .anyMatch(line -> line.contains(" software.amazon.awssdk.services.s3.DefaultS3"));
            assertThat(loaded.stream()
                    .filter(line -> line.contains("source: file:") || line.contains("source: jrt:"))
                    .filter(line -> !line.contains("source: file:" + plugin + "/")))
                    .isEmpty();
        }
    }

    private static List<String> rows(Statement statement, String sql)
            throws Exception
    {
        return PatientStatements.rows(statement, sql).stream()
                .map(row -> String.join(" ", row))
                .collect(toImmutableList());
    }
}
