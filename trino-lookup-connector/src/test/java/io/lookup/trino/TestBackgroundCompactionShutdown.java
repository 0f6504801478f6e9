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
import io.airlift.units.Duration;
import io.trino.testing.DistributedQueryRunner;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static io.lookup.trino.LogReplay.assertLogGivesTable;
import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A catalog that is closed while it compacts in the background.
 */
final class TestBackgroundCompactionShutdown
{
    private final GatedFileIo files = new GatedFileIo();
    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");

    /**
     * What runs is finished, and so is what waits, be it that its commit has not even been seen.
     */
    @Test
    void testDrained()
            throws Exception
    {
        DistributedQueryRunner closing = LookupQueryRunner.createSingleNode(warehouse, ImmutableMap.of("lookup.background-compaction.threads", "1"), files.plugin());
        create(closing, "running");
        create(closing, "waiting");
        create(closing, "latest");
        files.close();
        closing.execute("INSERT INTO running VALUES (1, 'a')");
        files.awaitArrival();
        closing.execute("INSERT INTO waiting VALUES (1, 'a')");
        closing.execute("INSERT INTO latest VALUES (1, 'a')");
        Thread closer = Thread.ofPlatform().start(closing::close);
        assertThat(closer.join(java.time.Duration.ofSeconds(2))).as("the catalog is closed before its compactions have ended").isFalse();
        files.open();
        assertThat(closer.join(java.time.Duration.ofSeconds(60))).isTrue();

        try (DistributedQueryRunner next = LookupQueryRunner.createSingleNode(warehouse, ImmutableMap.of(), files.plugin())) {
            for (String table : List.of("running", "waiting", "latest")) {
                assertThat(kinds(next, table)).as(table).isEqualTo("APPEND,COMPACT");
                assertLogGivesTable(next::execute, table);
            }
        }
    }

    /**
     * What there is no time for is left to the next server's statements.
     */
    @Test
    void testTimeIsBounded()
            throws Exception
    {
        DistributedQueryRunner closing = LookupQueryRunner.createSingleNode(
                warehouse,
                ImmutableMap.of("lookup.background-compaction.threads", "1", "lookup.background-compaction.shutdown-timeout", "100ms"),
                files.plugin());
        create(closing, "stuck");
        create(closing, "behind");
        files.close();
        closing.execute("INSERT INTO stuck VALUES (1, 'a')");
        files.awaitArrival();
        closing.execute("INSERT INTO behind VALUES (1, 'a')");
        Thread closer = Thread.ofPlatform().start(closing::close);
        assertThat(closer.join(java.time.Duration.ofSeconds(60))).isTrue();
        files.open();

        try (DistributedQueryRunner next = LookupQueryRunner.createSingleNode(warehouse, ImmutableMap.of(), files.plugin())) {
            for (String table : List.of("stuck", "behind")) {
                assertThat(kinds(next, table)).as(table).isEqualTo("APPEND");
                next.execute("INSERT INTO %s VALUES (2, 'b')".formatted(table));
                assertEventually(new Duration(60, TimeUnit.SECONDS), () -> assertThat(next.execute("SELECT count(*) FROM \"%s$files\" WHERE level = 0".formatted(table)).getOnlyValue()).isEqualTo(0L));
                assertLogGivesTable(next::execute, table);
            }
        }
    }

    private static Object kinds(DistributedQueryRunner queryRunner, String table)
    {
        return queryRunner.execute("SELECT array_join(array_agg(commit_kind ORDER BY snapshot_id), ',') FROM \"%s$snapshots\"".formatted(table)).getOnlyValue();
    }

    private static void create(DistributedQueryRunner queryRunner, String table)
    {
        queryRunner.execute("CREATE TABLE %s (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1, changelog_producer = 'lookup', lookup_wait = false)".formatted(table));
    }
}
