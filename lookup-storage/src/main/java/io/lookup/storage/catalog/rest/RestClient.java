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

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.rest.RestAnswer.Outcome;

import javax.net.ssl.SSLException;

import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * GETs of a REST catalog's JSON objects. What may pass by itself (a broken connection, 429, 503) is tried again three times,
 * with pauses of at most five seconds. A redirect is not followed, since it would take the token elsewhere. Thread-safe.
 */
final class RestClient
        implements Closeable
{
    private static final int MAX_ATTEMPTS = 4;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long MAX_PAUSE_MILLIS = 5_000;
    private static final int MAX_BODY_BYTES = 64 * 1024 * 1024;
    private static final int MAX_TOLD = 300;
    private static final String MASK = "***";
    private static final ObjectMapper MAPPER = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final RestCatalogSettings settings;
    private final String server;
    private final HttpClient http;

    RestClient(RestCatalogSettings settings)
    {
        this.settings = requireNonNull(settings, "settings is null");
        String text = settings.uri().toString();
        this.server = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        this.http = HttpClient.newBuilder()
                .version(Version.HTTP_1_1)
                .connectTimeout(settings.timeout())
                .followRedirects(Redirect.NEVER)
                .build();
    }

    /**
     * @param path encoded, from {@code /v1} on
     * @param query names and values, not encoded
     * @param headers besides that of the token
     * @throws StorageException CATALOG_ERROR naming the URI, what happened and what to do
     */
    RestAnswer get(String path, Map<String, String> query, Map<String, String> headers)
    {
        URI uri = uri(path, query);
        HttpRequest request = request(uri, headers);
        for (int attempt = 1; ; attempt++) {
            HttpResponse<byte[]> response;
            try {
                response = send(request);
            }
            catch (IOException e) {
                if (attempt < MAX_ATTEMPTS && isPassing(e)) {
                    pause(uri, pauseMillis(attempt));
                    continue;
                }
                throw error(uri, "failed: %s; check lookup.catalog.rest.uri, and whether the server runs".formatted(mask(describe(e))), e);
            }
            if (attempt < MAX_ATTEMPTS && (response.statusCode() == 429 || response.statusCode() == 503)) {
                pause(uri, retryAfterMillis(response).orElse(pauseMillis(attempt)));
                continue;
            }
            return answer(uri, response);
        }
    }

    static String encode(String text)
    {
        return URLEncoder.encode(text, UTF_8);
    }

    private URI uri(String path, Map<String, String> query)
    {
        String suffix = query.isEmpty() ? "" : query.entrySet().stream()
                // a plus sign is a blank to forms alone
                .map(parameter -> encode(parameter.getKey()) + "=" + encode(parameter.getValue()).replace("+", "%20"))
                .collect(joining("&", "?", ""));
        return URI.create(server + path + suffix);
    }

    private HttpRequest request(URI uri, Map<String, String> headers)
    {
        HttpRequest.Builder builder = HttpRequest.newBuilder(uri)
                .timeout(settings.timeout())
                .header("Accept", "application/json");
        headers.forEach((name, value) -> {
            try {
                builder.setHeader(name, value);
            }
            catch (IllegalArgumentException _) {
                throw error(uri, "cannot be sent: the server's configuration asks for the header '%s', which the HTTP client does not send".formatted(name), null);
            }
        });
        settings.token().ifPresent(token -> builder.setHeader("Authorization", "Bearer " + token));
        return builder.GET().build();
    }

    private HttpResponse<byte[]> send(HttpRequest request)
            throws IOException
    {
        CompletableFuture<HttpResponse<byte[]>> response = http.sendAsync(request, _ -> new BoundedBody(MAX_BODY_BYTES));
        try {
            // the client's own limit ends with the headers
            return response.get(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
        }
        catch (TimeoutException e) {
            response.cancel(true);
            throw (IOException) new HttpTimeoutException("no whole answer within " + settings.timeout()).initCause(e);
        }
        catch (InterruptedException e) {
            response.cancel(true);
            Thread.currentThread().interrupt();
            throw error(request.uri(), "was interrupted", e);
        }
        catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException(e.getCause());
        }
    }

    /**
     * A server that is not there, or is too slow, is not asked again: statements would wait for nothing.
     */
    private static boolean isPassing(IOException failure)
    {
        return !(failure instanceof ConnectException || failure instanceof HttpTimeoutException || failure instanceof SSLException || failure instanceof BoundedBody.TooLargeException);
    }

    private static String describe(IOException failure)
    {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    private RestAnswer answer(URI uri, HttpResponse<byte[]> response)
    {
        int status = response.statusCode();
        if (status == 200) {
            return new RestAnswer(uri, Outcome.FOUND, parse(uri, response.body()));
        }
        JsonNode error = parseError(response.body());
        // the body's code is more precise: some servers say 404 for what they have not implemented
        int code = error.path("code").isInt() && status >= 400 ? error.path("code").intValue() : status;
        if (code == 404) {
            return new RestAnswer(uri, Outcome.NOT_FOUND, error);
        }
        if (code == 501) {
            return new RestAnswer(uri, Outcome.NOT_IMPLEMENTED, error);
        }
        String told = error.path("message").isTextual() ? " (%s)".formatted(shorten(mask(error.path("message").textValue()))) : "";
        throw error(uri, "answered %s%s%s".formatted(code, told, advice(code)), null);
    }

    private String advice(int code)
    {
        if (code == 401) {
            return settings.token().isPresent() ?
                    ": the server does not accept the token of lookup.catalog.rest.token; it may have expired" :
                    ": the server asks for a token; set lookup.catalog.rest.token";
        }
        if (code == 403) {
            return ": the owner of the token of lookup.catalog.rest.token has no right to this; ask for it at the server";
        }
        if (code >= 300 && code < 400) {
            return ": redirects are not followed, since the token would go along; give lookup.catalog.rest.uri the right address";
        }
        if (code >= 500 || code == 429) {
            return ": the server has a problem; try again, and look at its log if it stays";
        }
        return ": check lookup.catalog.rest.uri, lookup.catalog.rest.warehouse and lookup.catalog.rest.prefix";
    }

    private static JsonNode parse(URI uri, byte[] body)
    {
        JsonNode node;
        try {
            node = MAPPER.readTree(body);
        }
        catch (IOException _) {
            // the parser's message would quote the answer
            throw error(uri, "gave an answer that is truncated or not JSON (%s bytes); check that lookup.catalog.rest.uri is that of a Paimon REST catalog".formatted(body.length), null);
        }
        if (!node.isObject()) {
            throw error(uri, "gave an answer that is not a JSON object (%s bytes)".formatted(body.length), null);
        }
        return node;
    }

    private static JsonNode parseError(byte[] body)
    {
        try {
            JsonNode node = MAPPER.readTree(body);
            if (node.isObject()) {
                return node;
            }
        }
        catch (IOException _) {
            // the status says enough
        }
        return MAPPER.createObjectNode();
    }

    private String mask(String text)
    {
        return settings.token().map(token -> text.replace(token, MASK)).orElse(text);
    }

    private static String shorten(String text)
    {
        String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= MAX_TOLD ? line : line.substring(0, MAX_TOLD) + "...";
    }

    private static OptionalLong retryAfterMillis(HttpResponse<?> response)
    {
        try {
            return response.headers().firstValueAsLong("Retry-After").stream()
                    .map(seconds -> Math.clamp(seconds, 0, MAX_PAUSE_MILLIS / 1_000) * 1_000)
                    .findFirst();
        }
        catch (NumberFormatException _) {
            // a date: our own pause is as good
            return OptionalLong.empty();
        }
    }

    private static long pauseMillis(int attempt)
    {
        return Math.min(FIRST_PAUSE_MILLIS << (2 * (attempt - 1)), MAX_PAUSE_MILLIS);
    }

    private static void pause(URI uri, long millis)
    {
        try {
            Thread.sleep(Duration.ofMillis(millis));
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw error(uri, "was interrupted", e);
        }
    }

    private static StorageException error(URI uri, String what, Throwable cause)
    {
        return new StorageException(StorageErrorCode.CATALOG_ERROR, "GET %s %s".formatted(uri, what), cause);
    }

    @Override
    public void close()
    {
        http.shutdownNow();
    }
}
