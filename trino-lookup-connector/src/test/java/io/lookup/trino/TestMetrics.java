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
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import javax.management.MBeanServer;
import javax.management.ObjectName;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an operator sees of a catalog: beans that carry its name.
 */
final class TestMetrics
        extends AbstractTestQueryFramework
{
    // no other test of this process has a catalog of that name
    private static final String CATALOG = "observed";
    private static final List<String> BEANS = ImmutableList.of(
            "trino.plugin.lookup.compaction:type=BackgroundCompactions",
            "trino.plugin.lookup.read:type=ScanStatistics",
            "io.lookup.storage.commit:type=CommitStatistics",
            "io.lookup.storage.table:type=CompactionStatistics",
            "io.lookup.storage.lookup:type=LookupStatistics",
            "io.lookup.storage.lookup:type=LookupWayStatistics",
            "io.lookup.storage.lookup.local:type=LocalLookupFiles",
            "io.lookup.storage.format.manifest:type=ManifestCache",
            "io.lookup.storage.format.parquet:type=FooterCache");

    private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        DistributedQueryRunner queryRunner = LookupQueryRunner.createSingleNode(warehouse, ImmutableMap.of(), new LookupPlugin());
        queryRunner.createCatalog(CATALOG, LookupConnectorFactory.CONNECTOR_NAME, ImmutableMap.of(
                "lookup.warehouse", warehouse.toUri().toString(),
                "lookup.cache-directory", LookupQueryRunner.temporaryDirectory("lookup-cache").toString()));
        return queryRunner;
    }

    @Test
    void testStatementsAreCounted()
            throws Exception
    {
        for (String bean : BEANS) {
            assertThat(beans.isRegistered(name(bean))).as(bean).isTrue();
        }
        assertThat(count("io.lookup.storage.commit:type=CommitStatistics", "Commits")).isZero();

        assertUpdate("CREATE TABLE observed.default.counted (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO observed.default.counted VALUES (1, 'a'), (2, 'b')", 2);
        assertUpdate("UPDATE observed.default.counted SET v = 'c' WHERE k = 1", 1);
        String commits = "io.lookup.storage.commit:type=CommitStatistics";
        assertThat(count(commits, "Commits")).isEqualTo(2);
        assertThat(count(commits, "Snapshots")).isEqualTo(4);
        assertThat(count(commits, "ChangelogRows")).isEqualTo(4);
        assertThat(count(commits, "Conflicts")).isZero();
        assertThat(count(commits, "Failures")).isZero();
        assertThat((double) attribute(commits, "Time.AllTime.Count")).isEqualTo(2);
        assertThat((double) attribute(commits, "ChangelogRowsPerSnapshot.AllTime.Max")).isEqualTo(2);
        String compactions = "io.lookup.storage.table:type=CompactionStatistics";
        assertThat(count(compactions, "Compactions")).isEqualTo(2);
        assertThat(count(compactions, "ChangelogBytesWritten")).isPositive();
        assertThat(attribute(compactions, "Running")).isEqualTo(0);

        String scans = "trino.plugin.lookup.read:type=ScanStatistics";
        long splits = count(scans, "Splits");
        long rows = count(scans, "Rows");
        for (int time = 0; time < 2; time++) {
            assertQuery("SELECT * FROM observed.default.counted", "VALUES (1, 'c'), (2, 'b')");
        }
        assertThat(count(scans, "Splits")).isGreaterThan(splits);
        assertThat(count(scans, "Rows")).isEqualTo(rows + 4);
        assertThat(count(scans, "Bytes")).isPositive();
        assertThat((long) attribute("io.lookup.storage.format.manifest:type=ManifestCache", "HitCount")).isPositive();
        assertThat((long) attribute("io.lookup.storage.format.manifest:type=ManifestCache", "MemoryBytes")).isPositive();
        assertThat((long) attribute("io.lookup.storage.format.parquet:type=FooterCache", "HitCount")).isPositive();
        assertThat((long) attribute("io.lookup.storage.format.parquet:type=FooterCache", "MemoryBytes")).isPositive();
    }

    private long count(String bean, String counter)
            throws Exception
    {
        return (long) attribute(bean, counter + ".TotalCount");
    }

    private Object attribute(String bean, String attribute)
            throws Exception
    {
        return beans.getAttribute(name(bean), attribute);
    }

    private static ObjectName name(String bean)
            throws Exception
    {
        return new ObjectName(bean + ",name=" + CATALOG);
    }
}
