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
package io.lookup.trino;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.units.Duration;
import io.airlift.units.MinDuration;
import io.lookup.storage.catalog.rest.RestCatalogSettings;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;

import java.net.URI;
import java.util.Optional;

import static java.util.concurrent.TimeUnit.SECONDS;

/**
 * The catalog properties that begin with {@code lookup.catalog.rest.}.
 */
public class RestCatalogConfig
{
    private Optional<URI> uri = Optional.empty();
    private RestTokenProvider tokenProvider = RestTokenProvider.BEAR;
    private Optional<String> token = Optional.empty();
    private Optional<String> warehouse = Optional.empty();
    private Optional<String> prefix = Optional.empty();
    private Duration requestTimeout = new Duration(30, SECONDS);
    private boolean ignoreDataToken;

    @NotNull
    public Optional<URI> getUri()
    {
        return uri;
    }

    @Config("lookup.catalog.rest.uri")
    @ConfigDescription("Address of the REST catalog's server")
    public RestCatalogConfig setUri(URI uri)
    {
        this.uri = Optional.ofNullable(uri);
        return this;
    }

    @AssertTrue(message = "lookup.catalog.rest.uri must be a http or https URI with a host, without user, query and fragment")
    public boolean isUriServer()
    {
        return uri.map(RestCatalogSettings::isServer).orElse(true);
    }

    @NotNull
    public RestTokenProvider getTokenProvider()
    {
        return tokenProvider;
    }

    @Config("lookup.catalog.rest.token-provider")
    @ConfigDescription("How the server learns who asks: bear or none")
    public RestCatalogConfig setTokenProvider(RestTokenProvider tokenProvider)
    {
        this.tokenProvider = tokenProvider;
        return this;
    }

    @NotNull
    public Optional<String> getToken()
    {
        return token;
    }

    @Config("lookup.catalog.rest.token")
    @ConfigDescription("What is sent as Authorization: Bearer")
    @ConfigSecuritySensitive
    public RestCatalogConfig setToken(String token)
    {
        this.token = Optional.ofNullable(token);
        return this;
    }

    @AssertTrue(message = "lookup.catalog.rest.token must not be empty, nor have blanks or characters that no header can have")
    public boolean isTokenSendable()
    {
        return token.map(RestCatalogSettings::isToken).orElse(true);
    }

    @NotNull
    public Optional<@Size(min = 1) String> getWarehouse()
    {
        return warehouse;
    }

    @Config("lookup.catalog.rest.warehouse")
    @ConfigDescription("Which of the server's catalogs is meant")
    public RestCatalogConfig setWarehouse(String warehouse)
    {
        this.warehouse = Optional.ofNullable(warehouse);
        return this;
    }

    @NotNull
    public Optional<@Size(min = 1) String> getPrefix()
    {
        return prefix;
    }

    @Config("lookup.catalog.rest.prefix")
    @ConfigDescription("Prefix of the paths of requests, unless the server tells one")
    public RestCatalogConfig setPrefix(String prefix)
    {
        this.prefix = Optional.ofNullable(prefix);
        return this;
    }

    @NotNull
    @MinDuration("1ms")
    public Duration getRequestTimeout()
    {
        return requestTimeout;
    }

    @Config("lookup.catalog.rest.request-timeout")
    @ConfigDescription("How long one request may take")
    public RestCatalogConfig setRequestTimeout(Duration requestTimeout)
    {
        this.requestTimeout = requestTimeout;
        return this;
    }

    public boolean isIgnoreDataToken()
    {
        return ignoreDataToken;
    }

    @Config("lookup.catalog.rest.ignore-data-token")
    @ConfigDescription("Read files with the keys of this catalog though the server hands out some for each table")
    public RestCatalogConfig setIgnoreDataToken(boolean ignoreDataToken)
    {
        this.ignoreDataToken = ignoreDataToken;
        return this;
    }
}
