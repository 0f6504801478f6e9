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
import io.airlift.slice.Slices;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.rest.FakeRestServer.Answer;
import io.lookup.storage.damage.Damage;
import io.lookup.storage.damage.DamageRun;
import io.lookup.storage.damage.JsonDamage;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.table.AbstractOracleTest;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever a server answers, asking it ends soon, takes bounded memory, and gives what it said or an error that says which answer cannot be used.
 */
final class TestDamagedAnswers
        extends AbstractOracleTest
{
    private static final long MAX_ALLOCATED = 512L << 20;
    private static final int[] STATUSES = {200, 201, 204, 302, 400, 401, 403, 404, 409, 500, 501};

    private enum Question
    {
        CONFIG("/v1/config"),
        SCHEMAS("/v1/databases"),
        TABLES("/v1/databases/s/tables"),
        TABLE_DETAILS("/v1/databases/s/table-details"),
        TABLE("/v1/databases/s/tables/t"),
        SNAPSHOT("/v1/databases/s/tables/t/snapshot"),
        ERROR("/v1/databases/none/tables");

        private final String path;

        Question(String path)
        {
            this.path = path;
        }
    }

    @Test
    void testAnyDamage()
            throws Exception
    {
        paimon.createTable("s", "t", new PaimonTableDefinition(
                ImmutableList.of(
                        new Column("id", "BIGINT NOT NULL"),
                        new Column("price", "DECIMAL(25, 3)"),
                        new Column("parts", "{\"type\":\"ARRAY\",\"element\":{\"type\":\"ROW\",\"fields\":[{\"id\":20,\"name\":\"a\",\"type\":\"BIGINT\"}]}}")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "1")));
        paimon.truncate(new OracleTable("s", "t"));
        Path folder = location(new OracleTable("s", "t"));
        try (FakeRestServer server = new FakeRestServer()
                .withTable("s", "t", folder)
                .withExternalTable("s", "u", folder)
                .withDefault("header.x-default", "1")
                .withOverride("prefix", "");
                RestCatalog catalog = catalog(server)) {
            Map<Question, byte[]> answers = new EnumMap<>(Question.class);
            for (Question question : Question.values()) {
                answers.put(question, ask(server, question));
            }
            assertThat(catalog.find("s", "t", Optional.empty())).isPresent();
            new DamageRun("answers", 20, MAX_ALLOCATED).run(random -> {
                Question question = Question.values()[random.nextInt(Question.values().length)];
                byte[] damaged = damage(answers.get(question), random);
                server.clearAnswers();
                if (question == Question.SNAPSHOT) {
                    server.answerNext(Answer.of(200, Slices.wrappedBuffer(answers.get(Question.TABLE))));
                }
                int status = question == Question.ERROR ? STATUSES[random.nextInt(STATUSES.length)] : 200;
                server.answerNext(Answer.of(status, Slices.wrappedBuffer(damaged)));
                return question + (understood(server, catalog, question) ? " understood" : " refused");
            });
        }
    }

    private static byte[] damage(byte[] answer, Random random)
    {
        return switch (random.nextInt(3)) {
            case 0 -> new Damage(random).apply(answer, true, false);
            default -> new JsonDamage(random).apply(answer).orElse(answer);
        };
    }

    private static boolean understood(FakeRestServer server, RestCatalog catalog, Question question)
    {
        try {
            switch (question) {
                case CONFIG -> {
                    try (RestCatalog configured = catalog(server)) {
                        configured.listSchemas();
                    }
                }
                case SCHEMAS, ERROR -> catalog.listSchemas();
                case TABLES -> catalog.listTables("s");
                case TABLE_DETAILS -> catalog.listTableSchemas("s").values().forEach(schema -> schema.get().ifPresent(TestDamagedAnswers::use));
                case TABLE, SNAPSHOT -> catalog.find("s", "t", Optional.empty()).flatMap(table -> table.schema()).ifPresent(TestDamagedAnswers::use);
            }
            return true;
        }
        catch (StorageException e) {
            assertThat(e).message().isNotBlank();
            return false;
        }
    }

    private static void use(TableSchema schema)
    {
        schema.fields().forEach(field -> TrinoTypes.toTrinoType(field.type()));
    }

    private static byte[] ask(FakeRestServer server, Question question)
            throws Exception
    {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(server.uri() + question.path)).header("Authorization", "Bearer " + FakeRestServer.TOKEN).build(), BodyHandlers.ofByteArray()).body();
        }
    }

    private static RestCatalog catalog(FakeRestServer server)
    {
        return new RestCatalog(new RestCatalogSettings(server.uri(), Optional.of(FakeRestServer.TOKEN), Optional.empty(), Optional.empty(), Duration.ofSeconds(30), false));
    }
}
