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
 * Which updates change nothing. The two zeros are two values, so that replaying the log gives what the table holds.
 */
final class TestRowDeduplicate
        extends AbstractOracleTest
{
    /**
     * Paimon leaves a change of the sign out, and its table has the new one all the same.
     */
    @ParameterizedTest
    @ValueSource(strings = {"lookup", "full-compaction"})
    void testZeros(String producer)
            throws Exception
    {
        PaimonTableDefinition definition = definition(producer, ImmutableList.of(new Column("d", "DOUBLE"), new Column("f", "FLOAT")));
        OracleTable theirs = paimon.createTable("default", "theirs_" + producer.replace('-', '_'), definition);
        OracleTable ours = paimon.createTable("default", "ours_" + producer.replace('-', '_'), definition);
        List<Change> rows = changes(Arrays.asList(1, 0.0, 0.0f), Arrays.asList(1, -0.0, -0.0f), Arrays.asList(1, 0.5, 0.5f));
        List<String> log = write(engine(ours), rows);
        assertThat(paimon.readTable(ours)).extracting(Change::rowText).containsExactly(rows.getLast().rowText());
        // each column twice there and back, and not once more
        assertThat(log).hasSize(1 + 2 * 8);

        for (Change row : rows) {
            paimon.write(theirs, ImmutableList.of(row));
            paimon.compact(theirs, true);
            assertThat(paimon.readTable(theirs)).containsExactly(row);
        }
        List<Change> theirLog = paimon.readChangelog(theirs, engine(theirs).snapshots().stream().map(Snapshot::id).toList());
        assertThat(theirLog).hasSize(1 + 2 * 4).extracting(Change::rowText).noneMatch(row -> row.contains("-0.0"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lookup", "full-compaction"})
    void testNestedZeros(String producer)
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "nested_" + producer.replace('-', '_'), definition(producer, ImmutableList.of(
                new Column("a", "{\"type\":\"ARRAY\",\"element\":\"DOUBLE\"}"),
                new Column("m", "{\"type\":\"MAP\",\"key\":\"INT\",\"value\":\"DOUBLE\"}"),
                new Column("r", "{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"f\",\"type\":\"DOUBLE\"}]}"))));
        List<String> log = write(engine(table), changes(
                Arrays.asList(1, ImmutableList.of(0.0), ImmutableMap.of(1, 0.0), ImmutableList.of(0.0)),
                Arrays.asList(1, ImmutableList.of(-0.0), ImmutableMap.of(1, -0.0), ImmutableList.of(-0.0)),
                Arrays.asList(1, ImmutableList.of(0.5), ImmutableMap.of(1, 0.5), ImmutableList.of(0.5))));
        assertThat(log).hasSize(1 + 3 * 8);
    }

    private static PaimonTableDefinition definition(String producer, List<Column> columns)
    {
        return new PaimonTableDefinition(
                ImmutableList.<Column>builder().add(new Column("k", "INT NOT NULL")).addAll(columns).build(),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "1", "changelog-producer", producer, "changelog-producer.row-deduplicate", "true"));
    }

    /**
     * A row, and for each of its columns others in which only that one differs.
     */
    private static List<Change> changes(List<Object> row, List<Object> negative, List<Object> other)
    {
        List<Change> changes = new ArrayList<>();
        changes.add(Change.insert(row.toArray()));
        for (int column = 1; column < row.size(); column++) {
            for (List<Object> values : ImmutableList.of(negative, row, other, row)) {
                List<Object> changed = new ArrayList<>(row);
                changed.set(column, values.get(column));
                changes.add(Change.insert(changed.toArray()));
            }
        }
        return changes;
    }

    /**
     * Each row twice.
     *
     * @return the log
     */
    private static List<String> write(EngineTable engine, List<Change> rows)
    {
        for (Change row : rows) {
            for (int time = 0; time < 2; time++) {
                engine.write(ImmutableList.of(row));
                engine.compact(true);
                assertThat(engine.readRows()).containsExactly(row.rowText());
            }
        }
        return engine.snapshots().stream().flatMap(snapshot -> engine.readLog(snapshot).stream()).map(Change::toString).toList();
    }
}
