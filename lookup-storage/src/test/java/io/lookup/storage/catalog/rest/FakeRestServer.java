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

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.airlift.slice.Slice;
import org.apache.paimon.Snapshot;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.rest.RESTApi;
import org.apache.paimon.rest.responses.ConfigResponse;
import org.apache.paimon.rest.responses.ErrorResponse;
import org.apache.paimon.rest.responses.GetDatabaseResponse;
import org.apache.paimon.rest.responses.GetTableResponse;
import org.apache.paimon.rest.responses.GetTableSnapshotResponse;
import org.apache.paimon.rest.responses.ListDatabasesResponse;
import org.apache.paimon.rest.responses.ListTableDetailsResponse;
import org.apache.paimon.rest.responses.ListTablesResponse;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.TableSnapshot;
import org.apache.paimon.utils.SnapshotManager;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.airlift.slice.Slices.utf8Slice;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Locale.ENGLISH;

/**
 * The reading half of a REST catalog over tables that lie anywhere. Its answers are made of Paimon's own classes, and Paimon's own client reads through it in
 * {@link TestRestCatalog}, so that it is known to speak the protocol.
 */
public final class FakeRestServer
        implements AutoCloseable
{
    public static final String TOKEN = "tok-en.0123456789";

    private final HttpServer http;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Map<String, Entry>> databases = new TreeMap<>();
    private final Map<String, String> defaults = new HashMap<>();
    private final Map<String, String> overrides = new HashMap<>();
    private final List<String> requests = new ArrayList<>();
    private final List<Map<String, String>> headers = new ArrayList<>();
    private final Deque<Answer> answers = new ArrayDeque<>();
    private int pageSize = 1000;

    /**
     * @param latestSnapshotId what the server says: negative for an error of that status, 0 for none; empty for what the folder has
     */
    private record Entry(Path folder, boolean external, Map<String, String> options, OptionalLong latestSnapshotId) {}

    /**
     * What the server says to the next request instead of its answer.
     */
    public record Answer(int status, Slice body, Map<String, String> headers, long delayMillis)
    {
        public Answer(int status, String body, Map<String, String> headers, long delayMillis)
        {
            this(status, utf8Slice(body), headers, delayMillis);
        }

        public static Answer of(int status, String body)
        {
            return of(status, utf8Slice(body));
        }

        public static Answer of(int status, Slice body)
        {
            return new Answer(status, body, ImmutableMap.of(), 0);
        }
    }

    public FakeRestServer()
            throws IOException
    {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(executor);
        http.createContext("/", this::handle);
        http.start();
    }

    public URI uri()
    {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
    }

    public synchronized FakeRestServer withDatabase(String database)
    {
        databases.computeIfAbsent(database, _ -> new TreeMap<>());
        return this;
    }

    /**
     * A managed table.
     */
    public FakeRestServer withTable(String database, String table, Path folder)
    {
        return put(database, table, new Entry(folder, false, ImmutableMap.of(), OptionalLong.empty()));
    }

    public FakeRestServer withExternalTable(String database, String table, Path folder)
    {
        return put(database, table, new Entry(folder, true, ImmutableMap.of(), OptionalLong.empty()));
    }

    /**
     * A managed table with more options than its folder knows.
     */
    public FakeRestServer withTable(String database, String table, Path folder, Map<String, String> options)
    {
        return put(database, table, new Entry(folder, false, options, OptionalLong.empty()));
    }

    /**
     * A managed table with another newest snapshot than its folder has.
     */
    public FakeRestServer withTable(String database, String table, Path folder, long latestSnapshotId)
    {
        return put(database, table, new Entry(folder, false, ImmutableMap.of(), OptionalLong.of(latestSnapshotId)));
    }

    private synchronized FakeRestServer put(String database, String table, Entry entry)
    {
        withDatabase(database);
        databases.get(database).put(table, entry);
        return this;
    }

    public synchronized FakeRestServer withDefault(String key, String value)
    {
        defaults.put(key, value);
        return this;
    }

    public synchronized FakeRestServer withOverride(String key, String value)
    {
        overrides.put(key, value);
        return this;
    }

    public synchronized FakeRestServer withPageSize(int pageSize)
    {
        this.pageSize = pageSize;
        return this;
    }

    public synchronized void answerNext(Answer answer)
    {
        answers.add(answer);
    }

    /**
     * Forgets answers that nobody has asked for.
     */
    synchronized void clearAnswers()
    {
        answers.clear();
    }

    /**
     * Takes the paths and queries, as sent, of the requests since the last call.
     */
    public synchronized List<String> takeRequests()
    {
        List<String> taken = ImmutableList.copyOf(requests);
        requests.clear();
        return taken;
    }

    public synchronized Map<String, String> lastHeaders()
    {
        return headers.getLast();
    }

    private void handle(HttpExchange exchange)
            throws IOException
    {
        Answer answer;
        try {
            answer = answer(exchange);
        }
        catch (RuntimeException | IOException e) {
            answer = Answer.of(500, e.toString());
        }
        if (answer.delayMillis() > 0) {
            try {
                Thread.sleep(answer.delayMillis());
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        byte[] body = answer.body().getBytes();
        exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private synchronized Answer answer(HttpExchange exchange)
            throws IOException
    {
        URI uri = exchange.getRequestURI();
        requests.add(uri.toString());
        Map<String, String> received = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> received.put(name.toLowerCase(ENGLISH), values.getFirst()));
        headers.add(received);
        if (!answers.isEmpty()) {
            return answers.remove();
        }
        if (!("Bearer " + TOKEN).equals(received.get("authorization"))) {
            return error(401, "", "", "who is " + received.get("authorization") + "?");
        }
        if (!exchange.getRequestMethod().equals("GET")) {
            return error(405, "", "", "read only");
        }
        List<String> path = Splitter.on('/').splitToStream(uri.getRawPath())
                .skip(1)
                .map(part -> URLDecoder.decode(part, UTF_8))
                .collect(toImmutableList());
        if (path.equals(List.of("v1", "config"))) {
            return ok(new ConfigResponse(defaults, overrides));
        }
        String prefix = overrides.getOrDefault("prefix", defaults.getOrDefault("prefix", ""));
        int start = prefix.isEmpty() ? 1 : 2;
        if (path.size() <= start || !path.getFirst().equals("v1") || start == 2 && !path.get(1).equals(prefix) || !path.get(start).equals("databases")) {
            return error(404, "", "", "no such path");
        }
        return databases(path.subList(start + 1, path.size()), parameter(uri, "pageToken"));
    }

    private Answer databases(List<String> path, Optional<String> pageToken)
            throws IOException
    {
        if (path.isEmpty()) {
            return page(ImmutableList.copyOf(databases.keySet()), pageToken, Function.identity(), ListDatabasesResponse::new);
        }
        String database = path.getFirst();
        Map<String, Entry> tables = databases.get(database);
        if (tables == null) {
            return error(404, "DATABASE", database, "no such database");
        }
        if (path.size() == 1) {
            return ok(new GetDatabaseResponse("id-" + database, database, "/nowhere", ImmutableMap.of(), "me", 0, "me", 0, "me"));
        }
        if (path.get(1).equals("table-details")) {
            return page(names(tables), pageToken, name -> table(database, name, tables.get(name)), ListTableDetailsResponse::new);
        }
        if (!path.get(1).equals("tables")) {
            return error(404, "", "", "no such path");
        }
        if (path.size() == 2) {
            return page(names(tables), pageToken, Function.identity(), ListTablesResponse::new);
        }
        String name = path.get(2);
        Entry entry = tables.get(name);
        if (entry == null) {
            return error(404, "TABLE", name, "no such table");
        }
        if (path.size() == 3) {
            return ok(table(database, name, entry));
        }
        return path.get(3).equals("snapshot") ? snapshot(name, entry) : error(404, "", "", "no such path");
    }

    /**
     * Branches are known and not listed.
     */
    private static List<String> names(Map<String, Entry> tables)
    {
        return tables.keySet().stream().filter(name -> !name.contains("$branch_")).collect(toImmutableList());
    }

    private static GetTableResponse table(String database, String name, Entry entry)
    {
        TableSchema latest = new SchemaManager(LocalFileIO.create(), new org.apache.paimon.fs.Path(root(entry).toUri()), branch(entry)).latest().orElseThrow();
        Schema schema = latest.toSchema();
        Map<String, String> options = new HashMap<>(schema.options());
        options.putAll(entry.options());
        return new GetTableResponse(
                "id-" + name,
                database,
                name,
                root(entry).toUri().toString(),
                entry.external(),
                latest.id(),
                new Schema(schema.fields(), schema.partitionKeys(), schema.primaryKeys(), options, schema.comment()),
                "me",
                1,
                "me",
                2,
                "me");
    }

    private static Answer snapshot(String name, Entry entry)
            throws IOException
    {
        SnapshotManager snapshots = new SnapshotManager(LocalFileIO.create(), new org.apache.paimon.fs.Path(root(entry).toUri()), branch(entry), null, null);
        if (entry.external()) {
            return error(404, "TABLE", name, 501, "external tables have no snapshots here");
        }
        if (entry.latestSnapshotId().orElse(0) < 0) {
            return error((int) -entry.latestSnapshotId().getAsLong(), "TABLE", name, "as told");
        }
        Snapshot snapshot = entry.latestSnapshotId().isEmpty() ?
                snapshots.latestSnapshotFromFileSystem() :
                entry.latestSnapshotId().getAsLong() == 0 ? null : snapshots.snapshot(entry.latestSnapshotId().getAsLong());
        return snapshot == null ? error(404, "SNAPSHOT", name, "no snapshot") : ok(new GetTableSnapshotResponse(new TableSnapshot(snapshot, 1, 1, 1, 1)));
    }

    /**
     * The folder of a branch lies in that of the table.
     */
    private static Path root(Entry entry)
    {
        return isBranch(entry) ? entry.folder().getParent().getParent() : entry.folder();
    }

    private static String branch(Entry entry)
    {
        return isBranch(entry) ? entry.folder().getFileName().toString().substring("branch-".length()) : "main";
    }

    private static boolean isBranch(Entry entry)
    {
        return entry.folder().getParent().getFileName().toString().equals("branch");
    }

    private <T> Answer page(List<String> names, Optional<String> pageToken, Function<String, T> element, PageMaker<T> maker)
            throws IOException
    {
        // a token that needs encoding
        int start = pageToken.map(token -> Integer.parseInt(token.substring("from & = ".length()))).orElse(0);
        int end = Math.min(start + pageSize, names.size());
        return ok(maker.make(names.subList(start, end).stream().map(element).toList(), end < names.size() ? "from & = " + end : null));
    }

    private interface PageMaker<T>
    {
        Object make(List<T> elements, String nextPageToken);
    }

    private static Optional<String> parameter(URI uri, String name)
    {
        if (uri.getRawQuery() == null) {
            return Optional.empty();
        }
        return Splitter.on('&').splitToStream(uri.getRawQuery())
                .filter(pair -> pair.startsWith(name + "="))
                .map(pair -> URLDecoder.decode(pair.substring(name.length() + 1), UTF_8))
                .findFirst();
    }

    private static Answer ok(Object response)
            throws IOException
    {
        return Answer.of(200, RESTApi.toJson(response));
    }

    private static Answer error(int status, String type, String name, String message)
            throws IOException
    {
        return error(status, type, name, status, message);
    }

    private static Answer error(int status, String type, String name, int code, String message)
            throws IOException
    {
        return Answer.of(status, RESTApi.toJson(new ErrorResponse(type, name, message, code)));
    }

    @Override
    public void close()
    {
        http.stop(0);
        executor.shutdownNow();
    }
}
