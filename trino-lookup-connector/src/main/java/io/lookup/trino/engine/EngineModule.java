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
package io.lookup.trino.engine;

import com.google.common.collect.ImmutableList;
import com.google.inject.Binder;
import com.google.inject.Inject;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.ProvisionException;
import com.google.inject.Scopes;
import com.google.inject.Singleton;
import com.google.inject.spi.Message;
import io.airlift.log.Logger;
import io.airlift.units.DataSize;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.catalog.TableCatalog;
import io.lookup.storage.catalog.rest.RestCatalog;
import io.lookup.storage.catalog.rest.RestCatalogSettings;
import io.lookup.storage.commit.CommitStatistics;
import io.lookup.storage.commit.RebaseBudget;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.manifest.ManifestCache;
import io.lookup.storage.format.parquet.FooterCache;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.lookup.LookupResources;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.LookupWayStatistics;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupCompression;
import io.lookup.storage.lookup.local.LookupFileSettings;
import io.lookup.storage.table.CompactionStatistics;
import io.lookup.storage.table.EngineStatistics;
import io.lookup.storage.table.TableContext;
import io.lookup.trino.HadoopProperties;
import io.lookup.trino.LookupConfig;
import io.lookup.trino.RestCatalogConfig;
import io.lookup.trino.RestTokenProvider;
import jakarta.annotation.PreDestroy;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.weakref.jmx.guice.ExportBinder.newExporter;

/**
 * The engine of one node, from the catalog's configuration.
 */
public final class EngineModule
        implements Module
{
    private static final Logger log = Logger.get(EngineModule.class);
    private static final int SILENT_SECONDS = 10;

    private static final long MANIFEST_CACHE_BYTES = 64L << 20;
    // beside them, the files of tables that have very many: about 100 bytes each
    private static final int FILE_INDEX_SHARE = 16;
    private static final long MIN_FILE_INDEX_BYTES = 64L << 20;
    private static final long MAX_FILE_INDEX_BYTES = 1L << 30;
    private static final long FOOTER_CACHE_BYTES = 64L << 20;

    // of one sink; a node runs several at a time
    private static final int WRITE_MEMORY_SHARE = 32;
    private static final long MIN_WRITE_MEMORY_BYTES = 16L << 20;
    private static final long MAX_WRITE_MEMORY_BYTES = 256L << 20;

    @Override
    public void configure(Binder binder)
    {
        binder.bind(EngineCloser.class).asEagerSingleton();
        binder.bind(LookupStatistics.class).in(Scopes.SINGLETON);
        newExporter(binder).export(LookupStatistics.class).withGeneratedName();
        newExporter(binder).export(LookupWayStatistics.class).withGeneratedName();
        newExporter(binder).export(LocalLookupFiles.class).withGeneratedName();
        newExporter(binder).export(CommitStatistics.class).withGeneratedName();
        newExporter(binder).export(CompactionStatistics.class).withGeneratedName();
        newExporter(binder).export(ManifestCache.class).withGeneratedName();
        newExporter(binder).export(FooterCache.class).withGeneratedName();
    }

    @Provides
    @Singleton
    public static FileIo fileIo(LookupConfig config, HadoopProperties hadoopProperties)
    {
        for (File file : config.getHadoopConfigFiles()) {
            if (!file.isFile()) {
                throw new ProvisionException("Bad value of lookup.hadoop-config-files: there is no file %s".formatted(file));
            }
        }
        return new HadoopFileIo(
                HadoopConfigurations.create(
                        hadoopProperties.properties(),
                        config.getHadoopConfigFiles().stream().map(File::getPath).collect(toImmutableList())),
                config.getHdfsUser());
    }

    @Provides
    @Singleton
    static OpenedCatalog openedCatalog(LookupConfig config, RestCatalogConfig restConfig, FileIo fileIo, HadoopProperties hadoopProperties)
    {
        return OpenedCatalog.open(() -> switch (config.getCatalogType()) {
            case FILESYSTEM -> fileSystemCatalog(config, restConfig, fileIo, hadoopProperties);
            case REST -> restCatalog(config, restConfig);
        });
    }

    @Provides
    @Singleton
    static TableCatalog catalog(OpenedCatalog opened)
    {
        return opened.catalog();
    }

    private static LookupCatalog fileSystemCatalog(LookupConfig config, RestCatalogConfig restConfig, FileIo fileIo, HadoopProperties hadoopProperties)
    {
        if (restConfig.getUri().isPresent() || restConfig.getToken().isPresent() || restConfig.getWarehouse().isPresent() || restConfig.getPrefix().isPresent()) {
            throw new ProvisionException("Properties that begin with lookup.catalog.rest. need lookup.catalog.type=rest");
        }
        try {
            LookupCatalog catalog = new LookupCatalog(fileIo, LookupCatalog.warehousePath(config.getWarehouse()));
            // Hadoop's clients try for minutes before they give up, and a start that hangs should say on what
            Future<?> warning = CompletableFuture.runAsync(
                    () -> log.warn(
                            "Warehouse %s (lookup.warehouse%s) has not answered for %s seconds; the start goes on once it does, or fails when its client gives up. Look at the endpoint and the network",
                            config.getWarehouse(),
                            endpoint(config.getWarehouse(), hadoopProperties),
                            SILENT_SECONDS),
                    CompletableFuture.delayedExecutor(SILENT_SECONDS, SECONDS));
            try {
                catalog.checkReachable();
            }
            finally {
                warning.cancel(false);
            }
            return catalog;
        }
        catch (StorageException e) {
            throw new ProvisionException(ImmutableList.of(new Message("Bad value of lookup.warehouse: " + e.getMessage(), e)));
        }
    }

    private static String endpoint(String warehouse, HadoopProperties hadoopProperties)
    {
        // a URI of HDFS has the address itself
        if (!warehouse.startsWith("s3a:")) {
            return "";
        }
        String endpoint = hadoopProperties.properties().get("fs.s3a.endpoint");
        return endpoint == null ? "; hadoop.fs.s3a.endpoint is not set in the catalog file" : "; hadoop.fs.s3a.endpoint=" + endpoint;
    }

    private static RestCatalog restCatalog(LookupConfig lookupConfig, RestCatalogConfig config)
    {
        if (lookupConfig.getWarehouse() != null) {
            throw new ProvisionException("lookup.warehouse must not be set with lookup.catalog.type=rest: the server says where tables lie, and lookup.catalog.rest.warehouse which of its catalogs is meant");
        }
        if (config.getTokenProvider() == RestTokenProvider.BEAR && config.getToken().isEmpty()) {
            throw new ProvisionException("lookup.catalog.rest.token is required, unless lookup.catalog.rest.token-provider is none");
        }
        if (config.getTokenProvider() == RestTokenProvider.NONE && config.getToken().isPresent()) {
            throw new ProvisionException("lookup.catalog.rest.token must not be set with lookup.catalog.rest.token-provider=none");
        }
        return new RestCatalog(new RestCatalogSettings(
                config.getUri().orElseThrow(() -> new ProvisionException("lookup.catalog.rest.uri is required for lookup.catalog.type=rest")),
                config.getToken(),
                config.getWarehouse(),
                config.getPrefix(),
                config.getRequestTimeout().toJavaTime(),
                config.isIgnoreDataToken()));
    }

    @Provides
    @Singleton
    public static LocalLookupFiles lookupFiles(LookupConfig config, LookupStatistics statistics)
    {
        return new LocalLookupFiles(
                new LookupFileSettings(
                        Path.of(config.getCacheDirectory(), "lookup"),
                        config.getCacheMaxDiskSize().size().map(DataSize::toBytes).orElse(Long.MAX_VALUE),
                        config.getCacheMaxMemorySize().toBytes(),
                        config.getCacheFileRetention().toMillis(),
                        switch (config.getCacheCompression()) {
                            case NONE -> LookupCompression.NONE;
                            case LZ4 -> LookupCompression.LZ4;
                            case ZSTD -> LookupCompression.ZSTD;
                        },
                        LookupFileSettings.DEFAULT_BLOCK_BYTES,
                        config.getCacheCopyThreads()),
                statistics);
    }

    @Provides
    @Singleton
    public static LookupResources lookupResources()
    {
        return new LookupResources();
    }

    @Provides
    @Singleton
    public static LookupWayStatistics lookupWayStatistics(LookupResources resources)
    {
        return resources.statistics();
    }

    @Provides
    @Singleton
    public static EngineStatistics engineStatistics()
    {
        return new EngineStatistics();
    }

    @Provides
    @Singleton
    public static CommitStatistics commitStatistics(EngineStatistics statistics)
    {
        return statistics.commits();
    }

    @Provides
    @Singleton
    public static CompactionStatistics compactionStatistics(EngineStatistics statistics)
    {
        return statistics.compactions();
    }

    @Provides
    @Singleton
    public static ManifestCache manifestCache()
    {
        return new ManifestCache(MANIFEST_CACHE_BYTES, Math.clamp(Runtime.getRuntime().maxMemory() / FILE_INDEX_SHARE, MIN_FILE_INDEX_BYTES, MAX_FILE_INDEX_BYTES));
    }

    @Provides
    @Singleton
    public static FooterCache footerCache()
    {
        return new FooterCache(FOOTER_CACHE_BYTES);
    }

    @Provides
    @Singleton
    public static TableContext tableContext(
            LookupConfig config,
            FileIo fileIo,
            FooterCache footerCache,
            ManifestCache manifestCache,
            LocalLookupFiles lookupFiles,
            LookupResources lookups,
            EngineStatistics statistics)
    {
        Path spillDirectory = Path.of(config.getCacheDirectory(), "spill");
        try {
            Files.createDirectories(spillDirectory);
            // permissions do not tell of a read-only or a full disk
            Files.delete(Files.createTempFile(spillDirectory, "probe-", ".tmp"));
        }
        catch (IOException e) {
            throw new ProvisionException(ImmutableList.of(new Message("Bad value of lookup.cache-directory: %s cannot be written: %s".formatted(config.getCacheDirectory(), e), e)));
        }
        return new TableContext(
                fileIo,
                new DataFileReaderFactory(fileIo, footerCache),
                manifestCache,
                Optional.of(lookupFiles),
                spillDirectory,
                Math.clamp(Runtime.getRuntime().maxMemory() / WRITE_MEMORY_SHARE, MIN_WRITE_MEMORY_BYTES, MAX_WRITE_MEMORY_BYTES),
                new RebaseBudget(config.getRebaseMaxSize().toBytes(), RebaseBudget.DEFAULT_CONCURRENCY),
                lookups,
                statistics);
    }

    /**
     * What came of opening the catalog. Guice asks anew for something that could not be made, for every class that needs it: without this, a
     * store that does not answer would be waited for as many times.
     */
    record OpenedCatalog(Optional<TableCatalog> opened, Optional<ProvisionException> failure)
    {
        OpenedCatalog
        {
            requireNonNull(opened, "opened is null");
            requireNonNull(failure, "failure is null");
        }

        static OpenedCatalog open(Supplier<TableCatalog> catalog)
        {
            try {
                return new OpenedCatalog(Optional.of(catalog.get()), Optional.empty());
            }
            catch (ProvisionException e) {
                return new OpenedCatalog(Optional.empty(), Optional.of(e));
            }
        }

        TableCatalog catalog()
        {
            return opened.orElseThrow(failure::orElseThrow);
        }
    }

    /**
     * Gives up file systems and local files with the catalog.
     */
    static final class EngineCloser
    {
        private final FileIo fileIo;
        private final LocalLookupFiles lookupFiles;
        private final TableCatalog catalog;

        @Inject
        EngineCloser(FileIo fileIo, LocalLookupFiles lookupFiles, TableCatalog catalog)
        {
            this.catalog = requireNonNull(catalog, "catalog is null");
            this.fileIo = requireNonNull(fileIo, "fileIo is null");
            this.lookupFiles = requireNonNull(lookupFiles, "lookupFiles is null");
        }

        @PreDestroy
        public void close()
                throws IOException
        {
            // data files are read until then
            try (Closeable _ = fileIo instanceof Closeable closeable ? closeable : () -> {};
                    Closeable _ = catalog instanceof Closeable closeable ? closeable : () -> {}) {
                lookupFiles.close();
            }
        }
    }
}
