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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.trino.spi.connector.Connector;
import io.trino.testing.TestingConnectorContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestLookupConnectorFactory
{
    @TempDir
    private Path directory;

    @Test
    void testStarts()
    {
        create(ImmutableMap.of("hadoop.fs.any.option", "1")).shutdown();
    }

    @Test
    void testBadConfigurationNamesTheProperty()
    {
        assertThatThrownBy(() -> create(ImmutableMap.of("lookup.cache-max-disk", "1GB")))
                .hasMessageContaining("lookup.cache-max-disk");
        assertThatThrownBy(() -> create(ImmutableMap.of("lookup.cache-max-disk-size", "much")))
                .hasMessageContaining("lookup.cache-max-disk-size");
        assertThatThrownBy(() -> create(ImmutableMap.of("lookup.warehouse", "lake")))
                .hasMessageContaining("lookup.warehouse");
        assertThatThrownBy(() -> create(ImmutableMap.of("lookup.warehouse", "nosuchscheme://lake")))
                .hasMessageContaining("lookup.warehouse");
        assertThatThrownBy(() -> create(ImmutableMap.of("lookup.hadoop-config-files", "/no/such/file")))
                .hasMessageContaining("Bad value of lookup.hadoop-config-files: there is no file /no/such/file");
    }

    @Test
    void testWarehouseThatIsAFile()
            throws Exception
    {
        Path file = Files.writeString(directory.resolve("file"), "text");
        assertThatThrownBy(() -> create(ImmutableMap.of("lookup.warehouse", file.toString())))
                .hasMessageContaining("lookup.warehouse")
                .hasMessageContaining(file.toString());
    }

    @Test
    void testUnreachableWarehouseIsAskedAndToldOfOnce()
    {
        AtomicInteger asked = new AtomicInteger();
        FileIo unreachable = new ForwardingFileIo(new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of())))
        {
            @Override
            public boolean exists(org.apache.hadoop.fs.Path path)
                    throws IOException
            {
                throw new IOException("answer " + asked.incrementAndGet());
            }
        };
        assertThatThrownBy(() -> create(new LookupConnectorFactory(binder -> binder.bind(FileIo.class).toInstance(unreachable)), ImmutableMap.of("lookup.warehouse", "s3a://lake/warehouse")))
                .hasMessageContaining("Bad value of lookup.warehouse: Warehouse s3a://lake/warehouse cannot be reached: IOException: answer 1. Check hadoop.fs.s3a.endpoint")
                .message().containsOnlyOnce("Bad value of");
        assertThat(asked).hasValue(1);
    }

    @Test
    void testErrorIsToldOnce()
    {
        assertThatThrownBy(() -> create(ImmutableMap.of("lookup.hadoop-config-files", "/no/such/file")))
                .message().containsOnlyOnce("Bad value of");
    }

    @Test
    void testRestCatalogNeedsItsProperties()
    {
        Map<String, String> rest = ImmutableMap.of("lookup.catalog.type", "rest", "lookup.catalog.rest.uri", "http://localhost:1", "lookup.catalog.rest.token", "secret");
        assertThatThrownBy(() -> create(rest))
                .hasMessageContaining("lookup.warehouse must not be set with lookup.catalog.type=rest");
        assertThatThrownBy(() -> createWithoutWarehouse(ImmutableMap.of("lookup.catalog.type", "rest")))
                .hasMessageContaining("lookup.catalog.rest.token is required");
        assertThatThrownBy(() -> createWithoutWarehouse(ImmutableMap.of("lookup.catalog.type", "rest", "lookup.catalog.rest.token-provider", "none")))
                .hasMessageContaining("lookup.catalog.rest.uri is required");
        assertThatThrownBy(() -> createWithoutWarehouse(ImmutableMap.of("lookup.catalog.type", "rest", "lookup.catalog.rest.uri", "ftp://x", "lookup.catalog.rest.token", "secret")))
                .hasMessageContaining("lookup.catalog.rest.uri must be")
                .message().doesNotContain("secret");
        assertThatThrownBy(() -> createWithoutWarehouse(ImmutableMap.<String, String>builder().putAll(rest).put("lookup.catalog.rest.token-provider", "none").buildOrThrow()))
                .hasMessageContaining("lookup.catalog.rest.token must not be set")
                .message().doesNotContain("secret");
        assertThatThrownBy(() -> create(ImmutableMap.of("lookup.catalog.rest.uri", "http://localhost:1")))
                .hasMessageContaining("need lookup.catalog.type=rest");
        assertThatThrownBy(() -> createWithoutWarehouse(ImmutableMap.of()))
                .hasMessageContaining("lookup.warehouse is required");
        // nobody has to answer yet
        createWithoutWarehouse(rest).shutdown();
    }

    @Test
    void testHadoopPropertiesAreNotPrinted()
    {
        HadoopProperties properties = HadoopProperties.fromCatalogProperties(ImmutableMap.of("hadoop.fs.s3a.secret.key", "very secret", "lookup.warehouse", "/w"));
        assertThat(properties.properties()).containsExactly(Map.entry("fs.s3a.secret.key", "very secret"));
        assertThat(properties.toString()).doesNotContain("very secret");
    }

    private Connector create(Map<String, String> properties)
    {
        return createWithoutWarehouse(ImmutableMap.<String, String>builder()
                .put("lookup.warehouse", directory.toUri().toString())
                .putAll(properties)
                .buildKeepingLast());
    }

    private Connector createWithoutWarehouse(Map<String, String> properties)
    {
        return create(new LookupConnectorFactory(), properties);
    }

    private Connector create(LookupConnectorFactory factory, Map<String, String> properties)
    {
        return factory.create(
                "lake",
                ImmutableMap.<String, String>builder()
                        .put("lookup.cache-directory", directory.resolve("cache").toString())
                        .put("bootstrap.quiet", "true")
                        .putAll(properties)
                        .buildKeepingLast(),
                new TestingConnectorContext());
    }
}
