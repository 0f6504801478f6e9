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
     * What runs is finished, what waits is dropped, and the next server's statements take that along.
     */
    @Test
    void testRunningOnesAreFinished()
            throws Exception
    {
        DistributedQueryRunner closing = LookupQueryRunner.createSingleNode(warehouse, ImmutableMap.of("lookup.background-compaction.threads", "1"), files.plugin());
        create(closing, "running");
        create(closing, "waiting");
        files.close();
        closing.execute("INSERT INTO running VALUES (1, 'a')");
        files.awaitArrival();
        closing.execute("INSERT INTO waiting VALUES (1, 'a')");
        Thread closer = Thread.ofPlatform().start(closing::close);
        assertThat(closer.join(java.time.Duration.ofSeconds(2))).as("the catalog is closed before its compactions have ended").isFalse();
        files.open();
        assertThat(closer.join(java.time.Duration.ofSeconds(60))).isTrue();

        try (DistributedQueryRunner next = LookupQueryRunner.createSingleNode(warehouse, ImmutableMap.of(), files.plugin())) {
            assertThat(next.execute("SELECT array_agg(commit_kind ORDER BY snapshot_id) = ARRAY['APPEND', 'COMPACT'] FROM \"running$snapshots\"").getOnlyValue()).isEqualTo(true);
            assertThat(next.execute("SELECT array_agg(commit_kind ORDER BY snapshot_id) = ARRAY['APPEND'] FROM \"waiting$snapshots\"").getOnlyValue()).isEqualTo(true);
            next.execute("INSERT INTO waiting VALUES (2, 'b')");
            assertEventually(new Duration(60, TimeUnit.SECONDS), () -> assertThat(next.execute("SELECT count(*) FROM \"waiting$files\" WHERE level = 0").getOnlyValue()).isEqualTo(0L));
            assertLogGivesTable(next::execute, "running");
            assertLogGivesTable(next::execute, "waiting");
        }
    }

    @Test
    void testTimeIsBounded()
            throws Exception
    {
        DistributedQueryRunner closing = LookupQueryRunner.createSingleNode(warehouse, ImmutableMap.of("lookup.background-compaction.shutdown-timeout", "100ms"), files.plugin());
        create(closing, "stuck");
        files.close();
        closing.execute("INSERT INTO stuck VALUES (1, 'a')");
        files.awaitArrival();
        Thread closer = Thread.ofPlatform().start(closing::close);
        assertThat(closer.join(java.time.Duration.ofSeconds(60))).isTrue();
    }

    private static void create(DistributedQueryRunner queryRunner, String table)
    {
        queryRunner.execute("CREATE TABLE %s (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1, changelog_producer = 'lookup', lookup_wait = false)".formatted(table));
    }
}
