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

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Scopes;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.ProvidesIntoSet;
import io.airlift.concurrent.BoundedExecutor;
import io.lookup.trino.changes.TableChangesFunction;
import io.lookup.trino.changes.VerifyChangelogFunction;
import io.lookup.trino.compaction.BackgroundCompactions;
import io.lookup.trino.engine.EngineModule;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.metadata.TableColumns;
import io.lookup.trino.procedure.MaintenanceProcedures;
import io.lookup.trino.procedure.MaintenanceTableProcedures;
import io.lookup.trino.procedure.OptimizeTableProcedure;
import io.lookup.trino.properties.LookupTableProperties;
import io.lookup.trino.read.ForReading;
import io.lookup.trino.read.LookupPageSourceProvider;
import io.lookup.trino.read.LookupSplitManager;
import io.lookup.trino.read.ScanStatistics;
import io.lookup.trino.read.SplitAddresses;
import io.lookup.trino.write.ForWriting;
import io.lookup.trino.write.LookupNodePartitioningProvider;
import io.lookup.trino.write.LookupPageSinkProvider;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorPageSinkProvider;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorPageSourceProvider;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorSplitManager;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorTableFunction;
import io.trino.plugin.base.classloader.ClassLoaderSafeNodePartitioningProvider;
import io.trino.plugin.base.classloader.ForClassLoaderSafe;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.TableProcedureMetadata;
import io.trino.spi.function.table.ConnectorTableFunction;
import jakarta.annotation.PreDestroy;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

import static com.google.inject.multibindings.Multibinder.newSetBinder;
import static io.airlift.concurrent.Threads.daemonThreadsNamed;
import static io.airlift.configuration.ConfigBinder.configBinder;
import static java.util.concurrent.Executors.newCachedThreadPool;
import static org.weakref.jmx.guice.ExportBinder.newExporter;

/**
 * How the parts of a catalog are put together.
 */
public final class LookupModule
        implements Module
{
    @Override
    public void configure(Binder binder)
    {
        configBinder(binder).bindConfig(LookupConfig.class);
        configBinder(binder).bindConfig(RestCatalogConfig.class);
        binder.install(new EngineModule());
        binder.bind(LookupTables.class).in(Scopes.SINGLETON);
        binder.bind(TableColumns.class).in(Scopes.SINGLETON);
        binder.bind(LookupTransactionManager.class).in(Scopes.SINGLETON);
        binder.bind(LookupConnector.class).in(Scopes.SINGLETON);
        binder.bind(LookupSessionProperties.class).in(Scopes.SINGLETON);
        binder.bind(LookupTableProperties.class).in(Scopes.SINGLETON);
        binder.bind(BackgroundCompactions.class).in(Scopes.SINGLETON);
        newExporter(binder).export(BackgroundCompactions.class).withGeneratedName();
        binder.bind(ScanStatistics.class).in(Scopes.SINGLETON);
        newExporter(binder).export(ScanStatistics.class).withGeneratedName();
        binder.bind(Threads.class).in(Scopes.SINGLETON);

        binder.bind(SplitAddresses.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorSplitManager.class).annotatedWith(ForClassLoaderSafe.class).to(LookupSplitManager.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorSplitManager.class).to(ClassLoaderSafeConnectorSplitManager.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSourceProvider.class).annotatedWith(ForClassLoaderSafe.class).to(LookupPageSourceProvider.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSourceProvider.class).to(ClassLoaderSafeConnectorPageSourceProvider.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSinkProvider.class).annotatedWith(ForClassLoaderSafe.class).to(LookupPageSinkProvider.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorPageSinkProvider.class).to(ClassLoaderSafeConnectorPageSinkProvider.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorNodePartitioningProvider.class).annotatedWith(ForClassLoaderSafe.class).to(LookupNodePartitioningProvider.class).in(Scopes.SINGLETON);
        binder.bind(ConnectorNodePartitioningProvider.class).to(ClassLoaderSafeNodePartitioningProvider.class).in(Scopes.SINGLETON);

        binder.bind(TableChangesFunction.class).in(Scopes.SINGLETON);
        binder.bind(VerifyChangelogFunction.class).in(Scopes.SINGLETON);
        Multibinder<TableProcedureMetadata> tableProcedures = newSetBinder(binder, TableProcedureMetadata.class);
        tableProcedures.addBinding().toProvider(OptimizeTableProcedure.class).in(Scopes.SINGLETON);
        MaintenanceTableProcedures.get().forEach(procedure -> tableProcedures.addBinding().toInstance(procedure));
        binder.bind(MaintenanceProcedures.class).in(Scopes.SINGLETON);
    }

    @ProvidesIntoSet
    @Singleton
    public static ConnectorTableFunction tableChanges(TableChangesFunction function)
    {
        return new ClassLoaderSafeConnectorTableFunction(function, LookupModule.class.getClassLoader());
    }

    @ProvidesIntoSet
    @Singleton
    public static ConnectorTableFunction verifyChangelog(VerifyChangelogFunction function)
    {
        return new ClassLoaderSafeConnectorTableFunction(function, LookupModule.class.getClassLoader());
    }

    @Provides
    @Singleton
    @ForReading
    public static ExecutorService readExecutor(Threads threads)
    {
        return threads.readers;
    }

    /**
     * Writing sorts, compresses and compacts, so that more threads than processors would only take memory.
     */
    @Provides
    @Singleton
    @ForWriting
    public static Executor writeExecutor(Threads threads)
    {
        return new BoundedExecutor(threads.writers, Math.max(4, Runtime.getRuntime().availableProcessors() * 2));
    }

    static final class Threads
    {
        private final ExecutorService readers = newCachedThreadPool(daemonThreadsNamed("lookup-read-%s"));
        private final ExecutorService writers = newCachedThreadPool(daemonThreadsNamed("lookup-write-%s"));

        @PreDestroy
        public void shutdown()
        {
            readers.shutdownNow();
            writers.shutdownNow();
        }
    }
}
