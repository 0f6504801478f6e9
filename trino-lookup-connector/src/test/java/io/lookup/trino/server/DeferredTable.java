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
package io.lookup.trino.server;

import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A table with {@code lookup_wait = false}, of as many buckets as partitions, and what the statements that succeeded made of it. Each statement writes
 * every bucket.
 */
final class DeferredTable
{
    private static final int KEYS = 6;
    private static final long WAIT_SECONDS = 600;

    private final String name;
    private final int partitions;
    private final boolean sums;
    private final SortedMap<String, Long> rows = new TreeMap<>();
    private int statements;

    /**
     * @param sums whether a key's values are added up, so that one that is lifted twice shows
     */
    DeferredTable(String name, int partitions, boolean sums)
    {
        this.name = requireNonNull(name, "name is null");
        this.partitions = partitions;
        this.sums = sums;
    }

    void create(Statement statement)
            throws SQLException
    {
        PatientStatements.execute(statement, "CREATE TABLE %s (p integer, k integer, v bigint) WITH (primary_key = ARRAY['p', 'k'], partitioned_by = ARRAY['p'], bucket = 1, changelog_producer = 'lookup', lookup_wait = false%s)".formatted(
                name,
                sums ? ", merge_engine = 'aggregation', options = ARRAY['fields.v.aggregate-function=sum']" : ""));
    }

    /**
     * Old keys and a new one, in all partitions.
     */
    void insert(Statement statement)
            throws SQLException
    {
        int number = ++statements;
        int firstKey = number / 2;
        PatientStatements.execute(statement, "INSERT INTO %s SELECT p, k, %s * 1000 + k FROM UNNEST(sequence(1, %s)) a(p) CROSS JOIN UNNEST(sequence(%s, %s)) b(k)".formatted(
                name, number, partitions, firstKey, firstKey + KEYS - 1));
        for (int partition = 1; partition <= partitions; partition++) {
            for (int key = firstKey; key < firstKey + KEYS; key++) {
                rows.merge(key(partition, key), number * 1000L + key, (old, added) -> sums ? old + added : added);
            }
        }
    }

    /**
     * The largest key of each partition, and with it a row that may not be logged yet.
     */
    void delete(Statement statement)
            throws SQLException
    {
        int key = statements / 2 + KEYS - 1;
        PatientStatements.execute(statement, "DELETE FROM %s WHERE k = %s".formatted(name, key));
        for (int partition = 1; partition <= partitions; partition++) {
            rows.remove(key(partition, key));
        }
    }

    /**
     * Data files whose rows are not logged.
     */
    long waitingFiles(Statement statement)
            throws SQLException
    {
        return Long.parseLong(PatientStatements.rows(statement, "SELECT count(*) FROM \"%s$files\" WHERE level = 0".formatted(name)).getFirst().getFirst());
    }

    void awaitLog(Statement statement)
            throws SQLException, InterruptedException
    {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (waitingFiles(statement) > 0) {
            assertThat(System.nanoTime()).as("the log of %s did not follow", name).isLessThan(end);
            Thread.sleep(20);
        }
    }

    /**
     * The table has the rows of the statements that succeeded, and of no other.
     */
    void checkRows(Statement statement)
            throws SQLException
    {
        SortedMap<String, Long> found = new TreeMap<>();
        for (List<String> row : PatientStatements.rows(statement, "SELECT p, k, v FROM " + name)) {
            assertThat(found.put(row.get(0) + " " + row.get(1), Long.valueOf(row.get(2)))).as("key %s of %s twice", row, name).isNull();
        }
        assertThat(found).as("rows of %s", name).isEqualTo(rows);
    }

    /**
     * Every old row of the log was there, no new one was, and together they make the table.
     */
    void checkLog(Statement statement)
            throws SQLException
    {
        SortedMap<String, Long> state = new TreeMap<>();
        // old rows sort behind new ones
        for (List<String> change : PatientStatements.rows(statement, "SELECT rowkind, p, k, v FROM \"%s$audit_log\" ORDER BY \"$snapshot_id\", p, k, rowkind DESC".formatted(name))) {
            String key = change.get(1) + " " + change.get(2);
            Long value = Long.valueOf(change.get(3));
            switch (change.get(0)) {
                case "-U", "-D" -> assertThat(state.remove(key)).as("%s of the log of %s", change, name).isEqualTo(value);
                default -> assertThat(state.put(key, value)).as("%s of the log of %s", change, name).isNull();
            }
        }
        assertThat(state).as("log of %s, replayed", name).isEqualTo(rows);
        assertThat(PatientStatements.rows(statement, "SELECT * FROM TABLE(system.verify_changelog('default', '%s'))".formatted(name))).isEmpty();
    }

    /**
     * Paimon reads the same rows, and none of them waits for a compaction.
     */
    void checkWithPaimon(PaimonOracle paimon)
            throws Exception
    {
        OracleTable table = new OracleTable("default", name);
        SortedMap<String, Long> found = new TreeMap<>();
        for (Change row : paimon.readTable(table)) {
            found.put(row.values().get(0) + " " + row.values().get(1), (Long) row.values().get(2));
        }
        assertThat(found).as("rows of %s in Paimon", name).isEqualTo(rows);
        assertThat(paimon.files(table)).as("files of %s", name).allMatch(file -> file.level() > 0);
    }

    private static String key(int partition, int key)
    {
        return partition + " " + key;
    }
}
