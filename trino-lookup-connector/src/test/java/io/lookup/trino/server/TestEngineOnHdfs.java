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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangelogReplay;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.oracle.RandomHistory;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.table.EngineTable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The engine, without a server, on an HDFS cluster that Paimon uses too.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TestEngineOnHdfs
{
    private static final boolean THOROUGH = Boolean.getBoolean("lookup.thorough");
    private static final int HISTORIES = THOROUGH ? 30 : 1;
    private static final int TURNS = THOROUGH ? 100 : 4;
    private static final int COMMITS_AT_ONCE = THOROUGH ? 50 : 3;

    private java.nio.file.Path folder;
    private HdfsProcess cluster;
    private Path warehouse;
    private Configuration configuration;
    private HadoopFileIo fileIo;
    private PaimonOracle paimon;

    @BeforeAll
    void start(@TempDir java.nio.file.Path folder)
            throws Exception
    {
        this.folder = folder;
        cluster = HdfsProcess.start(Files.createDirectories(folder.resolve("cluster")));
        warehouse = new Path(cluster.uri() + "/lake/warehouse");
        // small blocks, so that files of more than one are written too
        configuration = configuration(ImmutableMap.of("dfs.blocksize", "1m"));
        fileIo = new HadoopFileIo(configuration);
        paimon = new PaimonOracle(warehouse, configuration, folder.resolve("scratch"));
    }

    @AfterAll
    void stop()
            throws Exception
    {
        fileIo.close();
        paimon.close();
        FileSystem.closeAll();
        cluster.close();
    }

    private static Configuration configuration(Map<String, String> properties)
    {
        return HadoopConfigurations.create(properties, ImmutableList.of());
    }

    private EngineTable engine(OracleTable table)
    {
        return new EngineTable(fileIo, new Path(warehouse, "%s.db/%s".formatted(table.database(), table.name())), folder.resolve("spill"));
    }

    private static PaimonTableDefinition definition(Map<String, String> options)
    {
        return new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                options);
    }

    /**
     * Histories of the first seeds, ours on HDFS and Paimon's on the local disk.
     */
    @Test
    void testHistories()
            throws Exception
    {
        for (long seed = 1; seed <= HISTORIES; seed++) {
            RandomHistory history = RandomHistory.generate(seed);
            OracleTable ours = paimon.createTable("default", "ours_" + seed, history.table());
            EngineTable engine = engine(ours);
            try (PaimonOracle local = new PaimonOracle(folder.resolve("local-" + seed), folder.resolve("scratch"));
                    HadoopFileIo localFiles = new HadoopFileIo(configuration(Map.of()))) {
                OracleTable theirs = local.createTable("default", "theirs", history.table());
                EngineTable engineOnTheirs = new EngineTable(localFiles, local.location(theirs), folder.resolve("spill"));
                long ourLast = 0;
                long theirLast = 0;
                for (List<Change> commit : history.commits()) {
                    engine.write(commit);
                    local.write(theirs, commit);
                    if ("lookup".equals(history.table().options().get("changelog-producer"))) {
                        assertThat(log(history, engine, ourLast)).as("log, seed %s", seed).isEqualTo(log(history, engineOnTheirs, theirLast));
                    }
                    ourLast = engine.open().snapshots().latestId().orElse(0);
                    theirLast = engineOnTheirs.open().snapshots().latestId().orElse(0);
                }
                List<String> rows = texts(history, local.readTable(theirs));
                assertThat(texts(history, engine.readChanges(engine.open().snapshots().latest().orElseThrow()))).as("our rows, seed %s", seed).isEqualTo(rows);
                assertThat(texts(history, paimon.readTable(ours))).as("our rows, read by Paimon, seed %s", seed).isEqualTo(rows);
                engine.compact(true);
                assertThat(texts(history, paimon.readTable(ours))).as("compacted, seed %s", seed).isEqualTo(rows);
            }
        }
        System.out.println("Histories on HDFS: " + HISTORIES);
    }

    private static List<String> log(RandomHistory history, EngineTable engine, long after)
    {
        List<Change> changes = new ArrayList<>();
        for (Snapshot snapshot : engine.snapshotsAfter(after)) {
            changes.addAll(engine.readLog(snapshot));
        }
        return texts(history, changes);
    }

    private static List<String> texts(RandomHistory history, List<Change> changes)
    {
        return changes.stream().map(change -> history.comparable(change).toString()).sorted().collect(toImmutableList());
    }

    @Test
    void testTurnsWithPaimon()
            throws Exception
    {
        for (Map<String, String> engineOptions : List.of(
                ImmutableMap.of("merge-engine", "deduplicate"),
                ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "sum"))) {
            boolean sum = engineOptions.containsValue("aggregation");
            PaimonTableDefinition definition = definition(ImmutableMap.<String, String>builder()
                    .putAll(engineOptions)
                    .put("bucket", "2")
                    .put("changelog-producer", "lookup")
                    .buildOrThrow());
            OracleTable table = paimon.createTable("default", "turns_" + engineOptions.get("merge-engine"), definition);
            EngineTable engine = engine(table);
            Map<Object, Long> expected = new TreeMap<>();
            ChangelogReplay replay = new ChangelogReplay(definition);
            long replayed = 0;
            for (int turn = 0; turn < TURNS; turn++) {
                int number = turn;
                List<Change> changes = IntStream.range(0, 40).mapToObj(key -> Change.insert(key * (number % 3 + 1), (long) number * 100 + key)).collect(toImmutableList());
                changes.forEach(change -> expected.merge(change.values().get(0), (Long) change.values().get(1), (before, after) -> sum ? before + after : after));
                if (turn % 2 == 0) {
                    engine.write(changes);
                }
                else {
                    paimon.write(table, changes);
                }
                List<String> rows = expected.entrySet().stream()
                        .map(entry -> Change.insert(entry.getKey(), entry.getValue()).rowText())
                        .sorted()
                        .collect(toImmutableList());
                assertThat(engine.readRows()).as("our read after turn %s", turn).isEqualTo(rows);
                assertThat(ChangelogReplay.texts(paimon.readTable(table))).as("Paimon's read after turn %s", turn).isEqualTo(rows);
                for (Snapshot snapshot : engine.snapshotsAfter(replayed)) {
                    replay.apply(paimon.readChangelog(table, snapshot.id()));
                    replayed = snapshot.id();
                }
                assertThat(replay.state()).as("log up to turn %s", turn).isEqualTo(rows);
            }
        }
    }

    /**
     * Paimon looks and then renames, and here a rename never replaces: neither can take the other's snapshot away.
     */
    @Test
    void testAtOnceWithPaimon()
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "at_once", definition(ImmutableMap.of("bucket", "1", "write-only", "true", "commit.max-retries", "1000")));
        EngineTable engine = engine(table);
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            List<Future<Void>> writers = executor.invokeAll(List.of(
                    () -> {
                        for (int commit = 0; commit < COMMITS_AT_ONCE; commit++) {
                            engine.write(List.of(Change.insert(commit, 1L)));
                        }
                        return null;
                    },
                    () -> {
                        for (int commit = 0; commit < COMMITS_AT_ONCE; commit++) {
                            paimon.write(table, List.of(Change.insert(1000 + commit, 2L)));
                        }
                        return null;
                    }));
            for (Future<Void> writer : writers) {
                writer.get();
            }
        }
        assertThat(engine.readRows()).hasSize(2 * COMMITS_AT_ONCE);
        assertThat(paimon.readTable(table)).hasSize(2 * COMMITS_AT_ONCE);
        assertThat(engine.snapshotsAfter(0)).filteredOn(snapshot -> snapshot.commitKind() == CommitKind.APPEND).hasSize(2 * COMMITS_AT_ONCE);
    }

    @Test
    void testRequestsOfACommit()
            throws Exception
    {
        Map<Integer, Integer> totals = new TreeMap<>();
        for (int buckets : List.of(1, 4)) {
            OracleTable table = paimon.createTable("default", "cost_" + buckets, definition(ImmutableMap.of("bucket", String.valueOf(buckets), "changelog-producer", "lookup")));
            EngineTable engine = engine(table);
            for (long commit = 0; commit < 3; commit++) {
                engine.write(changes(commit));
            }
            int before = cluster.requests().size();
            engine.write(changes(100));
            List<HdfsProcess.Request> requests = cluster.requests().subList(before, cluster.requests().size());
            totals.put(buckets, requests.size());
            System.out.println("Requests to HDFS's name node of a commit of %s buckets, APPEND and COMPACT: %s in all, %s".formatted(
                    buckets, requests.size(), new TreeMap<>(requests.stream().collect(groupingBy(HdfsProcess.Request::command, counting())))));
            assertThat(requests).filteredOn(request -> request.command().equals("listStatus")).allMatch(request -> request.path().endsWith("/schema"));
        }
        assertThat(totals.get(4) - totals.get(1)).isLessThanOrEqualTo(3 * 12);
        assertThat(totals.get(1)).isLessThanOrEqualTo(60);
    }

    private static List<Change> changes(long value)
    {
        return IntStream.range(0, 64).mapToObj(key -> Change.insert(key, value)).collect(toImmutableList());
    }
}
