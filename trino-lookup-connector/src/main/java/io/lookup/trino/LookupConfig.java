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
import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import io.airlift.units.MinDuration;
import io.lookup.storage.commit.RebaseBudget;
import io.lookup.storage.lookup.local.LookupFileSettings;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;

import java.io.File;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;

/**
 * The catalog properties that begin with {@code lookup.}.
 */
public class LookupConfig
{
    public static final String EXPIRE_SNAPSHOTS_MIN_RETENTION = "lookup.expire-snapshots.min-retention";
    public static final String REMOVE_ORPHAN_FILES_MIN_RETENTION = "lookup.remove-orphan-files.min-retention";

    private CatalogType catalogType = CatalogType.FILESYSTEM;
    private String warehouse;
    private List<File> hadoopConfigFiles = ImmutableList.of();
    private Optional<String> hdfsUser = Optional.empty();
    private String cacheDirectory = Path.of(System.getProperty("java.io.tmpdir"), "trino-lookup").toString();
    private DiskSizeLimit cacheMaxDiskSize = DiskSizeLimit.UNLIMITED;
    private DataSize cacheMaxMemorySize = DataSize.of(256, MEGABYTE);
    private Duration cacheFileRetention = new Duration(1, HOURS);
    private CacheCompression cacheCompression = CacheCompression.LZ4;
    private int cacheCopyThreads = LookupFileSettings.DEFAULT_COPY_THREADS;
    private Duration dynamicFilteringWaitTimeout = new Duration(1, SECONDS);
    private int backgroundCompactionThreads = 2;
    private int backgroundCompactionMaxPending = 10_000;
    private Duration backgroundCompactionCommitTimeout = new Duration(1, HOURS);
    private Duration backgroundCompactionShutdownTimeout = new Duration(30, SECONDS);
    private DataSize rebaseMaxSize = DataSize.ofBytes(RebaseBudget.DEFAULT_MAX_BYTES).succinct();
    private Duration expireSnapshotsMinRetention = new Duration(7, DAYS);
    private Duration removeOrphanFilesMinRetention = new Duration(7, DAYS);

    @NotNull
    public CatalogType getCatalogType()
    {
        return catalogType;
    }

    @Config("lookup.catalog.type")
    @ConfigDescription("Who knows which schemas and tables there are: filesystem or rest")
    public LookupConfig setCatalogType(CatalogType catalogType)
    {
        this.catalogType = catalogType;
        return this;
    }

    /**
     * @return null if there is none, which {@link #isWarehouseGiven} allows
     */
    public String getWarehouse()
    {
        return warehouse;
    }

    @Config("lookup.warehouse")
    @ConfigDescription("Root folder of all schemas: a Hadoop URI, or an absolute path of the local file system")
    public LookupConfig setWarehouse(String warehouse)
    {
        this.warehouse = warehouse;
        return this;
    }

    @AssertTrue(message = "lookup.warehouse is required, unless lookup.catalog.type is rest")
    public boolean isWarehouseGiven()
    {
        return warehouse != null || catalogType == CatalogType.REST;
    }

    @AssertTrue(message = "lookup.warehouse must be a URI with a scheme, or an absolute path")
    public boolean isWarehouseAbsolute()
    {
        if (warehouse == null) {
            // reported as missing
            return true;
        }
        if (warehouse.startsWith("/")) {
            return true;
        }
        try {
            URI uri = URI.create(warehouse);
            return uri.isAbsolute() && uri.getPath() != null;
        }
        catch (IllegalArgumentException _) {
            return false;
        }
    }

    @NotNull
    public List<File> getHadoopConfigFiles()
    {
        return hadoopConfigFiles;
    }

    @Config("lookup.hadoop-config-files")
    @ConfigDescription("Hadoop XML files, applied before the properties that begin with hadoop.")
    public LookupConfig setHadoopConfigFiles(List<File> hadoopConfigFiles)
    {
        this.hadoopConfigFiles = ImmutableList.copyOf(hadoopConfigFiles);
        return this;
    }

    @NotNull
    public Optional<@Size(min = 1) String> getHdfsUser()
    {
        return hdfsUser;
    }

    @Config("lookup.hdfs.user")
    @ConfigDescription("Whose name HDFS is given; the process's user or HADOOP_USER_NAME if not set")
    public LookupConfig setHdfsUser(String hdfsUser)
    {
        this.hdfsUser = Optional.ofNullable(hdfsUser);
        return this;
    }

    @NotNull
    public String getCacheDirectory()
    {
        return cacheDirectory;
    }

    @Config("lookup.cache-directory")
    @ConfigDescription("Local folder of this node for lookup files and spilled rows")
    public LookupConfig setCacheDirectory(String cacheDirectory)
    {
        this.cacheDirectory = cacheDirectory;
        return this;
    }

    @NotNull
    public DiskSizeLimit getCacheMaxDiskSize()
    {
        return cacheMaxDiskSize;
    }

    @Config("lookup.cache-max-disk-size")
    @ConfigDescription("Bound on local lookup files, or unlimited")
    public LookupConfig setCacheMaxDiskSize(DiskSizeLimit cacheMaxDiskSize)
    {
        this.cacheMaxDiskSize = cacheMaxDiskSize;
        return this;
    }

    @NotNull
    public DataSize getCacheMaxMemorySize()
    {
        return cacheMaxMemorySize;
    }

    @Config("lookup.cache-max-memory-size")
    @ConfigDescription("Bound on lookup blocks and Bloom filters in memory")
    public LookupConfig setCacheMaxMemorySize(DataSize cacheMaxMemorySize)
    {
        this.cacheMaxMemorySize = cacheMaxMemorySize;
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    public Duration getCacheFileRetention()
    {
        return cacheFileRetention;
    }

    @Config("lookup.cache-file-retention")
    @ConfigDescription("An untouched local lookup file is dropped after this time")
    public LookupConfig setCacheFileRetention(Duration cacheFileRetention)
    {
        this.cacheFileRetention = cacheFileRetention;
        return this;
    }

    @NotNull
    public CacheCompression getCacheCompression()
    {
        return cacheCompression;
    }

    @Config("lookup.cache-compression")
    @ConfigDescription("Compression of local lookup files: none, lz4 or zstd")
    public LookupConfig setCacheCompression(CacheCompression cacheCompression)
    {
        this.cacheCompression = cacheCompression;
        return this;
    }

    @Min(0)
    public int getCacheCopyThreads()
    {
        return cacheCopyThreads;
    }

    @Config("lookup.cache-copy-threads")
    @ConfigDescription("Threads of this node that make local lookup files of data files in the background; 0 for none")
    public LookupConfig setCacheCopyThreads(int cacheCopyThreads)
    {
        this.cacheCopyThreads = cacheCopyThreads;
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    public Duration getDynamicFilteringWaitTimeout()
    {
        return dynamicFilteringWaitTimeout;
    }

    @Config("lookup.dynamic-filtering.wait-timeout")
    @ConfigDescription("How long planning waits for values that arrive by a join")
    public LookupConfig setDynamicFilteringWaitTimeout(Duration dynamicFilteringWaitTimeout)
    {
        this.dynamicFilteringWaitTimeout = dynamicFilteringWaitTimeout;
        return this;
    }

    @Min(1)
    public int getBackgroundCompactionThreads()
    {
        return backgroundCompactionThreads;
    }

    @Config("lookup.background-compaction.threads")
    @ConfigDescription("Threads of this node for compactions that no statement waits for")
    public LookupConfig setBackgroundCompactionThreads(int backgroundCompactionThreads)
    {
        this.backgroundCompactionThreads = backgroundCompactionThreads;
        return this;
    }

    @Min(0)
    public int getBackgroundCompactionMaxPending()
    {
        return backgroundCompactionMaxPending;
    }

    @Config("lookup.background-compaction.max-pending")
    @ConfigDescription("Buckets that may wait on this node to be compacted in the background; others are left to the next statement that writes them")
    public LookupConfig setBackgroundCompactionMaxPending(int backgroundCompactionMaxPending)
    {
        this.backgroundCompactionMaxPending = backgroundCompactionMaxPending;
        return this;
    }

    @NotNull
    @MinDuration("1s")
    public Duration getBackgroundCompactionCommitTimeout()
    {
        return backgroundCompactionCommitTimeout;
    }

    @Config("lookup.background-compaction.commit-timeout")
    @ConfigDescription("How long a node that has written its part of a statement looks for the statement's commit")
    public LookupConfig setBackgroundCompactionCommitTimeout(Duration backgroundCompactionCommitTimeout)
    {
        this.backgroundCompactionCommitTimeout = backgroundCompactionCommitTimeout;
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    public Duration getBackgroundCompactionShutdownTimeout()
    {
        return backgroundCompactionShutdownTimeout;
    }

    @Config("lookup.background-compaction.shutdown-timeout")
    @ConfigDescription("How long closing the catalog goes on with background compactions")
    public LookupConfig setBackgroundCompactionShutdownTimeout(Duration backgroundCompactionShutdownTimeout)
    {
        this.backgroundCompactionShutdownTimeout = backgroundCompactionShutdownTimeout;
        return this;
    }

    @NotNull
    public DataSize getRebaseMaxSize()
    {
        return rebaseMaxSize;
    }

    @Config("lookup.rebase-max-size")
    @ConfigDescription("Size of the files that the commit of a statement may read to write them again, since other statements committed to the same buckets first")
    public LookupConfig setRebaseMaxSize(DataSize rebaseMaxSize)
    {
        this.rebaseMaxSize = rebaseMaxSize;
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    public Duration getExpireSnapshotsMinRetention()
    {
        return expireSnapshotsMinRetention;
    }

    @Config(EXPIRE_SNAPSHOTS_MIN_RETENTION)
    @ConfigDescription("Smallest retention that expire_snapshots accepts")
    public LookupConfig setExpireSnapshotsMinRetention(Duration expireSnapshotsMinRetention)
    {
        this.expireSnapshotsMinRetention = expireSnapshotsMinRetention;
        return this;
    }

    @NotNull
    @MinDuration("0ms")
    public Duration getRemoveOrphanFilesMinRetention()
    {
        return removeOrphanFilesMinRetention;
    }

    @Config(REMOVE_ORPHAN_FILES_MIN_RETENTION)
    @ConfigDescription("Smallest retention that remove_orphan_files accepts")
    public LookupConfig setRemoveOrphanFilesMinRetention(Duration removeOrphanFilesMinRetention)
    {
        this.removeOrphanFilesMinRetention = removeOrphanFilesMinRetention;
        return this;
    }
}
