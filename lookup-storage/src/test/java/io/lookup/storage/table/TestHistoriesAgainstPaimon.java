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
package io.lookup.storage.table;

import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.RandomHistory;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static com.google.common.io.MoreFiles.deleteRecursively;
import static com.google.common.io.RecursiveDeleteOption.ALLOW_INSECURE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories, run by this engine on one table and by Paimon on another. Rows and changelog agree four ways: each
 * table read by each engine.
 */
final class TestHistoriesAgainstPaimon
{
    private static final boolean THOROUGH = Boolean.getBoolean("lookup.thorough");
    private static final int HISTORIES = Integer.getInteger("lookup.histories", THOROUGH ? 1_000 : 60);
    private static final long FIRST_SEED = Long.getLong("lookup.first-seed", 1);

    @TempDir
    private Path directory;

    @Test
    void testRandomHistories()
            throws Exception
    {
        List<String> failures = new ArrayList<>();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) {
            RandomHistory history = RandomHistory.generate(seed);
            try {
                run(history);
            }
            catch (AssertionError | Exception e) {
                failures.add("seed %s, %s: %s".formatted(seed, history.table().options(), e));
                if (failures.size() == 1) {
                    e.printStackTrace();
                }
                if (failures.size() >= 10) {
                    break;
                }
            }
        }
        assertThat(failures).isEmpty();
    }

    private void run(RandomHistory history)
            throws Exception
    {
        Path warehouse = directory.resolve("warehouse-" + history.seed());
        try (PaimonOracle paimon = new PaimonOracle(warehouse, directory.resolve("scratch"));
                HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            OracleTable ours = paimon.createTable("default", "ours", history.table());
            OracleTable theirs = paimon.createTable("default", "theirs", history.table());
            EngineTable engineOnOurs = new EngineTable(fileIo, paimon.location(ours), directory.resolve("spill"));
            EngineTable engineOnTheirs = new EngineTable(fileIo, paimon.location(theirs), directory.resolve("spill"));
            boolean lookup = "lookup".equals(history.table().options().get("changelog-producer"));

            long ourSnapshots = 0;
            long theirSnapshots = 0;
            for (List<Change> commit : history.commits()) {
                engineOnOurs.write(commit);
                paimon.write(theirs, commit);

                List<Snapshot> ourNew = after(engineOnOurs.snapshots(), ourSnapshots);
                List<Snapshot> theirNew = after(engineOnTheirs.snapshots(), theirSnapshots);
                ourSnapshots += ourNew.size();
                theirSnapshots += theirNew.size();

                List<String> rows = texts(paimon.readTable(theirs));
                assertThat(engineOnTheirs.readRows()).as("Paimon's table, read by us").isEqualTo(rows);
                assertThat(engineOnOurs.readRows()).as("our table, read by us").isEqualTo(rows);
                assertThat(texts(paimon.readTable(ours))).as("our table, read by Paimon").isEqualTo(rows);

                if (lookup) {
                    List<String> log = paimonLog(paimon, theirs, theirNew);
                    assertThat(engineLog(engineOnTheirs, theirNew)).as("Paimon's log, read by us").isEqualTo(log);
                    assertThat(engineLog(engineOnOurs, ourNew)).as("our log, read by us").isEqualTo(log);
                    assertThat(paimonLog(paimon, ours, ourNew)).as("our log, read by Paimon").isEqualTo(log);
                    assertThat(ourNew.stream().map(Snapshot::commitKind)).containsExactly(CommitKind.APPEND, CommitKind.COMPACT);
                }
            }
        }
        finally {
            deleteRecursively(warehouse, ALLOW_INSECURE);
        }
    }

    private static List<Snapshot> after(List<Snapshot> snapshots, long known)
    {
        return snapshots.stream().filter(snapshot -> snapshot.id() > known).toList();
    }

    private static List<String> texts(List<Change> rows)
    {
        return rows.stream().map(Change::rowText).sorted().toList();
    }

    private static List<String> engineLog(EngineTable table, List<Snapshot> snapshots)
            throws IOException
    {
        return snapshots.stream().flatMap(snapshot -> table.readLog(snapshot).stream()).map(Change::toString).sorted().toList();
    }

    private static List<String> paimonLog(PaimonOracle paimon, OracleTable table, List<Snapshot> snapshots)
            throws Exception
    {
        List<String> log = new ArrayList<>();
        for (Snapshot snapshot : snapshots) {
            paimon.readChangelog(table, snapshot.id()).forEach(change -> log.add(change.toString()));
        }
        log.sort(null);
        return log;
    }
}
