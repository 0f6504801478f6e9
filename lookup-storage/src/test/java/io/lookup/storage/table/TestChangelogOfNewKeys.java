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
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The log of rows whose keys are new, where the changelog file can be a copy of the data file.
 */
final class TestChangelogOfNewKeys
{
    @TempDir
    private Path directory;

    @Test
    void testEmptyBucket()
            throws Exception
    {
        assertLog(ImmutableMap.of(), ImmutableList.of(
                ImmutableList.of(change(ChangeKind.INSERT, 2L, "b"), change(ChangeKind.INSERT, 1L, "a"), change(ChangeKind.INSERT, 2L, "c"))));
        assertThat(Files.readAllBytes(onlyFile("changelog-"))).isEqualTo(Files.readAllBytes(onlyFile("data-")));
    }

    @Test
    void testKeysBesideOthers()
            throws Exception
    {
        assertLog(ImmutableMap.of(), ImmutableList.of(
                ImmutableList.of(change(ChangeKind.INSERT, 10L, "a"), change(ChangeKind.INSERT, 20L, "b")),
                ImmutableList.of(change(ChangeKind.INSERT, 30L, "c"), change(ChangeKind.INSERT, 40L, "d")),
                ImmutableList.of(change(ChangeKind.INSERT, 1L, "e")),
                ImmutableList.of(change(ChangeKind.INSERT, 15L, "f"), change(ChangeKind.INSERT, 20L, "B")),
                ImmutableList.of(change(ChangeKind.INSERT, 40L, "D"), change(ChangeKind.INSERT, 50L, "g"))));
    }

    @Test
    void testUpdatesWithoutOldRow()
            throws Exception
    {
        assertLog(ImmutableMap.of(), ImmutableList.of(
                ImmutableList.of(change(ChangeKind.INSERT, 1L, "a"), change(ChangeKind.UPDATE_AFTER, 2L, "b"))));
    }

    @Test
    void testDeletesWithoutOldRow()
            throws Exception
    {
        assertLog(ImmutableMap.of(), ImmutableList.of(
                ImmutableList.of(change(ChangeKind.INSERT, 1L, "a"), change(ChangeKind.DELETE, 2L, "b"))));
    }

    @Test
    void testOtherEncoding()
            throws Exception
    {
        assertLog(ImmutableMap.of("changelog-file.compression", "none"), ImmutableList.of(
                ImmutableList.of(change(ChangeKind.INSERT, 1L, "a".repeat(100)), change(ChangeKind.INSERT, 2L, "b"))));
        assertThat(Files.readAllBytes(onlyFile("changelog-"))).isNotEqualTo(Files.readAllBytes(onlyFile("data-")));
    }

    /**
     * Paimon's log of the same commits is the same, and both engines read it from our files.
     */
    private void assertLog(Map<String, String> options, List<List<Change>> commits)
            throws Exception
    {
        PaimonTableDefinition definition = new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "BIGINT NOT NULL"), new Column("v", "STRING")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder().put("bucket", "1").put("changelog-producer", "lookup").putAll(options).buildOrThrow());
        try (PaimonOracle paimon = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"));
                HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            OracleTable ours = paimon.createTable("default", "ours", definition);
            OracleTable theirs = paimon.createTable("default", "theirs", definition);
            EngineTable engine = new EngineTable(fileIo, paimon.location(ours), directory.resolve("spill"));
            for (List<Change> commit : commits) {
                engine.write(commit);
                paimon.write(theirs, commit);
                Snapshot latest = engine.snapshots().getLast();
                List<String> expected = paimon.readChangelog(theirs, latest.id()).stream().map(Change::toString).sorted().toList();
                assertThat(expected).isNotEmpty();
                assertThat(engine.readLog(latest).stream().map(Change::toString).sorted().toList()).isEqualTo(expected);
                assertThat(paimon.readChangelog(ours, latest.id()).stream().map(Change::toString).sorted().toList()).isEqualTo(expected);
                assertThat(latest.changelogRecordCount()).hasValue(expected.size());
            }
        }
    }

    private Path onlyFile(String prefix)
            throws IOException
    {
        try (Stream<Path> files = Files.walk(directory.resolve("warehouse"))) {
            List<Path> found = files.filter(file -> file.toString().contains("/ours/") && file.getFileName().toString().startsWith(prefix)).toList();
            assertThat(found).hasSize(1);
            return found.getFirst();
        }
    }

    private static Change change(ChangeKind kind, Object... values)
    {
        return new Change(kind, ImmutableList.copyOf(values));
    }
}
