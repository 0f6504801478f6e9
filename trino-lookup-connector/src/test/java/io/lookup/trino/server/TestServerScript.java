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
import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * {@code bin/server}: its options, its end by SIGTERM, and what it leaves behind.
 */
final class TestServerScript
{
    private static final int ENDED_BY_SIGTERM = 128 + 15;

    @Test
    void testEndsOnSigtermAndStartsAgain(@TempDir Path folder)
            throws Exception
    {
        Path data = folder.resolve("data");
        Path warehouse = folder.resolve("warehouse");
        try (TestingServerProcess server = TestingServerProcess.start(data, warehouse.toString(), ImmutableMap.of("lookup.cache-directory", folder.resolve("cache").toString()))) {
            try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                PatientStatements.execute(statement, "CREATE TABLE t (k integer, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
                assertThat(PatientStatements.executeUpdate(statement, "INSERT INTO t VALUES (1, 'a'), (2, 'b')")).isEqualTo(2);
            }
            assertThat(metrics(server))
                    .contains("JMX_io_lookup_storage_commit_NAME_lake_TYPE_CommitStatistics_ATTRIBUTE_Commits_TotalCount 1.0")
                    .contains("JMX_io_lookup_storage_commit_NAME_lake_TYPE_CommitStatistics_ATTRIBUTE_ChangelogRows_TotalCount 2.0")
                    .contains("JMX_io_lookup_storage_format_manifest_NAME_lake_TYPE_ManifestCache_ATTRIBUTE_MemoryBytes ")
                    .contains("JMX_trino_plugin_lookup_compaction_NAME_lake_TYPE_BackgroundCompactions_ATTRIBUTE_Queued 0.0")
                    .contains("JMX_trino_plugin_lookup_read_NAME_lake_TYPE_ScanStatistics_ATTRIBUTE_Splits_TotalCount ");
            assertThat(server.terminate()).isEqualTo(ENDED_BY_SIGTERM);
            assertThat(server.isAlive()).isFalse();
            assertThatThrownBy(() -> {
                try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                    PatientStatements.execute(statement, "SELECT 1");
                }
            }).hasMessageContaining("Failed to connect");
            assertThat(server.log()).doesNotContain("ERROR").doesNotContain("Exception");
        }
        assertThat(warehouse.resolve("default.db/t/snapshot/snapshot-2")).exists();

        try (TestingServerProcess server = TestingServerProcess.start(data, warehouse.toString(), ImmutableMap.of());
                Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            assertThat(PatientStatements.rows(statement, "SELECT count(*), max(v) FROM t")).containsExactly(ImmutableList.of("2", "b"));
        }
    }

    private static String metrics(TestingServerProcess server)
            throws Exception
    {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:%s/metrics".formatted(server.port())))
                    .header("X-Trino-User", "tester")
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    @Test
    void testUnknownPropertyIsNamed(@TempDir Path folder)
    {
        assertThatThrownBy(() -> TestingServerProcess.start(folder.resolve("data"), folder.resolve("warehouse").toString(), ImmutableMap.of("lookup.no-such-property", "1")).close())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("The server ended")
                .hasMessageContaining("lookup.no-such-property");
    }

    @Test
    void testWarehouseIsCheckedAtStart(@TempDir Path folder)
            throws Exception
    {
        Path file = Files.writeString(folder.resolve("file"), "not a folder");
        assertThatThrownBy(() -> TestingServerProcess.start(folder.resolve("data"), file.toUri().toString(), ImmutableMap.of()).close())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("The server ended")
                .hasMessageContaining("lookup.warehouse");
    }
}
