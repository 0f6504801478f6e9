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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.commit.RebaseBudget;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangelogReplay;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Snapshot;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Tables (k INT primary key, v INT, w INT) in a warehouse that both engines open.
 */
final class ProducerTables
        implements AutoCloseable
{
    private final Path directory;
    private final PaimonOracle paimon;
    private final HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()));

    ProducerTables(Path directory)
    {
        this.directory = directory;
        this.paimon = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"));
    }

    PaimonOracle paimon()
    {
        return paimon;
    }

    OracleTable create(String name, String... options)
            throws Exception
    {
        return paimon.createTable("default", name, definition(options));
    }

    static PaimonTableDefinition definition(String... options)
    {
        ImmutableMap.Builder<String, String> map = ImmutableMap.<String, String>builder().put("bucket", "1");
        for (int index = 0; index < options.length; index += 2) {
            map.put(options[index], options[index + 1]);
        }
        return new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "INT"), new Column("w", "INT")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                map.buildKeepingLast());
    }

    EngineTable engine(OracleTable table)
            throws Exception
    {
        return engine(table, 64L << 20);
    }

    EngineTable engine(OracleTable table, long writeMemoryBytes)
            throws Exception
    {
        return new EngineTable(fileIo, paimon.location(table), directory.resolve("spill"), writeMemoryBytes);
    }

    EngineTable engine(OracleTable table, RebaseBudget rebaseBudget)
            throws Exception
    {
        return new EngineTable(fileIo, paimon.location(table), directory.resolve("spill"), rebaseBudget);
    }

    Path location(OracleTable table)
            throws Exception
    {
        return paimon.location(table);
    }

    static List<Change> rows(int from, int to, int value)
    {
        return IntStream.range(from, to).mapToObj(key -> Change.insert(key, value, 0)).collect(toImmutableList());
    }

    /**
     * What the log says of the snapshots after one, in order.
     */
    static List<String> log(EngineTable engine, long afterSnapshotId)
    {
        return changes(engine, afterSnapshotId).stream().map(Change::toString).toList();
    }

    static List<String> log(EngineTable engine)
    {
        return log(engine, 0);
    }

    private static List<Change> changes(EngineTable engine, long afterSnapshotId)
    {
        return engine.snapshots().stream()
                .filter(snapshot -> snapshot.id() > afterSnapshotId)
                .flatMap(snapshot -> engine.readLog(snapshot).stream())
                .toList();
    }

    /**
     * What comes of replaying the whole log.
     *
     * @throws IllegalStateException if a record of it contradicts those before
     */
    static List<String> replay(EngineTable engine)
    {
        ChangelogReplay replay = new ChangelogReplay(definition());
        replay.apply(changes(engine, 0));
        return replay.state();
    }

    static long lastId(EngineTable engine)
    {
        List<Snapshot> snapshots = engine.snapshots();
        return snapshots.isEmpty() ? 0 : snapshots.getLast().id();
    }

    /**
     * Kinds of the snapshots, each with a star if it has a changelog.
     */
    static List<String> kinds(EngineTable engine)
    {
        return engine.snapshots().stream()
                .map(snapshot -> snapshot.commitKind() + (snapshot.changelogManifestList().isPresent() ? "*" : ""))
                .toList();
    }

    /**
     * Levels and rows of the live files: {@code L5 3 rows}.
     */
    static List<String> levels(EngineTable engine)
    {
        return engine.fileLevels(engine.snapshots().getLast()).stream().map(text -> text.substring(text.indexOf(" L") + 1)).toList();
    }

    static List<String> texts(List<Change> rows)
    {
        return rows.stream().map(Change::rowText).sorted().toList();
    }

    @Override
    public void close()
            throws Exception
    {
        fileIo.close();
        paimon.close();
    }
}
