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
import com.google.common.collect.ImmutableSet;
import com.google.inject.Module;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.trino.execution.QueryInfo;
import io.trino.spi.Plugin;
import io.trino.spi.QueryId;
import io.trino.spi.connector.ConnectorFactory;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.MaterializedRow;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.TestInstance.Lifecycle.PER_CLASS;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/**
 * {@code ALTER TABLE … EXECUTE optimize} on a coordinator and two workers.
 */
@TestInstance(PER_CLASS)
@Execution(SAME_THREAD)
final class TestOptimize
        extends AbstractTestQueryFramework
{
    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");
    private final FileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()));
    // runs once, in the thread that next makes a data file of a compaction
    private final AtomicReference<Runnable> meanwhile = new AtomicReference<>();
    private final AtomicBoolean failChangelogFiles = new AtomicBoolean();

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        Module overrides = binder -> binder.bind(FileIo.class).toInstance(interruptible());
        return LookupQueryRunner.create(warehouse, ImmutableMap.of(), new Plugin()
        {
            @Override
            public Iterable<ConnectorFactory> getConnectorFactories()
            {
                return ImmutableList.of(new LookupConnectorFactory(overrides));
            }
        });
    }

    @Test
    void testPartitionedTable()
    {
        createDisorder("parts", "changelog_producer = 'lookup'", 3);
        List<String> rows = rows("parts");
        assertThat(levels("parts")).contains(0, 5).hasSizeGreaterThan(2);
        long before = latestSnapshot("parts");
        // what write-only statements left at level 0 is in no log yet
        assertThat(replay("parts")).isNotEqualTo(rows);

        optimize("parts");

        assertThat(rows("parts")).isEqualTo(rows);
        assertThat(levels("parts")).containsExactly(5);
        assertQuery("SELECT DISTINCT partition, bucket FROM \"parts$files\"", "SELECT * FROM (VALUES '{2025-01-01}', '{2025-01-02}', '{2025-01-03}') CROSS JOIN (VALUES 0, 1, 2, 3)");
        assertThat(latestSnapshot("parts")).isEqualTo(before + 1);
        assertThat(replay("parts")).isEqualTo(rows);
        // it lifted the rows of others, so that they are not put down to it
        assertQuery("SELECT commit_kind, \"$query_id\", \"$user\" FROM \"parts$snapshots\" WHERE snapshot_id = " + (before + 1), "VALUES ('COMPACT', NULL, NULL)");

        optimize("parts");
        assertThat(latestSnapshot("parts")).isEqualTo(before + 1);

        // the log stays exact for those who come later
        setWriteOnly("parts", false);
        assertUpdate("UPDATE parts SET v = 'later' WHERE id < 10", 27);
        assertThat(replay("parts")).isEqualTo(rows("parts"));
        assertUpdate("DROP TABLE parts");
    }

    @Test
    void testWhereChoosesPartitions()
    {
        createDisorder("chosen", "changelog_producer = 'lookup'", 3);
        List<String> rows = rows("chosen");
        Set<String> others = files("chosen", "partition <> '{2025-01-02}'");
        assertUpdate("ALTER TABLE chosen EXECUTE optimize WHERE dt = DATE '2025-01-02'");
        assertQuery("SELECT DISTINCT level FROM \"chosen$files\" WHERE partition = '{2025-01-02}'", "VALUES 5");
        assertThat(files("chosen", "partition <> '{2025-01-02}'")).isEqualTo(others);
        assertThat(rows("chosen")).isEqualTo(rows);

        long before = latestSnapshot("chosen");
        assertUpdate("ALTER TABLE chosen EXECUTE optimize WHERE dt = DATE '1999-01-01'");
        assertUpdate("ALTER TABLE chosen EXECUTE optimize WHERE dt = DATE '2025-01-02'");
        assertUpdate("ALTER TABLE chosen EXECUTE optimize WHERE false");
        assertThat(latestSnapshot("chosen")).isEqualTo(before);
        assertUpdate("ALTER TABLE chosen EXECUTE optimize WHERE dt IN (DATE '2025-01-01', DATE '2025-01-02') OR dt > DATE '2025-01-02'");
        assertThat(levels("chosen")).containsExactly(5);
        assertThat(replay("chosen")).isEqualTo(rows);
        assertUpdate("DROP TABLE chosen");
    }

    @Test
    void testWhereOfOtherColumns()
    {
        createDisorder("other", "changelog_producer = 'lookup'", 1);
        long before = latestSnapshot("other");
        String message = "WHERE of optimize must choose partitions of table default.other, by comparing the columns \\[dt] with constants";
        assertQueryFails("ALTER TABLE other EXECUTE optimize WHERE id = 3", message);
        assertQueryFails("ALTER TABLE other EXECUTE optimize WHERE dt = DATE '2025-01-01' AND v LIKE 'a%'", message);
        assertQueryFails("ALTER TABLE other EXECUTE optimize WHERE id % 3 = 1", message);
        assertQueryFails("ALTER TABLE other EXECUTE optimize WHERE dt = DATE '2025-01-01' OR id = 3", message);
        assertThat(latestSnapshot("other")).isEqualTo(before);
        assertUpdate("DROP TABLE other");

        assertUpdate("CREATE TABLE whole (id bigint) WITH (primary_key = ARRAY['id'])");
        assertUpdate("INSERT INTO whole VALUES 1", 1);
        assertQueryFails("ALTER TABLE whole EXECUTE optimize WHERE id = 1", "Table default.whole is not partitioned: WHERE is not supported with optimize");
        assertUpdate("DROP TABLE whole");
    }

    @Test
    void testWorkIsDoneByTheBucketsNodes()
    {
        createDisorder("spread", "changelog_producer = 'lookup'", 3);
        QueryId queryId = getDistributedQueryRunner().executeWithPlan(getSession(), "ALTER TABLE spread EXECUTE optimize").queryId();
        QueryInfo query = getDistributedQueryRunner().getCoordinator().getFullQueryInfo(queryId);
        Map<String, Long> bucketsByNode = NodeWork.inputPositions(query, "TableWriterOperator");
        // one row a bucket, each of them in one place
        assertThat(bucketsByNode.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(12);
        assertThat(bucketsByNode).hasSizeGreaterThan(1);
        assertUpdate("DROP TABLE spread");
    }

    @Test
    void testTableWithoutChangelog()
    {
        createDisorder("plain", "merge_engine = 'aggregation'", 2);
        List<String> rows = rows("plain");
        assertThat(levels("plain")).contains(0);
        optimize("plain");
        assertThat(levels("plain")).containsExactly(5);
        assertThat(rows("plain")).isEqualTo(rows);
        assertQuery("SELECT sum(changelog_record_count) FROM \"plain$snapshots\"", "VALUES NULL");
        // the log is that of the statements
        assertQuery("SELECT count(*) FROM \"plain$audit_log\" WHERE \"$snapshot_id\" = " + latestSnapshot("plain"), "VALUES 0");
        assertUpdate("DROP TABLE plain");
    }

    @Test
    void testKeysOfManyTypes()
    {
        String types = "a varchar, b decimal(20,3), c timestamp(6), d boolean, e char(5), f double, g date, h timestamp(3) with time zone, i varbinary";
        assertUpdate("CREATE TABLE wide (" + types + ", p varchar, n bigint NOT NULL, r row(x bigint, y array(varchar))) WITH (" +
                "primary_key = ARRAY['p', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'], partitioned_by = ARRAY['p'], bucket_key = ARRAY['h', 'b', 'a', 'e'], bucket = 3, " +
                "changelog_producer = 'lookup', options = ARRAY['write-only=true'])");
        for (int round = 0; round < 3; round++) {
            assertUpdate("INSERT INTO wide SELECT 'k' || CAST(n AS varchar), n * DECIMAL '1234567890123.457', timestamp '2024-01-01 00:00:00.123456' + n * interval '1' hour, n % 2 = 0, 'c ' || CAST(n AS varchar), " +
                    "CAST(n AS double) / 3, date '2024-01-01' + n * interval '1' day, timestamp '2024-01-01 00:00:00.123 UTC' + n * interval '1' minute, to_utf8(CAST(n AS varchar)), 'p/' || CAST(n % 2 AS varchar), " + round + ", ROW(n, ARRAY['z']) " +
                    "FROM UNNEST(sequence(1, 30)) t (n)", 30);
        }
        optimize("wide");
        assertThat(levels("wide")).containsExactly(5);
        assertQuery("SELECT count(*), count(DISTINCT a), sum(n) FROM wide", "VALUES (30, 30, 60)");
        assertQuery("SELECT rowkind, count(*) FROM \"wide$audit_log\" GROUP BY rowkind", "VALUES ('+I', 30)");
        assertUpdate("DROP TABLE wide");
    }

    @Test
    void testNothingToDo()
    {
        assertUpdate("CREATE TABLE empty (id bigint) WITH (primary_key = ARRAY['id'], changelog_producer = 'lookup')");
        optimize("empty");
        assertQuery("SELECT count(*) FROM \"empty$snapshots\"", "VALUES 0");
        assertUpdate("INSERT INTO empty VALUES 1", 1);
        optimize("empty");
        assertQuery("SELECT count(*) FROM \"empty$snapshots\"", "VALUES 2");
        // a table all of whose rows are deleted has no file afterwards
        assertUpdate("DELETE FROM empty", 1);
        optimize("empty");
        optimize("empty");
        assertQuery("SELECT count(*) FROM \"empty$files\"", "VALUES 0");
        assertQueryReturnsEmptyResult("SELECT * FROM empty");
        assertUpdate("DROP TABLE empty");
    }

    @Test
    void testExplainChangesNothing()
            throws Exception
    {
        createDisorder("explained", "changelog_producer = 'lookup'", 1);
        Set<String> before = filesOnDisk("explained");
        String plan = (String) computeScalar("EXPLAIN ALTER TABLE explained EXECUTE optimize WHERE dt >= DATE '2025-01-01'");
        assertThat(plan)
                .contains("default.explained buckets dt [2025-01-01, +∞)")
                .doesNotContain("Filter");
        assertThat(filesOnDisk("explained")).isEqualTo(before);
        assertUpdate("DROP TABLE explained");
    }

    @Test
    void testInsertMeanwhile()
            throws Exception
    {
        createDisorder("busy", "changelog_producer = 'lookup'", 3);
        long before = latestSnapshot("busy");
        // changes the buckets of one partition only
        meanwhile.set(() -> getQueryRunner().execute("INSERT INTO busy SELECT n, DATE '2025-01-03', 'new', n FROM UNNEST(sequence(1, 100)) t (n)"));
        optimize("busy");
        assertThat(meanwhile.get()).isNull();
        List<String> rows = rows("busy");
        assertQuery("SELECT count(*) FROM busy WHERE v = 'new'", "VALUES 100");
        assertQuery("SELECT snapshot_id, commit_kind FROM \"busy$snapshots\" WHERE snapshot_id > " + before, "VALUES (%s, 'APPEND'), (%s, 'COMPACT')".formatted(before + 1, before + 2));
        assertQuery("SELECT DISTINCT level FROM \"busy$files\" WHERE partition <> '{2025-01-03}'", "VALUES 5");
        assertThat(levels("busy")).contains(0);
        assertNoUnknownFiles("busy");

        optimize("busy");
        assertThat(rows("busy")).isEqualTo(rows);
        assertThat(levels("busy")).containsExactly(5);
        assertThat(replay("busy")).isEqualTo(rows);
        assertUpdate("DROP TABLE busy");
    }

    /**
     * Rows that are appended meanwhile stay at level 0, above what was compacted.
     */
    @Test
    void testInsertIntoEveryBucketMeanwhile()
            throws Exception
    {
        createDisorder("crowded", "changelog_producer = 'lookup'", 1);
        long before = latestSnapshot("crowded");
        meanwhile.set(() -> getQueryRunner().execute("INSERT INTO crowded SELECT n, DATE '2025-01-01', 'new', n FROM UNNEST(sequence(1, 100)) t (n)"));
        optimize("crowded");
        assertThat(meanwhile.get()).isNull();
        assertQuery("SELECT snapshot_id, commit_kind FROM \"crowded$snapshots\" WHERE snapshot_id > " + before, "VALUES (%s, 'APPEND'), (%s, 'COMPACT')".formatted(before + 1, before + 2));
        assertThat(levels("crowded")).containsExactly(0, 5);
        assertQuery("SELECT count(*) FROM crowded WHERE v = 'new'", "VALUES 100");
        assertNoUnknownFiles("crowded");
        optimize("crowded");
        assertThat(levels("crowded")).containsExactly(5);
        assertThat(replay("crowded")).isEqualTo(rows("crowded"));
        assertUpdate("DROP TABLE crowded");
    }

    @Test
    void testOptimizeMeanwhile()
            throws Exception
    {
        createDisorder("twice", "changelog_producer = 'lookup'", 1);
        long before = latestSnapshot("twice");
        meanwhile.set(() -> getQueryRunner().execute("ALTER TABLE twice EXECUTE optimize"));
        assertQueryFails("ALTER TABLE twice EXECUTE optimize", "Table default.twice: other statements changed every bucket that was compacted; nothing was committed, run the statement again");
        assertThat(latestSnapshot("twice")).isEqualTo(before + 1);
        assertNoUnknownFiles("twice");
        assertThat(levels("twice")).containsExactly(5);
        assertThat(replay("twice")).isEqualTo(rows("twice"));
        assertUpdate("DROP TABLE twice");
    }

    @Test
    void testFailureLeavesNothing()
            throws Exception
    {
        createDisorder("broken", "changelog_producer = 'lookup'", 3);
        List<String> rows = rows("broken");
        Set<String> before = filesOnDisk("broken");
        // in every bucket, at a moment when its data file is begun: a sink that had finished would not be told of the failure of another
        failChangelogFiles.set(true);
        try {
            assertQueryFails("ALTER TABLE broken EXECUTE optimize", ".*disk on fire.*");
        }
        finally {
            failChangelogFiles.set(false);
        }
        assertThat(rows("broken")).isEqualTo(rows);
        // sinks are aborted after the statement's answer
        for (int attempt = 0; attempt < 100 && !filesOnDisk("broken").equals(before); attempt++) {
            Thread.sleep(100);
        }
        assertThat(filesOnDisk("broken")).isEqualTo(before);
        assertUpdate("DROP TABLE broken");
    }

    @Test
    void testRefusals()
    {
        assertUpdate("CREATE TABLE refused (id bigint) WITH (primary_key = ARRAY['id'])");
        assertQueryFails("ALTER TABLE \"refused$files\" EXECUTE optimize", "Table default.refused\\$files is read-only: it tells of table default.refused");
        assertQueryFails("ALTER TABLE \"refused$audit_log\" EXECUTE optimize", "Table default.refused\\$audit_log is read-only: it tells of table default.refused");
        assertQueryFails("ALTER TABLE refused EXECUTE optimize (full => true)", ".*full.*");
        assertQueryFails("ALTER TABLE refused EXECUTE polish", ".*(?i)polish.*");
        changeSchema("refused", schema -> new TableSchema(schema.version(), schema.id() + 1, schema.fields(), schema.highestFieldId(), schema.partitionKeys(), List.of(), ImmutableMap.of("bucket", "2", "bucket-key", "id"), schema.comment(), schema.timeMillis()));
        assertQueryFails("ALTER TABLE refused EXECUTE optimize", "Table default.refused cannot be optimized: it has buckets and no primary key");
        assertUpdate("DROP TABLE refused");
    }

    private void optimize(String table)
    {
        assertUpdate("ALTER TABLE " + table + " EXECUTE optimize");
    }

    /**
     * A table with 4 buckets a partition, several levels, and files at level 0 that no compaction followed.
     */
    private void createDisorder(String table, String properties, int partitions)
    {
        assertUpdate("CREATE TABLE " + table + " (id bigint, dt date, v varchar, n bigint) WITH (primary_key = ARRAY['id', 'dt'], partitioned_by = ARRAY['dt'], bucket = 4, options = ARRAY['compaction.force-up-level-0=true'], " + properties + ")");
        String dates = " CROSS JOIN UNNEST(sequence(DATE '2025-01-01', DATE '2025-01-01' + INTERVAL '%s' DAY)) d (dt)".formatted(partitions - 1);
        assertUpdate("INSERT INTO " + table + " SELECT n, dt, 'a' || CAST(n AS varchar), n FROM UNNEST(sequence(1, 200)) t (n)" + dates, 200L * partitions);
        // the second level of half of the size stays beside the first
        assertUpdate("INSERT INTO " + table + " SELECT n, dt, 'b', n FROM UNNEST(sequence(1, 100)) t (n)" + dates, 100L * partitions);
        setWriteOnly(table, true);
        assertUpdate("INSERT INTO " + table + " SELECT n * 7, dt, 'c', n FROM UNNEST(sequence(1, 40)) t (n)" + dates, 40L * partitions);
    }

    private void setWriteOnly(String table, boolean writeOnly)
    {
        changeSchema(table, schema -> {
            Map<String, String> options = new HashMap<>(schema.options());
            options.put("write-only", String.valueOf(writeOnly));
            return new TableSchema(schema.version(), schema.id() + 1, schema.fields(), schema.highestFieldId(), schema.partitionKeys(), schema.primaryKeys(), options, schema.comment(), schema.timeMillis());
        });
    }

    private void changeSchema(String table, UnaryOperator<TableSchema> change)
    {
        SchemaManager schemas = new SchemaManager(fileIo, new org.apache.hadoop.fs.Path(location(table).toUri()));
        assertThat(schemas.tryCreate(change.apply(schemas.latest().orElseThrow()))).isTrue();
    }

    private Path location(String table)
    {
        return warehouse.resolve("default.db").resolve(table);
    }

    private List<String> rows(String table)
    {
        return computeActual("SELECT dt, id, v, n FROM " + table).getMaterializedRows().stream()
                .map(row -> row.getFields().toString())
                .sorted()
                .collect(toImmutableList());
    }

    /**
     * The rows that the log gives, each change checked against the state that it says it changes.
     */
    private List<String> replay(String table)
    {
        Map<String, String> state = new HashMap<>();
        // per snapshot, what goes before what comes
        String log = "SELECT rowkind, dt, id, v, n FROM \"" + table + "$audit_log\" ORDER BY \"$snapshot_id\", rowkind LIKE '+_'";
        for (MaterializedRow row : computeActual(log).getMaterializedRows()) {
            String kind = (String) row.getField(0);
            String key = row.getFields().subList(1, 3).toString();
            String value = row.getFields().subList(1, 5).toString();
            if (kind.startsWith("-")) {
                assertThat(state.remove(key)).isEqualTo(value);
            }
            else {
                assertThat(state.put(key, value)).isNull();
            }
        }
        return state.values().stream().sorted().collect(toImmutableList());
    }

    private List<Integer> levels(String table)
    {
        return computeActual("SELECT DISTINCT level FROM \"" + table + "$files\" ORDER BY level").getMaterializedRows().stream()
                .map(row -> (Integer) row.getField(0))
                .collect(toImmutableList());
    }

    private Set<String> files(String table, String condition)
    {
        return computeActual("SELECT file_path, level FROM \"" + table + "$files\" WHERE " + condition).getMaterializedRows().stream()
                .map(row -> row.getFields().toString())
                .collect(toImmutableSet());
    }

    private long latestSnapshot(String table)
    {
        return (long) computeScalar("SELECT max(snapshot_id) FROM \"" + table + "$snapshots\"");
    }

    private Set<String> filesOnDisk(String table)
            throws Exception
    {
        try (Stream<Path> files = Files.walk(location(table))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> location(table).relativize(file).toString())
                    .collect(toImmutableSet());
        }
    }

    /**
     * Every data file on disk is one that some snapshot knows.
     */
    private void assertNoUnknownFiles(String table)
            throws Exception
    {
        ImmutableSet.Builder<String> known = ImmutableSet.builder();
        for (long snapshot = 1; snapshot <= latestSnapshot(table); snapshot++) {
            computeActual("SELECT file_path FROM \"" + table + "$files\" FOR VERSION AS OF " + snapshot).getOnlyColumn()
                    .map(path -> ((String) path).substring(((String) path).lastIndexOf('/') + 1))
                    .forEach(known::add);
        }
        assertThat(filesOnDisk(table).stream().map(path -> path.substring(path.lastIndexOf('/') + 1)).filter(name -> name.startsWith("data-")))
                .isSubsetOf(known.build());
    }

    private FileIo interruptible()
    {
        return (FileIo) Proxy.newProxyInstance(FileIo.class.getClassLoader(), new Class<?>[] {FileIo.class}, (_, method, arguments) -> {
            if (method.getName().equals("create") && failChangelogFiles.get() && ((org.apache.hadoop.fs.Path) arguments[0]).getName().startsWith("changelog-")) {
                throw new IOException("disk on fire");
            }
            if (method.getName().equals("create") && ((org.apache.hadoop.fs.Path) arguments[0]).getName().startsWith("data-")) {
                Runnable action = meanwhile.getAndSet(null);
                if (action != null) {
                    action.run();
                }
            }
            try {
                return method.invoke(fileIo, arguments);
            }
            catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }
}
