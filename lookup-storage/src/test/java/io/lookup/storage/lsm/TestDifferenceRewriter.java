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
package io.lookup.storage.lsm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.changelog.RowEquality;
import io.lookup.storage.lsm.RewriterRows.Row;
import io.lookup.storage.lsm.RewriterRows.Writer;
import io.lookup.storage.merge.RunInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import static io.lookup.storage.lsm.DifferenceRewriter.UNTOLD;
import static io.lookup.storage.lsm.RewriterRows.row;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a full compaction writes and logs for every shape that a key's records can have.
 */
final class TestDifferenceRewriter
{
    private static final int TOP = 3;
    private static final Map<String, String> DEDUPLICATE = ImmutableMap.of();
    private static final Map<String, String> SUM = ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "sum", "fields.w.aggregate-function", "last_value");

    private record Outcome(List<String> data, List<String> log) {}

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testShapesOfAKey(boolean rowDeduplicate)
            throws IOException
    {
        assertThat(rewrite(DEDUPLICATE, rowDeduplicate, row("+I", 1, 1, 0, 1)))
                .isEqualTo(outcome("+I(1, 1, 0) @1", "+I(1, 1, 0) @1"));
        assertThat(rewrite(DEDUPLICATE, rowDeduplicate, row("+U", 1, 1, 0, 1)))
                .isEqualTo(outcome("+U(1, 1, 0) @1", "+I(1, 1, 0) @1"));
        assertThat(rewrite(DEDUPLICATE, rowDeduplicate, row("-D", 1, 1, 0, 1)))
                .isEqualTo(nothing());
        assertThat(rewrite(DEDUPLICATE, rowDeduplicate, row("+I", 1, 1, 0, 1), row("+I", 1, 2, 0, 2)))
                .isEqualTo(outcome("+I(1, 2, 0) @2", "+I(1, 2, 0) @2"));
        assertThat(rewrite(DEDUPLICATE, rowDeduplicate, row("+I", 1, 1, 0, 1), row("-D", 1, 1, 0, 2)))
                .isEqualTo(nothing());
    }

    @ParameterizedTest
    @CsvSource({"-D", "-U"})
    void testRetractedTop(String kind)
            throws IOException
    {
        assertThat(rewriteOnTop(DEDUPLICATE, false, row("+I", 1, 3, 0, 1), row(kind, 1, 5, 0, 2)))
                .isEqualTo(new Outcome(ImmutableList.of(), ImmutableList.of("-D(1, 3, 0) @1")));
    }

    @Test
    void testTop()
            throws IOException
    {
        assertThat(rewriteOnTop(DEDUPLICATE, false, row("+I", 1, 3, 0, 1)))
                .isEqualTo(outcome("+I(1, 3, 0) @1"));
        assertThat(rewriteOnTop(DEDUPLICATE, false, row("+I", 1, 3, 0, 1), row("+I", 1, 4, 0, 2)))
                .isEqualTo(outcome("+I(1, 4, 0) @2", "-U(1, 3, 0) @1", "+U(1, 4, 0) @2"));
        // deleted and inserted again
        assertThat(rewriteOnTop(DEDUPLICATE, false, row("+I", 1, 3, 0, 1), row("-D", 1, 3, 0, 2), row("+I", 1, 4, 0, 3)))
                .isEqualTo(outcome("+I(1, 4, 0) @3", "-U(1, 3, 0) @1", "+U(1, 4, 0) @3"));
        // an older version loses, and is an update all the same
        assertThat(rewriteOnTop(DEDUPLICATE, false, row("+I", 1, 3, 0, 9), row("+I", 1, 4, 0, 2)))
                .isEqualTo(outcome("+I(1, 3, 0) @9", "-U(1, 3, 0) @9", "+U(1, 3, 0) @9"));
    }

    @Test
    void testEqualRows()
            throws IOException
    {
        Row top = row("+I", 1, 3, 7, 1);
        Row same = row("+I", 1, 3, 7, 2);
        Row otherW = row("+I", 1, 3, 8, 2);
        assertThat(rewriteOnTop(DEDUPLICATE, false, top, same)).isEqualTo(outcome("+I(1, 3, 7) @2", "-U(1, 3, 7) @1", "+U(1, 3, 7) @2"));
        assertThat(rewriteOnTop(DEDUPLICATE, true, top, same)).isEqualTo(outcome("+I(1, 3, 7) @2"));
        assertThat(rewriteOnTop(DEDUPLICATE, true, top, otherW)).isEqualTo(outcome("+I(1, 3, 8) @2", "-U(1, 3, 7) @1", "+U(1, 3, 8) @2"));
        // the row is written with its new value, although it is not logged
        assertThat(rewriteOnTop(DEDUPLICATE, Optional.of(ImmutableList.of("w")), top, otherW)).isEqualTo(outcome("+I(1, 3, 8) @2"));
        assertThat(rewriteOnTop(DEDUPLICATE, Optional.of(ImmutableList.of("w")), top, row("+I", 1, 4, 7, 2)))
                .isEqualTo(outcome("+I(1, 4, 7) @2", "-U(1, 3, 7) @1", "+U(1, 4, 7) @2"));
    }

    @Test
    void testSums()
            throws IOException
    {
        assertThat(rewrite(SUM, false, row("+I", 1, 3, 0, 1), row("+I", 1, 4, 1, 2)))
                .isEqualTo(outcome("+I(1, 7, 1) @2", "+I(1, 7, 1) @2"));
        assertThat(rewriteOnTop(SUM, false, row("+I", 1, 3, 0, 1), row("+I", 1, 4, 1, 2), row("+I", 1, 5, 2, 3)))
                .isEqualTo(outcome("+I(1, 12, 2) @3", "-U(1, 3, 0) @1", "+U(1, 12, 2) @3"));
        // a record that stands alone is not merged: its retraction stays one
        assertThat(rewrite(SUM, false, row("-D", 1, 4, 1, 2))).isEqualTo(nothing());
    }

    /**
     * Several told records of a key, as under a producer that was changed.
     */
    @Test
    void testToldRecordsAreMergedFirst()
            throws IOException
    {
        RewriterRows rows = new RewriterRows(SUM);
        assertThat(rewrite(rows, Optional.empty(), ImmutableList.of(
                rows.run(UNTOLD, row("+I", 1, 100, 5, 4), row("+I", 3, 1, 1, 4)),
                rows.run(0, row("+I", 1, 10, 4, 3), row("+I", 2, 20, 4, 3)),
                rows.run(2, row("+I", 1, 1, 3, 2)),
                rows.run(TOP, row("+I", 1, 1000, 2, 1), row("+I", 2, 5, 0, 1)))))
                .isEqualTo(new Outcome(
                        ImmutableList.of("+I(1, 1111, 5) @4", "+I(2, 25, 4) @3", "+I(3, 1, 1) @4"),
                        ImmutableList.of("-U(1, 1011, 4) @3", "+U(1, 1111, 5) @4", "+I(3, 1, 1) @4")));
    }

    /**
     * A producer that tells at once followed one that did not: the newest record is told already, an older one is not.
     */
    @Test
    void testToldRecordThatIsNewer()
            throws IOException
    {
        RewriterRows rows = new RewriterRows(DEDUPLICATE);
        Writer data = new Writer();
        Writer log = new Writer();
        new DifferenceRewriter(rows.layout(), rows.keyEncoder(), rows.mergeFunction(true), false, false, Optional.empty())
                .rewrite(
                        ImmutableList.of(
                                rows.run(0, row("+I", 1, 3, 0, 3), row("-D", 2, 2, 0, 3)),
                                rows.run(UNTOLD, row("+I", 1, 2, 0, 2), row("+I", 2, 2, 0, 2), row("+I", 3, 2, 0, 2)),
                                rows.run(TOP, row("+I", 1, 1, 0, 1), row("+I", 3, 1, 0, 1))),
                        Optional.of(data),
                        log,
                        true);
        assertThat(data.rows()).containsExactly("+I(1, 3, 0) @3", "+I(3, 2, 0) @2");
        assertThat(log.rows()).containsExactly("-U(3, 1, 0) @1", "+U(3, 2, 0) @2");
    }

    @Test
    void testFileThatOnlyRises()
            throws IOException
    {
        RewriterRows rows = new RewriterRows(DEDUPLICATE);
        Writer log = new Writer();
        new DifferenceRewriter(rows.layout(), rows.keyEncoder(), rows.mergeFunction(true), false, true, Optional.empty())
                .rewrite(ImmutableList.of(rows.run(UNTOLD, row("+U", 1, 1, 0, 1), row("+I", 2, 2, 0, 2))), Optional.empty(), log, true);
        assertThat(log.rows()).containsExactly("+I(1, 1, 0) @1", "+I(2, 2, 0) @2");
    }

    /**
     * Stretches of the highest level that nothing touches go through without being looked at row by row.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 511, 512, 4999})
    void testLongStretches(int changedKey)
            throws IOException
    {
        RewriterRows rows = new RewriterRows(DEDUPLICATE);
        Row[] top = IntStream.range(0, 5000).mapToObj(key -> row(key == 17 ? "-D" : "+I", key, key, 0, key)).toArray(Row[]::new);
        Row[] low = IntStream.range(6000, 9000).mapToObj(key -> row("+I", key, key, 0, key)).toArray(Row[]::new);
        Outcome outcome = rewrite(rows, Optional.empty(), ImmutableList.of(
                rows.run(UNTOLD, row("+I", changedKey, -1, 0, 10_000)),
                rows.run(UNTOLD, low),
                rows.run(TOP, top)));
        assertThat(outcome.data()).hasSize(7999).contains("+I(%s, -1, 0) @10000".formatted(changedKey)).doesNotHaveDuplicates();
        assertThat(outcome.log()).hasSize(3002).startsWith("-U(%s, %s, 0) @%s".formatted(changedKey, changedKey, changedKey), "+U(%s, -1, 0) @10000".formatted(changedKey));
    }

    private static Outcome rewrite(Map<String, String> options, boolean rowDeduplicate, Row... untold)
            throws IOException
    {
        RewriterRows rows = new RewriterRows(options);
        ImmutableList.Builder<RunInput> runs = ImmutableList.builder();
        for (int index = untold.length - 1; index >= 0; index--) {
            runs.add(rows.run(UNTOLD, untold[index]));
        }
        return rewrite(rows, rowDeduplicate ? Optional.of(ImmutableList.of()) : Optional.empty(), runs.build());
    }

    private static Outcome rewriteOnTop(Map<String, String> options, boolean rowDeduplicate, Row top, Row... untold)
            throws IOException
    {
        return rewriteOnTop(options, rowDeduplicate ? Optional.of(ImmutableList.of()) : Optional.empty(), top, untold);
    }

    private static Outcome rewriteOnTop(Map<String, String> options, Optional<List<String>> ignoredFields, Row top, Row... untold)
            throws IOException
    {
        RewriterRows rows = new RewriterRows(options);
        ImmutableList.Builder<RunInput> runs = ImmutableList.builder();
        for (int index = untold.length - 1; index >= 0; index--) {
            runs.add(rows.run(UNTOLD, untold[index]));
        }
        return rewrite(rows, ignoredFields, runs.add(rows.run(TOP, top)).build());
    }

    private static Outcome rewrite(RewriterRows rows, Optional<List<String>> ignoredFields, List<RunInput> runs)
            throws IOException
    {
        Writer data = new Writer();
        Writer log = new Writer();
        new DifferenceRewriter(
                rows.layout(),
                rows.keyEncoder(),
                rows.mergeFunction(true),
                false,
                true,
                ignoredFields.map(fields -> new RowEquality(rows.layout(), fields)))
                .rewrite(runs, Optional.of(data), log, true);
        return new Outcome(data.rows(), log.rows());
    }

    private static Outcome outcome(String row, String... log)
    {
        return new Outcome(ImmutableList.of(row), ImmutableList.copyOf(log));
    }

    private static Outcome nothing()
    {
        return new Outcome(ImmutableList.of(), ImmutableList.of());
    }
}
