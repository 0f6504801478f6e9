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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.maintenance.VerificationSplit;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.SnapshotSummary;
import io.lookup.storage.table.EngineTable;
import io.lookup.storage.table.StorageTable;
import io.trino.spi.Page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A table with {@code lookup_wait = false}, of as many buckets as partitions, and what the statements that succeeded made of it. Each statement writes
 * every bucket. Checks read the warehouse and need no server.
 */
final class DeferredTable
{
    private static final int KEYS = 6;

    private final String name;
    private final int partitions;
    private final boolean sums;
    private final Map<List<Integer>, Long> rows = new HashMap<>();
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
        statements++;
        int number = statements;
        PatientStatements.execute(statement, "INSERT INTO %s SELECT p, k, %s * 1000 + k FROM UNNEST(sequence(1, %s)) a(p) CROSS JOIN UNNEST(sequence(%s, %s)) b(k)".formatted(
                name, number, partitions, number, number + KEYS - 1));
        for (int partition = 1; partition <= partitions; partition++) {
            for (int key = number; key < number + KEYS; key++) {
                rows.merge(List.of(partition, key), number * 1000L + key, (old, added) -> sums ? old + added : added);
            }
        }
    }

    /**
     * Deletes a row of each partition.
     */
    void delete(Statement statement)
            throws SQLException
    {
        int key = statements + 1;
        PatientStatements.execute(statement, "DELETE FROM %s WHERE k = %s".formatted(name, key));
        for (int partition = 1; partition <= partitions; partition++) {
            rows.remove(List.of(partition, key));
        }
    }

    long changelogFiles(PaimonOracle paimon)
            throws IOException
    {
        try (Stream<Path> files = Files.walk(location(paimon))) {
            return files.filter(file -> file.getFileName().toString().startsWith("changelog-")).count();
        }
    }

    /**
     * Data files whose rows are not logged.
     */
    long waitingFiles(PaimonOracle paimon)
            throws IOException
    {
        return asked(() -> paimon.files(table())).stream().filter(file -> file.level() == 0).count();
    }

    /**
     * The table has, as Paimon reads it, the rows of the statements that succeeded.
     */
    void checkRows(PaimonOracle paimon)
            throws IOException
    {
        Map<List<Integer>, Long> found = new HashMap<>();
        for (Change row : asked(() -> paimon.readTable(table()))) {
            assertThat(found.put(key(row), value(row))).as("%s of %s is there twice", row, name).isNull();
        }
        assertThat(found).as("rows of %s", name).isEqualTo(rows);
    }

    /**
     * Every old row of the log was there, no new one was, and together they make the table.
     */
    void checkLog(PaimonOracle paimon, Path scratch)
            throws IOException
    {
        List<Long> snapshots = asked(() -> paimon.snapshots(table())).stream().map(SnapshotSummary::id).toList();
        Map<List<Integer>, Long> state = new HashMap<>();
        for (Change change : asked(() -> paimon.readChangelog(table(), snapshots))) {
            switch (change.kind()) {
                case UPDATE_BEFORE, DELETE -> assertThat(state.remove(key(change))).as("%s in the log of %s", change, name).isEqualTo(value(change));
                case INSERT, UPDATE_AFTER -> assertThat(state.put(key(change), value(change))).as("%s in the log of %s", change, name).isNull();
            }
        }
        assertThat(state).as("log of %s, replayed", name).isEqualTo(rows);
        assertThat(contradictions(location(paimon), scratch)).as("contradictions in the log of %s", name).isZero();
    }

    Instant lastCommit(PaimonOracle paimon, Path scratch)
            throws IOException
    {
        try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), ImmutableList.of()))) {
            return Instant.ofEpochMilli(new EngineTable(fileIo, location(paimon), scratch).open().snapshots().latest().orElseThrow().timeMillis());
        }
    }

    private static long contradictions(Path location, Path scratch)
            throws IOException
    {
        long count = 0;
        try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), ImmutableList.of()))) {
            StorageTable table = new EngineTable(fileIo, location, scratch).open();
            Iterator<VerificationSplit> splits = table.verificationPlanner().plan(table.snapshots().latestId().orElseThrow());
            while (splits.hasNext()) {
                try (PageStream pages = table.verify(splits.next())) {
                    for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                        count += page.getPositionCount();
                    }
                }
            }
        }
        return count;
    }

    private Path location(PaimonOracle paimon)
            throws IOException
    {
        return asked(() -> paimon.location(table()));
    }

    private static <T> T asked(Callable<T> question)
            throws IOException
    {
        try {
            return question.call();
        }
        catch (Exception e) {
            throw new IOException("Paimon could not answer", e);
        }
    }

    private OracleTable table()
    {
        return new OracleTable("default", name);
    }

    private static List<Integer> key(Change row)
    {
        return List.of((Integer) row.values().get(0), (Integer) row.values().get(1));
    }

    private static Long value(Change row)
    {
        return (Long) row.values().get(2);
    }
}
