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

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.CatalogTable;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.catalog.TableCatalog;
import io.lookup.storage.catalog.rest.RestAnswer.Outcome;
import io.lookup.storage.schema.SchemaEdits;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.fs.Path;

import java.io.Closeable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Schemas and tables of a server that speaks the protocol of Paimon's REST catalog, for reading. The server says which tables there
 * are, what they look like, where they lie and which snapshot is the newest; files are read where it says, with one's own
 * settings of file systems. Nothing is cached but the server's configuration. Thread-safe.
 */
public final class RestCatalog
        implements TableCatalog, Closeable
{
    // a server that never ends a list is taken for what it is
    private static final int MAX_PAGES = 100_000;
    private static final String HEADER_PREFIX = "header.";

    private final RestCatalogSettings settings;
    private final RestClient client;
    private volatile Configuration configuration;

    public RestCatalog(RestCatalogSettings settings)
    {
        this.settings = requireNonNull(settings, "settings is null");
        this.client = new RestClient(settings);
    }

    @Override
    public List<String> listSchemas()
    {
        ImmutableList.Builder<String> names = ImmutableList.builder();
        list(paths().databases(), "databases", (answer, element) -> names.add(name(answer, element)))
                .requireFound();
        return listed(names.build());
    }

    @Override
    public List<String> listTables(String schemaName)
    {
        ImmutableList.Builder<String> names = ImmutableList.builder();
        checkFound(schemaName, list(paths().tables(schemaName), "tables", (answer, element) -> names.add(name(answer, element))));
        return listed(names.build());
    }

    @Override
    public Map<String, Supplier<Optional<TableSchema>>> listTableSchemas(String schemaName)
    {
        Map<String, Supplier<Optional<TableSchema>>> schemas = new HashMap<>();
        checkFound(schemaName, list(paths().tableDetails(schemaName), "tableDetails", (answer, table) -> {
            String name = name(answer, table.path("name"));
            if (isListed(name)) {
                schemas.put(name, () -> Optional.of(RestTable.read(answer, table).schema()));
            }
        }));
        return ImmutableSortedMap.copyOf(schemas);
    }

    @Override
    public Optional<CatalogTable> find(String schemaName, String tableName, Optional<String> branch)
    {
        if (!isListed(schemaName) || !isListed(tableName)) {
            return Optional.empty();
        }
        String object = branch.map(name -> tableName + "$branch_" + name).orElse(tableName);
        RestAnswer answer = get(paths().table(schemaName, object), ImmutableMap.of());
        if (answer.outcome() == Outcome.NOT_FOUND) {
            return Optional.empty();
        }
        RestTable table = RestTable.read(answer.requireFound(), answer.body());
        checkReadable("%s.%s".formatted(schemaName, object), table);
        if (table.external()) {
            // its writers do not tell the server of their snapshots
            return Optional.of(new CatalogTable(table.location(), Optional.of(table.schema()), OptionalLong.empty()));
        }
        RestAnswer snapshot = get(paths().latestSnapshot(schemaName, object), ImmutableMap.of());
        return switch (snapshot.outcome()) {
            case FOUND -> Optional.of(new CatalogTable(table.location(), Optional.of(table.schema()), OptionalLong.of(snapshotId(snapshot))));
            case NOT_IMPLEMENTED -> Optional.of(new CatalogTable(table.location(), Optional.of(table.schema()), OptionalLong.empty()));
            case NOT_FOUND -> snapshot.text("resourceType").filter("SNAPSHOT"::equals)
                    .map(_ -> new CatalogTable(table.location(), Optional.of(table.schema()), OptionalLong.of(0)));
        };
    }

    private static long snapshotId(RestAnswer answer)
    {
        JsonNode snapshot = answer.member("snapshot");
        if (snapshot == null) {
            return 0;
        }
        JsonNode id = snapshot.path("snapshot").path("id");
        if (!id.isIntegralNumber() || !id.canConvertToLong() || id.longValue() < 1) {
            throw answer.unusable("member 'snapshot.snapshot.id' is missing or not a snapshot's number");
        }
        return id.longValue();
    }

    /**
     * Refuses tables whose rows the server wants to hand out itself, or which have no rows in the format.
     */
    private void checkReadable(String name, RestTable table)
    {
        String type = table.schema().options().getOrDefault("type", "table");
        if (!type.equalsIgnoreCase("table")) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, "Table %s is of the type '%s': only tables in Paimon's own format can be read".formatted(name, type));
        }
        if (Boolean.parseBoolean(table.schema().options().get("query-auth.enabled"))) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, "Table %s has the option 'query-auth.enabled': the server filters rows and masks columns for each user, which is not supported".formatted(name));
        }
        if (!table.external() && configuration().dataTokens() && !settings.dataTokensIgnored()) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, ("Table %s cannot be read: the server has 'data-token.enabled', so that files are to be read with keys that it hands out for each table, which is not supported. " +
                    "Set lookup.catalog.rest.ignore-data-token if the hadoop. properties of this catalog have keys of their own, and everybody who may use this catalog may read all its tables").formatted(name));
        }
    }

    @Override
    public Path location(String schemaName, String tableName, TableSchema schema)
    {
        String path = schema.options().get(RestTable.PATH_OPTION);
        if (path == null) {
            throw new StorageException(StorageErrorCode.INTERNAL_ERROR, "The schema of table %s.%s does not tell where it lies".formatted(schemaName, tableName));
        }
        return LookupCatalog.warehousePath(path);
    }

    @Override
    public TableSchema located(TableSchema schema, Path location)
    {
        return SchemaEdits.withOptions(schema, ImmutableMap.<String, String>builder().putAll(schema.options()).put(RestTable.PATH_OPTION, location.toString()).buildKeepingLast());
    }

    /**
     * All pages of a list.
     *
     * @return the last answer, or the first that is none
     */
    private RestAnswer list(String path, String member, BiConsumer<RestAnswer, JsonNode> action)
    {
        Map<String, String> query = ImmutableMap.of();
        Set<String> pageTokens = new HashSet<>();
        while (true) {
            RestAnswer answer = get(path, query);
            if (!answer.isFound()) {
                return answer;
            }
            JsonNode elements = answer.member(member);
            if (elements != null && !elements.isArray()) {
                throw answer.unusable("member '%s' is not an array".formatted(member));
            }
            if (elements != null) {
                elements.forEach(element -> action.accept(answer, element));
            }
            Optional<String> pageToken = answer.text("nextPageToken").filter(token -> !token.isEmpty());
            if (pageToken.isEmpty() || elements == null || elements.isEmpty()) {
                return answer;
            }
            if (!pageTokens.add(pageToken.get()) || pageTokens.size() > MAX_PAGES) {
                throw answer.unusable("the list does not end: its member 'nextPageToken' comes back, or there are more than %s pages".formatted(MAX_PAGES));
            }
            query = ImmutableMap.of("pageToken", pageToken.get());
        }
    }

    private static String name(RestAnswer answer, JsonNode node)
    {
        if (!node.isTextual()) {
            throw answer.unusable("a name is missing or not a string");
        }
        return node.textValue();
    }

    private static List<String> listed(List<String> names)
    {
        return names.stream().filter(RestCatalog::isListed).distinct().sorted().collect(toImmutableList());
    }

    /**
     * Whether a statement can name it: others have upper-case letters, or a part that names a branch or a system table.
     */
    private static boolean isListed(String name)
    {
        return !name.isBlank() && !name.contains("$") && name.equals(name.toLowerCase(ENGLISH));
    }

    private static void checkFound(String schemaName, RestAnswer answer)
    {
        if (answer.outcome() == Outcome.NOT_FOUND) {
            throw new StorageException(StorageErrorCode.SCHEMA_NOT_FOUND, "Schema '%s' does not exist: GET %s answered 404".formatted(schemaName, answer.uri()));
        }
        answer.requireFound();
    }

    private RestAnswer get(String path, Map<String, String> query)
    {
        return client.get(path, query, configuration().headers());
    }

    private RestPaths paths()
    {
        return configuration().paths();
    }

    /**
     * Asked for with the first request, so that a server that is down does not keep the catalog from being made.
     */
    private Configuration configuration()
    {
        Configuration known = configuration;
        if (known != null) {
            return known;
        }
        synchronized (this) {
            if (configuration == null) {
                // encoded once more by the client, as servers are used to from Paimon's
                Map<String, String> query = settings.warehouse().map(warehouse -> ImmutableMap.of("warehouse", RestClient.encode(warehouse))).orElse(ImmutableMap.of());
                configuration = Configuration.read(client.get(RestPaths.CONFIG, query, ImmutableMap.of()).requireFound(), settings);
            }
            return configuration;
        }
    }

    @Override
    public void close()
    {
        client.close();
    }

    /**
     * What the server's defaults, the settings, and the server's overrides come to, in this order.
     */
    private record Configuration(RestPaths paths, Map<String, String> headers, boolean dataTokens)
    {
        private Configuration
        {
            requireNonNull(paths, "paths is null");
            headers = ImmutableMap.copyOf(headers);
        }

        private static Configuration read(RestAnswer answer, RestCatalogSettings settings)
        {
            Map<String, String> options = new HashMap<>();
            addOptions(answer, "defaults", options);
            settings.prefix().ifPresent(prefix -> options.put("prefix", prefix));
            addOptions(answer, "overrides", options);
            ImmutableMap.Builder<String, String> headers = ImmutableMap.builder();
            options.forEach((key, value) -> {
                if (key.startsWith(HEADER_PREFIX) && key.length() > HEADER_PREFIX.length()) {
                    headers.put(key.substring(HEADER_PREFIX.length()), value);
                }
            });
            return new Configuration(
                    new RestPaths(Optional.ofNullable(options.get("prefix")).filter(prefix -> !prefix.isEmpty())),
                    headers.buildOrThrow(),
                    Boolean.parseBoolean(options.get("data-token.enabled")));
        }

        private static void addOptions(RestAnswer answer, String member, Map<String, String> options)
        {
            JsonNode object = answer.member(member);
            if (object == null) {
                return;
            }
            if (!object.isObject()) {
                throw answer.unusable("member '%s' is not an object".formatted(member));
            }
            for (Map.Entry<String, JsonNode> option : object.properties()) {
                if (option.getValue().isValueNode() && !option.getValue().isNull()) {
                    options.put(option.getKey(), option.getValue().asText());
                }
            }
        }
    }
}
