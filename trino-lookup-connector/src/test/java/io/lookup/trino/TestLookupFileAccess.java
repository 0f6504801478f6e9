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
import com.google.inject.Module;
import io.lookup.storage.filesystem.CountingFileIo;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.trino.spi.Plugin;
import io.trino.spi.connector.ConnectorFactory;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.MaterializedRow;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which files a query opens.
 */
final class TestLookupFileAccess
        extends AbstractTestQueryFramework
{
    private static final int STATEMENTS = 100;

    private final CountingFileIo files = new CountingFileIo(new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of())));

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        Module overrides = binder -> binder.bind(FileIo.class).toInstance(files);
        return LookupQueryRunner.create(LookupQueryRunner.temporaryDirectory("lookup-warehouse"), ImmutableMap.of(), new Plugin()
        {
            @Override
            public Iterable<ConnectorFactory> getConnectorFactories()
            {
                return ImmutableList.of(new LookupConnectorFactory(overrides));
            }
        });
    }

    @Test
    void testRangeOfALongLog()
    {
        assertUpdate("CREATE TABLE written (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        for (int statement = 0; statement < STATEMENTS; statement++) {
            assertUpdate("INSERT INTO written VALUES (%s, 'v%s')".formatted(statement, statement), 1);
        }
        // the server has the manifests that it wrote in its memory, under the old name
        assertUpdate("ALTER TABLE written RENAME TO many");
        assertQuery("SELECT count(*), max(snapshot_id) FROM \"many$snapshots\"", "VALUES (%s, %s)".formatted(2 * STATEMENTS, 2 * STATEMENTS));
        Set<String> wantedLists = changelogLists("snapshot_id > 90 AND snapshot_id <= 100");
        assertThat(wantedLists).hasSize(5);
        Set<String> allLists = changelogLists("true");
        assertThat(allLists).hasSize(STATEMENTS);

        files.reset();
        assertQuery("SELECT count(*) FROM \"many$audit_log\" WHERE \"$snapshot_id\" > 90 AND \"$snapshot_id\" <= 100", "VALUES 5");
        assertThat(files.opened()).filteredOn(allLists::contains).containsExactlyInAnyOrderElementsOf(wantedLists);
        assertThat(files.opened()).filteredOn(name -> name.startsWith("manifest-list-")).containsExactlyInAnyOrderElementsOf(wantedLists);
        assertThat(files.opened()).filteredOn(name -> name.startsWith("data-")).isEmpty();
        // the range itself, and what finding the newest and the oldest snapshot takes
        assertThat(files.opened()).filteredOn(name -> name.startsWith("snapshot-")).hasSizeLessThan(20);

        files.reset();
        String statement = (String) computeScalar("SELECT DISTINCT \"$query_id\" FROM \"many$snapshots\" WHERE snapshot_id = 42");
        assertQuery("SELECT k FROM \"many$audit_log\" WHERE \"$query_id\" = '" + statement + "'", "VALUES 20");
        assertThat(files.opened()).filteredOn(name -> name.startsWith("manifest-list-")).containsExactlyInAnyOrderElementsOf(changelogLists("snapshot_id = 42"));
    }

    private Set<String> changelogLists(String condition)
    {
        return computeActual("SELECT changelog_manifest_list FROM \"many$snapshots\" WHERE changelog_manifest_list IS NOT NULL AND " + condition).getMaterializedRows().stream()
                .map((MaterializedRow row) -> (String) row.getField(0))
                .collect(toImmutableSet());
    }
}
