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

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * How to reach a REST catalog. Its text does not tell the token.
 *
 * @param uri of the server, http or https, without the {@code /v1} that all requests begin with
 * @param token sent as {@code Authorization: Bearer}; empty for a server that asks for none
 * @param warehouse which of the server's catalogs is meant; empty for its only one
 * @param prefix of the paths of requests, unless the server tells one; empty for none
 * @param timeout of one request with its answer
 * @param dataTokensIgnored read files with one's own keys though the server hands out some for each table
 */
public record RestCatalogSettings(URI uri, Optional<String> token, Optional<String> warehouse, Optional<String> prefix, Duration timeout, boolean dataTokensIgnored)
{
    public RestCatalogSettings
    {
        requireNonNull(uri, "uri is null");
        requireNonNull(token, "token is null");
        requireNonNull(warehouse, "warehouse is null");
        requireNonNull(prefix, "prefix is null");
        requireNonNull(timeout, "timeout is null");
        checkArgument(isServer(uri), "not the URI of a server: %s", uri.getScheme());
        // the HTTP client's own error would show the header, and with it the token
        checkArgument(token.isEmpty() || isToken(token.get()), "the token is empty, or has blanks or characters that no header can have");
        checkArgument(!timeout.isNegative() && !timeout.isZero(), "timeout is not positive");
    }

    /**
     * An absolute HTTP URI with a host, without user, query and fragment: secrets have their own place.
     */
    public static boolean isServer(URI uri)
    {
        return ("http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme())) &&
                uri.getHost() != null &&
                uri.getRawUserInfo() == null &&
                uri.getRawQuery() == null &&
                uri.getRawFragment() == null;
    }

    public static boolean isToken(String token)
    {
        return !token.isEmpty() && token.chars().allMatch(character -> character > ' ' && character < 0x7f);
    }

    @Override
    public String toString()
    {
        return "RestCatalogSettings[uri=%s, warehouse=%s, prefix=%s]".formatted(uri, warehouse, prefix);
    }
}
