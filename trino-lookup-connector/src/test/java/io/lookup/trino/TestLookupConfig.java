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
import io.airlift.configuration.ConfigurationFactory;
import io.airlift.units.DataSize;
import io.airlift.units.Duration;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import static io.airlift.configuration.testing.ConfigAssertions.assertFullMapping;
import static io.airlift.configuration.testing.ConfigAssertions.assertRecordedDefaults;
import static io.airlift.configuration.testing.ConfigAssertions.recordDefaults;
import static io.airlift.units.DataSize.Unit.GIGABYTE;
import static io.airlift.units.DataSize.Unit.MEGABYTE;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

final class TestLookupConfig
{
    /**
     * What a server checks at its start.
     */
    @Test
    void testWarehouseIsEnough()
    {
        LookupConfig config = new ConfigurationFactory(ImmutableMap.of("lookup.warehouse", "hdfs://namenode:8020/warehouse")).build(LookupConfig.class);
        assertThat(config.getHdfsUser()).isEmpty();
    }

    @Test
    void testDefaults()
    {
        assertRecordedDefaults(recordDefaults(LookupConfig.class)
                .setCatalogType(CatalogType.FILESYSTEM)
                .setWarehouse(null)
                .setHadoopConfigFiles(ImmutableList.of())
                .setHdfsUser(null)
                .setCacheDirectory(Path.of(System.getProperty("java.io.tmpdir"), "trino-lookup").toString())
                .setCacheMaxDiskSize(DiskSizeLimit.UNLIMITED)
                .setCacheMaxMemorySize(DataSize.of(256, MEGABYTE))
                .setCacheFileRetention(new Duration(1, HOURS))
                .setCacheCompression(CacheCompression.LZ4)
                .setCacheCopyThreads(1)
                .setDynamicFilteringWaitTimeout(new Duration(1, SECONDS))
                .setBackgroundCompactionThreads(2)
                .setBackgroundCompactionMaxPending(10_000)
                .setBackgroundCompactionCommitTimeout(new Duration(1, HOURS))
                .setBackgroundCompactionShutdownTimeout(new Duration(30, SECONDS))
                .setRebaseMaxSize(DataSize.of(64, MEGABYTE))
                .setExpireSnapshotsMinRetention(new Duration(7, DAYS))
                .setRemoveOrphanFilesMinRetention(new Duration(7, DAYS)));
    }

    @Test
    void testExplicitPropertyMappings()
            throws Exception
    {
        Path hadoopFile = Files.createTempFile("core-site", ".xml");
        Map<String, String> properties = ImmutableMap.<String, String>builder()
                .put("lookup.catalog.type", "rest")
                .put("lookup.warehouse", "s3a://bucket/lake")
                .put("lookup.hadoop-config-files", hadoopFile.toString())
                .put("lookup.hdfs.user", "etl")
                .put("lookup.cache-directory", "/cache")
                .put("lookup.cache-max-disk-size", "3GB")
                .put("lookup.cache-max-memory-size", "64MB")
                .put("lookup.cache-file-retention", "5m")
                .put("lookup.cache-compression", "zstd")
                .put("lookup.cache-copy-threads", "3")
                .put("lookup.dynamic-filtering.wait-timeout", "20s")
                .put("lookup.background-compaction.threads", "5")
                .put("lookup.background-compaction.max-pending", "0")
                .put("lookup.background-compaction.commit-timeout", "6m")
                .put("lookup.background-compaction.shutdown-timeout", "7s")
                .put("lookup.rebase-max-size", "8MB")
                .put("lookup.expire-snapshots.min-retention", "2h")
                .put("lookup.remove-orphan-files.min-retention", "3h")
                .buildOrThrow();

        assertFullMapping(properties, new LookupConfig()
                .setCatalogType(CatalogType.REST)
                .setWarehouse("s3a://bucket/lake")
                .setHadoopConfigFiles(ImmutableList.of(hadoopFile.toFile()))
                .setHdfsUser("etl")
                .setCacheDirectory("/cache")
                .setCacheMaxDiskSize(new DiskSizeLimit(Optional.of(DataSize.of(3, GIGABYTE))))
                .setCacheMaxMemorySize(DataSize.of(64, MEGABYTE))
                .setCacheFileRetention(new Duration(5, MINUTES))
                .setCacheCompression(CacheCompression.ZSTD)
                .setCacheCopyThreads(3)
                .setDynamicFilteringWaitTimeout(new Duration(20, SECONDS))
                .setBackgroundCompactionThreads(5)
                .setBackgroundCompactionMaxPending(0)
                .setBackgroundCompactionCommitTimeout(new Duration(6, MINUTES))
                .setBackgroundCompactionShutdownTimeout(new Duration(7, SECONDS))
                .setRebaseMaxSize(DataSize.of(8, MEGABYTE))
                .setExpireSnapshotsMinRetention(new Duration(2, HOURS))
                .setRemoveOrphanFilesMinRetention(new Duration(3, HOURS)));
    }

    @Test
    void testWarehouseIsRequired()
    {
        assertThat(new LookupConfig().setWarehouse("/lake").isWarehouseGiven()).isTrue();
        assertThat(new LookupConfig().isWarehouseGiven()).isFalse();
        assertThat(new LookupConfig().setCatalogType(CatalogType.REST).isWarehouseGiven()).isTrue();
    }

    @Test
    void testWarehouseMustBeAbsolute()
    {
        assertThat(new LookupConfig().setWarehouse("/lake").isWarehouseAbsolute()).isTrue();
        assertThat(new LookupConfig().setWarehouse("file:///lake").isWarehouseAbsolute()).isTrue();
        assertThat(new LookupConfig().setWarehouse("s3a://bucket").isWarehouseAbsolute()).isTrue();
        assertThat(new LookupConfig().setWarehouse("lake").isWarehouseAbsolute()).isFalse();
        assertThat(new LookupConfig().setWarehouse("s3a:bucket").isWarehouseAbsolute()).isFalse();
        assertThat(new LookupConfig().setWarehouse("a b:c").isWarehouseAbsolute()).isFalse();
    }
}
