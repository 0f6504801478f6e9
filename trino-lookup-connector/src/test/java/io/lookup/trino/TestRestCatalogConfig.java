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

import com.google.common.collect.ImmutableMap;
import io.airlift.configuration.ConfigSecuritySensitive;
import io.airlift.units.Duration;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.Map;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

final class TestRestCatalogConfig
{
    @Test
    void testDefaults()
    {
        assertRecordedDefaults(recordDefaults(RestCatalogConfig.class)
                .setUri(null)
                .setTokenProvider(RestTokenProvider.BEAR)
                .setToken(null)
                .setWarehouse(null)
                .setPrefix(null)
                .setRequestTimeout(new Duration(30, SECONDS))
                .setIgnoreDataToken(false));
    }

    @Test
    void testExplicitPropertyMappings()
    {
        Map<String, String> properties = ImmutableMap.<String, String>builder()
                .put("lookup.catalog.rest.uri", "https://catalog:1234/path")
                .put("lookup.catalog.rest.token-provider", "none")
                .put("lookup.catalog.rest.token", "secret")
                .put("lookup.catalog.rest.warehouse", "instance")
                .put("lookup.catalog.rest.prefix", "lake")
                .put("lookup.catalog.rest.request-timeout", "3s")
                .put("lookup.catalog.rest.ignore-data-token", "true")
                .buildOrThrow();

        assertFullMapping(properties, new RestCatalogConfig()
                .setUri(URI.create("https://catalog:1234/path"))
                .setTokenProvider(RestTokenProvider.NONE)
                .setToken("secret")
                .setWarehouse("instance")
                .setPrefix("lake")
                .setRequestTimeout(new Duration(3, SECONDS))
                .setIgnoreDataToken(true));
    }

    @Test
    void testUri()
    {
        assertThat(new RestCatalogConfig().isUriServer()).isTrue();
        assertThat(new RestCatalogConfig().setUri(URI.create("http://host")).isUriServer()).isTrue();
        for (String uri : new String[] {"host:80", "ftp://host", "/path", "http:///path", "http://user:password@host", "http://host?key=secret", "http://host#x"}) {
            assertThat(new RestCatalogConfig().setUri(URI.create(uri)).isUriServer()).as(uri).isFalse();
        }
    }

    @Test
    void testToken()
            throws Exception
    {
        assertThat(new RestCatalogConfig().setToken("abc.DEF-1_=").isTokenSendable()).isTrue();
        for (String token : new String[] {"", "a b", "a\n", "\u00e4"}) {
            assertThat(new RestCatalogConfig().setToken(token).isTokenSendable()).as(token).isFalse();
        }
        // what makes the log at start leave it out
        assertThat(RestCatalogConfig.class.getMethod("setToken", String.class).isAnnotationPresent(ConfigSecuritySensitive.class)).isTrue();
    }
}
