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
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a record above level 0 says of its key, and when that can be relied on.
 */
final class TestLevelCompleteness
        extends AbstractOracleTest
{
    /**
     * Three levels, of which the first and the last do not overlap: a section is cut into two runs, one of which mixes
     * levels. The newest version must be seen all the same.
     */
    @Test
    void testRunsThatMixLevels()
            throws Exception
    {
        OracleTable table = createTable("mixed", "STRING", ImmutableMap.of("changelog-producer", "lookup"));
        EngineTable engine = engine(table);
        engine.write(rows(0, 1000, "first"));
        engine.write(rows(950, 1150, "second"));
        engine.write(rows(1050, 1055, "third"));
        assertThat(levels(engine)).containsExactly("L3 5 rows", "L4 200 rows", "L5 1000 rows");
        assertThat(engine.readRows()).contains("(1050, 'third')", "(1054, 'third')", "(1055, 'second')", "(950, 'second')", "(949, 'first')").hasSize(1150);
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));

        engine.write(ImmutableList.of(Change.delete(1060, "second"), Change.delete(1061, "second")), WriteMode.ROW_CHANGES);
        assertThat(engine.readRows()).doesNotContain("(1060, 'second')", "(1061, 'second')").hasSize(1148);
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));
    }

    @Test
    void testMixedLevelsOfSums()
            throws Exception
    {
        OracleTable table = createTable("mixed_sums", "INT", ImmutableMap.of(
                "changelog-producer", "lookup",
                "merge-engine", "aggregation",
                "fields.v.aggregate-function", "sum"));
        EngineTable engine = engine(table);
        engine.write(rows(0, 1000, 1));
        engine.write(rows(950, 1150, 1));
        engine.write(rows(1050, 1055, 1));
        assertThat(levels(engine)).containsExactly("L3 5 rows", "L4 200 rows", "L5 1000 rows");
        assertThat(engine.readRows()).contains("(1050, 2)", "(1055, 1)", "(960, 2)", "(949, 1)").hasSize(1150);
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));
    }

    /**
     * Without a producer, a partial compaction leaves increments in a middle level. A table that is then made to look
     * up must neither read nor compact them as if they were sums.
     */
    @Test
    void testIncrementsInMiddleLevels()
            throws Exception
    {
        OracleTable table = createTable("increments", "INT", ImmutableMap.of(
                "merge-engine", "aggregation",
                "fields.v.aggregate-function", "sum",
                "num-sorted-run.compaction-trigger", "2",
                "num-levels", "6"));
        EngineTable engine = engine(table);
        engine.write(rows(0, 100, 10));
        engine.write(rows(1, 2, 5));
        engine.write(rows(1, 2, 2));
        engine.write(rows(1, 2, 3));
        engine.write(rows(1, 2, 4));
        assertThat(levels(engine)).containsExactly("L4 1 rows", "L5 100 rows");
        assertThat(engine.readRows()).contains("(1, 24)");

        paimon.setOption(table, "changelog-producer", "lookup");
        assertThat(engine.readRows()).contains("(1, 24)", "(2, 10)").hasSize(100);
        engine.write(rows(1, 2, 1));
        assertThat(engine.readRows()).contains("(1, 25)", "(2, 10)").hasSize(100);
        assertThat(levels(engine)).containsExactly("L5 100 rows");
        Snapshot last = engine.snapshots().getLast();
        assertThat(engine.readLog(last)).extracting(Change::toString).contains("+U(1, 25)");
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));

        engine.write(rows(1, 2, 1));
        assertThat(engine.readLog(engine.snapshots().getLast())).extracting(Change::toString).containsExactly("-U(1, 25)", "+U(1, 26)");
    }

    /**
     * Without a producer, a row rises past the one in the highest level that wins by the sequence field. A lookup must not take it for the state.
     */
    @Test
    void testLosersInMiddleLevels()
            throws Exception
    {
        OracleTable table = createTable("losers", "INT", ImmutableMap.of("sequence.field", "v", "compaction.force-up-level-0", "true"));
        EngineTable engine = engine(table);
        engine.write(rows(0, 1000, 9));
        engine.write(rows(1, 3, 5));
        assertThat(levels(engine)).containsExactly("L4 2 rows", "L5 1000 rows");
        paimon.setOption(table, "changelog-producer", "lookup");
        assertThat(engine.readRows()).contains("(1, 9)", "(2, 9)");
        engine.write(rows(2, 3, 7));
        assertThat(engine.readRows()).contains("(1, 9)", "(2, 9)").hasSize(1000);
        engine.compact(true);
        assertThat(engine.readRows()).contains("(1, 9)", "(2, 9)").hasSize(1000);
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));
    }

    private OracleTable createTable(String name, String valueType, Map<String, String> options)
            throws Exception
    {
        return paimon.createTable("default", name, new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", valueType)),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder().put("bucket", "1").putAll(options).buildOrThrow()));
    }

    private static List<Change> rows(int from, int to, Object value)
    {
        return IntStream.range(from, to).mapToObj(key -> Change.insert(key, value)).collect(toImmutableList());
    }

    private static List<String> levels(EngineTable engine)
    {
        return engine.fileLevels(engine.snapshots().getLast()).stream().map(text -> text.substring(text.indexOf('L'))).toList();
    }

    private static List<String> texts(List<Change> rows)
    {
        return rows.stream().map(Change::rowText).sorted().toList();
    }
}
