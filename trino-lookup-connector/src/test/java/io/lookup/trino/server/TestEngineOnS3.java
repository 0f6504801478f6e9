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
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.oracle.RandomHistory;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.table.EngineTable;
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
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The engine, without a server, on an S3 store that keeps objects as files of the same names, so that Paimon can read them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TestEngineOnS3
{
    private static final int HISTORIES = Boolean.getBoolean("lookup.thorough") ? 30 : 2;
    private static final int RACES = Boolean.getBoolean("lookup.thorough") ? 200 : 20;

    private java.nio.file.Path folder;
    private S3ProxyProcess s3;
    private HadoopFileIo fileIo;
    private PaimonOracle paimon;

    @BeforeAll
    void start(@TempDir java.nio.file.Path folder)
            throws Exception
    {
        this.folder = folder;
        s3 = S3ProxyProcess.start(Files.createDirectories(folder.resolve("s3")));
        fileIo = new HadoopFileIo(HadoopConfigurations.create(s3.hadoopProperties(), ImmutableList.of()));
        paimon = new PaimonOracle(folder.resolve("s3/objects/" + S3ProxyProcess.BUCKET + "/warehouse"), folder.resolve("scratch"));
    }

    @AfterAll
    void stop()
            throws Exception
    {
        fileIo.close();
        paimon.close();
        s3.close();
    }

    private EngineTable engine(OracleTable table)
    {
        return new EngineTable(fileIo, new Path(s3.warehouse() + "/%s.db/%s".formatted(table.database(), table.name())), folder.resolve("spill"));
    }

    private OracleTable create(String name, PaimonTableDefinition definition)
            throws Exception
    {
        OracleTable table = paimon.createTable("default", name, definition);
        // S3A reads only what has an ETag, which the store gives to what is sent to it
        Path schema = new Path(s3.warehouse() + "/default.db/%s/schema/schema-0".formatted(name));
        fileIo.overwrite(schema, Files.readAllBytes(paimon.location(table).resolve("schema/schema-0")));
        return table;
    }

    /**
     * Histories of the first seeds, ours on S3A and Paimon's on the local disk.
     */
    @Test
    void testHistories()
            throws Exception
    {
        for (long seed = 1; seed <= HISTORIES; seed++) {
            RandomHistory history = RandomHistory.generate(seed);
            OracleTable ours = create("ours_" + seed, history.table());
            EngineTable engine = engine(ours);
            try (PaimonOracle local = new PaimonOracle(folder.resolve("local-" + seed), folder.resolve("scratch"));
                    HadoopFileIo localFiles = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
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
            }
        }
        System.out.println("Histories on S3: " + HISTORIES);
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
    void testRacingCreators()
            throws Exception
    {
        try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
            for (int race = 0; race < RACES; race++) {
                Path file = new Path(s3.warehouse() + "/races/snapshot-" + race);
                List<Callable<Boolean>> creators = IntStream.range(0, 2)
                        .mapToObj(creator -> (Callable<Boolean>) () -> fileIo.createExclusively(file, ("creator " + creator).getBytes(UTF_8)))
                        .collect(toImmutableList());
                List<Boolean> won = new ArrayList<>();
                for (Future<Boolean> result : executor.invokeAll(creators)) {
                    won.add(result.get());
                }
                assertThat(won).as("race %s", race).containsExactlyInAnyOrder(true, false);
                assertThat(fileIo.readFully(file)).asString(UTF_8).isEqualTo("creator " + won.indexOf(true));
            }
        }
    }

    @Test
    void testRequestsOfACommit()
            throws Exception
    {
        Map<Integer, Integer> totals = new TreeMap<>();
        for (int buckets : List.of(1, 4)) {
            OracleTable table = create("cost_" + buckets, new PaimonTableDefinition(
                    ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "BIGINT")),
                    ImmutableList.of("k"),
                    ImmutableList.of(),
                    ImmutableMap.of("bucket", String.valueOf(buckets), "changelog-producer", "lookup")));
            EngineTable engine = engine(table);
            for (long commit = 0; commit < 3; commit++) {
                engine.write(changes(commit));
            }
            int before = RequestLog.parse(s3.log()).requests().size();
            engine.write(changes(100));
            List<RequestLog.Request> all = RequestLog.parse(s3.log()).requests();
            List<RequestLog.Request> requests = all.subList(before, all.size());
            Map<String, Long> kinds = new TreeMap<>(requests.stream().collect(groupingBy(TestEngineOnS3::kind, counting())));
            totals.put(buckets, requests.size());
            System.out.println("Requests of a commit of %s buckets, APPEND and COMPACT: %s in all, %s".formatted(buckets, requests.size(), kinds));
            // what lists two keys looks whether one name is a folder's
            assertThat(requests).filteredOn(request -> kind(request).equals("LIST") && !request.uri().contains("max-keys=2&"))
                    .allSatisfy(request -> assertThat(request.uri()).contains("schema"));
        }
        // a bucket writes a level-0 file, its successor and a changelog file, and reads what it looks up in
        assertThat(totals.get(4) - totals.get(1)).isLessThanOrEqualTo(3 * 20);
        assertThat(totals.get(1)).isLessThanOrEqualTo(60);
    }

    private static String kind(RequestLog.Request request)
    {
        return request.method().equals("GET") && request.uri().contains("list-type") ? "LIST" : request.method();
    }

    private static List<Change> changes(long value)
    {
        return IntStream.range(0, 64).mapToObj(key -> Change.insert(key, value)).collect(toImmutableList());
    }
}
