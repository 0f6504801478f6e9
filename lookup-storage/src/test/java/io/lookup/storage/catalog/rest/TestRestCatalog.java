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
package io.lookup.storage.catalog.rest;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.CatalogTable;
import io.lookup.storage.catalog.rest.FakeRestServer.Answer;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import org.apache.hadoop.conf.Configuration;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.rest.RESTCatalog;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestRestCatalog
{
    private static final OracleTable TABLE = new OracleTable("written", "t");

    @TempDir
    private Path directory;

    private FakeRestServer server;
    private PaimonOracle paimon;
    private Path folder;

    @BeforeEach
    void setUp()
            throws Exception
    {
        server = new FakeRestServer();
        paimon = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"));
        paimon.createTable(TABLE.database(), TABLE.name(), new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "BIGINT NOT NULL"), new Column("note", "STRING")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "1")));
        paimon.write(TABLE, List.of(Change.insert(1L, "one")));
        paimon.write(TABLE, List.of(Change.insert(2L, "two")));
        folder = directory.resolve("warehouse/written.db/t");
    }

    @AfterEach
    void tearDown()
            throws Exception
    {
        server.close();
        paimon.close();
    }

    /**
     * Paimon's own client reads through the server, and sends what ours sends.
     */
    @Test
    void testPaimonSpeaksThisProtocol()
            throws Exception
    {
        String odd = "gr\u00fc\u00dfe + 100% a/b";
        FileStoreTable writer = FileStoreTableFactory.create(LocalFileIO.create(), new org.apache.paimon.fs.Path(folder.toUri()));
        writer.createTag("start", 1);
        writer.createBranch("b", "start");
        server.withDefault("prefix", "my lake/1")
                .withPageSize(2)
                .withDatabase("a")
                .withDatabase("b")
                .withTable("odd name", odd, folder)
                .withTable("odd name", "u", folder)
                .withTable("odd name", "u$branch_b", folder.resolve("branch/branch-b"))
                .withTable("odd name", "v", folder);

        Options options = new Options();
        options.set("uri", server.uri().toString());
        options.set("warehouse", "my instance");
        options.set("token.provider", "bear");
        options.set("token", FakeRestServer.TOKEN);
        try (RESTCatalog theirs = new RESTCatalog(CatalogContext.create(options, new Configuration(false)));
                RestCatalog ours = new RestCatalog(settings(server.uri(), Optional.of("my instance"), Duration.ofSeconds(30)))) {
            List<String> theirRequests = new ArrayList<>(server.takeRequests());
            assertThat(theirs.listDatabases()).containsExactly("a", "b", "odd name");
            assertThat(theirs.listTables("odd name")).containsExactly(odd, "u", "v");
            assertThat(theirs.listTableDetails("odd name")).extracting(Table::name).containsExactly(odd, "u", "v");
            FileStoreTable table = (FileStoreTable) theirs.getTable(Identifier.create("odd name", odd));
            assertThat(table.snapshotManager().latestSnapshotId()).isEqualTo(2);
            assertThat(rows(table)).containsExactly("1 one", "2 two");
            assertThat(rows(theirs.getTable(Identifier.create("odd name", "u$branch_b")))).containsExactly("1 one");
            // its table asks for the newest snapshot again and again
            theirRequests.addAll(server.takeRequests().stream().distinct().toList());

            assertThat(ours.listSchemas()).containsExactly("a", "b", "odd name");
            assertThat(ours.listTables("odd name")).containsExactly(odd, "u", "v");
            assertThat(ours.listTableSchemas("odd name").keySet()).containsExactly(odd, "u", "v");
            CatalogTable found = ours.find("odd name", odd, Optional.empty()).orElseThrow();
            assertThat(found.location().toUri().getPath()).isEqualTo(folder.toString());
            assertThat(found.latestSnapshotId()).hasValue(2);
            assertThat(found.schema().orElseThrow().primaryKeys()).containsExactly("id");
            assertThat(ours.location("odd name", odd, found.schema().orElseThrow())).isEqualTo(found.location());
            assertThat(ours.find("odd name", "u", Optional.of("b")).orElseThrow().latestSnapshotId()).hasValue(1);
            List<String> ourRequests = server.takeRequests();
            assertThat(ourRequests).doesNotHaveDuplicates();
            assertThat(ourRequests).containsExactlyElementsOf(theirRequests);
            assertThat(server.lastHeaders()).containsEntry("authorization", "Bearer " + FakeRestServer.TOKEN);
        }
    }

    private static List<String> rows(Table table)
            throws Exception
    {
        List<String> rows = new ArrayList<>();
        ReadBuilder builder = table.newReadBuilder();
        try (RecordReader<InternalRow> reader = builder.newRead().createReader(builder.newScan().plan())) {
            reader.forEachRemaining(row -> rows.add(row.getLong(0) + " " + row.getString(1)));
        }
        return rows;
    }

    @Test
    void testSchemaOfTheServerCounts()
    {
        server.withTable("s", "t", folder, ImmutableMap.of("snapshot.num-retained.min", "7"));
        try (RestCatalog catalog = catalog()) {
            assertThat(catalog.find("s", "t", Optional.empty()).orElseThrow().schema().orElseThrow().options())
                    .containsEntry("snapshot.num-retained.min", "7")
                    .containsEntry("bucket", "1")
                    .containsEntry("path", "file:" + folder);
        }
    }

    @Test
    void testWhoTellsTheNewestSnapshot()
    {
        server.withTable("s", "managed", folder)
                .withTable("s", "behind", folder, 1)
                .withTable("s", "empty", folder, 0)
                .withTable("s", "ignorant", folder, -501)
                .withTable("s", "gone", folder, -404)
                .withExternalTable("s", "external", folder);
        try (RestCatalog catalog = catalog()) {
            assertThat(latest(catalog, "managed")).hasValue(2);
            assertThat(latest(catalog, "behind")).hasValue(1);
            assertThat(latest(catalog, "empty")).hasValue(0);
            assertThat(latest(catalog, "ignorant")).isEmpty();
            // dropped between two requests
            assertThat(catalog.find("s", "gone", Optional.empty())).isEmpty();
            server.takeRequests();
            assertThat(latest(catalog, "external")).isEmpty();
            assertThat(server.takeRequests()).containsExactly("/v1/databases/s/tables/external");
        }
    }

    private static OptionalLong latest(RestCatalog catalog, String table)
    {
        return catalog.find("s", table, Optional.empty()).orElseThrow().latestSnapshotId();
    }

    @Test
    void testWhatIsNotThere()
    {
        server.withTable("s", "t", folder).withTable("s", "Upper", folder).withTable("s", "x$y", folder).withTable("s", "t$branch_b", folder).withDatabase("Upper");
        try (RestCatalog catalog = catalog()) {
            assertThat(catalog.listSchemas()).containsExactly("s");
            assertThat(catalog.listTables("s")).containsExactly("t");
            assertThat(catalog.listTableSchemas("s").keySet()).containsExactly("t");
            assertThat(catalog.find("s", "none", Optional.empty())).isEmpty();
            assertThat(catalog.find("none", "t", Optional.empty())).isEmpty();
            assertThat(catalog.find("s", "t$snapshots", Optional.empty())).isEmpty();
            assertThat(catalog.find("s", "t", Optional.of("c"))).isEmpty();
            assertThat(catalog.find("s", "t", Optional.of("b"))).isPresent();
            assertFails(() -> catalog.listTables("none"), StorageErrorCode.SCHEMA_NOT_FOUND, "Schema 'none' does not exist", "/v1/databases/none/tables");
            assertFails(() -> catalog.listTableSchemas("none"), StorageErrorCode.SCHEMA_NOT_FOUND, "Schema 'none' does not exist");
        }
    }

    @Test
    void testTablesThatTheServerGuards()
    {
        server.withTable("s", "filtered", folder, ImmutableMap.of("query-auth.enabled", "true"))
                .withTable("s", "format", folder, ImmutableMap.of("type", "format-table"))
                .withTable("s", "t", folder)
                .withExternalTable("s", "external", folder)
                .withOverride("data-token.enabled", "true");
        try (RestCatalog catalog = catalog()) {
            assertFails(() -> catalog.find("s", "filtered", Optional.empty()), StorageErrorCode.UNSUPPORTED_FEATURE, "s.filtered", "query-auth.enabled");
            assertFails(() -> catalog.find("s", "format", Optional.empty()), StorageErrorCode.UNSUPPORTED_FEATURE, "s.format", "format-table");
            assertFails(() -> catalog.find("s", "t", Optional.empty()), StorageErrorCode.UNSUPPORTED_FEATURE, "s.t", "lookup.catalog.rest.ignore-data-token");
            assertThat(catalog.find("s", "external", Optional.empty())).isPresent();
        }
        try (RestCatalog catalog = new RestCatalog(new RestCatalogSettings(server.uri(), Optional.of(FakeRestServer.TOKEN), Optional.empty(), Optional.empty(), Duration.ofSeconds(30), true))) {
            assertThat(catalog.find("s", "t", Optional.empty())).isPresent();
            assertFails(() -> catalog.find("s", "filtered", Optional.empty()), StorageErrorCode.UNSUPPORTED_FEATURE, "query-auth.enabled");
        }
    }

    @Test
    void testConfiguration()
    {
        server.withDefault("prefix", "theirs").withDefault("header.x-default", "1").withOverride("header.x-lake", "blue").withDatabase("a");
        try (RestCatalog catalog = new RestCatalog(new RestCatalogSettings(URI.create(server.uri() + "/"), Optional.of(FakeRestServer.TOKEN), Optional.empty(), Optional.of("ours"), Duration.ofSeconds(30), false))) {
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, "/v1/ours/databases", "lookup.catalog.rest.prefix");
            server.withOverride("prefix", "last");
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, "/v1/ours/databases");
        }
        try (RestCatalog catalog = new RestCatalog(new RestCatalogSettings(server.uri(), Optional.of(FakeRestServer.TOKEN), Optional.empty(), Optional.of("ours"), Duration.ofSeconds(30), false))) {
            server.takeRequests();
            assertThat(catalog.listSchemas()).containsExactly("a");
            assertThat(server.lastHeaders()).containsEntry("x-default", "1").containsEntry("x-lake", "blue");
            assertThat(catalog.listSchemas()).containsExactly("a");
            assertThat(server.takeRequests()).containsExactly("/v1/config", "/v1/last/databases", "/v1/last/databases");
        }
    }

    @Test
    void testHeaderThatCannotBeSent()
    {
        server.withOverride("header.Content-Length", "5");
        try (RestCatalog catalog = catalog()) {
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, "Content-Length");
        }
    }

    @Test
    void testWrongToken()
    {
        String wrong = "wrong-and-secret";
        try (RestCatalog catalog = new RestCatalog(new RestCatalogSettings(server.uri(), Optional.of(wrong), Optional.empty(), Optional.empty(), Duration.ofSeconds(30), false))) {
            // this server quotes it
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, server.uri() + "/v1/config", "401", "who is Bearer ***?", "lookup.catalog.rest.token");
            assertThatThrownBy(catalog::listSchemas).message().doesNotContain(wrong);
        }
        try (RestCatalog catalog = new RestCatalog(new RestCatalogSettings(server.uri(), Optional.empty(), Optional.empty(), Optional.empty(), Duration.ofSeconds(30), false))) {
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, "401", "set lookup.catalog.rest.token");
        }
        assertThat(settings(server.uri(), Optional.empty(), Duration.ofSeconds(30)).toString()).doesNotContain(FakeRestServer.TOKEN);
        assertThatThrownBy(() -> new RestCatalogSettings(server.uri(), Optional.of("two\nlines"), Optional.empty(), Optional.empty(), Duration.ofSeconds(30), false))
                .message().doesNotContain("lines");
    }

    @Test
    void testServerThatIsDown()
    {
        server.close();
        try (RestCatalog catalog = catalog()) {
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, server.uri() + "/v1/config failed", "lookup.catalog.rest.uri");
        }
    }

    @Test
    void testServerThatIsSlow()
    {
        server.answerNext(new Answer(200, "{}", ImmutableMap.of(), 60_000));
        try (RestCatalog catalog = new RestCatalog(settings(server.uri(), Optional.empty(), Duration.ofMillis(200)))) {
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, "/v1/config failed");
            // not tried again
            assertThat(server.takeRequests()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 405, 500, 502, 307})
    void testErrors(int status)
    {
        try (RestCatalog catalog = catalog()) {
            server.answerNext(new Answer(status, "{\"message\": \"of the\\nserver\", \"code\": %s}".formatted(status), ImmutableMap.of("Location", "http://localhost:1/"), 0));
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, server.uri() + "/v1/config answered " + status + " (of the server)");
            assertThat(server.takeRequests()).hasSize(1);
            // whoever answers need not be the catalog
            server.answerNext(Answer.of(status, "<html>"));
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, server.uri() + "/v1/config answered " + status);
            // nothing is remembered of it
            assertThat(catalog.listSchemas()).isEmpty();
        }
    }

    @Test
    void testBusyServerIsAskedAgain()
    {
        server.withDatabase("a");
        try (RestCatalog catalog = catalog()) {
            server.answerNext(new Answer(503, "", ImmutableMap.of("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"), 0));
            server.answerNext(new Answer(429, "", ImmutableMap.of("Retry-After", "0"), 0));
            server.answerNext(new Answer(503, "", ImmutableMap.of("Retry-After", "0"), 0));
            assertThat(catalog.listSchemas()).containsExactly("a");
            for (int attempt = 0; attempt < 4; attempt++) {
                server.answerNext(new Answer(503, "", ImmutableMap.of("Retry-After", "0"), 0));
            }
            server.takeRequests();
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, "answered 503", "try again");
            assertThat(server.takeRequests()).hasSize(4);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "<html>", "[]", "{\"databases\": 1}", "{\"databases\": [1]}", "{\"databases\": [\"a\"], \"nextPageToken\": 1}", "{\"databases\": []} x"})
    void testListThatCannotBeUsed(String answer)
    {
        try (RestCatalog catalog = catalog()) {
            assertThat(catalog.listSchemas()).isEmpty();
            server.answerNext(Answer.of(200, answer));
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, server.uri() + "/v1/databases gave an answer that");
        }
    }

    @Test
    void testListWithoutEnd()
    {
        try (RestCatalog catalog = catalog()) {
            assertThat(catalog.listSchemas()).isEmpty();
            for (int page = 0; page < 2; page++) {
                server.answerNext(Answer.of(200, "{\"databases\": [\"a\"], \"nextPageToken\": \"again\"}"));
            }
            assertFails(catalog::listSchemas, StorageErrorCode.CATALOG_ERROR, "does not end");
            // as for Paimon, an empty page ends it
            server.takeRequests();
            server.answerNext(Answer.of(200, "{\"databases\": null, \"nextPageToken\": \"again\"}"));
            assertThat(catalog.listSchemas()).isEmpty();
            assertThat(server.takeRequests()).containsExactly("/v1/databases");
        }
    }

    @Test
    void testTableThatCannotBeUsed()
    {
        String schema = "\"schema\": {\"fields\": [{\"id\": 0, \"name\": \"a\", \"type\": \"%s\"}]}";
        try (RestCatalog catalog = catalog()) {
            assertThat(catalog.listSchemas()).isEmpty();
            for (String body : ImmutableList.of(
                    "{}",
                    "{\"path\": \"%s\"}".formatted(folder),
                    "{\"path\": \"relative\", \"schemaId\": 0, %s}".formatted(schema.formatted("INT")),
                    "{\"path\": \"%s\", \"schemaId\": 0, \"schema\": {}}".formatted(folder),
                    "{\"path\": \"%s\", \"schemaId\": \"x\", %s}".formatted(folder, schema.formatted("INT")))) {
                server.answerNext(Answer.of(200, body));
                assertFails(() -> catalog.find("s", "t", Optional.empty()), StorageErrorCode.CATALOG_ERROR, server.uri() + "/v1/databases/s/tables/t gave an answer that cannot be used");
            }
            server.answerNext(Answer.of(200, "{\"path\": \"%s\", \"schemaId\": 0, %s}".formatted(folder, schema.formatted("NONSENSE"))));
            assertThatThrownBy(() -> catalog.find("s", "t", Optional.empty())).isInstanceOf(StorageException.class);
            server.answerNext(Answer.of(200, "{\"path\": \"%s\", \"isExternal\": true, \"schemaId\": 0, %s}".formatted(folder, schema.formatted("INT"))));
            assertThat(catalog.find("s", "t", Optional.empty())).isPresent();
        }
    }

    private RestCatalog catalog()
    {
        return new RestCatalog(settings(server.uri(), Optional.empty(), Duration.ofSeconds(30)));
    }

    private static RestCatalogSettings settings(URI uri, Optional<String> warehouse, Duration timeout)
    {
        return new RestCatalogSettings(uri, Optional.of(FakeRestServer.TOKEN), warehouse, Optional.empty(), timeout, false);
    }

    private static void assertFails(Runnable action, StorageErrorCode code, String... parts)
    {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(StorageException.class, failure -> {
                    assertThat(failure.errorCode()).isEqualTo(code);
                    assertThat(failure.getMessage()).contains(parts);
                });
    }
}
