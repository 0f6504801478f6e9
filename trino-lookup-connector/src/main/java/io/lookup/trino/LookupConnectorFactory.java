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

import com.google.common.collect.Maps;
import com.google.inject.CreationException;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.spi.Message;
import com.google.inject.util.Modules;
import io.airlift.bootstrap.Bootstrap;
import io.airlift.json.JsonModule;
import io.trino.plugin.base.jmx.ConnectorObjectNameGeneratorModule;
import io.trino.plugin.base.jmx.MBeanServerModule;
import io.trino.spi.NodeManager;
import io.trino.spi.catalog.CatalogName;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorContext;
import io.trino.spi.connector.ConnectorFactory;
import io.trino.spi.type.TypeManager;
import org.weakref.jmx.guice.MBeanModule;

import java.util.Collection;
import java.util.Map;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.inject.util.Modules.EMPTY_MODULE;
import static io.trino.plugin.base.Versions.checkStrictSpiVersionMatch;
import static java.util.Objects.requireNonNull;
import static java.util.function.Function.identity;

/**
 * Makes catalogs of their properties. Whatever is wrong with these is told at once, with the property's name.
 */
public final class LookupConnectorFactory
        implements ConnectorFactory
{
    public static final String CONNECTOR_NAME = "lookup";

    private final Module overrides;

    public LookupConnectorFactory()
    {
        this(EMPTY_MODULE);
    }

    /**
     * @param overrides bindings that take the place of the usual ones
     */
    LookupConnectorFactory(Module overrides)
    {
        this.overrides = requireNonNull(overrides, "overrides is null");
    }

    @Override
    public String getName()
    {
        return CONNECTOR_NAME;
    }

    @Override
    public Connector create(String catalogName, Map<String, String> config, ConnectorContext context)
    {
        checkStrictSpiVersionMatch(context, this);
        ClassLoader classLoader = LookupConnectorFactory.class.getClassLoader();
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(classLoader)) {
            Bootstrap app = new Bootstrap(
                    new JsonModule(),
                    new MBeanModule(),
                    new MBeanServerModule(),
                    new ConnectorObjectNameGeneratorModule("io.lookup.trino", "trino.plugin.lookup"),
                    Modules.override(new LookupModule()).with(overrides),
                    binder -> {
                        binder.bind(CatalogName.class).toInstance(new CatalogName(catalogName));
                        binder.bind(ClassLoader.class).toInstance(classLoader);
                        binder.bind(NodeManager.class).toInstance(context.getNodeManager());
                        binder.bind(TypeManager.class).toInstance(context.getTypeManager());
                        binder.bind(HadoopProperties.class).toInstance(HadoopProperties.fromCatalogProperties(config));
                    });
            Injector injector = app
                    .doNotInitializeLogging()
                    // hadoop. properties have any name, and must not be printed with the others: they may be secrets
                    .setRequiredConfigurationProperties(Maps.filterKeys(config, key -> !HadoopProperties.isHadoopProperty(key)))
                    .initialize();
            return injector.getInstance(LookupConnector.class);
        }
        catch (CreationException e) {
            throw new CreationException(distinct(e.getErrorMessages()));
        }
    }

    /**
     * One error for each reason. Guice tells of what could not be made once for every class that needs it: pages of the same.
     */
    private static Collection<Message> distinct(Collection<Message> messages)
    {
        return messages.stream()
                .collect(toImmutableMap(Message::getMessage, identity(), (first, _) -> first))
                .values();
    }
}
