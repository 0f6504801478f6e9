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

import io.airlift.units.Duration;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import io.trino.testing.QueryRunner.MaterializedResultWithPlan;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

import static io.lookup.trino.LogReplay.assertLogGivesTable;
import static io.trino.testing.assertions.Assert.assertEventually;
import static java.util.concurrent.Executors.newFixedThreadPool;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * INSERTs on the same keys at the same time: all succeed, and the last to commit wins.
 */
final class TestConcurrentInserts
        extends AbstractTestQueryFramework
{
    private static final int THREADS = 4;
    private static final int STATEMENTS = 5;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create();
    }

    @Test
    void testLookup()
            throws Exception
    {
        assertUpdate("CREATE TABLE hot (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1, changelog_producer = 'lookup')");
        Map<String, String> values = insertAtOnce("hot");
        checkLastCommitWins("hot", values);
        assertLogGivesTable(this::computeActual, "hot");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(system.verify_changelog('default', 'hot'))");
        // what a COMPACT lifted of several statements is put down to none of them
        assertQuery("""
                SELECT count(*)
                FROM "hot$audit_log" l JOIN "hot$snapshots" s ON l."$snapshot_id" = s.snapshot_id
                WHERE l."$query_id" IS NOT NULL AND l."$query_id" <> s."$query_id"
                """, "VALUES 0");
    }

    @Test
    void testBackgroundCompaction()
            throws Exception
    {
        assertUpdate("CREATE TABLE warm (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 2, changelog_producer = 'lookup', lookup_wait = false)");
        Map<String, String> values = insertAtOnce("warm");
        assertEventually(new Duration(60, SECONDS), () -> assertQuery("SELECT count(*) FROM \"warm$files\" WHERE level = 0", "VALUES 0"));
        checkLastCommitWins("warm", values);
        assertLogGivesTable(this::computeActual, "warm");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(system.verify_changelog('default', 'warm'))");
    }

    @Test
    void testNone()
            throws Exception
    {
        assertUpdate("CREATE TABLE plain (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 1)");
        Map<String, String> values = insertAtOnce("plain");
        checkLastCommitWins("plain", values);
    }

    /**
     * @return what each query wrote into all rows
     */
    private Map<String, String> insertAtOnce(String table)
            throws Exception
    {
        Map<String, String> values = new ConcurrentHashMap<>();
        List<Future<?>> results = new ArrayList<>();
        try (ExecutorService executor = newFixedThreadPool(THREADS)) {
            for (int thread = 0; thread < THREADS; thread++) {
                for (int statement = 0; statement < STATEMENTS; statement++) {
                    String value = thread + "-" + statement;
                    results.add(executor.submit(() -> {
                        MaterializedResultWithPlan result = getDistributedQueryRunner().executeWithPlan(getSession(), "INSERT INTO %s SELECT n, '%s' FROM UNNEST(sequence(1, 5)) t(n)".formatted(table, value));
                        values.put(result.queryId().toString(), value);
                    }));
                }
            }
        }
        for (Future<?> result : results) {
            result.get();
        }
        assertThat(values).hasSize(THREADS * STATEMENTS);
        return values;
    }

    private void checkLastCommitWins(String table, Map<String, String> values)
    {
        String last = (String) computeScalar("SELECT max_by(\"$query_id\", snapshot_id) FROM \"%s$snapshots\" WHERE commit_kind = 'APPEND'".formatted(table));
        String expected = "VALUES (5, 1, '%s')".formatted(values.get(last));
        assertQuery("SELECT count(*), count(DISTINCT v), min(v) FROM " + table, expected);
        assertUpdate("ALTER TABLE %s EXECUTE optimize".formatted(table));
        assertQuery("SELECT count(*), count(DISTINCT v), min(v) FROM " + table, expected);
    }
}
