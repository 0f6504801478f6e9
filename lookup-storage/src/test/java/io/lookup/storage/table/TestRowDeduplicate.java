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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which updates change nothing. The two zeros are two values, so that replaying the log gives what the table holds. Paimon says so where it compares rows by
 * their bytes, as here; where it compares them field by field they are equal ({@code TestPaimonDefects.testEqualityOfValues}).
 */
final class TestRowDeduplicate
        extends AbstractOracleTest
{
    @ParameterizedTest
    @ValueSource(strings = {"lookup", "full-compaction"})
    void testZeros(String producer)
            throws Exception
    {
        PaimonTableDefinition definition = new PaimonTableDefinition(
                ImmutableList.of(
                        new Column("k", "INT NOT NULL"),
                        new Column("d", "DOUBLE"),
                        new Column("f", "FLOAT"),
                        new Column("a", "{\"type\":\"ARRAY\",\"element\":\"DOUBLE\"}"),
                        new Column("m", "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":\"DOUBLE\"}"),
                        new Column("r", "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"f\",\"type\":\"DOUBLE\"}]}")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "1", "changelog-producer", producer, "changelog-producer.row-deduplicate", "true"));
        String suffix = producer.replace('-', '_');
        OracleTable theirs = paimon.createTable("default", "theirs_" + suffix, definition);
        OracleTable ours = paimon.createTable("default", "ours_" + suffix, definition);
        EngineTable engine = new EngineTable(fileIo, paimon.location(ours), directory.resolve("spill"));

        List<Object> row = Arrays.asList(1, 0.0, 0.0f, ImmutableList.of(0.0), ImmutableMap.of(1, 0.0), ImmutableList.of(0.0));
        List<Object> negative = Arrays.asList(1, -0.0, -0.0f, ImmutableList.of(-0.0), ImmutableMap.of(1, -0.0), ImmutableList.of(-0.0));
        List<Object> other = Arrays.asList(1, 0.5, 0.5f, ImmutableList.of(0.5), ImmutableMap.of(1, 0.5), ImmutableList.of(0.5));
        List<List<Change>> commits = new ArrayList<>();
        commits.add(ImmutableList.of(new Change(ChangeKind.INSERT, row)));
        for (int column = 1; column < row.size(); column++) {
            for (List<Object> values : ImmutableList.of(negative, row, other, row)) {
                List<Object> changed = new ArrayList<>(row);
                changed.set(column, values.get(column));
                commits.add(ImmutableList.of(new Change(ChangeKind.INSERT, changed)));
            }
        }
        for (List<Change> commit : commits) {
            for (int time = 0; time < 2; time++) {
                engine.write(commit);
                engine.compact(true);
                paimon.write(theirs, commit);
                paimon.compact(theirs, true);
            }
            assertThat(engine.readRows()).as("%s", commit).containsExactly(commit.getFirst().rowText());
            assertThat(paimon.readTable(ours)).extracting(Change::rowText).containsExactlyElementsOf(engine.readRows());
        }
        List<String> log = engine.snapshots().stream().flatMap(snapshot -> engine.readLog(snapshot).stream()).map(Change::toString).toList();
        List<String> theirLog = paimon.readChangelog(theirs, new EngineTable(fileIo, paimon.location(theirs), directory.resolve("spill")).snapshots().stream().map(Snapshot::id).toList()).stream()
                .map(Change::toString)
                .toList();
        // each column twice there and back, and not once more
        assertThat(log).hasSize(1 + 5 * 8);
        assertThat(theirLog).isEqualTo(log);
    }
}
